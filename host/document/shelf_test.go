package document

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fcp-host/fcp-host/host/journal"
)

// A call that needs leftovers waits until they are read, but no longer than its own time.
func TestALookWaitsForTheOneBeforeIt(t *testing.T) {
	dir := journalDir(t, journal.Limits{})
	d := blank(t, list(t))
	d.keep(dir)
	d.do("add one")
	d.abandon()
	s := NewShelf(dir)
	<-s.turn // as if another call read the store
	late, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Look(late); !errors.Is(err, context.Canceled) {
		t.Errorf("it did not wait: %v", err)
	}
	type seen struct {
		left []*Leftover
		err  error
	}
	looked := make(chan seen)
	go func() {
		left, err := s.Look(ctx)
		looked <- seen{left, err}
	}()
	d = blank(t, list(t))
	d.keep(dir)
	d.do("add two")
	d.abandon()
	s.turn <- struct{}{}
	if got := <-looked; got.err != nil || len(got.left) != 2 {
		t.Errorf("it saw %v, %v", got.left, got.err)
	}
}

// After a timeout the next call continues where the last one stopped.
func TestALookReadsAJournalOnce(t *testing.T) {
	dir := journalDir(t, journal.Limits{})
	d := blank(t, list(t))
	d.keep(dir)
	d.do("add one")
	_, id := d.abandon()
	s := NewShelf(dir)
	first, err := s.Look(ctx)
	if err != nil || len(first) != 1 {
		t.Fatal(first, err)
	}
	second, err := s.Look(ctx)
	if err != nil || len(second) != 1 || second[0] != first[0] {
		t.Errorf("it was read again: %v, %v", second, err)
	}
	late, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Look(late); !errors.Is(err, context.Canceled) {
		t.Errorf("out of time it answers %v", err)
	}
	file := filepath.Join(dir.Path(), id+".journal")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data[:len(data)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if third, err := s.Look(ctx); err != nil || len(third) != 1 || third[0].Ops != 0 {
		t.Errorf("it changed, and is read as %v, %v", third[0], err)
	}
	if err := dir.Discard(id); err != nil {
		t.Fatal(err)
	}
	if last, err := s.Look(ctx); err != nil || len(last) != 0 || len(s.known) != 0 {
		t.Errorf("it is gone, and there are %v and %v, %v", last, s.known, err)
	}
	if s.Store() != dir {
		t.Error("it is another folder")
	}
	if _, err := NewShelf(&journal.Dir{}).Look(ctx); err == nil {
		t.Error("a folder that is not there can be looked at")
	}
}
