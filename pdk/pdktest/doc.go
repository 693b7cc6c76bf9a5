// Package pdktest runs a domain natively, in the same way as fcp-host runs it in
// the sandbox: ops are text, which the host's own grammar parses and which are
// checked against the manifest, and all data is passed in encoded messages.
//
//	doc := pdktest.New(t, domain, `"Demo" tempo:120`)
//	doc.Do("track add Piano", "note Piano C4 at:1.1")
//	doc.Fail("tempo 0", "20 to 300")
//	doc.Undo(1)
//	if got := doc.Query("map"); got != want { … }
//
// Laws checks what every domain promises: exact undo and redo, replay on a fresh
// instance, failed ops and queries that change nothing, stable saves.
//
// Files opens existing files and runs the domain's examples on them; Scale makes a long document and runs ops on it. A
// World handles the requests of a domain; OpenFolder opens a folder.
//
// # Notes
//
//   - Package grammar parses the ops, as in the host, so that tests use exactly
//     the language of the host.
//   - Memory and time are not limited, and the clock is not fixed, as they are in
//     the sandbox. A domain that passes still has to be built and loaded once.
package pdktest

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/pdk"
)

// Doc is one open document of a domain under test. An error ends the test with a
// message that names the op.
type Doc struct {
	Text     string    // the text of New or Open
	Warnings []string  // of New or Open
	Ref      string    // the name of a remote document, which calls get; set by the test
	Runs     []abi.Run // runs of programs that exports and session actions started, oldest first

	t     testing.TB
	d     *domain
	base  request // opens the original document
	guest guest
	log   []step // the history, oldest first
	done  int    // log[:done] is applied, the rest can be redone
	state abi.State

	restored bool // opened from a snapshot
}

// New makes an empty document. command is what follows `new` in a session:
// `"Title" key:value …`. A World, if one is given, handles the requests of the
// domain.
func New[M any](t testing.TB, d *pdk.Domain[M], command string, in ...*World) *Doc {
	t.Helper()
	doc, err := create(t, d, command, in...)
	if err != nil {
		t.Fatalf("new %s: %s", command, pdk.Text(err))
	}
	return doc
}

// NewFails asserts that `new` is refused with an error that contains each of the
// wants, and returns the error's text.
func NewFails[M any](t testing.TB, d *pdk.Domain[M], command string, wants ...string) string {
	t.Helper()
	_, err := create(t, d, command)
	return refused(t, "new "+command, err, wants)
}

func create[M any](t testing.TB, d *pdk.Domain[M], command string, in ...*World) (*Doc, error) {
	t.Helper()
	op, err := grammar.ParseAction("new " + command)
	if err != nil {
		t.Fatalf("new %s: %v", command, err)
	}
	req := &abi.NewRequest{}
	for i, p := range op.Positionals {
		if i > 0 {
			t.Fatalf("new %s: a title of several words goes in quotes", command)
		}
		req.Title = p.Text
	}
	manifest := d.Manifest()
	known := manifest.NewParams
	for _, p := range op.Params {
		if !slices.ContainsFunc(known, func(k abi.Param) bool { return k.Key == p.Key }) {
			t.Fatalf("new %s: NewParams does not declare %s:", command, p.Key)
		}
	}
	req.Params = op.Params
	for _, w := range in {
		wire := op.Op
		req.Resources = w.supply(manifest, manifest.NewResources, 0, &wire)
	}
	return start(t, d, request{abi.ExportNew, req}, in...)
}

// Open makes a document from a file's bytes. name is its base name. A World, if one
// is given, handles the requests of the domain.
func Open[M any](t testing.TB, d *pdk.Domain[M], name string, data []byte, in ...*World) *Doc {
	t.Helper()
	doc, err := start(t, d, request{abi.ExportOpen, &abi.OpenRequest{Name: name, Data: data}}, in...)
	if err != nil {
		t.Fatalf("open %s: %s", name, pdk.Text(err))
	}
	return doc
}

// OpenFails asserts that a file is refused with an error that contains each of
// the wants, and returns the error's text.
func OpenFails[M any](t testing.TB, d *pdk.Domain[M], name string, data []byte, wants ...string) string {
	t.Helper()
	_, err := start(t, d, request{abi.ExportOpen, &abi.OpenRequest{Name: name, Data: data}})
	return refused(t, "open "+name, err, wants)
}

