package document

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/grammar"
	"github.com/fcp-host/fcp-host/host/reply"
)

// maxListed bounds the lines an undo or a redo prints.
const maxListed = 20

// Undo takes back the last n ops, n at least 1.
func (d *Document) Undo(ctx context.Context, n int) *reply.Reply {
	return d.move(ctx, "undid", func() (eventlog.Plan, error) { return d.log.PlanUndo(n) })
}

// UndoBatch takes back the whole last call.
func (d *Document) UndoBatch(ctx context.Context) *reply.Reply {
	return d.move(ctx, "undid", d.log.PlanUndoBatch)
}

// UndoTo takes back everything since a checkpoint.
func (d *Document) UndoTo(ctx context.Context, checkpoint string) *reply.Reply {
	return d.move(ctx, "undid", func() (eventlog.Plan, error) { return d.log.PlanUndoTo(checkpoint) })
}

// Redo does the next n undone ops again, n at least 1.
func (d *Document) Redo(ctx context.Context, n int) *reply.Reply {
	return d.move(ctx, "redid", func() (eventlog.Plan, error) { return d.log.PlanRedo(n) })
}

// move carries the document along the log. The log moves only after the
// instance did; where a domain fails to reverse, a fresh instance is replayed
// to the same place.
func (d *Document) move(ctx context.Context, verb string, plan func() (eventlog.Plan, error)) *reply.Reply {
	if err := d.enter(ctx); err != nil {
		return failure(err, "")
	}
	defer d.leave()
	r := d.moved(ctx, verb, plan)
	r.Digest = d.state.Digest
	return d.stand(r)
}

func (d *Document) moved(ctx context.Context, verb string, plan func() (eventlog.Plan, error)) *reply.Reply {
	p, err := plan()
	if err != nil {
		return d.historyFailure(err)
	}
	in, err := d.instance(ctx)
	if err != nil {
		return failure(err, "")
	}
	r := &reply.Reply{}
	// From here on the call runs to its end: half a move would be no state.
	ctx = context.WithoutCancel(ctx)
	if verb == "undid" {
		state, err := in.Reverse(ctx, reversed(p.Entries))
		if err == nil {
			d.state = *state
		} else {
			d.drop()
			applied := slices.Collect(d.log.Applied())
			fresh, state, again := d.rebuild(ctx, applied[:len(applied)-len(p.Entries)])
			if again != nil {
				r.Fail(nil, "%s; rebuilding it failed too (%s); nothing was undone", err, again)
				return r
			}
			d.inst, d.state = fresh, *state
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s; the document was rebuilt from its history instead", err))
		}
	} else {
		state, err := in.Replay(ctx, events(p.Entries))
		if err != nil {
			d.recovered(ctx, r, err)
			return r
		}
		d.state = *state
	}
	if err := d.log.Commit(p); err != nil {
		d.recovered(ctx, r, err)
		return r
	}
	d.revision++
	for i := range p.Entries {
		if i == maxListed {
			r.Add(reply.Changed, "%s %d more ops", verb, len(p.Entries)-i)
			break
		}
		r.Results = append(r.Results, reply.Result{Prefix: reply.Changed, Text: verb + " " + short(p.Entries[i].Op), IDs: p.Entries[i].IDs})
	}
	return r
}

// historyFailure adds the way on to an error of the log.
func (d *Document) historyFailure(err error) *reply.Reply {
	tool := d.Tool + "_session "
	var try []string
	var unknown *eventlog.UnknownCheckpointError
	if errors.As(err, &unknown) {
		for _, name := range unknown.Known {
			if len(try) < abi.MaxTry {
				try = append(try, tool+"undo to:"+grammar.Quote(name))
			}
		}
		if len(try) == 0 {
			try = []string{tool + "undo"}
		}
	}
	return reply.Errorf(try, "%s", err)
}

// Checkpoint names the place the document is at.
func (d *Document) Checkpoint(ctx context.Context, name string) *reply.Reply {
	if err := d.enter(ctx); err != nil {
		return failure(err, "")
	}
	defer d.leave()
	if strings.TrimSpace(name) == "" {
		return d.stand(reply.Errorf([]string{d.Tool + "_session checkpoint before-changes"}, "a checkpoint needs a name"))
	}
	moved := slices.ContainsFunc(d.log.Checkpoints(), func(c eventlog.Checkpoint) bool { return c.Name == name })
	if err := d.log.Checkpoint(name); err != nil {
		return d.stand(failure(err, ""))
	}
	r := &reply.Reply{Digest: d.state.Digest}
	if moved {
		r.Add(reply.Changed, "checkpoint %q moved here", name)
	} else {
		r.Add(reply.Created, "checkpoint %q", name)
	}
	return d.stand(r)
}

