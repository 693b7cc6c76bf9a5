package pdktest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/pdk"
)

// OpenFolder makes a document from a folder's files, keyed by name.
func OpenFolder[M any](t testing.TB, d *pdk.Domain[M], files map[string]string, in ...*World) *Doc {
	t.Helper()
	req := &abi.OpenRequest{Name: "folder", Folder: true}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		req.Files = append(req.Files, abi.File{Name: name, Data: []byte(files[name])})
	}
	doc, err := start(t, d, request{abi.ExportOpen, req}, in...)
	if err != nil {
		t.Fatalf("open a folder: %s", pdk.Text(err))
	}
	return doc
}

// folder returns the files with which the document was opened, and whether it is a
// folder.
func (d *Doc) folder() (map[string]string, bool) {
	r, ok := d.base.input.(*abi.OpenRequest)
	if !ok || !r.Folder {
		return nil, false
	}
	files := map[string]string{}
	for _, f := range r.Files {
		files[f.Name] = string(f.Data)
	}
	return files, true
}

// Files returns the files of a folder, as a save would write them.
func (d *Doc) Files() map[string]string {
	d.t.Helper()
	files := map[string]string{}
	for _, f := range d.saved(true) {
		files[f.Name] = string(f.Data)
	}
	return files
}

func (d *Doc) saved(whole bool) []abi.FileChange {
	d.t.Helper()
	var out abi.SaveResponse
	d.must(abi.ExportSave, &abi.SaveRequest{Whole: whole}, &out)
	return out.Files
}

// checkFiles checks that the changed files of a folder agree with all of its files.
func (d *Doc) checkFiles() {
	d.t.Helper()
	files, ok := d.folder()
	if !ok || d.restored {
		return
	}
	changes := d.saved(false)
	if !slices.IsSortedFunc(changes, func(a, b abi.FileChange) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) }) {
		d.t.Fatal("the files that changed are not sorted by name")
	}
	for _, c := range changes {
		if files[c.Name] = string(c.Data); c.Removed {
			delete(files, c.Name)
		}
	}
	if whole := d.Files(); !maps.Equal(files, whole) {
		d.t.Fatalf("the opened files with the changes are\n%q\nand all files are\n%q", files, whole)
	}
}

// Outside changes a file of the folder as another program would: it writes data, or
// removes the file if data is nil. The change can be undone like an op.
func (d *Doc) Outside(name string, data []byte) {
	d.t.Helper()
	before, was := d.Files()[name]
	d.log = append(d.log[:d.done:d.done], step{"a change of " + name + " by somebody else", []abi.Event{outside(d.t, abi.Outside{
		Name: name, Before: []byte(before), Was: was, After: data, Is: data != nil})}, nil})
	d.Redo(1)
}

func outside(t testing.TB, o abi.Outside) abi.Event {
	t.Helper()
	data, err := msgpack.Marshal(&o)
	if err != nil {
		t.Fatal(err)
	}
	return abi.Event{Type: abi.EventOutside, Data: data}
}

// checkOutside writes bytes that no domain expects to each file of a folder and to a
// new one, as another program would, and undoes that.
func (d *Doc) checkOutside() {
	d.t.Helper()
	if _, ok := d.folder(); !ok {
		return
	}
	now, log, done := d.moment(), d.log, d.done
	names := append(slices.Sorted(maps.Keys(d.Files())), "new file \xc3\xa9.txt")
	for _, data := range [][]byte{{}, []byte("\xff\x00---\r\n"), nil} {
		for _, name := range names {
			d.Outside(name, data)
			if got, is := d.Files()[name]; is != (data != nil) || got != string(data) {
				d.t.Fatalf("another program wrote %[2]q to %[1]s, but the document has %[3]q", name, data, got)
			}
			d.checkFiles()
		}
		d.Undo(len(names))
		d.same(now, "undo of what others changed in the folder")
	}
	d.log, d.done = log, done
}

// SessionFails asserts that a session action fails with an error that contains each
// of the wants, and that nothing changed. It returns the error's text.
func (d *Doc) SessionFails(action string, wants ...string) string {
	d.t.Helper()
	before := d.moment()
	op, err := grammar.ParseAction(action)
	if err != nil {
		d.t.Fatalf("session %q: %v", action, err)
	}
	out, err := d.session(&op, nil)
	if err == nil && len(out.Results) == 1 && out.Results[0].Error != nil {
		f := failure{action, out.Results[0].Error}
		err = &pdk.Error{Message: f.err.Message, Tries: f.err.Try}
	}
	text := refused(d.t, "session "+action, err, wants)
	d.same(before, "session %q failed (%s) and changed the document", action, text)
	return text
}

