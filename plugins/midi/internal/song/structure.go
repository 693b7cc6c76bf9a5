package song

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// structure is what Troubles needs to know of a track. It is cached until the track or
// the meter changes.
type structure struct {
	version   uint64
	meter     *Meter
	low, high int // the range of the track's instrument

	gaps    [][2]int // the first runs of empty bars between bars with notes
	runs    int      // number of such runs
	silent  int      // number of bars in them
	overlap int      // notes that start while their pitch still sounds
	first   *Event   // the first of them
	outside int      // notes outside the range of the track's instrument
	beyond  *Event   // the first of them
}

// passage is what a block contributes to its track's structure, given the progress
// before it.
type passage struct {
	known         bool
	before, after progress

	gaps    [][2]int
	behind  []ID // for each of these, the next note that plays
	overlap int
	first   *Event
	outside int
	beyond  *Event
}

// progress is the state of reading a track, as far as later events depend on it.
type progress struct {
	bar      int     // the last bar with a note
	barEnd   int64   // where it ends
	sounding []sound // in the order of their keys
}

// sound is a note that has not ended.
type sound struct {
	key int // channel and pitch
	end int64
}

func (p *progress) equal(q *progress) bool {
	return p.bar == q.bar && p.barEnd == q.barEnd && slices.Equal(p.sounding, q.sounding)
}

// maxRuns is how many runs of empty bars one warning lists.
const maxRuns = 6

// Trouble is a warning with its subject and an amount. It is worth repeating when the
// amount has grown.
type Trouble struct {
	Text string
	Of   string
	N    int
}

// Troubles lists likely mistakes, which a file may well contain: bars without notes
// between bars with notes, a note that starts while the same pitch still sounds (the
// first note-off will end both), a note outside the range of the track's instrument, a
// channel that two tracks set to different sounds.
func (s *Song) Troubles() []Trouble {
	var out []Trouble
	add := func(t *Track, of string, n int, format string, args ...any) {
		out = append(out, Trouble{Brief(s.Name(t), 60) + ": " + fmt.Sprintf(format, args...), fmt.Sprint(of, " ", t.ID), n})
	}
	several := func(n int, one, more string) string {
		if n == 1 {
			return "1 note " + one
		}
		return fmt.Sprint(n, " notes ", more)
	}
	place := func(e *Event) string { return s.PitchName(e) + " at " + s.At(e.Track, e.Tick) }
	for _, t := range s.Music() {
		if t.notes == 0 {
			continue
		}
		meter, _ := s.Meter(t) // nil with an SMPTE division, which has no bars
		s.examine(t, meter)
		f := &t.facts
		if f.silent > 0 { // Watch reports further ones
			add(t, "empty", 1, "empty at %s", Bars(printRuns(f.gaps, f.runs)))
		}
		if f.overlap > 0 {
			add(t, "overlap", f.overlap, "%s while the same pitch still sounds, first %s", several(f.overlap, "starts", "start"), place(f.first))
		}
		if f.outside > 0 {
			add(t, "outside", f.outside, "%s outside the range of %s, first %s", several(f.outside, "is", "are"), SoundName(int(t.Program().A), 1), place(f.beyond))
		}
	}
	for _, text := range s.Clashes() {
		out = append(out, Trouble{Text: text})
	}
	return out
}

// Bars puts the noun in front of a list of bars: "bar 5", "bars 5-8, 12".
func Bars(list string) string {
	if strings.ContainsAny(list, "-,") {
		return "bars " + list
	}
	return "bar " + list
}

// printRuns prints the first of n runs of bars: "5-8, 12".
func printRuns(first [][2]int, n int) string {
	var out []string
	for _, g := range first {
		if g[0] == g[1] {
			out = append(out, fmt.Sprint(g[0]))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", g[0], g[1]))
		}
	}
	if n > len(first) {
		out = append(out, fmt.Sprintf("and %d more runs", n-len(first)))
	}
	return strings.Join(out, ", ")
}

