package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Edit implements the tool D: it runs ops on a document ("" for the current one) and then, if they succeeded, the
// queries, session actions and further ops of then in order. Each of those is about the same document, or about the one that an
// earlier action made current. After a failed query only the queries of the list still run, after a failed action nothing.
// ops may be empty.
func (s *Session) Edit(ctx context.Context, dom, doc string, ops, then []string) *reply.Reply {
	ctx = sandbox.OneCall(ctx)
	d, err := s.find(ctx, dom, doc, firstWords(ops)...)
	if err != nil {
		return document.Failure(err)
	}
	r := &reply.Reply{}
	if len(ops) > 0 || len(then) == 0 {
		if r = s.apply(ctx, dom, d, ops); r.Failed {
			notRun(r, then)
			return s.several(dom, doc, r)
		}
	} else {
		d.Summary().Fill(r)
	}
	s.runThen(ctx, dom, d.Name, then, r, false)
	return s.several(dom, doc, r)
}

// apply runs ops on a document, and keeps only suggestions that work.
func (s *Session) apply(ctx context.Context, dom string, d *document.Document, ops []string) *reply.Reply {
	r := d.Apply(ctx, ops)
	if r.Failed {
		s.explain(dom, d, ops, r)
		r = s.dropInfeasible(ctx, dom, d, r, "")
	}
	return r
}

// runThen runs queries, session actions and ops after what r answers. The first is about the document at. Between the lines of actions, what a
// domain answers is indented; after those of an edit, the query stands above what the host answers, and above what follows that.
func (s *Session) runThen(ctx context.Context, dom, at string, then []string, r *reply.Reply, acts bool) {
	if len(then) > 0 {
		ctx = domain.WithConfirmer(ctx, nil) // the user must not be asked after an edit that was already made
	}
	var last *reply.Reply // the last that failed
	var left []string     // those that were not run
	acted := false        // an action failed
	titled := false       // the host answered a query
	for len(then) > 0 {
		text, n := then[0], s.ops(ctx, dom, at, then)
		isQuery := n == 0 && s.isQuery(ctx, dom, at, text)
		if list := queryLines(text); isQuery && len(list) > 1 {
			then = slices.Concat(list, then[1:])
			continue
		}
		if last != nil && (acted || !isQuery) {
			left, then = append(left, text), then[1:]
			continue
		}
		var next *reply.Reply
		if n > 0 {
			next = s.applyThen(ctx, dom, at, then[:n], r, acts)
		} else {
			next = s.appendThen(ctx, dom, at, text, r)
		}
		then = then[max(n, 1):]
		if next.Failed {
			last, acted = next, !isQuery
		}
		switch titled = titled || isQuery && !next.Failed && !next.Guest; {
		case next.Text == "":
		case acts && next.Guest:
			next.Text = "  " + indentRest(strings.TrimSuffix(next.Text, "\n"))
		case !acts && titled:
			next.Text = "> " + reply.Line(text) + "\n" + next.Text
		}
		if next.Document != "" {
			at = next.Document
		}
	}
	if len(left) > 0 {
		last.Add(reply.Error, "kept: what was done before; not run: %s", quoteAll(left))
	}
}

// notRun adds which entries of a call did not run because its first part failed.
func notRun(r *reply.Reply, then []string) {
	if len(then) > 0 {
		r.Add(reply.Error, "not run: %s", quoteAll(then))
	}
}

func quoteAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quoteShort(text)
	}
	return strings.Join(quoted, ", ")
}

// ops returns how many of the first entries of then are ops of the document's domain.
func (s *Session) ops(ctx context.Context, dom, doc string, then []string) int {
	d, err := s.find(ctx, dom, doc)
	if err != nil {
		return 0
	}
	if i := slices.IndexFunc(then, func(text string) bool { return !IsOp(d.Domain(), text) }); i >= 0 {
		return i
	}
	return len(then)
}

