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
	maxTrials   = 400
	trialBytes  = 64 << 10 // of baseline and history, for each of which a trial counts as one more
	maxDeep     = 3        // steps from a suggestion that fails to what its refusal suggests

	maxRephrased  = 64 // spellings of one op that are run
	maxRephrasing = 3  // changes in one spelling
)

// tryOut makes sure that suggestions work and change something: it runs each suggestion in the errors of r on the
// instance, whose state is state, and reverses it. Suggestions that fail or change nothing are dropped, and so are ops
// once the number of trials is used up. An op without any suggestion left gets its verb's help. If the instance does not
// come back to state, it is dropped and nothing more is tried, since a fresh one would have another state. Nothing is
// fetched for a trial: a suggestion may only name resources that the call has fetched, and suggestions that name files,
// which are the host's own, are not tried.
func (d *Document) tryOut(ctx context.Context, r *reply.Reply, b *batch, state *abi.State) {
	tried, weight := 0, 1+int(d.memory()/trialBytes)
	d.trials = 0
	// The bound is a number of trials, smaller for a large document, so that equal calls get equal replies on any machine. A call
	// that is late must not lose the restored instance again.
	spent := func() bool { return (d.trials+1)*weight > maxTrials || d.Domain().Plugin().Left(ctx) == 0 }
	if d.inst == nil && !spent() { // a fresh instance holds nothing of this call, which is what state says
		d.instance(ctx)
	}
	for i := range r.Results {
		res := &r.Results[i]
		if res.Prefix != reply.Error || b.refusedOutside(res.Op) {
			continue
		}
		if tried++; tried <= maxTriedOut {
			if !d.tryReading(ctx, b, res, state, spent) {
				res.Try = d.tryLine(ctx, b.readableOp(res.Op), res.Try, state, spent)
			}
		} else {
			res.Try = withoutOps(res.Try...)
		}
		if onlyQueries(res.Try) {
			res.Text += d.nearest(b.readableOp(res.Op), res.Text)
		}
		if len(res.Try) == 0 {
			res.Try = []reply.Suggestion{reply.Help(d.topic(b, res.Op))}
		}
	}
}

// tryLine returns what works of the suggestions in list for the failed op meant, or else other spellings of it that
// work. meant is nil if the op could not be parsed.
func (d *Document) tryLine(ctx context.Context, meant *grammar.Op, list []reply.Suggestion, state *abi.State, spent func() bool) []reply.Suggestion {
	var try *trial
	if meant != nil && meant.Block == nil && !spent() {
		try = &trial{d, ctx, meant, state, spent}
		if s, ok := try.rephraseFaithfully(list); ok {
			return []reply.Suggestion{s}
		}
	}
	var unsure []reply.Suggestion
	if meant != nil {
		if slip, sure := d.Domain().Reorder(meant); sure {
			list = slices.Concat(asTry(slip.Raw), list)
		} else if slip != nil {
			unsure = asTry(slip.Raw)
		}
		if d.Domain().ReadsLikeSentence(meant) && !spent() {
			if found := d.loosen(ctx, meant, state); found != nil {
				return found
			}
		}
	}
	var out, reading []reply.Suggestion // reading is used if nothing else works
	for _, s := range list {
		s = d.withPath(s)
		if spent() {
			out = mergeSuggestions(out, withoutOps(s))
			continue
		}
		for _, w := range d.replacements(ctx, s, meant, state) {
			if w.Kind == abi.TryQuery && w != s {
				reading = append(reading, w)
			} else {
				out = mergeSuggestions(out, []reply.Suggestion{w})
			}
		}
	}
	if meant != nil && onlyQueries(out) && !spent() {
		if found := d.loosen(ctx, meant, state); found != nil {
			out = found
		}
	}
	if len(out) == 0 && len(unsure) > 0 && !spent() {
		out = d.workingForms(ctx, unsure[0], meant, state, 0)
	}
	if try != nil && onlyQueries(out) && (len(out) == 0 || d.Domain().Knows(meant.Verb)) && !spent() {
		if s, ok := try.rephrase(); ok {
			out = []reply.Suggestion{s}
		}
	}
	if len(out) == 0 {
		return mergeSuggestions(nil, reading)
	}
	return out
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
	for i := range r.Results {
		var kept []reply.Suggestion
		for _, s := range r.Results[i].Try {
			kept = mergeSuggestions(kept, d.workingForms(ctx, s, nil, &d.state, maxDeep))
		}
		r.Results[i].Try = kept
	}
}

