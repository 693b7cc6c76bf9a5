package document

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/budget"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
)

func TestADocumentIsRecoveredAsItWasAfterEachCall(t *testing.T) {
	d := blank(t, list(t))
	d.keep(journalDir(t, journal.Limits{}))
	for i, call := range calls(d) {
		call()
		want := d.standingWithoutPositions()
		d.die()
		if got := d.standingWithoutPositions(); got != want {
			t.Fatalf("after call %d:\n%+v\nwant\n%+v", i+1, got, want)
		}
		if err := d.rewrite(); err != nil {
			t.Fatal(err)
		}
		d.die()
		if got := d.standingWithoutPositions(); got != want {
			t.Fatalf("after call %d, rewritten:\n%+v\nwant\n%+v", i+1, got, want)
		}
	}
}

// Wherever a write was cut off, the document has the state after the last complete call.
func TestAJournalCutAnywhereGivesTheLastCompleteCall(t *testing.T) {
	d := blank(t, list(t))
	d.keep(journalDir(t, journal.Limits{}))
	var sizes []int64
	var states []standing
	note := func() {
		sizes, states = append(sizes, d.journal.Size()), append(states, d.standingWithoutPositions())
	}
	note()
	for _, call := range calls(d) {
		call()
		note()
	}
	os.Remove(filepath.Join(d.dir, "t.list")) // otherwise recovery would compare the file's content
	dir, id := d.abandon()
	whole, err := os.ReadFile(filepath.Join(dir.Path(), id+".journal"))
	if err != nil {
		t.Fatal(err)
	}
	torn := journalDir(t, journal.Limits{})
	file := filepath.Join(torn.Path(), "torn.journal")
	n := 0
	for cut := sizes[0]; cut <= int64(len(whole)); cut++ {
		if err := os.WriteFile(file, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		for n+1 < len(sizes) && sizes[n+1] <= cut {
			n++
		}
		l := Inspect(torn, journal.Left{ID: "torn"})
		want := states[n]
		if l.Unreadable != nil || l.Digest != want.digest || l.Dirty != want.dirty {
			t.Fatalf("cut at %d: %+v, want %+v", cut, l, want)
		}
		if cut != sizes[n] && cut != sizes[n]+1 && cut != sizes[n]+11 && (n+1 == len(sizes) || cut != sizes[n+1]-1) {
			continue // recovery treats the other cuts alike
		}
		doc, warnings, err := Recover(ctx, d.Domain(), d.roots, d.Name, Left{Shelf: NewShelf(torn), ID: "torn"})
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if isCut := cut != sizes[n]; isCut != strings.Contains(strings.Join(warnings, "; "), "the journal ends within a record, which is not part of this state") {
			t.Errorf("cut at %d: the warnings are %q", cut, warnings)
		}
		d.Document = doc
		got := d.standingWithoutPositions()
		if want.dirty != got.dirty { // its file is gone
			want.dirty, want.status = got.dirty, got.status
		}
		if got != want {
			t.Fatalf("cut at %d:\n%+v\nwant\n%+v", cut, got, want)
		}
		doc.Close()
	}
}

// If the journal cannot be written, every change is refused, and accepted again once it can.
func TestAJournalThatCannotBeWrittenRefusesChanges(t *testing.T) {
	dir := journalDir(t, journal.Limits{})
	d := blank(t, list(t))
	d.keep(dir)
	d.do("add one", "add two", "add three")
	d.ok(d.Undo(ctx, 1, false))
	// A file in place of the folder.
	if err := os.RemoveAll(dir.Path()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir.Path(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := d.standingWithoutPositions()
	for name, call := range map[string]func() string{
		"ops":        func() string { return d.bad(d.Apply(ctx, []string{"add four", "add five"})).String() },
		"undo":       func() string { return d.bad(d.Undo(ctx, 2, false)).String() },
		"redo":       func() string { return d.bad(d.Redo(ctx, 1)).String() },
		"checkpoint": func() string { return d.bad(d.Checkpoint(ctx, "c")).String() },
		"batch each": func() string { return d.bad(d.Each(ctx, true)).String() },
	} {
		text := call()
		if !strings.HasPrefix(text, "! the journal cannot be written (") || !strings.Contains(text, "nothing was changed") || !strings.Contains(text, `try: save as:"./T.list"`) {
			t.Errorf("%s: %s", name, text)
		}
		if got := d.standingWithoutPositions(); got != want {
			t.Errorf("%s changed the document:\n%+v\nwant\n%+v", name, got, want)
		}
	}
	if r := d.ok(d.Save(ctx, "./t.list", false)); !strings.Contains(r.String(), "? journal: cannot be written") {
		t.Errorf("save says nothing of the journal: %s", r)
	}
	os.Remove(dir.Path())
	d.do("add four")
	want = d.standingWithoutPositions()
	d.die()
	if got := d.standingWithoutPositions(); got != want {
		t.Errorf("recovered\n%+v\nwant\n%+v", got, want)
	}
}

func TestAJournalIsRewrittenWhenMostOfItIsCut(t *testing.T) {
	d := blank(t, list(t))
	d.keep(journalDir(t, journal.Limits{}))
	d.do("add kept n:10")
	var largest, written int64
	for range 60 {
		before := d.journal.Size()
		d.do("add gone n:1500")
		d.ok(d.Undo(ctx, 1, false))
		if now := d.journal.Size(); now > before {
			written += now - before
		}
		largest = max(largest, d.journal.Size())
	}
	if limit := 2*d.log.Bytes() + 2*slack; largest > limit+(1<<20) || written < largest*3/2 {
		t.Errorf("the file grew to %d bytes of %d written, the limit is %d", largest, written, limit)
	}
	want := d.standingWithoutPositions()
	d.die()
	if got := d.standingWithoutPositions(); got != want {
		t.Error("the document is another one")
	}
}

func TestADocumentThatFillsItsJournalSaysSo(t *testing.T) {
	d := blank(t, list(t))
	d.keep(journalDir(t, journal.Limits{File: 1 << 20}))
	var refusal string
	for i := range 200 {
		r := d.Apply(ctx, []string{fmt.Sprintf("add %d n:1000", i)})
		if r.Failed {
			refusal = r.String()
			break
		}
	}
	if !strings.Contains(refusal, "fills its journal (1 MiB), so nothing was changed") || !strings.Contains(refusal, "--limit journal=") {
		t.Errorf("refused with %q", refusal)
	}
	want := d.standingWithoutPositions()
	d.die()
	if got := d.standingWithoutPositions(); got != want {
		t.Error("the document is another one")
	}
	d.ok(d.Save(ctx, "./t.list", false))
}

func TestAFoldedHistoryIsRecovered(t *testing.T) {
	d := blank(t, list(t))
	d.bounded(20_000)
	d.keep(journalDir(t, journal.Limits{}))
	folded := false
	for i := range 40 {
		r := d.do(fmt.Sprintf("add line%d n:5", i))
		if i%7 == 0 {
			d.ok(d.Checkpoint(ctx, fmt.Sprint("c", i)))
		}
		folded = folded || strings.Contains(r.String(), "can no longer be undone")
		if i%5 != 4 {
			continue
		}
		d.ok(d.Undo(ctx, 2, false))
		want := d.standingWithoutPositions()
		d.die()
		d.bounded(20_000)
		if got := d.standingWithoutPositions(); got != want {
			t.Fatalf("after op %d:\n%+v\nwant\n%+v", i, got, want)
		}
	}
	if !folded {
		t.Error("the history was never folded")
	}
}

func TestAnotherBuildOrAnotherResultMustBeForced(t *testing.T) {
	dom := *list(t)
	dom.Build = "one"
	d := blank(t, &dom)
	d.keep(journalDir(t, journal.Limits{}))
	d.do("add one")
	dir, id := d.abandon()

	other := dom
	other.Build = "two"
	_, _, err := Recover(ctx, &other, d.roots, "T", Left{Shelf: NewShelf(dir), ID: id})
	if build := new(BuildError); !errors.As(err, &build) || !strings.Contains(err.Error(), "another build of list 1.0.0") {
		t.Errorf("another build: %v", err)
	}
	find := func(name string) (*domain.Domain, *files.Roots, error) {
		if name != "list" {
			t.Errorf("asked for the domain %s", name)
		}
		return &other, d.roots, nil
	}
	resumed, err := Resume(ctx, find, Left{Shelf: NewShelf(dir), ID: id, Build: true})
	if err != nil || len(resumed.notes) != 0 || resumed.Name != d.Name {
		t.Fatalf("resumed with another build: %v, %q", err, resumed.notes)
	}
	resumed.Leave()
	other.Build = "three"
	doc, warnings, err := Recover(ctx, &other, d.roots, "T", Left{Shelf: NewShelf(dir), ID: id, Force: true})
	if err != nil || len(warnings) != 1 {
		t.Fatalf("forced: %v, %q", err, warnings)
	}
	d.Document = doc
	d.die() // it is that build's now
	d.holds("one")

	d.do("lie")
	dir, id = d.abandon()
	if l := Inspect(dir, journal.Left{ID: id}); l.Unreadable != nil || l.Digest == "" {
		t.Fatalf("%+v", l)
	}
	k, err := dir.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	records, err := decodeRecords(k.Records)
	if err != nil {
		t.Fatal(err)
	}
	records.Digest = "7 lines"
	doc = records.document(&other, d.roots, "T")
	_, err = doc.revive(ctx, records, Left{})
	if stray := new(StrayError); !errors.As(err, &stray) || !strings.Contains(err.Error(), "not to [7 lines]") {
		t.Errorf("another result: %v", err)
	}
	warnings, err = doc.revive(ctx, records, Left{Force: true})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "look at it before you save") {
		t.Fatalf("forced: %v, %q", err, warnings)
	}
	doc.Close()
	if text := (&BuildError{Domain: "list", Was: "1.0.0", Is: "2.0.0"}).Error(); text != "it was edited with list 1.0.0, and 2.0.0 is loaded, which may read its history differently" {
		t.Error(text)
	}
}

// Journals may come from a host with a bug, or from an editor.
func TestInvalidRecordsAreRefused(t *testing.T) {
	base := baselineRecord{Format: recordFormat, Name: "T", Domain: "list", Open: nil}
	enc := func(kind byte, v any) journal.Record {
		r, err := encode(kind, v)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	d := blank(t, list(t))
	good := enc(recordBaseline, &baselineRecord{Format: recordFormat, Create: d.base.create})
	for name, records := range map[string][]journal.Record{
		"none":                        {},
		"no baseline":                 {enc(recordMode, &modeRecord{})},
		"two baselines":               {good, good},
		"neither new nor a file":      {enc(recordBaseline, &base)},
		"another format":              {enc(recordBaseline, &baselineRecord{Format: recordFormat + 1, Create: d.base.create})},
		"not msgpack":                 {{Kind: recordBaseline, Data: []byte("\xc1")}},
		"an unknown kind":             {good, {Kind: 99}},
		"an undo of nothing":          {good, enc(recordMove, &moveRecord{N: 1})},
		"a redo of nothing":           {good, enc(recordMove, &moveRecord{N: 1, Redo: true})},
		"an undo of too much":         {good, enc(recordBatch, newBatch([]eventlog.Entry{{Op: "x"}}, "")), enc(recordMove, &moveRecord{N: 2})},
		"a checkpoint without a name": {good, enc(recordCheckpoint, &checkpointRecord{})},
		"a save in the future":        {good, enc(recordSaved, &savedRecord{At: 5})},
	} {
		if _, err := decodeRecords(records); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := decodeRecords([]journal.Record{good}); err != nil {
		t.Error(err)
	}
}

// bounded limits the history.
func (d *desk) bounded(capBytes int64) {
	d.t.Helper()
	if err := d.SetRoom(Room{History: capBytes}, ""); err != nil {
		d.t.Fatal(err)
	}
}

// A journal that is read takes its memory from the budget before the next one is read, and gives it back if it is not
// recovered.
func TestARecoveredDocumentHasRoomBeforeAnotherIsRead(t *testing.T) {
	d := blank(t, list(t))
	d.keep(journalDir(t, journal.Limits{}))
	d.do("add one")
	want := d.standingWithoutPositions()
	dir, id := d.abandon()
	shelf := NewShelf(dir)
	recover := func(dom *domain.Domain, most int64) (*Document, int64, error) {
		all := budget.New(most)
		doc, _, err := Recover(ctx, dom, d.roots, d.Name, Left{Shelf: shelf, ID: id, Room: Room{Histories: all}})
		taken, _ := all.Use()
		return doc, taken, err
	}
	if doc, taken, err := recover(d.Domain(), 10); err == nil || !errors.As(err, new(*RoomError)) || taken != 0 {
		t.Fatalf("without room: %v, %v, %d bytes taken", doc, err, taken)
	}
	other := *d.Domain()
	other.Build = "another"
	if doc, taken, err := recover(&other, 1<<20); !errors.As(err, new(*BuildError)) || taken != 0 {
		t.Fatalf("of another build: %v, %v, %d bytes taken", doc, err, taken)
	}
	if err := shelf.enter(ctx); err != nil { // somebody reads another one
		t.Fatal(err)
	}
	soon, stop := context.WithCancel(ctx)
	stop()
	if _, _, err := Recover(soon, d.Domain(), d.roots, d.Name, Left{Shelf: shelf, ID: id}); err == nil || err.Error() != "another journal is still being read" {
		t.Fatalf("while another is read: %v", err)
	}
	shelf.leave()
	doc, taken, err := recover(d.Domain(), 1<<20)
	if err != nil || taken == 0 || taken != doc.held {
		t.Fatalf("with room: %v, %d bytes taken", err, taken)
	}
	d.Document = doc
	if got := d.standingWithoutPositions(); got != want {
		t.Errorf("recovered\n%+v\nwant\n%+v", got, want)
	}
}