// Each sets the batch mode: true for "each", false for "atomic".
func (d *Document) Each(ctx context.Context, each bool) *reply.Reply {
	if err := d.enter(ctx); err != nil {
		return failure(err, "")
	}
	defer d.leave()
	d.each = each
	r := &reply.Reply{Digest: d.state.Digest}
	if each {
		r.Add(reply.Changed, "batch each: a failed op does not stop or undo the others of its call")
	} else {
		r.Add(reply.Changed, "batch atomic: a failed op undoes its whole call")
	}
	return d.stand(r)
}

// History is the query `history N`: the last n ops, newest last.
func (d *Document) History(ctx context.Context, n int) *reply.Reply {
	return d.text(ctx, func() string {
		entries := d.log.History(n)
		if len(entries) == 0 {
			return "no op yet"
		}
		var b strings.Builder
		total := d.log.Cursor()
		for i := range entries {
			writeEntry(&b, total-len(entries)+i+1, &entries[i], "")
		}
		if u := d.log.Len() - d.log.Cursor(); u > 0 {
			fmt.Fprintf(&b, "(%d undone ops can be redone)\n", u)
		}
		return b.String()
	})
}

// Checkpoints is the query `checkpoints`.
func (d *Document) Checkpoints(ctx context.Context) *reply.Reply {
	return d.text(ctx, func() string {
		list := d.log.Checkpoints()
		if len(list) == 0 {
			return "no checkpoint yet"
		}
		var b strings.Builder
		for _, c := range list {
			fmt.Fprintf(&b, "%s: %s\n", c.Name, ago(c.Ago))
		}
		return b.String()
	})
}

func ago(n int) string {
	switch {
	case n == 0:
		return "here"
	case n == 1:
		return "1 op ago"
	case n == -1:
		return "1 undone op ahead"
	case n < 0:
		return fmt.Sprintf("%d undone ops ahead", -n)
	}
	return fmt.Sprintf("%d ops ago", n)
}

// Diff is the query `diff checkpoint:NAME`: what was done since.
func (d *Document) Diff(ctx context.Context, checkpoint string) *reply.Reply {
	if err := d.enter(ctx); err != nil {
		return failure(err, "")
	}
	defer d.leave()
	diff, err := d.log.Since(checkpoint)
	if err != nil {
		return d.stand(d.historyFailure(err))
	}
	entries := diff.Entries
	var b strings.Builder
	switch {
	case len(entries) == 0:
		fmt.Fprintf(&b, "nothing changed since %q\n", checkpoint)
	case diff.Undone:
		fmt.Fprintf(&b, "%d undone ops lie between here and %q:\n", len(entries), checkpoint)
	default:
		fmt.Fprintf(&b, "%d ops since %q:\n", len(entries), checkpoint)
	}
	for i := range entries {
		writeEntry(&b, i+1, &entries[i], "  ")
	}
	return d.stand(&reply.Reply{Text: b.String()})
}

// writeEntry prints an op and, where they say more, its events.
func writeEntry(b *strings.Builder, n int, e *eventlog.Entry, indent string) {
	fmt.Fprintf(b, "%s%d. %s", indent, n, short(e.Op))
	switch len(e.Events) {
	case 0:
	case 1:
		if s := e.Events[0].Summary; s != "" {
			fmt.Fprintf(b, "  → %s", s)
		}
	default:
		fmt.Fprintf(b, "  → %d changes", len(e.Events))
		if s := e.Events[0].Summary; s != "" {
			fmt.Fprintf(b, ", first: %s", s)
		}
	}
	b.WriteByte('\n')
}

// text answers a query from what the host itself knows.
func (d *Document) text(ctx context.Context, f func() string) *reply.Reply {
	if err := d.enter(ctx); err != nil {
		return failure(err, "")
	}
	defer d.leave()
	return d.stand(&reply.Reply{Text: f()})
}
