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

// finish does what is left of a save that a host wrote down. The caller has the
// lock, so that host is no more, or its call failed.
func (f *Folder) finish(state *os.Root, report *Report) error {
	data, _, err := read(state, recordName, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the record %s of an earlier save cannot be read: %w", recordName, err)
	}
	r, err := parseRecord(data)
	if err == errTorn {
		return (&record{}).remove(state)
	}
	if err != nil {
		return err
	}
	for _, e := range r.Entries {
		report.Recovered = append(report.Recovered, e.Path)
	}
	if err := f.forward(state, r, report); err != nil {
		return fmt.Errorf("an earlier save cannot be finished: %w", err)
	}
	return nil
}

// forward brings each file from before to after, and marks the save as done. It
// can be called again after it failed or died, at any point.
func (f *Folder) forward(state *os.Root, r *record, report *Report) error {
	for n, e := range r.Entries {
		c, err := f.settle(state, r, n)
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
	if err := r.remove(state); err != nil {
		return fmt.Errorf("its record cannot be removed: %w", err)
	}
	f.between()
	// Not before the mark: until then they tell what was done. One that stays goes
	// with the next look.
	_ = f.eachFolder(r, func(at *os.Root, entries []int) error {
		for _, n := range entries {
			at.Remove(r.temporary(n))
			f.between()
		}
		return nil
	})
	return nil
}

// eachFolder opens each folder with files of a save. One that is gone or replaced
// has none.
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

// standing is what a file is to a save.
type standing int

const (
	absent standing = iota
	asBefore
	asAfter
	foreign // a file that is neither, or no file
)

func standingOf(at *os.Root, name string, e entry) (standing, error) {
	data, _, err := read(at, name, max(e.BeforeSize, int64(len(e.After))))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent, nil
	case err == errLarge:
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

// errMeanwhile is the usual reason of a conflict.
var errMeanwhile = errors.New("somebody changed it meanwhile")

// settle brings one file to after, or finds that it cannot: that is the conflict.
// An error says that neither could be done.
func (f *Folder) settle(state *os.Root, r *record, n int) (*Conflict, error) {
	e, dir := r.Entries[n], path.Dir(r.Entries[n].Path)
	why := f.pattern.check(e.Path)
	var at *os.Root
	if why == nil {
		at, why = descend(f.root, dir, nil)
	}
	if why == nil {
		defer at.Close()
		theirs := &Conflict{Path: e.Path, Why: errMeanwhile.Error(), Kept: path.Join(dir, r.kept(n, "theirs"))}
		if _, err := at.Lstat(r.kept(n, "theirs")); err == nil {
			return theirs, nil // kept before this host or another died
		}
		tmp := r.temporary(n)
		if why = f.place(at, tmp, path.Base(e.Path), e); why == nil {
			return nil, nil
		}
		// There may be two edits of others, of which one was taken away for ours.
		if aside, _ := standingOf(at, tmp, e); aside == foreign {
			return theirs, files.Reason(at.Rename(tmp, r.kept(n, "theirs")))
		}
	}
	c := &Conflict{Path: e.Path, Why: files.Reason(why).Error()}
	if e.After == nil {
		return c, nil
	}
	// In the marker's folder, since its own may be gone. It is written again, for
	// the same reason.
	mine := r.kept(n, "ours")
	c.Kept = path.Join(f.pattern.marker, mine)
	if there, _ := standingOf(state, mine, e); there == asAfter {
		return c, nil
	}
	state.Remove(mine) // half of it, from before a host died
	if err := writeNew(state, mine, e.After, 0o600, f.between); err != nil {
		state.Remove(mine)
		return nil, fmt.Errorf("what the save has for it cannot be kept: %w", err)
	}
	return c, nil
}

// place brings the file to after by what the file and the temporary one are.
// That is all it goes by, so it does not matter how often it was begun. An error
// is a conflict.
func (f *Folder) place(at *os.Root, tmp, base string, e entry) error {
	const rounds = 8 // each but the last because somebody changed the file at that moment
	for range rounds {
		there, why := standingOf(at, base, e)
		aside, _ := standingOf(at, tmp, e)
		asWanted := there == asAfter || there == absent && e.After == nil
		var err error
		switch {
		case aside == asBefore:
			return nil // ours took its place; what became of it then is no conflict
		case aside == foreign && !asWanted:
			return errMeanwhile
		case aside == foreign && e.After == nil: // what was taken away is an edit: back with it
			err = f.publish(at, tmp, base)
		case aside == foreign:
			err = f.exchange(at, tmp, base)
		case asWanted:
			return nil
		case there == asBefore && e.After == nil:
			err = f.replace(at, base, tmp)
		case there == asBefore && aside == absent: // somebody tidied up
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

// stageAgain makes the temporary file at once: half of one would pass for an edit.
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

// modeLike is the mode of what replaces a file: the same, but nothing of a
// document can be run. Of a new file, the umask is taken off.
func modeLike(at *os.Root, base string) fs.FileMode {
	if info, err := at.Lstat(base); err == nil {
		return info.Mode().Perm() &^ 0o111
	}
	return 0o666
}
