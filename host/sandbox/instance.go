package sandbox

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
	"github.com/fcp-host/fcp-host/host/timing"
)

const (
	// recycleCalls is well below the 10,000 calls after which a Go guest that never yields to its garbage collector runs out of memory.
	recycleCalls = 5_000
	// recycleMinCalls is how many calls an instance gets in any case, so that a large document is not rebuilt at every call.
	recycleMinCalls = 500
)

// Instance is one running copy of a plugin's module, with a memory of its own. Its methods may be called by many goroutines.
type Instance struct {
	plugin         *Plugin
	lane           *lane
	worker         *worker.Process
	id             uint32
	memory         atomic.Uint64
	calls          atomic.Int64
	gone           atomic.Bool
	waitsForAnswer atomic.Bool // it asked for something and waits for the answer
	mayMove        atomic.Bool // its next call may fail, so that it is recreated in another worker; see Misplaced
	lastUse        uint64      // its place in the order of uses; guarded by the plugin's mu
	inCall         bool        // whether a call runs; guarded by the plugin's mu
}

// Call runs an export of type () -> i32 or () -> () with the input and returns its output, which belongs to the caller. Failures of
// the plugin are *Error.
//
// A call waits for its turn. When ctx ends during the wait, Call returns an error that wraps that of ctx. Once the guest runs, ctx no
// longer matters: the call ends by itself or at its deadline, since stopping it would end every instance of the worker. The limit
// is Limits.Call of processor time, or what is left of it (see OneCall).
func (i *Instance) Call(ctx context.Context, export string, input []byte) ([]byte, error) {
	got, err := i.call(ctx, export, input, false)
	return got.Output, err
}

// Exchange calls an export that may ask for something before it answers, by returning 2: then asks is true, output holds its
// requests, and the caller passes their outcomes to the next call of the instance. Until then the instance is not closed to make
// room for another.
func (i *Instance) Exchange(ctx context.Context, export string, input []byte) (output []byte, asks bool, err error) {
	got, err := i.call(ctx, export, input, true)
	return got.Output, got.Asks, err
}

func (i *Instance) call(ctx context.Context, export string, input []byte, mayAsk bool) (got worker.Answer, err error) {
	p := i.plugin
	switch signature, ok := p.module.Info.Func(export); {
	case !ok || len(export) > 255:
		return got, p.withName(fail.New(KindInput, export, "it has no export %s", export))
	case signature != "() -> i32" && signature != "() -> ()":
		return got, p.withName(fail.New(KindInput, export, "its export %s is %s and must be () -> i32", export, signature))
	case len(input) > p.cfg.Limits.Input:
		return got, p.withName(fail.New(KindInput, export, "the input has %d bytes; the limit is %d; send less at once", len(input), p.cfg.Limits.Input))
	}
	if failure := p.checkAllowance(ctx, export); failure != nil {
		i.Close()
		return got, p.withName(failure)
	}
	gone := func() error { return p.withName(fail.New(KindLost, export, "the instance is gone; make a new one")) }
	if i.gone.Load() { // do not wait for a worker that may be busy for a long time
		return got, gone()
	}
	moved, err := p.lockOrMove(ctx, i)
	switch {
	case err != nil:
		return got, err
	case moved:
		i.Close()
		return got, gone()
	}
	defer p.unlock(i.lane)
	timing.Lap(ctx, timing.Wait)
	if i.gone.Load() {
		return got, gone()
	}
	p.mu.Lock()
	current := i.lane.worker == i.worker && !i.gone.Load()
	i.inCall = current
	p.markUsed(i)
	p.mu.Unlock()
	if !current {
		i.gone.Store(true)
		return got, p.withName(fail.New(KindLost, export, "its worker died since; make a new instance"))
	}
	i.calls.Add(1)
	failure := p.runWithin(ctx, i.lane, i.worker, p.cfg.Limits.Call, export, func(limit time.Duration) (failure *Error) {
		got, failure = i.worker.Call(limit, worker.Call{Instance: i.id, Export: export, Input: input, MayAsk: mayAsk})
		return failure
	})
	timing.Lap(ctx, timing.Guest)
	i.memory.Store(got.Memory)
	i.waitsForAnswer.Store(got.Asks)
	p.mu.Lock()
	i.inCall = false
	p.mu.Unlock()
	if failure == nil {
		return got, nil
	}
	if failure.Fatal() {
		i.markGone()
		if i.lane == p.interim {
			return got, p.withName(p.asLost(failure))
		}
		if i.worker.Dead() {
			p.countDeath(i.worker, failure)
			p.dropWorker(i.worker)
		}
	}
	return got, p.withName(failure)
}

// Gone returns a channel that is closed when the instance's worker has ended.
func (i *Instance) Gone() <-chan struct{} { return i.worker.Gone() }

// Memory returns the linear memory of the instance after its last call, in bytes.
func (i *Instance) Memory() uint64 { return i.memory.Load() }

// Calls returns how many calls were made.
func (i *Instance) Calls() int { return int(i.calls.Load()) }

// NeedsRecycle reports whether the instance should be replaced by a new one: after many calls, when its memory is over half of its limit,
// or when it is interpreted and the module is compiled by now. A Go guest that does not yield to its garbage collector grows until it dies.
func (i *Instance) NeedsRecycle() bool {
	if i.lane == i.plugin.interim && i.plugin.compiled.Load() {
		return true
	}
	calls := i.Calls()
	return calls >= recycleCalls || calls >= recycleMinCalls && i.Memory() > i.plugin.cfg.Limits.Memory/2
}

// Close frees the instance. It does not wait for a running call; then the memory is freed when that call ends.
func (i *Instance) Close() {
	if !i.markGone() {
		return
	}
	p := i.plugin
	p.mu.Lock()
	queued := i.lane.worker == i.worker && i.lane.worker != nil
	if queued {
		i.lane.closing = append(i.lane.closing, i.id)
	}
	p.mu.Unlock()
	if queued {
		p.tendWorker(i.lane)
	}
}

// markGone marks the instance as gone and reports whether it was not gone before.
func (i *Instance) markGone() bool {
	if i.gone.Swap(true) {
		return false
	}
	p := i.plugin
	p.mu.Lock()
	p.forgetInstance(i)
	p.mu.Unlock()
	return true
}
