package document

import (
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/journal"
)

// leased is a journal that another host takes once its lease was checked looks times.
type leased struct {
	journal.Journal
	looks int
}

func (j *leased) Held() bool { j.looks--; return j.looks >= 0 }
func (j *leased) Hold() error {
	if j.looks < 0 {
		return journal.ErrTaken
	}
	return nil
}
func (j *leased) Append(r journal.Record) error {
	if err := j.Hold(); err != nil {
		return err
	}
	return j.Journal.Append(r)
}
func (j *leased) Rewrite(r iter.Seq[journal.Record]) error {
	if err := j.Hold(); err != nil {
		return err
	}
	return j.Journal.Rewrite(r)
}

// lose makes another host take the document after that many checks of its lease.
func (d *desk) lose(looks int) { d.journal = &leased{d.journal, looks} }

func TestADocumentThatIsLostDuringACallWritesNoFile(t *testing.T) {
	d := blank(t, list(t))
	d.keep(journalDir(t, journal.Limits{}))
	d.do("add one")
	d.ok(d.Save(ctx, "./t.list", false))
	d.do("add two")
	d.lose(1)
	r := d.bad(d.Save(ctx, "", false))
	contains(t, r.String(), "another host has the document")
	at, err := d.roots.Resolve("./t.list")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(at)
	if err != nil || strings.Contains(string(data), "two") {
		t.Errorf("the file is %q, %v", data, err)
	}
	d.bad(d.Save(ctx, "./u.list", false))

	// Another document of this host may have the journal now.
	d.journal.(*leased).looks = 100
	d.bad(d.Status(ctx))
}

func TestADocumentThatIsLostWhileACallWaitsIsNotLookedAt(t *testing.T) {
	doc, w, answer := waiting(t)
	if doc.ok(doc.Status(ctx)).Text == "" {
		t.Error("it cannot be looked at")
	}
	store := journalDir(t, journal.Limits{})
	j, err := store.Create("", journal.NewKey(), func(func(journal.Record) bool) {})
	if err != nil {
		t.Fatal(err)
	}
	doc.look(func() { doc.journals, doc.journal = store, j; doc.lose(0) })
	contains(t, doc.bad(doc.Status(ctx)).String(), "another host has the document")
	close(w.let)
	doc.bad(<-answer)
}

func TestACallIsNotWrittenToAFileOfAnotherHostsDocument(t *testing.T) {
	d := blank(t, list(t))
	d.Domain().Manifest.Autosave = true
	t.Cleanup(func() { d.Domain().Manifest.Autosave = false })
	d.keep(journalDir(t, journal.Limits{}))
	d.ok(d.Save(ctx, "./t.list", false))
	d.do("add one")
	at := d.place.where().Path
	d.lose(1)
	r := d.bad(d.Apply(ctx, []string{"add two"}))
	contains(t, r.String(), "another host has the document")
	data, err := os.ReadFile(at)
	if err != nil || strings.Contains(string(data), "two") || !strings.Contains(string(data), "one") {
		t.Errorf("the file is %q, %v", data, err)
	}
}
