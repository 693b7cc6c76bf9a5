package domain

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// A World does what the guests of one domain request, within their grants.
type World interface {
	// Can lists the wants that are granted and usable now, as KIND:NAME.
	Can() []string
	// Settings returns the values that these wants ask for.
	Settings() []abi.KeyValue
	// Missing returns nil if the domain can use the want, or else a refusal that says why not and how to grant it. It
	// may ask the user through the client.
	Missing(ctx context.Context, want string) *Refusal
	// Do runs the requests of one round concurrently and returns an outcome for each, in order. A request that is not
	// allowed or fails has an outcome, too.
	Do(ctx context.Context, a Asker, requests []abi.Request) []abi.Outcome
}

// An Asker is what requests know about the call that makes them.
type Asker struct {
	ReadOnly bool                                // only requests that read are allowed
	Files    func(name string) (*os.File, error) // opens a file that the call names, for its bytes; nil for none
	Inputs   func(name string) (*os.File, error) // opens a file that the call or its document names, for a program; nil for none
	Part     func(data []byte) error             // stores the next bytes of the file that the call writes; nil if it writes none
}

// DefaultRequests is how long all requests of one call may take.
const DefaultRequests = 50 * time.Second

// asking says how an export may ask.
type asking struct {
	may      bool
	readOnly bool // only requests that read are allowed
}

// asks lists the exports that may ask. For a tool, the request says whether it only reads.
var asks = map[string]asking{
	abi.ExportQuery:   {may: true, readOnly: true},
	abi.ExportFetch:   {may: true, readOnly: true},
	abi.ExportSession: {may: true},
	abi.ExportExport:  {may: true},
	abi.ExportStore:   {may: true},
	abi.ExportTool:    {may: true},
}

// Can lists the wants of the domain that are granted.
func (d *Domain) Can() []string {
	if d.World == nil {
		return nil
	}
	return d.World.Can()
}

// settings returns the values that actions and tools get with their requests.
func (d *Domain) settings() []abi.KeyValue {
	if d.World == nil {
		return nil
	}
	return d.World.Settings()
}

// Needs begins the message of a refusal that is about a want; the want's key follows.
const Needs = "it needs "

// Missing returns why one of the wants cannot be used, or nil if all can.
func (d *Domain) Missing(ctx context.Context, wants []string) *Refusal {
	for _, w := range wants {
		if d.World == nil {
			return &Refusal{Message: Needs + w + ", which this host does not grant", unsent: true}
		}
		if r := d.World.Missing(ctx, w); r != nil {
			r.unsent = true
			return r
		}
	}
	return nil
}

type placeKey struct{}

// Reserve takes one of the places for calls on documents that wait for the world, and waits for it. The places are a
// quarter of the instances: half of the instances are for calls without a document, and the rest for calls that do not
// wait. A call that is known to ask takes its place before it calls the guest and runs under Reserved, so that no
// instance is held while it waits. release gives the place back.
func (d *Domain) Reserve(ctx context.Context) (release func(), err error) {
	if ctx.Value(placeKey{}) != nil {
		return func() {}, nil
	}
	late := time.NewTimer(d.requestTime())
	defer late.Stop()
	select {
	case d.places <- struct{}{}:
		return func() { <-d.places }, nil
	case <-late.C:
		return nil, &Refusal{Message: fmt.Sprintf("as many calls of the %s domain wait for answers from outside as may (%d); try again later", d.Name(), cap(d.places)), unsent: true}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// WithPlace returns a context for a call that has a place.
func WithPlace(ctx context.Context) context.Context {
	return context.WithValue(ctx, placeKey{}, true)
}

// QueryWants lists the wants that a query of the domain requires.
func (d *Domain) QueryWants(name string) []string {
	for i := range d.Manifest.Queries {
		if q := &d.Manifest.Queries[i]; q.Name == name {
			return q.Wants
		}
	}
	return nil
}

// SessionWants lists the wants that an action of the domain requires.
func (d *Domain) SessionWants(name string) []string {
	for i := range d.Manifest.Session {
		if s := &d.Manifest.Session[i]; s.Name == name {
			return s.Wants
		}
	}
	return nil
}

// WithRequestDeadline returns a context that bounds how long the requests of one call may take together.
func (d *Domain) WithRequestDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d.requestTime())
}

