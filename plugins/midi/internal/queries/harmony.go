package queries

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// maxChart is how many bars one chord chart covers.
const maxChart = 256

// passage reads an optional P-P on the song's time, positional 0: ticks from
// and to, both included; without it, the whole song.
func passage(v *view, a pdk.Args) (m *song.Meter, from, to int64, err error) {
	s := v.Model
	if m, err = s.Meter(nil); err != nil {
		return nil, 0, 0, err
	}
	if s.Format() == 2 {
		return nil, 0, 0, pdk.Errorf("the tracks of a format 2 file are songs of their own, which do not sound together").TryQuery("tracks")
	}
	from, to = 0, max(s.End(), 1)-1
	if a.Text(0) != "" {
		from, to, err = span(v, a, 0, nil)
	}
	return m, from, to, err
}

// weights is how long each pitch class sounds between two ticks, drums aside.
func weights(s *song.Song, from, to int64) (w [12]float64, sounds bool) {
	for _, t := range s.Music() {
		for e := range t.Events() {
			if e.Tick > to {
				break
			}
			if !e.IsNote() || e.Channel() == theory.DrumChannel {
				continue
			}
			if d := min(e.Mate.Tick, to+1) - max(e.Tick, from); d > 0 {
				w[e.Pitch()%12] += float64(d)
				sounds = true
			}
		}
	}
	return w, sounds
}

// keyOf is the key in force at tick, or, in a song without key signatures, the
// likeliest by its notes.
func keyOf(s *song.Song, from, to int64) theory.Key {
	if len(s.Keys(nil)) == 0 {
		if w, ok := weights(s, from, to); ok {
			if guesses := theory.FindKeys(w); len(guesses) > 0 {
				return guesses[0].Key
			}
		}
	}
	return s.KeyAt(nil, from)
}

// showChords charts the harmony, bar by bar.
func showChords(v *view, a pdk.Args) (string, error) {
	s := v.Model
	m, from, to, err := passage(v, a)
	if err != nil {
		return "", err
	}
	first, _, _ := m.Locate(from)
	from = m.BarTick(first)
	last, _, _ := m.Locate(to)
	more := ""
	if end := max(s.End(), 1) - 1; to > end {
		to = max(end, from)
		last, _, _ = m.Locate(to)
	}
	if last-first >= maxChart {
		last = first + maxChart - 1
		more = fmt.Sprintf("more: chords %d-%d\n", last+1, last+maxChart)
	}
	to = m.BarTick(last+1) - 1

	var beats []int64 // where each beat starts
	for at := from; at <= to; at = m.BeatEnd(at) {
		beats = append(beats, at)
	}
	key := keyOf(s, from, to)
	all := theory.Harmonize(spans(s, beats, to+1), key)

	var b strings.Builder
	fmt.Fprintf(&b, "chords, a bar between strokes, (N) from beat N, %% as before, - none; in %s\n", key)
	h := 0
	for bar := first; bar <= last; bar++ {
		if (bar-first)%4 == 0 {
			if bar > first {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "%4d |", bar)
		}
		start, end := m.BarTick(bar), m.BarTick(bar+1)
		var cells []string
		for h < len(all) && beats[all[h].From] < end {
			at := beats[all[h].From]
			name := "-"
			if c := all[h].Chord; c != nil {
				name = c.String()
			}
			if at == start {
				cells = append(cells, name)
			} else if at > start {
				if len(cells) == 0 {
					cells = append(cells, "%")
				}
				_, beat, _ := m.Locate(at)
				cells = append(cells, fmt.Sprintf("%s(%d)", name, beat))
			}
			h++
		}
		if len(cells) == 0 {
			cells = []string{"%"}
		}
		b.WriteString(" " + strings.Join(cells, " ") + " |")
	}
	b.WriteByte('\n')
	return b.String() + more, nil
}

// spans is what sounds in each beat, drums aside; the last one ends at end.
func spans(s *song.Song, beats []int64, end int64) []theory.Span {
	out := make([]theory.Span, len(beats))
	for i := range out {
		out[i].Bass = -1
	}
	for _, t := range s.Music() {
		at := 0
		for e := range t.Events() {
			if e.Tick >= end {
				break
			}
			if !e.IsNote() || e.Channel() == theory.DrumChannel || e.Mate.Tick <= beats[0] {
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
				// The tail of a note played too long is not heard as harmony.
				if d <= 0 || 8*d < stop-beats[i] && e.Tick < beats[i] {
					continue
				}
				out[i].Weight[e.Pitch()%12] += float64(d) / float64(stop-beats[i])
				if out[i].Bass < 0 || e.Pitch() < out[i].Bass {
					out[i].Bass = e.Pitch()
				}
			}
		}
	}
	return out
}

// showKey tells the key signatures and what the notes say.
func showKey(v *view, a pdk.Args) (string, error) {
	s := v.Model
	var b strings.Builder
	keys := s.Keys(nil)
	if len(keys) == 0 {
		b.WriteString("no key signature\n")
	}
	for i, k := range keys {
		fmt.Fprintf(&b, "signature %s at %s", k.Key, s.At(nil, k.Tick))
		if len(keys) > 1 {
			end := s.End()
			if i+1 < len(keys) {
				end = keys[i+1].Tick
			}
			if w, ok := weights(s, k.Tick, end-1); ok {
				if guesses := theory.FindKeys(w); len(guesses) > 0 {
					fmt.Fprintf(&b, ", by its notes %s (%.2f)", guesses[0].Key, guesses[0].Fit)
				}
			}
		}
		b.WriteByte('\n')
	}
	w, ok := weights(s, 0, s.End())
	guesses := theory.FindKeys(w)
	if !ok || guesses == nil {
		b.WriteString("too few notes to hear a key\n")
		return b.String(), nil
	}
	fmt.Fprintf(&b, "by the notes: %s (%.2f), then", guesses[0].Key, guesses[0].Fit)
	for i, g := range guesses[1:4] {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s (%.2f)", g.Key, g.Fit)
	}
	b.WriteString("; correlation with the Krumhansl-Kessler ratings\n")
	return b.String(), nil
}
