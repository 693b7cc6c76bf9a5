package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Edit implements the tool D: it runs ops on a document ("" for the current one) and then, if they succeeded, the
// queries and session actions of then in order. Each of those is about the same document, or about the one that an
// earlier action made current. The first that fails ends the list. ops may be empty.
func (s *Session) Edit(ctx context.Context, dom, doc string, ops, then []string) *reply.Reply {
	ctx = sandbox.OneCall(ctx)
	d, no := s.find(ctx, dom, doc, firstWords(ops)...)
	if no != nil {
		return no
	}
	r := &reply.Reply{}
	if len(ops) > 0 || len(then) == 0 {
		if r = d.Apply(ctx, ops); r.Failed {
			return s.dropInfeasible(ctx, dom, d, r, "")
		}
	} else {
		fillState(r, d.Summary())
	}
	s.runThen(ctx, dom, d.Name, then, r)
	return r
}

// runThen runs queries and session actions after what r answers. The first is about the document at.
func (s *Session) runThen(ctx context.Context, dom, at string, then []string, r *reply.Reply) {
	if len(then) > 0 {
		ctx = domain.WithConfirmer(ctx, nil) // the user must not be asked after an edit that was already made
	}
	for i, text := range then {
		next := s.appendThen(ctx, dom, at, text, r)
		if next.Failed {
			if left := len(then) - i - 1; left > 0 {
				next.Add(reply.Error, "kept: what was done before; %d of then not run", left)
			}
			break
		}
		if next.Document != "" {
			at = next.Document
		}
	}
}

// Actions runs actions in order, each of them and queries after the first as Edit runs those of then. Several must all
// begin with the name of one, so that the words of a single action are refused before any of them has run.
func (s *Session) Actions(ctx context.Context, dom, doc string, list []string) *reply.Reply {
	if len(list) > 1 {
		domains := s.Domains()
		if d := s.servedDomain(dom); d != nil {
			domains = []*domain.Domain{d}
		}
		for _, verb := range firstWords(list) {
			if !slices.ContainsFunc(domains, func(d *domain.Domain) bool { return Knows(d, verb) || d.Answers(verb) }) {
				c := &call{s: s, ctx: ctx, dom: dom, doc: doc}
				return c.finish(reply.Errorf(actions(joinWords(list)), "%s is no action; several actions go into a list with one in each string, a single one into one string; nothing was done", quoteShort(verb)))
			}
		}
	}
	r := s.Session(ctx, dom, doc, list[0])
	if r.Failed {
		if len(list) > 1 {
			r.Add(reply.Error, "%d of the actions not run", len(list)-1)
		}
		return r
	}
	s.runThen(ctx, dom, r.Document, list[1:], r)
	return r
}

// joinWords makes one action of its words.
func joinWords(list []string) string {
	words := slices.Clone(list)
	for i, w := range words[1:] {
		if strings.ContainsAny(w, " \t") && !strings.ContainsAny(w, `"'`) {
			words[i+1] = grammar.Quote(w)
		}
	}
	return strings.Join(words, " ")
}

// appendThen appends the answer to a query or action to r.
func (s *Session) appendThen(ctx context.Context, dom, doc, text string, r *reply.Reply) *reply.Reply {
	next := s.answerThen(ctx, dom, doc, text)
	r.Then = append(r.Then, next)
	if next.Failed {
		r.Failed = true
		bad := slices.IndexFunc(next.Results, func(res reply.Result) bool { return res.Prefix == reply.Error })
		next.Results[bad].Text = fmt.Sprintf("then %s: %s", quoteShort(text), next.Results[bad].Text)
	}
	return next
}

// firstWords lists the first word of each text in lower case.
func firstWords(texts []string) (out []string) {
	for _, t := range texts {
		if words := strings.Fields(t); len(words) > 0 {
			out = append(out, strings.ToLower(words[0]))
		}
	}
	return out
}

// answerThen answers an entry of then: a query or, if there is none of that name, a session action.
func (s *Session) answerThen(ctx context.Context, dom, doc, text string) *reply.Reply {
	op, err := grammar.ParseQuery(text)
	if err != nil {
		return s.Query(ctx, dom, doc, text)
	}
	d, no := s.find(ctx, dom, doc)
	if no != nil {
		return no
	}
	switch {
	case d.Domain().Answers(op.Verb):
		r := s.Query(ctx, dom, doc, text)
		r.Text = withoutDigest(r.Text, d.Summary().Digest) // it is printed once, after all answers
		return r
	case Knows(d.Domain(), op.Verb):
		return s.Session(ctx, dom, doc, text)
	}
	c := &call{s: s, ctx: ctx, dom: dom, doc: doc, op: &op}
	return s.siftSuggestions(ctx, dom, d, c.unknownThen(d.Domain()), "")
}

// unknownThen answers a word that is neither a query nor an action.
func (c *call) unknownThen(d *domain.Domain) *reply.Reply {
	try := reply.From(d.Interpret(c.op))
	for _, n := range grammar.Nearest(c.op.Verb, append(queryNames(d), actionNames(d)...)) {
		meant := *c.op
		meant.Verb = n
		s := reply.Query(meant.String())
		if !d.Answers(n) {
			s = reply.Action("%s", meant.String())
		}
		if len(try) < abi.MaxTry && !slices.Contains(try, s) && (s.Kind == abi.TryQuery || c.worthSuggesting(n)) {
			try = append(try, s)
		}
	}
	if len(try) == 0 {
		try = []reply.Suggestion{reply.Help("")}
	}
	return reply.Errorf(try, "unknown query or action")
}
