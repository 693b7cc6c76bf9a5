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

// unknown answers a word that is not an action: it suggests actions with similar names, or the op or query that it is.
func (c *call) unknown(d *domain.Domain) error {
	names := actionNames(d)
	text := "unknown action " + quoteShort(c.op.Verb)
	var try []reply.Suggestion
	if d != nil {
		try = reply.From(d.Interpret(c.op))
	}
	near := grammar.Nearest(c.op.Verb, names)
	for _, n := range near {
		if len(try) < abi.MaxTry && c.worthSuggesting(n) {
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
	return reply.Refuse(try, "%s", text)
}

// worthSuggesting reports whether the action name may be suggested for a misspelt one. Actions that discard something
// are not, unless the word is clearly that name; open and save need a file.
func (c *call) worthSuggesting(name string) bool {
	like := len(c.op.Verb) > 1 && strings.HasPrefix(name, c.op.Verb[:2]) // so that import does not suggest export
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

// withDomain is a unified new with the domain that it lacks.
func (w *command) withDomain(d *domain.Domain) string {
	op := *w.op
	op.Positionals = append([]abi.Positional{{Text: d.Name()}}, op.Positionals...)
	if len(op.Positionals) == 1 {
		op.Positionals = append(op.Positionals, abi.Positional{Text: "Title", Quoted: true})
	}
	return op.String()
}

// nameDocument tells a client whose failed action named another document than the current one to name it in the
// suggested calls, too.
func (c *call) nameDocument(d *document.Document, r *reply.Reply) {
	for i := range r.Results {
		if res := &r.Results[i]; len(res.Try) > 0 {
			res.Text += fmt.Sprintf("; add document:%s to what you try", grammar.Quote(d.Name))
			return
		}
	}
}