func (d *Domain) requestTime() time.Duration {
	if d.Requests > 0 {
		return d.Requests
	}
	return DefaultRequests
}

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
	wait, cancel := i.d.WithRequestDeadline(ctx)
	defer cancel()
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
		results := world.Do(wait, asker, asked.Requests)
		if countParts(asked.Requests) == 1 && !slices.ContainsFunc(results, func(o abi.Outcome) bool { return o.Failure != nil }) {
			sandbox.Renew(ctx) // at most abi.MaxAsked times
		}
		if slices.ContainsFunc(results, wasSent) {
			effect = unknownEffect
			i.left = true
		}
		if err := ctx.Err(); err != nil {
			return nil, end("%s was cancelled while it waited", export)
		}
		select {
		case <-i.in.Gone():
			return nil, end("the worker of the plugin ended while %s waited, with another call or from outside", export)
		default:
		}
		input, err := abi.Marshal(&abi.ResumeRequest{Results: results})
		if err != nil {
			return nil, end("%v", err)
		}
		var again bool
		output, again, err = i.in.Exchange(ctx, abi.ExportResume, input)
		if err != nil {
			failed := i.d.convertError(export, err)
			var r *Refusal
			if errors.As(failed, &r) && !r.unsent {
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

// stamp sets the time and the random bytes of a request that may change a document, if the domain asks for them.
func (d *Domain) stamp(now *int, nonce *[]byte) {
	if !d.Manifest.Stamps {
		return
	}
	if d.Stamp != nil {
		*now, *nonce = d.Stamp()
		return
	}
	*now, *nonce = int(time.Now().UnixMilli()), make([]byte, 16)
	rand.Read(*nonce) // never fails
}

// Tool calls a typed tool. The caller checks the JSON in the response.
func (i *Instance) Tool(ctx context.Context, t *abi.Tool, arguments []byte) (*abi.ToolResponse, error) {
	return i.tool(ctx, t, &abi.ToolRequest{Name: t.Name, Arguments: arguments, Can: i.d.Can(), Settings: i.d.settings()})
}

func (i *Instance) tool(ctx context.Context, t *abi.Tool, r *abi.ToolRequest) (*abi.ToolResponse, error) {
	i.d.stamp(&r.Now, &r.Nonce)
	var out abi.ToolResponse
	if err := i.callAs(ctx, abi.ExportTool, t.ReadOnly, r, &out); err != nil {
		if t.On != "" {
			err = asFault(i.d.Name(), abi.ExportTool, err)
		}
		return nil, err
	}
	if len(out.Structured) > abi.MaxJSON || out.Error != nil && len(out.Error.Data) > abi.MaxJSON {
		return nil, i.malformed(abi.ExportTool, fmt.Errorf("more than %d bytes of JSON", abi.MaxJSON))
	}
	if out.Error != nil {
		out.Error.Message = line(out.Error.Message, abi.MaxError)
		out.Structured, out.Events, out.IDs = nil, nil, nil
	}
	res := []abi.Result{{Events: out.Events, IDs: out.IDs, Kind: abi.Changed, Text: out.Summary, Warnings: out.Warnings}}
	if len(out.Events) == 0 {
		res[0].Kind = abi.Unchanged
	}
	if err := i.checkResults(abi.ExportTool, res); err != nil {
		return nil, err
	}
	out.Text, out.Summary, out.Warnings = text(out.Text, abi.MaxQuery), line(out.Summary, abi.MaxSummary), res[0].Warnings
	cleanState(&out.State)
	return &out, nil
}
