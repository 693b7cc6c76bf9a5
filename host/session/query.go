package session

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// The answer to a query is cut after pageLines lines or pageBytes bytes, about what clients show a model of one answer;
// the last line then has the query for the next page. A longer line is cut itself.
const (
	pageLines = 400
	pageBytes = 96 << 10
	pageKey   = "from-line"
)

// maxQueries is how many queries one call may hold.
const maxQueries = 32

// Query implements the tool D_query: it answers q about a document ("" for the current one). q may hold several
// queries, one per line; each is answered below its own text, even after one that failed, until the answers fill a
// page.
func (s *Session) Query(ctx context.Context, dom, doc, q string) *reply.Reply {
	ctx = sandbox.OneCall(ctx)
	list := queryLines(q)
	if len(list) <= 1 {
		return s.several(dom, doc, s.answerQuery(ctx, dom, doc, q, pageLines))
	}
	return s.several(dom, doc, answered(s.answerQueries(ctx, dom, doc, list)))
}

// Print is Query for a person: the whole answer as the domain wrote it.
func (s *Session) Print(ctx context.Context, dom, q string) *reply.Reply {
	return s.answerQuery(sandbox.OneCall(ctx), dom, "", q, 0)
}

// answerQueries answers several queries.
func (s *Session) answerQueries(ctx context.Context, dom, doc string, list []string) (*reply.Reply, error) {
	if len(list) > maxQueries {
		return nil, reply.Refuse(nil, "a call answers at most %d queries, this one holds %d", maxQueries, len(list))
	}
	r := &reply.Reply{}
	size := 0
	for i, line := range list {
		if size > pageBytes {
			r.Then[i-1].Warnings = append(r.Then[i-1].Warnings, fmt.Sprintf("not asked, since the answers above fill a page: %s", strings.Join(list[i:], ", ")))
			break
		}
		next := s.answerQuery(ctx, dom, doc, line, pageLines)
		if next.Failed {
			r.Failed = true
			bad := slices.IndexFunc(next.Results, func(res reply.Result) bool { return res.Prefix == reply.Error })
			next.Results[bad].Text = quoteShort(line) + ": " + next.Results[bad].Text
		} else {
			next.Text = "> " + reply.Line(line) + "\n" + next.Text
		}
		size += len(next.Text)
		r.Then = append(r.Then, next)
	}
	return r, nil
}

