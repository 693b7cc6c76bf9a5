package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/resource"
)

// mediaDomain finds the domain that makes new documents of media files, and the files: "A.mp4,B.mp4". The domain is nil
// if the path names a document, or nothing that a domain takes.
func (c *call) mediaDomain(path string) (*domain.Domain, []string, error) {
	if c.dom == "" { // the choice must not depend on which domain is loaded first
		c.s.awaitOpened(c.ctx)
	}
	domains := c.s.Domains()
	if d := c.s.domain(c.dom); d != nil {
		domains = []*domain.Domain{d}
	}
	var of []*domain.Domain
	var parts []string
	for _, d := range domains {
		parts = splitPaths(c.s.rootsOf(d), path)
		if !slices.ContainsFunc(parts, func(p string) bool { return !d.IsMedia(p) || d.Extension(p) != "" }) {
			of = append(of, d)
		}
	}
	if with, ok := c.op.Param("with"); ok && len(of) > 0 {
		of = slices.DeleteFunc(of, func(d *domain.Domain) bool { return !strings.EqualFold(d.Name(), with) })
	}
	switch len(of) {
	case 0:
		return nil, nil, nil
	case 1:
		return of[0], splitPaths(c.s.rootsOf(of[0]), path), nil
	}
	return nil, nil, reply.Refuse(c.withEach(of), "several domains open %s: say which", quoteShort(path))
}

// splitPaths splits a list of paths at commas. A path that exists is not split, since a name may have a comma.
func splitPaths(roots *files.Roots, path string) []string {
	if real, err := roots.Resolve(path); err == nil && roots.Exists(real) {
		return []string{roots.Plain(path)}
	}
	parts := strings.Split(path, ",")
	for i := range parts {
		parts[i] = roots.Plain(strings.TrimSpace(parts[i]))
	}
	return parts
}

// openMedia makes a document of media files.
func (c *call) openMedia(d *domain.Domain, parts []string) (*reply.Reply, error) {
	c.about = d
	var words []resource.Word
	for _, p := range parts {
		i := slices.IndexFunc(d.Manifest.NewResources, func(r abi.Resource) bool {
			return (r.Kind == abi.ResourceProbe || r.Kind == abi.ResourceBytes) &&
				(len(r.Accept) == 0 || slices.ContainsFunc(r.Accept, func(e string) bool { return strings.HasSuffix(strings.ToLower(p), e) }))
		})
		if i < 0 {
			return nil, reply.Refuse(nil, "cannot open %s: the %s plugin does not use files of this kind", quoteShort(p), d.Name())
		}
		words = append(words, resource.Word{Text: p, As: &d.Manifest.NewResources[i]})
	}
	title := strings.TrimSuffix(filepath.Base(parts[0]), filepath.Ext(parts[0]))
	return c.makeDocument(d, &abi.NewRequest{Title: title}, words, "cannot open")
}

// makeDocument makes a new document, with the resources that words name.
func (c *call) makeDocument(d *domain.Domain, req *abi.NewRequest, words []resource.Word, failing string) (*reply.Reply, error) {
	return c.opened(d, req.Title, failing, "", func(name string) (*document.Document, []string, error) {
		var resolved []resource.Resolved
		if len(words) > 0 {
			desk := c.s.fetcher(d, nil)
			resolved = desk.Get(c.ctx, words, desk.Saved(c.ctx, words), nil)
			for i := range resolved {
				t := &resolved[i]
				if t.No != nil {
					return nil, nil, c.missingResource(t, req.Title, failing)
				}
				if t.Supply != nil {
					req.Resources = append(req.Resources, *t.Supply)
				}
			}
		}
		doc, warnings, err := document.New(c.ctx, d, c.s.rootsOf(d), name, req)
		if err == nil {
			doc.Bind(resolved)
		}
		return doc, warnings, err
	}, func(doc *document.Document) string { return fmt.Sprintf("new %s document %q", d.Name(), doc.Name) })
}

