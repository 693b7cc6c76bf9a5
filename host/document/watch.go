package document

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fcp-host/fcp-host/host/files"
)

// noteIdentity notes which file is at path now.
func (e *external) noteIdentity(path string) {
	if e.seen == nil {
		e.seen = map[string]files.Identity{}
	}
	is := e.roots.Identity(path)
	if is == (files.Identity{}) {
		is.Size = -1 // so that a file that is missing from the start is reported, too
	}
	e.seen[path] = is
}

// noteFileChanges says once for each change which files that the document uses were changed or removed. The
// document keeps what it read from them: the user has to make its domain read them again.
func (e *external) noteFileChanges() (notes []string) {
	var none files.Identity
	var gone, changed, back []string
	for _, path := range slices.Sorted(maps.Keys(e.seen)) {
		was, is := e.seen[path], e.roots.Identity(path)
		if was == is {
			continue
		}
		e.seen[path] = is
		switch name := e.roots.Show(path); {
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
			notes = append(notes, fmt.Sprintf(told.what, listSome(told.names)))
		}
	}
	return notes
}
