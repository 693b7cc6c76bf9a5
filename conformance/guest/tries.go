package guest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/conformance"
	"github.com/fcp-host/fcp-host/grammar"
)

// perVerb is how many of the log's ops of each verb are spoiled, at most.
const perVerb = 3

// checkTries spoils ops of the log where they worked, and runs what the refusals suggest. After the last op it also sends
// queries that have no answer, and refused ops again.
func (j *judge) checkTries(w *walked) {
	t := &tryout{j: j, seen: map[string]bool{}, answered: map[string]string{}}
	defer t.close()
	times := map[string]int{}
	for k, d := range w.log {
		if j.late() {
			return
		}
		if times[d.op.Verb]++; times[d.op.Verb] <= j.attempts(perVerb) {
			t.recent = recent(w.log[:k])
			for _, op := range j.reparse(d.op) {
				t.spoil(op)
			}
		}
		t.advance(d.result.Events)
	}
	t.recent = recent(w.log)
	for _, op := range w.refused[:min(len(w.refused), j.attempts(maxRefused))] {
		for _, op := range j.reparse(op) {
			t.sendMistake(op, false)
		}
	}
	words := j.namesToQuery(w)
	if len(words) < 3 {
		words = words[:1]
	}
	for _, q := range j.m.Queries {
		for _, m := range t.spoilQuery(q.Name, words) {
			t.sendQuery(m)
		}
	}
}

// reparse returns the op as the parser reads it, or nothing.
func (j *judge) reparse(op abi.Op) []grammar.Op {
	parsed, err := grammar.Parse(blockText(op, j.d.Rules), j.d.Rules)
	if err != nil {
		return nil
	}
	return []grammar.Op{parsed}
}

// tryout is a document at one position of a log, in two instances: one gets the mistakes, the other runs the
// suggestions.
type tryout struct {
	j         *judge
	events    []abi.Event // of the log so far
	recent    []string
	doc, twin *instance
	was       moment
	seen      map[string]bool   // suggestions at this position, with what they were for
	answered  map[string]string // what was wrong with the answers to queries at this position; "" for nothing
}

func (t *tryout) close() {
	t.drop(&t.doc)
	t.drop(&t.twin)
}

func (t *tryout) drop(i **instance) {
	if *i != nil {
		(*i).close()
	}
	*i = nil
}

// ready starts missing instances, and reports whether there are both.
func (t *tryout) ready() bool {
	for _, i := range []**instance{&t.doc, &t.twin} {
		if *i != nil && !(*i).in.NeedsRecycle() {
			continue
		}
		t.drop(i)
		if t.j.over() {
			return false
		}
		doc, err := t.j.documentFrom(t.events)
		if err != nil {
			return false // the check "recovery" reports it
		}
		*i = doc
		if t.was, err = doc.moment(); err != nil {
			t.drop(i)
			return false
		}
	}
	return true
}

// advance moves past an op with these events.
func (t *tryout) advance(events []abi.Event) {
	t.events = append(t.events, events...)
	clear(t.seen)
	clear(t.answered)
	for _, i := range []**instance{&t.doc, &t.twin} {
		if *i == nil {
			continue
		}
		err := (*i).replay(events)
		if err == nil {
			t.was, err = (*i).moment()
		}
		if err != nil {
			t.drop(i)
		}
	}
}

// restore reverses what an instance did. If that fails it drops the instance; other checks report that.
func (t *tryout) restore(i **instance, events []abi.Event) {
	if fault, _ := (*i).against(t.was, (*i).reverse(events)); fault != "" {
		t.drop(i)
	}
}

// spoil sends every mistake for an op that works here.
func (t *tryout) spoil(op grammar.Op) {
	single, more := t.j.mistakes(op)
	for _, m := range single {
		t.sendMistake(m, true)
	}
	for _, m := range more {
		t.sendMistake(m, false)
	}
}

// sendMistake sends a mistaken op. single means that it has one mistake, so the suggestion must work. What the host refuses by
// the manifest never reaches the domain; the suggestions are then made from the manifest, and the host drops those that
// fail.
func (t *tryout) sendMistake(op grammar.Op, single bool) {
	sent, err := grammar.Parse(grammar.Format(op, t.j.d.Rules), t.j.d.Rules)
	if err != nil || !t.ready() {
		return
	}
	typed := sent // Check changes spelling to the manifest's
	if e := t.j.d.Check(&sent); e != nil {
		for _, s := range e.Try {
			t.runSuggestion(&typed, s, abi.TryOp, false)
		}
		return
	}
	out, err := t.doc.apply(false, t.recent, sent.Op)
	if err != nil {
		t.j.countFault(fmt.Sprintf("the operation %q", sent.Raw), err)
		t.drop(&t.doc)
		return
	}
	res := out.Results[0]
	if res.Error == nil {
		t.restore(&t.doc, res.Events)
		return
	}
	for _, s := range res.Error.Try {
		t.runSuggestion(&typed, s, abi.TryOp, single)
	}
}

