package document

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Limits on trying out the suggestions of one call.
const (
	maxTriedOut = 20 // failed ops whose suggestions are tried
	maxRuns     = 4  // suggestions that are run for one of them, if they are small
	maxTrials   = maxTriedOut * maxRuns
	runBytes    = 4 << 10   // of a suggestion's events, for each of which its run counts as one more: a large op is run once
	trialBytes  = 256 << 10 // of baseline and history, for each of which a trial counts as one more
)

// trial runs suggestions on the document's instance, and reverses them.
type trial struct {
	*Document
	ctx    context.Context
	state  *abi.State // of the instance
	weight int        // how many of maxTrials each counts as
}

// spent reports whether no further suggestion may be run. The bound is a number of trials, smaller for a large
// document, so that equal calls get equal replies on any machine. A call that is late must not lose the restored
// instance again.
func (t *trial) spent() bool {
	return (t.trials+1)*t.weight > maxTrials || t.Domain().Plugin().Left(t.ctx) == 0
}

// tryOut makes sure that suggestions work and change something: it runs each suggestion in the errors of r on the
// instance, whose state is state, and reverses it. Suggestions that fail or change nothing are dropped, and so are ops
// once the number of trials is used up. An op without any suggestion left gets its verb's help. If the instance does not
// come back to state, it is dropped and nothing more is tried, since a fresh one would have another state. Nothing is
// fetched for a trial: a suggestion may only name resources that the call has fetched, and suggestions that name files,
// which are the host's own, are not tried.
func (t *trial) tryOut(r *reply.Reply, b *batch) {
	tried := 0
	t.trials, t.weight = 0, 1+int(t.memory()/trialBytes)
	if t.inst == nil && !t.spent() { // a fresh instance holds nothing of this call, which is what state says
		t.instance(t.ctx)
	}
	for i := range r.Results {
		res := &r.Results[i]
		if res.Prefix != reply.Error || b.refusedOutside(res.Op) {
			continue
		}
		op, idle := b.readableOp(res.Op), ""
		if tried++; tried > maxTriedOut {
			res.Try = withoutOps(res.Try...)
		} else if !t.tryReading(b, res) {
			res.Try, idle = t.tryLine(op, res.Try)
		}
		if onlyQueries(res.Try) {
			if res.Text += t.nearest(op, res.Text); idle != "" {
				res.Text += "; " + reply.Line(idle) + " would change nothing now"
			}
		}
		if len(res.Try) == 0 {
			res.Try = []reply.Suggestion{reply.Help(t.topic(b, res.Op))}
		}
	}
}

// tryLine returns what works of the suggestions for the failed op meant, those nearest to it: other forms of it, the ones in list,
// which its refusal has, and what their refusals suggest. At most maxRuns are run, fewer if they are large. meant is nil if the op could not be parsed. idle is
// the nearest if that is accepted and changes nothing.
func (t *trial) tryLine(meant *grammar.Op, list []reply.Suggestion) (out []reply.Suggestion, idle string) {
	queue := t.candidates(meant, list)
	var asked, reading []reply.Suggestion // queries: the refusal's, and those of refused suggestions, which are used if nothing else is left
	found, start := 0, t.trials
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		switch {
		case c.Kind != abi.TryOp:
			if c.Kind == abi.TryQuery && !t.spent() {
				if kind, instead := t.works(c.Suggestion, meant); !does(kind) {
					reading = append(reading, reply.From(instead)...)
					continue
				}
			}
			asked = mergeSuggestions(asked, []reply.Suggestion{c.Suggestion})
			continue
		case c.cost > maxCost || len(out) > 0 && c.cost > found || t.trials-start >= maxRuns || t.spent():
			continue
		}
		first := t.trials == start
		kind, instead := t.works(c.Suggestion, meant)
		switch {
		case kind == unchanged && first:
			idle = c.Text
		case kind == abi.Deleted && (c.loose || c.cost > 0 && !saysMore(meant, c.Suggestion)): // what deletes must name exactly what the user named
		case does(kind):
			out, found = mergeSuggestions(out, []reply.Suggestion{c.Suggestion}), c.cost
		case kind == fails:
			verb, _, _ := strings.Cut(c.Text, " ")
			for _, next := range reply.From(instead) {
				if next.Kind == abi.TryQuery {
					reading = append(reading, next)
				} else if next.Kind == abi.TryOp && strings.HasPrefix(next.Text+" ", verb+" ") {
					queue = append(queue, candidate{next, max(c.cost, t.cost(meant, next)), c.loose})
				}
			}
			slices.SortStableFunc(queue, func(a, b candidate) int { return a.cost - b.cost })
		}
	}
	if len(out) > 0 {
		return out, ""
	}
	if len(asked) > 0 {
		return asked, idle
	}
	for _, s := range reading {
		if s.Kind != abi.TryQuery || t.spent() {
			continue
		}
		if kind, _ := t.works(s, meant); does(kind) {
			out = mergeSuggestions(out, []reply.Suggestion{s})
		}
	}
	return out, idle
}

