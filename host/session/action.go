package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/grammar"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Action is one session action of the host's own.
type Action struct {
	Name, Syntax, Summary string
	Brief                 string // its line in the reference card, "" for syntax and summary
	Example               string // runs as it stands, unlike Syntax
}

// Actions lists them, for the reference card and for suggestions.
func Actions() []Action {
	return []Action{
		{"new", `new "Title" [key:value…]`, "an empty document", "", `new "Title"`},
		{"open", "open PATH [as:NAME]", "a document from a file; as: names it, so that it stays open beside others", "open PATH [as:NAME]", "open ./file"},
		{"save", "save [as:PATH] [force]", "write it to its file, or to another; force: over one that others wrote", "save [as:PATH] [force] · nothing is written before", "save"},
		{"close", "close [force]", "close it; force drops unsaved changes", "close [force]", "close"},
		{"checkpoint", "checkpoint NAME", "name this place in the history", "checkpoint NAME", "checkpoint before-changes"},
		{"undo", "undo [N|to:NAME|batch]", "take back the last op, N ops, all since a checkpoint, or the whole last call", "undo [N|to:NAME|batch] · N ops, to a checkpoint, the last call", "undo"},
		{"redo", "redo [N]", "do undone ops again", "redo [N]", "redo"},
		{"status", "status", "file, unsaved changes, history, checkpoints", "status", "status"},
		{"batch", "batch atomic|each", "whether a failed op undoes its whole call (atomic, the default)", "batch atomic|each · each: a failed op undoes only itself", "batch atomic"},
		{"export", "export FORMAT as:PATH [force]", "write it in another format", "", "export FORMAT as:./out"},
		{"use", "use NAME", "make another open document the current one", "use NAME · of several open documents", `use "Title"`},
		{"documents", "documents", "list the open documents", "documents", "documents"},
		{"recover", "recover [N] [force]", "bring back a document of an earlier session, or list them", "recover [N] [force] · what earlier sessions left", "recover"},
		{"discard", "discard N|all", "drop a document of an earlier session, or all of them", "discard N|all · of these", "discard all"},
		{"enable", "enable", "let the plugin run again after it was disabled for failing too often", "enable · a plugin that failed too often", "enable"},
	}
}

// Session is the tool D_session: runs one action on a document.
func (s *Session) Session(ctx context.Context, dom, doc, action string) *reply.Reply {
	ctx = sandbox.OneCall(ctx)
	c := &call{s: s, ctx: ctx, dom: dom, doc: doc}
	op, err := grammar.ParseCommand(action)
	if err != nil {
		var try []reply.Suggestion
		if ge := new(grammar.Error); errors.As(err, &ge) {
			try = actions(ge.Try...)
		}
		if len(try) == 0 {
			try = []reply.Suggestion{reply.Help("")}
		}
		return c.end(reply.Errorf(try, "%s", err))
	}
	fold(&op, "as", "path", "to", "with")
	c.op = &op
	r := c.run()
	r.Warnings = append(r.Warnings, op.Warnings...)
	return c.end(r)
}

// end completes what an action answers: it shows where the document stands, and
// what a refusal suggests works.
func (c *call) end(r *reply.Reply) *reply.Reply {
	d, no := c.s.find(c.ctx, c.dom, c.doc)
	if no != nil {
		return r
	}
	if r.Digest == "" {
		sum := d.Summary()
		stand(r, sum)
	}
	if !r.Failed {
		return r
	}
	if c.op != nil && len(r.Results) > 0 {
		texts := c.variants(d.Domain)
		if i := slices.IndexFunc(texts, func(text string) bool { return c.s.feasible(c.ctx, c.dom, d, text) }); i >= 0 {
			r.Results[0].Try = actions(texts[i])
		}
	}
	for i := range r.Results {
		for j, s := range r.Results[i].Try {
			if s.Kind == abi.TryAction && s.Text == "save" {
				r.Results[i].Try[j] = d.TrySave()
			}
		}
	}
	return c.s.sift(c.ctx, c.dom, d, r, c.topic(d.Domain))
}

