package domain

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"slices"
	"sync"
)

const (
	maxFree = 16 // instances of one domain that may work without a document at once
	maxIdle = 4  // instances of one domain that are kept for reuse
)

// free holds the instances of a domain that work without a document, and the calls that wait for one.
type free struct {
	mu      sync.Mutex
	working int
	retired bool                    // keep no instances
	idle    []idle                  // oldest first
	waiting map[any][]chan struct{} // by owner, in order of arrival
	owners  []any                   // the owners of waiting calls, the next one first
}

// idle is an instance that is kept for its owner. No other owner may use it: it may remember what that owner sent.
type idle struct {
	owner any
	in    *Instance
}

// Free runs f on an instance without a document. At most 16 run at once; other calls wait, and owners take turns. An
// instance is reused by its own owner only, and never after f failed. If the instance is lost before f asks for
// anything, f runs once more on a new one.
func (d *Domain) Free(ctx context.Context, owner any, f func(*Instance) error) error {
	if err := d.free.enter(ctx, owner, d.lanes()); err != nil {
		return err
	}
	defer d.free.leave()
	for again := false; ; again = true {
		in, err := d.free.take(owner), error(nil)
		if in == nil {
			var seed [8]byte
			rand.Read(seed[:]) // never fails
			if in, err = d.Start(ctx, binary.LittleEndian.Uint64(seed[:])); err != nil {
				return err
			}
		}
		in.placed = true // the lane counts as its place
		in.Outside = func(ctx context.Context) (context.Context, func()) {
			Yield(ctx)
			return ctx, func() {}
		}
		if err = f(in); err == nil && ctx.Err() == nil && !in.NeedsRecycle() {
			d.free.keep(owner, in)
			return nil
		}
		in.Close()
		if again || !Lost(err) {
			return err
		}
	}
}

// lanes returns how many calls may work at once: half of all instances are kept for documents.
func (d *Domain) lanes() int { return min(maxFree, max(1, d.plugin.MaxInstances()/2)) }

// Release drops the instances that are kept for an owner who is gone.
func (d *Domain) Release(owner any) {
	d.free.mu.Lock()
	defer d.free.mu.Unlock()
	d.free.idle = slices.DeleteFunc(d.free.idle, func(i idle) bool {
		if i.owner == owner {
			i.in.Close()
		}
		return i.owner == owner
	})
}

// Retire drops the kept instances, since another build replaces this domain. Running calls finish; the worker ends with
// its last instance.
func (d *Domain) Retire() {
	d.free.mu.Lock()
	kept := d.free.idle
	d.free.idle, d.free.retired = nil, true
	d.free.mu.Unlock()
	for _, i := range kept {
		i.in.Close()
	}
	d.plugin.Retire()
}

// enter waits for a lane.
func (p *free) enter(ctx context.Context, owner any, lanes int) error {
	p.mu.Lock()
	if p.working < lanes && len(p.owners) == 0 {
		p.working++
		p.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	if p.waiting == nil {
		p.waiting = map[any][]chan struct{}{}
	}
	if len(p.waiting[owner]) == 0 {
		p.owners = append(p.owners, owner)
	}
	p.waiting[owner] = append(p.waiting[owner], turn)
	p.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	list := p.waiting[owner]
	i := slices.Index(list, turn)
	if i >= 0 {
		if p.waiting[owner] = slices.Delete(list, i, i+1); len(list) == 1 {
			p.removeWaiting(owner)
		}
	}
	p.mu.Unlock()
	if i < 0 { // leave passed the lane to this call meanwhile
		p.leave()
	}
	return ctx.Err()
}

// leave passes the lane to the next waiting call.
func (p *free) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.owners) == 0 {
		p.working--
		return
	}
	owner := p.owners[0]
	list := p.waiting[owner]
	close(list[0])
	p.waiting[owner] = list[1:]
	p.removeWaiting(owner)
	if len(list) > 1 {
		p.owners = append(p.owners, owner)
		p.waiting[owner] = list[1:]
	}
}

// removeWaiting removes an owner from the waiting ones. The caller holds mu.
func (p *free) removeWaiting(owner any) {
	delete(p.waiting, owner)
	p.owners = slices.DeleteFunc(p.owners, func(o any) bool { return o == owner })
}

// take returns an instance that is kept for the owner, or nil.
func (p *free) take(owner any) *Instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.idle) - 1; i >= 0; i-- {
		if kept := p.idle[i]; kept.owner == owner {
			p.idle = slices.Delete(p.idle, i, i+1)
			return kept.in
		}
	}
	return nil
}

// keep stores an instance for the owner's next call.
func (p *free) keep(owner any, in *Instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.retired {
		in.Close()
		return
	}
	p.idle = append(p.idle, idle{owner, in})
	if len(p.idle) > maxIdle {
		p.idle[0].in.Close()
		p.idle = slices.Delete(p.idle, 0, 1)
	}
}

type yieldKey struct{}

// WithYield returns a context whose call uses f to let the calls behind it in the queue go first, as soon as it waits
// for the world or for a document that another call works on.
func WithYield(ctx context.Context, f func()) context.Context {
	return context.WithValue(ctx, yieldKey{}, f)
}

// Yield lets the calls behind this one in the queue go first, if there is a queue.
func Yield(ctx context.Context) {
	if f, ok := ctx.Value(yieldKey{}).(func()); ok {
		f()
	}
}
