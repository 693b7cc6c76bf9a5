package document

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/reply"
)

const (
	maxListed = 20  // lines that an undo or redo prints at most
	maxName   = 128 // maximum bytes of a checkpoint's name
)

// Undo takes back the last n ops, n at least 1. Undo, UndoBatch and UndoTo take back changes that others made in a
// folder only with force.
func (d *Document) Undo(ctx context.Context, n int, force bool) *reply.Reply {
	again := "undo force"
	if n != 1 {
		again = fmt.Sprintf("undo %d force", n)
	}
	return d.move(ctx, func() (eventlog.Plan, error) { return d.log.PlanUndo(n) }, force, again)
}

// UndoBatch takes back the whole last call.
func (d *Document) UndoBatch(ctx context.Context, force bool) *reply.Reply {
	return d.move(ctx, d.log.PlanUndoBatch, force, "undo batch force")
}

// UndoTo takes back everything since a checkpoint.
func (d *Document) UndoTo(ctx context.Context, checkpoint string, force bool) *reply.Reply {
	return d.move(ctx, func() (eventlog.Plan, error) { return d.log.PlanUndoTo(d.checkpointNamed(checkpoint)) }, force,
		"undo force to:"+grammar.Quote(checkpoint))
}

// checkpointNamed finds a checkpoint by name, or by a name that differs in case only. It returns name itself if there
// is none.
func (h *history) checkpointNamed(name string) string {
	var like []string
	for _, c := range h.log.Checkpoints() {
		if c.Name == name {
			return name
		}
		if strings.EqualFold(c.Name, name) {
			like = append(like, c.Name)
		}
	}
	if len(like) == 1 {
		return like[0]
	}
	return name
}

// Redo does the next n undone ops again, n at least 1.
func (d *Document) Redo(ctx context.Context, n int) *reply.Reply {
	return d.move(ctx, func() (eventlog.Plan, error) { return d.log.PlanRedo(n) }, true, "")
}

// Undoes reports whether Undo would take something back.
func (d *Document) Undoes(n int) bool {
	return d.canPlan(func() (eventlog.Plan, error) { return d.log.PlanUndo(n) })
}

// UndoesTo is Undoes for a checkpoint.
func (d *Document) UndoesTo(checkpoint string) bool {
	return d.canPlan(func() (eventlog.Plan, error) { return d.log.PlanUndoTo(checkpoint) })
}

// Redoes reports whether Redo would redo something.
func (d *Document) Redoes(n int) bool {
	return d.canPlan(func() (eventlog.Plan, error) { return d.log.PlanRedo(n) })
}

func (d *Document) canPlan(plan func() (eventlog.Plan, error)) bool {
	var err error
	d.look(func() { _, err = plan() })
	return err == nil
}

// move undoes or redoes as plan says. again is the same action with force, suggested when it would take back what
// others changed.
func (d *Document) move(ctx context.Context, plan func() (eventlog.Plan, error), force bool, again string) *reply.Reply {
	return d.edit(ctx, func() (*reply.Reply, error) { return d.moveTo(ctx, plan, force, again) })
}