// stand writes where a document stands into r.
func stand(r *reply.Reply, sum document.Summary) {
	r.Document, r.Revision, r.Dirty, r.Digest = sum.Name, sum.Revision, sum.Dirty, sum.Digest
}

// Stand writes where a document stands, or the current one, into a refusal that no
// document has seen. It reports whether there is one.
func (s *Session) Stand(dom, doc string, r *reply.Reply) bool {
	s.mu.Lock()
	d := s.current[dom]
	for _, e := range s.docs {
		if doc != "" && e.doc.Name == doc && (dom == "" || e.doc.Domain.Name() == dom) {
			d = e.doc
		}
	}
	s.mu.Unlock()
	if d != nil {
		stand(r, d.Summary())
	}
	return d != nil
}

// topic is what the help says most about the action by.
func (c *call) topic(d *domain.Domain) string {
	if c.op == nil {
		return ""
	}
	for _, m := range d.Meanings(c.op.Verb) {
		if verb, _, _ := strings.Cut(m, " "); Knows(d, verb) {
			return verb
		}
	}
	return ""
}

// misused refuses an action whose words do not say what it needs.
func (c *call) misused(format string, args ...any) *reply.Reply {
	return reply.Errorf([]reply.Suggestion{reply.Help(c.op.Verb)}, format, args...)
}

// call is one action on its way.
type call struct {
	s        *Session
	ctx      context.Context
	dom, doc string
	op       *grammar.Op
	about    *domain.Domain // whose document it is, once that is known
}

func (c *call) run() *reply.Reply {
	if c.dom != "" && c.s.domain(c.dom) == nil {
		return c.s.none(c.ctx, c.dom)
	}
	switch c.op.Verb {
	case "new":
		return c.new()
	case "open":
		return c.open()
	case "documents":
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
	case "use":
		return c.use()
	case "enable":
		return c.enable()
	case "recover":
		return c.recover()
	case "discard":
		return c.discard()
	}
	d, no := c.s.find(c.ctx, c.dom, c.doc)
	if no != nil {
		// An action that does not exist is wrong with or without a document.
		if dd := c.s.domain(c.dom); !c.known(dd) {
			return c.unknown(dd)
		}
		if c.op.Verb == "status" {
			return c.s.absent(no)
		}
		return no
	}
	r := c.on(d)
	if r.Failed && c.doc != "" && !c.s.shared && c.s.Current(c.dom) != d {
		c.remind(d, r)
	}
	return r
}

// remind makes sure that what a failed action suggests does not hit the current
// document, when the action was for another.
func (c *call) remind(d *document.Document, r *reply.Reply) {
	for i := range r.Results {
		if res := &r.Results[i]; len(res.Try) > 0 {
			res.Text += fmt.Sprintf("; give document:%s with what you try, too", grammar.Quote(d.Name))
			return
		}
	}
}

// on runs an action on one document.
func (c *call) on(d *document.Document) *reply.Reply {
	c.about = d.Domain
	switch c.op.Verb {
	case "save":
		return c.save(d)
	case "close":
		return c.close(d)
	case "checkpoint":
		return c.checkpoint(d)
	case "undo":
		return c.undo(d)
	case "redo":
		return c.redo(d)
	case "status":
		if no := c.takes(0); no != nil {
			return no
		}
		r := c.lines(d.Status(c.ctx, c.s.use()...), d.Summary().Digest)
		c.s.offer(c.ctx, c.dom, r)
		return c.s.absent(r)
	case "batch":
		return c.batch(d)
	case "export":
		return c.export(d)
	}
	return c.own(d)
}

