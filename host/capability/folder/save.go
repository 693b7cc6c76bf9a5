package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/host/files"
)

// Save writes all changes or none. Before is what the document was made from: if the folder has something else, Save
// fails with files.ErrChanged, and Changed says what is there.
//
// After an error nothing changed, except for ErrUnfinished: then the save is recorded, and the next call finishes it.
// If somebody changes a file during the save, it may become a conflict in the report; Changed treats that as a change
// after the save. Save creates missing folders, and never removes folders.
func (f *Folder) Save(changes []Change) (Report, error) {
	var report Report
	changes, err := f.accept(changes)
	if err != nil || len(changes) == 0 {
		return report, err
	}
	state, err := f.state()
	if err != nil {
		return report, err
	}
	defer state.Close()
	release, err := lock(state)
	if err != nil {
		return report, fmt.Errorf("the folder cannot be saved: %w", err)
	}
	defer release()
	if err := f.finish(state, &report); err != nil {
		return report, err
	}
	r := newRecord(changes)
	if err := f.commit(state, r); err != nil {
		return report, err
	}
	for _, c := range changes {
		if c.After == nil {
			delete(f.known, c.Path)
		} else {
			f.known[c.Path] = known{data: c.After} // without a stamp, so that the next look reads it
		}
	}
	if err := f.rollForward(state, r, &report); err != nil {
		return report, fmt.Errorf("%w: %w", ErrUnfinished, err)
	}
	return report, nil
}

// accept validates the changes against what is known, and drops those that change nothing.
func (f *Folder) accept(changes []Change) ([]Change, error) {
	var out []Change
	var outdated []string
	seen := map[string]bool{}
	count, sum := len(f.known), f.sum()
	for _, c := range changes {
		if err := f.pattern.check(c.Path); err != nil {
			return nil, fmt.Errorf("%q cannot be a file of this document: %w", c.Path, err)
		}
		if seen[c.Path] {
			return nil, fmt.Errorf("%s is changed twice", c.Path)
		}
		seen[c.Path] = true
		old, there := f.known[c.Path]
		if there != (c.Before != nil) || !bytes.Equal(old.data, c.Before) {
			outdated = append(outdated, c.Path)
		}
		if int64(len(c.After)) > f.limits.File {
			return nil, fmt.Errorf("%w: %s would have more than %d bytes", ErrLimit, c.Path, f.limits.File)
		}
		sum += int64(len(c.After)) - int64(len(c.Before))
		switch {
		case c.Before == nil && c.After != nil:
			count++
		case c.Before != nil && c.After == nil:
			count--
		case bytes.Equal(c.Before, c.After):
			continue
		}
		out = append(out, c)
	}
	if len(outdated) > 0 {
		return nil, changedError(outdated)
	}
	if count > f.limits.Files || sum > f.limits.Sum {
		return nil, fmt.Errorf("%w: it would be %d files with %d bytes; the most are %d with %d", ErrLimit, count, sum, f.limits.Files, f.limits.Sum)
	}
	return out, f.acceptNames(out)
}

// acceptNames validates the names of new files.
func (f *Folder) acceptNames(changes []Change) error {
	isNew := func(c Change) bool { return c.Before == nil }
	if !slices.ContainsFunc(changes, isNew) {
		return nil
	}
	taken := make(spellings, len(f.known)+len(f.dirs))
	for _, dir := range f.dirs {
		taken.add(dir)
	}
	goes := map[string]bool{}
	for _, c := range changes {
		goes[c.Path] = c.After == nil
	}
	for name := range f.known {
		if goes[name] {
			name = path.Dir(name)
		}
		taken.add(name)
	}
	for _, c := range changes {
		if !isNew(c) {
			continue
		}
		if err := portable(c.Path); err != nil {
			return fmt.Errorf("%q cannot be made: %w", c.Path, err)
		}
		if twin, ok := taken.twin(c.Path); ok {
			return fmt.Errorf("%q cannot be made: there is %q, which some systems take for the same name", c.Path, twin)
		}
		taken.add(c.Path)
	}
	return nil
}

func changedError(paths []string) error {
	const named = 5
	text := strings.Join(paths[:min(len(paths), named)], ", ")
	if more := len(paths) - named; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return &ChangedError{paths, fmt.Errorf("%s %w", text, files.ErrChanged)}
}

// ChangedError means that files are not as the document was made from. It is a files.ErrChanged.
type ChangedError struct {
	Paths []string
	why   error
}

