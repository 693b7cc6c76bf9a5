package worker

import (
	"os"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/confine"
)

// lateExitCode is the exit code of a worker that ended itself because a request used too much processor time.
const lateExitCode = 3

// ownLimit ends this process when a request uses about twice the processor time that it may. On systems where the host cannot measure
// other processes, this is what ends a guest that loops. Elsewhere the host ends it first, unless the host is gone: Linux then kills the
// worker, and on other systems the worker sees the end of its input, but a guest that loops reads none.
type ownLimit struct {
	mu     sync.Mutex
	timer  *time.Timer
	limit  time.Duration
	before time.Duration // processor time of the process at the first look, or before the request
	looked bool          // at the clock, for this request
}

// start begins a request. Nothing is measured yet, since most requests end before the timer fires.
func (o *ownLimit) start(limit time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.limit, o.looked = limit, false
	if o.timer == nil {
		o.timer = time.AfterFunc(limit, o.look)
		return
	}
	o.timer.Reset(limit)
}

// stop ends a request.
func (o *ownLimit) stop() { o.timer.Stop() }

func (o *ownLimit) look() {
	o.mu.Lock()
	defer o.mu.Unlock()
	now, ok := confine.OwnProcessorTime()
	switch {
	case !ok: // the limit by the clock remains, which is the host's
		return
	case !o.looked:
		o.looked, o.before = true, now
	case now-o.before >= o.limit:
		os.Exit(lateExitCode)
	}
	o.timer.Reset(max(o.limit-(now-o.before), time.Millisecond))
}
