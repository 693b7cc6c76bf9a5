package session

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/grammar"
	"github.com/fcp-host/fcp-host/host/reply"
)

// A query's answer is cut after pageLines lines or abi.MaxQuery bytes; the
// last line then holds the query that continues it.
const (
	pageLines = 400
	pageKey   = "from-line"
)

// HostQuery is one query the host answers for every domain.
type HostQuery struct{ Name, Syntax, Summary string }

// HostQueries lists them.
func HostQueries() []HostQuery {
	return []HostQuery{
		{"status", "status", "file, unsaved changes, history, checkpoints"},
		{"history", "history [N]", "the last N ops (10)"},
		{"diff", "diff checkpoint:NAME", "what was done since a checkpoint"},
		{"checkpoints", "checkpoints", "the checkpoints, and how far back"},
		{"documents", "documents", "the open documents"},
	}
}

// Query is the tool D_query: answers q about a document ("" for the current).
func (s *Session) Query(ctx context.Context, dom, doc, q string) *reply.Reply {
	op, err := grammar.ParseQuery(q)
	if err != nil {
		return reply.Errorf([]string{"map"}, "%s", err)
	}
	if op.Verb == "documents" {
		return s.list(dom)
	}
	d, no := s.find(dom, doc)
	if no != nil {
		return no
	}
	first := 1
	if v, ok := op.Param(pageKey); ok {
		if first, err = strconv.Atoi(v); err != nil || first < 1 {
			return reply.Errorf(nil, "%s:%s is not a line number from 1", pageKey, v)
		}
		op.Params = slices.DeleteFunc(op.Params, func(p grammar.Param) bool { return p.Key == pageKey })
	}
	return page(s.query(ctx, d, &op), &op, first)
}

func (s *Session) query(ctx context.Context, d *document.Document, op *grammar.Op) *reply.Reply {
	word := ""
	if len(op.Positionals) > 0 {
		word = op.Positionals[0].Text
	}
	switch op.Verb {
	case "status":
		return d.Status(ctx)
	case "checkpoints":
		return d.Checkpoints(ctx)
	case "history":
		n := 10
		if word != "" {
			var err error
			if n, err = strconv.Atoi(word); err != nil || n < 1 {
				return reply.Errorf([]string{"history 10"}, "history %s: N is a whole number from 1", word)
			}
		}
		return d.History(ctx, n)
	case "diff":
		name, ok := op.Param("checkpoint")
		if !ok || name == "" {
			return reply.Errorf([]string{"checkpoints", "diff checkpoint:NAME"}, "diff needs checkpoint:NAME")
		}
		return d.Diff(ctx, name)
	}
	if !slices.ContainsFunc(d.Domain.Manifest.Queries, func(q abi.Query) bool { return q.Name == op.Verb }) {
		return unknownQuery(d.Domain, op)
	}
	if e := d.Domain.CheckSelectors(op); e != nil {
		return reply.Errorf(e.Try, "%s", e.Message)
	}
	return d.Query(ctx, op)
}

func unknownQuery(d *domain.Domain, op *grammar.Op) *reply.Reply {
	var names []string
	syntax := map[string]string{}
	for _, q := range d.Manifest.Queries {
		names = append(names, q.Name)
		syntax[q.Name] = q.Syntax
	}
	for _, q := range HostQueries() {
		names = append(names, q.Name)
		syntax[q.Name] = q.Syntax
	}
	var try []string
	for _, n := range grammar.Nearest(op.Verb, names) {
		try = append(try, syntax[n])
	}
	text := fmt.Sprintf("unknown query %q", op.Verb)
	if len(try) == 0 {
		text += "; there are " + strings.Join(names, " ")
	}
	return reply.Errorf(try, "%s", text)
}

// page cuts a long answer and says how to go on.
func page(r *reply.Reply, op *grammar.Op, first int) *reply.Reply {
	if r.Failed || first == 1 && len(r.Text) <= abi.MaxQuery && strings.Count(r.Text, "\n") <= pageLines {
		return r
	}
	lines := strings.Split(strings.TrimSuffix(r.Text, "\n"), "\n")
	if first > len(lines) {
		return reply.Errorf([]string{op.String()}, "%s:%d is past the end: the answer has %d lines", pageKey, first, len(lines))
	}
	var b strings.Builder
	i := first - 1
	for ; i < len(lines) && i-first+1 < pageLines && (i == first-1 || b.Len()+len(lines[i]) < abi.MaxQuery); i++ {
		l := lines[i]
		if len(l) > abi.MaxQuery {
			l = strings.ToValidUTF8(l[:abi.MaxQuery], "") + "… (line cut)"
		}
		b.WriteString(l)
		b.WriteByte('\n')
	}
	if i < len(lines) {
		fmt.Fprintf(&b, "… %d more lines; continue with: %s %s:%d\n", len(lines)-i, op.String(), pageKey, i+1)
	}
	r.Text = b.String()
	return r
}
