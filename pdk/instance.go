package pdk

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/vmihailenco/msgpack/v5"
)

// Instance is one document of a domain, with the exports of the ABI as methods.
// Serve runs one in the sandbox, pdktest runs one natively. The export passes a
// method's error to error_set.
type Instance[M any] struct {
	d     *Domain[M]
	model M
	open  bool
	verbs map[string]*Verb[M]
	steps int   // since the last yield
	asks  bool  // exports of the domain may ask
	call  *call // the call that runs or waits; nil where none may ask
}

// NewInstance makes an instance with no document.
func NewInstance[M any](d *Domain[M]) *Instance[M] {
	in := &Instance[M]{d: d, verbs: make(map[string]*Verb[M], len(d.Verbs)), asks: d.asks()}
	for i := range d.Verbs {
		in.verbs[d.Verbs[i].Name] = &d.Verbs[i]
	}
	return in
}

var errNoDocument = errors.New("no document: call fcp_new or fcp_open first")

// Model is the open document's model.
func (in *Instance[M]) Model() M { return in.model }

// New is fcp_new.
func (in *Instance[M]) New(r *abi.NewRequest) (*abi.OpenResponse, error) {
	if r.Folder && in.d.Folder != nil {
		m, warnings, err := in.d.Folder.make(r)
		if err != nil {
			return nil, err
		}
		in.model, in.open = m, true
		return &abi.OpenResponse{Warnings: warnings, State: in.state(m)}, nil
	}
	if in.d.New == nil {
		return nil, Errorf("%s cannot make a new document: open a folder", in.d.Name)
	}
	m, err := in.d.New(r)
	if err != nil {
		return nil, err
	}
	in.model, in.open = m, true
	return &abi.OpenResponse{State: in.state(m)}, nil
}

// Open is fcp_open.
func (in *Instance[M]) Open(r *abi.OpenRequest) (*abi.OpenResponse, error) {
	var m M
	var warnings []string
	var err error
	switch {
	case in.d.Folder != nil && in.d.Folder.opens(r):
		m, warnings, err = in.d.Folder.open(r)
	case r.Snapshot && in.d.Restore != nil:
		m, err = in.d.Restore(r.Name, r.Data)
	case in.d.Open != nil:
		m, warnings, err = in.d.Open(r.Name, r.Data)
	default:
		err = Errorf("%s is not a folder", r.Name)
	}
	if err != nil {
		return nil, err
	}
	in.model, in.open = m, true
	out := &abi.OpenResponse{Warnings: warnings, State: in.state(m)}
	if in.d.References != nil {
		out.References = in.d.References(m)
	}
	return out, nil
}

// Save is fcp_save.
func (in *Instance[M]) Save(r *abi.SaveRequest) (*abi.SaveResponse, error) {
	if !in.open {
		return nil, errNoDocument
	}
	if f := in.files(); f != nil {
		return in.d.Folder.save(f, r)
	}
	write := in.d.Save
	switch {
	case r.Snapshot && in.d.Snapshot != nil:
		write = in.d.Snapshot
	case !r.Snapshot && r.Name != "" && in.d.SaveAs != nil:
		write = func(m M) ([]byte, error) { return in.d.SaveAs(m, target(r.Name, r.Files)) }
	}
	data, err := write(in.model)
	if err != nil {
		return nil, err
	}
	out := &abi.SaveResponse{Data: data}
	if len(in.d.MIME) > 0 && !r.Snapshot {
		out.MIME = in.d.MIME[0]
	}
	return out, nil
}

