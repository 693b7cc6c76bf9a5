package session

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/resource"
)

// opener makes a document of a name. It returns warnings, too.
type opener = func(name string) (*document.Document, []string, error)

// make makes a document: it reserves a name, that of as: or one derived from want, and passes what open made to take
// while it is reserved. failing begins the errors.
func (c *call) make(d *domain.Domain, want, failing string, open opener,
	take func(doc *document.Document, named bool, warnings []string)) error {
	c.about = d
	name, named := c.op.Param("as")
	if !named {
		name = want
	}
	name, err := c.reserveName(name, named)
	if err != nil {
		return err
	}
	defer c.s.release(c.dom, name)
	doc, warnings, err := open(name)
	if err != nil {
		return c.failure(err, failing)
	}
	if warnings, err = c.s.keep(c.ctx, doc, warnings); err != nil {
		return reply.Refuse(actions("documents"), "%s: %s", failing, err)
	}
	take(doc, named, warnings)
	return nil
}

// opened is make for a document that becomes one of the session. at is where it is kept, "" for a new one; the reply
// has what say says of it.
func (c *call) opened(d *domain.Domain, want, failing, at string, open opener, say func(*document.Document) string) (r *reply.Reply, err error) {
	twice := c.s.unsavedAt(at)
	err = c.make(d, want, failing, open, func(doc *document.Document, named bool, warnings []string) {
		r = c.openedReply(doc, named, append(warnings, twice...), "%s", say(doc))
	})
	return r, err
}

// file is a file that open has read.
type file struct {
	real  string
	data  []byte
	stamp files.Stamp
}

func readFile(ctx context.Context, roots *files.Roots, path string) (f file, err error) {
	if f.real, err = roots.Resolve(path); err == nil {
		f.data, f.stamp, err = roots.In(ctx).Read(f.real)
	}
	return f, err
}

// source reads the file at path for the domain that opens it, within that domain's roots. With unified tools the file
// decides which domain that is, so it is first read within the roots of any.
func (c *call) source(path string) (d *domain.Domain, roots *files.Roots, f file, err error) {
	if c.dom == "" { // the choice must not depend on which domain is loaded first
		c.s.awaitOpened(c.ctx)
	}
	d = c.s.domain(c.dom)
	roots = c.s.rootsOf(d)
	f, err = readFile(c.ctx, roots, path)
	if c.dom == "" {
		for _, other := range c.s.Domains() {
			if own := c.s.rootsOf(other); err != nil && own != roots {
				if g, again := readFile(c.ctx, own, path); again == nil {
					roots, f, err = own, g, nil
				}
			}
		}
	}
	if err == nil && c.dom == "" {
		if d, err = c.chooseDomain(path, roots, f); err != nil {
			return nil, nil, f, err
		}
		if own := c.s.rootsOf(d); own != roots {
			roots = own
			f, err = readFile(c.ctx, roots, path)
		}
	}
	if err != nil {
		return nil, nil, f, c.openFailure(d, roots, f.real, err)
	}
	return d, roots, f, nil
}

// openFailure refuses an open that cannot read its file. It lists the files in that folder that can be opened, since a
// client may have no other way to see them.
func (c *call) openFailure(d *domain.Domain, roots *files.Roots, real string, err error) error {
	if no := roots.NoFolder(real); no != nil && d != nil && foldersOnly(d.Manifest) {
		return reply.Refuse(nil, "cannot open: %s", no)
	}
	text, near := resource.Around(roots, real, err, c.fits(d))
	no := reply.Refuse(nil, "cannot open: %s%s", err, text)
	for _, path := range near {
		no.Try = append(no.Try, tryOpen(roots, path))
	}
	no.After = c.offerUpload(d, real)
	return no
}

// nearestFiles suggests the action with a file of the same kind and folder whose name is nearest to the missing one
// that word i names.
func (c *call) nearestFiles(d *domain.Domain, i int, real string) (try []reply.Suggestion) {
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
		near = resource.Nearest(base, names)
	}
	for _, n := range near {
		op := *c.op
		op.Positionals = slices.Clone(op.Positionals)
		op.Positionals[i].Text = roots.Word(filepath.Join(folder, n))
		try = append(try, reply.Action("%s", op.String()))
	}
	return try
}

func tryOpen(roots *files.Roots, real string) reply.Suggestion {
	return reply.Action("open %s", grammar.Quote(roots.Word(real)))
}

// suggestOpen suggests opening files in the working folder; d is nil for files of any domain.
func (c *call) suggestOpen(d *domain.Domain) (try []reply.Suggestion) {
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

// openable lists the files in a folder that the domain can open by their names; d is nil for any domain.
func (c *call) openable(d *domain.Domain, roots *files.Roots, folder string) []string {
	fits := c.fits(d)
	return slices.DeleteFunc(roots.List(folder), func(name string) bool { return !fits(name) })
}

// fits returns a function that reports whether the domain, or any if d is nil, can open a file by its name.
func (c *call) fits(d *domain.Domain) func(name string) bool {
	domains := c.s.Domains()
	if d != nil {
		domains = []*domain.Domain{d}
	}
	return func(name string) bool {
		return slices.ContainsFunc(domains, func(d *domain.Domain) bool { return d.Extension(name) != "" || d.IsMedia(name) })
	}
}
