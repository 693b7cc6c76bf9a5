package document

import (
	"context"
	"errors"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// instance returns the running instance, rebuilt from baseline and log if there is none.
func (d *Document) instance(ctx context.Context) (*domain.Instance, error) {
	if d.inst != nil && d.inst.NeedsRecycle() {
		d.drop()
	}
	if d.inst != nil {
		return d.inst, nil
	}
	in, state, err := d.rebuild(ctx, slices.Collect(d.log.Applied()))
	if err != nil {
		return nil, err
	}
	if state.Digest != d.state.Digest {
		d.note("the %s plugin is not deterministic: rebuilt from its history, the document is [%s] and was [%s]; check it before saving",
			d.Domain().Name(), state.Digest, d.state.Digest)
	}
	d.inst, d.state = in, *state
	return in, nil
}

// withInstance runs f on the instance. If the instance was lost, for example because its worker died during another document's
// call, it runs f once more on a fresh one.
func (d *Document) withInstance(ctx context.Context, f func(*domain.Instance) error) error {
	for again := false; ; again = true {
		in, err := d.instance(ctx)
		if err == nil {
			d.connectWorld(in)
			err = f(in)
		}
		if again || !domain.Lost(err) {
			return err
		}
		d.drop()
	}
}

// drop closes the instance. The document itself does not change.
func (d *Document) drop() {
	if d.inst != nil {
		d.inst.Close()
		d.inst = nil
	}
}

// rebuild makes a fresh instance from the baseline and the entries given.
func (d *Document) rebuild(ctx context.Context, applied []eventlog.Entry) (*domain.Instance, *abi.State, error) {
	return d.rebuildOn(ctx, d.Domain(), applied)
}

// rebuildOn is rebuild with the given build of the domain.
func (d *Document) rebuildOn(ctx context.Context, on *domain.Domain, applied []eventlog.Entry) (*domain.Instance, *abi.State, error) {
	in, state, err := d.replayOnce(ctx, on, applied)
	if domain.Lost(err) {
		in, state, err = d.replayOnce(ctx, on, applied)
	}
	return in, state, err
}

func (d *Document) replayOnce(ctx context.Context, on *domain.Domain, applied []eventlog.Entry) (*domain.Instance, *abi.State, error) {
	in, out, err := d.base.start(ctx, on)
	if err != nil {
		return nil, nil, err
	}
	if len(applied) == 0 {
		return in, &out.State, nil
	}
	state, err := in.Replay(ctx, events(applied))
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	return in, state, nil
}

// displayTitle is the title in the document's state, or the one that it was made with.
func (d *Document) displayTitle() string {
	if d.state.Title != "" {
		return d.state.Title
	}
	return d.title
}

// events lists the events of entries, oldest first.
func events(entries []eventlog.Entry) []abi.Event {
	n := 0
	for i := range entries {
		n += len(entries[i].Events)
	}
	out := make([]abi.Event, 0, n)
	for i := range entries {
		for _, e := range entries[i].Events {
			out = append(out, abi.Event(e))
		}
	}
	return out
}

// reversedEvents lists the events of entries, which are given newest first, newest first.
func reversedEvents(entries []eventlog.Entry) []abi.Event {
	var out []abi.Event
	for i := range entries {
		evs := entries[i].Events
		for k := len(evs) - 1; k >= 0; k-- {
			out = append(out, abi.Event(evs[k]))
		}
	}
	return out
}

// settling is the context for restoring the document after a call: not cancelled with the call, and with patience
// beyond the call's time.
func settling(ctx context.Context) context.Context {
	return sandbox.WithPatience(context.WithoutCancel(ctx), patience)
}

// isFault reports whether err is a fault, after which the instance is unusable, and not a refusal.
func isFault(err error) bool {
	var f *domain.Fault
	return errors.As(err, &f)
}
