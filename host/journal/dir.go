package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/host/filelock"
	"github.com/fcp-host/fcp-host/host/files"
)

const (
	journalSuffix = ".journal"
	// newSuffix ends the name of a file that is still being written. One older than staleAge was left by a host that
	// died.
	newSuffix = ".new"
	staleAge  = time.Hour
	// damagedSuffix ends the name of a damaged file that is kept beside its replacement.
	damagedSuffix = ".damaged"
)

// Dir is a folder of journals.
type Dir struct {
	Bounds
	path   string
	opened time.Time // by the clock of the folder's file system
	room   *Room
}

// Open opens the folder at path, which it creates if needed, for this user only. It refuses a folder that others can
// write to, since they could put documents there.
func Open(path string, limits Limits) (*Dir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return nil, fmt.Errorf("journal folder %s: %w", path, files.Reason(err))
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, fmt.Errorf("journal folder %s: %w", path, files.Reason(err))
	}
	if err := checkPrivate(abs); err != nil {
		return nil, fmt.Errorf("journal folder %s: %w", path, files.Reason(err))
	}
	d := &Dir{Bounds: NewBounds(limits), path: abs}
	d.room = NewRoom(d.limits, d.measure)
	// Find out now, not at the first edit, whether files can be written.
	probe, err := os.CreateTemp(abs, "probe-*"+newSuffix)
	if err != nil {
		return nil, fmt.Errorf("journal folder %s: %w", path, files.Reason(err))
	}
	info, err := probe.Stat()
	probe.Close()
	os.Remove(probe.Name())
	if err != nil {
		return nil, fmt.Errorf("journal folder %s: %w", path, files.Reason(err))
	}
	d.opened = info.ModTime()
	d.sweep()
	return d, nil
}

// Path returns the folder's path.
func (d *Dir) Path() string { return d.path }

func (d *Dir) file(id string) string { return filepath.Join(d.path, id+journalSuffix) }

// damaged is the path of a journal's n-th damaged file.
func (d *Dir) damaged(id string, n int) string {
	if n > 1 {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	return filepath.Join(d.path, id+damagedSuffix)
}

// Left is a journal that no living host owns.
type Left struct {
	ID   string
	Size int64
	Time time.Time // of the last record
}

// Left lists the journals that no living host owns, newest first.
func (d *Dir) Left() ([]Left, error) {
	var out []Left
	err := d.eachFile(func(l Left, held bool) {
		if !held {
			out = append(out, l)
		}
	})
	SortLeft(out)
	return out, err
}

// Held lists the IDs of an owner's journals that a living host owns, this one or another.
func (d *Dir) Held(owner string) (ids []string, err error) {
	err = d.eachFile(func(l Left, held bool) {
		if held && tagOf(l.ID) == tag(owner) {
			ids = append(ids, l.ID)
		}
	})
	return ids, err
}

// eachFile calls f with each journal, and whether a living host owns it.
func (d *Dir) eachFile(f func(l Left, held bool)) error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return fmt.Errorf("journal folder %s: %w", d.path, files.Reason(err))
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), journalSuffix)
		if !ok || !e.Type().IsRegular() {
			continue
		}
		file, err := d.openFile(id, os.O_RDONLY)
		if err != nil {
			continue // removed meanwhile, or of another user
		}
		// A shared lock, so that two hosts that list at the same time do not hide it from each other.
		if locked, err := filelock.Lock(file, false); err == nil {
			if info, err := file.Stat(); err == nil && d.isAt(id, info) {
				f(Left{ID: id, Size: info.Size(), Time: info.ModTime()}, !locked)
			}
		}
		file.Close()
	}
	return nil
}

// openFile opens a journal, which must be a regular file of this user.
func (d *Dir) openFile(id string, flag int) (*os.File, error) {
	if id == "" || id != filepath.Base(id) {
		return nil, fs.ErrNotExist
	}
	f, err := os.OpenFile(d.file(id), flag|noFollow, 0)
	if err != nil {
		return nil, files.Reason(err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err == nil {
		err = checkOwner(info)
	}
	if err != nil {
		f.Close()
		return nil, files.Reason(err)
	}
	return f, nil
}

// isAt reports whether the file with info is still the journal id: it may have been replaced or removed since it was
// opened.
func (d *Dir) isAt(id string, info fs.FileInfo) bool {
	now, err := os.Lstat(d.file(id))
	return err == nil && os.SameFile(now, info)
}

// Read reads a journal without taking it.
func (d *Dir) Read(id string) (Contents, error) {
	f, err := d.openFile(id, os.O_RDONLY)
	if err != nil {
		return Contents{}, err
	}
	defer f.Close()
	return read(f)
}

func read(f *os.File) (Contents, error) {
	info, err := f.Stat()
	if err != nil {
		return Contents{}, files.Reason(err)
	}
	data := make([]byte, info.Size())
	n, err := f.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return Contents{}, files.Reason(err)
	}
	return parse(data[:n])
}

// Errors of stores and journals.
var (
	// ErrTaken reports that another host owns the journal.
	ErrTaken = errors.New("another fcp-host has it open")
	// ErrGone reports that the journal was removed, or recovered and closed.
	ErrGone = errors.New("it is gone: it was recovered or discarded meanwhile")
	// ErrFull reports that the journal would grow beyond its cap. Rewrite may help.
	ErrFull = errors.New("the journal reached its cap")
	// ErrNoRoom reports that the store would hold too many journals, or too many bytes.
	ErrNoRoom = errors.New("the journal folder is full")
)

// Take makes this host the owner of a leftover journal, and returns its contents. The file does not change before the
// next Append or Rewrite. A damaged journal, or one of an older version, accepts only Rewrite; the damaged file is kept
// beside the new one, with the ending .damaged.
func (d *Dir) Take(id string) (Journal, Contents, error) {
	f, err := d.openOwned(id)
	if err != nil {
		return nil, Contents{}, err
	}
	c, err := read(f)
	if err != nil {
		f.Close()
		return nil, Contents{}, err
	}
	t := &File{dir: d, id: id, f: f, size: c.good, salt: c.salt, number: uint32(len(c.Records)), cut: c.Cut > 0, damaged: c.Damaged || c.Header}
	switch {
	case t.damaged:
		t.broken = errDamaged
	case c.old:
		t.broken = errOld
	}
	return t, c, nil
}

// openOwned opens a leftover journal and locks it.
func (d *Dir) openOwned(id string) (*os.File, error) {
	f, err := d.openFile(id, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrGone
	}
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*os.File, error) {
		f.Close()
		return nil, err
	}
	// A host that lists the folder holds a shared lock for a moment.
	locked := false
	for try := 0; try < 10 && !locked; try++ {
		if try > 0 {
			time.Sleep(5 * time.Millisecond)
		}
		if locked, err = filelock.Lock(f, true); err != nil {
			return fail(err)
		}
	}
	if !locked {
		return fail(ErrTaken)
	}
	info, err := f.Stat()
	if err != nil {
		return fail(files.Reason(err))
	}
	if !d.isAt(id, info) {
		return fail(ErrGone)
	}
	return f, nil
}

// Discard removes a leftover journal, whatever it holds.
func (d *Dir) Discard(id string) error {
	f, err := d.openOwned(id)
	if errors.Is(err, ErrTaken) || errors.Is(err, ErrGone) {
		return err
	}
	if err == nil {
		return (&File{dir: d, id: id, f: f}).delete()
	}
	// It cannot be opened, so it cannot be locked either.
	if err := os.Remove(d.file(id)); err != nil {
		return files.Reason(err)
	}
	os.Remove(d.markPath(id))
	return nil
}