// Apply is fcp_apply.
func (in *Instance[M]) Apply(r *abi.ApplyRequest) (*abi.ApplyResponse, error) {
	if !in.open {
		return nil, errNoDocument
	}
	out := &abi.ApplyResponse{Results: make([]abi.Result, 0, len(r.Ops))}
	recent := newRecency(r.Recent, r.Ops)
	var h *Host
	if in.d.Stamps || in.d.Folder != nil || len(r.Resources) > 0 {
		h = &Host{supplies: r.Resources, now: r.Now, nonce: r.Nonce, files: in.files()}
	}
	var worse func() []string
	if in.d.Watch != nil {
		worse = in.d.Watch(in.model)
	}
	for i := range r.Ops {
		op := &r.Ops[i]
		v := in.verbs[op.Verb]
		if v == nil {
			v = &Verb[M]{Run: func(*Ctx[M], Args) error { return Errorf("unknown verb %q", op.Verb) }}
		}
		var ids []string
		if op.Recent() > 0 {
			ids = recent.newest()
		}
		if h != nil {
			h.op, h.edits = i, 0
		}
		c := &Ctx[M]{Model: in.model, Recent: ids, Host: h}
		res, err := in.run(c, op, func(c *Ctx[M], a Args) error {
			if err := checkKeys(a, v.Keys); err != nil {
				return err
			}
			return v.Run(c, a)
		})
		if err != nil {
			return nil, err
		}
		if res.Error != nil && len(res.Error.Try) == 0 {
			res.Error.Try = in.keyed(v, c, op)
		}
		out.Results = append(out.Results, res)
		in.step(res.Events)
		if res.Error != nil && !r.Each {
			break
		}
		recent.add(res.IDs)
	}
	if last := len(out.Results) - 1; worse != nil && last >= 0 && out.Results[last].Error == nil {
		c := &Ctx[M]{warnings: out.Results[last].Warnings}
		for _, text := range worse() {
			c.Warn("%s", text)
		}
		out.Results[last].Warnings = c.warnings
	}
	out.State = in.state(in.model)
	return out, nil
}

// yield lets the garbage collector run. In a guest, which has one thread and no
// preemption, a collection ends only when the scheduler runs: without yields,
// memory would grow to its limit during a long batch.
func yield() { runtime.Gosched() }

// yieldEvery is the number of small ops or events after which an instance yields,
// in one call or in several. During a collection each yield marks 100 KB, which
// takes longer than an op.
const yieldEvery = 8

// step counts an op or an event, plus one for each KB of its data: an op may
// change the whole document, and leave as much garbage.
func (in *Instance[M]) step(events []abi.Event) {
	in.steps++
	for i := range events {
		in.steps += len(events[i].Data) >> 10
	}
	if in.steps >= yieldEvery {
		in.steps = 0
		yield()
	}
}

// run runs one op; if it fails, its edits are undone.
func (in *Instance[M]) run(c *Ctx[M], op *abi.Op, f func(*Ctx[M], Args) error) (abi.Result, error) {
	if err := Catch(func() error { return f(c, Args{op}) }); err != nil {
		if back := c.rollback(); back != nil {
			return abi.Result{}, fmt.Errorf("op %q failed (%w) and could not be undone: %w", op.Raw, err, back)
		}
		if u := new(unchanged); errors.As(err, &u) {
			return abi.Result{Kind: abi.Unchanged, Text: u.text, Warnings: c.warnings}, nil
		}
		return abi.Result{Warnings: c.warnings, Error: wire(withSuggestions(err, op))}, nil
	}
	return c.Result(), nil
}

// Session is fcp_session.
func (in *Instance[M]) Session(r *abi.SessionRequest) (*abi.ApplyResponse, error) {
	if !in.open {
		return nil, errNoDocument
	}
	for _, s := range in.d.Session {
		if s.Name == r.Command.Verb {
			c := &Ctx[M]{Model: in.model}
			if in.asks || in.d.Stamps {
				c.Host = &Host{call: in.call, can: r.Can, ref: r.Ref, settings: r.Settings, supplies: r.Resources, now: r.Now, nonce: r.Nonce, files: in.files()}
			}
			res, err := in.run(c, &r.Command, func(c *Ctx[M], a Args) error {
				if no := a.refuseOthers(s.Name, keysOf(s.Syntax)); no != nil {
					return no
				}
				return s.Run(c, a, r.Data)
			})
			if err != nil {
				return nil, err
			}
			out := &abi.ApplyResponse{Results: []abi.Result{res}, State: in.state(in.model)}
			if res.Error == nil {
				out.Run = c.run
			}
			return out, nil
		}
	}
	return nil, Errorf("unknown session action %q", r.Command.Verb)
}

// Query is fcp_query.
func (in *Instance[M]) Query(r *abi.QueryRequest) (*abi.QueryResponse, error) {
	if !in.open {
		return nil, errNoDocument
	}
	for _, q := range in.d.Queries {
		if q.Name == r.Query.Verb {
			if err := checkKeys(Args{&r.Query}, q.Keys); err != nil {
				return nil, withSuggestions(err, &r.Query)
			}
			var res abi.QueryResponse
			err := Catch(func() (err error) {
				res, err = q.Run(&View[M]{Model: in.model, Recent: r.Recent, Host: in.host(r.Can, r.Ref, r.Now), first: r.First, lines: r.Lines}, Args{&r.Query})
				return err
			})
			if err != nil {
				return nil, withSuggestions(err, &r.Query)
			}
			return &res, nil
		}
	}
	return nil, Errorf("unknown query %q", r.Query.Verb)
}

