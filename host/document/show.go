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

// What a person sees of a document, and how whoever shows it learns that it changed.

// heard is what a follower hears of.
type heard struct {
	log      uint64
	saved    eventlog.Position
	revision uint64
	path     string
	closed   bool
}

// Follow has f called whenever the document changed, was saved or closed. f must return at once, and call nothing of the document.
func (d *Document) Follow(f func(*Document)) { d.follower.Store(&f) }

// news gives the follower if there is something to hear. The caller has the turn.
func (d *Document) news() func(*Document) {
	f := d.follower.Load()
	if f == nil {
		return nil
	}
	now := heard{log: d.log.Version(), saved: d.saved, revision: d.revision, path: d.path, closed: d.closed}
	if now == d.heard {
		return nil
	}
	d.heard = now
	return *f
}

// inbox is what others have the next reply say. They wait for no call.
type inbox struct {
	mu      sync.Mutex
	told    []string
	pointed string // what a person selected, "" for nothing
}

// empty takes out what it holds.
func (b *inbox) empty() (warnings []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	warnings = b.told
	if b.pointed != "" {
		warnings = append(warnings, "selected in the view: "+b.pointed)
	}
	b.told, b.pointed = nil, ""
	return warnings
}

// Tell has the next reply say warnings, too.
func (d *Document) Tell(warnings []string) {
	d.inbox.mu.Lock()
	defer d.inbox.mu.Unlock()
	d.inbox.told = append(d.inbox.told, warnings...)
}

// Point has the next reply say what a person selected, in the place of what they did before; "" for nothing.
func (d *Document) Point(name string) {
	d.inbox.mu.Lock()
	defer d.inbox.mu.Unlock()
	d.inbox.pointed = name
}

// Aside runs f, which calls the document for somebody else: what others have the next reply say is for the one after those calls.
func (d *Document) Aside(f func()) {
	d.inbox.mu.Lock()
	told, pointed := d.inbox.told, d.inbox.pointed
	d.inbox.told, d.inbox.pointed = nil, ""
	d.inbox.mu.Unlock()
	f()
	d.inbox.mu.Lock()
	defer d.inbox.mu.Unlock()
	d.inbox.told = append(told, d.inbox.told...)
	if d.inbox.pointed == "" {
		d.inbox.pointed = pointed
	}
}

// Call is one call of the history.
type Call struct {
	At   int // ops from the beginning of the log to its end
	Ops  []string
	IDs  []string // what it touched
	Gone bool     // undone
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

// Seen is what a query for people answers.
type Seen struct {
	Summary
	Record
	*abi.QueryResponse
}

// ErrMoved is what See answers about a place in a history that is another one meanwhile.
var ErrMoved = errors.New("the history has moved on")

// See asks the domain as a person's query does, of the document as it is, or as it was after the first at ops of the history of that
// revision, where at is not below 0. The document stays as it is.
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
	ctx, release, no := d.admit(ctx, op.Verb, d.Domain().QueryWants(op.Verb))
	if no != nil {
		return nil, errors.New(no.Results[0].Text)
	}
	defer release()
	w := domain.Op(op)
	d.mention(&w, true)
	defer d.served()
	req := &abi.QueryRequest{Query: w, Ref: d.ref()}
	if at >= 0 && at != d.log.Cursor() {
		in, state, err := d.rebuild(ctx, slices.Collect(d.log.All())[:at])
		if err != nil {
			return nil, err
		}
		defer in.Close()
		d.reach(in)
		seen.Digest = state.Digest
		seen.QueryResponse, err = in.Query(ctx, req)
		return seen, err
	}
	err := d.ask(ctx, func(in *domain.Instance) (err error) { seen.QueryResponse, err = in.Query(ctx, req); return })
	if faulty(err) {
		d.drop()
	}
	return seen, err
}

// calls is the history, as far as it is shown.
func (d *Document) calls() Record {
	r := Record{Revision: d.revision, At: d.log.Cursor(), Checkpoints: d.log.Checkpoints()}
	r.Before = max(0, d.log.Batches()-maxCalls)
	n, batch, left := 0, uint64(0), r.Before
	for e := range d.log.All() {
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
		if c.At = n; len(c.Ops) < maxShown {
			c.Ops = append(c.Ops, short(e.Op))
		} else if len(c.Ops) == maxShown {
			c.Ops = append(c.Ops, "…")
		}
		c.IDs = append(c.IDs, e.IDs[:min(len(e.IDs), max(0, maxTouch-len(c.IDs)))]...)
	}
	return r
}