func start[M any](t testing.TB, d *pdk.Domain[M], base request, in ...*World) (*Doc, error) {
	t.Helper()
	dom, err := describe(d, in...)
	if err != nil {
		t.Fatal(err)
	}
	doc := &Doc{t: t, d: dom, base: base}
	res, err := doc.restart(base)
	if err != nil {
		return nil, err
	}
	doc.Text, doc.Warnings = res.Text, res.Warnings
	return doc, nil
}

// restart opens the document by base in a fresh instance.
func (d *Doc) restart(base request) (*abi.OpenResponse, error) {
	g := d.d.fresh()
	var out abi.OpenResponse
	if err := g.call(base, &out); err != nil {
		return nil, err
	}
	d.guest, d.state = g, out.State
	d.checkState()
	return &out, nil
}

// must makes a call that the domain must not refuse.
func (d *Doc) must(export string, input, out any) {
	d.t.Helper()
	if err := d.guest.call(request{export, input}, out); err != nil {
		d.t.Fatalf("%s refused: %s", export, pdk.Text(err))
	}
}

// Do runs ops as one call, all or nothing, and returns the reply: a line for each
// op, with the host's prefixes. Every op must succeed.
func (d *Doc) Do(ops ...string) string {
	d.t.Helper()
	reply, failed := d.apply(ops)
	if failed != nil {
		d.t.Fatalf("op %q failed: %s", failed.op, failed.text())
	}
	return reply
}

// Try runs an op that the domain may refuse. done is whether it succeeded; if not, the
// reply is empty.
func (d *Doc) Try(op string) (reply string, done bool) {
	d.t.Helper()
	reply, failed := d.apply([]string{op})
	return reply, failed == nil
}

// Fail asserts that an op fails with an error that contains each of the wants,
// and returns the error's text: the message, then its `try: ` lines. It checks
// that nothing changed, that each suggestion parses, and that the manifest accepts
// those that are ops.
func (d *Doc) Fail(op string, wants ...string) string {
	d.t.Helper()
	before := d.Save()
	reply, failed := d.apply([]string{op})
	if failed == nil {
		d.t.Fatalf("op %q succeeded, but should fail: %s", op, reply)
	}
	if after := d.Save(); string(before) != string(after) {
		d.t.Fatalf("op %q failed and changed the document:\nbefore %q\nafter  %q", op, before, after)
	}
	text := failed.text()
	contains(d.t, "op "+op, text, wants)
	for _, try := range failed.err.Try {
		if err := d.d.checkTry(try); err != nil {
			d.t.Errorf("op %q fails with a suggestion that does not work, %q: %v", op, try.Text, err)
		}
	}
	return text
}

// apply runs a batch as the host does: it parses the ops, checks them against the
// manifest, sends those before the first invalid one, and undoes all of them if one fails.
func (d *Doc) apply(texts []string) (reply string, failed *failure) {
	d.t.Helper()
	items := grammar.ParseAll(texts, d.d.rules)
	var ops []abi.Op
	for i := range items {
		if err := d.d.check(&items[i]); err != nil {
			failed = &failure{items[i].Raw, err}
			break
		}
		ops = append(ops, items[i].Op.Op)
	}
	var out abi.ApplyResponse
	if len(ops) > 0 {
		req := &abi.ApplyRequest{Ops: ops, Recent: d.recent()}
		req.Now, req.Nonce = d.d.world.stamp(&d.d.manifest)
		for i := range ops {
			req.Resources = append(req.Resources, d.d.world.supply(&d.d.manifest, d.d.verbs[ops[i].Verb].Resources, i, &ops[i])...)
		}
		d.must(abi.ExportApply, req, &out)
		d.state = out.State
		d.checkState()
	}
	var lines []string
	var staged []step
	for i := range out.Results {
		res := &out.Results[i]
		if res.Error != nil {
			failed = &failure{ops[i].Raw, res.Error}
			break
		}
		if err := d.d.checkResult(res); err != nil {
			d.t.Fatalf("op %q: %v", ops[i].Raw, err)
		}
		lines = append(lines, lineOf(res)...)
		if len(res.Events) > 0 {
			staged = append(staged, step{ops[i].Raw, res.Events, res.IDs})
		}
	}
	if failed == nil && len(out.Results) != len(ops) || len(out.Results) > len(ops) {
		d.t.Fatalf("%d results for %d ops", len(out.Results), len(ops))
	}
	if failed != nil {
		d.move(abi.ExportReverse, newestFirst(staged))
		return "", failed
	}
	d.log = append(d.log[:d.done:d.done], staged...)
	d.done = len(d.log)
	return strings.Join(lines, "\n"), nil
}

