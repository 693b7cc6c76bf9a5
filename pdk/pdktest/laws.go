package pdktest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// Laws checks the domain's manifest (see Manifest) and, on an empty document, or
// folder for a domain of folders alone, Doc.Laws with ops.
func Laws[M any](t testing.TB, d *pdk.Domain[M], ops ...string) {
	t.Helper()
	Manifest(t, d)
	if d.New == nil {
		OpenFolder(t, d, nil).Laws(ops...)
		return
	}
	New(t, d, `"Laws"`).Laws(ops...)
}

// Manifest checks that a host would accept the manifest, and that every
// verb has examples which parse, name their verb and use what it declares.
func Manifest[M any](t testing.TB, d *pdk.Domain[M]) {
	t.Helper()
	dom, err := describe(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range dom.checkManifest() {
		t.Error(f)
	}
}

// moment holds everything by which two states of a document can differ.
type moment struct {
	data    []byte
	state   string
	changes string // of a folder: the changed files
}

func (d *Doc) moment() moment {
	d.t.Helper()
	d.checkFiles()
	m := moment{data: d.Save(), state: describeState(d.State())}
	if _, ok := d.folder(); ok {
		for _, c := range d.saved(false) {
			m.changes += fmt.Sprintf("%s %q %v\n", c.Name, c.Data, c.Removed)
		}
	}
	return m
}

func describeState(s abi.State) string {
	data, err := abi.Marshal(&s)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// same asserts that the document is in the state want.
func (d *Doc) same(want moment, format string, args ...any) {
	d.t.Helper()
	got := d.moment()
	if !bytes.Equal(got.data, want.data) {
		i := 0
		for i < len(got.data) && i < len(want.data) && got.data[i] == want.data[i] {
			i++
		}
		from := max(0, i-40)
		d.t.Fatalf(format+": the bytes differ from offset %d\nwant %q\n got %q", append(args, i,
			want.data[from:min(len(want.data), i+60)], got.data[from:min(len(got.data), i+60)])...)
	}
	if got.changes != want.changes {
		d.t.Fatalf(format+": the list of changed files differs\nwant %s\n got %s", append(args, want.changes, got.changes)...)
	}
	if got.state != want.state {
		d.t.Fatalf(format+": the state differs\nwant %q\n got %q", append(args, want.state, got.state)...)
	}
}

// Laws runs the ops one by one and checks, on this document and on fresh
// instances, what a domain promises:
//
//   - reversing an op's events restores the exact bytes and state, replaying
//     them brings both back;
//   - an op that fails, or finds nothing to change, changes nothing;
//   - saving, asking for the state, help and every query change nothing, and
//     saving twice gives equal bytes;
//   - the log replayed on a fresh instance, and the ops run in one batch on a
//     fresh instance, give the same bytes; reversing the whole log gives the
//     first bytes again;
//   - what was saved opens, and saves as the same bytes;
//   - a snapshot taken in between, opened in a fresh instance, can replay the
//     rest of the log;
//   - for a folder: the changed files applied to those that were opened give all
//     files; the state is a function of the files; and changes by others can be
//     undone.
//
// The document's World handles the requests of queries and exports.
//
// Ops may fail (random ones do), but not all of them. Laws returns the errors of
// those that failed, as text. At the end the whole log is applied.
func (d *Doc) Laws(ops ...string) (failures []string) {
	d.t.Helper()
	first, from := d.moment(), d.done
	moments := []moment{first}
	for _, op := range ops {
		before, log := moments[len(moments)-1], d.done
		if _, failed := d.apply([]string{op}); failed != nil {
			failures = append(failures, failed.op+": "+failed.text())
			d.same(before, "op %q failed (%s) and changed the document", op, failed.err.Message)
			continue
		}
		if d.done == log {
			d.same(before, "op %q says that it changed nothing, and did", op)
			continue
		}
		after := d.moment()
		d.same(after, "after op %q, saving a second time", op)
		d.Undo(1)
		d.same(before, "undo of op %q", op)
		d.Redo(1)
		d.same(after, "redo of op %q", op)
		moments = append(moments, after)
	}
	if len(ops) > 0 && len(failures) == len(ops) {
		d.t.Fatalf("every op failed:\n%s", strings.Join(failures, "\n"))
	}
	d.questions(moments[len(moments)-1])
	if d.done > from {
		d.histories(from, moments)
	}
	d.checkOutside()
	d.checkResave()
	return failures
}

// questions makes all calls that must not change the document. Queries are run
// without arguments; those that need some may refuse.
func (d *Doc) questions(now moment) {
	d.t.Helper()
	for _, q := range d.d.manifest.Queries {
		one, err := d.query(q.Name)
		d.same(now, "query %q", q.Name)
		if err != nil {
			continue
		}
		if two, err := d.query(q.Name); err != nil || one.Text != two.Text {
			d.t.Fatalf("query %q answers differently a second time (%v):\n%s\n%s", q.Name, err, one.Text, two.Text)
		}
	}
	var help abi.HelpResponse
	d.must(abi.ExportHelp, nil, &help)
	d.same(now, "help")
	for _, f := range d.d.manifest.Exports {
		var out abi.SaveResponse
		if d.guest.call(request{abi.ExportExport, &abi.ExportRequest{Format: f.Name, Can: d.d.world.can()}}, &out) == nil {
			d.same(now, "export %s", f.Name)
		}
	}
}

// histories checks the whole log. moments[i] is the document after
// log[from+i-1].
func (d *Doc) histories(from int, moments []moment) {
	d.t.Helper()
	last := moments[len(moments)-1]
	steps := d.done - from
	d.Undo(steps)
	d.same(moments[0], "undo of all %d ops at once", steps)
	d.Redo(steps)
	d.same(last, "redo of all %d ops at once", steps)

	fresh := d.reopen(d.base)
	fresh.move(abi.ExportReplay, oldestFirst(d.log[:d.done]))
	fresh.same(last, "the log replayed on a fresh instance")
	fresh.move(abi.ExportReverse, newestFirst(d.log[from:d.done]))
	fresh.same(moments[0], "the log reversed after it was replayed on a fresh instance")

	d.batch(from, last)

	half := from + steps/2
	fresh = d.reopen(d.base)
	fresh.move(abi.ExportReplay, oldestFirst(d.log[:half]))
	fresh.same(moments[half-from], "the first %d ops replayed on a fresh instance", half)
	var snap abi.SaveResponse
	fresh.must(abi.ExportSave, &abi.SaveRequest{Snapshot: d.d.manifest.Snapshots}, &snap)
	fresh.same(moments[half-from], "taking a snapshot")
	_, folder := d.folder()
	restored := d.reopen(request{abi.ExportOpen, &abi.OpenRequest{Name: d.name(), Data: snap.Data, Snapshot: d.d.manifest.Snapshots, Folder: folder}})
	if d.d.manifest.Snapshots {
		restored.same(moments[half-from], "a snapshot opened in a fresh instance")
	}
	var out abi.StateResponse
	rest := &abi.EventsRequest{Events: oldestFirst(d.log[half:d.done])}
	if err := restored.guest.call(request{abi.ExportReplay, rest}, &out); err != nil {
		d.t.Fatalf("events do not replay on a document opened from what was saved before them (set Snapshot and Restore if ids do not survive a save): %v", err)
	}
	restored.same(last, "events replayed on a document opened from what was saved before them")
}

// batch runs the ops of the log as one call, except for a domain with stamps: they
// differ from call to call, and its events may contain them.
func (d *Doc) batch(from int, last moment) {
	d.t.Helper()
	if d.d.manifest.Stamps {
		return
	}
	fresh := d.reopen(d.base)
	fresh.move(abi.ExportReplay, oldestFirst(d.log[:from]))
	fresh.log, fresh.done = slices.Clone(d.log[:from]), from
	var ops []string
	for _, s := range d.log[from:d.done] {
		ops = append(ops, s.op)
	}
	if _, failed := fresh.apply(ops); failed != nil {
		d.t.Fatalf("op %q succeeds by itself but fails in a batch on a fresh instance: %s", failed.op, failed.text())
	}
	fresh.same(last, "the same ops as one batch on a fresh instance")
}

// reopen opens the document by base in a fresh instance.
func (d *Doc) reopen(base request) *Doc {
	d.t.Helper()
	other := &Doc{t: d.t, d: d.d, base: base, restored: base.input != d.base.input}
	if _, err := other.restart(base); err != nil {
		d.t.Fatalf("%s fails on a fresh instance: %s", base.export, pdk.Text(err))
	}
	return other
}

// checkResave checks that a saved document opens, and saves as the same bytes.
func (d *Doc) checkResave() {
	d.t.Helper()
	want := d.Save()
	other := d.Reopen()
	if got := other.Save(); !bytes.Equal(got, want) {
		d.t.Fatalf("save, open, save changes the bytes:\nfirst  %.400q\nsecond %.400q", want, got)
	}
	if _, folder := d.folder(); folder && describeState(other.State()) != describeState(d.State()) {
		d.t.Fatalf("the folder's digest is %s, and %s when it is opened again: its model has to follow its files, see pdk.Files.Changed", d.State().Digest, other.State().Digest)
	}
}
