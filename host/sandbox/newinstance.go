package sandbox

import (
	"context"
	"fmt"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
	"github.com/fcp-host/fcp-host/host/timing"
)

// NewInstance returns a new, initialised instance in the worker that has the least to do. Equal seeds give equal random numbers. It
// starts a worker when none runs, or when all are busy and Limits.Parallel allows another, and compiles the module when it is not in the
// cache; with Config.Interim it interprets the module meanwhile. ctx bounds the wait for other calls and the compilation.
func (p *Plugin) NewInstance(ctx context.Context, seed uint64) (i *Instance, err error) {
	if failure := p.checkAllowance(ctx, ""); failure != nil {
		return nil, p.withName(failure)
	}
	for {
		l, failure := p.laneFor(ctx)
		if failure != nil {
			return nil, p.withName(failure)
		}
		i, err = p.newInstanceIn(ctx, l, seed)
		// When interpreting fails, wait for the compiled code.
		if err == nil || l != p.interim || ctx.Err() != nil {
			return i, err
		}
		p.unfit.Store(true)
		p.cfg.Log.Debug("a plugin cannot be interpreted", "plugin", p.cfg.Name, "error", err)
	}
}

// newInstanceIn is NewInstance in the lane l, whose starting it decreases.
func (p *Plugin) newInstanceIn(ctx context.Context, l *lane, seed uint64) (i *Instance, err error) {
	defer l.starting.Add(-1)
	if err := p.lock(ctx, l); err != nil {
		return nil, err
	}
	defer p.unlock(l)
	timing.Lap(ctx, timing.Wait)
	err = p.retryLost(ctx, func() (failure *Error) {
		i, failure = p.instantiate(ctx, l, seed)
		return failure
	})
	timing.Lap(ctx, timing.Guest)
	return i, err
}

// retryLost calls try, and calls it once more when the worker died for an unknown reason: it was killed from outside, or had died
// before.
func (p *Plugin) retryLost(ctx context.Context, try func() *Error) error {
	failure := try()
	if failure != nil && failure.Kind == KindLost && ctx.Err() == nil {
		failure = try()
	}
	if failure != nil && failure.Kind == KindLost && ctx.Err() != nil {
		return fmt.Errorf("plugin %s: starting: %w", p.cfg.Name, ctx.Err())
	}
	return p.withName(failure)
}

// instantiate makes an instance in the worker of l, and starts the worker if need be. The caller has the turn of l.
func (p *Plugin) instantiate(ctx context.Context, l *lane, seed uint64) (*Instance, *Error) {
	w, failure := p.runningWorker(ctx, l)
	if failure != nil {
		return nil, failure
	}
	if failure := p.cfg.Workers.Full(); failure != nil {
		return nil, failure
	}
	if resident := p.resident(); resident > p.cfg.Limits.Resident/4*3 {
		return nil, fail.New(KindMemory, "", "its %s %d MiB; close a document", map[bool]string{false: "worker already holds", true: "workers already hold"}[len(p.lanes) > 1], resident>>20)
	}
	if failure := p.makeRoom(l, w); failure != nil {
		return nil, failure
	}
	p.mu.Lock()
	p.nextID++
	id := p.nextID
	p.mu.Unlock()
	var memory uint64
	failure = p.runWithin(ctx, l, w, p.cfg.Limits.Start, "", func(limit time.Duration) (failure *Error) {
		memory, failure = w.NewInstance(limit, id, seed)
		return failure
	})
	if failure != nil {
		if w.Dead() {
			if l != p.interim {
				p.countDeath(w, failure)
			}
			p.dropWorker(w)
		}
		return nil, failure
	}
	i := &Instance{plugin: p, lane: l, worker: w, id: id}
	i.memory.Store(memory)
	p.mu.Lock()
	p.instances[id] = i
	l.instances++
	p.markUsed(i)
	p.mu.Unlock()
	return i, nil
}

// forgetInstance removes i from the plugin's instances. The caller holds mu.
func (p *Plugin) forgetInstance(i *Instance) {
	if p.instances[i.id] == i {
		delete(p.instances, i.id)
		i.lane.instances--
	}
}

// markUsed notes that i is used now. The caller holds mu.
func (p *Plugin) markUsed(i *Instance) {
	p.useCount++
	i.lastUse = p.useCount
}

// makeRoom closes the least recently used instances until one more is within the limits: of their number, and of half of the memory that
// the workers may take. It does not close instances that wait for an answer from outside or run a call. The caller has the turn of l,
// whose worker is w.
func (p *Plugin) makeRoom(l *lane, w *worker.Process) *Error {
	for {
		p.mu.Lock()
		var oldest *Instance
		var memory uint64
		for _, i := range p.instances {
			memory += i.Memory()
			if i.waitsForAnswer.Load() || i.inCall {
				continue
			}
			if oldest == nil || i.lastUse < oldest.lastUse {
				oldest = i
			}
		}
		many := len(p.instances) >= p.MaxInstances()
		if oldest == nil || !many && memory <= p.cfg.Limits.Resident/2 {
			p.mu.Unlock()
			if many {
				return fail.New(KindCrowded, "", "all its %d instances wait for answers from outside; try again later", p.MaxInstances())
			}
			return nil
		}
		if oldest.lane != l {
			p.mu.Unlock()
			oldest.Close()
			continue
		}
		oldest.gone.Store(true)
		p.forgetInstance(oldest)
		p.mu.Unlock()
		if err := w.CloseInstance(oldest.id); err != nil {
			p.dropWorker(w)
			return fail.New(KindLost, "", "its worker died: %v", err)
		}
	}
}
