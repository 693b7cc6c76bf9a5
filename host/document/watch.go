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

// noteFileChanges notes, once, which of the files that the document knows by name were changed or removed. The
// document's own data of them stays: the user has to have its domain read them again.
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
		{gone, "gone, and used by this document: %s"},
		{changed, "changed outside since this document took it in, so that what is known of it may be out of date: %s"},
		{back, "there again: %s"},
	} {
		if len(told.names) > 0 {
			d.note(told.what, listSome(told.names))
		}
	}
}
