package folder

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/fcp-host/fcp-host/host/files"
)

// Finish completes a save that was recorded and then interrupted. Until then, the document is read as if it had been.
func (f *Folder) Finish() (Report, error) {
	var report Report
	state, err := f.state()
	if err != nil {
		return report, err
	}
	defer state.Close()
	release, err := lock(state)
	if err != nil {
		return report, err
	}
	defer release()
	return report, f.finish(state, &report)
}

// finish is Finish while the caller has the lock.
func (f *Folder) finish(state *os.Root, report *Report) error {
	r, err := f.unfinished(state)
	switch {
	case errors.Is(err, errTorn):
		return f.removeRecord(state)
	case errors.Is(err, errDamaged):
		return files.Reason(state.Rename(f.recordName(), f.recordName()+damaged))
	case err != nil || r == nil:
		return err
	}
	for _, e := range r.Entries {
		report.Recovered = append(report.Recovered, e.Path)
	}
	if err := f.rollForward(state, r, report); err != nil {
		return fmt.Errorf("an earlier save cannot be finished: %w", err)
	}
	return nil
}

// rollForward changes each file from before to after, and then removes the record. After an error or a crash at any point
// it can be called again.
func (f *Folder) rollForward(state *os.Root, r *record, report *Report) error {
	for n, e := range r.Entries {
		c, err := f.finishFile(state, r, n)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
		if c != nil {
			report.Conflicts = append(report.Conflicts, *c)
		}
		f.between()
	}
	if err := f.eachFolder(r, func(at *os.Root, _ []int) error { return files.SyncDir(at, ".") }); err != nil {
		return err
	}
	f.between()
	if err := f.removeRecord(state); err != nil {
		return fmt.Errorf("its record cannot be removed: %w", err)
	}
	f.between()
	// Remove temporary files only now: until the record is gone, they show which files were exchanged. The next look
	// removes any that are left.
	_ = f.eachFolder(r, func(at *os.Root, entries []int) error {
		for _, n := range entries {
			at.Remove(r.temporary(n))
			f.between()
		}
		return nil
	})
	return nil
}

// eachFolder opens each folder that has files of a save. It skips the files of one that was removed or replaced.
func (f *Folder) eachFolder(r *record, do func(at *os.Root, entries []int) error) error {
	byDir := map[string][]int{}
	for n, e := range r.Entries {
		byDir[path.Dir(e.Path)] = append(byDir[path.Dir(e.Path)], n)
	}
	for dir, entries := range byDir {
		at, err := descend(f.root, dir, nil)
		if err != nil {
			continue
		}
		err = do(at, entries)
		at.Close()
		if err != nil {
			return files.Reason(err)
		}
	}
	return nil
}

// fileState says what a file holds during a save.
type fileState int

const (
	absent   fileState = iota // nothing: there is no file
	asBefore                  // the content before the save
	asAfter                   // the content after the save
	foreign                   // something else, or it is not a file
)

func fileStateOf(at *os.Root, name string, e entry) (fileState, error) {
	data, _, err := read(at, name, max(e.BeforeSize, int64(len(e.After))))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent, nil
	case errors.Is(err, errLarge):
		return foreign, nil
	case err != nil:
		return foreign, err
	case e.After != nil && bytes.Equal(data, e.After):
		return asAfter, nil
	}
	if sum := sha256.Sum256(data); e.Before != nil && bytes.Equal(sum[:], e.Before) {
		return asBefore, nil
	}
	return foreign, nil
}

// errMeanwhile is the usual reason for a conflict.
var errMeanwhile = errors.New("it was changed during the save")

// finishFile changes one file to after, or returns a conflict. After an error it has done neither.
func (f *Folder) finishFile(state *os.Root, r *record, n int) (*Conflict, error) {
	e, dir := r.Entries[n], path.Dir(r.Entries[n].Path)
	why := f.pattern.check(e.Path)
	var at *os.Root
	if why == nil {
		at, why = descend(f.root, dir, nil)
	}
	if why == nil {
		defer at.Close()
		theirs := &Conflict{Path: e.Path, Why: errMeanwhile.Error(), Kept: path.Join(dir, r.conflictName(n, "theirs"))}
		if _, err := at.Lstat(r.conflictName(n, "theirs")); err == nil {
			return theirs, nil // stored before this host or another one died
		}
		tmp := r.temporary(n)
		if why = f.replaceFile(at, tmp, path.Base(e.Path), e); why == nil {
			return nil, nil
		}
		// There may be two edits, one of which the exchange moved away.
		if aside, _ := fileStateOf(at, tmp, e); aside == foreign {
			return theirs, files.Reason(at.Rename(tmp, r.conflictName(n, "theirs")))
		}
	}
	c := &Conflict{Path: e.Path, Why: files.Reason(why).Error()}
	if e.After == nil {
		return c, nil
	}
	// Store it in the marker's folder, since the file's own folder may be gone. Write it again for the same reason.
	mine := r.conflictName(n, "ours")
	c.Kept = path.Join(f.pattern.marker, mine)
	if there, _ := fileStateOf(state, mine, e); there == asAfter {
		return c, nil
	}
	state.Remove(mine) // possibly incomplete, if a host died
	if err := writeNew(state, mine, e.After, 0o600, f.between); err != nil {
		state.Remove(mine)
		return nil, fmt.Errorf("the save's version of it cannot be kept: %w", err)
	}
	return c, nil
}

// replaceFile changes the file to after. It decides by the current content of the file and of the temporary file only, so it
// can be repeated any number of times. An error means a conflict.
func (f *Folder) replaceFile(at *os.Root, tmp, base string, e entry) error {
	const rounds = 8 // each but the last one fails because somebody changed the file at that moment
	for range rounds {
		there, why := fileStateOf(at, base, e)
		aside, _ := fileStateOf(at, tmp, e)
		asWanted := there == asAfter || there == absent && e.After == nil
		var err error
		switch {
		case aside == asBefore:
			return nil // our version took its place; later changes are no conflict
		case aside == foreign && !asWanted:
			return errMeanwhile
		case aside == foreign && e.After == nil: // an edit was moved away: put it back
			err = f.publish(at, tmp, base)
		case aside == foreign:
			err = f.exchange(at, tmp, base)
		case asWanted:
			return nil
		case there == asBefore && e.After == nil:
			err = f.replace(at, base, tmp)
		case there == asBefore && aside == absent: // somebody removed the temporary file
			err = f.stageAgain(at, tmp, base, e)
		case there == asBefore:
			err = f.exchange(at, tmp, base)
		case there == absent && e.Before == nil && aside == asAfter:
			err = f.publish(at, tmp, base)
		case why != nil:
			return why
		default:
			return errMeanwhile
		}
		if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		f.between()
	}
	return errMeanwhile
}

// stageAgain makes the temporary file atomically: a partial one would look like an edit.
func (f *Folder) stageAgain(at *os.Root, tmp, base string, e entry) error {
	fresh := tmp + ".new"
	at.Remove(fresh)
	err := writeNew(at, fresh, e.After, modeLike(at, base), f.between)
	if err == nil {
		err = f.replace(at, fresh, tmp)
	}
	if err != nil {
		at.Remove(fresh)
	}
	return err
}

// modeLike returns the mode of the replacement of a file: the same without execute permission. A new file's mode is
// subject to the umask.
func modeLike(at *os.Root, base string) fs.FileMode {
	if info, err := at.Lstat(base); err == nil {
		return info.Mode().Perm() &^ 0o111
	}
	return 0o666
}
