package document

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/grammar"
	"github.com/fcp-host/fcp-host/host/reply"
)

// batch is one call on its way: the parsed ops, which of them the domain gets
// to see, and what is known to be wrong with the others.
type batch struct {
	items []grammar.Item
	sent  []int        // indexes into items of ops, in order
	ops   []abi.Op     // what is sent for them
	bad   []*abi.Error // by item: wrong before the domain saw it
}

// Apply runs ops as one call: all of them or none, unless the document is in
// batch mode "each".
func (d *Document) Apply(ctx context.Context, ops []string) *reply.Reply {
	if err := d.enter(ctx); err != nil {
		return failure(err, "")
	}
	defer d.leave()
	r := d.apply(ctx, ops)
	r.Digest = d.state.Digest
	return d.stand(r)
}

func (d *Document) apply(ctx context.Context, ops []string) *reply.Reply {
	b, err := d.prepare(ops)
	if err != nil {
		return failure(err, "")
	}
	in, err := d.instance(ctx)
	if err != nil {
		return failure(err, "")
	}
	before := d.state
	var results []abi.Result
	state := &before
	if len(b.ops) > 0 {
		resp, err := in.Apply(ctx, &abi.ApplyRequest{Ops: b.ops, Each: d.each, Recent: d.recent(b.ops)})
		if err != nil {
			r := &reply.Reply{}
			d.recovered(ctx, r, err)
			return r
		}
		results, state = resp.Results, &resp.State
	}
	r, failed := b.report(results, d.each)
	staged := stage(b, results)
	if ctx.Err() != nil {
		d.rollback(ctx, staged, r, &before)
		return reply.Errorf(nil, "the call was cancelled; the document is as it was before it")
	}
	if failed >= 0 && !d.each {
		ran := failed
		d.rollback(ctx, staged, r, &before)
		r.Fail(nil, "rolled back: %d ops undone, %d not run", ran, len(b.items)-failed-1)
		return r
	}
	d.commit(ctx, r, staged, state)
	return r
}

// prepare parses and checks the ops. In an atomic batch, nothing after the
// first op that is wrong is sent.
func (d *Document) prepare(ops []string) (*batch, error) {
	if len(ops) == 0 {
		return nil, &domain.Refusal{Message: "ops is empty", Try: d.someExample()}
	}
	b := &batch{items: grammar.ParseAll(ops, d.Domain.Rules)}
	if len(b.items) > abi.MaxOps {
		return nil, &domain.Refusal{Message: fmt.Sprintf(
			"%d ops in one call, the limit is %d: send them in several calls", len(b.items), abi.MaxOps)}
	}
	if len(b.items) == 0 {
		return nil, &domain.Refusal{Message: "ops holds nothing but blank lines", Try: d.someExample()}
	}
	b.bad = make([]*abi.Error, len(b.items))
	b.ops = make([]abi.Op, 0, len(b.items))
	for i := range b.items {
		it := &b.items[i]
		if it.Err != nil {
			b.bad[i] = &abi.Error{Message: it.Err.Error(), Try: it.Err.Try}
		} else {
			b.bad[i] = d.Domain.Check(&it.Op)
		}
		if b.bad[i] != nil {
			if !d.each {
				break
			}
			continue
		}
		b.sent = append(b.sent, i)
		b.ops = append(b.ops, domain.Op(&it.Op))
	}
	return b, nil
}

func (d *Document) someExample() []string {
	for _, v := range d.Domain.Manifest.Verbs {
		if len(v.Examples) > 0 {
			return v.Examples[:1]
		}
	}
	return nil
}

// recent supplies the ids that @recent may mean, only when an op asks. Elements
// that are gone do not count, so it supplies more than asked for.
func (d *Document) recent(ops []abi.Op) []string {
	most := 0
	for i := range ops {
		for _, s := range ops[i].Selectors {
			if s.Type != "recent" {
				continue
			}
			n := 1
			if s.Value != "" {
				n, _ = strconv.Atoi(s.Value)
			}
			most = max(most, n)
		}
	}
	if most <= 0 {
		return nil
	}
	const gone = 256
	return d.log.Recent(min(most, 100_000) + gone)
}

// report merges what the domain said with what was wrong before, op by op, and
// gives the index of the first failed op, or -1.
func (b *batch) report(results []abi.Result, each bool) (*reply.Reply, int) {
	r := &reply.Reply{Results: make([]reply.Result, 0, len(b.items))}
	first, k := -1, 0
	for i := range b.items {
		var line reply.Result
		switch {
		case b.bad[i] != nil:
			line = b.refused(i, b.bad[i], nil)
		case k < len(results) && b.sent[k] == i:
			res := &results[k]
			k++
			if res.Error != nil {
				line = b.refused(i, res.Error, res.Warnings)
			} else {
				line = reply.Result{Op: i + 1, Prefix: prefix(res.Kind), Text: said(res, &b.items[i]), IDs: touched(res), Warnings: warnings(res, &b.items[i])}
			}
		default:
			return r, first // not run
		}
		r.Results = append(r.Results, line)
		if line.Prefix == reply.Error {
			r.Failed = true
			if first < 0 {
				first = i
			}
			if !each {
				return r, first
			}
		}
	}
	return r, first
}

func (b *batch) refused(i int, e *abi.Error, warnings []string) reply.Result {
	return reply.Result{Op: i + 1, Prefix: reply.Error, Try: e.Try, Warnings: warnings,
		Text: fmt.Sprintf("op %d (%s): %s", i+1, short(b.items[i].Raw), e.Message)}
}