// enable lets a plugin run again that was disabled because its worker died too
// often.
func (c *call) enable() *reply.Reply {
	if no := c.takes(1); no != nil {
		return no
	}
	d := c.s.domain(c.dom)
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
		d = doc.Domain
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

// lines turns a query's text into an action's: one line with the others
// indented below it, then the digest.
func (c *call) lines(r *reply.Reply, digest string) *reply.Reply {
	if !r.Failed {
		text, _ := strings.CutSuffix(strings.TrimSuffix(r.Text, "\n"), "\n["+digest+"]")
		r.Add(reply.Changed, "%s", text)
		r.Text, r.Digest = "", digest
	}
	return r
}

// keyword is positional i in lower case when it may be one: text that was quoted
// never is.
func (c *call) keyword(i int) string {
	if i < len(c.op.Positionals) && !c.op.Positionals[i].Quoted {
		return strings.ToLower(c.op.Positionals[i].Text)
	}
	return ""
}

// fold spells those of the op's keys that differ from one of keys in case alone
// as that one.
func fold(op *grammar.Op, keys ...string) {
	for i := range op.Params {
		for _, k := range keys {
			if strings.EqualFold(op.Params[i].Key, k) {
				op.Params[i].Key = k
			}
		}
	}
}

// valued refuses a key without a value, which the grammar reads as a word.
func (c *call) valued(keys ...string) *reply.Reply {
	for i := range c.op.Positionals {
		if k, ok := strings.CutSuffix(c.keyword(i), ":"); ok && slices.Contains(keys, k) {
			return c.misused("%s: needs a value right behind the colon", k)
		}
	}
	return nil
}

// takes refuses more than max words, keys that are not named, and selectors.
func (c *call) takes(max int, keys ...string) *reply.Reply {
	if len(c.op.Positionals) > max {
		return reply.Errorf(c.without(func(op *grammar.Op) { op.Positionals = c.fewer(max) }),
			"%s: %s is one word too many; text with spaces goes in double quotes", c.op.Verb, shown(c.op.Positionals[max].Text))
	}
	for i, p := range c.op.Params {
		if slices.Contains(keys, p.Key) {
			continue
		}
		try := c.without(func(op *grammar.Op) {
			op.Params = slices.Clone(op.Params)
			if op.Verb == "save" && len(op.Params) == 1 {
				op.Params[0].Key = "as" // it can mean nothing else
			} else {
				op.Params = slices.Delete(op.Params, i, i+1)
			}
		})
		if len(keys) == 0 {
			return reply.Errorf(try, "%s takes no %s:", c.op.Verb, shortKey(p.Key))
		}
		return reply.Errorf(try, "%s takes no %s:, only %s:", c.op.Verb, shortKey(p.Key), strings.Join(keys, ": "))
	}
	if len(c.op.Selectors) > 0 {
		return reply.Errorf(c.without(func(op *grammar.Op) { op.Selectors = nil }), "%s takes no selector", c.op.Verb)
	}
	return nil
}

// without suggests the action as the user wrote it, less what cut takes away. What takes
// things back is not suggested with less said: then it may take more.
func (c *call) without(cut func(*grammar.Op)) []reply.Suggestion {
	switch c.op.Verb {
	case "undo", "redo", "close", "discard", "recover":
		return []reply.Suggestion{reply.Help(c.op.Verb)}
	}
	op := *c.op
	cut(&op)
	return actions(op.String())
}

// fewer are the action's first words; the name of a checkpoint takes those that
// are too many.
func (c *call) fewer(most int) []grammar.Positional {
	words := c.op.Positionals
	if c.op.Verb != "checkpoint" {
		return words[:most]
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return []grammar.Positional{{Text: strings.Join(texts, " "), Quoted: true}}
}

func (c *call) text(i int) string {
	if i < len(c.op.Positionals) {
		return c.op.Positionals[i].Text
	}
	return ""
}

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
	name, named := c.op.Param("as")
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
	if !named {
		name = req.Title
	}
	name, no := c.reserve(name, named)
	if no != nil {
		return no
	}
	defer c.s.release(c.dom, name)
	doc, warnings, err := document.New(c.ctx, d, c.s.rootsOf(d), name, req)
	if err != nil {
		return c.refused(err, "cannot make a new document")
	}
	if warnings, err = c.s.keep(c.ctx, doc, warnings); err != nil {
		return reply.Errorf(actions("documents"), "cannot make a new document: %s", err)
	}
	return c.opened(doc, named, warnings, "new %s document %q", d.Name(), name)
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

func shortKey(key string) string {
	if len(key) > 64 {
		return key[:64] + "…"
	}
	return key
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
				try[i].Domain = open[0].Domain.Name()
			}
		}
		return "", reply.Errorf(try, "%s open, the most there may be: close one first", reply.Count(c.s.limits.Documents, "document"))
	}
	return name, nil
}