func onlyQueries(list []reply.Suggestion) bool {
	return !slices.ContainsFunc(list, func(s reply.Suggestion) bool { return s.Kind != abi.TryQuery })
}

// withoutOps lists the suggestions that need no trial.
func withoutOps(list ...reply.Suggestion) []reply.Suggestion {
	return slices.DeleteFunc(slices.Clone(list), func(s reply.Suggestion) bool { return s.Kind == abi.TryOp })
}

func asTry(op string) []reply.Suggestion {
	return reply.From([]abi.Suggestion{{Kind: abi.TryOp, Text: op}})
}

// mergeSuggestions appends to list those of more that it lacks, up to the number that a refusal may have.
func mergeSuggestions(list, more []reply.Suggestion) []reply.Suggestion {
	for _, s := range more {
		if len(list) < abi.MaxTry && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// TryOut drops suggestions from r that would fail on the document or change nothing.
func (d *Document) TryOut(ctx context.Context, r *reply.Reply) {
	if !slices.ContainsFunc(r.Results, func(res reply.Result) bool {
		return slices.ContainsFunc(res.Try, func(s reply.Suggestion) bool { return s.Kind != abi.TryAction && s.Kind != reply.TryHelp })
	}) || d.Domain().Plugin().Left(ctx) == 0 || d.enter(ctx) != nil {
		return
	}
	defer d.leave()
	if d.inst == nil {
		d.instance(ctx)
	}
	t := &trial{Document: d, ctx: ctx, state: &d.state}
	for i := range r.Results {
		var kept []reply.Suggestion
		for _, s := range r.Results[i].Try {
			kind, instead := t.works(s, nil)
			if does(kind) {
				kept = mergeSuggestions(kept, []reply.Suggestion{s})
				continue
			}
			for _, i := range reply.From(instead) {
				if i.Kind != abi.TryQuery {
					continue
				}
				if kind, _ := t.works(i, nil); does(kind) {
					kept = mergeSuggestions(kept, []reply.Suggestion{i})
				}
			}
		}
		r.Results[i].Try = kept
	}
}

// topic is the help topic for an op: its verb or action, or the verb that its first word stands for.
func (t *trial) topic(b *batch, op int) string {
	it := &b.items[max(0, op-1)]
	if b.action {
		return it.Op.Verb
	}
	if it.Err != nil {
		if verb, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(it.Raw)), " "); t.Domain().Knows(verb) {
			return verb
		}
		return ""
	}
	if t.Domain().Knows(it.Op.Verb) || t.Domain().Answers(it.Op.Verb) { // a query that lacks a word cannot be suggested
		return it.Op.Verb
	}
	if inverted := t.Domain().SwapVerb(it.Op.Raw); len(inverted) > 0 {
		verb, _, _ := strings.Cut(inverted[0], " ")
		return verb
	}
	return t.Domain().NearestVerb(&it.Op)
}

// nearest gives the syntax of the verb that is nearest to an unknown one, for the refusal, unless its text said already
// has one.
func (t *trial) nearest(op *grammar.Op, said string) string {
	if op == nil || t.Domain().Knows(op.Verb) || strings.Contains(said, "nearest: ") {
		return ""
	}
	if syntax := t.Domain().Syntax(t.Domain().NearestVerb(op)); syntax != "" {
		return "; nearest: " + syntax
	}
	return ""
}

// readableOp is the op that a line of the reply is about, nil if it could not be parsed.
func (b *batch) readableOp(op int) *grammar.Op {
	if b.action || op < 1 || b.items[op-1].Err != nil {
		return nil
	}
	return &b.items[op-1].Op
}

