package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/journal"
)

func bounds(t *testing.T, s System) {
	here := s.Open(t, journal.Limits{File: 20_000, Files: 3, Sum: 50_000})
	if here.Cap() != 20_000 {
		t.Errorf("the cap is %d", here.Cap())
	}
	j := create(t, here, "", record(1, "base"))
	kilo := journal.Record{Kind: 2, Data: make([]byte, 1000)}
	want := []journal.Record{record(1, "base")}
	var err error
	for range 30 {
		if err = j.Append(kilo); err != nil {
			break
		}
		want = append(want, kilo)
	}
	if !errors.Is(err, journal.ErrFull) || len(want) < 19 || j.Broken() {
		t.Errorf("after %d records: %v, broken %v", len(want), err, j.Broken())
	}
	holds(t, "full", read(t, here, j.ID()), want...)
	if err := j.Rewrite(seq(want[:3]...)); err != nil {
		t.Errorf("rewritten to a smaller size: %v", err)
	}
	add(t, j, kilo)

	second := create(t, here, "", kilo)
	third := create(t, here, "", kilo)
	if _, err := here.Create("", journal.NewKey(), seq(kilo)); !errors.Is(err, journal.ErrNoRoom) {
		t.Errorf("a fourth journal of three: %v", err)
	}
	for err = nil; err == nil; {
		if err = second.Append(kilo); err == nil {
			err = third.Append(kilo)
		}
	}
	if used, _, uerr := here.Use(); !errors.Is(err, journal.ErrNoRoom) && !errors.Is(err, journal.ErrFull) || uerr != nil || used > 50_000 {
		t.Errorf("when full: %v; used %d, %v", err, used, uerr)
	}
	if err := third.Remove(); err != nil {
		t.Fatal(err)
	}
	create(t, here, "", kilo)
}

func boundsOfAnOwner(t *testing.T, s System) {
	here := s.Open(t, journal.Limits{OwnerFiles: 2, OwnerSum: 10_000})
	one := create(t, here, "ann", record(1, "base"))
	create(t, here, "ann", record(1, "base"))
	if _, err := here.Create("ann", journal.NewKey(), seq(record(1, "base"))); !errors.Is(err, journal.ErrNoRoom) {
		t.Errorf("a third journal of two: %v", err)
	}
	for _, owner := range []string{"bob", "", "ann "} {
		create(t, here, owner, record(1, "base"))
	}
	var err error
	for n := 0; err == nil && n < 30; n++ {
		err = one.Append(journal.Record{Kind: 2, Data: make([]byte, 1000)})
	}
	if !errors.Is(err, journal.ErrNoRoom) || one.Broken() {
		t.Errorf("an owner's bytes: %v", err)
	}
}

func newestFirst(t *testing.T, s System) {
	here := s.Open(t, journal.Limits{})
	var made []journal.Journal
	for i := range 3 {
		made = append(made, create(t, here, "", record(1, fmt.Sprint(i))))
	}
	// The store's clock may be coarse: append until each journal is later than the one before.
	at := func(i int) (l journal.Left) {
		release(t, made[i])
		list, err := here.Left()
		if err != nil {
			t.Fatal(err)
		}
		for _, l = range list {
			if l.ID == made[i].ID() {
				made[i], _ = take(t, here, l.ID)
				return l
			}
		}
		t.Fatalf("%s is not listed as a leftover: %v", made[i].ID(), list)
		return l
	}
	last := at(2).Time
	for _, i := range []int{1, 0} {
		eventually(t, "an append makes a journal the newest", func() bool {
			add(t, made[i], record(2, "more"))
			return at(i).Time.After(last)
		})
		last = at(i).Time
	}
	if l := at(0); l.Size != made[0].Size() {
		t.Errorf("listed with %d bytes instead of %d", l.Size, made[0].Size())
	}
	for _, j := range made {
		release(t, j)
	}
	if ids := left(t, here); !slices.Equal(ids, []string{made[0].ID(), made[1].ID(), made[2].ID()}) {
		t.Errorf("the leftovers are %v", ids)
	}
}

func expired(t *testing.T, s System) {
	young := s.Open(t, journal.Limits{})
	j := create(t, young, "", record(1, "base"))
	release(t, j)
	list, err := young.Left()
	if err != nil || len(list) != 1 || young.Expired(list[0]) || young.Age() != 30*24*time.Hour {
		t.Fatalf("the leftovers are %v, %v, kept for %v", list, err, young.Age())
	}
	limits := journal.Limits{Age: time.Nanosecond}
	here := s.Open(t, limits)
	eventually(t, "a journal expires", func() bool { return here.Expired(list[0]) })
	if here.Listed(list[0]) {
		t.Error("a journal counts as listed before anybody listed it")
	}
	if err := here.MarkListed(list[0]); err != nil {
		t.Fatal(err)
	}
	if here.Listed(list[0]) {
		t.Error("a journal counts as listed for the host that listed it")
	}
	eventually(t, "a later host knows that it was listed", func() bool { return s.Open(t, limits).Listed(list[0]) })
	k, _ := take(t, here, j.ID())
	add(t, k, record(2, "wanted"))
	k.Renew()
	release(t, k)
	if list, err = here.Left(); err != nil || len(list) != 1 {
		t.Fatalf("the leftovers are %v, %v", list, err)
	}
	if s.Open(t, limits).Listed(list[0]) {
		t.Error("a journal that was used after it was listed still counts as listed")
	}
}
