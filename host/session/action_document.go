package session

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/resource"
)

func (c *call) new() *reply.Reply {
	d := c.s.domain(c.dom)
	words := c.op.Positionals
	if c.dom == "" {
		if word := c.keyword(0); word != "" {
			if len(words) > 1 || len(c.s.Domains()) != 1 { // else it may be a title
				c.s.Await(c.ctx, word)
			}
			d = c.s.domain(word)
		}
		domains := c.s.Domains()
		if d == nil && len(domains) == 1 && len(words) < 2 {
			d = domains[0]
		} else if d != nil {
			words = words[1:]
		}
		if d == nil {
			var try []reply.Suggestion
			for _, d := range domains {
				if len(try) < abi.MaxTry {
					try = append(try, reply.Action("%s", c.withDomain(d)))
				}
			}
			return c.s.absent(reply.Errorf(try, "new needs the domain first"))
		}
	}
	c.about = d
	fold(c.op, c.newKeys(d)...)
	if no := c.valued(c.newKeys(d)...); no != nil {
		return no
	}
	force := len(words) == 2 && c.keyword(len(c.op.Positionals)-1) == "force" && makesFolder(d, words[:1])
	if force {
		words = words[:1]
	}
	if len(words) > 1 {
		var all []string
		for _, w := range words {
			all = append(all, w.Text)
		}
		op := *c.op
		op.Positionals = append(slices.Clone(c.op.Positionals[:len(c.op.Positionals)-len(words)]), grammar.Positional{Text: strings.Join(all, " "), Quoted: true})
		return reply.Errorf(actions(op.String()), "a title of several words goes in double quotes")
	}
	if len(c.op.Selectors) > 0 {
		return reply.Errorf(c.without(func(op *grammar.Op) { op.Selectors = nil }), "new takes no selector")
	}
	req := &abi.NewRequest{Title: "Untitled"}
	if len(words) == 1 && words[0].Text != "" {
		req.Title = words[0].Text
	}
	for _, p := range c.op.Params {
		if p.Key == "as" {
			continue
		}
		if !slices.Contains(c.newKeys(d), p.Key) {
			var keys []string
			for _, k := range d.Manifest.NewParams {
				keys = append(keys, k.Key+":"+k.Value)
			}
			takes := "nothing but a title"
			if len(keys) > 0 {
				takes = strings.Join(keys, " ")
			}
			try := c.without(func(op *grammar.Op) {
				for _, k := range append(d.Meanings(p.Key), grammar.Nearest(p.Key, c.newKeys(d))...) {
					if _, given := op.Param(k); !given && slices.Contains(c.newKeys(d), k) {
						op.Params = slices.Clone(op.Params)
						op.Params[slices.Index(op.Params, p)].Key = k
						return
					}
				}
				op.Params = slices.DeleteFunc(slices.Clone(op.Params), func(q grammar.Param) bool { return q.Key == p.Key })
			})
			return reply.Errorf(try, "new takes no %s:; it takes %s", shortKey(p.Key), takes)
		}
		req.Params = append(req.Params, abi.KeyValue(p))
	}
	switch {
	case makesFolder(d, words):
		name, named := c.op.Param("as")
		return c.newFolder(d, words[0].Text, req, name, named, force)
	case foldersOnly(d.Manifest):
		return reply.Errorf(actions("new "+c.which(d)+"."), "new needs a folder")
	}
	op := domain.Op(c.op)
	op.Positionals = op.Positionals[len(op.Positionals)-len(words):]
	return c.make(d, req, resource.Words(d.Manifest.NewResources, &op, 0), "cannot make a new document")
}

func (c *call) which(d *domain.Domain) string {
	if c.dom == "" {
		return d.Name() + " "
	}
	return ""
}

// newKeys are the keys that new takes.
func (c *call) newKeys(d *domain.Domain) []string {
	keys := []string{"as"}
	for _, p := range d.Manifest.NewParams {
		keys = append(keys, p.Key)
	}
	return keys
}

