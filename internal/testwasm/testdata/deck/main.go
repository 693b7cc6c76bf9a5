// Command deck is the plugin for the host's tests of folder documents and remote documents. Its
// document is a set of named texts: the files of a folder, or the lines NAME=TEXT of one file or of
// a remote document. It is written without the SDK, to test the host against only the ABI.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

func main() {}

// deck is the model.
type deck struct {
	folder bool
	base   map[string]string
	texts  map[string]string
}

// snapshot is the deck that fcp_save with Snapshot returns.
type snapshot struct {
	Folder bool
	Files  []abi.File
}

var (
	model  *deck
	asking *abi.StoreRequest // the store that waits for an answer; nil for a fetch
	ref    string            // the document that a waiting fetch asked for
)

// put is the event of every op. It has the form of abi.Outside, so that outside changes are
// replayed in the same way.
const put = "put"

func manifest() *abi.Manifest {
	verb := func(name, syntax string, words int) abi.Verb {
		return abi.Verb{Name: name, Syntax: syntax, Summary: "for tests", Min: 1, Max: words, Examples: []string{name + " a.md x"}}
	}
	return &abi.Manifest{
		ABI: abi.Version, Domain: "deck", Title: "Deck", Version: "1.0.0", Summary: "Folders of texts, for tests", Extensions: []string{".deck"},
		Verbs: []abi.Verb{
			verb("put", "put NAME TEXT…", -1), verb("append", "append NAME TEXT…", -1), verb("drop", "drop NAME", 2),
			verb("twice", "twice NAME", 2), verb("large", "large NAME BYTES", 2),
		},
		Queries: []abi.Query{{Name: "read", Syntax: "read NAME", Summary: "one text"}, {Name: "map", Syntax: "map", Summary: "all names"}, {Name: "all", Syntax: "all", Summary: "all texts"},
			{Name: "ping", Syntax: "ping", Summary: "asks the server"}},
		Wants: []abi.Want{{Kind: abi.WantFolder, Reason: "to keep texts in files"},
			{Kind: abi.WantHTTP, Name: "api", Reason: "to fetch decks", Base: "${DECK_URL}", Reads: true}},
		Folder:    &abi.Folder{Include: []string{"**/*.md", ".deck/*.toml"}, Exclude: []string{"left"}, Marker: ".deck"},
		Autosave:  true,
		Snapshots: true,
		Schemes:   []string{"deck"},
		Tools: []abi.Tool{
			{Name: "put_text", Description: "Makes a file hold a text.", On: abi.OnFolder, InputSchema: []byte(`{"type":"object","properties":{"name":{"type":"string"},"text":{"type":"string"}},"required":["name","text"]}`),
				Codes: []int{1006, 1007}, Stale: 1006, Locked: 1007},
			{Name: "text_names", Description: "The names of the files.", On: abi.OnFolder, ReadOnly: true, InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"array","items":{"type":"string"}}`)},
		},
	}
}

func call(export string, input []byte) (any, error) {
	switch export {
	case abi.ExportManifest:
		return manifest(), nil
	case abi.ExportFetch:
		return with(input, fetch)
	case abi.ExportStore:
		return with(input, store)
	case abi.ExportResume:
		return with(input, resume)
	case abi.ExportNew:
		return with(input, func(r *abi.NewRequest) (any, error) {
			model = newDeck(r.Folder, r.Files)
			model.texts["readme.md"] = "# " + r.Title
			return opened(), nil
		})
	case abi.ExportOpen:
		return with(input, open)
	}
	if model == nil {
		return nil, errors.New("no document")
	}
	switch export {
	case abi.ExportSave:
		return with(input, model.save)
	case abi.ExportApply:
		return with(input, model.apply)
	case abi.ExportReplay:
		return with(input, func(r *abi.EventsRequest) (any, error) { return model.move(r, model.do) })
	case abi.ExportReverse:
		return with(input, func(r *abi.EventsRequest) (any, error) { return model.move(r, model.undo) })
	case abi.ExportState:
		return &abi.StateResponse{State: model.state()}, nil
	case abi.ExportQuery:
		return with(input, model.query)
	case abi.ExportTool:
		return with(input, model.tool)
	}
	return nil, fmt.Errorf("no export %s", export)
}

// asks is the answer of a call that makes requests.
type asks struct{ abi.Requests }

func with[R any](input []byte, f func(*R) (any, error)) (any, error) {
	r := new(R)
	if err := abi.Unmarshal(input, r); err != nil {
		return nil, err
	}
	return f(r)
}

func newDeck(folder bool, files []abi.File) *deck {
	d := &deck{folder: folder, base: map[string]string{}}
	for _, f := range files {
		d.base[f.Name] = string(f.Data)
	}
	d.texts = maps.Clone(d.base)
	return d
}

func opened() *abi.OpenResponse { return &abi.OpenResponse{State: model.state()} }

func open(r *abi.OpenRequest) (any, error) {
	switch {
	case r.Snapshot:
		var s snapshot
		if err := abi.Unmarshal(r.Data, &s); err != nil {
			return nil, err
		}
		model = newDeck(s.Folder, s.Files)
	case r.Folder:
		model = newDeck(true, r.Files)
	default:
		if strings.HasPrefix(string(r.Data), "{") {
			return nil, fmt.Errorf("%s is no deck", r.Name)
		}
		model = newDeck(false, nil)
		for line := range strings.Lines(string(r.Data)) {
			name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			model.texts[name] = text
		}
	}
	return opened(), nil
}

func (d *deck) names() []string { return slices.Sorted(maps.Keys(d.texts)) }

func (d *deck) files() (out []abi.File) {
	for _, name := range d.names() {
		out = append(out, abi.File{Name: name, Data: []byte(d.texts[name])})
	}
	return out
}

func (d *deck) save(r *abi.SaveRequest) (any, error) {
	out := &abi.SaveResponse{MIME: "text/plain"}
	switch {
	case r.Snapshot:
		data, err := abi.Marshal(&snapshot{d.folder, d.files()})
		out.Data = data
		return out, err
	case !d.folder:
		for _, name := range d.names() {
			out.Data = append(out.Data, name+"="+d.texts[name]+"\n"...)
		}
		return out, nil
	}
	for _, name := range d.names() {
		text := d.texts[name]
		if was, there := d.base[name]; r.Whole || !there || was != text {
			out.Files = append(out.Files, abi.FileChange{Name: name, Data: []byte(text)})
			if text == "twice" {
				out.Files = append(out.Files, abi.FileChange{Name: name})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.base)) {
		if _, there := d.texts[name]; !there && !r.Whole {
			out.Files = append(out.Files, abi.FileChange{Name: name, Removed: true})
		}
	}
	return out, nil
}

func (d *deck) state() abi.State {
	broken := 0
	for _, text := range d.texts {
		if strings.HasPrefix(text, "{") {
			broken++
		}
	}
	return abi.State{Digest: fmt.Sprintf("%d texts %d broken", len(d.texts), broken)}
}

func (d *deck) apply(r *abi.ApplyRequest) (any, error) {
	out := &abi.ApplyResponse{}
	for _, op := range r.Ops {
		res := d.run(&op)
		out.Results = append(out.Results, res)
		if res.Error != nil && !r.Each {
			break
		}
	}
	out.State = d.state()
	return out, nil
}

func (d *deck) run(op *abi.Op) abi.Result {
	var words []string
	for _, p := range op.Positionals {
		words = append(words, p.Text)
	}
	name := words[0]
	text := strings.Join(words[1:], " ")
	was, there := d.texts[name]
	o := abi.Outside{Name: name, Before: []byte(was), Was: there, Is: op.Verb != "drop"}
	switch op.Verb {
	case "append":
		text = was + text
	case "drop":
		if !there {
			return abi.Result{Error: &abi.Error{Message: "no text " + name}}
		}
		text = ""
	case "twice":
		text = "twice"
	case "large":
		n := 0
		fmt.Sscan(text, &n)
		text = strings.Repeat("x", n)
	}
	o.After = []byte(text)
	data, err := abi.Marshal(&o)
	if err == nil {
		err = d.do(&o)
	}
	if err != nil {
		return abi.Result{Error: &abi.Error{Message: err.Error()}}
	}
	kind := abi.Changed
	if !there {
		kind = abi.Created
	} else if op.Verb == "drop" {
		kind = abi.Deleted
	}
	return abi.Result{Kind: kind, Text: op.Verb + " " + name, IDs: []string{name}, Events: []abi.Event{{Type: put, Summary: name, IDs: []string{name}, Data: data}}}
}

func (d *deck) do(o *abi.Outside) error {
	if strings.HasPrefix(string(o.After), "poison") {
		return errors.New("poisoned, as asked")
	}
	d.texts[o.Name] = string(o.After)
	if !o.Is {
		delete(d.texts, o.Name)
	}
	return nil
}

func (d *deck) undo(o *abi.Outside) error {
	d.texts[o.Name] = string(o.Before)
	if !o.Was {
		delete(d.texts, o.Name)
	}
	return nil
}

func (d *deck) move(r *abi.EventsRequest, f func(*abi.Outside) error) (any, error) {
	for _, e := range r.Events {
		if e.Type != put && e.Type != abi.EventOutside {
			return nil, fmt.Errorf("unknown event %s", e.Type)
		}
		var o abi.Outside
		if err := abi.Unmarshal(e.Data, &o); err != nil {
			return nil, err
		}
		if err := f(&o); err != nil {
			return nil, err
		}
	}
	return &abi.StateResponse{State: d.state()}, nil
}

func (d *deck) tool(r *abi.ToolRequest) (any, error) {
	if r.Name == "text_names" {
		names, err := json.Marshal(append([]string{}, d.names()...))
		return &abi.ToolResponse{Structured: names, State: d.state()}, err
	}
	var args struct{ Name, Text string }
	if err := json.Unmarshal(r.Arguments, &args); err != nil {
		return nil, err
	}
	res := d.run(&abi.Op{Verb: "put", Positionals: []abi.Positional{{Text: args.Name}, {Text: args.Text}}})
	out := &abi.ToolResponse{Text: "put", Summary: res.Text, Events: res.Events, IDs: res.IDs, State: d.state()}
	if res.Error != nil {
		out.Error = &abi.ToolError{Message: res.Error.Message}
	}
	return out, nil
}

func (d *deck) query(r *abi.QueryRequest) (any, error) {
	switch r.Query.Verb {
	case "ping":
		return get("ping"), nil
	case "all":
		var out []string
		for _, name := range d.names() {
			out = append(out, name+"="+d.texts[name])
		}
		return &abi.QueryResponse{Text: strings.Join(out, "\n")}, nil
	case "read":
		if len(r.Query.Positionals) == 1 {
			if text, ok := d.texts[r.Query.Positionals[0].Text]; ok {
				return &abi.QueryResponse{Text: text}, nil
			}
		}
		return nil, errors.New("no such text")
	}
	return &abi.QueryResponse{Text: strings.Join(d.names(), "\n")}, nil
}

// A remote deck:NAME is the body at /NAME, and its revision the ETag.

func get(name string) *asks {
	return &asks{abi.Requests{Requests: []abi.Request{{HTTP: &abi.HTTPRequest{Endpoint: "api", Method: "GET", Path: []string{name}}}}}}
}

func fetch(r *abi.FetchRequest) (any, error) {
	ref = strings.TrimPrefix(r.Ref, "deck:")
	return get(ref), nil
}

func store(r *abi.StoreRequest) (any, error) {
	asking = r
	h := &abi.HTTPRequest{Endpoint: "api", Method: "PUT", Path: []string{strings.TrimPrefix(r.Ref, "deck:")}, Body: r.Data}
	if r.Revision != "" {
		h.Headers = []abi.KeyValue{{Key: "If-Match", Value: r.Revision}}
	}
	return &asks{abi.Requests{Requests: []abi.Request{{HTTP: h}}}}, nil
}

func resume(r *abi.ResumeRequest) (any, error) {
	o := r.Results[0]
	if o.Failure != nil {
		return nil, errors.New(o.Failure.Message)
	}
	revision := ""
	for _, h := range o.HTTP.Headers {
		if strings.EqualFold(h.Key, "ETag") {
			revision = h.Value
		}
	}
	sent := asking
	asking = nil
	switch {
	case o.HTTP.Status == 412:
		return &abi.StoreResponse{Moved: true, Revision: revision}, nil
	case o.HTTP.Status >= 300:
		return nil, fmt.Errorf("the server answers %d", o.HTTP.Status)
	case sent != nil:
		return &abi.StoreResponse{Revision: revision}, nil
	case ref != "":
		name := ref
		ref = ""
		return &abi.FetchResponse{Ref: "deck:" + name, Name: name + ".deck", Data: o.HTTP.Body, Revision: revision}, nil
	}
	return &abi.QueryResponse{Text: string(o.HTTP.Body)}, nil
}
