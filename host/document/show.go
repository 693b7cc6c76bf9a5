package document

import (
	"context"
	"errors"
	"slices"

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

// Point has the next reply say what a person selected, in the place of what they did before; "" for nothing.
func (d *Document) Point(name string) {
	<-d.turn
	defer d.leave()
	d.pointed = name
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
	n, batch := 0, uint64(0)
	for e := range d.log.All() {
		if n == 0 || e.Batch != batch {
			r.Calls, batch = append(r.Calls, Call{Gone: n >= r.At}), e.Batch
		}
		n++
		c := &r.Calls[len(r.Calls)-1]
		if c.At = n; len(c.Ops) < maxShown {
			c.Ops = append(c.Ops, short(e.Op))
		} else if len(c.Ops) == maxShown {
			c.Ops = append(c.Ops, "…")
		}
		c.IDs = append(c.IDs, e.IDs[:min(len(e.IDs), max(0, maxTouch-len(c.IDs)))]...)
	}
	if r.Before = max(0, len(r.Calls)-maxCalls); r.Before > 0 {
		r.Calls = r.Calls[r.Before:]
	}
	return r
}
