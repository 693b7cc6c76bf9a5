package document

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/resource"
	"github.com/fcp-host/fcp-host/host/timing"
)

// Apply runs ops as one call: all of them or none, unless the document is in
// batch mode "each".
func (d *Document) Apply(ctx context.Context, ops []string) *reply.Reply {
	docs := d.others(ctx, ops)
	if err := d.enter(ctx); err != nil {
		return d.failure(err, "")
	}
	defer d.leave()
	b, err := d.prepare(ops)
	timing.Lap(ctx, timing.Parse)
	if err != nil {
		return d.end(d.failure(err, ""))
	}
	d.supply(ctx, b, docs)
	defer d.served()
	return d.end(d.perform(ctx, b, d.each, func(in *domain.Instance) (*abi.ApplyResponse, error) {
		return d.run(ctx, in, b)
	}))
}

// run hands the ops to the instance in as many crossings as they need. When ctx is
// done it stops between two of them; an error of a later crossing leaves the
// instance in the middle, so that it is dropped.
func (d *Document) run(ctx context.Context, in *domain.Instance, b *batch) (*abi.ApplyResponse, error) {
	out, ops := &abi.ApplyResponse{}, b.ops
	for done := 0; done < len(ops); {
		next := ops[done : done+piece(ops[done:])]
		resp, err := in.Apply(ctx, &abi.ApplyRequest{Ops: next, Each: d.each, Recent: d.recent(next, out.Results), Resources: b.supplies(done, len(next))})
		if err != nil {
			if done > 0 {
				d.drop()
			}
			return nil, err
		}
		out.State = resp.State
		if done == 0 {
			out.Results = resp.Results
		} else {
			out.Results = append(out.Results, resp.Results...)
		}
		done += len(next)
		if ctx.Err() != nil || len(out.Results) < done || !d.each && out.Results[done-1].Error != nil {
			break
		}
	}
	return out, nil
}

// Session runs a session verb of the domain's own, with the file it names, if
// it names one. It is logged and undone like an op. Where it leaves a program to be run, whose file goes to the path that target
// gives, the caller runs the work.
func (d *Document) Session(ctx context.Context, op *grammar.Op, name string, data []byte, target Target) (*reply.Reply, *program.Work) {
	b := &batch{items: []grammar.Item{{Raw: op.Raw, Op: *op}}, bad: []*abi.Error{nil}, sent: []int{0}, ops: []abi.Op{domain.Op(op)},
		action: true, away: len(d.Domain().Manifest.Wants) > 0}
	var docs resource.Saved
	if d.desk != nil && d.Domain().NamesDocuments() {
		docs = d.desk.Saved(ctx, resource.Words(d.Domain().ActionResources(op.Verb), &b.ops[0], 0))
	}
	if err := d.enter(ctx); err != nil {
		return d.failure(err, ""), nil
	}
	defer d.leave()
	ctx, release, no := d.admit(ctx, op.Verb, d.Domain().SessionWants(op.Verb))
	if no != nil {
		return d.end(no), nil
	}
	defer release()
	d.mention(&b.ops[0], false)
	d.supply(ctx, b, docs)
	defer d.served()
	var work *program.Work
	var unrun error
	r := d.perform(ctx, b, false, func(in *domain.Instance) (*abi.ApplyResponse, error) {
		resp, err := in.Session(ctx, &abi.SessionRequest{Command: b.ops[0], Name: name, Data: data, Resources: b.supplies(0, 1), Ref: d.ref()})
		if err != nil || resp.Run == nil || resp.Results[0].Error != nil {
			return resp, err
		}
		if work, unrun = d.targeted(resp.Run, target); unrun != nil && !d.asked {
			return d.refused(ctx, in, resp, unrun)
		}
		return resp, nil
	})
	switch {
	case r.Failed && work != nil:
		work.Close()
		work = nil
	case !r.Failed && unrun != nil: // what was asked for cannot be taken back, so the rest stays, too
		r.Fail(nil, "%s", unrun)
	}
	return d.end(r), work
}

