package sandbox

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
)

import (
	"context"
	"sync/atomic"
	"time"
)

// lane is a place for one worker process of a plugin, and the turn to talk to it.
type lane struct {
	turn      chan struct{} // holds a token while somebody talks to the worker
	callers   atomic.Int32  // who talks to it, or waits for that
	starting  atomic.Int32  // instances that are to be made in it
	turnBegan atomic.Int64  // when the one who talks to it got the turn, in nanoseconds

	// Guarded by the plugin's mu.
	worker    *worker.Process
	starts    int      // of workers
	instances int      // instances that the worker holds
	closing   []uint32 // instances that were closed while the worker was busy
}

// An instance is moved to a worker that has nothing to do by making it anew, which takes longer than most calls: only where it has to
// wait for this long; or where one worker holds more instances than another, and then one after another.
const (
	patience     = 25 * time.Millisecond
	moveInterval = 10 * time.Millisecond
)

// choose gives the lane that a new instance is to live in: of the workers that have nothing to do the one that holds the fewest
// instances; when all are busy another one; when there can be no more, the one that has the least to do. The caller counts coming down.
func (p *Plugin) chooseLane() *lane {
	p.mu.Lock()
	defer p.mu.Unlock()
	var idle, empty, least *lane
	fewer := func(l, than *lane) bool {
		return than == nil || l.load() < than.load()
	}
	for _, l := range p.lanes {
		switch {
		case l.worker == nil && l.starting.Load() == 0:
			if empty == nil {
				empty = l
			}
			continue
		case l.callers.Load() == 0 && fewer(l, idle):
			idle = l
		}
		if least == nil || l.callers.Load() < least.callers.Load() || l.callers.Load() == least.callers.Load() && fewer(l, least) {
			least = l
		}
	}
	l := idle
	if l == nil {
		l = empty
	}
	if l == nil {
		l = least
	}
	l.starting.Add(1)
	return l
}

// load is how many instances a lane holds, or will soon. The caller holds the plugin's mu.
func (l *lane) load() int { return l.instances + int(l.starting.Load()) }

// Misplaced reports whether the instance's worker is busy while another, which may have to be started, has nothing to do and is
// better for it. Who owns the instance may close it then, and make it anew: NewInstance finds that worker. Where it is not, the owner lets
// the next call of the instance move so, too: it fails with KindLost before anything of it is sent, when it has waited for long and another
// worker has nothing to do.
func (i *Instance) Misplaced() bool {
	p, l := i.plugin, i.lane
	if len(p.lanes) == 1 || i.waitsForAnswer.Load() || i.gone.Load() {
		return false
	}
	if l.callers.Load() > 0 && p.shouldMove(l, p.now().UnixNano()-l.turnBegan.Load() > int64(patience)) {
		return true
	}
	i.mayMove.Store(true)
	return false
}

// elsewhere reports whether an instance of a lane that is busy, for long or not, is to move to another one.
func (p *Plugin) shouldMove(l *lane, long bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if now.Sub(p.lastMove) < moveInterval {
		return false
	}
	for _, o := range p.lanes {
		if o != l && o.callers.Load() == 0 && o.starting.Load() == 0 && (long || o.instances+1 < l.instances) {
			p.lastMove = now
			return true
		}
	}
	return false
}

// lockOrMove is lock for a call of an instance. moved is set where the call has no turn: the instance is to move.
func (p *Plugin) lockOrMove(ctx context.Context, i *Instance) (moved bool, err error) {
	l := i.lane
	if !i.mayMove.Swap(false) || l.callers.Load() == 0 {
		return false, p.lock(ctx, l)
	}
	// Who gives up waiting loses its place in the line: so once in any case, and again only behind one call that is long.
	for wait := patience; ; wait *= 2 {
		timed, cancel := context.WithTimeout(ctx, wait)
		err := p.lock(timed, l)
		cancel()
		late := timed.Err() != nil && ctx.Err() == nil
		switch long := p.now().UnixNano()-l.turnBegan.Load() > int64(patience); {
		case err == nil || !late:
			return false, err
		case !long:
			return false, p.lock(ctx, l)
		case p.shouldMove(l, true):
			return true, nil
		}
	}
}

// lock waits for the turn to talk to a lane's worker. It is not given to a context that has ended.
func (p *Plugin) lock(ctx context.Context, l *lane) error {
	l.callers.Add(1)
	err := p.acquire(ctx, l.turn)
	if err != nil {
		l.callers.Add(-1)
		return err
	}
	l.turnBegan.Store(p.now().UnixNano())
	return nil
}

// settle has somebody see to what is to be told the worker of a lane, without waiting: whoever has the turn, or the caller.
func (p *Plugin) tendWorker(l *lane) {
	select {
	case l.turn <- struct{}{}:
		l.callers.Add(1)
		l.turnBegan.Store(p.now().UnixNano())
		p.unlock(l)
	default: // whoever has the turn will see to it
	}
}

// unlock passes the turn on, after telling the worker of instances that were closed meanwhile.
func (p *Plugin) unlock(l *lane) {
	for {
		p.mu.Lock()
		w, ending := l.worker, l.closing
		l.closing = nil
		p.mu.Unlock()
		for _, id := range ending {
			if w == nil || w.CloseInstance(id) != nil {
				break // what lived in a dead worker is gone already
			}
		}
		p.mu.Lock()
		over := p.retired && l.worker == w && l.instances == 0
		p.mu.Unlock()
		if over {
			p.dropWorker(w)
		}
		l.callers.Add(-1)
		<-l.turn
		// Somebody may have closed an instance, or retired the plugin, after that was looked at and before the turn was passed on.
		p.mu.Lock()
		more := len(l.closing) > 0 || p.retired && l.worker != nil && l.instances == 0
		p.mu.Unlock()
		if !more {
			return
		}
		select {
		case l.turn <- struct{}{}:
			l.callers.Add(1)
		default:
			return // whoever has the turn will see to it
		}
	}
}

// resident is what the plugin's workers have in RAM.
func (p *Plugin) resident() (sum uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lanes {
		if l.worker != nil {
			sum += l.worker.Resident()
		}
	}
	return sum
}
