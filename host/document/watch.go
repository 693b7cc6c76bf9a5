package document

import (
	"maps"
	"slices"

	"github.com/fcp-host/fcp-host/host/files"
)

// see notes what the file at a path is now.
func (d *Document) see(path string) {
	if d.seen == nil {
		d.seen = map[string]files.Identity{}
	}
	is := d.roots.Identity(path)
	if is == (files.Identity{}) {
		is.Size = -1 // what is gone already when the document is made is news, too
	}
	d.seen[path] = is
}

// watch tells, once, what became of the files that the document knows by name. What the document holds of them stays: it is for the
// user to have its domain look again.
func (d *Document) watch() {
	var none files.Identity
	var gone, changed, back []string
	for _, path := range slices.Sorted(maps.Keys(d.seen)) {
		was, is := d.seen[path], d.roots.Identity(path)
		if was == is {
			continue
		}
		d.seen[path] = is
		switch name := d.roots.Show(path); {
		case is == none:
			gone = append(gone, name)
		case was == none:
			back = append(back, name)
		default:
			changed = append(changed, name)
		}
	}
	for _, told := range []struct {
		names []string
		what  string
	}{
		{gone, "gone, and used by this document: %s"},
		{changed, "changed outside since this document took it in, so that what is known of it may be out of date: %s"},
		{back, "there again: %s"},
	} {
		if len(told.names) > 0 {
			d.note(told.what, listed(told.names))
		}
	}
}
