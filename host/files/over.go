package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// Over says which content Write may replace.
type Over struct {
	Any   bool    // any content
	Known []Stamp // these contents, or the one that is written; none: there must be no other file
}

// Check fails with ErrChanged or ErrThere if the file at real has other content. It reads the file: timestamps are too
// coarse, and whoever changes a file may keep them. A missing file is fine: writing loses nothing.
func (r *Roots) Check(real string, over Over) error {
	if m, name := r.mountAt(real); m != nil {
		_, _, err := m.check(r.context(), name, r.Show(real), over, Stamp{})
		return err
	}
	root, rel, err := r.open(real)
	if err != nil {
		return err
	}
	defer root.Close()
	return over.check(root, rel, r.Show(real), Stamp{})
}

// check is Check for a write of new: that content may be replaced, too.
func (o Over) check(root *os.Root, rel, show string, new Stamp) error {
	if o.Any {
		return nil
	}
	info, err := root.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", show, Reason(err))
	}
	if err := replaceable(info, show); err != nil {
		return err
	}
	known := append(slices.Clone(o.Known), new)
	if slices.ContainsFunc(known, func(s Stamp) bool { return s.Size == info.Size() }) {
		now, err := stampAt(root, rel, show)
		if err != nil {
			return err
		}
		if slices.Contains(known, now) {
			return nil
		}
	}
	if len(o.Known) == 0 {
		return fmt.Errorf("%s %w", show, ErrThere)
	}
	return fmt.Errorf("%s %w", show, ErrChanged)
}
