package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
)

// With Config.Interim, a module that is not compiled yet is interpreted while it is compiled in the background, so that no call waits. The
// worker that interprets, in a lane of its own, only ever saves time: when the module is compiled, that worker ends, and when anything goes
// wrong in it, the plugin waits for the compiled code. Both look like any death of a worker, which the owners of instances handle.

// slowdown is how many times more processor time an interpreted guest may use, which is about what it needs.
const slowdown = 30

// build is one compilation of the module in the background.
type build struct {
	done    chan struct{} // closed at the end
	failure *Error        // valid after done; nil when the module is compiled
}

// over reports whether the build has ended.
func (b *build) over() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// background is the niceness of compilations that go on beside other work. More would spare that work for a moment, but on a busy machine it
// would keep calls interpreted for many minutes.
const background = 3

// headStart is how long compilations pause for the start of a worker that interprets and its first call: on two cores those would take twice
// as long beside them.
const headStart = time.Second

// laneFor returns the lane for a new instance, and adds one to its starting. While the module is compiled, that is the lane that
// interprets, unless interpreting has failed; then laneFor waits.
func (p *Plugin) laneFor(ctx context.Context) (*lane, *Error) {
	if p.interim == nil || p.isCompiled() {
		return p.chooseLane(), nil
	}
	p.mu.Lock()
	starts := p.interim.worker == nil && !p.unfit.Load()
	p.mu.Unlock()
	if starts {
		p.cfg.Workers.Pause(headStart)
	}
	b := p.compileInBackground(false)
	if b.over() && b.failure == nil {
		return p.chooseLane(), nil
	}
	if b.over() && !tooSlow(b.failure) {
		return nil, b.failure
	}
	if !p.unfit.Load() {
		p.interim.starting.Add(1)
		return p.interim, nil
	}
	select {
	case <-b.done:
	case <-ctx.Done():
		return nil, fail.New(KindLost, "", "waiting for the module to be compiled: %s", ctx.Err())
	case <-p.done:
		return nil, errClosed()
	}
	if b.failure != nil {
		return nil, b.failure
	}
	return p.chooseLane(), nil
}

// tooSlow reports whether a module could not be compiled for lack of time. It can still be interpreted.
func tooSlow(failure *Error) bool { return failure.Kind == KindDeadline || failure.Kind == KindStalled }

// TooSlow reports whether err says that a module could not be compiled for lack of time.
func TooSlow(err error) bool {
	var e *Error
	return errors.As(err, &e) && tooSlow(e)
}

// isCompiled reports whether a worker with compiled code runs or can be started at once.
func (p *Plugin) isCompiled() bool {
	if !p.compiled.Load() && p.cache != nil && p.cache.Exists() {
		p.compiled.Store(true)
	}
	return p.compiled.Load()
}

// compileInBackground returns the build that runs, or starts one. One that has ended is kept: it is repeated only when again says so, or
// when the machine was at fault.
func (p *Plugin) compileInBackground(again bool) *build {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.building
	if b != nil && (!b.over() || b.failure == nil || !again && b.failure.Kind != KindStalled && b.failure.Kind != KindLost && b.failure.Kind != KindCrowded) {
		return b
	}
	b = &build{done: make(chan struct{})}
	p.building = b
	go func() {
		b.failure = p.runBuild()
		if b.failure == nil {
			p.compiled.Store(true)
		}
		close(b.done)
		p.endInterim()
	}()
	return b
}

// runBuild compiles the module into the cache or, where no cache can be used, in the worker that will run it.
func (p *Plugin) runBuild() *Error {
	ctx := context.Background() // Close ends it
	if err := p.lockBuild(ctx); err != nil {
		return errClosed()
	}
	code, _, failure := p.compiledCode(ctx, background)
	p.unlockBuild()
	if code != nil || failure != nil {
		closeFile(code)
		return failure
	}
	l := p.lanes[0]
	if p.lock(ctx, l) != nil {
		return errClosed()
	}
	defer p.unlock(l)
	_, failure = p.runningWorker(ctx, l)
	return failure
}

// awaitBuild compiles the module in the background and waits for the end.
func (p *Plugin) awaitBuild(ctx context.Context) error {
	b := p.compileInBackground(true)
	select {
	case <-b.done:
		return p.withName(b.failure)
	case <-ctx.Done():
		return fmt.Errorf("plugin %s: waiting for the module to be compiled: %w", p.cfg.Name, ctx.Err())
	}
}

// endInterim ends the worker that interprets, once the module is compiled or cannot be, unless one of its instances waits for an answer
// from outside: those calls could not be repeated. A call that runs fails with KindLost and is repeated in a compiled worker.
func (p *Plugin) endInterim() {
	p.mu.Lock()
	w := p.interim.worker
	if !p.interimOver() {
		w = nil
	}
	p.mu.Unlock()
	p.dropWorker(w)
}

// interimOver reports whether the worker that interprets is no longer needed and can be ended. The caller holds mu.
func (p *Plugin) interimOver() bool {
	b := p.building
	if p.interim == nil || b == nil || !b.over() || b.failure != nil && tooSlow(b.failure) {
		return false
	}
	for _, i := range p.instances {
		if i.lane == p.interim && i.waitsForAnswer.Load() {
			return false
		}
	}
	return true
}

// asLost returns the failure of a request to the worker that interprets as the owner of the instance shall see it: anything but a refusal
// may be a fault of interpreting, so the worker ends, and the request is to be repeated when the module is compiled.
func (p *Plugin) asLost(failure *Error) *Error {
	if failure.Kind == KindLost {
		return failure
	}
	p.cfg.Log.Debug("a plugin is not interpreted any longer", "plugin", p.cfg.Name, "why", failure.Message)
	p.unfit.Store(true)
	p.mu.Lock()
	w := p.interim.worker
	p.mu.Unlock()
	p.dropWorker(w)
	return fail.New(KindLost, failure.Export, "it could not be interpreted: %s", failure.Message)
}

// Uncompiled says why the module is interpreted although compiling it was tried, "" when it is not.
func (p *Plugin) Uncompiled() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.building; b != nil && b.over() && b.failure != nil && tooSlow(b.failure) {
		return b.failure.Message
	}
	return ""
}

// Compiling reports whether the module is compiled at the moment, so that calls are interpreted or wait.
func (p *Plugin) Compiling() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.building != nil && !p.building.over()
}

// interprets reports whether the workers of l interpret the module.
func (p *Plugin) interprets(l *lane) bool { return p.cfg.Interpreted || l != nil && l == p.interim }

// scaled returns a limit of processor time for the workers of l.
func (p *Plugin) scaled(l *lane, limit time.Duration) time.Duration {
	if p.interprets(l) {
		return slowdown * limit
	}
	return limit
}

// allLanes returns the lanes of compiled workers and, if there is one, that of the worker that interprets.
func (p *Plugin) allLanes() []*lane {
	if p.interim == nil {
		return p.lanes
	}
	return append(slices.Clone(p.lanes), p.interim)
}
