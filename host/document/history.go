package document

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// history is how the document became what it is: a baseline and the log of what was done since, which are the
// document, and an instance built from them, which is a cache.
type history struct {
	builds
	base       baseline
	log        *eventlog.Log
	inst       *domain.Instance // nil: rebuilt before the next call
	state      abi.State
	title      string            // as given when the document was made
	saved      eventlog.Position // the log's position at the last save
	revision   uint64
	cannotFold bool                         // folding failed once: not tried again
	digests    map[eventlog.Position]string // by position: digests to check undo and redo against
	staged     []eventlog.Entry             // what the instance holds beyond the log while suggestions are tried
	trials     int                          // how many suggestions were run for the reply to the call in progress
	notes      []string                     // warnings for the next reply
	connect    func(*domain.Instance)       // gives an instance what it may use of the world in a call
}

// maxDigests bounds history.digests. When it is reached, all are forgotten: undo to an older state is then not
// checked.
const maxDigests = 20_000

// setState sets the state at the log's present position.
func (h *history) setState(state *abi.State) {
	h.state = *state
	if len(h.digests) >= maxDigests {
		clear(h.digests)
	}
	h.digests[h.log.Position()] = state.Digest
}

// note adds a warning to the next reply.
func (h *history) note(format string, args ...any) {
	h.notes = append(h.notes, fmt.Sprintf(format, args...))
}

// append adds entries that led to a state.
func (h *history) append(staged []eventlog.Entry, state *abi.State) {
	h.log.Append(staged...)
	h.setState(state)
	h.revision++
}

// restart begins a new history, from what an instance has opened.
func (h *history) restart(base baseline, in *domain.Instance, state *abi.State) {
	h.drop()
	h.inst, h.base = in, base
	h.log.Clear()
	clear(h.digests)
	h.setState(state)
	h.saved = h.log.Position()
	h.revision++
	h.cannotFold = false
}

// dirty reports whether the document was changed since it was opened, saved or made.
func (h *history) dirty() bool { return h.log.Position() != h.saved }

// Endings of the line about a call in which the instance failed.
const (
	restored = "; a fresh instance has the document exactly as before this call"
	later    = "; the document is kept as it was before this call, and built again at the next"
)

// patience is how much processor time, beyond that of a call, the plugin may use to restore the document after it and to find the
// op that failed.
const patience = time.Second

// restore replaces a failed instance, and returns the words for the reply.
func (h *history) restore(ctx context.Context) string {
	h.drop()
	switch _, err := h.instance(settling(ctx)); {
	case domain.Disabled(err): // the failure itself says so
		return ""
	case domain.Late(err):
		return later
	case err != nil:
		return fmt.Sprintf("; a fresh instance could not be built (%s): the document is kept and built again at the next call", err)
	}
	return restored
}

// rollback reverses the staged entries on the instance, whose state is after. If the domain cannot, or does not reach
// the state before the call, a fresh instance is built. The text is empty unless that failed, too.
func (h *history) rollback(ctx context.Context, staged []eventlog.Entry, after *abi.State) string {
	ctx = settling(ctx)
	if len(staged) > 0 && h.inst != nil {
		slices.Reverse(staged)
		state, err := h.inst.Reverse(ctx, reversedEvents(staged))
		if err != nil {
			h.drop()
		}
		after = state
	}
	if h.inst != nil && sameState(after, &h.state) {
		return ""
	}
	if text := h.restore(ctx); text != restored {
		return text
	}
	return ""
}

// recent lists the ids that @recent may mean, newest first, or none if no op asks for them. results are those of this
// call's ops so far. It lists more ids than an op asks for, since deleted elements do not count.
func (h *history) recent(ops []abi.Op, results []abi.Result) []string {
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
	return append(ids, h.log.Recent(n)...)
}

var errUnrecorded = errors.New("the document was changed without an event")

