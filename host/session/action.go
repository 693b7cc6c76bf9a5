package session

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// A run is what one of domain.HostActions does.
type run struct {
	free func(*call) *reply.Reply                     // without a document, or with one that it finds itself
	on   func(*call, *document.Document) *reply.Reply // on the document that is meant
	form *form                                        // nil where it depends on the domain
}

// A form is how many words an action takes and which keys.
type form struct {
	least, most int
	keys        []string
}

// runs has them by name.
var runs map[string]run

func init() { // the actions mention each other
	runs = map[string]run{
		"new":        {free: (*call).new},
		"open":       {free: (*call).open, form: &form{0, 1, []string{"as", "path", "with"}}},
		"save":       {on: (*call).save, form: &form{0, 2, []string{"as"}}},
		"pull":       {on: (*call).pull, form: &form{0, 1, nil}}, // of domains with remote documents
		"close":      {on: (*call).close, form: &form{0, 1, nil}},
		"checkpoint": {on: (*call).checkpoint, form: &form{1, 1, nil}},
		"undo":       {on: (*call).undo, form: &form{0, 2, []string{"to"}}},
		"redo":       {on: (*call).redo, form: &form{0, 1, nil}},
		"status":     {on: (*call).status, form: &form{}},
		"batch":      {on: (*call).batch, form: &form{1, 1, nil}},
		"export":     {on: (*call).export},
		"use":        {free: (*call).use, form: &form{1, 1, nil}},
		"documents":  {free: (*call).documents, form: &form{}},
		"recover":    {free: (*call).recover, form: &form{0, 2, nil}},
		"discard":    {free: (*call).discard, form: &form{1, 1, nil}},
		"enable":     {free: (*call).enable, form: &form{0, 1, nil}},
		"plugins":    {free: (*call).plugins, form: &form{}},
		"reload":     {free: (*call).reload, form: &form{}},
		"view":       {free: (*call).view, form: &form{}},
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
		d := c.s.reached(c.dom)
		switch {
		case d == nil:
			return c.s.none(c.ctx, c.dom)
		case c.op.Verb == "new", c.op.Verb == "open":
			return c.s.removed(d)
		}
	}
	do := runs[c.op.Verb]
	if do.free == nil && do.on == nil && c.s.runsPrograms(c.dom, c.doc) {
		do = jobRuns[c.op.Verb]
	}
	if do.free != nil {
		return do.free(c)
	}
	d, no := c.s.find(c.ctx, c.dom, c.doc)
	if no != nil {
		// An action that does not exist is wrong with or without a document.
		if dd := c.s.reached(c.dom); !c.known(dd) {
			return c.unknown(dd)
		}
		if c.op.Verb == "status" {
			return c.s.absent(no)
		}
		return no
	}
	c.about = d.Domain()
	if do.on == nil || !d.Domain().Acts(c.op.Verb) { // a domain may have a verb that is the host's for others alone, such as pull
		do.on = (*call).own
	}
	r := do.on(c, d)
	if r.Failed && c.doc != "" && !c.s.shared && c.s.Current(c.dom) != d {
		c.remind(d, r)
	}
	return r
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
	if !r.Failed || len(r.Then) > 0 { // what followed has its own suggestions
		return r
	}
	if c.op != nil && len(r.Results) > 0 {
		texts := c.variants(d.Domain())
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
	return c.s.sift(c.ctx, c.dom, d, r, c.topic(d.Domain()))
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

// own runs an action of the domain's manifest.
func (c *call) own(d *document.Document) *reply.Reply {
	for _, v := range d.Domain().Manifest.Session {
		if v.Name != c.op.Verb {
			continue
		}
		op, target := c.targeted(d.Domain())
		if v.SaveAs {
			return c.saved(d, op)
		}
		if v.File == 0 {
			return c.acted(d, op, "", nil, target)
		}
		path := c.text(v.File - 1)
		if path == "" {
			return c.misused("%s needs a path: %s", v.Name, v.Syntax)
		}
		f, err := readFile(c.ctx, c.s.rootsOf(d.Domain()), path)
		if err != nil {
			try := c.beside(d.Domain(), v.File-1, f.real)
			if len(try) == 0 {
				try = []reply.Suggestion{reply.Help(v.Name)}
			}
			return reply.Errorf(try, "cannot read: %s", err)
		}
		// The domain learns the base name, not where the file lies.
		named := *op
		named.Positionals = slices.Clone(op.Positionals)
		named.Positionals[v.File-1].Text = filepath.Base(f.real)
		named.Raw = named.String()
		r := c.acted(d, &named, filepath.Base(f.real), f.data, target)
		for i := range r.Results {
			for k := range r.Results[i].Try {
				located(&r.Results[i].Try[k], v.File-1, filepath.Base(f.real), path)
			}
		}
		return r
	}
	return c.unknown(d.Domain())
}

// saved runs an action whose as: says where what it changed is saved afterwards.
func (c *call) saved(d *document.Document, op *grammar.Op) *reply.Reply {
	if no := c.valued("as"); no != nil {
		return no
	}
	path, as := op.Param("as")
	if !as {
		return c.acted(d, op, "", nil, document.Target{})
	}
	bare := *op
	bare.Params = slices.DeleteFunc(slices.Clone(op.Params), func(p grammar.Param) bool { return p.Key == "as" })
	bare.Raw = bare.String()
	r := c.acted(d, &bare, "", nil, document.Target{})
	if !r.Failed {
		c.s.next(c.ctx, c.dom, d.Name, "save as:"+grammar.Quote(path), r)
	}
	return r
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
	if d == nil {
		return slices.Clone(domain.ReservedActions())
	}
	names := domain.Names(slices.Concat(domain.ActionsOf(d.Manifest), domain.RareActions()))
	for _, v := range d.Manifest.Session {
		names = append(names, v.Name)
	}
	return names
}

// Knows reports whether action is one of the host's, or of d's where there is a d.
func Knows(d *domain.Domain, action string) bool { return slices.Contains(names(d), action) }

func (c *call) known(d *domain.Domain) bool { return d == nil || Knows(d, c.op.Verb) }
