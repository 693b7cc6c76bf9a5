package broker

import (
	"context"
	"fmt"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/capability/web"
	"github.com/fcp-host/fcp-host/host/domain"
)

// maxAfter is the longest delay that a request may ask for.
const maxAfter = 30 * time.Second

// requestKinds are the kinds of requests. A request is of exactly one.
var requestKinds = []struct {
	isKind func(*abi.Request) bool
	do     func(w *world, ctx context.Context, a domain.Asker, r *abi.Request, room *web.Room) abi.Outcome
}{
	{func(r *abi.Request) bool { return r.HTTP != nil }, (*world).doHTTP},
	{func(r *abi.Request) bool { return r.Read != nil }, (*world).doRead},
	{func(r *abi.Request) bool { return r.Run != nil }, (*world).doRun},
	{func(r *abi.Request) bool { return r.Part != nil }, (*world).doPart},
}

// do performs one request, after the delay that it asks for.
func (w *world) do(ctx context.Context, a domain.Asker, r *abi.Request, room *web.Room) abi.Outcome {
	which := -1
	for i := range requestKinds {
		if !requestKinds[i].isKind(r) {
			continue
		}
		if which >= 0 {
			return refusal("a request has more than one of http, read, run and part")
		}
		which = i
	}
	if o := delay(ctx, r.AfterMS); o.Failure != nil || which < 0 {
		return o
	}
	return requestKinds[which].do(w, ctx, a, r, room)
}

// delay waits, or refuses if the call's deadline comes first.
func delay(ctx context.Context, ms int) abi.Outcome {
	wait := time.Duration(ms) * time.Millisecond
	deadline, bounded := ctx.Deadline()
	switch {
	case ms == 0:
		return abi.Outcome{}
	case ms < 0 || ms > int(maxAfter/time.Millisecond):
		return refusal("after_ms is %d, and may be 0 to %d", ms, maxAfter/time.Millisecond)
	case bounded && time.Until(deadline) < wait:
		return failure(abi.FailedTimeout, false, fmt.Sprintf("waiting %v would take longer than the call has left", wait))
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return abi.Outcome{}
	case <-ctx.Done():
		return failure(abi.FailedCancelled, false, "the call ended while it waited")
	}
}

func failure(kind string, sent bool, message string) abi.Outcome {
	return abi.Outcome{Failure: &abi.Failure{Kind: kind, Message: printableLine(message, abi.MaxError), Sent: sent}}
}

func refusal(format string, args ...any) abi.Outcome {
	return failure(abi.FailedRefused, false, fmt.Sprintf(format, args...))
}
