package domain

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"time"

	"github.com/fcp-host/fcp-host/abi"
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
// wait. A call that is known to ask takes its place before it calls the guest and runs with WithPlace, so that no
// instance is held while it waits. release gives the place back.
func (d *Domain) Reserve(ctx context.Context) (release func(), err error) {
	if ctx.Value(placeKey{}) != nil {
		return func() {}, nil
	}
	select {
	case d.places <- struct{}{}:
		return func() { <-d.places }, nil
	default:
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
	i.d.cleanState(&out.State)
	return &out, nil
}