// host returns the Host for a call that changes nothing.
func (in *Instance[M]) host(can []string, ref string, now int) *Host {
	if !in.asks && now == 0 {
		return nil
	}
	return &Host{call: in.call, can: can, ref: ref, now: now}
}

// Reverse is fcp_reverse: it undoes events, newest first as given.
func (in *Instance[M]) Reverse(r *abi.EventsRequest) (*abi.StateResponse, error) {
	return in.each(r, Edit[M].Undo)
}

// Replay is fcp_replay: it does events again, oldest first as given.
func (in *Instance[M]) Replay(r *abi.EventsRequest) (*abi.StateResponse, error) {
	return in.each(r, Edit[M].Do)
}

func (in *Instance[M]) each(r *abi.EventsRequest, do func(Edit[M], M) error) (*abi.StateResponse, error) {
	if !in.open {
		return nil, errNoDocument
	}
	for i := range r.Events {
		ev := &r.Events[i]
		e := in.edit(ev.Type)
		if e == nil {
			return nil, fmt.Errorf("event %d has unknown type %q", i, ev.Type)
		}
		if err := msgpack.Unmarshal(ev.Data, e); err != nil {
			return nil, fmt.Errorf("event %d (%s): %w", i, ev.Type, err)
		}
		if err := do(e, in.model); err != nil {
			return nil, fmt.Errorf("event %d (%s): %w", i, ev.Type, err)
		}
		in.step(r.Events[i : i+1])
	}
	return &abi.StateResponse{State: in.state(in.model)}, nil
}

// edit returns an empty edit for an event, nil for an unknown type.
func (in *Instance[M]) edit(typ string) Edit[M] {
	if in.d.Folder != nil {
		if e := in.d.Folder.edit(typ, in.model); e != nil {
			return e
		}
	}
	if in.d.Edits == nil {
		return nil
	}
	return in.d.Edits(typ)
}

// files returns the files of an open folder document, nil for other documents.
func (in *Instance[M]) files() *Files {
	if in.d.Folder == nil || !in.open {
		return nil
	}
	return in.d.Folder.files(in.model)
}

// State is fcp_state.
func (in *Instance[M]) State() (*abi.StateResponse, error) {
	if !in.open {
		return nil, errNoDocument
	}
	return &abi.StateResponse{State: in.state(in.model)}, nil
}

// Help is fcp_help. It works without a document.
func (in *Instance[M]) Help() (*abi.HelpResponse, error) {
	if in.d.Help == nil {
		return &abi.HelpResponse{}, nil
	}
	return &abi.HelpResponse{Sections: in.d.Help(in.model)}, nil
}

// Export is fcp_export.
func (in *Instance[M]) Export(r *abi.ExportRequest) (*abi.SaveResponse, error) {
	if !in.open {
		return nil, errNoDocument
	}
	for _, f := range in.d.Formats {
		if f.Name != r.Format {
			continue
		}
		a := Args{&abi.Op{Verb: r.Format, Params: r.Params}}
		if no := a.refuseOthers("export "+f.Name, f.Params); no != nil {
			return &abi.SaveResponse{}, no
		}
		if f.Run == nil {
			data, err := f.Write(in.model, a)
			return &abi.SaveResponse{Data: data, MIME: f.MIME}, err
		}
		out, err := f.Run(&View[M]{Model: in.model, Host: in.host(r.Can, "", 0), Target: target("", r.Files)}, a)
		if out.MIME == "" {
			out.MIME = f.MIME
		}
		return &out, err
	}
	return nil, Errorf("unknown export format %q", r.Format)
}

// Fetch is fcp_fetch. It works without a document.
func (in *Instance[M]) Fetch(r *abi.FetchRequest) (*abi.FetchResponse, error) {
	if in.d.Fetch == nil {
		return nil, Errorf("this domain has no remote documents")
	}
	out, err := in.d.Fetch(in.host(r.Can, "", 0), r.Ref)
	return &out, err
}

// Store is fcp_store. It works without a document.
func (in *Instance[M]) Store(r *abi.StoreRequest) (*abi.StoreResponse, error) {
	if in.d.Store == nil {
		return nil, Errorf("this domain stores nothing remotely")
	}
	out, err := in.d.Store(in.host(r.Can, "", 0), r)
	return &out, err
}
