package store

import (
	"errors"
	"testing"

	"github.com/fcp-host/fcp-host/host/journal"
)

// byKey: a journal's ID follows from its owner and key, and no two journals have the same.
func byKey(t *testing.T, s System) {
	here, there := s.Open(t, journal.Limits{}), s.Open(t, journal.Limits{})
	for _, owner := range []string{"", "ann"} {
		key := journal.NewKey()
		j, err := here.Create(owner, key, seq(record(1, "base")))
		if err != nil {
			t.Fatal(err)
		}
		if j.ID() != journal.ID(owner, key) {
			t.Errorf("the journal of %q with the key %s is %s", owner, key, j.ID())
		}
		if journal.ID("bob", key) == j.ID() {
			t.Error("another owner's journal with the same key is the same")
		}
		if _, _, err := there.Take(j.ID()); !errors.Is(err, journal.ErrTaken) {
			t.Errorf("taken while it is held: %v", err)
		}
		if _, ok := there.(journal.Cluster); ok { // a folder's files are locked under their names
			if _, err := there.Create(owner, key, seq(record(1, "other"))); !errors.Is(err, journal.ErrTaken) {
				t.Errorf("created twice: %v", err)
			}
		}
		add(t, j, record(2, "more"))
		holds(t, "made once", read(t, there, j.ID()), record(1, "base"), record(2, "more"))
	}
}

// held: a host knows until when no other host can have its journals, and can continue one that nobody has taken.
func held(t *testing.T, s System) {
	here, there := s.Open(t, journal.Limits{}), s.Open(t, journal.Limits{})
	j := create(t, here, "", record(1, "base"))
	holding := func(j journal.Journal) {
		t.Helper()
		if !j.Held() {
			t.Error("an owned journal is not held")
		}
		if err := j.Hold(); err != nil {
			t.Error(err)
		}
	}
	holding(j)
	release(t, j)
	k, _ := take(t, there, j.ID())
	holding(k)
	if s.Lose == nil {
		return
	}
	s.Lose(t, there)()
	if err := k.Hold(); err != nil {
		t.Errorf("a journal that nobody took is lost: %v", err)
	}
	holding(k)
	add(t, k, record(2, "on"))
	if _, _, err := here.Take(k.ID()); !errors.Is(err, journal.ErrTaken) {
		t.Errorf("taken while it is held again: %v", err)
	}

	restore := s.Lose(t, there)
	l, c := take(t, here, k.ID())
	holds(t, "taken", c, record(1, "base"), record(2, "on"))
	add(t, l, record(3, "by another"))
	release(t, l)
	restore()
	if err := k.Hold(); !errors.Is(err, journal.ErrTaken) {
		t.Errorf("Hold does not report that another host has taken the journal: %v", err)
	}
	if k.Held() {
		t.Error("Held reports a journal that another host has taken")
	}
	k.Close()
	l, c = take(t, there, k.ID())
	holds(t, "taken again", c, record(1, "base"), record(2, "on"), record(3, "by another"))
	holding(l)
}

// hostsFound: the hosts of a cluster know which host holds a journal.
func hostsFound(t *testing.T, s System) {
	here, ok := s.Open(t, journal.Limits{}).(journal.Cluster)
	if !ok {
		t.Skip("its hosts do not find each other")
	}
	there := s.Open(t, journal.Limits{}).(journal.Cluster)
	holder := func(id, want string) {
		t.Helper()
		for _, host := range []journal.Cluster{here, there} {
			if got, err := host.Holder(id); err != nil || got != want {
				t.Errorf("the holder is %q; want %q (%v)", got, want, err)
			}
		}
	}
	if here.Host() == there.Host() {
		t.Error("two hosts have the same name")
	}
	j := create(t, here, "ann", record(1, "base"))
	holder(j.ID(), here.Host())
	release(t, j)
	holder(j.ID(), "")
	k, _ := take(t, there, j.ID())
	holder(j.ID(), there.Host())
	if err := k.Remove(); err != nil {
		t.Fatal(err)
	}
	holder(j.ID(), "")
	for _, none := range []string{"", "nobody", "../x", "a b*>"} {
		holder(none, "")
		if at, err := here.Address(none); err != nil || at != "" {
			t.Errorf("%q is reached at %q (%v)", none, at, err)
		}
	}
}
