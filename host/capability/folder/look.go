package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/files"
)

// maxDepth bounds nested folders, each of which is an open descriptor.
const maxDepth = 64

// Changed returns what others changed since the document was opened or since the last call, sorted by path; Before is
// what the document had. The Folder then has the new content. Changed finishes a save that another host left
// unfinished, and waits for one in progress, so it never sees part of a save.
func (f *Folder) Changed() ([]Change, Report, error) {
	state, err := f.state()
	if err != nil {
		return nil, Report{}, err
	}
	defer state.Close()
	var report Report
	release, err := lock(state)
	if err != nil {
		return nil, report, err
	}
	defer release()
	if err := f.finish(state, &report); err != nil {
		return nil, report, err
	}
	changes, err := f.look(&report)
	return changes, report, err
}

// look compares the files with the known ones. It removes temporary files: since it has the lock, they belong to hosts
// that died.
func (f *Folder) look(report *Report) ([]Change, error) {
	w := walk{f: f, report: report, next: make(map[string]known, len(f.known))}
	root, err := descend(f.root, ".", nil)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := w.folder(root, ".", 0); err != nil {
		return nil, err
	}
	for name, old := range f.known {
		if _, there := w.next[name]; there {
			continue
		}
		if slices.ContainsFunc(w.unseen, func(dir string) bool { return below(name, dir) }) {
			w.next[name] = old
			continue
		}
		w.changes = append(w.changes, Change{Path: name, Before: old.data})
	}
	f.known, f.dirs = w.next, w.dirs
	report.Looked = true
	slices.SortFunc(w.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(report.Unread, func(a, b Unread) int { return strings.Compare(a.Name, b.Name) })
	return w.changes, nil
}

// walk is one look at all files.
type walk struct {
	f       *Folder
	next    map[string]known
	changes []Change
	dirs    []string
	unseen  []string // folders and files that could not be read; what is known of them stays
	entries int
	found   int   // the number of the document's files
	sum     int64 // their size in bytes
	report  *Report
}

func (w *walk) folder(at *os.Root, dir string, depth int) error {
	if depth > maxDepth {
		w.leaveOut(dir, fmt.Errorf("it is nested in more than %d folders", maxDepth))
		return nil
	}
	d, err := at.Open(".")
	if err != nil {
		w.leaveOut(dir, err)
		return nil
	}
	defer d.Close()
	for {
		const some = 1024 // read in parts: a folder may have millions of entries
		entries, err := d.ReadDir(some)
		for _, e := range entries {
			if err := w.entry(at, dir, e, depth); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			w.leaveOut(dir, err)
			return nil
		}
	}
}

func (w *walk) leaveOut(name string, err error) {
	w.unseen = append(w.unseen, name)
	w.unread(name, err)
}

func (w *walk) unread(name string, err error) {
	w.report.Unread = append(w.report.Unread, Unread{name, files.Reason(err).Error()})
}

func (w *walk) entry(at *os.Root, dir string, e fs.DirEntry, depth int) error {
	if w.entries++; w.entries > w.f.limits.Entries {
		return fmt.Errorf("%w: it holds more than %d files and folders", ErrLimit, w.f.limits.Entries)
	}
	base, name := e.Name(), path.Join(dir, e.Name())
	p := &w.f.pattern
	switch {
	case strings.HasPrefix(base, ours):
		if strings.HasPrefix(base, temporary) {
			at.Remove(base) // if it fails, the next look tries again
		}
		return nil
	case e.IsDir():
		w.dirs = append(w.dirs, name)
		if strings.HasPrefix(base, ".") && name != p.marker || p.excludes(name) {
			return nil
		}
		next, err := enter(at, base)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			w.leaveOut(name, err)
			return nil
		}
		defer next.Close()
		return w.folder(next, name, depth+1)
	case !p.includes(name):
		return nil
	}
	if w.found++; w.found > w.f.limits.Files {
		return fmt.Errorf("%w: it holds more than %d files of %s", ErrLimit, w.f.limits.Files, p.text)
	}
	return w.file(at, e, name)
}

func (w *walk) file(at *os.Root, e fs.DirEntry, name string) error {
	old, was := w.f.known[name]
	if !was {
		if err := w.f.pattern.check(name); err != nil {
			w.unread(name, err)
			return nil
		}
	}
	if was && old.stamp != (stamp{}) {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && stampOf(info) == old.stamp {
			return w.keep(name, old)
		}
	}
	looked := w.f.now()
	data, s, err := read(at, e.Name(), w.f.limits.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // removed meanwhile
	case errors.Is(err, errLink), errors.Is(err, errFolder), errors.Is(err, errOther):
		w.unread(name, err) // unreadable, and the known content no longer exists
		return nil
	case errors.Is(err, errLarge):
		err = fmt.Errorf("larger than %d bytes", w.f.limits.File)
		fallthrough
	case err != nil:
		w.leaveOut(name, err)
		return nil
	}
	if !s.settled(looked) {
		s = stamp{}
	}
	if !was {
		w.changes = append(w.changes, Change{Path: name, After: data})
	} else if bytes.Equal(data, old.data) {
		data = old.data
	} else {
		w.changes = append(w.changes, Change{Path: name, Before: old.data, After: data})
	}
	return w.keep(name, known{data, s})
}

func (w *walk) keep(name string, k known) error {
	w.next[name] = k
	if w.sum += int64(len(k.data)); w.sum > w.f.limits.Sum {
		return fmt.Errorf("%w: its files of %s have more than %d bytes", ErrLimit, w.f.pattern.text, w.f.limits.Sum)
	}
	return nil
}

// sum returns the size of all known files in bytes.
func (f *Folder) sum() (n int64) {
	for _, k := range f.known {
		n += int64(len(k.data))
	}
	return n
}
