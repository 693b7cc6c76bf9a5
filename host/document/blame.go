package document

import (
	"context"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// crashReply answers a call in which the instance failed after the processor time took. All ops were sent at once, so the one
// at fault is found by running them one at a time.
func (d *Document) crashReply(ctx context.Context, b *batch, err error, took time.Duration) *reply.Reply {
	d.drop()
	r := &reply.Reply{Failed: true}
	culprit, results, why := 0, []abi.Result(nil), err
	if len(b.ops) > 1 {
		culprit, results, why = d.blame(ctx, b, took+patience)
		if domain.Lost(why) && !domain.Lost(err) {
			culprit = -1 // this run failed for another reason
		}
	}
	after := d.restore(ctx)
	if culprit < 0 {
		r.Fail(nil, "%s; no op of the call does so by itself: send fewer in one call", err)
		addRollback(r, b, 0, len(b.items), after)
		return r
	}
	r, _ = b.report(d.Domain().Name(), results)
	undone := 0
	for i := range r.Results {
		if r.Results[i].Prefix != reply.Error {
			undone++
		}
	}
	(&trial{Document: d, ctx: ctx, state: &d.state}).tryOut(r, b)
	at := b.sent[culprit]
	r.Fail(nil, "%s%s", b.opLabel(at), why)
	r.Results[len(r.Results)-1].Op = b.opNumber(at)
	addRollback(r, b, undone, len(b.items)-at-1, after)
	return r
}

// blame runs the ops one at a time, for at most budget of processor time, to find the one that fails the instance. It returns that op's
// index in b.ops, the results of the ops before it and the error, or -1 if none fails.
func (h *history) blame(ctx context.Context, b *batch, budget time.Duration) (culprit int, before []abi.Result, why error) {
	// Half of the patience is left for restoring the document.
	ctx = sandbox.WithPatience(context.WithoutCancel(ctx), patience/2)
	in, err := h.instance(ctx)
	if err != nil {
		return -1, nil, err
	}
	began := h.Domain().Plugin().Left(ctx)
	recent := h.recent(b.ops, nil)
	slices.Reverse(recent) // oldest first, as the ops add to them
	for k := range b.ops {
		left := h.Domain().Plugin().Left(ctx)
		if began-left > budget {
			break
		}
		req := &abi.ApplyRequest{Ops: b.ops[k : k+1], Resources: b.supplies(k, 1)}
		if b.ops[k].Recent() > 0 {
			req.Recent = slices.Clone(recent)
			slices.Reverse(req.Recent)
		}
		resp, err := in.Apply(ctx, req)
		if domain.Late(err) && left < patience/4 {
			break // it had too little time to say anything about it
		}
		if err != nil {
			return k, before, err
		}
		res := resp.Results[0]
		if res.Error != nil && !b.each {
			break
		}
		before = append(before, res)
		recent = append(recent, res.Touched()...)
	}
	return -1, nil, nil
}
