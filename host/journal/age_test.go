package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// leave creates a journal without an owner, last written that long ago.
func (d *Dir) leave(t *testing.T, id string, ago time.Duration) Left {
	t.Helper()
	if err := os.WriteFile(d.file(id), newFile(record(1, "base")), 0o600); err != nil {
		t.Fatal(err)
	}
	d.age(t, d.file(id), ago)
	return d.find(t, id)
}

func (d *Dir) age(t *testing.T, file string, ago time.Duration) {
	t.Helper()
	at := time.Now().Add(-ago)
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

func (d *Dir) find(t *testing.T, id string) Left {
	t.Helper()
	left, err := d.Left()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range left {
		if l.ID == id {
			return l
		}
	}
	t.Fatalf("%s is not among %v", id, left)
	return Left{}
}

// again opens the folder as the next host does.
func (d *Dir) again(t *testing.T) *Dir {
	t.Helper()
	next, err := Open(d.path, d.limits)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

const day = 24 * time.Hour

// An expired journal counts as listed from the next start on, and only if it was listed after it expired.
func TestAnExpiredFileIsListedBeforeItIsRemoved(t *testing.T) {
	d := bounded(t, Limits{Age: 10 * day})
	young, old := d.leave(t, "young", 9*day), d.leave(t, "old", 11*day)
	if d.Expired(young) || !d.Expired(old) {
		t.Errorf("expired are: young %v, old %v", d.Expired(young), d.Expired(old))
	}
	if d.again(t).Listed(old) {
		t.Error("listed before it was")
	}
	for range 2 {
		if err := d.MarkListed(old); err != nil {
			t.Fatal(err)
		}
	}
	if d.Listed(old) {
		t.Error("it may go at the start that lists it")
	}
	d.age(t, d.markPath("old"), time.Hour) // file times are coarse
	if next := d.again(t); !next.Listed(old) {
		t.Error("it may not go at the start after that")
	}
	if err := d.MarkListed(old); err != nil || !d.again(t).Listed(old) {
		t.Errorf("listed once more, it may not go: %v", err)
	}
	// A host took it meanwhile, and left it again for a long time.
	d.age(t, d.markPath("old"), 100*day)
	if d.again(t).Listed(old) {
		t.Error("it may go for what was said before it was used")
	}
	if err := d.MarkListed(old); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(d.markPath("old")); err != nil || time.Since(info.ModTime()) > day {
		t.Errorf("it was not noted anew: %v", err)
	}
	if err := (&Dir{Bounds: d.Bounds, path: filepath.Join(d.path, "gone")}).MarkListed(old); err == nil {
		t.Error("noted in a folder that is gone")
	}
}

func TestRenewResetsTheAgeOfAFile(t *testing.T) {
	d := bounded(t, Limits{Age: 10 * day})
	for id, ago := range map[string]time.Duration{"old": 11 * day, "young": 9 * day} {
		l := d.leave(t, id, ago)
		if d.Expired(l) {
			if err := d.MarkListed(l); err != nil {
				t.Fatal(err)
			}
		}
		f, _, err := take(d, id)
		if err != nil {
			t.Fatal(err)
		}
		f.Renew()
		f.Close()
		now := d.find(t, id)
		if d.Expired(now) || id == "young" && !now.Time.Equal(l.Time) {
			t.Errorf("%s is of %v", id, now.Time)
		}
		if _, err := os.Stat(d.markPath(id)); err == nil {
			t.Errorf("%s is still said to go", id)
		}
	}
}

func TestUselessFilesAreSwept(t *testing.T) {
	d := bounded(t, Limits{Age: 10 * day})
	l := d.leave(t, "here", 11*day)
	for _, id := range []string{"gone", "dropped"} {
		if err := d.MarkListed(Left{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.MarkListed(l); err != nil {
		t.Fatal(err)
	}
	for name, ago := range map[string]time.Duration{"a.damaged": 11 * day, "b.damaged": 9 * day, "c.txt": 99 * day} {
		file := filepath.Join(d.path, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		d.age(t, file, ago)
	}
	d = d.again(t)
	for _, name := range []string{"here.journal", "here.listed", "b.damaged", "c.txt"} {
		if _, err := os.Stat(filepath.Join(d.path, name)); err != nil {
			t.Errorf("%s is gone", name)
		}
	}
	entries, _ := os.ReadDir(d.path)
	if len(entries) != 4 {
		t.Errorf("the folder holds %v", entries)
	}
	// The mark of a journal is removed with it.
	if err := d.Discard("here"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.markPath("here")); err == nil {
		t.Error("here.listed outlives here.journal")
	}
}
