package store

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/journal"
)

// System is an empty store to check.
type System struct {
	// Open returns the store as opened by another host. Zero fields of limits mean the defaults. The host ends with the
	// test.
	Open func(t testing.TB, limits journal.Limits) journal.Store

	// Lose makes a host of Open lose its journals without noticing, like a host that is paused for longer than its
	// leases, and returns when they are lost. restore lets the host continue. Lose is nil for a store in which a host
	// loses its journals only when it ends.
	Lose func(t testing.TB, host journal.Store) (restore func())

	// Cut cuts the connection between the store and all hosts until restore is called. It is nil if there is no
	// connection.
	Cut func(t testing.TB) (restore func())
}

// Test checks the promises of [journal.Store] on the stores that fresh returns, a new empty one each time. Each promise
// is a subtest.
func Test(t *testing.T, fresh func(t testing.TB) System) {
	for _, law := range []struct {
		name  string
		holds func(t *testing.T, s System)
	}{
		{"records come back", recordsComeBack},
		{"one owner", oneOwner},
		{"atomic rewrites", rewrittenAtOnce},
		{"bounds", bounds},
		{"bounds of an owner", boundsOfAnOwner},
		{"newest first", newestFirst},
		{"expired journals are listed", expired},
		{"any history", anyHistory},
		{"concurrent hosts", hostsAtOnce},
		{"taken once", takenOnce},
		{"no writes after a loss", lost},
		{"found by its key", byKey},
		{"leases", held},
		{"hosts find each other", hostsFound},
		{"no connection", cutOff},
		{"cut during a write", cutWhileWriting},
	} {
		t.Run(law.name, func(t *testing.T) { law.holds(t, fresh(t)) })
	}
}

// record is a record whose data is text.
func record(kind byte, text string) journal.Record {
	return journal.Record{Kind: kind, Data: []byte(text)}
}

func seq(list ...journal.Record) iter.Seq[journal.Record] { return slices.Values(list) }

func create(t testing.TB, s journal.Store, owner string, list ...journal.Record) journal.Journal {
	t.Helper()
	j, err := s.Create(owner, journal.NewKey(), seq(list...))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func add(t testing.TB, j journal.Journal, list ...journal.Record) {
	t.Helper()
	for _, r := range list {
		if err := j.Append(r); err != nil {
			t.Fatal(err)
		}
	}
}

// holds fails the test unless c is exactly these records, undamaged.
func holds(t testing.TB, what string, c journal.Contents, want ...journal.Record) {
	t.Helper()
	if c.Damaged || c.Header || c.Cut > 0 {
		t.Errorf("%s: it is reported as damaged", what)
	}
	if got := text(c.Records); got != text(want) {
		t.Errorf("%s: it contains %.300s; want %.300s", what, got, text(want))
	}
}

// text prints records, long ones by their length and ends.
func text(list []journal.Record) string {
	var b strings.Builder
	for _, r := range list {
		if len(r.Data) > 40 {
			fmt.Fprintf(&b, "%d:%d bytes %q…%q ", r.Kind, len(r.Data), r.Data[:8], r.Data[len(r.Data)-8:])
			continue
		}
		fmt.Fprintf(&b, "%d:%q ", r.Kind, r.Data)
	}
	return b.String()
}

func read(t testing.TB, s journal.Store, id string) journal.Contents {
	t.Helper()
	c, err := s.Read(id)
	if err != nil {
		t.Fatalf("read %s: %v", id, err)
	}
	return c
}

func take(t testing.TB, s journal.Store, id string) (journal.Journal, journal.Contents) {
	t.Helper()
	j, c, err := s.Take(id)
	if err != nil {
		t.Fatalf("take %s: %v", id, err)
	}
	return j, c
}

func release(t testing.TB, j journal.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// left lists the IDs of the leftovers that a host lists, in its order.
func left(t testing.TB, s journal.Store) (ids []string) {
	t.Helper()
	list, err := s.Left()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		ids = append(ids, l.ID)
	}
	return ids
}

// eventually fails the test unless the condition becomes true within a minute.
func eventually(t testing.TB, what string, yes func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(time.Minute)
	for !yes() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("within a minute: %s", what)
		}
	}
}

func recordsComeBack(t *testing.T, s System) {
	here, there := s.Open(t, journal.Limits{}), s.Open(t, journal.Limits{})
	large := journal.Record{Kind: 200, Data: bytes.Repeat([]byte("0123456789abcde\n"), 300_000)}
	want := []journal.Record{record(0, ""), record(255, "\x00\xff\n'\";--"), record(7, strings.Repeat("ü", 5000))}
	j := create(t, here, "", want...)
	for _, r := range []journal.Record{record(1, ""), record(1, ""), large, record(3, "last")} {
		add(t, j, r)
		want = append(want, r)
	}
	if err := j.Note(record(4, "note")); err != nil {
		t.Fatal(err)
	}
	want = append(want, record(4, "note"))
	holds(t, "read by its host", read(t, here, j.ID()), want...)
	holds(t, "read by another", read(t, there, j.ID()), want...)
	size := 0
	for _, r := range want {
		size += len(r.Data)
	}
	if j.Size() < int64(size) || j.Size() > int64(size+1000) {
		t.Errorf("%d bytes are reported as %d", size, j.Size())
	}
	if used, most, err := there.Use(); err != nil || used < int64(size) || most < used {
		t.Errorf("used %d of %d, %v", used, most, err)
	}
	release(t, j)
	k, c := take(t, there, j.ID())
	holds(t, "taken by another", c, want...)
	if k.ID() != j.ID() || k.Broken() || k.Kept() != "" || k.Size() != j.Size() {
		t.Errorf("taken: id %s, broken %v, kept %q, %d bytes of %d", k.ID(), k.Broken(), k.Kept(), k.Size(), j.Size())
	}
	add(t, k, record(5, "more"))
	k.Renew()
	release(t, k)
	again, c := take(t, here, j.ID())
	holds(t, "and back", c, append(want, record(5, "more"))...)
	if err := again.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := there.Read(j.ID()); err == nil {
		t.Error("a removed journal can be read")
	}
}
