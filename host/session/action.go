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

// onDocument runs the host's actions on the document that the call names, or the current one; bare runs those that
// need none, or find it themselves. They are set in init, since the actions refer to each other.
var (
	onDocument map[string]func(*call, *document.Document) (*reply.Reply, error)
	bare       map[string]func(*call) (*reply.Reply, error)
)

func init() {
	onDocument = map[string]func(*call, *document.Document) (*reply.Reply, error){
		"save": (*call).save, domain.PullAction: (*call).pull, "close": (*call).close, "checkpoint": (*call).checkpoint, "undo": (*call).undo,
		"redo": (*call).redo, "status": (*call).status, "batch": (*call).batch, "export": (*call).export,
	}
	bare = map[string]func(*call) (*reply.Reply, error){
		"new": (*call).new, "open": (*call).openFile, "use": (*call).use, "documents": (*call).documents, "recover": (*call).recover,
		"discard": (*call).discard, "enable": (*call).enable, "plugins": (*call).plugins, "reload": (*call).reload, "view": (*call).view,
		"job": (*call).job, "cancel": (*call).cancel,
	}
}

// Session implements the tool D_session: it runs one action, on the document doc or the current one.
func (s *Session) Session(ctx context.Context, dom, doc, action string) *reply.Reply {
	return s.act(ctx, dom, doc, action, false)
}

func (s *Session) act(ctx context.Context, dom, doc, action string, mapped bool) *reply.Reply {
	ctx = sandbox.OneCall(ctx)
	c := &call{s: s, ctx: ctx, dom: dom, doc: doc, mapped: mapped}
	op, err := grammar.ParseAction(action)
	if err != nil {
		var try []reply.Suggestion
		if ge := new(grammar.Error); errors.As(err, &ge) {
			try = actions(ge.Try...)
		}
		if len(try) == 0 {
			try = []reply.Suggestion{reply.Help("")}
		}
		return s.several(dom, doc, c.finish(reply.Errorf(try, "%s", err)))
	}
	foldKeys(&op, "as", "copy", "path", "to", "with")
	c.op = &op
	r := answered(c.run())
	r.Warnings = append(r.Warnings, op.Warnings...)
	c.offerDownload(r)
	return s.several(dom, doc, c.finish(r))
}

// call is one running action.
type call struct {
	s        *Session
	ctx      context.Context
	dom, doc string
	command
	about  *domain.Domain // the document's domain, once it is known
	mapped bool           // the map of what is opened is asked for after the action
}

func (c *call) run() (*reply.Reply, error) {
	if c.dom != "" && c.s.domain(c.dom) == nil {
		d := c.s.servedDomain(c.dom)
		switch {
		case d == nil:
			return nil, c.s.noDocument(c.ctx, c.dom)
		case c.op.Verb == "new", c.op.Verb == "open":
			return nil, c.s.removed(d)
		}
	}
	if do := bare[c.op.Verb]; do != nil && (domain.HostAction(c.op.Verb).For != domain.Programs || c.s.runsPrograms(c.dom, c.doc)) {
		if err := c.checkEarly(); err != nil {
			return nil, err
		}
		return do(c)
	}
	d, err := c.s.find(c.ctx, c.dom, c.doc)
	if err != nil {
		// An unknown action is an error with or without a document.
		if served := c.s.servedDomain(c.dom); served != nil && !Knows(served, c.op.Verb) {
			return nil, c.unknown(served)
		}
		if c.op.Verb == "status" {
			return c.s.nothingOpen(err), nil
		}
		return nil, err
	}
	c.about = d.Domain()
	do := onDocument[c.op.Verb]
	var r *reply.Reply
	if do == nil || !d.Domain().HostRuns(c.op.Verb) { // the host has some actions, such as pull, only for some domains; others may use the name
		r, err = c.domainAction(d)
	} else if err = c.checkEarly(); err == nil {
		r, err = do(c, d)
	}
	r = answered(r, err)
	if r.Failed && c.doc != "" && !c.s.shared && c.s.Current(c.dom) != d {
		c.nameDocument(d, r)
	}
	return r, nil
}

// answered is the reply to a call that ended with r or err.
func answered(r *reply.Reply, err error) *reply.Reply {
	if err != nil {
		return document.Failure(err)
	}
	return r
}

// checkEarly refuses words that an action does not take, unless it looks at them itself.
func (w *command) checkEarly() error {
	if w := domain.HostAction(w.op.Verb); w.Late || w.Form == nil {
		return nil
	}
	return w.checkForm()
}

