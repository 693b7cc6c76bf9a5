package document

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/grammar"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Bounds of what is spent on trying out suggestions of one call.
const (
	maxTriedOut  = 20 // failed ops
	tryOutBudget = 200 * time.Millisecond
)

// tryOut keeps the promise that a suggestion works and changes something: each
// that the errors of r make is run on the instance, which stands at state, and
// taken back. What fails or changes nothing is dropped. An op that is left
// without any gets one that reads: its verb's help. When the instance does not
// come back to state, it is dropped, and nothing more is tried: a fresh one would
// stand elsewhere.
func (d *Document) tryOut(ctx context.Context, r *reply.Reply, b *batch, state *abi.State) {
	began, tried := time.Now(), 0
	if d.inst == nil { // then nothing of this call is in one either
		d.instance(ctx)
	}
	for i := range r.Results {
		res := &r.Results[i]
		if res.Prefix != reply.Error {
			continue
		}
		if tried++; tried <= maxTriedOut {
			kept := res.Try[:0]
			for _, s := range res.Try {
				if s.Kind == abi.TryAction && s.Text == "save" {
					s = d.trySave() // which may need a name
				}
				if time.Since(began) > tryOutBudget || d.works(ctx, s, b.meant(res.Op), state) {
					kept = append(kept, s)
				}
			}
			res.Try = kept
		}
		if len(res.Try) == 0 {
			res.Try = []reply.Suggestion{reply.Help(d.topic(b, res.Op))}
		}
	}
}

// TryOut drops the suggestions of r that would fail on the document, or change
// nothing.
func (d *Document) TryOut(ctx context.Context, r *reply.Reply) {
	if !slices.ContainsFunc(r.Results, func(res reply.Result) bool {
		return slices.ContainsFunc(res.Try, func(s reply.Suggestion) bool { return s.Kind != abi.TryAction && s.Kind != reply.TryHelp })
	}) || d.enter(ctx) != nil {
		return
	}
	defer d.leave()
	if d.inst == nil {
		d.instance(ctx)
	}
	for i := range r.Results {
		r.Results[i].Try = slices.DeleteFunc(r.Results[i].Try, func(s reply.Suggestion) bool { return !d.works(ctx, s, nil, &d.state) })
	}
}

// topic is what the help says most about an op by: its verb or action, or the
// verb that its first word stands for.
func (d *Document) topic(b *batch, op int) string {
	it := &b.items[max(0, op-1)]
	if b.action {
		return it.Op.Verb
	}
	if it.Err != nil {
		return ""
	}
	if d.Domain.Knows(it.Op.Verb) {
		return it.Op.Verb
	}
	for _, s := range d.Domain.Meant(&it.Op) {
		if verb, _, _ := strings.Cut(s.Text, " "); s.Kind == abi.TryOp && d.Domain.Knows(verb) {
			return verb
		}
	}
	return ""
}

// meant is the op that a suggestion is for, nil where it could not be read.
func (b *batch) meant(op int) *grammar.Op {
	if b.action || op < 1 || b.items[op-1].Err != nil {
		return nil
	}
	return &b.items[op-1].Op
}

// works runs a suggestion on the instance, which stands at state, and takes it
// back. One that deletes must not say less of what is meant than op did.
func (d *Document) works(ctx context.Context, s reply.Suggestion, op *grammar.Op, state *abi.State) bool {
	in := d.inst
	if in == nil {
		return false
	}
	switch s.Kind {
	case abi.TryQuery:
		op, err := grammar.ParseQuery(s.Text)
		if err != nil || slices.Contains(domain.ReservedQueries(), op.Verb) {
			return err == nil
		}
		w := domain.Op(&op)
		_, err = in.Query(ctx, &abi.QueryRequest{Query: w, Recent: d.recent([]abi.Op{w}, nil)})
		if faulty(err) {
			d.drop()
		}
		return err == nil
	case abi.TryOp:
		items := grammar.ParseAll([]string{s.Text}, d.Domain.Rules)
		if len(items) != 1 || items[0].Err != nil || d.Domain.Check(&items[0].Op) != nil {
			return false
		}
		w := []abi.Op{domain.Op(&items[0].Op)}
		out, err := in.Apply(ctx, &abi.ApplyRequest{Ops: w, Recent: d.recent(w, nil)})
		if err != nil {
			d.drop()
			return false
		}
		res := &out.Results[0]
		if res.Error != nil || len(res.Events) == 0 {
			return false
		}
		back, err := in.Reverse(ctx, newestFirst(res.Events))
		if err != nil || !same(back, state) {
			d.drop()
		}
		wider := op != nil && (len(w[0].Selectors) < len(op.Selectors) || len(w[0].Params) < len(op.Params))
		return res.Kind != abi.Deleted || !wider
	}
	return true
}

func newestFirst(events []abi.Event) []abi.Event {
	out := make([]abi.Event, len(events))
	for i := range events {
		out[len(events)-1-i] = events[i]
	}
	return out
}