// topic is the help topic for an op: its verb or action, or the verb that its first word stands for.
func (d *Document) topic(b *batch, op int) string {
	it := &b.items[max(0, op-1)]
	if b.action {
		return it.Op.Verb
	}
	if it.Err != nil {
		if verb, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(it.Raw)), " "); d.Domain().Knows(verb) {
			return verb
		}
		return ""
	}
	if d.Domain().Knows(it.Op.Verb) {
		return it.Op.Verb
	}
	if inverted := d.Domain().SwapVerb(it.Op.Raw); len(inverted) > 0 {
		verb, _, _ := strings.Cut(inverted[0], " ")
		return verb
	}
	return d.Domain().NearestVerb(&it.Op)
}

// nearest gives the syntax of the verb that is nearest to an unknown one, for the refusal, unless its text said already
// has one.
func (d *Document) nearest(op *grammar.Op, said string) string {
	if op == nil || d.Domain().Knows(op.Verb) || strings.Contains(said, "nearest: ") {
		return ""
	}
	if syntax := d.Domain().Syntax(d.Domain().NearestVerb(op)); syntax != "" {
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

// replacements lists what works in place of op according to suggestion s: s itself, s loosened if it has another verb,
// or what the refusal of s suggests.
func (d *Document) replacements(ctx context.Context, s reply.Suggestion, op *grammar.Op, state *abi.State) []reply.Suggestion {
	if s.Kind != abi.TryOp || op == nil {
		return d.workingForms(ctx, s, op, state, maxDeep)
	}
	items := grammar.ParseAll([]string{s.Text}, d.Domain().Rules)
	other := len(items) == 1 && items[0].Err == nil && items[0].Op.Verb != op.Verb
	if other && d.Domain().ReadsLikeSentence(&items[0].Op) {
		if kind, _ := d.works(ctx, s, op, state); kind == fails {
			if found := d.loosen(ctx, &items[0].Op, state); found != nil {
				return found
			}
		}
	}
	found := d.workingForms(ctx, s, op, state, maxDeep)
	if other && len(found) == 0 {
		found = d.loosen(ctx, &items[0].Op, state)
	}
	return found
}

// maxLoose is how many words at the end of an op are tried as values of keys.
const maxLoose = 3

// loosen suggests a refused op without its connecting words, with its last words as values of the keys that take
// them, or with its first two words exchanged, whichever works first.
func (d *Document) loosen(ctx context.Context, op *grammar.Op, state *abi.State) []reply.Suggestion {
	try := func(next *grammar.Op) []reply.Suggestion {
		s := asTry(grammar.Format(*next, d.Domain().Rules))
		// An op that deletes must name exactly what the user named.
		if kind, _ := d.works(ctx, s[0], op, state); kind != fails && kind != abi.Deleted {
			return s
		}
		return nil
	}
	for n := range maxLoose + 1 {
		whole, bare, ok := d.Domain().DropConnectors(op, n)
		if !ok || n == 0 && len(whole.Positionals) == len(op.Positionals) {
			continue
		}
		found := try(&bare)
		for _, word := range whole.Positionals[len(bare.Positionals):] {
			if found == nil {
				break
			}
			found = nil
			for _, next := range d.Domain().AddKeys(&bare, word.Text, len(whole.Positionals) < len(op.Positionals)) {
				if found = try(&next); found != nil {
					bare = next
					break
				}
			}
		}
		if found != nil {
			return found
		}
	}
	next, ok := domain.SwapFirstTwo(op)
	if !ok {
		return nil
	}
	if found := try(&next); found != nil {
		return found
	}
	for _, s := range d.workingForms(ctx, asTry(grammar.Format(next, d.Domain().Rules))[0], op, state, 1) {
		if kind, _ := d.works(ctx, s, op, state); kind != abi.Deleted && s.Kind == abi.TryOp {
			return []reply.Suggestion{s}
		}
	}
	return nil
}

// workingForms returns s if it works. Otherwise it returns what works among the queries, and the ops with the same verb,
// that its refusal suggests.
func (d *Document) workingForms(ctx context.Context, s reply.Suggestion, op *grammar.Op, state *abi.State, deep int) (out []reply.Suggestion) {
	kind, instead := d.works(ctx, s, op, state)
	if kind != fails {
		return []reply.Suggestion{s}
	}
	if deep > 0 {
		verb, _, _ := strings.Cut(s.Text, " ")
		for _, next := range reply.From(instead) {
			if next.Kind == abi.TryQuery || next.Kind == abi.TryOp && (next.Text == verb || strings.HasPrefix(next.Text, verb+" ")) {
				out = append(out, d.workingForms(ctx, next, op, state, deep-1)...)
			}
		}
	}
	return out
}

// works runs a suggestion on the instance, whose state is state, and reverses it. For a refused one it returns what the
// refusal suggests. A suggestion that deletes fails if it has fewer selectors or keys than op, or others.
func (d *Document) works(ctx context.Context, s reply.Suggestion, op *grammar.Op, state *abi.State) (kind abi.Kind, instead []abi.Suggestion) {
	if d.inst == nil {
		return fails, nil
	}
	d.trials++
	kind, instead, err := d.try(ctx, s, op, state)
	if domain.Lost(err) && d.relive(ctx, state) {
		kind, instead, _ = d.try(ctx, s, op, state)
	}
	return kind, instead
}

// relive replaces an instance that was lost during a trial by one with the same state, and reports whether it could.
func (d *Document) relive(ctx context.Context, state *abi.State) bool {
	d.drop()
	in, now, err := d.rebuild(ctx, append(slices.Collect(d.log.Applied()), d.staged...))
	if err != nil {
		return false
	}
	d.inst = in
	if !sameState(now, state) {
		d.drop()
		return false
	}
	return true
}

// try is works, with the error of a trial that says nothing about the suggestion.
func (d *Document) try(ctx context.Context, s reply.Suggestion, op *grammar.Op, state *abi.State) (kind abi.Kind, instead []abi.Suggestion, failure error) {
	in := d.inst
	switch s.Kind {
	case abi.TryQuery:
		op, err := grammar.ParseQuery(s.Text)
		if err != nil || d.Domain().HostAnswers(op.Verb) {
			return answers(err == nil), nil, nil
		}
		w := domain.Op(&op)
		_, err = in.Query(domain.WithoutWorld(ctx), &abi.QueryRequest{Query: w, Recent: d.recent([]abi.Op{w}, nil)})
		if isFault(err) {
			d.drop()
		}
		if domain.Lost(err) {
			return fails, nil, err
		}
		var no *domain.Refusal
		if errors.As(err, &no) {
			instead = no.Try
		}
		return answers(err == nil), instead, nil
	case abi.TryOp:
		items := grammar.ParseAll([]string{s.Text}, d.Domain().Rules)
		if len(items) != 1 || items[0].Err != nil {
			return fails, nil, nil
		}
		if no := d.Domain().Check(&items[0].Op); no != nil {
			return fails, no.Try, nil
		}
		w := []abi.Op{domain.Op(&items[0].Op)}
		supplies, ok := d.suppliesAgain(&w[0])
		if !ok {
			return fails, nil, nil
		}
		out, err := in.Apply(ctx, &abi.ApplyRequest{Ops: w, Recent: d.recent(w, nil), Resources: supplies})
		if err != nil {
			d.drop()
			return fails, nil, err
		}
		res := &out.Results[0]
		if res.Error != nil {
			return fails, res.Error.Try, nil
		}
		if len(res.Events) == 0 {
			return fails, nil, nil
		}
		events := slices.Clone(res.Events)
		slices.Reverse(events)
		back, err := in.Reverse(ctx, events)
		if domain.Lost(err) {
			return fails, nil, err
		}
		if err != nil || !sameState(back, state) {
			d.drop()
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

// The result of a query or action that works, and of a suggestion that does not.
const (
	reads, fails abi.Kind = "reads", "fails"
)

func answers(ok bool) abi.Kind {
	if ok {
		return reads
	}
	return fails
}