func (d *Document) moveTo(ctx context.Context, plan func() (eventlog.Plan, error), force bool, again string) (*reply.Reply, error) {
	p, err := plan()
	if err != nil {
		return nil, planFailure(err, reply.Action("undo to:"))
	}
	if names := outsideFiles(p.Entries); len(names) > 0 && !force {
		return nil, reply.Refuse([]reply.Suggestion{reply.Action("%s", again)},
			"this would undo changes that others made in %s; nothing was undone", listSome(names))
	}
	verb, undone := "undid", "undone"
	if p.Redo {
		verb, undone = "redid", "redone"
	}
	behind := !p.Redo && d.place.where().Ref != "" && d.undoesBeforeSave(len(p.Entries))
	// From here on the call is not cancelled: half a move would leave no valid state.
	ctx = context.WithoutCancel(ctx)
	r := &reply.Reply{}
	state, err := d.applyPlan(ctx, p)
	if err != nil {
		if state, err = d.rebuildAt(ctx, p, err); err != nil {
			return nil, fmt.Errorf("%w; nothing was %s", err, undone)
		}
	}
	if err := d.record(ctx, recordMove, d.moveRecord(p, state)); err != nil {
		return nil, d.unrecorded(err, d.restore(ctx), d.trySave())
	}
	var written *stored
	if d.autosaves() {
		if written, err = d.autosave(ctx, func() []eventlog.Entry { return d.target(p) }); err != nil {
			return nil, d.unwritten(err, d.restore(ctx))
		}
	}
	if err := d.log.Commit(p); err != nil {
		return nil, fmt.Errorf("%w%s", err, d.restore(ctx))
	}
	if want, ok := d.digests[d.log.Position()]; ok && want != state.Digest {
		d.note("the %s plugin came to [%s] instead of [%s]; the document was rebuilt from its history", d.Domain().Name(), state.Digest, want)
		d.state.Digest = want
		if text := d.restore(ctx); text != restored && text != "" {
			d.note("%s", strings.TrimPrefix(text, "; "))
		}
	} else {
		d.setState(state)
	}
	d.revision++
	if written != nil {
		d.noteSaved(ctx, written, r, d.recordLazily)
	}
	for i := range p.Entries {
		if i == maxListed {
			r.Add(reply.Changed, "%s %s", verb, reply.Count(len(p.Entries)-i, "more op"))
			break
		}
		r.Results = append(r.Results, reply.Result{Prefix: reply.Changed, Text: verb + " " + short(p.Entries[i].Op), IDs: p.Entries[i].IDs})
	}
	if behind {
		r.Warnings = append(r.Warnings, fmt.Sprintf("undone only here: %s keeps what was stored until the next save", reply.Place(d.place.where().Ref)))
	}
	return r, nil
}

// undoesBeforeSave reports whether undoing that many ops goes back before the last save.
func (h *history) undoesBeforeSave(ops int) bool {
	for i := range ops {
		if h.log.At(h.log.Cursor()-i) == h.saved {
			return true
		}
	}
	return false
}

// moveRecord is the record of p, which led to state. If the position already has a digest and it differs, the record
// keeps the earlier one, as the document does.
func (h *history) moveRecord(p eventlog.Plan, state *abi.State) *moveRecord {
	m := &moveRecord{N: len(p.Entries), Redo: p.Redo, Digest: &state.Digest}
	at := h.log.Cursor() - m.N
	if m.Redo {
		at = h.log.Cursor() + m.N
	}
	if want, ok := h.digests[h.log.At(at)]; ok {
		m.Digest = &want
	}
	return m
}

var errNoInstance = errors.New("no instance runs")

// applyPlan applies p to the running instance.
func (h *history) applyPlan(ctx context.Context, p eventlog.Plan) (*abi.State, error) {
	switch {
	case h.inst == nil:
		return nil, errNoInstance
	case p.Redo:
		return h.inst.Replay(ctx, events(p.Entries))
	default:
		return h.inst.Reverse(ctx, reversedEvents(p.Entries))
	}
}

// rebuildAt builds a fresh instance with the entries after p, because applyPlan failed with why.
func (h *history) rebuildAt(ctx context.Context, p eventlog.Plan, why error) (*abi.State, error) {
	h.drop()
	ctx = settling(ctx)
	in, state, err := h.rebuild(ctx, h.target(p))
	expected := errors.Is(why, errNoInstance) || domain.Lost(why)
	switch {
	case err != nil && expected:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w; a fresh instance failed, too (%w)", why, err)
	case !expected:
		h.note("%s; the document was rebuilt from its history instead", why)
	}
	h.inst = in
	return state, nil
}

// target lists the entries that are applied once p is done.
func (h *history) target(p eventlog.Plan) []eventlog.Entry {
	applied := slices.Collect(h.log.Applied())
	if p.Redo {
		return append(applied, p.Entries...)
	}
	return applied[:len(applied)-len(p.Entries)]
}