// sendQuery sends a query that may have no answer, and runs what is suggested.
func (t *tryout) sendQuery(m spoiledQuery) {
	op, err := grammar.ParseQuery(m.form)
	if err != nil || t.j.d.CheckQuery(&op) != nil || !t.ready() {
		return
	}
	var no *refusal
	err = t.doc.call(abi.ExportQuery, &abi.QueryRequest{Query: op.Op, Recent: t.recent}, &abi.QueryResponse{})
	if nonRefusal(err) != nil {
		t.j.countFault(fmt.Sprintf("the query %q", m.form), err)
		t.drop(&t.doc)
	}
	if !errors.As(err, &no) {
		return
	}
	for line := range strings.Lines(no.text) {
		kind, text, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if kind, try := strings.CutPrefix(kind, "try"); ok && try {
			t.runSuggestion(&op, abi.Suggestion{Kind: strings.TrimSpace(kind), Text: text}, abi.TryQuery, m.single())
		}
	}
}

// runSuggestion runs a suggestion for what was sent, once. works means that it must succeed.
func (t *tryout) runSuggestion(sent *grammar.Op, s abi.Suggestion, asked string, works bool) {
	about := fmt.Sprintf("%q is refused with the suggestion %q", sent.Raw, s.Text)
	if t.seen[about] || !t.ready() {
		return
	}
	t.seen[about] = true
	expect := func(fault string) { t.j.expect("tries", fault == "" || !works, "%s, which %s", about, fault) }
	kind := s.Kind
	if kind == "" {
		kind = t.j.kindOf(s.Text, asked)
	}
	switch kind {
	case abi.TryOp:
		t.runOp(sent, s.Text, expect, about)
	case abi.TryQuery:
		expect(t.runQuery(s.Text))
	case abi.TryAction:
		expect(t.j.actionFault(s.Text))
	default:
		expect("is neither an operation nor a query nor an action of this domain")
	}
}

func (t *tryout) runOp(sent *grammar.Op, text string, expect func(string), about string) {
	op, err := grammar.Parse(text, t.j.d.Rules)
	if err != nil {
		expect("does not parse: " + err.Error())
		return
	}
	if e := t.j.d.Check(&op); e != nil {
		expect("is refused: " + e.Message)
		return
	}
	out, err := t.twin.apply(false, t.recent, op.Op)
	if err != nil {
		t.j.countFault(fmt.Sprintf("the operation %q", text), err)
		t.drop(&t.twin)
		return
	}
	res := &out.Results[0]
	switch {
	case res.Error != nil:
		expect("is refused: " + res.Error.Message)
		return
	case len(res.Events) == 0:
		expect("changes nothing")
		return
	}
	expect("")
	deed := conformance.Effect{Deletes: res.Kind == abi.Deleted, Describe: t.describe}
	if res.Kind == abi.Changed || res.Kind == abi.Bulk {
		now, err := t.twin.moment()
		deed.Changes = err != nil || !bytes.Equal(t.was.data, now.data) // the rest is view state
	}
	stray := conformance.ExceedsRequest(sent, &op, deed)
	t.j.expect("tries", stray == "", "%s, which %s", about, stray)
	t.restore(&t.twin, res.Events)
}

// describe describes what a word names in the instance that gets the mistakes; "" for nothing.
func (t *tryout) describe(word string) string {
	if t.doc == nil || !slices.ContainsFunc(t.j.m.Queries, func(q abi.Query) bool { return q.Name == "describe" }) {
		return ""
	}
	op, err := grammar.ParseQuery("describe " + grammar.Quote(word))
	if err != nil {
		return ""
	}
	var out abi.QueryResponse
	if t.doc.call(abi.ExportQuery, &abi.QueryRequest{Query: op.Op, Recent: t.recent}, &out) != nil {
		return ""
	}
	return out.Text
}

func (t *tryout) runQuery(text string) (fault string) {
	if fault, known := t.answered[text]; known {
		return fault
	}
	defer func() { t.answered[text] = fault }()
	op, err := grammar.ParseQuery(text)
	switch {
	case err != nil:
		return "does not parse: " + err.Error()
	case t.j.d.HostAnswers(op.Verb):
		return ""
	}
	if e := t.j.d.CheckQuery(&op); e != nil {
		return "is refused: " + e.Message
	}
	var no *refusal
	err = t.twin.call(abi.ExportQuery, &abi.QueryRequest{Query: op.Op, Recent: t.recent}, &abi.QueryResponse{})
	if errors.As(err, &no) {
		return "is refused: " + firstLine(no.text)
	}
	if !t.j.countFault(fmt.Sprintf("the query %q", text), err) {
		t.drop(&t.twin)
	}
	return ""
}

// kindOf returns the kind of a suggestion without one: the kind asked if the verb or query exists, else another.
func (j *judge) kindOf(text, asked string) string {
	for _, kind := range []string{asked, abi.TryOp, abi.TryQuery, abi.TryAction} {
		op, err := grammar.ParseQuery(text)
		switch {
		case kind == abi.TryOp && slices.ContainsFunc(j.m.Verbs, func(v abi.Verb) bool { return op.Verb == v.Name }),
			kind == abi.TryQuery && err == nil && j.d.Answers(op.Verb),
			kind == abi.TryAction && j.actionFault(text) == "":
			return kind
		}
	}
	return ""
}
