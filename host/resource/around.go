package resource

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/files"
)

// Around describes what lies near the file at real (from Roots.Resolve), which could not be opened: a client may have
// no other way to list a folder. text completes the error's line; near are paths that may have been meant.
func Around(roots *files.Roots, real string, err error, fits func(name string) bool) (text string, near []string) {
	if real == "" {
		return "", nil
	}
	folder, base := filepath.Split(real)
	fitting := func(folder string) []string {
		return slices.DeleteFunc(roots.List(folder), func(n string) bool { return !fits(n) })
	}
	names := fitting(real)
	if len(names) > 0 { // real is a folder
		folder = real
	} else if errors.Is(err, fs.ErrNotExist) {
		names = fitting(filepath.Clean(folder))
	}
	if len(names) == 0 {
		return "", nil
	}
	found := names[:1]
	if folder != real && len(names) > 1 {
		found = Nearest(base, names)
	}
	for _, n := range found {
		near = append(near, filepath.Join(folder, n))
	}
	const most = 10
	text = "; its folder holds "
	if folder == real {
		text = "; it holds "
	}
	more := max(0, len(names)-most)
	quoted := make([]string, len(names)-more)
	for i := range quoted {
		quoted[i] = grammar.Quote(names[i])
	}
	text += strings.Join(quoted, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text, near
}

// Nearest returns the names that base may be a misspelling of, compared without extensions.
func Nearest(base string, names []string) (near []string) {
	stem := func(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }
	stems := make([]string, len(names))
	for i, n := range names {
		stems[i] = stem(n)
	}
	for _, s := range grammar.Nearest(stem(base), stems) {
		near = append(near, names[slices.Index(stems, s)])
	}
	return near
}