// works runs a suggestion, and reverses it. For a refused one it returns what the
// refusal suggests. A suggestion that deletes fails if it has fewer selectors or keys than op, or others.
func (t *trial) works(s reply.Suggestion, op *grammar.Op) (kind abi.Kind, instead []abi.Suggestion) {
	if t.inst == nil {
		return fails, nil
	}
	t.trials++
	kind, instead, err := t.try(s, op)
	if domain.Lost(err) && t.relive() {
		kind, instead, _ = t.try(s, op)
	}
	return kind, instead
}

// relive replaces an instance that was lost during a trial by one with the same state, and reports whether it could.
func (t *trial) relive() bool {
	t.drop()
	in, now, err := t.rebuild(t.ctx, append(slices.Collect(t.log.Applied()), t.staged...))
	if err != nil {
		return false
	}
	t.inst = in
	if !sameState(now, t.state) {
		t.drop()
		return false
	}
	return true
}

// try is works, with the error of a trial that says nothing about the suggestion.
func (t *trial) try(s reply.Suggestion, op *grammar.Op) (kind abi.Kind, instead []abi.Suggestion, failure error) {
	in := t.inst
	switch s.Kind {
	case abi.TryQuery:
		op, err := grammar.ParseQuery(s.Text)
		if err != nil || t.Domain().HostAnswers(op.Verb) {
			return answers(err == nil), nil, nil
		}
		w := op.Op
		_, err = in.Query(domain.WithoutWorld(t.ctx), &abi.QueryRequest{Query: w, Recent: t.recent([]abi.Op{w}, nil)})
		if isFault(err) {
			t.drop()
		}
		if domain.Lost(err) {
			return fails, nil, err
		}
		if no, ok := errors.AsType[*domain.Refusal](err); ok {
			instead = no.Try
		}
		return answers(err == nil), instead, nil
	case abi.TryOp:
		items := grammar.ParseAll([]string{s.Text}, t.Domain().Rules)
		if len(items) != 1 || items[0].Err != nil {
			return fails, nil, nil
		}
		if no := t.Domain().Check(&items[0].Op); no != nil {
			return fails, no.Try, nil
		}
		w := []abi.Op{items[0].Op.Op}
		supplies, ok := t.suppliesAgain(t.Domain(), &w[0], t.knows())
		if !ok {
			return fails, nil, nil
		}
		out, err := in.Apply(t.ctx, &abi.ApplyRequest{Ops: w, Recent: t.recent(w, nil), Resources: supplies})
		if err != nil {
			t.drop()
			return fails, nil, err
		}
		res := &out.Results[0]
		if res.Error != nil {
			return fails, res.Error.Try, nil
		}
		if len(res.Events) == 0 {
			return unchanged, nil, nil
		}
		size := 0
		for i := range res.Events {
			size += len(res.Events[i].Data)
		}
		t.trials += size / runBytes
		events := slices.Clone(res.Events)
		slices.Reverse(events)
		back, err := in.Reverse(t.ctx, events)
		if domain.Lost(err) {
			return fails, nil, err
		}
		if err != nil || !sameState(back, t.state) {
			t.drop()
		}
		wider := op != nil && (len(w[0].Selectors) < len(op.Selectors) || len(w[0].Params) < len(op.Params) ||
			slices.ContainsFunc(w[0].Params, func(p abi.KeyValue) bool { return !strings.Contains(op.Raw, p.Key) }))
		if res.Kind == abi.Deleted && wider {
			return fails, nil, nil
		}
		return res.Kind, nil, nil
	}
	return reads, nil, nil
}

// The result of a query or action that works, of a suggestion that does not, and of an op that changes nothing.
const (
	reads, fails, unchanged abi.Kind = "reads", "fails", "unchanged"
)

// does reports whether a suggestion with this result may be made.
func does(kind abi.Kind) bool { return kind != fails && kind != unchanged }

func answers(ok bool) abi.Kind {
	if ok {
		return reads
	}
	return fails
}

// withPath adds a path to a suggested save or export that lacks one.
func (t *trial) withPath(s reply.Suggestion) reply.Suggestion {
	op, err := grammar.ParseAction(s.Text)
	if s.Kind != abi.TryAction || err != nil {
		return s
	}
	if op.Verb == "save" && s.Text == "save" {
		return t.trySave()
	}
	_, as := op.Param("as")
	for _, f := range t.Domain().Manifest.Exports {
		if op.Verb == "export" && !as && len(op.Positionals) == 1 && strings.EqualFold(op.Positionals[0].Text, f.Name) {
			return tryExport(t.roots, t.fileName(), s.Text, f)
		}
	}
	return s
}
