package session

import (
	"errors"
	"fmt"
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

func (c *call) new() (*reply.Reply, error) {
	d, words, err := c.newDomain()
	if err != nil {
		return nil, err
	}
	c.about = d
	foldKeys(c.op, c.newKeys(d)...)
	if err := c.checkValues(c.newKeys(d)...); err != nil {
		return nil, err
	}
	force := len(words) == 2 && c.keyword(len(c.op.Positionals)-1) == "force" && makesFolder(d, words[:1])
	if force {
		words = words[:1]
	}
	if len(words) > 1 {
		op := *c.op
		op.Positionals = append(slices.Clone(c.op.Positionals[:len(c.op.Positionals)-len(words)]), abi.Positional{Text: joined(words), Quoted: true})
		return nil, reply.Refuse(actions(op.String()), "a title of several words goes in double quotes")
	}
	if len(c.op.Selectors) > 0 {
		return nil, reply.Refuse(c.without(func(op *grammar.Op) { op.Selectors = nil }), "new takes no selector")
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
			return nil, c.unknownNewKey(d, p)
		}
		req.Params = append(req.Params, p)
	}
	switch {
	case makesFolder(d, words):
		return c.newFolder(d, words[0].Text, req, force)
	case foldersOnly(d.Manifest):
		return nil, reply.Refuse(actions("new "+c.domainWord(d)+"."), "new needs a folder")
	}
	op := c.op.Op
	op.Positionals = op.Positionals[len(op.Positionals)-len(words):]
	var each []resource.Word
	for _, w := range resource.Words(d.Manifest.NewResources, &op, 0) {
		parts := []string{w.Text}
		if w.As.Kind == abi.ResourceProbe { // a list, as open takes it
			parts = splitPaths(c.s.rootsOf(d), w.Text)
		}
		for _, p := range parts {
			each = append(each, resource.Word{Op: w.Op, Text: p, As: w.As})
		}
	}
	return c.makeDocument(d, req, each, "cannot make a new document")
}

// newDomain is the domain of a new document, and the action's words without its name. With unified tools the name is
// the first word, unless only one domain is loaded.
func (c *call) newDomain() (d *domain.Domain, words []abi.Positional, err error) {
	d, words = c.s.domain(c.dom), c.op.Positionals
	if c.dom != "" {
		return d, words, nil
	}
	if word := c.keyword(0); word != "" {
		if len(words) > 1 || len(c.s.Domains()) != 1 { // else it may be a title
			c.s.Await(c.ctx, word)
		}
		d = c.s.domain(word)
	}
	domains := c.s.Domains()
	if d == nil && len(domains) == 1 && len(words) < 2 {
		return domains[0], words, nil
	}
	if d != nil {
		return d, words[1:], nil
	}
	var try []reply.Suggestion
	for _, d := range domains[:min(len(domains), abi.MaxTry)] {
		try = append(try, reply.Action("%s", c.withDomain(d)))
	}
	return nil, nil, c.s.withAbsent(reply.Refuse(try, "new needs the domain first"))
}

// unknownNewKey answers a new with a parameter that it does not take.
func (c *call) unknownNewKey(d *domain.Domain, p abi.KeyValue) error {
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
		op.Params = slices.DeleteFunc(slices.Clone(op.Params), func(q abi.KeyValue) bool { return q.Key == p.Key })
	})
	return reply.Refuse(try, "new takes no %s:; it takes %s", shortKey(p.Key), takes)
}