// refused takes back what an action did whose program is not run, and gives its refusal.
func (d *Document) refused(ctx context.Context, in *domain.Instance, resp *abi.ApplyResponse, why error) (*abi.ApplyResponse, error) {
	events := slices.Clone(resp.Results[0].Events)
	slices.Reverse(events)
	if len(events) > 0 {
		state, err := in.Reverse(settling(ctx), events)
		if err != nil {
			return nil, err
		}
		resp.State = *state
	}
	resp.Results[0] = abi.Result{Warnings: resp.Results[0].Warnings, Error: &abi.Error{Message: why.Error()}}
	return resp, nil
}

// end writes into r where a call that may change the document left it.
func (d *Document) end(r *reply.Reply) *reply.Reply {
	r.Digest = d.state.Digest
	return d.withState(r)
}

// perform runs a batch: call is the one crossing that all its ops take.
func (d *Document) perform(ctx context.Context, b *batch, each bool, call func(*domain.Instance) (*abi.ApplyResponse, error)) *reply.Reply {
	resp, effect := &abi.ApplyResponse{State: d.state}, ""
	if len(b.ops) > 0 {
		began, ran := time.Now(), false
		err := d.ask(ctx, func(in *domain.Instance) (err error) {
			ran = true
			resp, err = call(in)
			effect = in.Effect()
			return err
		})
		switch {
		case err != nil && ran && faulty(err):
			return d.crashed(ctx, b, err, time.Since(began))
		case err != nil:
			return d.failure(err, "")
		}
	}
	r, failed := b.report(resp.Results, each)
	staged := stage(b, resp.Results)
	switch {
	case ctx.Err() != nil:
		return unkept(reply.Errorf(nil, "the call was cancelled; the document is as it was before it%s", d.rollback(ctx, staged, &resp.State)), effect)
	case failed >= 0 && !each:
		d.tryOut(ctx, r, b, &resp.State)
		undone := len(staged)
		unsettled := d.rollback(ctx, staged, &resp.State)
		rolledBack(r, b, undone, len(b.items)-failed-1, unsettled)
		return r
	}
	state, err := d.verifyRecorded(ctx, resp.Results, staged, &resp.State)
	if domain.Late(err) {
		r.Fail(nil, "%s%s", err, d.restore(ctx))
		return unkept(r, effect)
	}
	if err != nil {
		r.Fail(nil, "the %s plugin changed the document without recording how: a fault of the plugin%s", d.Domain().Name(), d.restore(ctx))
		return unkept(r, effect)
	}
	before := r.Failed
	if r = d.commit(ctx, r, staged, b.names(resp.Results), state); r.Failed && !before {
		return unkept(r, effect)
	}
	if failed >= 0 {
		d.tryOut(ctx, r, b, &d.state)
	}
	return r
}

// unkept adds what became of what the call asked for to the reply to one that the document does not keep.
func unkept(r *reply.Reply, effect string) *reply.Reply {
	if effect != "" {
		r.Results[len(r.Results)-1].Text += "; " + effect
	}
	return r
}

// rolledBack ends the reply to a call that was taken back, where the lines above
// do not say it all.
func rolledBack(r *reply.Reply, b *batch, undone, left int, unsettled string) {
	switch {
	case undone+left > 0 && !b.action:
		r.Fail(nil, "rolled back: %s undone, %d not run%s", reply.Count(undone, "op"), left, unsettled)
	case unsettled != "":
		r.Results[len(r.Results)-1].Text += unsettled
	}
}

var errUnrecorded = errors.New("the document was changed without an event")

// verifyRecorded makes sure that ops without events, such as failed ones among others
// that did not fail, have left nothing behind: the staged entries lead from the
// state before to the one after, and nothing else does. It gives the state after,
// or an error when what is staged cannot be believed.
func (d *Document) verifyRecorded(ctx context.Context, results []abi.Result, staged []eventlog.Entry, after *abi.State) (*abi.State, error) {
	if !slices.ContainsFunc(results, func(res abi.Result) bool { return len(res.Events) == 0 }) {
		return after, nil
	}
	ctx = settling(ctx)
	if len(staged) == 0 {
		if !same(after, &d.state) {
			return nil, errUnrecorded
		}
		return after, nil
	}
	backwards := slices.Clone(staged)
	slices.Reverse(backwards)
	if state, err := d.inst.Reverse(ctx, reversed(backwards)); err == nil && same(state, &d.state) {
		if state, err = d.inst.Replay(ctx, events(staged)); err == nil && same(state, after) {
			return after, nil
		}
	}
	d.drop()
	in, state, err := d.rebuild(ctx, append(slices.Collect(d.log.Applied()), staged...))
	if err != nil {
		return nil, err
	}
	d.inst = in
	if !same(state, after) {
		d.note("the %s plugin changed the document without recording how; that part did not stay", d.Domain().Name())
	}
	return state, nil
}