// short is an op as an error repeats it.
func short(op string) string {
	op = strings.Join(strings.FieldsFunc(op, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
	if runes := []rune(op); len(runes) > 80 {
		return string(runes[:79]) + "…"
	}
	return op
}

func said(res *abi.Result, it *grammar.Item) string {
	if res.Text != "" {
		return res.Text
	}
	return short(it.Raw)
}

func warnings(res *abi.Result, it *grammar.Item) []string {
	if len(it.Op.Warnings) == 0 {
		return res.Warnings
	}
	return append(slices.Clone(it.Op.Warnings), res.Warnings...)
}

func prefix(k abi.Kind) byte {
	switch k {
	case abi.Created:
		return reply.Created
	case abi.Connection:
		return reply.Connection
	case abi.Deleted:
		return reply.Deleted
	case abi.Bulk:
		return reply.Bulk
	}
	return reply.Changed
}

// touched lists the elements of a result.
func touched(res *abi.Result) []string {
	if len(res.IDs) > 0 || len(res.Events) == 0 {
		return res.IDs
	}
	var ids []string
	seen := map[string]bool{}
	for i := range res.Events {
		for _, id := range res.Events[i].IDs {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// stage makes the log entries of the ops that succeeded. An op that changed
// nothing leaves none: there is nothing to undo.
func stage(b *batch, results []abi.Result) []eventlog.Entry {
	entries := make([]eventlog.Entry, 0, len(results))
	for k := range results {
		if results[k].Error == nil && len(results[k].Events) > 0 {
			entries = append(entries, entry(b.items[b.sent[k]].Raw, &results[k]))
		}
	}
	return entries
}

func entry(op string, res *abi.Result) eventlog.Entry {
	e := eventlog.Entry{Op: op, IDs: touched(res), Events: make([]eventlog.Event, len(res.Events))}
	for i := range res.Events {
		e.Events[i] = eventlog.Event(res.Events[i])
	}
	return e
}

// rollback takes the staged entries out of the instance again. When the domain
// cannot, or does not come back to where it was, a fresh instance is built.
func (d *Document) rollback(ctx context.Context, staged []eventlog.Entry, r *reply.Reply, before *abi.State) {
	ctx = context.WithoutCancel(ctx)
	if len(staged) > 0 {
		slices.Reverse(staged)
		state, err := d.inst.Reverse(ctx, reversed(staged))
		if err == nil && state.Digest != before.Digest {
			err = errors.New("the digest after reversing is not the one before")
		}
		if err != nil {
			d.drop()
			if _, again := d.instance(ctx); again != nil {
				r.Fail(nil, "%s; the document is kept and built again at the next call", again)
			}
		}
	}
	d.state = *before
}

// commit makes the staged entries part of the document.
func (d *Document) commit(ctx context.Context, r *reply.Reply, staged []eventlog.Entry, state *abi.State) {
	for _, w := range state.Warnings {
		if !slices.Contains(d.state.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
	d.state = *state
	if len(staged) == 0 {
		return
	}
	d.log.Append(staged...)
	d.revision++
	d.fold(ctx, r)
}

// fold keeps the log within its cap: the oldest entries become part of the
// baseline. It proves on a fresh instance that nothing changes by it.
func (d *Document) fold(ctx context.Context, r *reply.Reply) {
	n := d.log.Overflow()
	if n == 0 || d.unfolded {
		return
	}
	ctx = context.WithoutCancel(ctx)
	base, in, err := d.folded(ctx, n)
	if err != nil {
		d.unfolded = true
		r.Warnings = append(r.Warnings, fmt.Sprintf("the history is larger than its cap and cannot be shortened (%s)", err))
		return
	}
	gone := d.log.Fold(n)
	d.base = base
	d.drop()
	d.inst = in
	line := fmt.Sprintf("the history reached its cap: the oldest %d ops can no longer be undone", n)
	if len(gone) > 0 {
		line += "; checkpoints gone with them: " + strings.Join(gone, ", ")
	}
	r.Warnings = append(r.Warnings, line)
}

func (d *Document) folded(ctx context.Context, n int) (baseline, *domain.Instance, error) {
	applied := slices.Collect(d.log.Applied())
	old, _, err := d.rebuild(ctx, applied[:n])
	if err != nil {
		return baseline{}, nil, err
	}
	defer old.Close()
	snap := d.Domain.Manifest.Snapshots
	data, err := old.Save(ctx, &abi.SaveRequest{Snapshot: snap})
	if err != nil {
		return baseline{}, nil, err
	}
	name := d.title
	if d.base.open != nil {
		name = d.base.open.Name
	}
	base := baseline{seed: d.base.seed, open: &abi.OpenRequest{Name: name, Data: data.Data, Snapshot: snap}}
	in, _, err := base.start(ctx, d.Domain)
	if err != nil {
		return baseline{}, nil, err
	}
	if rest := applied[n:]; len(rest) > 0 {
		if _, err := in.Replay(ctx, events(rest)); err != nil {
			in.Close()
			return baseline{}, nil, err
		}
	}
	want, err := d.inst.Save(ctx, &abi.SaveRequest{})
	if err == nil {
		var got *abi.SaveResponse
		if got, err = in.Save(ctx, &abi.SaveRequest{}); err == nil && string(got.Data) != string(want.Data) {
			err = errors.New("the folded document would not be the same")
		}
	}
	if err != nil {
		in.Close()
		return baseline{}, nil, err
	}
	return base, in, nil
}
