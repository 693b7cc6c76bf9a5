package domain

import (
	"context"
	"fmt"
	"os"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/timing"
)

// Instance is a running instance of a domain, for one document. Its methods must not be called concurrently. Errors are
// *Refusal, *Fault, or the context's.
type Instance struct {
	// Outside is called when a call starts to wait for the world; the call waits under the context that it returns. The
	// returned function is called when the wait is over. May be nil.
	Outside func(context.Context) (context.Context, func())
	// Files and Inputs open the files that a request names: see Asker. nil if there are none.
	Files, Inputs func(name string) (*os.File, error)
	// Part stores the next bytes of the file that a call writes; nil if it writes none.
	Part func(data []byte) error

	d      *Domain
	in     *sandbox.Instance
	left   bool // a request of the last call left the host
	placed bool // the call already has a place among those that wait for the world
}

// Close frees the instance.
func (i *Instance) Close() { i.in.Close() }

// NeedsRecycle reports that the instance should be replaced before it runs out of memory.
func (i *Instance) NeedsRecycle() bool { return i.in.NeedsRecycle() }

// Misplaced reports that the instance should move: its worker is busy, and another is idle.
func (i *Instance) Misplaced() bool { return i.in.Misplaced() }

func (i *Instance) malformed(export string, err error) error {
	f := &Fault{Domain: i.d.Name(), Message: fmt.Sprintf("%s gave a malformed answer (%s)", export, line(err.Error(), 200)), Err: err}
	if i.left {
		f.Message += "; " + unknownEffect
		f.Err = &sent{f.Message}
	}
	return f
}

// call encodes in (nil for no input), runs the export and decodes the answer into out.
func (i *Instance) call(ctx context.Context, export string, in, out any) error {
	return i.callAs(ctx, export, false, in, out)
}

// callAs is like call; with readOnly the export may ask only for what reads.
func (i *Instance) callAs(ctx context.Context, export string, readOnly bool, in, out any) error {
	var input []byte
	if in != nil {
		var err error
		if input, err = abi.Marshal(in); err != nil {
			return err
		}
		// Refuse what exceeds the limits before the guest sees it. An element takes at least a byte, so short messages
		// need no counting.
		if len(input) > abi.MaxElements {
			if err := abi.Check(input); err != nil {
				return &Refusal{Message: fmt.Sprintf("too much for one call (%v): split it up", err), unsent: true}
			}
		}
	}
	timing.Lap(ctx, timing.Encode)
	i.left = false
	answer, err := i.exchange(ctx, export, readOnly, input)
	if err != nil {
		return err
	}
	if err := abi.Unmarshal(answer, out); err != nil {
		return i.malformed(export, err)
	}
	timing.Lap(ctx, timing.Encode)
	return nil
}

// New creates an empty document.
func (i *Instance) New(ctx context.Context, r *abi.NewRequest) (*abi.OpenResponse, error) {
	return i.openWith(ctx, abi.ExportNew, r)
}

// Open creates a document from a file's bytes.
func (i *Instance) Open(ctx context.Context, r *abi.OpenRequest) (*abi.OpenResponse, error) {
	return i.openWith(ctx, abi.ExportOpen, r)
}

func (i *Instance) openWith(ctx context.Context, export string, r any) (*abi.OpenResponse, error) {
	var out abi.OpenResponse
	if err := i.call(ctx, export, r, &out); err != nil {
		return nil, err
	}
	out.Text = line(out.Text, abi.MaxSummary)
	out.Warnings = i.d.said(out.Warnings)
	i.d.cleanState(&out.State)
	return &out, nil
}

// Apply runs a batch. A refusal of the whole call is a Fault, because the document may already have changed.
func (i *Instance) Apply(ctx context.Context, r *abi.ApplyRequest) (*abi.ApplyResponse, error) {
	i.d.stamp(&r.Now, &r.Nonce)
	return i.applyWith(ctx, abi.ExportApply, r, len(r.Ops), r.Each)
}

