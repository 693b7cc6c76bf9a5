package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/capability/folder"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// isPath reports whether a word can only be a path. For a domain with both files and folders, `new` tells a folder from
// a title by that.
func isPath(word string) bool {
	return word == "." || word == ".." || strings.HasSuffix(word, "/") || files.IsURI(word) ||
		slices.ContainsFunc([]string{"./", "../", "/", "~/"}, func(p string) bool { return strings.HasPrefix(word, p) })
}

// foldersOnly reports whether all documents of a domain are folders.
func foldersOnly(m *abi.Manifest) bool { return m.Folder != nil && len(m.Extensions) == 0 }

// makesFolder reports whether `new` with these words makes a folder.
func makesFolder(d *domain.Domain, words []abi.Positional) bool {
	return d.Manifest.Folder != nil && len(words) == 1 && (isPath(words[0].Text) || foldersOnly(d.Manifest))
}

// newFolder makes a folder a document; with force even if it is one already.
func (c *call) newFolder(d *domain.Domain, path string, req *abi.NewRequest, force bool) (*reply.Reply, error) {
	const failing = "cannot make a new document"
	roots := c.s.rootsOf(d)
	real, err := roots.Resolve(path)
	if err != nil {
		return nil, reply.Refuse(nil, "%s: %s", failing, err)
	}
	req.Title = filepath.Base(real)
	return c.opened(d, req.Title, failing, "", func(name string) (*document.Document, []string, error) {
		doc, warnings, err := document.NewFolder(c.ctx, d, roots, name, real, req, force)
		if errors.Is(err, document.ErrFolder) {
			err = reply.Refuse(actions("open "+grammar.Quote(path)), "%s: %s", failing, err)
		}
		return doc, warnings, err
	}, func(doc *document.Document) string {
		return fmt.Sprintf("new %s document %q in %s", d.Name(), doc.Name, roots.Show(real))
	})
}

// folderAt finds the folder that a path names and the domain that opens it. ok is false if the path is not a folder
// that a domain may open.
func (c *call) folderAt(path string) (d *domain.Domain, real string, ok bool, err error) {
	if c.dom == "" {
		c.s.awaitOpened(c.ctx)
	}
	domains := c.s.Domains()
	if d := c.s.domain(c.dom); d != nil {
		domains = []*domain.Domain{d}
	}
	domains = slices.DeleteFunc(slices.Clone(domains), func(d *domain.Domain) bool {
		at, err := c.s.rootsOf(d).Resolve(path)
		return d.Manifest.Folder == nil || err != nil || !c.s.rootsOf(d).IsDir(at)
	})
	if len(domains) == 0 {
		return nil, "", false, nil
	}
	if with, given := c.op.Param("with"); given {
		if d := byName(domains, with); d != nil {
			domains = []*domain.Domain{d}
		}
	}
	var claims []*domain.Domain
	for _, d := range domains {
		if at, _ := c.s.rootsOf(d).Resolve(path); c.dom != "" || claimsFolder(d, c.s.rootsOf(d), at) {
			claims = append(claims, d)
		}
	}
	// A domain that requires a marker takes precedence.
	if marked := slices.DeleteFunc(slices.Clone(claims), func(d *domain.Domain) bool { return d.Manifest.Folder.Marker == "" }); len(marked) > 0 {
		claims = marked
	}
	switch {
	case len(claims) == 1:
		real, err := c.s.rootsOf(claims[0]).Resolve(path)
		return claims[0], real, err == nil, nil
	case len(claims) == 0 && len(domains) == 1:
		real, err := c.s.rootsOf(domains[0]).Resolve(path)
		return domains[0], real, err == nil, nil
	}
	show := c.s.rootsOf(domains[0]).Show(path)
	if len(claims) > 0 {
		return nil, "", false, reply.Refuse(c.withEach(claims), "several domains open %s: %s; say which", show, strings.Join(namesOf(claims), ", "))
	}
	var try []reply.Suggestion
	for _, d := range domains[:min(len(domains), abi.MaxTry)] {
		try = append(try, reply.Action("new %s %s", d.Name(), asPath(path)))
	}
	return nil, "", false, reply.Refuse(try, "cannot open %s: it is a folder of no domain; those that have folders are %s", show, strings.Join(namesOf(domains), ", "))
}

// asPath writes a path such that `new` reads it as one.
func asPath(path string) string {
	if !isPath(path) {
		path = "./" + path
	}
	return grammar.Quote(path)
}

// opensFolder reports whether exactly one domain of the tools opens a path as a folder.
func (c *call) opensFolder(path string) bool {
	with, given := c.op.Param("with")
	n := 0
	for _, d := range c.s.Domains() {
		roots := c.s.rootsOf(d)
		real, err := roots.Resolve(path)
		if d.Manifest.Folder != nil && err == nil && (c.dom == "" || d == c.s.domain(c.dom)) && (!given || strings.EqualFold(d.Name(), with)) && claimsFolder(d, roots, real) {
			n++
		}
	}
	return n == 1
}

