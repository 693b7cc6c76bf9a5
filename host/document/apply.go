package document

import (
	"context"
	"fmt"
	"slices"

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
	docs := d.otherDocuments(ctx, d.Domain(), ops)
	return d.edit(ctx, func() (*reply.Reply, error) {
		for readings := map[int]string{}; ; {
			b, err := prepare(d.Domain(), ops, d.each)
			timing.Lap(ctx, timing.Parse)
			if err != nil {
				return nil, err
			}
			b.showReadings(readings)
			d.supply(ctx, b, docs)
			r, err := d.perform(ctx, b, func(in *domain.Instance) (*abi.ApplyResponse, error) {
				return d.run(ctx, in, b)
			})
			d.endSupply()
			if err != nil {
				return nil, err
			}
			if _, before := readings[b.failed]; b.again == nil || before || len(readings) == maxReadings {
				r.Lines = d.lines
				return r, nil
			}
			ops, readings[b.failed] = b.again, b.reading
		}
	})
}

// run sends the ops to the instance in as many requests as they need. Once ctx is done, it stops between two requests.
// An error after the first request drops the instance, which holds only part of the batch.
func (h *history) run(ctx context.Context, in *domain.Instance, b *batch) (*abi.ApplyResponse, error) {
	out, ops := &abi.ApplyResponse{}, b.ops
	for done := 0; done < len(ops); {
		next := ops[done : done+piece(ops[done:])]
		resp, err := in.Apply(ctx, &abi.ApplyRequest{Ops: next, Each: b.each, Recent: h.recent(next, out.Results), Resources: b.supplies(done, len(next))})
		if err != nil {
			if done > 0 {
				h.drop()
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
		if ctx.Err() != nil || len(out.Results) < done || !b.each && out.Results[done-1].Error != nil {
			break
		}
	}
	return out, nil
}

// Session runs a session action of the domain, with the file that it names, if any. It is logged and undone like an op.
// If the action asks for a program to be run, whose file goes to target, the caller runs the returned work.
func (d *Document) Session(ctx context.Context, op *grammar.Op, name string, data []byte, target Target) (r *reply.Reply, work *program.Work) {
	b := newAction(grammar.Item{Raw: op.Raw, Op: *op}, op.Op)
	b.external = len(d.Domain().Manifest.Wants) > 0
	var docs resource.Saved
	if d.fetcher != nil && d.Domain().NamesDocuments() {
		docs = d.fetcher.Saved(ctx, resource.Words(d.Domain().ActionResources(op.Verb), &b.ops[0], 0))
	}
	r = d.edit(ctx, func() (*reply.Reply, error) {
		ctx, release, err := d.admit(ctx, op.Verb, d.Domain().SessionWants(op.Verb))
		if err != nil {
			return nil, err
		}
		defer release()
		d.noteWords(d.Domain(), &b.ops[0], false)
		d.supply(ctx, b, docs)
		defer d.endSupply()
		var unrun error
		r, err := d.perform(ctx, b, func(in *domain.Instance) (*abi.ApplyResponse, error) {
			resp, err := in.Session(ctx, &abi.SessionRequest{Command: b.ops[0], Name: name, Data: data, Resources: b.supplies(0, 1), Ref: d.place.where().Ref})
			if err != nil || resp.Run == nil || resp.Results[0].Error != nil {
				return resp, err
			}
			if work, unrun = d.workFor(resp.Run, target); unrun != nil && !d.asked {
				return d.reverseUnrun(ctx, in, resp, unrun)
			}
			return resp, nil
		})
		if err == nil && !r.Failed && unrun != nil { // requests to the world cannot be undone, so the changes stay, too
			r.Fail(nil, "%s", unrun)
		}
		return r, err
	})
	if r.Failed && work != nil {
		work.Close()
		work = nil
	}
	return r, work
}

// reverseUnrun reverses the events of an action whose program cannot be run, and turns its result into the error why.
func (h *history) reverseUnrun(ctx context.Context, in *domain.Instance, resp *abi.ApplyResponse, why error) (*abi.ApplyResponse, error) {
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

// Tool calls a typed tool on the document, with arguments that were admitted. Its change is one op of the history,
// under the tool's summary. answer is the domain's answer, or nil if the call failed for a reason that is in the reply.
func (d *Document) Tool(ctx context.Context, t *domain.Tool, arguments []byte) (r *reply.Reply, answer *abi.ToolResponse) {
	b := newAction(grammar.Item{Raw: t.Name}, abi.Op{Verb: t.Name, Raw: t.Name})
	call := func(in *domain.Instance) (*abi.ApplyResponse, error) {
		out, err := t.Call(ctx, in, arguments)
		if answer = out; err != nil {
			return nil, err
		}
		res := abi.Result{Kind: abi.Changed, Events: out.Events, IDs: out.IDs}
		switch {
		case out.Error != nil:
			res = abi.Result{Error: &abi.Error{Message: out.Error.Message}}
		case len(out.Events) == 0:
			res.Kind = abi.Unchanged
		}
		if out.Summary != "" {
			b.items[0].Raw = out.Summary
			res.Text = reply.Said(d.Domain().Name(), out.Summary)
		}
		return &abi.ApplyResponse{Results: []abi.Result{res}, State: out.State}, nil
	}
	r = d.edit(ctx, func() (*reply.Reply, error) { return d.perform(ctx, b, call) })
	if r.Failed && answer != nil && answer.Error == nil {
		answer = nil
	}
	return r, answer
}

// perform runs a batch, whose ops call sends to the instance, and commits it or rolls it back.
func (d *Document) perform(ctx context.Context, b *batch, call func(*domain.Instance) (*abi.ApplyResponse, error)) (*reply.Reply, error) {
	resp, effect := &abi.ApplyResponse{State: d.state}, ""
	if len(b.ops) > 0 {
		left, ran := d.Domain().Plugin().Left(ctx), false
		err := d.withInstance(ctx, func(in *domain.Instance) (err error) {
			ran = true
			resp, err = call(in)
			effect = in.Effect()
			return err
		})
		switch {
		case err != nil && ran && isFault(err):
			return d.crashReply(ctx, b, err, left-d.Domain().Plugin().Left(ctx)), nil
		case err != nil:
			return nil, err
		}
	}
	r, failed := b.report(d.Domain().Name(), resp.Results)
	staged := stage(b, resp.Results)
	switch {
	case ctx.Err() != nil:
		return nil, withEffect(reply.Refuse(nil, "the call was cancelled; the document is as it was before it%s", d.rollback(ctx, staged, &resp.State)), effect)
	case failed >= 0 && !b.each:
		d.staged = staged
		(&trial{Document: d, ctx: ctx, state: &resp.State}).tryOut(r, b)
		d.staged = nil
		undone := len(staged)
		unsettled := d.rollback(ctx, staged, &resp.State)
		addRollback(r, b, undone, len(b.items)-failed-1, unsettled)
		if b.reading != "" && effect == "" && unsettled == "" {
			b.failed, b.again = failed, b.readAs(failed)
		}
		return r, nil
	}
	state, err := d.verifyRecorded(ctx, resp.Results, staged, &resp.State)
	if err != nil {
		if !domain.Late(err) {
			err = fmt.Errorf("the %s plugin changed the document without recording how: a fault of the plugin", d.Domain().Name())
		}
		r.Fail(nil, "%s%s", err, d.restore(ctx))
		return addEffect(r, effect), nil
	}
	before := r.Failed
	if err := d.commit(ctx, r, staged, b.names(resp.Results), state); err != nil {
		return nil, withEffect(err, effect)
	}
	if r.Failed && !before {
		return addEffect(r, effect), nil
	}
	if failed >= 0 {
		(&trial{Document: d, ctx: ctx, state: &d.state}).tryOut(r, b)
	}
	return r, nil
}

// withEffect is addEffect for an error.
func withEffect(err error, effect string) error {
	if effect == "" {
		return err
	}
	return fmt.Errorf("%w; %s", err, effect)
}

// addEffect appends effect, which says what the call's requests did to the world, to a reply to a call that the
// document does not keep.
func addEffect(r *reply.Reply, effect string) *reply.Reply {
	if effect != "" {
		r.Results[len(r.Results)-1].Text += "; " + effect
	}
	return r
}

// addRollback adds a line with the counts to the reply to a call that was rolled back, unless the lines above say
// everything.
func addRollback(r *reply.Reply, b *batch, undone, left int, unsettled string) {
	switch {
	case undone+left > 0 && !b.action:
		r.Fail(nil, "rolled back: %s undone, %d not run%s", reply.Count(undone, "op"), left, unsettled)
	case unsettled != "":
		r.Results[len(r.Results)-1].Text += unsettled
	}
}

// newWarnings lists the warnings of now that before does not have, or has with a lower count.
func newWarnings(before, now *abi.State) (out []string) {
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

// commit adds the staged entries to the journal, the file of an autosaving document and the log, and binds the files
// that they name. It adds warnings to r. After an error the call was rolled back.
func (d *Document) commit(ctx context.Context, r *reply.Reply, staged []eventlog.Entry, names []abi.KeyValue, state *abi.State) error {
	if len(staged) == 0 {
		r.Warnings = append(r.Warnings, newWarnings(&d.state, state)...)
		return nil
	}
	defer func() { d.settle(d.memory()) }()
	if err := d.enlist(ctx, staged, names, state); err != nil {
		return err
	}
	var written *stored
	if d.autosaves() {
		var err error
		written, err = d.autosave(ctx, func() []eventlog.Entry { return append(slices.Collect(d.log.Applied()), staged...) })
		switch {
		case err != nil && d.asked:
			r.Warnings = append(r.Warnings, unsavedWarning(err))
		case err != nil:
			return d.unwritten(err, d.rollback(ctx, staged, state))
		}
	}
	d.bind(names)
	r.Warnings = append(r.Warnings, newWarnings(&d.state, state)...)
	d.append(staged, state)
	if written != nil {
		d.noteSaved(ctx, written, r, d.recordLazily)
	}
	d.fold(ctx, r)
	return nil
}

// enlist takes room for the staged entries and writes them to the journal. After an error the call was rolled back.
func (d *Document) enlist(ctx context.Context, staged []eventlog.Entry, names []abi.KeyValue, state *abi.State) error {
	if err := d.grow(d.log.Growth(staged...)); err != nil {
		return reply.Refuse([]reply.Suggestion{d.trySave(), reply.Action("close")}, "%s, so nothing was changed%s", err, d.rollback(ctx, staged, state))
	}
	record := newBatch(staged, state.Digest)
	record.Named = names
	if err := d.record(ctx, recordBatch, record); err != nil {
		return d.unrecorded(err, d.rollback(ctx, staged, state), d.trySave())
	}
	return nil
}
