package sandbox

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
)

// lane holds one worker process of a plugin, or none, and the turn to talk to it.
type lane struct {
	turn      chan struct{} // holds a token while a goroutine talks to the worker
	callers   atomic.Int32  // goroutines that talk to the worker or wait for the turn
	starting  atomic.Int32  // instances that are about to be made
	turnBegan atomic.Int64  // when the turn was last taken, in nanoseconds since 1970

	// Guarded by the plugin's mu.
	worker    *worker.Process
	starts    int      // how many workers were started
	instances int      // how many the worker holds
	closing   []uint32 // numbers of instances that the worker has to close
}

// An instance moves to an idle worker by being recreated, which takes longer than most calls. So it moves only when it has waited for
// moveAfter, or when its worker holds more instances than the idle one, and instances move at intervals of at least moveInterval.
const (
	moveAfter    = 25 * time.Millisecond
	moveInterval = 10 * time.Millisecond
)

// chooseLane returns the lane for a new instance: the idle worker with the fewest instances; when all are busy, a lane without a worker;
// when there is none, the worker with the fewest calls. It adds one to the lane's starting, which the caller must subtract again.
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

// load returns how many instances a lane holds or is about to hold. The caller holds the plugin's mu.
func (l *lane) load() int { return l.instances + int(l.starting.Load()) }

// Misplaced reports whether the instance's worker is busy while another one, which may have to be started, is idle and better for it.
// Then the owner may close the instance and recreate it: NewInstance finds the idle worker. When Misplaced returns false, it allows the
// next call of the instance to move in the same way: that call fails with KindLost, before anything is sent, when it has waited for a
// long time and another worker is idle.
func (i *Instance) Misplaced() bool {
	p, l := i.plugin, i.lane
	if len(p.lanes) == 1 || l == p.interim || i.waitsForAnswer.Load() || i.gone.Load() {
		return false
	}
	if l.callers.Load() > 0 && p.shouldMove(l, p.now().UnixNano()-l.turnBegan.Load() > int64(moveAfter)) {
		return true
	}
	i.mayMove.Store(true)
	return false
}

// shouldMove reports whether an instance of the busy lane l should move to another lane. long says that l has been busy with one call for
// longer than moveAfter.
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

// lockOrMove is lock for a call of an instance. When moved is true, the call has no turn and the instance should move.
func (p *Plugin) lockOrMove(ctx context.Context, i *Instance) (moved bool, err error) {
	l := i.lane
	if !i.mayMove.Swap(false) || l.callers.Load() == 0 {
		return false, p.lock(ctx, l)
	}
	// A call that stops waiting loses its place in the line. So it does that once in any case, and again only behind one long call.
	for wait := moveAfter; ; wait *= 2 {
		timed, cancel := context.WithTimeout(ctx, wait)
		err := p.lock(timed, l)
		cancel()
		late := timed.Err() != nil && ctx.Err() == nil
		switch long := p.now().UnixNano()-l.turnBegan.Load() > int64(moveAfter); {
		case err == nil || !late:
			return false, err
		case !long:
			return false, p.lock(ctx, l)
		case p.shouldMove(l, true):
			return true, nil
		}
	}
}

// lock waits for the turn to talk to a lane's worker. It fails when ctx has ended or the plugin is closed.
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

// tendWorker tells the worker of a lane which instances were closed, without waiting: when another goroutine has the turn, that one will
// do it in unlock.
func (p *Plugin) tendWorker(l *lane) {
	select {
	case l.turn <- struct{}{}:
		l.callers.Add(1)
		l.turnBegan.Store(p.now().UnixNano())
		p.unlock(l)
	default: // the goroutine with the turn will do it
	}
}

// unlock tells the worker which instances were closed meanwhile, ends it when it is no longer needed, and passes the turn on.
func (p *Plugin) unlock(l *lane) {
	for {
		p.mu.Lock()
		w, ending := l.worker, l.closing
		l.closing = nil
		p.mu.Unlock()
		for _, id := range ending {
			if w == nil || w.CloseInstance(id) != nil {
				break // the instances of a dead worker are gone already
			}
		}
		p.mu.Lock()
		over := l.worker == w && (p.retired && l.instances == 0 || l == p.interim && p.interimOver())
		p.mu.Unlock()
		if over {
			p.dropWorker(w)
		}
		l.callers.Add(-1)
		<-l.turn
		// Another goroutine may have closed an instance or retired the plugin after the check above and before the turn was passed on.
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
			return // the goroutine with the turn will do it
		}
	}
}

// resident returns the resident memory of the plugin's workers in bytes.
func (p *Plugin) resident() (sum uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.allLanes() {
		if l.worker != nil {
			sum += l.worker.Resident()
		}
	}
	return sum
}
