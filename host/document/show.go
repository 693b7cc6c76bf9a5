package document

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
)

// The document as a person sees it, and how a viewer learns that it changed.

// followerState is the state that a follower was told of last.
type followerState struct {
	log      uint64
	saved    eventlog.Position
	revision uint64
	path     string
	closed   bool
}

// Follow has f called whenever the document was changed, saved or closed. f must return at once, and must not call the
// document.
func (d *Document) Follow(f func(*Document)) { d.follower.Store(&f) }

// followerToTell returns the follower if it has to be told something. The caller has the turn.
func (d *Document) followerToTell() func(*Document) {
	f := d.follower.Load()
	if f == nil {
		return nil
	}
	now := followerState{log: d.log.Version(), saved: d.saved, revision: d.revision, path: d.place.where().Path, closed: d.closed}
	if now == d.heard {
		return nil
	}
	d.heard = now
	return *f
}

// inbox holds what others add to the next reply. Adding does not wait for a call.
type inbox struct {
	mu      sync.Mutex
	told    []string
	pointed string // what a person selected, "" for nothing
}

// take takes everything out of the inbox.
func (b *inbox) take() (warnings []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	warnings = b.told
	if b.pointed != "" {
		warnings = append(warnings, "selected in the view: "+oneWord(b.pointed))
	}
	b.told, b.pointed = nil, ""
	return warnings
}

// oneWord returns a name that a domain gave as one word of an op, so that it cannot say more than a name.
func oneWord(name string) string {
	if op, err := grammar.ParseQuery("select " + name); err == nil && (len(op.Positionals)+len(op.Params) == 0 || len(op.Positionals)+len(op.Params)+len(op.Selectors) == 1) {
		return name
	}
	return grammar.Quote(name)
}

// Tell adds warnings to the next reply.
func (b *inbox) Tell(warnings []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = append(b.told, warnings...)
}

// Point adds what a person selected to the next reply, replacing an earlier selection; "" for none.
func (b *inbox) Point(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pointed = name
}

// Aside runs f, which calls the document on behalf of somebody else. What is in the inbox is kept for the first reply
// after those calls.
func (b *inbox) Aside(f func()) {
	b.mu.Lock()
	told, pointed := b.told, b.pointed
	b.told, b.pointed = nil, ""
	b.mu.Unlock()
	f()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = append(told, b.told...)
	if b.pointed == "" {
		b.pointed = pointed
	}
}

// Call is one call of the history.
type Call struct {
	At    int      // number of ops from the beginning of the log to the end of this call
	Ops   []string // the first maxShown of its ops
	Count int      // of all its ops
	IDs   []string // what it touched
	Gone  bool     // undone
}

// Record is the history as a person sees it.
type Record struct {
	Revision    uint64
	At          int // ops that are applied
	Calls       []Call
	Checkpoints []eventlog.Checkpoint
	Before      int // calls that are left out, at the beginning
}

const (
	maxCalls = 200
	maxShown = 20 // ops of one call
	maxTouch = 500
)

// Seen is the answer to a query for people.
type Seen struct {
	Summary
	Record
	*abi.QueryResponse
}

// ErrMoved is the error of See if the history is no longer the one that the position belongs to.
var ErrMoved = errors.New("the history has moved on")

// See asks the domain a query for a person: of the document as it is, or, if at is not negative, as it was after the
// first at ops of the history of that revision. The document does not change.
func (d *Document) See(ctx context.Context, op *grammar.Op, at int, revision uint64) (*Seen, error) {
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	defer d.leave()
	seen := &Seen{Summary: d.summary(), Record: d.calls(), QueryResponse: &abi.QueryResponse{}}
	if at >= 0 && (revision != d.revision || at > d.log.Len()) {
		return nil, ErrMoved
	}
	if op == nil {
		return seen, nil
	}
	ctx, release, err := d.admit(ctx, op.Verb, d.Domain().QueryWants(op.Verb))
	if err != nil {
		return nil, err
	}
	defer release()
	w := op.Op
	d.noteWords(d.Domain(), &w, true)
	defer d.endSupply()
	req := &abi.QueryRequest{Query: w, Ref: d.place.where().Ref}
	if at >= 0 && at != d.log.Cursor() {
		in, state, err := d.rebuild(ctx, slices.Collect(d.log.All())[:at])
		if err != nil {
			return nil, err
		}
		defer in.Close()
		d.connectWorld(in)
		seen.Digest = state.Digest
		seen.QueryResponse, err = in.Query(ctx, req)
		return seen, err
	}
	err = d.withInstance(ctx, func(in *domain.Instance) (err error) { seen.QueryResponse, err = in.Query(ctx, req); return })
	return seen, err
}

// calls is the history, cut to the limits above.
func (h *history) calls() Record {
	r := Record{Revision: h.revision, At: h.log.Cursor(), Checkpoints: h.log.Checkpoints()}
	r.Before = max(0, h.log.Batches()-maxCalls)
	n, batch, left := 0, uint64(0), r.Before
	for e := range h.log.All() {
		first := n == 0 || e.Batch != batch
		batch = e.Batch
		n++
		if first && left >= 0 {
			left--
		}
		if left >= 0 {
			continue
		}
		if first {
			r.Calls = append(r.Calls, Call{Gone: n > r.At})
		}
		c := &r.Calls[len(r.Calls)-1]
		c.At, c.Count = n, c.Count+1
		if len(c.Ops) < maxShown {
			c.Ops = append(c.Ops, short(e.Op))
		}
		c.IDs = append(c.IDs, e.IDs[:min(len(e.IDs), max(0, maxTouch-len(c.IDs)))]...)
	}
	return r
}
