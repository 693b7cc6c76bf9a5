package folder

import (
	"bytes"
	"crypto/sha256"
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
// what the document had. The Folder then has the new content. Changed waits for a save in progress, and reads the files
// of one that was interrupted as it wanted them, so it never sees part of a save. It changes nothing.
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
	r, err := f.unfinished(state)
	switch {
	case errors.Is(err, errDamaged):
		report.Damaged = append(report.Damaged, path.Join(f.pattern.marker, f.recordName()))
	case err != nil && !errors.Is(err, errTorn):
		return nil, report, err
	}
	changes, err := f.look(r, &report)
	return changes, report, err
}

// look compares the files with the known ones, those of an unfinished save r as it wanted them. Without a record it removes temporary
// files: since it has the lock, they belong to hosts that died.
func (f *Folder) look(r *record, report *Report) ([]Change, error) {
	w := walk{f: f, report: report, next: make(map[string]known, len(f.known)), saving: map[string]int{}}
	if w.record = r; r != nil {
		for n, e := range r.Entries {
			w.saving[e.Path] = n
			report.Unfinished = append(report.Unfinished, e.Path)
		}
	}
	root, err := descend(f.root, ".", nil)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := w.folder(root, ".", 0); err != nil {
		return nil, err
	}
	if err := w.made(); err != nil {
		return nil, err
	}
	w.removeTemporary()
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
	unseen  []string       // folders and files that could not be read; what is known of them stays
	record  *record        // of an unfinished save, nil if there is none
	saving  map[string]int // its entries whose files were not found yet
	left    []string       // temporary files of saves
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
		switch {
		case strings.HasPrefix(base, temporary):
			w.left = append(w.left, name)
		case base == w.f.recordName()+damaged && path.Dir(name) == path.Join(".", p.marker):
			w.report.Damaged = append(w.report.Damaged, name)
		case strings.HasPrefix(base, recordPrefix) && base != w.f.recordName() && path.Dir(name) == path.Join(".", p.marker):
			w.report.Foreign = append(w.report.Foreign, name)
		}
		return nil
	case e.IsDir():
		w.dirs = append(w.dirs, name)
		if strings.HasPrefix(base, ".") && name != p.marker || p.excludes(name) {
			return nil
		}
		next, err := files.Enter(at, base)
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

// waits reports whether a file, with its present content, still waits for the save to change it, by the rules of replaceFile.
func (w *walk) waits(at *os.Root, n int, data []byte) bool {
	e := w.record.Entries[n]
	sum := sha256.Sum256(data)
	aside, _ := fileStateOf(at, w.record.temporary(n), e)
	return e.Before != nil && bytes.Equal(sum[:], e.Before) && (aside == absent || aside == asAfter)
}

// made adds the files that an unfinished save is still to make.
func (w *walk) made() error {
	for name, n := range w.saving {
		e := w.record.Entries[n]
		if e.Before != nil || e.After == nil || w.f.pattern.check(name) != nil {
			continue
		}
		at, err := descend(w.f.root, path.Dir(name), nil)
		if err != nil {
			continue
		}
		there, _ := fileStateOf(at, path.Base(name), e)
		aside, _ := fileStateOf(at, w.record.temporary(n), e)
		at.Close()
		if there != absent || aside != asAfter {
			continue
		}
		if err := w.content(name, known{data: e.After}); err != nil {
			return err
		}
	}
	return nil
}

// removeTemporary removes the temporary files of hosts that died, unless they belong to a recorded save.
func (w *walk) removeTemporary() {
	if len(w.report.Unfinished)+len(w.report.Foreign)+len(w.report.Damaged) > 0 {
		return
	}
	for _, name := range w.left {
		if at, err := descend(w.f.root, path.Dir(name), nil); err == nil {
			at.Remove(path.Base(name)) // if it fails, the next look tries again
			at.Close()
		}
	}
}

func (w *walk) file(at *os.Root, e fs.DirEntry, name string) error {
	old, was := w.f.known[name]
	n, saving := w.saving[name]
	delete(w.saving, name)
	if !was {
		if err := w.f.pattern.check(name); err != nil {
			w.unread(name, err)
			return nil
		}
	}
	if was && !saving && old.stamp != (stamp{}) {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && stampOf(info) == old.stamp {
			return w.keep(name, old)
		}
	}
	looked := w.f.now()
	data, s, err := read(at, e.Name(), w.f.limits.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // removed meanwhile
	case errors.Is(err, files.ErrLink), errors.Is(err, files.ErrFolder), errors.Is(err, files.ErrOther):
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
	if saving && w.waits(at, n, data) {
		if data, s = w.record.Entries[n].After, (stamp{}); data == nil {
			return nil
		}
	}
	return w.content(name, known{data, s})
}

// content notes what a file holds.
func (w *walk) content(name string, now known) error {
	old, was := w.f.known[name]
	if !was {
		w.changes = append(w.changes, Change{Path: name, After: now.data})
	} else if bytes.Equal(now.data, old.data) {
		now.data = old.data
	} else {
		w.changes = append(w.changes, Change{Path: name, Before: old.data, After: now.data})
	}
	return w.keep(name, now)
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