// queryLines splits q at line breaks outside of quotes, without empty lines.
func queryLines(q string) (list []string) {
	var quoted, escaped bool
	rest := strings.FieldsFunc(q, func(c rune) bool {
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		}
		return c == '\n' && !quoted
	})
	for _, line := range rest {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// answerQuery answers one query with at most that many lines, 0 for all; a refused one in its other reading, if it has one
// (domain.Joined).
func (s *Session) answerQuery(ctx context.Context, dom, doc, q string, lines int) *reply.Reply {
	return answered(s.answerRead(ctx, dom, doc, q, lines, true))
}

func (s *Session) answerRead(ctx context.Context, dom, doc, q string, lines int, otherwise bool) (*reply.Reply, error) {
	if word, topic, _ := strings.Cut(strings.TrimSpace(q), " "); strings.EqualFold(word, domain.HelpQuery) {
		return s.Help(ctx, dom, "", topic), nil
	}
	op, err := grammar.ParseQuery(q)
	if err != nil {
		return nil, reply.Refuse(queries("status"), "%s", err)
	}
	foldKeys(&op, "checkpoint", pageKey)
	if op.Verb == "documents" || op.Verb == "jobs" && s.runsPrograms(dom, doc) {
		if err := takes(&op); err != nil {
			return nil, err
		}
		if op.Verb == "jobs" {
			return s.answerJobs(doc), nil
		}
		return s.list(dom)
	}
	d, err := s.find(ctx, dom, doc, op.Verb)
	if err != nil {
		if op.Verb == "status" {
			return s.nothingOpen(err), nil
		}
		return nil, err
	}
	for i := range op.Params {
		op.Params[i].Key = strings.ToLower(op.Params[i].Key)
	}
	first := 1
	v, paged := op.Param(pageKey)
	if paged {
		op.Params = slices.DeleteFunc(op.Params, func(p abi.KeyValue) bool { return p.Key == pageKey })
		if first, err = strconv.Atoi(v); err != nil || first < 1 {
			return nil, reply.Refuse(queries(op.String()), "%s: takes a line number from 1, not %s", pageKey, quoteShort(v))
		}
	}
	var r *reply.Reply
	switch {
	case lines == 0:
		r = s.query(ctx, d, &op, first, 0)
	case paged || d.Domain().Exact(&op):
		r = page(s.query(ctx, d, &op, first, lines), &op, first)
	case d.Domain().Folds(&op):
		r = s.folded(ctx, d, &op, foldRoom)
	default:
		r = page(shortenData(s.query(ctx, d, &op, first, lines), &op), &op, first)
	}
	r.Warnings = append(r.Warnings, op.Warnings...)
	if !r.Failed || !otherwise {
		return r, nil
	}
	if read := s.readJoined(ctx, dom, doc, d, q, lines); read != nil {
		return read, nil
	}
	topic := op.Verb
	if !d.Domain().Answers(topic) {
		topic = ""
	}
	if len(r.Results) > 0 {
		r.Results[0].Try = append(otherReadings(d.Domain(), &op), r.Results[0].Try...)
	}
	return s.siftSuggestions(ctx, dom, d, r, topic), nil
}

// readJoined answers a refused query in the one reading that works in which words beside each other are a name; nil if there
// is none.
func (s *Session) readJoined(ctx context.Context, dom, doc string, d *document.Document, q string, lines int) *reply.Reply {
	if verb, _, _ := strings.Cut(q, " "); len(d.Domain().QueryWants(strings.ToLower(verb))) > 0 { // asked once, as it is written
		return nil
	}
	answers := map[string]*reply.Reply{}
	works := func(text string) bool {
		answers[text] = answered(s.answerRead(ctx, dom, doc, text, lines, false))
		return !answers[text].Failed
	}
	has := func(name string) bool { return works(domain.NameQuery + " " + grammar.Quote(name)) }
	read := d.Domain().Joined(abi.TryQuery, q, has, works)
	found := answers[read]
	if found != nil {
		found.Warnings = append(found.Warnings, "read as "+reply.Line(read))
	}
	return found
}

// otherReadings lists what a refused query with misplaced words may mean: a query after another's name, the value of a
// key as a word, TYPE:VALUE as a selector.
func otherReadings(d *domain.Domain, op *grammar.Op) (try []reply.Suggestion) {
	if !d.Answers(op.Verb) {
		return nil
	}
	add := func(next grammar.Op) {
		said := reply.Query(next.String())
		if d.CheckQuery(&next) == nil {
			try = append(try, said)
		}
	}
	if len(op.Positionals) > 0 && !op.Positionals[0].Quoted && d.Answers(strings.ToLower(op.Positionals[0].Text)) {
		next := *op
		next.Verb, next.Positionals = strings.ToLower(op.Positionals[0].Text), op.Positionals[1:]
		add(next)
	}
	for i, p := range op.Params {
		next := *op
		next.Params = slices.Delete(slices.Clone(op.Params), i, i+1)
		typed := next
		next.Positionals = append(slices.Clone(op.Positionals), abi.Positional{Text: p.Value})
		typed.Selectors = append(slices.Clone(op.Selectors), abi.Select{Raw: "@" + p.Key + ":" + grammar.Quote(p.Value), Type: p.Key, Value: p.Value})
		add(typed)
		add(next)
	}
	return try
}

// takes refuses words, keys and selectors that a host query does not take.
func takes(op *grammar.Op) error {
	form := domain.HostQuery(op.Verb).Form
	words, keys := form.Most, form.Keys
	if name, ok := op.Param("checkpoint"); op.Verb == domain.DiffQuery && name == "" && (ok || len(op.Positionals) > 0) {
		return reply.Refuse(queries("checkpoints"), "diff needs checkpoint:NAME; the query checkpoints lists the names")
	}
	bare := *op
	bare.Selectors, bare.Positionals = nil, op.Positionals[:min(words, len(op.Positionals))]
	bare.Params = slices.DeleteFunc(slices.Clone(op.Params), func(p abi.KeyValue) bool { return !slices.Contains(keys, p.Key) })
	try := queries(bare.String())
	switch {
	case len(op.Positionals) > words:
		return reply.Refuse(try, "%s takes no %s", op.Verb, quoteShort(op.Positionals[words].Text))
	case len(op.Selectors) > 0:
		return reply.Refuse(try, "%s takes no selector", op.Verb)
	}
	for _, p := range op.Params {
		if !slices.Contains(keys, p.Key) {
			return reply.Refuse(try, "%s takes no %s:", op.Verb, shortKey(p.Key))
		}
	}
	return nil
}

// hostQueries maps the queries of the host that are about a document.
var hostQueries = map[string]func(*Session, context.Context, *document.Document, *grammar.Op) (*reply.Reply, error){
	"status": (*Session).status,
	"checkpoints": func(_ *Session, ctx context.Context, d *document.Document, _ *grammar.Op) (*reply.Reply, error) {
		return d.Checkpoints(ctx), nil
	},
	"history":        history,
	domain.DiffQuery: diff,
}

func (s *Session) status(ctx context.Context, d *document.Document, _ *grammar.Op) (*reply.Reply, error) {
	further := slices.Concat(s.buildLine(d), s.memoryLine(), wantLines(ctx, d.Domain()))
	for _, line := range s.absentLines() {
		further = append(further, "? "+line)
	}
	return d.Status(ctx, further...), nil
}

// wantLines says for each of a domain's wants whether it is granted.
func wantLines(ctx context.Context, d *domain.Domain) (lines []string) {
	ctx = domain.WithConfirmer(ctx, nil)
	for i := range d.Manifest.Wants {
		key := d.Manifest.Wants[i].Key()
		if no := d.Missing(ctx, []string{key}); no != nil {
			said, ok := strings.CutPrefix(no.Message, domain.Needs)
			if !ok {
				said = key + ": " + no.Message
			}
			lines = append(lines, "wants: "+said)
		} else {
			lines = append(lines, "wants: "+key+", which is granted")
		}
	}
	return lines
}

func history(_ *Session, ctx context.Context, d *document.Document, op *grammar.Op) (*reply.Reply, error) {
	n := 10
	if len(op.Positionals) > 0 {
		var err error
		if n, err = strconv.Atoi(op.Positionals[0].Text); err != nil || n < 1 {
			return nil, reply.Refuse(queries("history 10"), "history %s: N is a whole number from 1", quoteShort(op.Positionals[0].Text))
		}
	}
	return d.History(ctx, n), nil
}

func diff(_ *Session, ctx context.Context, d *document.Document, op *grammar.Op) (*reply.Reply, error) {
	name, _ := op.Param("checkpoint")
	return d.Diff(ctx, name), nil
}

// query answers a query. It asks a domain for that many lines from line first on.
func (s *Session) query(ctx context.Context, d *document.Document, op *grammar.Op, first, lines int) *reply.Reply {
	_, since := op.Param("checkpoint")
	if answer, ok := hostQueries[op.Verb]; ok && (op.Verb != domain.DiffQuery || since || d.Summary().Ref == "" || !d.Domain().AnswersDiff()) {
		if err := takes(op); err != nil {
			return document.Failure(err)
		}
		return answered(answer(s, ctx, d, op))
	}
	if !d.Domain().Answers(op.Verb) {
		return document.Failure(unknownQuery(d.Domain(), op))
	}
	if e := d.Domain().CheckQuery(op); e != nil {
		try := reply.From(e.Try)
		if len(try) == 0 {
			bare := *op
			bare.Selectors = nil
			try = queries(bare.String())
		}
		return reply.Errorf(try, "%s", e.Message)
	}
	return d.Query(ctx, op, first, lines)
}

func queryNames(d *domain.Domain) []string {
	var names []string
	for _, q := range d.Manifest.Queries {
		names = append(names, q.Name)
	}
	return append(names, domain.Names(domain.QueriesOf(d.Manifest))...)
}

// unknownQuery answers a word that is not a query: it suggests queries with similar names, or the op or action that it
// is.
func unknownQuery(d *domain.Domain, op *grammar.Op) error {
	names := queryNames(d)
	try := reply.From(d.Interpret(op))
	near := grammar.Nearest(op.Verb, names)
	for _, n := range near {
		if len(try) < abi.MaxTry {
			meant := *op
			meant.Verb = n
			said := reply.Query(meant.String())
			if d.CheckQuery(&meant) == nil {
				try = append(try, said)
			}
		}
	}
	text := "unknown query " + quoteShort(op.Verb)
	if len(try) == 0 {
		text += "; there are " + strings.Join(names, " ")
		try = []reply.Suggestion{reply.Help("")}
	}
	return reply.Refuse(try, "%s", text)
}

// page cuts a long answer to a page starting at line first, and adds the query for the next one.
func page(r *reply.Reply, op *grammar.Op, first int) *reply.Reply {
	text := strings.TrimSuffix(r.Text, "\n")
	if r.Failed || first == 1 && r.Total == 0 && len(text) <= pageBytes && strings.Count(text, "\n") < pageLines {
		return r
	}
	lines := strings.Split(text, "\n")
	total := len(lines)
	switch {
	case r.Total > 0 && text == "": // past the end, whatever the total says
		total = min(r.Total, first-1)
	case r.Total > 0:
		total = max(r.Total, first-1+len(lines))
	default:
		lines = lines[min(first-1, len(lines)):]
	}
	if first > total {
		return reply.Errorf(queries(op.String()), "%s:%d is past the end: the answer has %s", pageKey, first, reply.Count(total, "line"))
	}
	var b strings.Builder
	n := 0
	for _, l := range lines {
		if n == pageLines || n > 0 && b.Len()+len(l) >= pageBytes {
			break
		}
		n++
		if len(l) > pageBytes {
			l = fmt.Sprintf("%s… (%s of this line left out)", strings.ToValidUTF8(l[:pageBytes], ""), reply.Count(len(l)-pageBytes, "byte"))
		}
		b.WriteString(l)
		b.WriteByte('\n')
	}
	if left := total - (first - 1) - n; left > 0 {
		fmt.Fprintf(&b, "… %s; continue with: %s %s:%d\n", reply.Count(left, "more line"), op.String(), pageKey, first+n)
	}
	r.Text = b.String()
	if first > 1 {
		r.Content = nil // sent with the first page
	}
	return r
}