// finish completes the reply to an action: it adds the document's state, and keeps only suggestions that work.
func (c *call) finish(r *reply.Reply) *reply.Reply {
	d, err := c.s.find(c.ctx, c.dom, c.doc)
	if err != nil {
		return r
	}
	if r.Digest == "" {
		d.Summary().Fill(r)
	}
	if !r.Failed || len(r.Then) > 0 { // the answers of then have their own suggestions
		return r
	}
	if c.op != nil && len(r.Results) > 0 {
		texts := c.variants(d.Domain())
		if i := slices.IndexFunc(texts, func(text string) bool { return c.s.feasible(c.ctx, c.dom, d, text) }); i >= 0 {
			r.Results[0].Try = actions(texts[i])
		}
	}
	return c.s.siftSuggestions(c.ctx, c.dom, d, r, c.topic(d.Domain()))
}

// topic is the help topic for the action, "" if there is none.
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

// domainAction runs an action of the domain's manifest.
func (c *call) domainAction(d *document.Document) (*reply.Reply, error) {
	for _, v := range d.Domain().Manifest.Session {
		if v.Name != c.op.Verb {
			continue
		}
		op, target := c.withTarget(d.Domain())
		if v.SaveAs {
			return c.actThenSave(d, op)
		}
		if v.File == 0 {
			return c.runAction(d, op, "", nil, target), nil
		}
		path := c.text(v.File - 1)
		if path == "" {
			return nil, c.misuse("%s needs a path: %s", v.Name, v.Syntax)
		}
		f, err := readFile(c.ctx, c.s.rootsOf(d.Domain()), path)
		if err != nil {
			try := c.nearestFiles(d.Domain(), v.File-1, f.real)
			if len(try) == 0 {
				try = []reply.Suggestion{reply.Help(v.Name)}
			}
			return nil, reply.Refuse(try, "cannot read: %s", err)
		}
		// The domain gets the base name only, not the path.
		named := *op
		named.Positionals = slices.Clone(op.Positionals)
		named.Positionals[v.File-1].Text = filepath.Base(f.real)
		named.Raw = named.String()
		r := c.runAction(d, &named, filepath.Base(f.real), f.data, target)
		for i := range r.Results {
			for k := range r.Results[i].Try {
				withPath(&r.Results[i].Try[k], v.File-1, filepath.Base(f.real), path)
			}
		}
		return r, nil
	}
	return nil, c.unknown(d.Domain())
}

// actThenSave runs an action that changes the document, then saves it to the path of its parameter as:, if there is
// one.
func (c *call) actThenSave(d *document.Document, op *grammar.Op) (*reply.Reply, error) {
	if err := c.checkValues("as"); err != nil {
		return nil, err
	}
	path, as := op.Param("as")
	if !as {
		return c.runAction(d, op, "", nil, document.Target{}), nil
	}
	bare := *op
	bare.Params = slices.DeleteFunc(slices.Clone(op.Params), func(p abi.KeyValue) bool { return p.Key == "as" })
	bare.Raw = bare.String()
	r := c.runAction(d, &bare, "", nil, document.Target{})
	if !r.Failed {
		c.s.appendThen(c.ctx, c.dom, d.Name, "save as:"+grammar.Quote(path), r)
	}
	return r, nil
}

// withPath replaces the file's base name, which is all that the domain knows, by its path in a suggested action.
func withPath(s *reply.Suggestion, at int, name, path string) {
	op, err := grammar.ParseAction(s.Text)
	if err == nil && s.Kind == abi.TryAction && at < len(op.Positionals) && op.Positionals[at].Text == name {
		op.Positionals[at].Text = path
		s.Text = op.String()
	}
}

// actionNames lists the actions of d, or the reserved ones if d is nil.
func actionNames(d *domain.Domain) []string {
	if d == nil {
		return domain.Names(domain.Actions(domain.Always, domain.Rare))
	}
	names := domain.Names(slices.Concat(domain.ActionsOf(d.Manifest), domain.Actions(domain.Rare)))
	for _, v := range d.Manifest.Session {
		names = append(names, v.Name)
	}
	return names
}

// Knows reports whether action is one of the host's or of d's; d may be nil.
func Knows(d *domain.Domain, action string) bool { return slices.Contains(actionNames(d), action) }

// Reads reports whether a session action changes neither a document nor a file, and so is allowed to callers who may
// only read. Actions of domains never are.
func Reads(action string) bool {
	op, err := grammar.ParseAction(action)
	if err != nil {
		return true // it is refused
	}
	// The only argument of close is force, which may drop somebody else's changes.
	return domain.HostAction(op.Verb).Reads && (op.Verb != "close" || len(op.Positionals) == 0)
}
