package session

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/grammar"
	"github.com/fcp-host/fcp-host/host/reply"
)

// promised drops from r, a refusal about d, the suggested actions and queries of
// the host's own that cannot work now: ops and a domain's queries are run on the
// document (document.TryOut), these are held against what they need. Where
// nothing is left, the help on topic is suggested.
func (s *Session) promised(ctx context.Context, dom string, d *document.Document, r *reply.Reply, topic string) *reply.Reply {
	if !r.Failed {
		return r
	}
	for i := range r.Results {
		res := &r.Results[i]
		had := len(res.Try)
		for j, t := range res.Try {
			if t.Kind == abi.TryAction && t.Text == "save" && t.Domain == "" {
				res.Try[j] = d.TrySave() // which may need a name
			}
		}
		res.Try = slices.DeleteFunc(res.Try, func(t reply.Suggestion) bool {
			switch {
			case t.Domain != "" && t.Domain != d.Domain.Name():
				return false // another's document
			case t.Kind == abi.TryAction:
				return !s.feasible(ctx, dom, d, t.Text)
			case t.Kind == abi.TryQuery:
				return !s.answered(ctx, d, t.Text)
			}
			return false
		})
		if had > 0 && len(res.Try) == 0 {
			res.Try = []reply.Suggestion{reply.Help(topic)}
		}
	}
	return r
}

// answered reports whether a query of the host's own is answered; others are
// taken to be.
func (s *Session) answered(ctx context.Context, d *document.Document, text string) bool {
	op, err := grammar.ParseQuery(text)
	if err != nil {
		return false
	}
	if op.Verb == "documents" {
		return takes(&op, 0) == nil
	}
	return !slices.Contains(domain.ReservedQueries(), op.Verb) || !s.query(ctx, d, &op, 1).Failed
}

// needs is how many words an action takes and which keys.
type needs struct {
	least, most int
	keys        []string
}

// feasible reports whether an action about d has the words that it needs, and
// what these name is there.
func (s *Session) feasible(ctx context.Context, dom string, d *document.Document, text string) bool {
	op, err := grammar.ParseCommand(text)
	if err != nil || len(op.Selectors) > 0 {
		return false
	}
	c := &call{s: s, ctx: ctx, dom: dom, op: &op}
	words := len(op.Positionals)
	n, ok := map[string]needs{
		"open": {0, 1, []string{"as", "path"}}, "save": {0, 2, []string{"as"}}, "close": {0, 1, nil}, "checkpoint": {1, 1, nil}, "undo": {0, 1, []string{"to"}}, "redo": {0, 1, nil},
		"status": {}, "batch": {1, 1, nil}, "use": {1, 1, nil}, "documents": {}, "recover": {0, 2, nil}, "discard": {1, 1, nil}, "enable": {0, 1, nil},
	}[op.Verb]
	if ok && (words < n.least || words > n.most ||
		slices.ContainsFunc(op.Params, func(p grammar.Param) bool { return !slices.Contains(n.keys, p.Key) })) {
		return false
	}
	switch op.Verb {
	case "close":
		return c.keyword(0) == "force" || !d.Summary().Dirty
	case "new":
		return words <= 1 || dom == "" && words == 2
	case "save":
		_, as := op.Param("as")
		forced := words > 0 && c.keyword(words-1) == "force"
		return words < 2 && !(as && words == 1 && !forced) || words == 2 && forced && !as
	case "open":
		path, _ := op.Param("path")
		return c.there(c.s.domain(dom), path+c.text(0))
	case "use":
		_, no := s.find(ctx, dom, c.text(0))
		return no == nil
	case "batch":
		return c.text(0) == "atomic" || c.text(0) == "each"
	case "undo", "redo":
		return c.rewinds(d)
	case "recover", "discard":
		list, _, err := s.offered(ctx, dom)
		return err != nil || len(list) > 0
	case "enable":
		return d.Domain.Plugin().Disabled()
	case "export":
		_, as := op.Param("as")
		return as == (words == 1) && words <= 2 && slices.ContainsFunc(d.Domain.Manifest.Exports, func(f abi.Format) bool { return f.Name == c.text(0) })
	}
	if i := slices.IndexFunc(d.Domain.Manifest.Session, func(v abi.Session) bool { return v.Name == op.Verb }); i >= 0 {
		v := d.Domain.Manifest.Session[i]
		return words < len(strings.Fields(v.Syntax)) && (v.File == 0 || c.there(d.Domain, c.text(v.File-1)))
	}
	return true
}

// there reports whether a path of the action is a file.
func (c *call) there(d *domain.Domain, path string) bool {
	roots := c.s.rootsOf(d)
	real, err := roots.Resolve(path)
	return path != "" && err == nil && roots.Exists(real)
}

// rewinds reports whether the document can be undone or redone as far as the
// action says.
func (c *call) rewinds(d *document.Document) bool {
	if to, ok := c.op.Param("to"); ok {
		return len(c.op.Positionals) == 0 && d.UndoesTo(to)
	}
	n := 1
	if word := c.keyword(0); word != "" && word != "batch" {
		var err error
		if n, err = strconv.Atoi(strings.TrimSpace(word)); err != nil || n < 1 {
			return false
		}
	}
	if c.op.Verb == "redo" {
		return c.keyword(0) != "batch" && d.Redoes(n)
	}
	return d.Undoes(n)
}
