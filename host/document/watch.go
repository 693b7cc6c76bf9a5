package document

import (
	"maps"
	"slices"

	"github.com/fcp-host/fcp-host/host/files"
)

// noteIdentity notes which file is at path now.
func (d *Document) noteIdentity(path string) {
	if d.seen == nil {
		d.seen = map[string]files.Identity{}
	}
	is := d.roots.Identity(path)
	if is == (files.Identity{}) {
		is.Size = -1 // so that a file that is missing from the start is reported, too
	}
	d.seen[path] = is
}

// noteFileChanges notes once for each change which files that the document uses were changed or removed. The
// document keeps what it read from them: the user has to make its domain read them again.
func (d *Document) noteFileChanges() {
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
		{gone, "used by this document, but gone: %s"},
		{changed, "changed outside since this document read it, so what it knows of the file may be out of date: %s"},
		{back, "back again: %s"},
	} {
		if len(told.names) > 0 {
			d.note(told.what, listSome(told.names))
		}
	}
}
