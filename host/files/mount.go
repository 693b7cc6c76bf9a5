package files

import (
	"bytes"
	"context"
	"crypto/rand"
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

// mount is a root that is a Tree, with what is known of its files.
type mount struct {
	url  string
	tree Tree
	wait time.Duration

	mu      sync.Mutex
	stamps  map[string]stamped // by name
	seen    map[string]seen    // by name
	silent  time.Time          // until then nobody asks what there is only to tell of it: there was no answer
	asked   int                // how often that was asked since window
	window  time.Time
	proving sync.Mutex
	proved  bool // that it keeps conditions
}

// stamped is the content of a version.
type stamped struct {
	version string
	stamp   Stamp
}

// seen is what there was at a name.
type seen struct {
	is Identity
	at time.Time
}

const (
	maxStamps = 10_000           // names whose content is known; past it all is forgotten, and found out anew
	fresh     = 10 * time.Second // how long what was seen is told again
	maxAsked  = 100              // how often within that time, and in one call, is asked what there is only to tell of it
	perSecond = 1 << 20          // bytes; a way to a server that is slower is none
)

// patience is how long a transfer of so many bytes may take.
func (m *mount) patience(size int64) time.Duration {
	return m.wait + time.Duration(max(0, size)/perSecond)*time.Second
}

// within runs an exchange without many bytes.
func (m *mount) within(ctx context.Context, do func(ctx context.Context) error) error {
	waiting, cancel := context.WithTimeout(ctx, m.wait)
	defer cancel()
	return m.late(ctx, waiting, do(waiting))
}

// late says of an error whose time it was that ended.
func (m *mount) late(call, waiting context.Context, err error) error {
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrVersion):
		return err
	case errors.Is(call.Err(), context.Canceled):
		return call.Err()
	case call.Err() != nil:
		return errSilent
	case waiting.Err() != nil:
		m.hush()
		return errSilent
	}
	return err
}

var errSilent = errors.New("the object store did not answer in time")

func (m *mount) stat(ctx context.Context, name string) (o Object, err error) {
	err = m.within(ctx, func(ctx context.Context) error {
		o, err = m.tree.Stat(ctx, name)
		return err
	})
	if err == nil {
		m.saw(name, identityOf(o))
	} else if errors.Is(err, fs.ErrNotExist) {
		m.saw(name, Identity{})
	}
	return o, err
}

// whole reads the bytes at a name to their end. take is asked what to do with them when their version is known, and once more where they
// broke off.
func (m *mount) whole(ctx context.Context, name string, take func(o Object) (io.Writer, error)) (o Object, err error) {
	for range 3 {
		if o, err = m.pass(ctx, name, take); !errors.As(err, new(brokenError)) {
			return o, err
		}
	}
	return o, err
}

// brokenError is told of bytes that ended before their end.
type brokenError struct{ error }

func (b brokenError) Unwrap() error { return b.error }

func (m *mount) pass(ctx context.Context, name string, take func(o Object) (io.Writer, error)) (Object, error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(m.wait, cancel)
	defer timer.Stop()
	body, o, err := m.tree.Read(waiting, name)
	if err != nil {
		return o, m.late(ctx, waiting, err)
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
		return o, m.late(ctx, waiting, err)
	}
	o.Size = n
	return o, nil
}

// watched notes why reading ended.
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

// bounded takes no more than most bytes.
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

// tooLarge is the reason why the file is not read, as for one of this machine.
func tooLarge(show string) error {
	return fmt.Errorf("%s is larger than %d MiB, the most that can be opened", show, MaxSize>>20)
}

