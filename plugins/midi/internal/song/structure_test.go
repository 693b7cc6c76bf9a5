package song

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// readStructure prints what a track holds, read from its first event to its last.
func readStructure(t *Track, meter *Meter) string {
	var until [16][128]int64
	bar, silent := 0, 0
	low, high := 0, 127
	if p := t.First(func(e *Event) bool { return e.Kind() == KindProgram }); p != nil {
		low, high, _ = theory.Compass(int(p.A))
	}
	var gaps [][2]int
	var overlap, outside []ID
	var lowest, highest *Event
	kinds := map[Kind]int{}
	var channels []int
	velocities, first, last := 0, int64(-1), int64(0)
	for e := range t.Events() {
		if c := e.Channel(); c > 0 && !slices.Contains(channels, c) {
			channels = append(channels, c)
		}
		if e.IsElement() {
			kinds[e.Kind()]++
		}
		if !e.IsNote() {
			continue
		}
		end := &until[e.Channel()-1][e.Pitch()]
		if e.Tick < *end {
			overlap = append(overlap, e.ID)
		}
		*end = max(*end, e.Mate.Tick)
		if p := e.Pitch(); (p < low || p > high) && e.Channel() != theory.DrumChannel {
			outside = append(outside, e.ID)
		}
		from, _, _ := meter.Locate(e.Tick)
		if bar > 0 && from > bar+1 {
			gaps = append(gaps, [2]int{bar + 1, from - 1})
			silent += from - 1 - bar
		}
		to, _, _ := meter.Locate(max(e.Tick, e.Mate.Tick-1))
		bar = max(bar, to)
		velocities += e.Velocity()
		last = max(last, e.Mate.Tick)
		if first < 0 {
			first = e.Tick
		}
		if e.Channel() != theory.DrumChannel {
			if lowest == nil || e.Pitch() < lowest.Pitch() {
				lowest = e
			}
			if highest == nil || e.Pitch() > highest.Pitch() {
				highest = e
			}
		}
	}
	slices.Sort(channels)
	return fmt.Sprintln(gaps[:min(len(gaps), maxRuns)], len(gaps), silent, len(overlap), ids(overlap), len(outside), ids(outside),
		kinds, velocities, id(lowest), id(highest), first, last, channels)
}

// cachedStructure prints the same from the track's caches.
func cachedStructure(s *Song, t *Track, meter *Meter) string {
	s.examine(t, meter)
	f, sums := t.facts, t.Sums()
	kinds := map[Kind]int{}
	for _, k := range sums.Kinds {
		kinds[k.Kind] = k.N
	}
	return fmt.Sprintln(f.gaps, f.runs, f.silent, f.overlap, id(f.first), f.outside, id(f.beyond),
		kinds, sums.Velocities, id(sums.Low), id(sums.High), sums.First, sums.Last, sums.Channels())
}

func id(e *Event) ID {
	if e == nil {
		return 0
	}
	return e.ID
}

func ids(all []ID) ID {
	if len(all) == 0 {
		return 0
	}
	return all[0]
}

// What a long track caches block by block must equal what reading it from the start
// gives, after any edits and after undoing them.
func TestBlockCachesMatchTheTrack(t *testing.T) {
	const notes, rounds = 4 * maxBlock, 300
	rnd := rand.New(rand.NewPCG(1, 2))
	s := songOfEvents(96)
	main, other := s.Tracks()[0], s.Tracks()[1]
	insert := func(n int) *Insert {
		x := &Insert{}
		for range n {
			at, long := rnd.Int64N(300_000), int64(1+rnd.IntN(300))
			if rnd.IntN(20) == 0 {
				long *= 200
			}
			switch rnd.IntN(40) {
			case 0:
				x.Add(main, smf.Event{Tick: at, Status: 0xC0, A: byte(rnd.IntN(128))})
			case 1:
				x.Add(main, signature(at, 2+rnd.IntN(4), 4))
			default:
				x.Note(main, 1+9*rnd.IntN(2), 50+rnd.IntN(12), 1+rnd.IntN(127), 64, at, long)
			}
		}
		return x
	}
	edit := func() pdk.Edit[*Song] {
		var all []*Event
		for e := range main.Events() {
			if e.IsNote() {
				all = append(all, e)
			}
		}
		e := all[rnd.IntN(len(all))]
		switch rnd.IntN(9) {
		case 0:
			return insert(1 + rnd.IntN(5))
		case 8:
			if p := main.Program(); p != nil {
				return &Remove{IDs: []ID{p.ID}}
			}
			return insert(1)
		case 1:
			return &Remove{IDs: []ID{e.ID, e.Mate.ID}}
		case 2:
			x := &Set{}
			x.Change(e).A = byte(20 + rnd.IntN(90))
			x.Items = append(x.Items, Change{ID: e.Mate.ID, New: contentOf(e.Mate)})
			x.Items[1].New.A = x.Items[0].New.A
			return x
		case 3: // another length
			x := &Move{}
			x.Add(e.Mate, main, e.Tick+rnd.Int64N(80_000))
			return x
		case 4: // another place
			x := &Move{}
			at := rnd.Int64N(300_000)
			x.Add(e, main, at)
			x.Add(e.Mate, main, at+e.Length())
			return x
		case 5: // another track
			x := &Move{}
			x.Add(e, other, e.Tick)
			x.Add(e.Mate, other, e.Mate.Tick)
			return x
		case 6:
			return &Shift{From: rnd.Int64N(300_000), By: int64(rnd.IntN(4000)), Tracks: []TrackID{main.ID}}
		}
		from := 5000 + rnd.Int64N(290_000)
		return &Shift{From: from, By: -rnd.Int64N(3000), Tracks: []TrackID{main.ID, other.ID}}
	}
	check := func(when string) {
		t.Helper()
		meter, err := s.Meter(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range s.Tracks() {
			if got, want := cachedStructure(s, tr, meter), readStructure(tr, meter); got != want {
				t.Fatalf("%s, track %d:\n%swant\n%s", when, tr.ID, got, want)
			}
		}
	}
	if err := insert(notes).Do(s); err != nil {
		t.Fatal(err)
	}
	check("at first")
	for round := range rounds {
		var done []pdk.Edit[*Song]
		for range 1 + rnd.IntN(10) {
			x := edit()
			if err := x.Do(s); err != nil {
				t.Fatal(err)
			}
			done = append(done, x)
			if rnd.IntN(3) == 0 {
				check(fmt.Sprintf("round %d, after %T", round, x))
			}
		}
		check(fmt.Sprint("round ", round))
		if rnd.IntN(2) == 0 {
			for _, x := range slices.Backward(done) {
				if err := x.Undo(s); err != nil {
					t.Fatal(err)
				}
			}
			check(fmt.Sprint("round ", round, " undone"))
		}
	}
}