// Session runs one of the domain's own actions.
func (i *Instance) Session(ctx context.Context, r *abi.SessionRequest) (*abi.ApplyResponse, error) {
	i.d.stamp(&r.Now, &r.Nonce)
	r.Can, r.Settings = i.d.Can(), i.d.settings()
	return i.applyWith(ctx, abi.ExportSession, r, 1, false)
}

func (i *Instance) applyWith(ctx context.Context, export string, r any, ops int, each bool) (*abi.ApplyResponse, error) {
	var out abi.ApplyResponse
	if err := i.call(ctx, export, r, &out); err != nil {
		return nil, asFault(i.d.Name(), export, err)
	}
	n := len(out.Results)
	stopped := n > 0 && out.Results[n-1].Error != nil
	if n > ops || n < ops && (each || !stopped) {
		return nil, i.malformed(export, fmt.Errorf("%d results for %d ops", n, ops))
	}
	for k := range out.Results {
		if out.Results[k].Error != nil && !each && k < n-1 {
			return nil, i.malformed(export, fmt.Errorf("op %d failed and op %d ran", k+1, k+2))
		}
	}
	if err := i.checkResults(export, out.Results); err != nil {
		return nil, err
	}
	i.d.cleanState(&out.State)
	return &out, nil
}

// checkResults bounds and cleans the results of ops. In the reply to an edit, the lines with the signs of changes are the domain's; whatever
// else it says there, and all that it says in reply to an action, has its name.
func (i *Instance) checkResults(export string, results []abi.Result) error {
	events := 0
	for k := range results {
		res := &results[k]
		res.Warnings = i.d.said(res.Warnings)
		if res.Error != nil {
			i.d.cleanError(res.Error, kindRefusedBy(export))
			if export == abi.ExportSession {
				res.Error.Message = reply.Said(i.d.Name(), res.Error.Message)
			}
			res.Kind, res.Text, res.Events, res.IDs = "", "", nil, nil
			continue
		}
		switch res.Kind {
		case abi.Created, abi.Connection, abi.Changed, abi.Deleted, abi.Bulk:
		case abi.Unchanged:
			if len(res.Events) > 0 {
				return i.malformed(export, fmt.Errorf("op %d is unchanged and has events", k+1))
			}
		case "":
			res.Kind = abi.Changed
		default:
			return i.malformed(export, fmt.Errorf("op %d has the unknown kind %s", k+1, quote(string(res.Kind))))
		}
		if res.Text = text(res.Text, abi.MaxText); res.Text != "" && (export == abi.ExportSession || res.Kind == abi.Unchanged) {
			res.Text = reply.Said(i.d.Name(), res.Text)
		} else {
			res.Text = reply.MarkRest(i.d.Name(), res.Text)
		}
		events += len(res.Events)
		for j := range res.Events {
			ev := &res.Events[j]
			// Passed back to the domain verbatim, so reject rather than clean.
			if line(ev.Type, maxType) != ev.Type {
				return i.malformed(export, fmt.Errorf("the event type %s is not one line of at most %d bytes", quote(ev.Type), maxType))
			}
			if ev.Type == abi.EventOutside {
				return i.malformed(export, fmt.Errorf("the event type %s is the host's own", abi.EventOutside))
			}
			ev.Summary = line(ev.Summary, abi.MaxSummary)
			if err := checkIDs(ev.IDs); err != nil {
				return i.malformed(export, err)
			}
		}
		if err := checkIDs(res.IDs); err != nil {
			return i.malformed(export, err)
		}
	}
	if events > abi.MaxEvents {
		return i.malformed(export, fmt.Errorf("%d events, the limit is %d", events, abi.MaxEvents))
	}
	return nil
}

const maxType = 128 // bytes

func checkIDs(ids []string) error {
	for _, id := range ids {
		if len(id) > abi.MaxID {
			return fmt.Errorf("an id of %d bytes, the limit is %d", len(id), abi.MaxID)
		}
	}
	return nil
}

// Reverse undoes events in the given order, newest first.
func (i *Instance) Reverse(ctx context.Context, events []abi.Event) (*abi.State, error) {
	return i.applyEvents(ctx, abi.ExportReverse, events)
}

