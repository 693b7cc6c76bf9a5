package document

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/journal"
)

func journalDir(t testing.TB, limits journal.Limits) *journal.Dir {
	t.Helper()
	dir, err := journal.Open(filepath.Join(t.TempDir(), "journal"), limits)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// keep makes the document durable in dir.
func (d *desk) keep(dir *journal.Dir) {
	d.t.Helper()
	if err := d.Keep(dir, "", ""); err != nil {
		d.t.Fatal(err)
	}
}

// abandon leaves the document as a dying host does, and returns its journal.
func (d *desk) abandon() (*journal.Dir, string) {
	dir, id := d.journals.(*journal.Dir), d.journal.ID()
	d.journal.Close()
	d.journals, d.journal = nil, nil
	d.Close()
	return dir, id
}

// die ends the host as if it died, and recovers the document in another one.
func (d *desk) die() {
	d.t.Helper()
	dir, id := d.abandon()
	d.revive(dir, id)
}

func (d *desk) revive(dir *journal.Dir, id string) {
	d.t.Helper()
	doc, warnings, err := Recover(ctx, d.Domain(), d.roots, d.Name, Left{Shelf: NewShelf(dir), ID: id})
	if err != nil {
		d.t.Fatal(err)
	}
	if len(warnings) > 0 {
		d.t.Fatalf("recovered with the warnings %q", warnings)
	}
	d.t.Cleanup(doc.Close)
	d.Document = doc
}

// standingWithoutPositions is the standing without positions, which differ between hosts.
func (d *desk) standingWithoutPositions() standing {
	d.t.Helper()
	s := d.standing()
	var b strings.Builder
	fmt.Fprintln(&b, d.log.Cursor(), "of", d.log.Len())
	calls, last := 0, uint64(0)
	for e := range d.log.All() {
		if e.Batch != last { // batch numbers start again in each host
			calls, last = calls+1, e.Batch
		}
		fmt.Fprintln(&b, calls, e.Op, e.IDs, e.Events)
	}
	s.log = b.String()
	return s
}

// calls has one call of each kind that a journal records.
func calls(d *desk) []func() {
	return []func(){
		func() { d.do("add one", "add two") },
		func() { d.ok(d.Checkpoint(ctx, "here")) },
		func() { d.do("add three n:3") },
		func() { d.ok(d.Save(ctx, "./t.list", false)) },
		func() { d.ok(d.Each(ctx, true)) },
		func() { d.Apply(ctx, []string{"add four", "half", "add five"}) },
		func() { d.ok(d.Undo(ctx, 2, false)) },
		func() { d.ok(d.Redo(ctx, 1)) },
		func() { d.ok(d.Checkpoint(ctx, "there")) },
		func() { d.ok(d.UndoTo(ctx, "here", false)) },
		func() { d.ok(d.Redo(ctx, 9)) },
		func() { d.ok(d.Undo(ctx, 1, false)) },
		func() { d.do("remove one") },
		func() { d.ok(d.Checkpoint(ctx, "here")) },
		func() { d.ok(d.UndoBatch(ctx, false)) },
		func() { d.ok(d.Each(ctx, false)) },
	}
}