// domainWord is the domain's name and a blank if the tools are unified, where new and enable need it, else "".
func (c *call) domainWord(d *domain.Domain) string {
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

// reserveName reserves the name of a document that is about to be made: the one that the user gave, or a free one
// derived from want. The caller must release it, whether or not the document is made.
func (c *call) reserveName(want string, named bool) (string, error) {
	if named && (len(want) > maxName || !isName(want)) {
		return "", reply.Refuse(actions("documents"), "as: needs a name of 1 to %d bytes on one line, not . or ..", maxName)
	}
	name, err := c.s.reserve(c.dom, want, named)
	switch {
	case errors.Is(err, errTaken):
		return "", reply.Refuse(actions("use "+grammar.Quote(want)), "a document named %q is open already", want)
	case errors.Is(err, errQuota):
		_, most := c.s.Quota.Use()
		return "", reply.Refuse(actions("close"), "%s open in all your sessions, which is the limit: close one first", reply.Count(int(most), "document"))
	case errors.Is(err, errFull):
		// Documents of other domains count, too, and only their own tools close them.
		try := actions("documents", "close")
		if open := c.s.Documents(); c.dom != "" && !c.s.shared && c.s.Current(c.dom) == nil && len(open) > 0 {
			for i := range try {
				try[i].Domain = open[0].Domain().Name()
			}
		}
		return "", reply.Refuse(try, "%s open, which is the limit: close one first", reply.Count(c.s.limits.Documents, "document"))
	}
	return name, nil
}

// openedReply adds a document to the session and answers the action that made it.
func (c *call) openedReply(doc *document.Document, named bool, warnings []string, format string, args ...any) *reply.Reply {
	r := &reply.Reply{Opened: doc.Domain().Name()}
	r.Add(reply.Created, format, args...)
	c.s.add(c.dom, doc, named, r)
	r.Results = append(r.Results, c.s.offer(c.ctx, c.dom, false)...)
	r.Warnings = append(r.Warnings, warnings...)
	doc.Summary().Fill(r)
	return r
}

func (c *call) open() (*reply.Reply, error) {
	keys := []string{"as", "path"}
	if c.dom == "" {
		keys = append(keys, "with")
	}
	c.references(keys)
	if err := c.checkValues(keys...); err != nil {
		return nil, err
	}
	if len(c.op.Positionals) > 1 {
		return nil, reply.Refuse(actions("open "+grammar.Quote(joined(c.op.Positionals))), "a path with spaces goes in double quotes")
	}
	if err := c.checkWords(1, keys...); err != nil {
		return nil, err
	}
	path := c.text(0)
	if v, ok := c.op.Param("path"); ok && path == "" {
		path = v
	}
	if path == "" {
		return nil, reply.Refuse(c.suggestOpen(c.s.domain(c.dom)), "open needs a path")
	}
	if d := c.remoteOf(path); d != nil {
		return c.openRemote(d, path)
	}
	if d, parts, err := c.mediaDomain(path); err != nil || d != nil {
		if err != nil {
			return nil, err
		}
		return c.openMedia(d, parts)
	}
	if d, real, ok, err := c.folderAt(path); err != nil || ok {
		if err != nil {
			return nil, err
		}
		return c.openFolder(d, path, real)
	}
	d, roots, file, err := c.source(path)
	if err != nil {
		return nil, err
	}
	base, show := filepath.Base(file.real), roots.Show(file.real)
	return c.opened(d, strings.TrimSuffix(base, filepath.Ext(base)), "cannot open "+show, file.real, func(name string) (*document.Document, []string, error) {
		return document.Open(c.ctx, d, roots, name, document.File{Path: file.real, Data: file.data, Stamp: file.stamp})
	}, func(doc *document.Document) string {
		return fmt.Sprintf("opened %s as %q (%s)", show, doc.Name, d.Name())
	})
}

// failure refuses an action whose domain failed or refused; what says what was tried.
func (c *call) failure(err error, what string) error {
	if errors.As(err, new(*reply.Refusal)) {
		return err
	}
	var try []reply.Suggestion
	if domain.Disabled(err) {
		try = actions(strings.TrimSpace("enable " + c.domainWord(c.about)))
	}
	if r, ok := errors.AsType[*domain.Refusal](err); ok {
		for _, s := range reply.From(r.Try) {
			if rest, ok := strings.CutPrefix(s.Text, "new "); ok && s.Kind == abi.TryAction {
				s.Text = "new " + c.domainWord(c.about) + rest
			}
			try = append(try, s)
		}
		if len(try) == 0 && c.op.Verb == "new" {
			try = []reply.Suggestion{reply.Help("new")}
		}
	}
	return reply.Refuse(try, "%s: %s", what, err)
}

func (c *call) use() (*reply.Reply, error) {
	if c.s.shared {
		return nil, reply.Refuse(nil, "there is no current document here: name one in each call by the argument document")
	}
	if len(c.op.Positionals) > 1 {
		return nil, reply.Refuse(actions("use "+grammar.Quote(joined(c.op.Positionals)), "documents"), "a name of several words goes in double quotes")
	}
	if err := c.checkForm(); err != nil {
		return nil, err
	}
	if c.text(0) == "" {
		return nil, reply.Refuse(actions("documents"), "use needs the name of an open document")
	}
	doc, err := c.s.find(c.ctx, c.dom, c.text(0))
	if err != nil {
		return nil, err
	}
	c.s.mu.Lock()
	c.s.makeCurrent(doc)
	c.s.mu.Unlock()
	sum := doc.Summary()
	r := &reply.Reply{}
	sum.Fill(r)
	r.Add(reply.Changed, "now editing %q (%s)", doc.Name, sum.Domain)
	return r, nil
}

func (c *call) close(d *document.Document) (*reply.Reply, error) {
	force := c.keyword(0) == "force"
	if !force && len(c.op.Positionals) > 0 {
		return nil, reply.Refuse(actions("documents"), "close takes nothing but force; it closes the current document")
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
			return nil, reply.Refuse(actions("close force"), "a call on %q waits for an answer from outside; close force ends it%s", was.Name, drops)
		}
		return nil, reply.Refuse([]reply.Suggestion{d.TrySave(), reply.Action("close force")}, "%q has unsaved changes", was.Name)
	}
	jobs := c.s.openJobLines(d)
	current := c.s.Current(c.dom) == d
	next := c.s.remove(d, c.dom)
	c.s.cancelJobsOf(d)
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
		now.Fill(r)
	}
	return r, nil
}

