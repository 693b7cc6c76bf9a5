package store

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/journal"
)

// System is an empty store that is judged.
type System struct {
	// Open gives the store as one more host has it open. What is zero in limits is the default. The test's end ends the host.
	Open func(t testing.TB, limits journal.Limits) journal.Store

	// Lose makes a host of Open lose what it owns without its knowing, as one does that is paused for longer than its leases last,
	// and returns when that is so. restore lets the host go on. Lose is nil for a store in which only the end of a host ends what it
	// owns.
	Lose func(t testing.TB, host journal.Store) (restore func())

	// Cut takes the way to the store from all hosts until restore is called. It is nil where there is no such way.
	Cut func(t testing.TB) (restore func())
}

// Test holds the stores that fresh gives, an empty one each time, against the promises of [journal.Store]. Each is a subtest.
func Test(t *testing.T, fresh func(t testing.TB) System) {
	for _, law := range []struct {
		name  string
		holds func(t *testing.T, s System)
	}{
		{"records come back", recordsComeBack},
		{"one owner", oneOwner},
		{"rewritten at once", rewrittenAtOnce},
		{"bounds", bounds},
		{"bounds of an owner", boundsOfAnOwner},
		{"the newest first", newestFirst},
		{"expired is listed before it goes", expired},
		{"any history", anyHistory},
		{"hosts at once", hostsAtOnce},
		{"taken once", takenOnce},
		{"who lost it writes nothing", lost},
		{"found by its key", byKey},
		{"held", held},
		{"hosts are found", hostsFound},
		{"cut off", cutOff},
		{"cut while it writes", cutWhileWriting},
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

// holds fails the test unless c is these records, whole.
func holds(t testing.TB, what string, c journal.Contents, want ...journal.Record) {
	t.Helper()
	if c.Damaged || c.Header || c.Cut > 0 {
		t.Errorf("%s: it is called damaged", what)
	}
	if got := text(c.Records); got != text(want) {
		t.Errorf("%s: it holds %.300s and not %.300s", what, got, text(want))
	}
}

// text spells records, long ones by their length and ends.
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

// left are the IDs that a host lists as left, in its order.
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

// within fails the test unless what it asks for is true within a minute.
func within(t testing.TB, what string, yes func() bool) {
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
		t.Errorf("%d bytes are said to be %d", size, j.Size())
	}
	if used, most, err := there.Use(); err != nil || used < int64(size) || most < used {
		t.Errorf("used are %d of %d, %v", used, most, err)
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
		t.Error("what was removed can be read")
	}
}

func oneOwner(t *testing.T, s System) {
	here, there := s.Open(t, journal.Limits{}), s.Open(t, journal.Limits{})
	j := create(t, here, "ann", record(1, "base"))
	for name, host := range map[string]journal.Store{"its own host": here, "another": there} {
		if _, _, err := host.Take(j.ID()); !errors.Is(err, journal.ErrTaken) {
			t.Errorf("%s takes what is owned: %v", name, err)
		}
		if err := host.Discard(j.ID()); !errors.Is(err, journal.ErrTaken) {
			t.Errorf("%s discards what is owned: %v", name, err)
		}
		if ids := left(t, host); len(ids) != 0 {
			t.Errorf("%s lists %v as left", name, ids)
		}
		held, err := host.Held("ann")
		if err != nil || !slices.Equal(held, []string{j.ID()}) {
			t.Errorf("%s: held are %v, %v", name, held, err)
		}
		if held, err := host.Held("bob"); err != nil || len(held) != 0 {
			t.Errorf("%s: of somebody else are held %v, %v", name, held, err)
		}
	}
	release(t, j)
	for name, host := range map[string]journal.Store{"its own host": here, "another": there} {
		if ids := left(t, host); !slices.Equal(ids, []string{j.ID()}) {
			t.Errorf("%s lists %v as left", name, ids)
		}
		if held, err := host.Held("ann"); err != nil || len(held) != 0 {
			t.Errorf("%s: held are %v, %v", name, held, err)
		}
	}
	if err := there.Discard(j.ID()); err != nil {
		t.Errorf("discarded: %v", err)
	}
	for _, id := range []string{j.ID(), "none", "", "../none", "a'b", strings.Repeat("x", 300)} {
		if _, _, err := here.Take(id); err == nil {
			t.Errorf("take %.20q: it is there", id)
		}
		if err := here.Discard(id); err == nil {
			t.Errorf("discard %.20q: it is there", id)
		}
		if _, err := here.Read(id); err == nil {
			t.Errorf("read %.20q: it is there", id)
		}
	}
	if _, _, err := here.Take(j.ID()); !errors.Is(err, journal.ErrGone) {
		t.Errorf("take what was discarded: %v", err)
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
		t.Errorf("made smaller: %v", err)
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
		t.Errorf("filled up: %v; used are %d, %v", err, used, uerr)
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
	// The clock of a store may be coarse: appends go on until each journal is later than the one before.
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
		t.Fatalf("%s is not left: %v", made[i].ID(), list)
		return l
	}
	last := at(2).Time
	for _, i := range []int{1, 0} {
		within(t, "an append makes a journal the newest", func() bool {
			add(t, made[i], record(2, "more"))
			return at(i).Time.After(last)
		})
		last = at(i).Time
	}
	if l := at(0); l.Size != made[0].Size() {
		t.Errorf("left with %d bytes of %d", l.Size, made[0].Size())
	}
	for _, j := range made {
		release(t, j)
	}
	if ids := left(t, here); !slices.Equal(ids, []string{made[0].ID(), made[1].ID(), made[2].ID()}) {
		t.Errorf("left are %v", ids)
	}
}

func expired(t *testing.T, s System) {
	young := s.Open(t, journal.Limits{})
	j := create(t, young, "", record(1, "base"))
	release(t, j)
	list, err := young.Left()
	if err != nil || len(list) != 1 || young.Expired(list[0]) || young.Age() != 30*24*time.Hour {
		t.Fatalf("left are %v, %v, kept for %v", list, err, young.Age())
	}
	limits := journal.Limits{Age: time.Nanosecond}
	here := s.Open(t, limits)
	within(t, "a journal expires", func() bool { return here.Expired(list[0]) })
	if here.Listed(list[0]) {
		t.Error("it was listed by nobody")
	}
	if err := here.List(list[0]); err != nil {
		t.Fatal(err)
	}
	if here.Listed(list[0]) {
		t.Error("it counts as listed for the host that listed it")
	}
	within(t, "a later host knows that it was listed", func() bool { return s.Open(t, limits).Listed(list[0]) })
	k, _ := take(t, here, j.ID())
	add(t, k, record(2, "wanted"))
	k.Renew()
	release(t, k)
	if list, err = here.Left(); err != nil || len(list) != 1 {
		t.Fatalf("left are %v, %v", list, err)
	}
	if s.Open(t, limits).Listed(list[0]) {
		t.Error("it was used since it was listed")
	}
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
		t.Errorf("%d of %d are left", len(there), journals)
	}
	for n, id := range ids {
		want := []journal.Record{record(0, fmt.Sprint(n))}
		for i := range records {
			want = append(want, record(1, fmt.Sprint(n, i)))
		}
		holds(t, "of hosts at once", read(t, hosts[(n+1)%len(hosts)], id), want...)
	}
}

// Of hosts that take one journal at the same time, one has it.
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
			t.Fatalf("%d hosts have taken it", len(owners))
		}
		if len(owners) == 0 {
			continue // each found another one looking at it
		}
		r := record(2, fmt.Sprint(round))
		add(t, owners[0], r)
		want = append(want, r)
		release(t, owners[0])
	}
	if len(want) == 1 {
		t.Error("nobody has ever taken it")
	}
	holds(t, "taken by turns", read(t, hosts[0], j.ID()), want...)
}
