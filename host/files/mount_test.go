package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fcp-host/fcp-host/conformance/roots"
	"github.com/fcp-host/fcp-host/host/files"
)

func known(stamps ...files.Stamp) files.Over { return files.Over{Known: stamps} }

func at(t *testing.T, r *files.Roots, path string) string {
	t.Helper()
	real, err := r.Resolve(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// put writes a file with one host, which tests whether the server honours conditional writes.
func put(t *testing.T, r *files.Roots, path, text string) files.Stamp {
	t.Helper()
	is, err := r.Write(at(t, r, path), []byte(text), files.Over{Any: true})
	if err != nil {
		t.Fatal(err)
	}
	return is
}

// If the answer to a write is lost, the retry recognizes the content that it wrote.
func TestAWriteWhoseAnswerWasLostIsRecognized(t *testing.T) {
	m := &roots.Memory{}
	r := m.Roots(t)
	is := put(t, r, "a", "one")
	m.Fault = roots.Lost("write", 1)
	if _, err := r.Write(at(t, r, "a"), []byte("two"), known(is)); err != nil {
		t.Errorf("it is told %v", err)
	}
	m.Fault = roots.Lost("write", 1)
	if _, err := r.Write(at(t, r, "new"), []byte("two"), files.Over{}); err != nil {
		t.Errorf("of a new file it is told %v", err)
	}
}

// The error of a write without an answer says that its effect is unknown. Writing again is not a conflict, whether the
// first write took effect or not.
func TestAnUnansweredWriteIsNoConflictLater(t *testing.T) {
	for _, came := range []bool{true, false} {
		m := &roots.Memory{}
		r := m.Roots(t)
		is := put(t, r, "a", "one")
		m.Fault = func(_ context.Context, what, _ string, done bool) error {
			if what == "write" && done != came {
				return nil
			}
			return errors.New("the connection was cut")
		}
		_, err := r.Write(at(t, r, "a"), []byte("two"), known(is))
		unsure := new(files.UnsureError)
		if !errors.As(err, &unsure) || unsure.Stamp != files.StampOf([]byte("two")) || !strings.Contains(err.Error(), "not known") {
			t.Fatalf("it is told %v", err)
		}
		m.Fault = nil
		if _, err := r.Write(at(t, r, "a"), []byte("three"), known(is, unsure.Stamp)); err != nil {
			t.Errorf("it came: %v; told %v", came, err)
		}
		m.Put(t, "a", []byte("theirs"))
		if _, err := r.Write(at(t, r, "a"), []byte("four"), known(is, unsure.Stamp)); !errors.Is(err, files.ErrChanged) {
			t.Errorf("it came: %v; over somebody else's it is told %v", came, err)
		}
	}
}

// A retry does not overwrite what somebody else wrote after the attempt whose answer was lost.
func TestARetryDoesNotOverwriteAnotherWriter(t *testing.T) {
	m := &roots.Memory{}
	r := m.Roots(t)
	is := put(t, r, "a", "one")
	m.Fault = func(_ context.Context, what, name string, done bool) error {
		if what == "write" && done {
			m.Fault = nil
			m.Put(t, "a", []byte("theirs"))
			return files.ErrVersion // what a client that retries by itself gets
		}
		return nil
	}
	if _, err := r.Write(at(t, r, "a"), []byte("two"), known(is)); !errors.Is(err, files.ErrChanged) {
		t.Errorf("it is told %v", err)
	}
	if data, _ := m.Get(t, "a"); string(data) != "theirs" {
		t.Errorf("it holds %q", data)
	}
}

func TestAServerThatIgnoresConditionsIsNotWrittenTo(t *testing.T) {
	m := &roots.Memory{Careless: true}
	m.Put(t, "a", []byte("one"))
	r := m.Roots(t)
	if _, err := r.Write(at(t, r, "a"), []byte("two"), files.Over{Any: true}); err == nil || !strings.Contains(err.Error(), "ignores the conditions of writes") {
		t.Errorf("it is told %v", err)
	}
	if data, _ := m.Get(t, "a"); string(data) != "one" || len(m.Names(t)) != 1 {
		t.Errorf("it holds %q, among %q", data, m.Names(t))
	}
	m.Careless = false
	put(t, r, "a", "two")
	asked := m.Asked("write")
	put(t, r, "a", "three")
	if m.Asked("write") != asked+1 {
		t.Error("conditional writes are tested again")
	}
}

// Saving a file that was read takes no request besides the write.
func TestSavingAFileThatWasReadTakesOneRequest(t *testing.T) {
	m := &roots.Memory{}
	r := m.Roots(t)
	put(t, r, "other", "")
	m.Put(t, "a", []byte("one"))
	_, is, err := r.Read(at(t, r, "a"))
	if err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprint(m.Asked("stat"), m.Asked("read"))
	if _, err := r.Write(at(t, r, "a"), []byte("two"), known(is)); err != nil {
		t.Fatal(err)
	}
	if after := fmt.Sprint(m.Asked("stat"), m.Asked("read")); after != before {
		t.Errorf("it was asked for more: %s, %s", before, after)
	}
}

func TestASilentServerDelaysNoCallBeyondItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &roots.Memory{}
		r := m.Roots(t)
		is := put(t, r, "a", "one")
		m.Fault = roots.Silent
		real := at(t, r, "a")
		for what, do := range map[string]func() error{
			"read":  func() error { _, _, err := r.Read(real); return err },
			"open":  func() error { _, err := r.Open(real); return err },
			"write": func() error { _, err := r.Write(real, []byte("two"), known(is)); return err },
			"force": func() error { _, err := r.Backup().Write(real, []byte("two"), files.Over{Any: true}); return err },
			"check": func() error { return r.Check(real, known(is)) },
			"look":  func() error { _, err := r.Look(real); return err },
		} {
			begin := time.Now()
			if err := do(); err == nil || !strings.Contains(err.Error(), "did not answer in time") {
				t.Errorf("%s: it is told %v", what, err)
			}
			if took := time.Since(begin); took > 31*time.Second {
				t.Errorf("%s took %s", what, took)
			}
		}
		// Requests that only inform are made once, and then skipped for some time.
		begin := time.Now()
		for i := range 50 {
			other := at(t, r, fmt.Sprint(i))
			if r.Exists(other) || r.Gone(other) || r.Identity(other) != (files.Identity{}) {
				t.Error("something is known of a file that the server did not describe")
			}
		}
		if took := time.Since(begin); took > 31*time.Second {
			t.Errorf("looking took %s", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin = time.Now()
		if _, err := r.In(ctx).Write(real, []byte("two"), known(is)); err == nil || time.Since(begin) > 2*time.Second {
			t.Errorf("with a call of a second it is told %v after %s", err, time.Since(begin))
		}
	})
}

func TestLooksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &roots.Memory{}
		r := m.Roots(t)
		real := at(t, r, "a")
		for range 1000 {
			r.Identity(real)
		}
		if n := m.Asked("stat"); n != 1 {
			t.Errorf("one file was asked for %d times", n)
		}
		m.Put(t, "a", []byte("now"))
		time.Sleep(11 * time.Second)
		if r.Identity(real).Size != 3 {
			t.Error("a change is not seen")
		}
		for i := range 1000 {
			r.Identity(at(t, r, fmt.Sprint(i)))
		}
		if n := m.Asked("stat"); n > 110 {
			t.Errorf("1000 files were asked for %d times", n)
		}
		call, before := r.In(t.Context()), m.Asked("stat")
		for i := range 1000 {
			call.Exists(at(t, r, fmt.Sprint(i)))
		}
		if n := m.Asked("stat") - before; n > 100 {
			t.Errorf("a call asked %d times", n)
		}
	})
}