func (e *ChangedError) Error() string { return e.why.Error() }
func (e *ChangedError) Unwrap() error { return e.why }

// commit does every step of a save that can fail, the last of which is writing the record. After an error it has undone
// all of them.
func (f *Folder) commit(state *os.Root, r *record) (err error) {
	var made []string
	defer func() {
		if err == nil {
			return
		}
		_ = f.eachFolder(r, func(at *os.Root, entries []int) error {
			for _, n := range entries {
				at.Remove(r.temporary(n))
			}
			return nil
		})
		for _, dir := range slices.Backward(made) {
			if at, err := descend(f.root, path.Dir(dir), nil); err == nil {
				at.Remove(path.Base(dir)) // fails if somebody uses the folder by now
				at.Close()
			}
		}
	}()
	if err := f.stage(r, func(dir string) { made = append(made, dir) }); err != nil {
		return err
	}
	for _, dir := range made {
		if err := f.syncIn(path.Dir(dir)); err != nil {
			return err
		}
	}
	// Sync folders, so that after a power loss the temporary files exist if the record does.
	if err := f.eachFolder(r, func(at *os.Root, _ []int) error { return files.SyncDir(at, ".") }); err != nil {
		return err
	}
	f.between()
	if err := f.checkUnchanged(r); err != nil {
		return err
	}
	f.between()
	if err := f.writeRecord(state, r); err != nil {
		return errors.Join(fmt.Errorf("the folder cannot be saved: %w; its files are as they were", err), f.removeRecord(state))
	}
	f.between()
	return nil
}

func (f *Folder) syncIn(dir string) error {
	at, err := descend(f.root, dir, nil)
	if err != nil {
		return err
	}
	defer at.Close()
	return files.Reason(files.SyncDir(at, "."))
}

// stage writes and syncs the temporary files.
func (f *Folder) stage(r *record, made func(dir string)) error {
	// Concurrently, since syncs that wait together take as long as one.
	const together = 32
	open := make([]*os.File, 0, together)
	sync := func() error {
		errs := syncAll(open)
		open = open[:0]
		return errs
	}
	for n, e := range r.Entries {
		if e.After == nil {
			continue
		}
		file, err := f.stageOne(r, n, made)
		if err == nil {
			open = append(open, file)
			f.between()
			if len(open) < together {
				continue
			}
			err = sync()
		}
		if err != nil {
			return errors.Join(fmt.Errorf("%s cannot be saved: %w; the folder is as it was", e.Path, err), sync())
		}
	}
	if err := sync(); err != nil {
		return fmt.Errorf("the folder cannot be saved: %w; it is as it was", err)
	}
	f.between()
	return nil
}

func syncAll(open []*os.File) error {
	errs := make([]error, len(open))
	var all sync.WaitGroup
	for i, file := range open {
		all.Go(func() {
			errs[i] = errors.Join(files.Reason(file.Sync()), files.Reason(file.Close()))
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err // one error stands for all
		}
	}
	return nil
}

func (f *Folder) stageOne(r *record, n int, made func(dir string)) (*os.File, error) {
	e := r.Entries[n]
	at, err := descend(f.root, path.Dir(e.Path), made)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	mode := modeLike(at, path.Base(e.Path))
	file, err := create(at, r.temporary(n), e.After, mode, f.between)
	if err == nil && e.Before != nil {
		err = files.Reason(file.Chmod(mode)) // sets the exact mode that the user chose, despite the umask
		if err != nil {
			file.Close()
		}
	}
	return file, err
}

// checkUnchanged compares the files to be replaced or removed with what the document was made from.
func (f *Folder) checkUnchanged(r *record) error {
	var changed []string
	for _, e := range r.Entries {
		at, err := descend(f.root, path.Dir(e.Path), nil)
		if errors.Is(err, fs.ErrNotExist) {
			changed = append(changed, e.Path)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s cannot be saved: %w; the folder is as it was", e.Path, err)
		}
		there, err := fileStateOf(at, path.Base(e.Path), e)
		info, _ := at.Lstat(path.Base(e.Path))
		at.Close()
		switch {
		case err != nil:
			return fmt.Errorf("%s cannot be saved: %w; the folder is as it was", e.Path, err)
		case there != asBefore && (there != absent || e.Before != nil):
			changed = append(changed, e.Path)
		case info != nil && info.Mode().Perm()&0o200 == 0:
			return fmt.Errorf("%s is write-protected: make it writable; the folder is as it was", e.Path)
		}
	}
	if len(changed) > 0 {
		return changedError(changed)
	}
	return nil
}