// recent supplies the ids that @recent may mean, newest first, only when an op
// asks. results are those of this call's ops so far. Elements that are gone do not
// count, so it supplies more than asked for.
func (d *Document) recent(ops []abi.Op, results []abi.Result) []string {
	const gone = 256
	n := 0
	for i := range ops {
		n = max(n, ops[i].Recent())
	}
	if n == 0 {
		return nil
	}
	n = min(n, 100_000) + gone
	var ids []string
	for i := len(results) - 1; i >= 0 && len(ids) < n; i-- {
		for _, id := range slices.Backward(results[i].Touched()) {
			ids = append(ids, id)
		}
	}
	return append(ids, d.log.Recent(n)...)
}

// rollback takes the staged entries out of the instance again, which stands
// at after. When the domain cannot, or does not come back to where it was, a
// fresh instance is built; what it returns is empty unless even that failed.
func (d *Document) rollback(ctx context.Context, staged []eventlog.Entry, after *abi.State) string {
	ctx = settling(ctx)
	if len(staged) > 0 && d.inst != nil {
		slices.Reverse(staged)
		state, err := d.inst.Reverse(ctx, reversed(staged))
		if err != nil {
			d.drop()
		}
		after = state
	}
	if d.inst != nil && same(after, &d.state) {
		return ""
	}
	if text := d.restore(ctx); text != restored {
		return text
	}
	return ""
}

// worse lists the warnings of a state that were not there before, or not as much.
func worse(before, now *abi.State) (out []string) {
	for i, w := range now.Warnings {
		if slices.Contains(before.Warnings, w) {
			continue
		}
		if i < len(now.Weights) && now.Weights[i].Name != "" {
			of := now.Weights[i]
			if slices.ContainsFunc(before.Weights, func(b abi.Count) bool { return b.Name == of.Name && b.Value >= of.Value }) {
				continue
			}
		}
		out = append(out, w)
	}
	return out
}

// same reports whether two states of a document look alike. It is the
// cheapest proof there is that an instance stands where it should.
func same(a, b *abi.State) bool {
	return a.Digest == b.Digest && a.Title == b.Title && slices.Equal(a.Counts, b.Counts) && slices.Equal(a.Warnings, b.Warnings)
}

// commit makes the staged entries part of the document, with the files that they name, and gives the reply: r,
// unless they could not be made durable.
func (d *Document) commit(ctx context.Context, r *reply.Reply, staged []eventlog.Entry, names []abi.KeyValue, state *abi.State) *reply.Reply {
	var written *stored
	if len(staged) > 0 {
		grown := d.log.Growth(staged...)
		if err := d.histories.Take(grown, d.owners()...); err != nil {
			return d.crowded(err, d.rollback(ctx, staged, state))
		}
		d.held += grown
		defer d.settled()
		record := newBatch(staged, state.Digest)
		record.Named = names
		if err := d.record(ctx, recordBatch, record); err != nil {
			return d.unrecorded(err, d.rollback(ctx, staged, state))
		}
		if d.autosaves() {
			var err error
			written, err = d.autosave(ctx, func() []eventlog.Entry { return append(slices.Collect(d.log.Applied()), staged...) })
			switch {
			case err != nil && d.asked:
				r.Warnings = append(r.Warnings, unsaved(err))
			case err != nil:
				return d.unwritable(err, d.rollback(ctx, staged, state))
			}
		}
		d.bind(names)
	}
	r.Warnings = append(r.Warnings, worse(&d.state, state)...)
	if len(staged) == 0 {
		return r
	}
	d.log.Append(staged...)
	d.setState(state)
	d.revision++
	if written != nil {
		d.autosaved(written, r)
	}
	d.fold(ctx, r)
	return r
}
