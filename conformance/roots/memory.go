package roots

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/host/files"
)

// Memory is a [files.Tree] in memory that simulates faults of a network. It is safe for concurrent use. It also
// implements Other.
type Memory struct {
	mu      sync.Mutex
	files   map[string]object
	version int
	asked   map[string]int

	// Fault, unless nil, is called before each request and again after it is done.
	Fault func(ctx context.Context, what, name string, done bool) error
	// Careless makes it ignore the condition of a write.
	Careless bool
}

type object struct {
	data    []byte
	version string
}

// Roots returns the roots of another host that has the Memory open.
func (m *Memory) Roots(t testing.TB) *files.Roots {
	t.Helper()
	r, err := files.Trees{Open: map[string]func(string) (files.Tree, error){"mem": func(string) (files.Tree, error) { return m, nil }}}.NewRoots("mem://bucket/prefix")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Asked returns the number of requests of a kind: stat, read, write, remove or list.
func (m *Memory) Asked(what string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[what]
}

var errCut = errors.New("the connection was cut")

// Lost returns a fault that executes the next n requests of a kind but loses the answers.
func Lost(what string, n int) func(context.Context, string, string, bool) error {
	return func(_ context.Context, is, _ string, done bool) error {
		if is != what || !done || n == 0 {
			return nil
		}
		n--
		return errCut
	}
}

// Silent is a fault that never answers.
func Silent(ctx context.Context, _, _ string, _ bool) error {
	<-ctx.Done()
	return ctx.Err()
}

func (m *Memory) do(ctx context.Context, what, name string, do func() error) error {
	m.mu.Lock()
	if m.asked == nil {
		m.asked = map[string]int{}
	}
	m.asked[what]++
	fault := m.Fault
	m.mu.Unlock()
	if fault != nil {
		if err := fault(ctx, what, name, false); err != nil {
			return err
		}
	}
	m.mu.Lock()
	err := do()
	m.mu.Unlock()
	if fault != nil {
		if err := fault(ctx, what, name, true); err != nil {
			return err
		}
	}
	return err
}

func (o object) is() files.Object {
	return files.Object{Size: int64(len(o.data)), Version: o.version}
}

// Stat implements files.Tree.
func (m *Memory) Stat(ctx context.Context, name string) (o files.Object, err error) {
	err = m.do(ctx, "stat", name, func() error {
		there, ok := m.files[name]
		if !ok {
			return fs.ErrNotExist
		}
		o = there.is()
		return nil
	})
	return o, err
}

// Read implements files.Tree.
func (m *Memory) Read(ctx context.Context, name string) (body io.ReadCloser, o files.Object, err error) {
	err = m.do(ctx, "read", name, func() error {
		there, ok := m.files[name]
		if !ok {
			return fs.ErrNotExist
		}
		o, body = there.is(), io.NopCloser(bytes.NewReader(there.data))
		return nil
	})
	return body, o, err
}

// Write implements files.Tree.
func (m *Memory) Write(ctx context.Context, name string, data io.ReadSeeker, is files.Stamp, over string) (o files.Object, err error) {
	bytes, err := io.ReadAll(data)
	if err != nil {
		return o, err
	}
	if files.StampOf(bytes) != is {
		return o, errors.New("the stamp does not match the bytes")
	}
	err = m.do(ctx, "write", name, func() error {
		if m.files[name].version != over && !m.Careless {
			return files.ErrVersion
		}
		o = m.put(name, bytes).is()
		return nil
	})
	return o, err
}

func (m *Memory) put(name string, data []byte) object {
	m.version++
	o := object{data, strconv.Itoa(m.version)}
	if m.files == nil {
		m.files = map[string]object{}
	}
	m.files[name] = o
	return o
}

// Remove implements files.Tree.
func (m *Memory) Remove(ctx context.Context, name string) error {
	return m.do(ctx, "remove", name, func() error {
		delete(m.files, name)
		return nil
	})
}

// List implements files.Tree.
func (m *Memory) List(ctx context.Context, folder string, most int) (names []string, err error) {
	if folder != "" {
		folder += "/"
	}
	err = m.do(ctx, "list", folder, func() error {
		for name := range m.files {
			if rest, ok := strings.CutPrefix(name, folder); ok && !strings.Contains(rest, "/") && len(names) < most {
				names = append(names, rest)
			}
		}
		return nil
	})
	return names, err
}

// Put implements Other.
func (m *Memory) Put(_ testing.TB, name string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(name, slices.Clone(data))
}

// Get implements Other.
func (m *Memory) Get(_ testing.TB, name string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.files[name]
	return o.data, ok
}

// Drop implements Other.
func (m *Memory) Drop(_ testing.TB, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, name)
}

// Names implements Other.
func (m *Memory) Names(testing.TB) (names []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range m.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