// reserve takes the handle of a document that is about to be made: the one the
// user named, or a free one like want. The caller releases it, made or not.
func (c *call) reserve(want string, named bool) (string, *reply.Reply) {
	if named && (len(want) > maxName || !isName(want)) {
		return "", reply.Errorf(actions("documents"), "as: needs a name of 1 to %d bytes on one line, not . or ..", maxName)
	}
	name, err := c.s.reserve(c.dom, want, named)
	switch err {
	case errTaken:
		return "", reply.Errorf(actions("use "+grammar.Quote(want)), "a document named %q is open already", want)
	case errQuota:
		return "", reply.Errorf(actions("close"), "%s open in all your sessions, the most there may be: close one first", reply.Count(c.s.quota.max, "document"))
	case errFull:
		// Those of other domains count as well, and are closed by their own tools.
		try := actions("documents", "close")
		if open := c.s.Documents(); c.dom != "" && !c.s.shared && c.s.Current(c.dom) == nil && len(open) > 0 {
			for i := range try {
				try[i].Domain = open[0].Domain().Name()
			}
		}
		return "", reply.Errorf(try, "%s open, the most there may be: close one first", reply.Count(c.s.limits.Documents, "document"))
	}
	return name, nil
}

func (c *call) opened(doc *document.Document, named bool, warnings []string, format string, args ...any) *reply.Reply {
	r := &reply.Reply{Opened: doc.Domain().Name()}
	r.Add(reply.Created, format, args...)
	c.s.add(c.dom, doc, named, r)
	c.s.offer(c.ctx, c.dom, r)
	r.Warnings = append(r.Warnings, warnings...)
	sum := doc.Summary()
	stand(r, sum)
	return r
}

