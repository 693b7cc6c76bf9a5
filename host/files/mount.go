package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// mount is a root that is a Tree, with a cache of what is known of its files.
type mount struct {
	url  string
	tree Tree
	wait time.Duration

	mu          sync.Mutex
	stamps      map[string]stamped // by name
	seen        map[string]seen    // by name
	silent      time.Time          // set after a request without an answer: until then, requests that only inform are skipped
	asked       int                // how many such requests were made in this window
	window      time.Time
	proving     sync.Mutex
	conditional bool // the server honours conditional writes
}

// stamped is the stamp of a version.
type stamped struct {
	version string
	stamp   Stamp
}

// seen is what existed at a name, and when.
type seen struct {
	is Identity
	at time.Time
}

const (
	maxStamps = 10_000           // cached stamps; when there are more, the cache is dropped
	fresh     = 10 * time.Second // how long a result is reused
	maxAsked  = 100              // requests that only inform, in that time or in one call
	perSecond = 1 << 20          // bytes; slower connections time out
)

// patience returns how long a transfer of so many bytes may take. A negative size is unknown, and at most MaxSize.
func (m *mount) patience(size int64) time.Duration {
	if size < 0 {
		size = MaxSize
	}
	return m.wait + time.Duration(size/perSecond)*time.Second
}

// within runs a request with little data.
func (m *mount) within(ctx context.Context, do func(ctx context.Context) error) error {
	waiting, cancel := context.WithTimeout(ctx, m.wait)
	defer cancel()
	return m.explainTimeout(ctx, waiting, do(waiting))
}

// explainTimeout says whose deadline ended a request: the call's or the transfer's.
func (m *mount) explainTimeout(call, waiting context.Context, err error) error {
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrVersion):
		return err
	case errors.Is(call.Err(), context.Canceled):
		return call.Err()
	case call.Err() != nil:
		return ErrSilent
	case waiting.Err() != nil:
		m.markSilent()
		return ErrSilent
	}
	return err
}

// ErrSilent means that a server did not answer in time.
var ErrSilent = errors.New("the object store did not answer in time")

func (m *mount) stat(ctx context.Context, name string) (o Object, err error) {
	err = m.within(ctx, func(ctx context.Context) error {
		o, err = m.tree.Stat(ctx, name)
		return err
	})
	if err == nil {
		m.noteSeen(name, identityOf(o))
	} else if errors.Is(err, fs.ErrNotExist) {
		m.noteSeen(name, Identity{})
	}
	return o, err
}

// readWhole reads a file to its end. It calls take with the version to get a writer, and calls it again if the transfer
// broke off and starts over.
func (m *mount) readWhole(ctx context.Context, name string, take func(o Object) (io.Writer, error)) (o Object, err error) {
	for range 3 {
		if o, err = m.pass(ctx, name, take); !errors.As(err, new(brokenError)) {
			return o, err
		}
	}
	return o, err
}

// brokenError means that the bytes ended early.
type brokenError struct{ error }

func (b brokenError) Unwrap() error { return b.error }

func (m *mount) pass(ctx context.Context, name string, take func(o Object) (io.Writer, error)) (Object, error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(m.wait, cancel)
	defer timer.Stop()
	body, o, err := m.tree.Read(waiting, name)
	if err != nil {
		return o, m.explainTimeout(ctx, waiting, err)
	}
	defer body.Close()
	to, err := take(o)
	if err != nil {
		return o, err
	}
	timer.Reset(m.patience(o.Size))
	from := &watched{from: body}
	n, err := io.Copy(to, from)
	if err == nil && o.Size >= 0 && n != o.Size {
		from.err, err = io.ErrUnexpectedEOF, io.ErrUnexpectedEOF
	}
	if err != nil {
		if from.err != nil && waiting.Err() == nil {
			err = brokenError{err}
		}
		return o, m.explainTimeout(ctx, waiting, err)
	}
	o.Size = n
	return o, nil
}

// watched records why reading ended.
type watched struct {
	from io.Reader
	err  error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

// bounded passes bytes on, and fails with full after the first left ones.
type bounded struct {
	to   io.Writer
	left int64
	full error
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, b.full
	}
	return b.to.Write(p)
}

// tooLarge is the error for a file of more than MaxSize bytes.
func tooLarge(show string) error {
	return fmt.Errorf("%s is larger than %d MiB, the most that can be opened", show, MaxSize>>20)
}

func (m *mount) read(ctx context.Context, name, show string) ([]byte, Stamp, error) {
	if name == "" {
		return nil, Stamp{}, fmt.Errorf("%s is a folder", show)
	}
	var data bytes.Buffer
	large := tooLarge(show)
	o, err := m.readWhole(ctx, name, func(o Object) (io.Writer, error) {
		if o.Size > MaxSize {
			return nil, large
		}
		data.Reset()
		data.Grow(int(max(0, o.Size)))
		return &bounded{&data, MaxSize, large}, nil
	})
	switch {
	case errors.Is(err, large):
		return nil, Stamp{}, large
	case err != nil:
		return nil, Stamp{}, fmt.Errorf("%s: %w", show, Reason(err))
	}
	is := stampOf(data.Bytes())
	m.remember(name, o.Version, is)
	return data.Bytes(), is, nil
}