func (c *call) opened(doc *document.Document, named bool, warnings []string, format string, args ...any) *reply.Reply {
	r := &reply.Reply{Opened: doc.Domain.Name()}
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
	var twice string
	for _, other := range c.s.Documents() {
		if sum := other.Summary(); sum.Path == real && sum.Dirty {
			twice = sum.Name
		}
	}
	doc, warnings, err := document.Open(c.ctx, d, roots, name, base, real, file.data, file.stamp)
	if err != nil {
		return c.refused(err, "cannot open "+roots.Show(real))
	}
	if warnings, err = c.s.keep(c.ctx, doc, warnings); err != nil {
		return reply.Errorf(actions("documents"), "cannot open %s: %s", roots.Show(real), err)
	}
	if twice != "" {
		warnings = append(warnings, fmt.Sprintf("%q holds unsaved changes of the same file", twice))
	}
	return c.opened(doc, named, warnings, "opened %s as %q (%s)", roots.Show(real), name, d.Name())
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

func (c *call) save(d *document.Document) *reply.Reply {
	if no := c.valued("as"); no != nil {
		return no
	}
	words := c.op.Positionals
	force := false
	if n := len(words); n > 0 && c.keyword(n-1) == "force" {
		force = true
		words = words[:n-1]
	}
	path, as := c.op.Param("as")
	if len(words) > 1 || len(words) == 1 && as {
		var all []string
		for _, w := range words {
			all = append(all, w.Text)
		}
		if as && strings.HasSuffix(c.op.Raw, " "+words[len(words)-1].Text) {
			all = append([]string{path}, all...) // a path with blanks, without its quotes
		} else if as {
			return c.misused("save takes one path; a path with spaces goes in double quotes")
		}
		return reply.Errorf(actions("save as:"+grammar.Quote(strings.Join(all, " "))), "save takes one path; a path with spaces goes in double quotes")
	}
	if no := c.takes(2, "as"); no != nil {
		return no
	}
	if len(words) == 1 {
		path, as = words[0].Text, true
	}
	if as && path == "" {
		return reply.Errorf([]reply.Suggestion{d.TrySave()}, "save as: needs a path")
	}
	return d.Save(c.ctx, path, force)
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
		return reply.Errorf([]reply.Suggestion{d.TrySave(), reply.Action("close force")}, "%q has unsaved changes", was.Name)
	}
	current := c.s.Current(c.dom) == d
	next := c.s.remove(d, c.dom)
	r := &reply.Reply{}
	what := "closed %q"
	if was.Dirty {
		what = "closed %q and dropped its unsaved changes"
	}
	r.Add(reply.Deleted, what, was.Name)
	if next != nil {
		now := next.Summary()
		if current {
			r.Add(reply.Changed, "now editing %q (%s)", now.Name, now.Domain)
		}
		stand(r, now)
	}
	return r
}

func (c *call) checkpoint(d *document.Document) *reply.Reply {
	if no := c.takes(1); no != nil {
		return no
	}
	return d.Checkpoint(c.ctx, c.text(0))
}