// odd is a tree whose reads return the given bodies, one after the other.
type odd struct {
	files.Tree
	bodies []io.Reader // one for each read
	is     files.Object
	read   int64
}

func (o *odd) Stat(context.Context, string) (files.Object, error) { return o.is, nil }

func (o *odd) Read(context.Context, string) (io.ReadCloser, files.Object, error) {
	if len(o.bodies) == 0 {
		return nil, o.is, errors.New("it is read too often")
	}
	body := o.bodies[0]
	o.bodies = o.bodies[1:]
	return io.NopCloser(counted{body, &o.read}), o.is, nil
}

type counted struct {
	io.Reader
	n *int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	*c.n += int64(n)
	return n, err
}

func (o *odd) roots(t *testing.T) *files.Roots {
	t.Helper()
	r, err := files.Trees{Open: map[string]func(string) (files.Tree, error){"odd": func(string) (files.Tree, error) { return o, nil }}}.NewRoots("odd://b")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestReadsAreBoundedAndComplete(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("ab"), iotestError{})
	for name, c := range map[string]struct {
		o    *odd
		data string
		no   string
	}{
		"broken off and read again": {&odd{bodies: []io.Reader{broken, strings.NewReader("abc")}, is: files.Object{Size: 3, Version: "1"}}, "abc", ""},
		"shorter than it said":      {&odd{bodies: []io.Reader{strings.NewReader("ab"), strings.NewReader("ab"), strings.NewReader("ab")}, is: files.Object{Size: 3, Version: "1"}}, "", "unexpected EOF"},
		"5 GiB, by its header":      {&odd{bodies: []io.Reader{endless{}}, is: files.Object{Size: 5 << 30, Version: "1"}}, "", "larger than 60 MiB"},
		"endless":                   {&odd{bodies: []io.Reader{endless{}}, is: files.Object{Size: -1, Version: "1"}}, "", "larger than 60 MiB"},
		"of no known size":          {&odd{bodies: []io.Reader{strings.NewReader("abc")}, is: files.Object{Size: -1, Version: "1"}}, "abc", ""},
	} {
		r := c.o.roots(t)
		data, _, err := r.Read(at(t, r, "a"))
		if string(data) != c.data || (err == nil) != (c.no == "") || err != nil && !strings.Contains(err.Error(), c.no) {
			t.Errorf("%s: %.20q, %v", name, data, err)
		}
		if c.o.is.Size > files.MaxSize && c.o.read > 0 || c.o.read > files.MaxSize+1<<20 {
			t.Errorf("%s: %d bytes were read", name, c.o.read)
		}
	}
}

