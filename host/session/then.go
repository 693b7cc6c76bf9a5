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

// Edit is the tool D: runs ops on a document ("" for the current one) and, if all
// went well, the queries and session actions of then, in order. Each of those is
// about the same document, or about the one that an action before it made
// current. The first that fails is the last. Without ops, those of then are all.
func (s *Session) Edit(ctx context.Context, dom, doc string, ops, then []string) *reply.Reply {
	ctx = sandbox.OneCall(ctx)
	d, no := s.find(ctx, dom, doc, firstWords(ops)...)
	if no != nil {
		return no
	}
	r := &reply.Reply{}
	if len(ops) > 0 || len(then) == 0 {
		if r = d.Apply(ctx, ops); r.Failed {
			return s.promised(ctx, dom, d, r, "")
		}
	} else {
		stand(r, d.Summary())
	}
	at := d.Name
	if len(then) > 0 {
		ctx = domain.WithConfirmer(ctx, nil) // what the user would be asked comes after an edit that was made
	}
	for i, text := range then {
		next := s.next(ctx, dom, at, text, r)
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
	return r
}

// next answers a query or an action that follows what r tells of, as part of r.
func (s *Session) next(ctx context.Context, dom, doc, text string, r *reply.Reply) *reply.Reply {
	next := s.follow(ctx, dom, doc, text)
	r.Then = append(r.Then, next)
	if next.Failed {
		r.Failed = true
		bad := slices.IndexFunc(next.Results, func(res reply.Result) bool { return res.Prefix == reply.Error })
		next.Results[bad].Text = fmt.Sprintf("then %s: %s", shown(text), next.Results[bad].Text)
	}
	return next
}

// firstWords are the words that texts start with, in lower case.
func firstWords(texts []string) (out []string) {
	for _, t := range texts {
		if words := strings.Fields(t); len(words) > 0 {
			out = append(out, strings.ToLower(words[0]))
		}
	}
	return out
}

// follow answers what is to follow ops: a query or, where there is none of that
// name, a session action.
func (s *Session) follow(ctx context.Context, dom, doc, text string) *reply.Reply {
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
		// The digest stands behind all that follows.
		r.Text = strings.TrimSuffix(strings.TrimSuffix(r.Text, "\n"), "\n["+d.Summary().Digest+"]")
		return r
	case Knows(d.Domain(), op.Verb):
		return s.Session(ctx, dom, doc, text)
	}
	c := &call{s: s, ctx: ctx, dom: dom, doc: doc, op: &op}
	return s.sift(ctx, dom, d, c.neither(d.Domain()), "")
}

// neither refuses a word that is no query and no action.
func (c *call) neither(d *domain.Domain) *reply.Reply {
	try := reply.From(d.Meant(c.op))
	for _, n := range grammar.Nearest(c.op.Verb, append(queryNames(d), names(d)...)) {
		meant := *c.op
		meant.Verb = n
		s := reply.Query(meant.String())
		if !d.Answers(n) {
			s = reply.Action("%s", meant.String())
		}
		if len(try) < abi.MaxTry && !slices.Contains(try, s) && (s.Kind == abi.TryQuery || c.apt(n)) {
			try = append(try, s)
		}
	}
	if len(try) == 0 {
		try = []reply.Suggestion{reply.Help("")}
	}
	return reply.Errorf(try, "unknown query or action")
}
