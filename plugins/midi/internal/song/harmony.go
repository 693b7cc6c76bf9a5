package song

import (
	"slices"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Harmony is a chord between two ticks (To not included) of one bar. Chord is nil if
// nothing sounds or no chord fits; Sure is as in theory.Harmony.
type Harmony struct {
	From, To int64
	Chord    *theory.Chord
	Sure     float64
}

// Harmony finds the chords of the notes that counts accepts, from tick from, the start
// of a beat, up to but not including tick to, on the time of the song.
func (s *Song) Harmony(m *Meter, from, to int64, counts func(*Event) bool) []Harmony {
	var beats []int64 // where each beat starts
	for at := from; at < to; at = m.BeatEnd(at) {
		beats = append(beats, at)
	}
	if len(beats) == 0 {
		return nil
	}
	var out []Harmony
	for _, h := range theory.Harmonize(s.spans(m, beats, to, counts), s.SpellingKey(nil, from)) {
		end := to
		if h.To < len(beats) {
			end = beats[h.To]
		}
		out = append(out, Harmony{beats[h.From], end, h.Chord, h.Sure})
	}
	return out
}

// tone is a pitch class that sounds from one tick to another.
type tone struct {
	from, to int64
	class    int
}

// with reports whether o is another class that sounds at the same time, for longer than
// the overlap of legato playing.
func (n tone) with(o tone) bool {
	both := min(n.to, o.to) - max(n.from, o.from)
	return n.class != o.class && 4*both > min(n.to-n.from, o.to-o.from)
}

// spans returns what sounds in each beat; the last one ends at end.
func (s *Song) spans(m *Meter, beats []int64, end int64, counts func(*Event) bool) []theory.Span {
	out := make([]theory.Span, len(beats))
	for i := range out {
		out[i].Bass = -1
		_, beat, sub := m.Locate(beats[i])
		out[i].Bar, out[i].Struck = beat == 1 && sub == 0, true
	}
	single := make([][]tone, len(out)) // tones of beats without a chord so far
	for _, t := range s.Music() {
		at := 0
		for e := range t.Events() {
			if e.Tick >= end {
				break
			}
			if !e.IsNote() || e.Mate.Tick <= beats[0] || !counts(e) {
				continue
			}
			for at+1 < len(beats) && beats[at+1] <= e.Tick {
				at++
			}
			for i := at; i < len(beats) && beats[i] < e.Mate.Tick; i++ {
				stop := end
				if i+1 < len(beats) {
					stop = beats[i+1]
				}
				d := min(e.Mate.Tick, stop) - max(e.Tick, beats[i])
				// Ignore the tail of a note that is played too long.
				if d <= 0 || 8*d < stop-beats[i] && e.Tick < beats[i] {
					continue
				}
				if !out[i].Chord {
					n := tone{max(e.Tick, beats[i]), min(e.Mate.Tick, stop), e.Pitch() % 12}
					out[i].Chord = len(single[i]) > 64 || slices.ContainsFunc(single[i], n.with)
					single[i] = append(single[i], n)
				}
				out[i].Struck = out[i].Struck && e.Tick >= beats[i]
				out[i].Weight[e.Pitch()%12] += float64(d) / float64(stop-beats[i])
				if out[i].Bass < 0 || e.Pitch() < out[i].Bass {
					out[i].Bass = e.Pitch()
				}
			}
		}
	}
	return out
}
