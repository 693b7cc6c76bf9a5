package document

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/timing"
)

// turns orders the calls on one document.
type turns struct {
	turn  chan struct{} // holds one token: whoever has taken it works on the document
	seats chan struct{} // the domain's, of which the call has one
	seat  bool          // whether it has
	asked bool          // the call in progress sent a request to the world
	looks chan func()   // functions that read the document while the call that has the turn waits for the world
	stops chan struct{} // cancels that wait

	order sync.Mutex
	line  []chan struct{} // calls that wait for the turn; the channel of the first one is closed, and only that call tries to take it
}

func newTurns() turns {
	return turns{turn: make(chan struct{}, 1), looks: make(chan func()), stops: make(chan struct{})}
}

// enter waits for the document's turn and for a seat of its domain.
func (d *Document) enter(ctx context.Context) error {
	_, err := d.enterOrLook(ctx, nil)
	return err
}

// enterOrLook waits for the turn like enter. While the call that has the turn waits for the world, it runs look
// instead, which only reads, and reports that it did.
func (d *Document) enterOrLook(ctx context.Context, look func()) (looked bool, err error) {
	timing.Lap(ctx, timing.Parse)
	if err := ctx.Err(); err != nil {
		return false, err
	}
	place := d.queue()
	if place == nil {
		return false, d.begin(ctx)
	}
	done := make(chan struct{})
	var looks chan func()
	if look != nil {
		looks = d.looks
	}
	defer d.unqueue(place)
	domain.Yield(ctx) // its place in the line is taken: calls that come later stay behind it
	var turn chan struct{}
	for at := place; ; {
		select {
		case <-at:
			at, turn = nil, d.turn
		case <-turn:
			return false, d.begin(ctx)
		case looks <- func() {
			defer close(done)
			if err = d.ensureHeld(); err == nil { // the call may have waited for longer than a lease
				look()
			}
		}:
			<-done
			return err == nil, err
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// begin prepares the document for a call that has just got the turn.
func (d *Document) begin(ctx context.Context) error {
	err := ErrClosed
	if !d.closed {
		err = d.ensureHeld()
	}
	if err == nil {
		d.asked = false
		err = d.takeSeat(ctx, d.Domain().Seats())
		timing.Lap(ctx, timing.Wait)
	}
	if err != nil {
		d.leave()
		return err
	}
	if d.inst != nil && d.inst.Misplaced() {
		d.drop() // it holds nothing of this call yet
	}
	d.renew()
	d.place.refresh(ctx, d)
	return nil
}

// queue takes the turn if it is free and nobody waits for it. Otherwise it returns a new place at the end of the line.
func (t *turns) queue() (place chan struct{}) {
	t.order.Lock()
	defer t.order.Unlock()
	if len(t.line) == 0 {
		select {
		case <-t.turn:
			return nil
		default:
		}
	}
	place = make(chan struct{})
	if t.line = append(t.line, place); len(t.line) == 1 {
		close(place)
	}
	return place
}

// unqueue removes a place from the line.
func (t *turns) unqueue(place chan struct{}) {
	t.order.Lock()
	defer t.order.Unlock()
	i := slices.Index(t.line, place)
	if t.line = slices.Delete(t.line, i, i+1); i == 0 && len(t.line) > 0 {
		close(t.line[0])
	}
}

func (d *Document) leave() {
	d.freeSeat()
	tell := d.followerToTell()
	d.turn <- struct{}{}
	if tell != nil {
		tell(d)
	}
}

// errClosing cancels a call that waits for the world while its document is closed.
var errClosing = errors.New("the document is being closed")

// waitOutside is called before a call waits for the world. The call keeps the turn, so that no other call runs in
// between, but gives up its seat, answers callers that only look, and can be cancelled by whoever closes the document.
// The returned function ends the wait; call it before using the document again.
func (t *turns) waitOutside(ctx context.Context) (context.Context, func()) {
	domain.Yield(ctx)
	seated := t.seat // false while the document is being opened, and within another wait
	t.freeSeat()     // lets calls on other documents run meanwhile
	ctx, cancel := context.WithCancelCause(ctx)
	over, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case f := <-t.looks:
				f()
			case t.stops <- struct{}{}:
				cancel(errClosing)
			case <-over:
				return
			}
		}
	}()
	return ctx, func() {
		close(over)
		<-gone
		cancel(nil)
		if seated {
			_ = t.takeSeat(context.WithoutCancel(ctx), t.seats)
		}
	}
}

// freeSeat gives the seat back, if the call has one.
func (t *turns) freeSeat() {
	if t.seat {
		<-t.seats
		t.seat = false
	}
}

// takeSeat waits for one of the domain's seats. Meanwhile it answers callers that only look, since those may hold a
// seat.
func (t *turns) takeSeat(ctx context.Context, seats chan struct{}) error {
	for {
		select {
		case seats <- struct{}{}:
			t.seats, t.seat = seats, true
			return nil
		case f := <-t.looks:
			f()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// admit prepares a call that needs these wants for reaching the world: it must use the returned context, and call
// release at the end. The error says why the domain may not use them; the user may be asked meanwhile.
func (d *Document) admit(ctx context.Context, what string, wants []string) (with context.Context, release func(), err error) {
	if len(wants) == 0 {
		return ctx, func() {}, nil
	}
	wait, over := d.waitOutside(ctx)
	defer over()
	if r := d.Domain().Missing(wait, wants); r != nil {
		return nil, nil, reply.Refuse(nil, "%s: %s", what, r.Message)
	}
	if release, err = d.Domain().Reserve(wait); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", what, err)
	}
	return domain.WithPlace(ctx), release, nil
}

// waitForAsk is waitOutside for an instance that asked for something.
func (t *turns) waitForAsk(ctx context.Context) (context.Context, func()) {
	t.asked = true
	return t.waitOutside(ctx)
}

// look runs f, which only reads, in the document's turn or while another call waits for the world. It reports whether
// it had the turn.
func (d *Document) look(f func()) (inTurn bool) {
	done := make(chan struct{})
	select {
	case <-d.turn:
		defer d.leave()
		f()
		return true
	case d.looks <- func() { defer close(done); f() }:
		<-done
		return false
	}
}

// takeFinalTurn takes the turn for good; a call that waits for the world is cancelled.
func (t *turns) takeFinalTurn() {
	for {
		select {
		case <-t.turn:
			return
		case <-t.stops: // it was cancelled and will end its turn soon
		}
	}
}