// enable lets a plugin run again that was disabled because its worker died too often.
func (c *call) enable() (*reply.Reply, error) {
	d := c.s.servedDomain(c.dom)
	name := strings.ToLower(c.text(0))
	var try []reply.Suggestion
	if domains := c.s.Domains(); len(domains) > 0 {
		try = actions("enable " + domains[0].Name())
	}
	if d != nil && name != "" && name != d.Name() {
		return nil, reply.Refuse(actions("enable"), "these tools enable only the %s plugin", d.Name())
	}
	if d == nil && name != "" {
		if d = c.s.domain(name); d == nil {
			return nil, c.s.noDomain(name, try...)
		}
	}
	if doc := c.s.Current(c.dom); d == nil && doc != nil {
		d = doc.Domain()
	}
	if d == nil {
		return nil, reply.Refuse(try, "enable needs a domain's name")
	}
	if !d.Plugin().Enable() {
		return nil, reply.Refuse(nil, "the %s plugin is not disabled: there is nothing to enable", d.Name())
	}
	r := &reply.Reply{}
	r.Add(reply.Changed, "the %s plugin is enabled again", d.Name())
	return r, nil
}

func (c *call) documents() (*reply.Reply, error) {
	r, err := c.s.list(c.dom)
	if err != nil {
		return nil, err
	}
	current := c.s.Current(c.dom)
	if current == nil {
		return c.asAction(r, ""), nil
	}
	r.Text = "open documents:\n" + r.Text
	return c.asAction(r, current.Summary().Digest), nil
}

func (c *call) status(d *document.Document) (*reply.Reply, error) {
	r := c.asAction(d.Status(c.ctx, slices.Concat(c.s.buildLine(d), c.s.memoryLine(), wantLines(c.ctx, d.Domain()))...), d.Summary().Digest)
	r.Results = slices.Concat(r.Results, c.s.offer(c.ctx, c.dom, true), c.s.absent())
	return r, nil
}