// count reads the optional N of undo and redo.
func (c *call) count() (int, *reply.Reply) {
	if len(c.op.Positionals) == 0 {
		return 1, nil
	}
	n, err := strconv.Atoi(c.text(0))
	if err != nil || n < 1 {
		return 0, reply.Errorf([]reply.Suggestion{reply.Query("history 10")}, "%s %s: N is a whole number from 1", c.op.Verb, shown(c.text(0)))
	}
	return n, nil
}

func (c *call) undo(d *document.Document) *reply.Reply {
	if no := c.takes(1, "to"); no != nil {
		return no
	}
	if name, ok := c.op.Param("to"); ok {
		if len(c.op.Positionals) > 0 {
			return reply.Errorf(actions("undo to:"+grammar.Quote(name)), "undo takes a number or to:, not both")
		}
		return d.UndoTo(c.ctx, name)
	}
	switch c.keyword(0) {
	case "batch":
		return d.UndoBatch(c.ctx)
	case "to:":
		return d.UndoTo(c.ctx, "")
	}
	n, no := c.count()
	if no != nil {
		return no
	}
	return d.Undo(c.ctx, n)
}

func (c *call) redo(d *document.Document) *reply.Reply {
	if no := c.takes(1); no != nil {
		return no
	}
	n, no := c.count()
	if no != nil {
		return no
	}
	return d.Redo(c.ctx, n)
}

func (c *call) batch(d *document.Document) *reply.Reply {
	if no := c.takes(1); no != nil {
		return no
	}
	switch c.keyword(0) {
	case "atomic":
		return d.Each(c.ctx, false)
	case "each":
		return d.Each(c.ctx, true)
	}
	return reply.Errorf([]reply.Suggestion{reply.Query("status")}, "batch is atomic or each")
}

func (c *call) export(d *document.Document) *reply.Reply {
	if no := c.valued("as"); no != nil {
		return no
	}
	_, as := c.op.Param("as")
	n := len(c.op.Positionals)
	force := n > 1 && c.keyword(n-1) == "force"
	if force {
		n--
	}
	if n > 2 || n == 2 && as || len(c.op.Selectors) > 0 {
		return c.misused("export takes one format and as:PATH")
	}
	if c.text(0) == "" {
		var names []string
		for _, f := range d.Domain.Manifest.Exports {
			names = append(names, f.Name)
		}
		return c.misused("export needs a format; there are %s", strings.Join(names, ", "))
	}
	var params []abi.KeyValue
	path := ""
	if n == 2 {
		path = c.text(1) // save takes it like this, too
	}
	for _, p := range c.op.Params {
		if p.Key == "as" {
			path = p.Value
		} else {
			params = append(params, abi.KeyValue(p))
		}
	}
	r := d.Export(c.ctx, strings.ToLower(c.text(0)), params, path, force)
	if r.Failed && len(r.Results[0].Try) == 0 && len(params) > 0 {
		r.Results[0].Try = []reply.Suggestion{reply.Help(c.op.Verb)}
	}
	return r
}

// own runs an action of the domain's manifest.
func (c *call) own(d *document.Document) *reply.Reply {
	for _, v := range d.Domain.Manifest.Session {
		if v.Name != c.op.Verb {
			continue
		}
		if v.File == 0 {
			return d.Session(c.ctx, c.op, "", nil)
		}
		path := c.text(v.File - 1)
		if path == "" {
			return c.misused("%s needs a path: %s", v.Name, v.Syntax)
		}
		f, err := readFile(c.s.rootsOf(d.Domain), path)
		if err != nil {
			try := c.beside(d.Domain, v.File-1, f.real)
			if len(try) == 0 {
				try = []reply.Suggestion{reply.Help(v.Name)}
			}
			return reply.Errorf(try, "cannot read: %s", err)
		}
		// The domain learns the base name, not where the file lies.
		op := *c.op
		op.Positionals = slices.Clone(op.Positionals)
		op.Positionals[v.File-1].Text = filepath.Base(f.real)
		op.Raw = op.String()
		r := d.Session(c.ctx, &op, filepath.Base(f.real), f.data)
		for i := range r.Results {
			for k := range r.Results[i].Try {
				located(&r.Results[i].Try[k], v.File-1, filepath.Base(f.real), path)
			}
		}
		return r
	}
	return c.unknown(d.Domain)
}