// examine updates a track's structure. It reads the blocks that changed, and those
// after them until the progress is the same as before.
func (s *Song) examine(t *Track, meter *Meter) {
	low, high := 0, 127
	if p := t.Program(); p != nil {
		low, high, _ = theory.Compass(int(p.A))
	}
	was := &t.facts
	same := was.meter.equal(meter) && was.low == low && was.high == high
	if same && was.version == t.version {
		return
	}
	f := structure{version: t.version, meter: meter, low: low, high: high}
	var at progress
	for _, b := range t.events.blocks {
		p := &b.facts
		if !same || !p.known || !p.before.equal(&at) {
			*p = passage{known: true, before: at}
			s.readBlock(p, b.ids, meter, low, high)
		}
		at = p.after
		f.gaps = append(f.gaps, p.gaps[:min(len(p.gaps), maxRuns-len(f.gaps))]...)
		f.runs += len(p.gaps)
		for _, g := range p.gaps {
			f.silent += g[1] - g[0] + 1
		}
		if f.first == nil {
			f.first = p.first
		}
		if f.beyond == nil {
			f.beyond = p.beyond
		}
		f.overlap += p.overlap
		f.outside += p.outside
	}
	t.facts = f
}

// readBlock reads the events of a block.
func (s *Song) readBlock(p *passage, ids []ID, meter *Meter, low, high int) {
	at := p.before
	keys := make([]int, 0, 32) // those that ends is set for
	for _, n := range at.sounding {
		s.ends[n.key] = n.end
		keys = append(keys, n.key)
	}
	for _, id := range ids {
		e := s.byID[id]
		if !e.IsNote() {
			continue
		}
		key := (e.Channel()-1)<<7 | e.Pitch()
		end := &s.ends[key]
		if e.Tick < *end {
			if p.overlap == 0 {
				p.first = e
			}
			p.overlap++
		}
		if e.Mate.Tick > *end {
			if *end == 0 {
				keys = append(keys, key)
			}
			*end = e.Mate.Tick
		}
		if pitch := e.Pitch(); (pitch < low || pitch > high) && e.Channel() != theory.DrumChannel {
			if p.outside == 0 {
				p.beyond = e
			}
			p.outside++
		}
		if meter == nil || e.Mate.Tick <= at.barEnd {
			continue
		}
		from, _, _ := meter.Locate(e.Tick)
		if at.bar > 0 && from > at.bar+1 {
			p.gaps, p.behind = append(p.gaps, [2]int{at.bar + 1, from - 1}), append(p.behind, id)
		}
		last, _, _ := meter.Locate(max(e.Tick, e.Mate.Tick-1))
		if last > at.bar {
			at.bar, at.barEnd = last, meter.BarTick(last+1)
		}
	}
	at.sounding = nil
	now := s.byID[ids[len(ids)-1]].Tick
	slices.Sort(keys)
	for _, key := range keys {
		if s.ends[key] > now {
			at.sounding = append(at.sounding, sound{key, s.ends[key]})
		}
		s.ends[key] = 0
	}
	p.after = at
}

// Clashes finds channels on which two tracks set different sounds before their first
// notes.
func (s *Song) Clashes() []string {
	if s.Format() == 2 {
		return nil
	}
	var first [17]*Event
	var told [17]bool
	var out []string
	for _, t := range s.Music() {
		if t.notes == 0 {
			continue
		}
		p := t.Program()
		if p == nil {
			continue
		}
		c := p.Channel()
		other := first[c]
		if other == nil {
			first[c] = p
		} else if other.A != p.A && c != theory.DrumChannel && !told[c] {
			told[c] = true
			out = append(out, fmt.Sprintf("channel %d: %s sets it to %s and %s to %s; one of them needs another ch:", c,
				Brief(s.Name(other.Track), 40), SoundName(int(other.A), c), Brief(s.Name(t), 40), SoundName(int(p.A), c)))
		}
	}
	return out
}