// claimsFolder reports whether a folder is a document of the domain: it has its marker, or files that the domain
// includes.
func claimsFolder(d *domain.Domain, roots *files.Roots, real string) bool {
	root, err := roots.OpenDir(real)
	if err != nil {
		return false
	}
	m := d.Manifest.Folder
	return folder.Is(root, folder.Pattern{Include: m.Include, Exclude: m.Exclude, Marker: m.Marker})
}

func (c *call) openFolder(d *domain.Domain, path, real string) (*reply.Reply, error) {
	roots := c.s.rootsOf(d)
	return c.opened(d, filepath.Base(real), "cannot open "+roots.Show(real), real, c.folderOpener(d, path, real), func(doc *document.Document) string {
		return fmt.Sprintf("opened %s as %q (%s), %s", roots.Show(real), doc.Name, d.Name(), reply.Count(doc.Summary().Files, "file"))
	})
}

// folderOpener returns a function that opens a folder, for make.
func (c *call) folderOpener(d *domain.Domain, path, real string) opener {
	roots := c.s.rootsOf(d)
	return func(name string) (*document.Document, []string, error) {
		doc, warnings, err := document.OpenFolder(c.ctx, d, roots, name, real)
		if errors.Is(err, folder.ErrNoMarker) {
			err = reply.Refuse(actions("new "+c.domainWord(d)+asPath(path)), "cannot open %s: %s", roots.Show(real), err)
		}
		return doc, warnings, err
	}
}

// unsavedAt warns if another open document of the same place has unsaved changes.
func (k *desk) unsavedAt(place string) (warning []string) {
	for _, other := range k.Documents() {
		if sum := other.Summary(); place != "" && (sum.Path == place || sum.Ref == place) && sum.Dirty {
			warning = []string{fmt.Sprintf("%q holds unsaved changes of the same file", sum.Name)}
		}
	}
	return warning
}

// Folder returns the document of the nearest folder with the domain's marker, from the working folder up, and opens it
// unless it is open. The reply says why there is none.
func (s *Session) Folder(ctx context.Context, d *domain.Domain) (*document.Document, error) {
	// Concurrent calls must not open it twice.
	s.finding.Lock()
	defer s.finding.Unlock()
	c := &call{s: s, ctx: ctx, dom: d.Name(), about: d, command: command{&grammar.Op{Op: abi.Op{Verb: "open"}}}}
	roots := s.rootsOf(d)
	if d.Manifest.Folder == nil || d.Manifest.Folder.Marker == "" {
		return nil, reply.Refuse(nil, "the %s domain has no folders that can be found", d.Name())
	}
	marker := d.Manifest.Folder.Marker
	at, err := roots.Resolve(".")
	if err != nil {
		return nil, reply.Refuse(nil, "cannot look for a folder with %s: %s", marker, err)
	}
	start := at
	for ; roots.Contains(at); at = filepath.Dir(at) {
		if roots.IsDir(filepath.Join(at, marker)) {
			return c.useFolder(d, at)
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	if no := d.Missing(domain.WithConfirmer(ctx, nil), []string{abi.WantFolder}); no != nil { // making one needs the grant, too
		return nil, reply.Refuse(nil, "no folder with %s is at or above %s, within the allowed folders; to make one, %s", marker, roots.Show(start), no.Message)
	}
	return nil, reply.Refuse(actions("new "+c.domainWord(d)+"."), "no folder with %s is at or above %s, within the allowed folders", marker, roots.Show(start))
}

func (c *call) useFolder(d *domain.Domain, real string) (doc *document.Document, err error) {
	for _, doc := range c.s.Documents() {
		if sum := doc.Summary(); doc.Domain() == d && sum.Path == real && sum.Folder {
			c.s.touch(doc)
			return doc, nil
		}
	}
	err = c.make(d, filepath.Base(real), "cannot open "+c.s.rootsOf(d).Show(real), c.folderOpener(d, real, real), func(opened *document.Document, _ bool, warnings []string) {
		opened.Tell(warnings) // for the tool's answer
		if doc = opened; !c.s.addBeside(doc) {
			doc = nil
		}
	})
	if err == nil && doc == nil {
		err = document.ErrClosed
	}
	return doc, err
}

// addBeside adds a document without replacing another. It becomes current only if there is no current one.
func (k *desk) addBeside(doc *document.Document) bool {
	k.mu.Lock()
	if k.closed {
		k.mu.Unlock()
		doc.Suspend()
		return false
	}
	defer k.mu.Unlock()
	k.Quota.Settle(1) // until release, it counts twice
	k.addEntry(&entry{doc: doc, named: true, used: time.Now()})
	if k.current[doc.Domain().Name()] == nil {
		k.current[doc.Domain().Name()] = doc
	}
	if k.current[""] == nil {
		k.current[""] = doc
	}
	return true
}

// touch notes that a call uses a document.
func (k *desk) touch(doc *document.Document) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.docs {
		if e.doc == doc {
			e.used = time.Now()
		}
	}
}
