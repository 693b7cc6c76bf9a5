package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/host/journal"
)

func oneOwner(t *testing.T, s System) {
	here, there := s.Open(t, journal.Limits{}), s.Open(t, journal.Limits{})
	j := create(t, here, "ann", record(1, "base"))
	for name, host := range map[string]journal.Store{"its own host": here, "another": there} {
		if _, _, err := host.Take(j.ID()); !errors.Is(err, journal.ErrTaken) {
			t.Errorf("%s can take an owned journal: %v", name, err)
		}
		if err := host.Discard(j.ID()); !errors.Is(err, journal.ErrTaken) {
			t.Errorf("%s can discard an owned journal: %v", name, err)
		}
		if ids := left(t, host); len(ids) != 0 {
			t.Errorf("%s lists the leftovers %v", name, ids)
		}
		held, err := host.Held("ann")
		if err != nil || !slices.Equal(held, []string{j.ID()}) {
			t.Errorf("%s: holds %v, %v", name, held, err)
		}
		if held, err := host.Held("bob"); err != nil || len(held) != 0 {
			t.Errorf("%s: holds %v of another owner, %v", name, held, err)
		}
	}
	release(t, j)
	for name, host := range map[string]journal.Store{"its own host": here, "another": there} {
		if ids := left(t, host); !slices.Equal(ids, []string{j.ID()}) {
			t.Errorf("%s lists the leftovers %v", name, ids)
		}
		if held, err := host.Held("ann"); err != nil || len(held) != 0 {
			t.Errorf("%s: holds %v, %v", name, held, err)
		}
	}
	if err := there.Discard(j.ID()); err != nil {
		t.Errorf("discarded: %v", err)
	}
	for _, id := range []string{j.ID(), "none", "", "../none", "a'b", strings.Repeat("x", 300)} {
		if _, _, err := here.Take(id); err == nil {
			t.Errorf("take %.20q: it exists", id)
		}
		if err := here.Discard(id); err == nil {
			t.Errorf("discard %.20q: it exists", id)
		}
		if _, err := here.Read(id); err == nil {
			t.Errorf("read %.20q: it exists", id)
		}
	}
	if _, _, err := here.Take(j.ID()); !errors.Is(err, journal.ErrGone) {
		t.Errorf("a discarded journal can be taken: %v", err)
	}
}

func rewrittenAtOnce(t *testing.T, s System) {
	here, there := s.Open(t, journal.Limits{File: 100_000}), s.Open(t, journal.Limits{})
	j := create(t, here, "", record(1, "old"))
	add(t, j, record(2, "old"))
	if err := j.Rewrite(seq(record(9, "new"), record(8, ""))); err != nil {
		t.Fatal(err)
	}
	add(t, j, record(7, "newer"))
	holds(t, "rewritten", read(t, there, j.ID()), record(9, "new"), record(8, ""), record(7, "newer"))
	before := j.Size()
	large := journal.Record{Kind: 1, Data: make([]byte, 60_000)}
	if err := j.Rewrite(seq(large, large)); !errors.Is(err, journal.ErrFull) {
		t.Errorf("rewritten beyond its cap: %v", err)
	}
	holds(t, "not rewritten", read(t, there, j.ID()), record(9, "new"), record(8, ""), record(7, "newer"))
	if j.Size() != before {
		t.Errorf("%d bytes became %d", before, j.Size())
	}
	if err := j.Rewrite(seq()); err != nil || j.Broken() {
		t.Errorf("rewritten with nothing: %v, broken %v", err, j.Broken())
	}
	add(t, j, record(6, "on"))
	release(t, j)
	_, c := take(t, there, j.ID())
	holds(t, "at last", c, record(6, "on"))
}

func hostsAtOnce(t *testing.T, s System) {
	hosts := []journal.Store{s.Open(t, journal.Limits{}), s.Open(t, journal.Limits{}), s.Open(t, journal.Limits{})}
	const journals, records = 9, 40
	ids := make([]string, journals)
	var wg sync.WaitGroup
	for n := range journals {
		wg.Go(func() {
			j, err := hosts[n%len(hosts)].Create("", journal.NewKey(), seq(record(0, fmt.Sprint(n))))
			for i := 0; err == nil && i < records; i++ {
				err = j.Append(record(1, fmt.Sprint(n, i)))
			}
			if err == nil {
				ids[n], err = j.ID(), j.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	if there := left(t, hosts[0]); len(there) != journals {
		t.Errorf("%d of %d journals are left", len(there), journals)
	}
	for n, id := range ids {
		want := []journal.Record{record(0, fmt.Sprint(n))}
		for i := range records {
			want = append(want, record(1, fmt.Sprint(n, i)))
		}
		holds(t, "of concurrent hosts", read(t, hosts[(n+1)%len(hosts)], id), want...)
	}
}

// takenOnce: of hosts that take a journal at the same time exactly one succeeds.
func takenOnce(t *testing.T, s System) {
	hosts := []journal.Store{s.Open(t, journal.Limits{}), s.Open(t, journal.Limits{}), s.Open(t, journal.Limits{})}
	j := create(t, hosts[0], "", record(1, "base"))
	release(t, j)
	want := []journal.Record{record(1, "base")}
	for round := range 10 {
		var mu sync.Mutex
		var owners []journal.Journal
		var wg sync.WaitGroup
		for _, host := range hosts {
			wg.Go(func() {
				k, _, err := host.Take(j.ID())
				if err != nil && !errors.Is(err, journal.ErrTaken) {
					t.Error(err)
				}
				if err == nil {
					mu.Lock()
					owners = append(owners, k)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if len(owners) > 1 || t.Failed() {
			t.Fatalf("%d hosts took the journal", len(owners))
		}
		if len(owners) == 0 {
			continue // every host met another one's lock
		}
		r := record(2, fmt.Sprint(round))
		add(t, owners[0], r)
		want = append(want, r)
		release(t, owners[0])
	}
	if len(want) == 1 {
		t.Error("no host ever took the journal")
	}
	holds(t, "taken by turns", read(t, hosts[0], j.ID()), want...)
}