// Session runs a session action of the domain's own. file is the content of
// the file that the action names, nil if none.
func (d *Doc) Session(action string, file []byte) string {
	d.t.Helper()
	op, err := grammar.ParseAction(action)
	if err != nil {
		d.t.Fatalf("session %q: %v", action, err)
	}
	out, err := d.session(&op, file)
	if err != nil {
		d.t.Fatalf("session %q failed: %s", action, pdk.Text(err))
	}
	if len(out.Results) != 1 {
		d.t.Fatalf("session %q: %d results", action, len(out.Results))
	}
	res := &out.Results[0]
	if res.Error != nil {
		d.t.Fatalf("session %q failed: %s", action, (&failure{action, res.Error}).text())
	}
	d.state = out.State
	if out.Run != nil {
		d.Runs = append(d.Runs, *out.Run)
	}
	if len(res.Events) > 0 {
		d.log = append(d.log[:d.done:d.done], step{action, res.Events, res.IDs})
		d.done = len(d.log)
	}
	return strings.Join(lineOf(res), "\n")
}

func (d *Doc) session(op *grammar.Op, file []byte) (*abi.ApplyResponse, error) {
	req := &abi.SessionRequest{Command: op.Op, Data: file, Can: d.d.world.can(), Ref: d.Ref, Settings: d.d.world.settings(&d.d.manifest)}
	req.Now, req.Nonce = d.d.world.stamp(&d.d.manifest)
	for i := range d.d.manifest.Session {
		s := &d.d.manifest.Session[i]
		if s.Name != op.Verb {
			continue
		}
		if s.File > 0 && s.File <= len(op.Positionals) {
			req.Name = op.Positionals[s.File-1].Text
		}
		req.Resources = d.d.world.supply(&d.d.manifest, s.Resources, 0, &req.Command)
	}
	var out abi.ApplyResponse
	return &out, d.guest.call(request{abi.ExportSession, req}, &out)
}

// Save returns the file's bytes, or for a folder a message with all files.
func (d *Doc) Save() []byte {
	d.t.Helper()
	var out abi.SaveResponse
	if _, ok := d.folder(); ok {
		data, err := abi.Marshal(&abi.SaveResponse{Files: d.saved(true)})
		if err != nil {
			d.t.Fatal(err)
		}
		return data
	}
	d.must(abi.ExportSave, &abi.SaveRequest{}, &out)
	return out.Data
}

// State returns the document's digest, title, counts and warnings.
func (d *Doc) State() abi.State {
	d.t.Helper()
	var out abi.StateResponse
	d.must(abi.ExportState, nil, &out)
	return out.State
}

// Digest is the digest in the last call's state.
func (d *Doc) Digest() string { return d.state.Digest }

// Reopen saves the document and opens the bytes as a new one.
func (d *Doc) Reopen() *Doc {
	d.t.Helper()
	req := &abi.OpenRequest{Name: d.name()}
	if _, req.Folder = d.folder(); req.Folder {
		for _, f := range d.saved(true) {
			req.Files = append(req.Files, abi.File{Name: f.Name, Data: f.Data})
		}
	} else {
		req.Data = d.Save()
	}
	other := &Doc{t: d.t, d: d.d, base: request{abi.ExportOpen, req}}
	res, err := other.restart(other.base)
	if err != nil {
		d.t.Fatalf("the saved file cannot be opened: %s", pdk.Text(err))
	}
	other.Text, other.Warnings = res.Text, res.Warnings
	return other
}

// name is the base name of the document as a file.
func (d *Doc) name() string {
	if r, ok := d.base.input.(*abi.OpenRequest); ok {
		return r.Name
	}
	if len(d.d.manifest.Extensions) > 0 {
		return "untitled" + d.d.manifest.Extensions[0]
	}
	return "untitled"
}