// missingResource refuses an action whose word t names a resource that is not available.
func (c *call) missingResource(t *resource.Resolved, title, failing string) error {
	try := reply.From(t.No.Try)
	for _, near := range t.Near {
		op := *c.op
		op.Positionals, op.Params = slices.Clone(op.Positionals), slices.Clone(op.Params)
		for i := range op.Positionals {
			op.Positionals[i].Text = replaceWord(op.Positionals[i].Text, t.Text, near)
		}
		for i := range op.Params {
			op.Params[i].Value = replaceWord(op.Params[i].Value, t.Text, near)
		}
		if len(try) < abi.MaxTry {
			try = append(try, reply.Action("%s", op.String()))
		}
	}
	if len(try) == 0 && t.As.Kind == abi.ResourceProbe && t.Path != "" && c.s.roots.Exists(t.Path) { // a file that cannot be probed: the domain also makes a document without it
		try = append(try, reply.Action("new %s", grammar.Quote(title)))
	}
	return reply.Refuse(try, "%s: %s", failing, t.No.Message)
}

// replaceWord replaces a word in text, which may be a list with commas.
func replaceWord(text, word, other string) string {
	parts := strings.Split(text, ",")
	for i, p := range parts {
		if strings.TrimSpace(p) == word {
			parts[i] = other
		}
	}
	if text == word {
		return other
	}
	return strings.Join(parts, ",")
}

// saveAsFormat answers a save with a format, which is an export.
func (c *call) saveAsFormat(d *document.Document, path string, force bool) (*reply.Reply, error) {
	name, _ := c.op.Param("format")
	name = strings.ToLower(name)
	i := slices.IndexFunc(d.Domain().Manifest.Exports, func(f abi.Format) bool { return f.Name == name })
	if i >= 0 && path != "" {
		if f := d.Domain().Manifest.Exports[i]; f.Extension != "" && !strings.HasSuffix(strings.ToLower(path), f.Extension) {
			return nil, reply.Refuse(actions(fmt.Sprintf("save as:%s format:%s", grammar.Quote(strings.TrimSuffix(path, filepath.Ext(path))+f.Extension), name)),
				"%s makes %s files", name, f.Extension)
		}
	}
	var params []abi.KeyValue
	for _, p := range c.op.Params {
		if p.Key != "as" && p.Key != "format" {
			params = append(params, p)
		}
	}
	return c.runExport(d, name, params, path, force), nil
}

// needsFormat refuses a save without format: to a file by whose name it would be a recording, or what an export makes. It returns nil
// for all others.
func (c *call) needsFormat(d *document.Document, path string) error {
	dom := d.Domain()
	stem, ending := strings.TrimSuffix(path, filepath.Ext(path)), strings.ToLower(filepath.Ext(path))
	if ending == "" || slices.ContainsFunc(dom.Manifest.Extensions, func(e string) bool { return strings.HasSuffix(e, ending) }) { // .svg, since .drawio.svg are documents
		return nil
	}
	action := "export %[2]s as:%[1]s"
	if len(dom.Manifest.Media) > 0 {
		action = "save as:%s format:%s"
	}
	var makes, others []reply.Suggestion
	for _, f := range dom.Manifest.Exports {
		switch {
		case ending == f.Extension:
			makes = append(makes, reply.Action(action, grammar.Quote(path), f.Name))
		case dom.IsMedia(f.Extension):
			others = append(others, reply.Action(action, grammar.Quote(stem+f.Extension), f.Name))
		}
	}
	switch {
	case len(makes) > 0:
		return reply.Refuse(makes[:min(len(makes), abi.MaxTry)], "say the format of %s", quoteShort(path))
	case dom.IsMedia(path):
		return reply.Refuse(others[:min(len(others), abi.MaxTry)], "no format makes %s files: say one of %s", ending, strings.Join(formatNames(dom.Manifest), ", "))
	}
	return nil
}

// formatNames lists the formats that a domain exports.
func formatNames(m *abi.Manifest) (names []string) {
	for _, f := range m.Exports {
		names = append(names, f.Name)
	}
	return names
}