// verifyRecorded checks that ops without events, such as failed ones in batch mode "each", changed nothing: the staged
// entries alone lead from the state before the call to the state after it. It returns the state after, or an error if
// the instance changed without an event.
func (h *history) verifyRecorded(ctx context.Context, results []abi.Result, staged []eventlog.Entry, after *abi.State) (*abi.State, error) {
	if !slices.ContainsFunc(results, func(res abi.Result) bool { return len(res.Events) == 0 }) {
		return after, nil
	}
	ctx = settling(ctx)
	if len(staged) == 0 {
		if !sameState(after, &h.state) {
			return nil, errUnrecorded
		}
		return after, nil
	}
	backwards := slices.Clone(staged)
	slices.Reverse(backwards)
	if state, err := h.inst.Reverse(ctx, reversedEvents(backwards)); err == nil && sameState(state, &h.state) {
		if state, err = h.inst.Replay(ctx, events(staged)); err == nil && sameState(state, after) {
			return after, nil
		}
	}
	h.drop()
	in, state, err := h.rebuild(ctx, append(slices.Collect(h.log.Applied()), staged...))
	if err != nil {
		return nil, err
	}
	h.inst = in
	if !sameState(state, after) {
		h.note("the %s plugin changed the document without recording how; that part did not stay", h.Domain().Name())
	}
	return state, nil
}

// sameState reports whether two states have the same digest, title, counts and warnings. It is the cheapest check that
// an instance has the content that it should have.
func sameState(a, b *abi.State) bool {
	return a.Digest == b.Digest && a.Title == b.Title && slices.Equal(a.Counts, b.Counts) && slices.Equal(a.Warnings, b.Warnings)
}

// instance returns the running instance, rebuilt from baseline and log if there is none.
func (h *history) instance(ctx context.Context) (*domain.Instance, error) {
	if h.inst != nil && h.inst.NeedsRecycle() {
		h.drop()
	}
	if h.inst != nil {
		return h.inst, nil
	}
	in, state, err := h.rebuild(ctx, slices.Collect(h.log.Applied()))
	if err != nil {
		return nil, err
	}
	if state.Digest != h.state.Digest {
		h.note("the %s plugin is not deterministic: rebuilt from its history, the document is [%s] and was [%s]; check it before saving",
			h.Domain().Name(), state.Digest, h.state.Digest)
	}
	h.inst, h.state = in, *state
	return in, nil
}

// withInstance runs f on the instance. If the instance was lost, for example because its worker died during another document's
// call, it runs f once more on a fresh one.
func (h *history) withInstance(ctx context.Context, f func(*domain.Instance) error) error {
	for again := false; ; again = true {
		in, err := h.instance(ctx)
		if err == nil {
			h.connect(in)
			err = f(in)
		}
		if isFault(err) { // the instance is unusable
			h.drop()
		}
		if again || !domain.Lost(err) {
			return err
		}
	}
}

// save asks the instance for the document's content.
func (h *history) save(ctx context.Context, req *abi.SaveRequest) (out *abi.SaveResponse, err error) {
	err = h.withInstance(ctx, func(in *domain.Instance) (err error) { out, err = in.Save(ctx, req); return })
	return out, err
}

// drop closes the instance. The document itself does not change.
func (h *history) drop() {
	if h.inst != nil {
		h.inst.Close()
		h.inst = nil
	}
}

// rebuild makes a fresh instance from the baseline and the entries given.
func (h *history) rebuild(ctx context.Context, applied []eventlog.Entry) (*domain.Instance, *abi.State, error) {
	return h.rebuildOn(ctx, h.Domain(), applied)
}

// rebuildOn is rebuild with the given build of the domain.
func (h *history) rebuildOn(ctx context.Context, on *domain.Domain, applied []eventlog.Entry) (*domain.Instance, *abi.State, error) {
	in, state, err := h.replayOnce(ctx, on, applied)
	if domain.Lost(err) {
		in, state, err = h.replayOnce(ctx, on, applied)
	}
	return in, state, err
}

func (h *history) replayOnce(ctx context.Context, on *domain.Domain, applied []eventlog.Entry) (*domain.Instance, *abi.State, error) {
	in, out, err := h.base.start(ctx, on)
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
func (h *history) displayTitle() string {
	if h.state.Title != "" {
		return h.state.Title
	}
	return h.title
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
