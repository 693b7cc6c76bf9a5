package session

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

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