// Replay does events again in the given order, oldest first.
func (i *Instance) Replay(ctx context.Context, events []abi.Event) (*abi.State, error) {
	return i.applyEvents(ctx, abi.ExportReplay, events)
}

// The limits of one call of the export stay far below abi.MaxMessage and abi.MaxElements.
const (
	chunkBytes    = 16 << 20
	chunkElements = 500_000
)

// chunk returns how many of the first events fit one call of the export, at least one.
func chunk(events []abi.Event) int {
	bytes, elements := 0, 0
	for n := range events {
		e := &events[n]
		bytes += 64 + len(e.Type) + len(e.Summary) + len(e.Data)
		elements += 1 + len(e.IDs)
		for _, id := range e.IDs {
			bytes += 5 + len(id)
		}
		if n > 0 && (bytes > chunkBytes || elements > chunkElements) {
			return n
		}
	}
	return len(events)
}

func (i *Instance) applyEvents(ctx context.Context, export string, events []abi.Event) (*abi.State, error) {
	if len(events) == 0 {
		return i.State(ctx)
	}
	var out abi.StateResponse
	for len(events) > 0 {
		n := chunk(events)
		out = abi.StateResponse{}
		if err := i.call(ctx, export, &abi.EventsRequest{Events: events[:n]}, &out); err != nil {
			return nil, asFault(i.d.Name(), export, err)
		}
		events = events[n:]
	}
	i.d.cleanState(&out.State)
	return &out.State, nil
}

// State returns the document's state.
func (i *Instance) State(ctx context.Context) (*abi.State, error) {
	var out abi.StateResponse
	if err := i.call(ctx, abi.ExportState, nil, &out); err != nil {
		return nil, err
	}
	i.d.cleanState(&out.State)
	return &out.State, nil
}

// Query runs a query. If the answer has a Total, its Text begins with line First of the request. Content is not
// checked: see Picture.
func (i *Instance) Query(ctx context.Context, r *abi.QueryRequest) (*abi.QueryResponse, error) {
	var out abi.QueryResponse
	r.Can = i.d.Can()
	i.d.stamp(&r.Now, new([]byte))
	if err := i.call(ctx, abi.ExportQuery, r, &out); err != nil {
		return nil, err
	}
	out.Text = text(out.Text, abi.MaxQuery)
	if r.Lines == 0 || out.Total < 0 {
		out.Total = 0 // Text is complete
	}
	if len(out.Content) > abi.MaxContent {
		out.Content = out.Content[:abi.MaxContent]
	}
	for k := range out.Content {
		out.Content[k].MIME = line(out.Content[k].MIME, 128)
	}
	cleanShown(&out)
	return &out, nil
}

// Save returns the document's bytes.
func (i *Instance) Save(ctx context.Context, r *abi.SaveRequest) (*abi.SaveResponse, error) {
	return i.encodeDocument(ctx, abi.ExportSave, r)
}

// Export returns the document in another format.
func (i *Instance) Export(ctx context.Context, r *abi.ExportRequest) (*abi.SaveResponse, error) {
	r.Can = i.d.Can()
	return i.encodeDocument(ctx, abi.ExportExport, r)
}

func (i *Instance) encodeDocument(ctx context.Context, export string, r any) (*abi.SaveResponse, error) {
	var out abi.SaveResponse
	if err := i.call(ctx, export, r, &out); err != nil {
		return nil, err
	}
	out.Warnings = i.d.said(out.Warnings)
	return &out, nil
}

// Help returns the sections that this document adds to the reference card. The export is optional.
func (i *Instance) Help(ctx context.Context) ([]abi.Section, error) {
	if !i.d.exports(abi.ExportHelp) {
		return nil, nil
	}
	var out abi.HelpResponse
	if err := i.call(ctx, abi.ExportHelp, nil, &out); err != nil {
		return nil, err
	}
	size := 0
	for k := range out.Sections {
		cleanSection(i.d.Name(), &out.Sections[k])
		size += len(out.Sections[k].Title) + 1
		for _, l := range out.Sections[k].Lines {
			size += len(l) + 1
		}
		if size > abi.MaxHelp {
			return out.Sections[:k], nil
		}
	}
	return out.Sections, nil
}