type iotestError struct{}

func (iotestError) Read([]byte) (int, error) { return 0, errors.New("the connection was cut") }

// A file whose size differs from the known content's has changed, and need not be read.
func TestAFileOfAnotherSizeIsChangedWithoutBeingRead(t *testing.T) {
	o := &odd{is: files.Object{Size: 5 << 30, Version: "1"}}
	r := o.roots(t)
	if err := r.Check(at(t, r, "a"), known(files.StampOf(bytes.Repeat([]byte("x"), 100)))); !errors.Is(err, files.ErrChanged) || o.read > 0 {
		t.Errorf("it is told %v, after %d bytes", err, o.read)
	}
}

// meanwhile does something once, right after a request of a kind for a file was done.
func meanwhile(m *roots.Memory, what, name string, do func()) {
	m.Fault = func(_ context.Context, is, of string, done bool) error {
		if is == what && of == name && done {
			m.Fault = nil
			do()
		}
		return nil
	}
}

func TestABackupHoldsTheReplacedContentAndReplacesNothing(t *testing.T) {
	m := &roots.Memory{}
	r := m.Roots(t).Backup()
	is := put(t, r, "a", "one")
	meanwhile(m, "stat", "a", func() { m.Put(t, "a", []byte("theirs")) })
	if _, err := r.Write(at(t, r, "a"), []byte("two"), known(is)); !errors.Is(err, files.ErrChanged) {
		t.Errorf("it is told %v", err)
	}
	if data, there := m.Get(t, "a.bak"); there {
		t.Errorf("nothing was replaced, and the backup holds %q", data)
	}
	meanwhile(m, "stat", "a.bak", func() { m.Put(t, "a.bak", []byte("somebody's")) })
	put(t, r, "a", "two")
	for name, want := range map[string]string{"a": "two", "a.bak": "somebody's", "a.bak.1": "theirs"} {
		if data, _ := m.Get(t, name); string(data) != want {
			t.Errorf("%s holds %q, and not %q", name, data, want)
		}
	}
}
