package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/host/filelock"
)

const (
	suffix = ".journal"
	// fresh ends the name of a file that is being written and has not its name
	// yet. One that is older than stale was left by a host that died over it.
	fresh = ".new"
	stale = time.Hour
	// aside ends the name of a damaged file that is kept beside the one that
	// replaced it.
	aside = ".damaged"
)

// Dir is a folder of journals.
type Dir struct {
	path   string
	limits Limits
	opened time.Time // by the clock of the folder's files
	room   *Room
}

// Open makes the folder at path unless it is there, for nobody but this user.
// It refuses one that others can write to, since they could put documents
// there.
func Open(path string, limits Limits) (*Dir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return nil, fmt.Errorf("journal folder %s: %w", path, reason(err))
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, fmt.Errorf("journal folder %s: %w", path, reason(err))
	}
	if err := checkPrivate(abs); err != nil {
		return nil, fmt.Errorf("journal folder %s: %w", path, reason(err))
	}
	d := &Dir{path: abs, limits: limits.OrDefault()}
	d.room = NewRoom(d.limits, d.measure)
	// Whether files can be written there is better known now than at the first edit.
	probe, err := os.CreateTemp(abs, "probe-*"+fresh)
	if err != nil {
		return nil, fmt.Errorf("journal folder %s: %w", path, reason(err))
	}
	info, err := probe.Stat()
	probe.Close()
	os.Remove(probe.Name())
	if err != nil {
		return nil, fmt.Errorf("journal folder %s: %w", path, reason(err))
	}
	d.opened = info.ModTime()
	d.sweep()
	return d, nil
}

// Path is the folder.
func (d *Dir) Path() string { return d.path }

// Cap is the most bytes that one file may have.
func (d *Dir) Cap() int64 { return d.limits.File }

func (d *Dir) file(id string) string { return filepath.Join(d.path, id+suffix) }

// damaged is where the n-th damaged file of that name is kept.
func (d *Dir) damaged(id string, n int) string {
	if n > 1 {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	return filepath.Join(d.path, id+aside)
}

// Left is a file that no living host owns.
type Left struct {
	ID   string
	Size int64
	Time time.Time // of the last record
}

// Left lists the files that no living host owns, the newest first.
func (d *Dir) Left() ([]Left, error) {
	var out []Left
	err := d.look(func(l Left, held bool) {
		if !held {
			out = append(out, l)
		}
	})
	slices.SortFunc(out, func(a, b Left) int {
		if c := b.Time.Compare(a.Time); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out, err
}

// Held lists the IDs of an owner's files that a living host owns, this one or
// another.
func (d *Dir) Held(owner string) (ids []string, err error) {
	err = d.look(func(l Left, held bool) {
		if held && tagOf(l.ID) == tag(owner) {
			ids = append(ids, l.ID)
		}
	})
	return ids, err
}

// look calls f with each file, and whether a living host owns it.
func (d *Dir) look(f func(l Left, held bool)) error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return fmt.Errorf("journal folder %s: %w", d.path, reason(err))
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), suffix)
		if !ok || !e.Type().IsRegular() {
			continue
		}
		file, err := d.openFile(id, os.O_RDONLY)
		if err != nil {
			continue // gone meanwhile, or not ours
		}
		// A shared lock, so that two hosts that look do not hide it from each other.
		if locked, err := filelock.Lock(file, false); err == nil {
			if info, err := file.Stat(); err == nil && d.isAt(id, info) {
				f(Left{ID: id, Size: info.Size(), Time: info.ModTime()}, !locked)
			}
		}
		file.Close()
	}
	return nil
}

// openFile opens a journal that is a regular file of this user.
func (d *Dir) openFile(id string, flag int) (*os.File, error) {
	if id == "" || id != filepath.Base(id) {
		return nil, fs.ErrNotExist
	}
	f, err := os.OpenFile(d.file(id), flag|noFollow, 0)
	if err != nil {
		return nil, reason(err)
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
		return nil, reason(err)
	}
	return f, nil
}

// isAt reports whether the file with info is the one under the name of id: it
// may have been replaced or removed since it was opened.
func (d *Dir) isAt(id string, info fs.FileInfo) bool {
	now, err := os.Lstat(d.file(id))
	return err == nil && os.SameFile(now, info)
}

// Read gives what a file holds, without taking it.
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
		return Contents{}, reason(err)
	}
	data := make([]byte, info.Size())
	n, err := f.ReadAt(data, 0)
	if err != nil && err != io.EOF {
		return Contents{}, reason(err)
	}
	return parse(data[:n])
}

// Errors of Take and of File.
var (
	// ErrTaken: another host owns the file.
	ErrTaken = errors.New("another fcp-host has it open")
	// ErrGone: the file was removed, or taken and closed.
	ErrGone = errors.New("it is gone: it was recovered or discarded meanwhile")
	// ErrFull: the file would grow beyond its cap. Rewrite may help.
	ErrFull = errors.New("the journal reached its cap")
	// ErrNoRoom: the files in the folder would be too many, or too large together.
	ErrNoRoom = errors.New("the journal folder is full")
)

// Take makes this host the owner of a file that was left, and gives what it
// holds. The file stays as it is until the next Append or Rewrite. One that is
// damaged or of an older version takes only a Rewrite; the damaged one is kept
// beside the new file, with the ending .damaged.
func (d *Dir) Take(id string) (Journal, Contents, error) {
	f, err := d.own(id)
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

// own opens a file that was left and takes its lock.
func (d *Dir) own(id string) (*os.File, error) {
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
	// Somebody who lists the folder holds a shared lock for an instant.
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
		return fail(reason(err))
	}
	if !d.isAt(id, info) {
		return fail(ErrGone)
	}
	return f, nil
}

// Discard removes a file that was left, whatever it holds.
func (d *Dir) Discard(id string) error {
	f, err := d.own(id)
	if errors.Is(err, ErrTaken) || errors.Is(err, ErrGone) {
		return err
	}
	if err == nil {
		return (&File{dir: d, id: id, f: f}).drop()
	}
	// Not to be opened, so there is nothing to own.
	if err := os.Remove(d.file(id)); err != nil {
		return reason(err)
	}
	os.Remove(d.mark(id))
	return nil
}

// reason is the cause alone: system errors repeat the path and the call.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	var se *os.SyscallError
	if errors.As(err, &se) {
		return se.Err
	}
	return err
}
