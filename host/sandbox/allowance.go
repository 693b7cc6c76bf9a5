package sandbox

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
)

import (
	"context"
	"sync/atomic"
	"time"
)

// allowance is what one context lets plugins run.
type allowance struct {
	spent *atomic.Int64 // nanoseconds so far, whoever ran
	extra time.Duration // beyond Limits.Call
}

type allowanceKey struct{}

// OneCall returns a context under which a plugin's starts and calls get the time of Limits.Call together, and not each: what a
// client asks for at once takes many of them, and is late like one. Time spent waiting, and compiling a module, does not count.
// A context that has an allowance already keeps it.
func OneCall(ctx context.Context) context.Context {
	if allowanceOf(ctx) != nil {
		return ctx
	}
	return context.WithValue(ctx, allowanceKey{}, &allowance{spent: new(atomic.Int64)})
}

// WithPatience returns a context that allows plugins more time, for what has to be put in order after a call that was late. It
// does not add up: all under contexts made so from one OneCall's is charged to the same time.
func WithPatience(ctx context.Context, more time.Duration) context.Context {
	a := allowanceOf(ctx)
	if a == nil {
		return ctx
	}
	return context.WithValue(ctx, allowanceKey{}, &allowance{spent: a.spent, extra: more})
}

// Renew gives a call all of its time again, whatever it took so far: what it made is kept, so it is not lost in itself. Who calls it
// bounds how often.
func Renew(ctx context.Context) {
	if a := allowanceOf(ctx); a != nil {
		a.spent.Store(0)
	}
}

func allowanceOf(ctx context.Context) *allowance {
	a, _ := ctx.Value(allowanceKey{}).(*allowance)
	return a
}

// Left returns how long the plugin may still run under ctx, at most Limits.Call and the context's patience; 0 means no longer.
func (p *Plugin) Left(ctx context.Context) time.Duration {
	a := allowanceOf(ctx)
	if a == nil {
		return p.cfg.Limits.Call
	}
	return max(0, p.cfg.Limits.Call+a.extra-time.Duration(a.spent.Load()))
}

// over is the failure of what would run when nothing is left of the context's allowance, nil while there is.
func (p *Plugin) checkAllowance(ctx context.Context, export string) *Error {
	if p.Left(ctx) > 0 {
		return nil
	}
	return fail.New(KindDeadline, export, "the call took longer than %v, and the plugin runs no longer for it; ask for less at once or raise the limit call", p.cfg.Limits.Call)
}

// timed runs something that may take own, and no longer than is left of the context's allowance, to which it is charged.
func (p *Plugin) runWithin(ctx context.Context, own time.Duration, export string, run func(limit time.Duration) *Error) *Error {
	a := allowanceOf(ctx)
	if a == nil {
		return run(own)
	}
	if failure := p.checkAllowance(ctx, export); failure != nil {
		return failure
	}
	left, began := p.Left(ctx), time.Now()
	failure := run(min(own, left))
	a.spent.Add(int64(time.Since(began)))
	if failure != nil && failure.Kind == KindDeadline && left < min(own, p.cfg.Limits.Call) {
		what := export
		if what == "" {
			what = "its start"
		}
		failure.Message = fail.New(KindDeadline, export, "%s was stopped: the call took longer than %v; ask for less at once or raise the limit call", what, p.cfg.Limits.Call).Message
	}
	return failure
}

// charge takes a pause before a worker is started from the context's allowance. A call bears it up to half of what it has left,
// so that it comes to run at all; patience is not for waiting.
func (p *Plugin) chargePause(ctx context.Context, pause time.Duration) *Error {
	a := allowanceOf(ctx)
	if a == nil {
		return nil
	}
	left := p.Left(ctx)
	if a.extra > 0 && pause > left {
		return fail.New(KindDeadline, "", "its worker died too often to be started again within the call")
	}
	a.spent.Add(int64(min(pause, left/2)))
	return nil
}
