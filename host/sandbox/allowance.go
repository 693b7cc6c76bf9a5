package sandbox

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
)

// allowance is how much processor time plugins may use under one context.
type allowance struct {
	spent *atomic.Int64 // nanoseconds of processor time so far, of all plugins
	extra time.Duration // beyond Limits.Call
}

type allowanceKey struct{}

// OneCall returns a context under which all starts and calls of a plugin share the processor time of Limits.Call, since one call of a
// client needs many of them. Compiling a module does not count. A context that has an allowance already keeps it.
func OneCall(ctx context.Context) context.Context {
	if allowanceOf(ctx) != nil {
		return ctx
	}
	return context.WithValue(ctx, allowanceKey{}, &allowance{spent: new(atomic.Int64)})
}

// WithPatience returns a context that allows plugins more time than Limits.Call, to clean up after a late call. It does not add up: all
// contexts made from one OneCall charge the same time.
func WithPatience(ctx context.Context, more time.Duration) context.Context {
	a := allowanceOf(ctx)
	if a == nil {
		return ctx
	}
	return context.WithValue(ctx, allowanceKey{}, &allowance{spent: a.spent, extra: more})
}

// RenewTime gives a call its whole time again, for a call whose work so far is kept. The caller must bound how often it does so.
func RenewTime(ctx context.Context) {
	if a := allowanceOf(ctx); a != nil {
		a.spent.Store(0)
	}
}

func allowanceOf(ctx context.Context) *allowance {
	a, _ := ctx.Value(allowanceKey{}).(*allowance)
	return a
}

// Left returns how much processor time the plugin may still use under ctx: at most Limits.Call plus what WithPatience added, 0 when the time is over.
func (p *Plugin) Left(ctx context.Context) time.Duration {
	a := allowanceOf(ctx)
	if a == nil {
		return p.cfg.Limits.Call
	}
	return max(0, p.cfg.Limits.Call+a.extra-time.Duration(a.spent.Load()))
}

// checkAllowance returns a failure when nothing is left of the context's allowance, else nil.
func (p *Plugin) checkAllowance(ctx context.Context, export string) *Error {
	if p.Left(ctx) > 0 {
		return nil
	}
	return fail.New(KindDeadline, export, "the call took more than %v of processor time, and the plugin runs no longer for it; ask for less at once or raise the limit call", p.cfg.Limits.Call)
}

// runWithin calls run, which makes a request to w, the worker of l, with the smaller of own and what is left of the context's allowance, and charges the
// processor time to the allowance.
func (p *Plugin) runWithin(ctx context.Context, l *lane, w *worker.Process, own time.Duration, export string, run func(limit time.Duration) *Error) *Error {
	a := allowanceOf(ctx)
	if a == nil {
		return run(p.scaled(l, own))
	}
	if failure := p.checkAllowance(ctx, export); failure != nil {
		return failure
	}
	left := p.Left(ctx)
	failure := run(p.scaled(l, min(own, left)))
	used := w.Used()
	if p.interprets(l) {
		used /= slowdown
	}
	a.spent.Add(int64(used))
	if failure != nil && failure.Kind == KindDeadline && left < min(own, p.cfg.Limits.Call) {
		what := export
		if what == "" {
			what = "its start"
		}
		failure.Message = fail.New(KindDeadline, export, "%s was stopped: the call took more than %v of processor time; ask for less at once or raise the limit call", what, p.cfg.Limits.Call).Message
	}
	return failure
}

// chargePause charges the pause before a restart to the context's allowance, but at most half of what is left, so that the call can still
// run. Time that WithPatience added is not for waiting.
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
