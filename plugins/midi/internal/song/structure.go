package song

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// structure is what Warnings needs to know of a track. It is kept until the
// track or the meter changes.
type structure struct {
	version uint64
	meter   *Meter
	gaps    [][2]int // runs of empty bars between bars that play
	overlap int      // notes that start while their pitch still sounds
	first   *Event   // of these
	outside int      // notes that the track's instrument does not have
	beyond  *Event   // the first of these
}

// maxRuns is how many runs of empty bars one warning names.
const maxRuns = 6

// Warnings lists what is likely a mistake, though a file may hold it: bars
// without notes between bars that play, a note that starts while the same
// pitch still sounds (its end will end both), a note that the track's instrument
// does not have, a channel that two tracks set to different sounds.
func (s *Song) Warnings() []string {
	var out []string
	for _, t := range s.Music() {
		if t.notes == 0 {
			continue
		}
		meter, _ := s.Meter(t) // nil with an SMPTE division: no bars to be empty
		if t.facts.version != t.version || t.facts.meter != meter {
			t.facts = examine(t, meter)
		}
		if f := &t.facts; len(f.gaps) > 0 {
			out = append(out, fmt.Sprintf("%s: empty at bars %s", Brief(s.Name(t), 60), runs(f.gaps)))
		}
		if f := &t.facts; f.overlap > 0 {
			e := f.first
			what := "1 note starts"
			if f.overlap > 1 {
				what = fmt.Sprintf("%d notes start", f.overlap)
			}
			out = append(out, fmt.Sprintf("%s: %s while the same pitch still sounds, first %s at %s",
				Brief(s.Name(t), 60), what, s.PitchName(e), s.At(t, e.Tick)))
		}
		if f := &t.facts; f.outside > 0 {
			what := "1 note is"
			if f.outside > 1 {
				what = fmt.Sprintf("%d notes are", f.outside)
			}
			out = append(out, fmt.Sprintf("%s: %s outside the range of %s, first %s at %s",
				Brief(s.Name(t), 60), what, SoundName(int(t.Program().A), 1), s.PitchName(f.beyond), s.At(t, f.beyond.Tick)))
		}
	}
	return append(out, s.Clashes()...)
}

// runs prints "5-8, 12".
func runs(gaps [][2]int) string {
	var out []string
	for i, g := range gaps {
		switch {
		case i == maxRuns:
			return strings.Join(append(out, fmt.Sprintf("and %d more runs", len(gaps)-i)), ", ")
		case g[0] == g[1]:
			out = append(out, fmt.Sprint(g[0]))
		default:
			out = append(out, fmt.Sprintf("%d-%d", g[0], g[1]))
		}
	}
	return strings.Join(out, ", ")
}

func examine(t *Track, meter *Meter) structure {
	f := structure{version: t.version, meter: meter}
	var until [16][128]int64 // when the note that sounds ends
	bar := 0                 // the last bar that plays
	var barEnd int64
	low, high := 0, 127
	if p := t.Program(); p != nil {
		low, high, _ = theory.Compass(int(p.A))
	}
	for e := range t.Events() {
		if !e.IsNote() {
			continue
		}
		end := &until[e.Channel()-1][e.Pitch()]
		if e.Tick < *end {
			if f.overlap == 0 {
				f.first = e
			}
			f.overlap++
		}
		*end = max(*end, e.Mate.Tick)
		if p := e.Pitch(); (p < low || p > high) && e.Channel() != theory.DrumChannel {
			if f.outside == 0 {
				f.beyond = e
			}
			f.outside++
		}
		if meter == nil || e.Mate.Tick <= barEnd {
			continue
		}
		from, _, _ := meter.Locate(e.Tick)
		if bar > 0 && from > bar+1 {
			f.gaps = append(f.gaps, [2]int{bar + 1, from - 1})
		}
		last, _, _ := meter.Locate(max(e.Tick, e.Mate.Tick-1))
		if last > bar {
			bar, barEnd = last, meter.BarTick(last+1)
		}
	}
	return f
}

// Clashes finds channels on which two tracks set different sounds at the
// start of what they play.
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