// planFailure adds suggestions to an error of the log. For an unknown checkpoint it suggests form followed by the
// nearest name, or else the list of checkpoints.
func planFailure(err error, form reply.Suggestion) error {
	var try []reply.Suggestion
	unknown := new(eventlog.UnknownCheckpointError)
	switch {
	case errors.Is(err, eventlog.ErrEmptyName):
		try = []reply.Suggestion{reply.Query("checkpoints")}
	case errors.As(err, &unknown):
		try = []reply.Suggestion{reply.Query("checkpoints")}
		// Every name is near a short one, so short names get no suggestion.
		if near := grammar.Nearest(unknown.Name, unknown.Known); len(near) > 0 && len(unknown.Name) > 2 {
			form.Text += grammar.Quote(near[0])
			try = []reply.Suggestion{form}
		}
	}
	return reply.Refuse(try, "%s", err)
}

// Checkpoint names the present position in the history.
func (d *Document) Checkpoint(ctx context.Context, name string) *reply.Reply {
	return d.act(ctx, func() (*reply.Reply, error) {
		try := []reply.Suggestion{reply.Action("checkpoint before-changes")}
		if strings.TrimSpace(name) == "" {
			return nil, reply.Refuse(try, "a checkpoint needs a name")
		}
		if len(name) > maxName || reply.Line(name) != name {
			return nil, reply.Refuse(try, "a checkpoint's name is one line of at most %d bytes", maxName)
		}
		cut := d.log.Len() - d.log.Cursor()
		moved := slices.ContainsFunc(d.log.Checkpoints(), func(c eventlog.Checkpoint) bool { return c.Name == name })
		if err := d.record(ctx, recordCheckpoint, &checkpointRecord{name}); err != nil {
			return nil, d.unrecorded(err, "", d.trySave())
		}
		if err := d.log.Checkpoint(name); err != nil {
			return nil, err
		}
		d.settle(d.memory())
		r := &reply.Reply{}
		if moved {
			r.Add(reply.Changed, "checkpoint %q moved here", name)
		} else {
			r.Add(reply.Created, "checkpoint %q", name)
		}
		if cut > 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("the %s can no longer be redone", reply.Count(cut, "undone op")))
		}
		return r, nil
	})
}

// Lines sets whether the reply to many ops has a line for each, instead of joining those that differ only in names and places.
func (d *Document) Lines(ctx context.Context, lines bool) *reply.Reply {
	return d.act(ctx, func() (*reply.Reply, error) {
		d.lines = lines
		return changed(lines, "batch lines: a line for each op", "batch joined: many ops that differ only in names and places share a line"), nil
	})
}

// Each sets the batch mode: true for "each", false for "atomic".
func (d *Document) Each(ctx context.Context, each bool) *reply.Reply {
	return d.act(ctx, func() (*reply.Reply, error) {
		if err := d.record(ctx, recordMode, &modeRecord{each}); err != nil {
			return nil, d.unrecorded(err, "", d.trySave())
		}
		d.each = each
		return changed(each, "batch each: a failed op does not stop or undo the others of its call", "batch atomic: a failed op undoes its whole call"), nil
	})
}

// changed is the reply to a setting that was turned on or off.
func changed(is bool, on, off string) *reply.Reply {
	if !is {
		on = off
	}
	return &reply.Reply{Results: []reply.Result{{Prefix: reply.Changed, Text: on}}}
}

// text answers a query with f, which reads what the host itself knows.
func (d *Document) text(ctx context.Context, f func() string) *reply.Reply {
	r := &reply.Reply{}
	looked, err := d.enterOrLook(ctx, func() {
		r.Text = f()
		d.fillState(r)
	})
	switch {
	case err != nil:
		return Failure(err)
	case looked:
		r.Warnings = []string{"a call on this document waits for an answer from outside"}
		return r
	}
	defer d.leave()
	r.Text = f()
	return d.withState(r)
}