func (c *call) open() *reply.Reply {
	keys := []string{"as", "path"}
	if c.dom == "" {
		keys = append(keys, "with")
	}
	c.references(keys)
	if no := c.valued(keys...); no != nil {
		return no
	}
	if len(c.op.Positionals) > 1 {
		var all []string
		for _, w := range c.op.Positionals {
			all = append(all, w.Text)
		}
		return reply.Errorf(actions("open "+grammar.Quote(strings.Join(all, " "))), "a path with spaces goes in double quotes")
	}
	if no := c.takes(1, keys...); no != nil {
		return no
	}
	path := c.text(0)
	if v, ok := c.op.Param("path"); ok && path == "" {
		path = v
	}
	if path == "" {
		return reply.Errorf(c.openables(c.s.domain(c.dom)), "open needs a path")
	}
	if d := c.remoteOf(path); d != nil {
		return c.openRemote(d, path)
	}
	if d, parts, no := c.media(path); no != nil {
		return no
	} else if d != nil {
		return c.openMedia(d, parts)
	}
	if d, real, ok, no := c.folderAt(path); no != nil {
		return no
	} else if ok {
		return c.openFolder(d, path, real)
	}
	d, roots, file, no := c.source(path)
	if no != nil {
		return no
	}
	c.about = d
	real := file.real
	base := filepath.Base(real)
	name, named := c.op.Param("as")
	if !named {
		name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	name, no = c.reserve(name, named)
	if no != nil {
		return no
	}
	defer c.s.release(c.dom, name)
	twice := c.s.unsavedAt(real)
	doc, warnings, err := document.Open(c.ctx, d, roots, name, document.File{Path: real, Data: file.data, Stamp: file.stamp})
	if err != nil {
		return c.refused(err, "cannot open "+roots.Show(real))
	}
	if warnings, err = c.s.keep(c.ctx, doc, warnings); err != nil {
		return reply.Errorf(actions("documents"), "cannot open %s: %s", roots.Show(real), err)
	}
	return c.opened(doc, named, append(warnings, twice...), "opened %s as %q (%s)", roots.Show(real), name, d.Name())
}

func (c *call) refused(err error, what string) *reply.Reply {
	var try []reply.Suggestion
	if domain.Disabled(err) {
		try = actions(strings.TrimSpace("enable " + c.which(c.about)))
	}
	var r *domain.Refusal
	if errors.As(err, &r) {
		for _, s := range reply.From(r.Try) {
			if rest, ok := strings.CutPrefix(s.Text, "new "); ok && s.Kind == abi.TryAction {
				s.Text = "new " + c.which(c.about) + rest
			}
			try = append(try, s)
		}
		if len(try) == 0 && c.op.Verb == "new" {
			try = []reply.Suggestion{reply.Help("new")}
		}
	}
	return reply.Errorf(try, "%s: %s", what, err)
}

func (c *call) use() *reply.Reply {
	if c.s.shared {
		return reply.Errorf(nil, "there is no current document here: name one in each call by the argument document")
	}
	if len(c.op.Positionals) > 1 {
		var all []string
		for _, w := range c.op.Positionals {
			all = append(all, w.Text)
		}
		return reply.Errorf(actions("use "+grammar.Quote(strings.Join(all, " ")), "documents"), "a name of several words goes in double quotes")
	}
	if no := c.takes(1); no != nil {
		return no
	}
	if c.text(0) == "" {
		return reply.Errorf(actions("documents"), "use needs the name of an open document")
	}
	doc, no := c.s.find(c.ctx, c.dom, c.text(0))
	if no != nil {
		return no
	}
	c.s.mu.Lock()
	c.s.point(doc)
	c.s.mu.Unlock()
	sum := doc.Summary()
	r := &reply.Reply{}
	stand(r, sum)
	r.Add(reply.Changed, "now editing %q (%s)", doc.Name, sum.Domain)
	return r
}

func (c *call) close(d *document.Document) *reply.Reply {
	if no := c.takes(1); no != nil {
		return no
	}
	force := c.keyword(0) == "force"
	if !force && len(c.op.Positionals) > 0 {
		return reply.Errorf(actions("documents"), "close takes nothing but force; it closes the current document")
	}
	was := d.Summary()
	if force {
		d.Close()
	} else if !d.CloseClean() {
		if d.Summary().Waits {
			drops := ""
			if was.Dirty {
				drops = ", and drops its unsaved changes"
			}
			return reply.Errorf(actions("close force"), "a call on %q waits for an answer from outside; close force ends it%s", was.Name, drops)
		}
		return reply.Errorf([]reply.Suggestion{d.TrySave(), reply.Action("close force")}, "%q has unsaved changes", was.Name)
	}
	jobs := c.s.unfinished(d)
	current := c.s.Current(c.dom) == d
	next := c.s.remove(d, c.dom)
	c.s.endJob(d)
	r := &reply.Reply{}
	what := "closed %q"
	if was.Dirty {
		what = "closed %q and dropped its unsaved changes"
	}
	r.Add(reply.Deleted, what, was.Name)
	for _, line := range jobs {
		r.Add(reply.Changed, "%s", line)
	}
	if next != nil {
		now := next.Summary()
		if current {
			r.Add(reply.Changed, "now editing %q (%s)", now.Name, now.Domain)
		}
		stand(r, now)
	}
	return r
}

// enable lets a plugin run again that was disabled because its worker died too
// often.
func (c *call) enable() *reply.Reply {
	if no := c.takes(1); no != nil {
		return no
	}
	d := c.s.reached(c.dom)
	name := strings.ToLower(c.text(0))
	var try []reply.Suggestion
	if domains := c.s.Domains(); len(domains) > 0 {
		try = actions("enable " + domains[0].Name())
	}
	if d != nil && name != "" && name != d.Name() {
		return reply.Errorf(actions("enable"), "these tools enable the %s plugin alone", d.Name())
	}
	if d == nil && name != "" {
		if d = c.s.domain(name); d == nil {
			return c.s.noDomain(name, try...)
		}
	}
	if doc := c.s.Current(c.dom); d == nil && doc != nil {
		d = doc.Domain()
	}
	if d == nil {
		return reply.Errorf(try, "enable needs a domain's name")
	}
	if !d.Plugin().Enable() {
		return reply.Errorf(nil, "the %s plugin is not disabled: there is nothing to enable", d.Name())
	}
	r := &reply.Reply{}
	r.Add(reply.Changed, "the %s plugin is enabled again", d.Name())
	return r
}

func (c *call) documents() *reply.Reply {
	if no := c.takes(0); no != nil {
		return no
	}
	r := c.s.list(c.dom)
	current := c.s.Current(c.dom)
	if current == nil {
		return c.lines(r, "")
	}
	r.Text = "open documents:\n" + r.Text
	return c.lines(r, current.Summary().Digest)
}

func (c *call) status(d *document.Document) *reply.Reply {
	if no := c.takes(0); no != nil {
		return no
	}
	r := c.lines(d.Status(c.ctx, slices.Concat(c.s.build(d), c.s.use(), reach(c.ctx, d.Domain()))...), d.Summary().Digest)
	c.s.offer(c.ctx, c.dom, r)
	return c.s.absent(r)
}