// Tool calls a typed tool on the document and returns its JSON, or its text if it has
// none. arguments is JSON.
func (d *Doc) Tool(name, arguments string) string {
	d.t.Helper()
	out := d.tool(name, arguments)
	if out.Error != nil {
		d.t.Fatalf("tool %s %s failed: %d %s", name, arguments, out.Error.Code, out.Error.Message)
	}
	return toolText(out)
}

// ToolFails asserts that a typed tool fails with an error that contains each of the
// wants, and that nothing changed. It returns the error.
func (d *Doc) ToolFails(name, arguments string, wants ...string) *abi.ToolError {
	d.t.Helper()
	before := d.moment()
	out := d.tool(name, arguments)
	if out.Error == nil {
		d.t.Fatalf("tool %s %s succeeded, but should fail: %s", name, arguments, toolText(out))
	}
	contains(d.t, "tool "+name, out.Error.Message, wants)
	d.same(before, "tool %s failed (%s) and changed the document", name, out.Error.Message)
	return out.Error
}

func (d *Doc) tool(name, arguments string) *abi.ToolResponse {
	d.t.Helper()
	out, err := d.d.tool(d.guest, name, arguments)
	if err != nil {
		d.t.Fatalf("tool %s %s: %s", name, arguments, pdk.Text(err))
	}
	if out.Error != nil && len(out.Events) > 0 {
		d.t.Fatalf("tool %s failed, but its response has events", name)
	}
	if len(out.Events) > 0 {
		if out.Summary == "" {
			d.t.Fatalf("tool %s changed the document without a summary: end it with c.Created, c.Changed, c.Deleted, c.Connected or c.Bulk", name)
		}
		d.state = out.State
		d.log = append(d.log[:d.done:d.done], step{name, out.Events, out.IDs})
		d.done = len(d.log)
	}
	return out
}

func toolText(out *abi.ToolResponse) string {
	if out.Structured != nil {
		return string(out.Structured)
	}
	return out.Text
}

func (d *domain) tool(g guest, name, arguments string) (*abi.ToolResponse, error) {
	req := &abi.ToolRequest{Name: name, Arguments: []byte(arguments), Can: d.world.can(), Settings: d.world.settings(&d.manifest)}
	req.Now, req.Nonce = d.world.stamp(&d.manifest)
	var out abi.ToolResponse
	if err := g.call(request{abi.ExportTool, req}, &out); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(d.manifest.Tools, func(t abi.Tool) bool { return t.Name == name })
	switch {
	case out.Error != nil:
		if out.Error.Data != nil && !json.Valid(out.Error.Data) {
			return nil, fmt.Errorf("the data of its error is not JSON: %q", out.Error.Data)
		}
	case out.Structured == nil && len(d.manifest.Tools[i].OutputSchema) > 0:
		return nil, errors.New("it has an output schema, but does not answer with JSON")
	case out.Structured != nil && !json.Valid(out.Structured):
		return nil, fmt.Errorf("its answer is not JSON: %q", out.Structured)
	}
	return &out, nil
}

// Tool calls a typed tool that needs no document and returns its JSON, or its text if
// it has none. The error is a *pdk.ToolError if the tool itself failed.
func Tool[M any](t testing.TB, d *pdk.Domain[M], name, arguments string, in ...*World) (string, error) {
	t.Helper()
	dom := mustDescribe(t, d, in)
	out, err := dom.tool(dom.fresh(), name, arguments)
	switch {
	case err != nil:
		return "", err
	case out.Error != nil:
		return "", &pdk.ToolError{Code: out.Error.Code, Message: out.Error.Message, Data: out.Error.Data}
	}
	return toolText(out), nil
}

// Fetch fetches a remote document.
func Fetch[M any](t testing.TB, d *pdk.Domain[M], ref string, in ...*World) (*abi.FetchResponse, error) {
	t.Helper()
	dom := mustDescribe(t, d, in)
	var out abi.FetchResponse
	return &out, dom.fresh().call(request{abi.ExportFetch, &abi.FetchRequest{Ref: ref, Can: dom.world.can()}}, &out)
}

// Store stores a remote document.
func Store[M any](t testing.TB, d *pdk.Domain[M], r abi.StoreRequest, in ...*World) (*abi.StoreResponse, error) {
	t.Helper()
	dom := mustDescribe(t, d, in)
	r.Can = dom.world.can()
	var out abi.StoreResponse
	return &out, dom.fresh().call(request{abi.ExportStore, &r}, &out)
}

func mustDescribe[M any](t testing.TB, d *pdk.Domain[M], in []*World) *domain {
	t.Helper()
	dom, err := describe(d, in...)
	if err != nil {
		t.Fatal(err)
	}
	return dom
}