// IsOp reports whether an entry of then is an op of a domain: it begins with the name of a verb, which is not that of an action. Where a
// query has the name, too, its word alone is the query, and what has the form of an op is the op.
func IsOp(d *domain.Domain, text string) bool {
	verb := strings.Join(firstWords([]string{text}), "")
	if !d.Knows(verb) || Knows(d, verb) || !d.Answers(verb) {
		return d.Knows(verb) && !Knows(d, verb)
	}
	items := grammar.ParseAll([]string{text}, d.Rules)
	return len(strings.Fields(text)) > 1 && len(items) == 1 && items[0].Err == nil && d.Whole(&items[0].Op)
}

// applyThen runs ops of then, all or none of them, and appends the reply to r. Between the lines of actions, what ops did begins with the
// domain's name.
func (s *Session) applyThen(ctx context.Context, dom, doc string, ops []string, r *reply.Reply, acts bool) *reply.Reply {
	d, err := s.find(ctx, dom, doc)
	var next *reply.Reply
	if err != nil {
		next = document.Failure(err)
	} else {
		next = s.apply(ctx, dom, d, ops)
		for i := range next.Results {
			if res := &next.Results[i]; acts && res.Prefix != reply.Error {
				res.Text = reply.Said(d.Domain().Name(), res.Text)
			}
		}
	}
	r.Then, r.Failed = append(r.Then, next), r.Failed || next.Failed
	return next
}

// isQuery reports whether an entry of then is a query of the document's domain, or several, one a line.
func (s *Session) isQuery(ctx context.Context, dom, doc, text string) bool {
	d, err := s.find(ctx, dom, doc)
	list := queryLines(text)
	return err == nil && len(list) > 0 && !slices.ContainsFunc(list, func(line string) bool {
		op, err := grammar.ParseQuery(line)
		return err != nil || !d.Domain().Answers(op.Verb)
	})
}

// QueryThen is Query with further queries.
func (s *Session) QueryThen(ctx context.Context, dom, doc, q string, then []string) *reply.Reply {
	for _, text := range then {
		if !s.isQuery(ctx, dom, doc, text) {
			return reply.Errorf(queries(q), "then %s: no query, and this tool only reads; nothing was done", quoteShort(text))
		}
	}
	return s.Query(ctx, dom, doc, strings.Join(append([]string{q}, then...), "\n"))
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
			if !slices.ContainsFunc(domains, func(d *domain.Domain) bool { return Knows(d, verb) || d.Answers(verb) || d.Knows(verb) }) {
				c := &call{s: s, ctx: ctx, dom: dom, doc: doc}
				return s.several(dom, doc, c.finish(reply.Errorf(actions(joinWords(list)), "%s is no action, query or verb; several actions go into a list with one in each string, a single one into one string; nothing was done", quoteShort(verb))))
			}
		}
	}
	r := s.act(ctx, dom, doc, list[0], slices.Contains(firstWords(list[1:]), mapQuery))
	if r.Failed {
		notRun(r, list[1:])
		return r
	}
	s.runThen(ctx, dom, r.Document, list[1:], r, true)
	return s.several(dom, doc, r)
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
	d, err := s.find(ctx, dom, doc)
	if err != nil {
		return document.Failure(err)
	}
	switch {
	case s.isQuery(ctx, dom, doc, text):
		r := s.Query(ctx, dom, doc, text)
		r.Text = withoutDigest(r.Text, d.Summary().Digest) // it is printed once, after all answers
		return r
	case Knows(d.Domain(), op.Verb):
		return s.Session(ctx, dom, doc, text)
	}
	c := &call{s: s, ctx: ctx, dom: dom, doc: doc, command: command{&op}}
	return s.siftSuggestions(ctx, dom, d, document.Failure(c.unknownThen(d.Domain())), "")
}

// unknownThen answers a word that is neither a query nor an action.
func (c *call) unknownThen(d *domain.Domain) error {
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
	return reply.Refuse(try, "unknown query or action")
}
