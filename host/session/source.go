package session

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// file is what open read.
type file struct {
	real  string
	data  []byte
	stamp files.Stamp
}

func readFile(roots *files.Roots, path string) (f file, err error) {
	if f.real, err = roots.Resolve(path); err == nil {
		f.data, f.stamp, err = roots.Read(f.real)
	}
	return f, err
}

// source reads the file at path, for the domain it belongs to and within that
// domain's roots. Unified, the file says whose it is, so any domain's roots will
// do to look.
func (c *call) source(path string) (d *domain.Domain, roots *files.Roots, f file, no *reply.Reply) {
	if c.dom == "" { // whose it is must not depend on which domains are known first
		c.s.opened(c.ctx)
	}
	d = c.s.domain(c.dom)
	roots = c.s.rootsOf(d)
	f, err := readFile(roots, path)
	if c.dom == "" {
		for _, other := range c.s.Domains() {
			if own := c.s.rootsOf(other); err != nil && own != roots {
				if g, again := readFile(own, path); again == nil {
					roots, f, err = own, g, nil
				}
			}
		}
	}
	if err == nil && c.dom == "" {
		if d, no = c.whose(path, roots, f); no != nil {
			return nil, nil, f, no
		}
		if own := c.s.rootsOf(d); own != roots {
			roots = own
			f, err = readFile(roots, path)
		}
	}
	if err != nil {
		return nil, nil, f, c.unread(d, roots, f.real, err)
	}
	return d, roots, f, nil
}

// unread answers an open that found no file. A client may have no other way to
// look into a folder, so it is told what there is for the domain to open.
func (c *call) unread(d *domain.Domain, roots *files.Roots, real string, err error) *reply.Reply {
	r := reply.Errorf(nil, "cannot open: %s", err)
	if real == "" {
		return r
	}
	folder, base := filepath.Split(real)
	names := c.openable(d, roots, real)
	if len(names) > 0 { // real is a folder
		folder = real
	} else if errors.Is(err, fs.ErrNotExist) {
		names = c.openable(d, roots, filepath.Clean(folder))
	}
	if len(names) == 0 {
		return r
	}
	near := names[:1]
	if folder != real && len(names) > 1 {
		near = nearest(base, names)
	}
	for _, n := range near {
		r.Results[0].Try = append(r.Results[0].Try, tryOpen(roots, filepath.Join(folder, n)))
	}
	const most = 10
	text := "; its folder holds "
	if folder == real {
		text = "; it holds "
	}
	more := max(0, len(names)-most)
	names = names[:len(names)-more]
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = grammar.Quote(n)
	}
	text += strings.Join(quoted, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	r.Results[0].Text += text
	return r
}

// beside suggests the action with the file nearest to the one that its word i names
// and that is not there: of the same kind, in the same folder.
func (c *call) beside(d *domain.Domain, i int, real string) (try []reply.Suggestion) {
	if real == "" {
		return nil
	}
	roots := c.s.rootsOf(d)
	folder, base := filepath.Split(real)
	ext := filepath.Ext(base)
	var names []string
	for _, n := range roots.List(filepath.Clean(folder)) {
		if d.Extension(n) == "" && (ext == "" || strings.EqualFold(ext, filepath.Ext(n))) {
			names = append(names, n)
		}
	}
	near := names
	if len(names) > 1 || ext == "" {
		near = nearest(base, names)
	}
	for _, n := range near {
		op := *c.op
		op.Positionals = slices.Clone(op.Positionals)
		op.Positionals[i].Text = "./" + roots.Show(filepath.Join(folder, n))
		try = append(try, reply.Action("%s", op.String()))
	}
	return try
}

func tryOpen(roots *files.Roots, real string) reply.Suggestion {
	return reply.Action("open %s", grammar.Quote("./"+roots.Show(real)))
}

// openables suggests to open what the working folder holds for the domain, or
// for any where there is none.
func (c *call) openables(d *domain.Domain) (try []reply.Suggestion) {
	roots := c.s.rootsOf(d)
	folder, err := roots.Resolve(".")
	if err != nil {
		return nil
	}
	for _, n := range c.openable(d, roots, folder) {
		if len(try) < 2 {
			try = append(try, tryOpen(roots, filepath.Join(folder, n)))
		}
	}
	return try
}

// nearest gives the names that base may be a misspelling of; their extensions
// say nothing about that.
func nearest(base string, names []string) (near []string) {
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

// openable lists the files in a folder whose names the domain, or any where
// there is none, says it can open.
func (c *call) openable(d *domain.Domain, roots *files.Roots, folder string) (names []string) {
	domains := c.s.Domains()
	if d != nil {
		domains = []*domain.Domain{d}
	}
	for _, n := range roots.List(folder) {
		if slices.ContainsFunc(domains, func(d *domain.Domain) bool { return d.Extension(n) != "" }) {
			names = append(names, n)
		}
	}
	return names
}
