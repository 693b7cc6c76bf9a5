package document

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/timing"
)

// lane keeps the calls on one document in order.
type lane struct {
	turn  chan struct{} // holds one token: whoever has it works on the document
	seat  func()        // gives the place back that the call has among those of its domain, nil for none
	looks chan func()   // what is read while the one who has it waits for the world
	stops chan struct{} // cancels that wait

	order sync.Mutex
	line  []chan struct{} // of calls that wait for the turn, closed for the first one, which alone tries to take it
}

func newLane() lane {
	return lane{turn: make(chan struct{}, 1), looks: make(chan func()), stops: make(chan struct{})}
}

// enter waits for the document's turn.
func (d *Document) enter(ctx context.Context) error {
	_, err := d.enterOrLook(ctx, nil)
	return err
}

// enterOrLook waits for the document's turn, or runs look, which only reads, while the call that has the turn waits for the
// world; with look it reports which of the two it was.
func (d *Document) enterOrLook(ctx context.Context, look func()) (looked bool, err error) {
	timing.Lap(ctx, timing.Parse)
	if err := ctx.Err(); err != nil {
		return false, err
	}
	place := d.queue()
	if place == nil {
		return false, d.entered(ctx)
	}
	done := make(chan struct{})
	var looks chan func()
	if look != nil {
		looks = d.looks
	}
	defer d.unqueue(place)
	domain.Yield(ctx) // its place is taken: what comes after it stays behind it
	var turn chan struct{}
	for at := place; ; {
		select {
		case <-at:
			at, turn = nil, d.turn
		case <-turn:
			return false, d.entered(ctx)
		case looks <- func() {
			defer close(done)
			if err = d.hold(); err == nil { // the call may have waited for longer than a lease lasts
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

// entered ends entering, with the turn.
func (d *Document) entered(ctx context.Context) error {
	if d.closed {
		d.leave()
		return ErrClosed
	}
	if err := d.hold(); err != nil {
		d.leave()
		return err
	}
	d.asked = false
	err := d.sit(ctx)
	timing.Lap(ctx, timing.Wait)
	if err != nil {
		d.leave()
		return err
	}
	if d.inst != nil && d.inst.Misplaced() {
		d.drop() // nothing of the call is in it yet
	}
	d.renew()
	d.refresh(ctx)
	return nil
}

// queue takes the turn, if it is free and nobody waits for it, or a place in the line, which it returns.
func (l *lane) queue() (place chan struct{}) {
	l.order.Lock()
	defer l.order.Unlock()
	if len(l.line) == 0 {
		select {
		case <-l.turn:
			return nil
		default:
		}
	}
	place = make(chan struct{})
	if l.line = append(l.line, place); len(l.line) == 1 {
		close(place)
	}
	return place
}

// unqueue gives a place up.
func (l *lane) unqueue(place chan struct{}) {
	l.order.Lock()
	defer l.order.Unlock()
	i := slices.Index(l.line, place)
	if l.line = slices.Delete(l.line, i, i+1); i == 0 && len(l.line) > 0 {
		close(l.line[0])
	}
}

func (d *Document) leave() {
	d.freeSeat()
	tell := d.news()
	d.turn <- struct{}{}
	if tell != nil {
		tell(d)
	}
}

// errClosing is why a call ends that waits for the world while its document is closed.
var errClosing = errors.New("the document is being closed")

// outside is what a call does while it waits for the world: it keeps the document's turn, so that no other call comes in between,
// but answers those that only look, and lets itself be cancelled by who closes the document. The function that it returns ends
// that, before the document is used again.
func (d *Document) outside(ctx context.Context) (context.Context, func()) {
	domain.Yield(ctx)
	seated := d.seat != nil // not while the document is opened, nor within another wait
	d.freeSeat()            // others go on meanwhile
	ctx, cancel := context.WithCancelCause(ctx)
	over, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case f := <-d.looks:
				f()
			case d.stops <- struct{}{}:
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
			_ = d.sit(context.WithoutCancel(ctx))
		}
	}
}

// freeSeat gives the seat back, if there is one.
func (d *Document) freeSeat() {
	if d.seat != nil {
		d.seat()
		d.seat = nil
	}
}

// sit waits for a seat among the documents of the domain on which calls work at once. Those that only look, which may have one, are
// answered meanwhile.
func (d *Document) sit(ctx context.Context) error {
	seats := d.Domain().Seats()
	for {
		select {
		case seats <- struct{}{}:
			d.seat = func() { <-seats }
			return nil
		case f := <-d.looks:
			f()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// admit lets a call that needs these wants reach the world, under the context that it gives, until release is called. A reply
// says why the domain cannot use them. The user may be asked meanwhile.
func (d *Document) admit(ctx context.Context, what string, wants []string) (with context.Context, release func(), no *reply.Reply) {
	if len(wants) == 0 {
		return ctx, func() {}, nil
	}
	wait, over := d.outside(ctx)
	defer over()
	if r := d.Domain().Missing(wait, wants); r != nil {
		return nil, nil, reply.Errorf(nil, "%s: %s", what, r.Message)
	}
	release, err := d.Domain().Reserve(wait)
	if err != nil {
		return nil, nil, d.failure(err, what)
	}
	return domain.Reserved(ctx), release, nil
}

// asks is outside for an instance that asked for something.
func (d *Document) asks(ctx context.Context) (context.Context, func()) {
	d.asked = true
	return d.outside(ctx)
}

// look runs f, which only reads, in the document's turn or while a call waits for the world. It reports whether it was in its turn.
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

// last takes the document's turn for good, from a call that waits for the world, too.
func (d *Document) last() {
	for {
		select {
		case <-d.turn:
			return
		case <-d.stops: // it is cancelled, and its turn ends soon
		}
	}
}