// open copies the file to a local file without a name.
func (m *mount) open(ctx context.Context, name, show string) (*os.File, error) {
	data, _, err := m.read(ctx, name, show)
	if err != nil {
		return nil, err
	}
	s, err := spool(show)
	if err != nil {
		return nil, err
	}
	if _, err = s.Write(data); err == nil {
		_, err = s.f.Seek(0, io.SeekStart)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s.f, nil
}

func (m *mount) look(ctx context.Context, name, show string) (Identity, error) {
	if name == "" {
		return Identity{}, fmt.Errorf("%s is a folder", show)
	}
	o, err := m.stat(ctx, name)
	if err != nil {
		return Identity{}, fmt.Errorf("%s: %w", show, Reason(err))
	}
	return identityOf(o), nil
}

func identityOf(o Object) Identity {
	return Identity{Size: o.Size, Version: o.Version}
}

// stampAt reads the current version and returns its stamp.
func (m *mount) stampAt(ctx context.Context, name string) (Stamp, Object, error) {
	sum := sha256.New()
	o, err := m.readWhole(ctx, name, func(Object) (io.Writer, error) {
		sum.Reset()
		return sum, nil
	})
	if err != nil {
		return Stamp{}, o, err
	}
	is := Stamp{Size: o.Size, Sum: [sha256.Size]byte(sum.Sum(nil))}
	m.remember(name, o.Version, is)
	return is, o, nil
}

func (m *mount) remember(name, version string, is Stamp) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stamps == nil || len(m.stamps) >= maxStamps {
		m.stamps = map[string]stamped{}
	}
	m.stamps[name] = stamped{version, is}
}

// known returns the cached stamp of the content at a name.
func (m *mount) known(name string) (stamped, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.stamps[name]
	return s, ok
}

// check fails if the current content is neither allowed by over nor the one to be written. It returns the current
// version ("" for none), and its stamp unless over.Any is set.
func (m *mount) check(ctx context.Context, name, show string, over Over, write Stamp) (version string, is Stamp, err error) {
	if name == "" {
		return "", Stamp{}, fmt.Errorf("%s is a folder", show)
	}
	o, err := m.stat(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", Stamp{}, nil
	}
	if err != nil {
		return "", Stamp{}, fmt.Errorf("%s: %w", show, Reason(err))
	}
	if over.Any {
		return o.Version, Stamp{}, nil
	}
	known := append(slices.Clone(over.Known), write)
	was, ok := m.known(name)
	is, ok = was.stamp, ok && was.version == o.Version
	if !ok && slices.ContainsFunc(known, func(s Stamp) bool { return s.Size == o.Size }) {
		if is, o, err = m.stampAt(ctx, name); errors.Is(err, fs.ErrNotExist) {
			return "", Stamp{}, nil
		}
		if err != nil {
			return "", Stamp{}, fmt.Errorf("%s: %w", show, Reason(err))
		}
		ok = true
	}
	if ok && slices.Contains(known, is) {
		return o.Version, is, nil
	}
	if len(over.Known) == 0 {
		return "", Stamp{}, fmt.Errorf("%s %w", show, ErrThere)
	}
	return "", Stamp{}, fmt.Errorf("%s %w", show, ErrChanged)
}

func (m *mount) list(ctx context.Context, folder string) (names []string) {
	if m.isSilent() {
		return nil
	}
	err := m.within(ctx, func(ctx context.Context) (err error) {
		names, err = m.tree.List(ctx, folder, maxListed)
		return err
	})
	if err != nil {
		m.noteFailure(err)
		return nil
	}
	names = slices.DeleteFunc(names, func(n string) bool {
		return n == "" || strings.HasPrefix(n, ".") || strings.Contains(n, "/") || nameError(n) != nil
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// exists asks whether something exists at the name; the root always does. It skips the request while the server is
// silent, and after too many in one call: its answer only informs, so a wrong one loses nothing.
func (m *mount) exists(ctx context.Context, name string, looks *atomic.Int32) (there, known bool) {
	if name == "" {
		return true, true
	}
	if m.isSilent() || looks != nil && looks.Add(1) > maxAsked {
		return false, false
	}
	_, err := m.stat(ctx, name)
	switch {
	case err == nil:
		return true, true
	case errors.Is(err, fs.ErrNotExist):
		return false, true
	}
	m.noteFailure(err)
	return false, false
}

// identity returns the cached identity, and asks again if it is old.
func (m *mount) identity(ctx context.Context, name string) Identity {
	m.mu.Lock()
	was, ok := m.seen[name]
	now := time.Now()
	if now.Sub(m.window) > fresh {
		m.window, m.asked = now, 0
	}
	ask := (!ok || now.Sub(was.at) > fresh) && now.After(m.silent) && m.asked < maxAsked
	if ask {
		m.asked++
	}
	m.mu.Unlock()
	if !ask {
		return was.is
	}
	o, err := m.stat(ctx, name)
	switch {
	case err == nil:
		return identityOf(o)
	case errors.Is(err, fs.ErrNotExist):
		return Identity{}
	}
	m.noteFailure(err)
	return was.is
}