func (m *mount) read(ctx context.Context, name, show string) ([]byte, Stamp, error) {
	if name == "" {
		return nil, Stamp{}, fmt.Errorf("%s is a folder", show)
	}
	var data bytes.Buffer
	large := tooLarge(show)
	o, err := m.whole(ctx, name, func(o Object) (io.Writer, error) {
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

// open copies the file to one of this machine that has no name.
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

// stampAt reads the version that is there now for its stamp.
func (m *mount) stampAt(ctx context.Context, name string) (Stamp, Object, error) {
	sum := sha256.New()
	o, err := m.whole(ctx, name, func(Object) (io.Writer, error) {
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

// known is what was found out last of the content at a name.
func (m *mount) known(name string) (stamped, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.stamps[name]
	return s, ok
}

// check fails where there is something else than over says, and not what is to be written. It gives the version that is there, "" for
// none, and its stamp unless over is anything.
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
	if m.quiet() {
		return nil
	}
	err := m.within(ctx, func(ctx context.Context) (err error) {
		names, err = m.tree.List(ctx, folder, maxListed)
		return err
	})
	if err != nil {
		m.failed(err)
		return nil
	}
	names = slices.DeleteFunc(names, func(n string) bool {
		return n == "" || strings.HasPrefix(n, ".") || strings.Contains(n, "/") || nameError(n) != nil
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// exists asks whether there is something; the root is there. Where a server is silent it is not asked for some time, and not more than
// a call may ask: nothing is lost by what this tells.
func (m *mount) exists(ctx context.Context, name string, looks *atomic.Int32) (there, known bool) {
	if name == "" {
		return true, true
	}
	if m.quiet() || looks != nil && looks.Add(1) > maxAsked {
		return false, false
	}
	_, err := m.stat(ctx, name)
	switch {
	case err == nil:
		return true, true
	case errors.Is(err, fs.ErrNotExist):
		return false, true
	}
	m.failed(err)
	return false, false
}

func (m *mount) quiet() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Before(m.silent)
}

// failed notes that there was no answer. A server that says no is there.
func (m *mount) failed(err error) {
	if !errors.As(err, new(*RefusedError)) {
		m.hush()
	}
}

func (m *mount) hush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.silent = time.Now().Add(fresh)
}

func (m *mount) saw(name string, is Identity) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil || len(m.seen) >= maxStamps {
		m.seen = map[string]seen{}
	}
	m.seen[name] = seen{is, time.Now()}
}

// identity tells what was seen there, and looks again where that is some time ago.
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
	m.failed(err)
	return was.is
}

// prove finds out, once, whether the server keeps the conditions of writes: one that does not know them would let a save destroy what
// somebody else has written. It leaves nothing behind.
func (m *mount) prove(ctx context.Context) error {
	m.proving.Lock()
	defer m.proving.Unlock()
	if m.proved {
		return nil
	}
	name := ".fcp-host-" + strings.ToLower(rand.Text())
	write := func(text, over string) (o Object, err error) {
		err = m.within(ctx, func(ctx context.Context) error {
			o, err = m.tree.Write(ctx, name, strings.NewReader(text), stampOf([]byte(text)), over)
			return err
		})
		return o, err
	}
	first, err := write("1", "")
	if errors.Is(err, ErrVersion) { // it was sent twice
		if o, serr := m.stat(ctx, name); serr == nil {
			first, err = o, nil
		}
	}
	if err != nil {
		return err
	}
	defer m.within(ctx, func(ctx context.Context) error { return m.tree.Remove(ctx, name) }) // its name shows whose it is where that fails
	if _, err := write("2", ""); !errors.Is(err, ErrVersion) {
		return unconditional(err)
	}
	if _, err := write("3", first.Version+"0"); !errors.Is(err, ErrVersion) {
		return unconditional(err)
	}
	m.proved = true
	return nil
}

func unconditional(err error) error {
	if err != nil {
		return err
	}
	return errors.New("the object store writes without keeping conditions (If-Match, If-None-Match), so that a save could destroy what somebody else has written")
}

func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// gone is ErrVersion where a file that was there is not.
func gone(err error) error {
	if isGone(err) {
		return ErrVersion
	}
	return err
}
