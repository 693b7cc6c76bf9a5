package domain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Sent reports that the failed call had sent a request to the world. It must not be repeated: the request may have
// taken effect.
func Sent(err error) bool {
	var s *sent
	return errors.As(err, &s)
}

// unknownEffect ends the message for a call that failed after one of its requests left the host.
const unknownEffect = "a request was sent; whether it took effect is not known, and it is not repeated"

// Effect returns the warning for a result of the last call that is not kept: "" if none of its requests left the host.
func (i *Instance) Effect() string {
	if i.left {
		return unknownEffect
	}
	return ""
}

// sent hides the cause of an error from callers that would repeat the call.
type sent struct{ why string }

func (s *sent) Error() string { return s.why }

// ask runs the guest's requests, round by round, and returns the final answer. From here on the instance is bound to
// this call, and nothing is repeated: after any error but a refusal of the guest, the instance is gone.
func (i *Instance) ask(ctx context.Context, export string, readOnly bool, output []byte) ([]byte, error) {
	effect := "it is not repeated"
	end := func(format string, args ...any) error {
		i.in.Close()
		why := fmt.Sprintf(format, args...) + "; " + effect
		return &Fault{Domain: i.d.Name(), Message: why, Err: &sent{why}}
	}
	ctx, over := i.outside(ctx)
	defer over()
	if !i.placed {
		release, err := i.d.Reserve(ctx)
		if err != nil {
			return nil, end("%s cannot wait for answers: %v", export, err)
		}
		defer release()
	}
	wait, cancel := context.WithCancel(ctx)
	defer cancel()
	left := i.d.requestTime()
	go func() { // cancel what is pending if the worker dies: nobody could take the outcome
		select {
		case <-i.in.Gone():
			cancel()
		case <-wait.Done():
		}
	}()
	world := i.d.World
	if ctx.Value(withoutWorldKey{}) != nil {
		world = refusingWorld{world}
	}
	for made := 0; ; {
		asked, err := decodeRound(export, output, made)
		if err != nil {
			return nil, end("%v", err)
		}
		made += len(asked.Requests)
		asker := Asker{ReadOnly: readOnly, Files: i.Files, Inputs: i.Inputs, Part: i.Part}
		if countParts(asked.Requests) > 1 { // their order would be undefined
			asker.Part = nil
		}
		round, done := context.WithTimeout(wait, left) // the guest's own time in between does not count
		began := time.Now()
		results := world.Do(round, asker, asked.Requests)
		left -= time.Since(began)
		done()
		if countParts(asked.Requests) == 1 && !slices.ContainsFunc(results, func(o abi.Outcome) bool { return o.Failure != nil }) {
			sandbox.RenewTime(ctx) // at most abi.MaxAsked times
		}
		if slices.ContainsFunc(results, wasSent) {
			effect = unknownEffect
			i.left = true
		}
		if err := ctx.Err(); err != nil {
			return nil, end("%s was cancelled while it waited", export)
		}
		input, err := abi.Marshal(&abi.ResumeRequest{Results: results})
		if err != nil {
			return nil, end("%v", err)
		}
		var again bool
		output, again, err = i.in.Exchange(ctx, abi.ExportResume, input)
		if lost := new(sandbox.Error); errors.As(err, &lost) && lost.Kind == sandbox.KindLost {
			return nil, end("the worker of the plugin ended while %s waited, with another call or from outside", export)
		}
		if err != nil {
			failed := i.d.convertError(export, err)
			if r, ok := errors.AsType[*Refusal](failed); ok && !r.unsent {
				return nil, failed
			}
			return nil, end("%s", withoutFaultPrefix(failed))
		}
		if !again {
			return output, nil
		}
	}
}

// decodeRound decodes the requests of one round, of a call that has made so many before, and refuses too many of them.
func decodeRound(export string, output []byte, made int) (asked abi.Requests, err error) {
	if err := abi.Unmarshal(output, &asked); err != nil {
		return asked, fmt.Errorf("the requests of %s are malformed (%s)", export, line(err.Error(), 200))
	}
	made += len(asked.Requests)
	switch {
	case len(asked.Requests) == 0:
		return asked, fmt.Errorf("%s makes no request", export)
	case len(asked.Requests) > abi.MaxRequests:
		return asked, fmt.Errorf("%s makes %d requests at once, the limit is %d", export, len(asked.Requests), abi.MaxRequests)
	case made > abi.MaxAsked:
		return asked, fmt.Errorf("%s made %d requests, the limit of a call is %d", export, made, abi.MaxAsked)
	}
	return asked, nil
}

// countParts counts the requests that hand over a part of a file.
func countParts(requests []abi.Request) (n int) {
	for i := range requests {
		if requests[i].Part != nil {
			n++
		}
	}
	return n
}

type withoutWorldKey struct{}

// WithoutWorld returns a context whose calls may not reach the world: all their requests are refused. The host uses it for
// calls it tries out.
func WithoutWorld(ctx context.Context) context.Context {
	return context.WithValue(ctx, withoutWorldKey{}, true)
}

// refusingWorld refuses the requests of a call that must not reach the world.
type refusingWorld struct{ World }

func (refusingWorld) Do(_ context.Context, _ Asker, requests []abi.Request) []abi.Outcome {
	out := make([]abi.Outcome, len(requests))
	for i := range out {
		out[i].Failure = &abi.Failure{Kind: abi.FailedRefused, Message: "no request is sent while a suggestion is tried out"}
	}
	return out
}

// withoutFaultPrefix returns the error without the prefix that a Fault adds.
func withoutFaultPrefix(err error) string {
	if f := new(Fault); errors.As(err, &f) {
		return f.Message
	}
	return line(err.Error(), 600)
}

// wasSent reports that a request left the host.
func wasSent(o abi.Outcome) bool { return o.HTTP != nil || o.Failure != nil && o.Failure.Sent }

// outside tells the owner of the instance that the call waits for the world.
func (i *Instance) outside(ctx context.Context) (context.Context, func()) {
	if i.Outside == nil {
		return ctx, func() {}
	}
	return i.Outside(ctx)
}

// mayAsk reports whether an export of this domain may ask.
func (d *Domain) mayAsk(export string) bool {
	return asks[export].may && d.Asks()
}

// Asks reports whether calls of this domain may wait for the world.
func (d *Domain) Asks() bool { return d.World != nil && d.exports(abi.ExportResume) }

// exchange runs an export, which may ask.
func (i *Instance) exchange(ctx context.Context, export string, readOnly bool, input []byte) ([]byte, error) {
	if !i.d.mayAsk(export) {
		answer, err := i.in.Call(ctx, export, input)
		if err != nil {
			return nil, i.d.convertError(export, err)
		}
		return answer, nil
	}
	answer, again, err := i.in.Exchange(ctx, export, input)
	if err != nil {
		return nil, i.d.convertError(export, err)
	}
	if again {
		return i.ask(ctx, export, readOnly || asks[export].readOnly, answer)
	}
	return answer, nil
}