// located gives a suggested action the file's path in the place of its name,
// which is all that the domain knows of it.
func located(s *reply.Suggestion, at int, name, path string) {
	op, err := grammar.ParseCommand(s.Text)
	if err == nil && s.Kind == abi.TryAction && at < len(op.Positionals) && op.Positionals[at].Text == name {
		op.Positionals[at].Text = path
		s.Text = op.String()
	}
}

func names(d *domain.Domain) []string {
	var names []string
	for _, a := range Actions() {
		names = append(names, a.Name)
	}
	if d != nil {
		for _, v := range d.Manifest.Session {
			names = append(names, v.Name)
		}
	}
	return names
}

// Knows reports whether action is one of the host's, or of d's where there is a d.
func Knows(d *domain.Domain, action string) bool { return slices.Contains(names(d), action) }

func (c *call) known(d *domain.Domain) bool { return d == nil || Knows(d, c.op.Verb) }

// unknown refuses a word that is no action: it may be misspelt, or an op or a
// query.
func (c *call) unknown(d *domain.Domain) *reply.Reply {
	names := names(d)
	text := "unknown action " + shown(c.op.Verb)
	var try []reply.Suggestion
	if d != nil {
		try = reply.From(d.Meant(c.op))
	}
	near := grammar.Nearest(c.op.Verb, names)
	for _, n := range near {
		if len(try) < abi.MaxTry && c.apt(n) {
			op := *c.op
			op.Verb = n
			try = append(try, reply.Action("%s", op.String()))
		}
	}
	if len(try) == 0 && len(near) == 0 {
		text += "; there are " + strings.Join(names, " ")
	}
	if len(try) == 0 {
		try = []reply.Suggestion{reply.Help("")}
	}
	return reply.Errorf(try, "%s", text)
}

// apt reports whether the misspelt action, spelled name, is one to suggest: what
// takes things away is not, where it was not named rightly, and open needs a file.
func (c *call) apt(name string) bool {
	like := len(c.op.Verb) > 1 && strings.HasPrefix(name, c.op.Verb[:2]) // import is not export
	switch name {
	case "close":
		return like && len(c.op.Positionals)+len(c.op.Params) == 0
	case "discard", "recover", "new":
		return like && len(c.op.Positionals)+len(c.op.Params) > 0
	case "undo", "export":
		return like
	case "open":
		roots := c.s.rootsOf(c.s.domain(c.dom))
		real, err := roots.Resolve(c.text(0))
		return err == nil && roots.Exists(real)
	case "save":
		if d, _ := c.s.find(c.ctx, c.dom, c.doc); d != nil && len(c.op.Positionals)+len(c.op.Params) == 0 {
			return d.Summary().Path != ""
		}
	}
	return true
}

// withDomain is the unified new as the user wrote it, with the domain it lacks.
func (c *call) withDomain(d *domain.Domain) string {
	op := *c.op
	op.Positionals = append([]grammar.Positional{{Text: d.Name()}}, op.Positionals...)
	if len(op.Positionals) == 1 {
		op.Positionals = append(op.Positionals, grammar.Positional{Text: "Title", Quoted: true})
	}
	return op.String()
}

// shown is text as an error repeats it: quoted and not too long.
func shown(s string) string {
	if r := []rune(s); len(r) > 64 {
		s = string(r[:63]) + "…"
	}
	return grammar.Quote(s)
}
