package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/journal"
)

// lost: a host cannot write in any way to a journal that another host has taken.
func lost(t *testing.T, s System) {
	if s.Lose == nil {
		t.Skip("only the end of a host ends what it owns")
	}
	for name, write := range map[string]func(j journal.Journal) error{
		"append":  func(j journal.Journal) error { return j.Append(record(9, "late")) },
		"note":    func(j journal.Journal) error { return j.Note(record(9, "late")) },
		"rewrite": func(j journal.Journal) error { return j.Rewrite(seq(record(9, "late"))) },
		"remove": func(j journal.Journal) error {
			j.Remove()
			return journal.ErrTaken // ends this host's use of the journal
		},
		"close": func(j journal.Journal) error {
			j.Close()
			return journal.ErrTaken
		},
		"renew": func(j journal.Journal) error {
			j.Renew()
			return j.Append(record(9, "late"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			here, there := s.Open(t, journal.Limits{}), s.Open(t, journal.Limits{})
			j := create(t, here, "", record(1, "base"))
			add(t, j, record(2, "before"))
			restore := s.Lose(t, here)
			k, c := take(t, there, j.ID())
			restore()
			holds(t, "taken from it", c, record(1, "base"), record(2, "before"))
			if err := write(j); !errors.Is(err, journal.ErrTaken) {
				t.Errorf("it can still write: %v", err)
			}
			add(t, k, record(3, "after"))
			if err := write(j); !errors.Is(err, journal.ErrTaken) {
				t.Errorf("it can write after the new owner: %v", err)
			}
			holds(t, "written to by both", read(t, there, j.ID()), record(1, "base"), record(2, "before"), record(3, "after"))
			add(t, k, record(4, "on"))
			if _, _, err := here.Take(j.ID()); !errors.Is(err, journal.ErrTaken) {
				t.Errorf("it can take the journal again: %v", err)
			}
			if err := k.Remove(); err != nil {
				t.Fatal(err)
			}
			if err := write(j); !errors.Is(err, journal.ErrTaken) && !errors.Is(err, journal.ErrGone) {
				t.Errorf("it can write to a removed journal: %v", err)
			}
			if _, err := there.Read(j.ID()); err == nil {
				t.Error("a removed journal exists again")
			}
		})
	}
	t.Run("nobody took it", func(t *testing.T) {
		here := s.Open(t, journal.Limits{})
		j := create(t, here, "", record(1, "base"))
		s.Lose(t, here)()
		if err := j.Append(record(2, "late")); err != nil && !errors.Is(err, journal.ErrTaken) {
			t.Error(err)
		}
	})
}

// cutOff: without a connection to the store nothing is acknowledged, and after it is restored everything acknowledged
// before is there. Each acknowledged record is there once; of the others, at most the one that was being written at the
// cut, in its place.
func cutOff(t *testing.T, s System) {
	if s.Cut == nil {
		t.Skip("the connection to the store cannot be cut")
	}
	here := s.Open(t, journal.Limits{})
	j := create(t, here, "", record(1, "base"))
	want := []journal.Record{record(1, "base")}
	for round := range 2 {
		for i := range 3 {
			r := record(2, fmt.Sprint(round, i))
			if j.Broken() {
				if err := j.Rewrite(seq(want...)); err != nil {
					t.Fatalf("after the connection was restored: %v", err)
				}
			}
			add(t, j, r)
			want = append(want, r)
		}
		restore := s.Cut(t)
		if err := j.Append(record(3, "unsent")); err == nil {
			t.Error("a record is acknowledged without a connection")
		}
		if round == 0 {
			if _, err := here.Create("", journal.NewKey(), seq(record(1, "base"))); err == nil {
				t.Error("a journal is created without a connection")
			}
			if _, err := here.Left(); err == nil {
				t.Error("leftovers are listed without a connection")
			}
		}
		restore()
		if j.Broken() {
			if err := j.Rewrite(seq(want...)); err != nil {
				t.Fatalf("after the connection was restored: %v", err)
			}
		}
		holds(t, "after a cut", read(t, here, j.ID()), want...)
	}
	if ids := left(t, here); len(ids) != 0 {
		t.Errorf("the leftovers are %v", ids)
	}
}

// cutWhileWriting: wherever the connection is cut while a record is written, the record is there once if it was
// acknowledged. If it was not, the next owner may find it, in its place, but not after the journal was rewritten.
func cutWhileWriting(t *testing.T, s System) {
	if s.Cut == nil {
		t.Skip("the connection to the store cannot be cut")
	}
	here, there := s.Open(t, journal.Limits{}), s.Open(t, journal.Limits{})
	j := create(t, here, "", record(1, "base"))
	want := []journal.Record{record(1, "base")}
	rnd := rand.New(rand.NewPCG(1, 23))
	for n := range 20 {
		whole := make(chan struct{})
		time.AfterFunc(time.Duration(rnd.IntN(2000))*time.Microsecond, func() {
			restore := s.Cut(t)
			restore()
			close(whole)
		})
		r := record(2, fmt.Sprint(n))
		var err error
		if rewrite := rnd.IntN(4) == 0; rewrite {
			err = j.Rewrite(seq(append(slices.Clip(want), r)...))
		} else {
			err = j.Append(r)
		}
		<-whole
		switch {
		case err == nil:
			want = append(want, r)
		case rnd.IntN(2) == 0:
			if err := j.Rewrite(seq(want...)); err != nil {
				t.Fatalf("after the connection was restored: %v", err)
			}
		default:
			release(t, j)
			host := []journal.Store{here, there}[rnd.IntN(2)]
			k, c := take(t, host, j.ID())
			if text(c.Records) != text(want) {
				want = append(want, r) // the record was stored
			}
			holds(t, "taken after a cut", c, want...)
			j = k
		}
		holds(t, fmt.Sprintf("cut at the %d. record (%v)", n, err), read(t, there, j.ID()), want...)
	}
}
