package queries

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// maxChart is how many bars one chord chart covers.
const maxChart = 256

// passage reads an optional P-P on the song's time, positional 0, as ticks from and to,
// both included. Without it, the passage is the whole song.
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
		from, to, err = namedSpan(v, a, 0, nil)
	}
	return m, from, to, err
}

// weights returns how long each pitch class sounds between two ticks, without drums.
func weights(s *song.Song, from, to int64) (w [12]float64, sounds bool) {
	for _, t := range s.Music() {
		for e := range t.Between(0, to+1) {
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

// heard selects the events for an analysis of harmony: those of some tracks, or those
// that selectors match, or all if both are nil. It never includes drums.
type heard struct {
	tracks []*song.Track
	events map[*song.Event]bool
}

func (h *heard) counts(e *song.Event) bool {
	if !e.IsNote() || e.Channel() == theory.DrumChannel {
		return false
	}
	if h.events != nil {
		return h.events[e]
	}
	return h.tracks == nil || slices.Contains(h.tracks, e.Track)
}

// readHeard reads [TRACK[,TRACK…]] [P-P] [@SEL…]. It returns the query without the
// tracks.
func readHeard(v *view, a pdk.Args) (*heard, pdk.Args, error) {
	h := &heard{}
	if len(a.Selectors) > 0 {
		found, err := selector.Elements(v.Model, v.Recent, a.Selectors, false)
		if err != nil {
			return nil, a, selectorsRefused(v, a, a.Selectors, err)
		}
		h.events = map[*song.Event]bool{}
		for _, e := range found {
			h.events[e] = true
		}
	}
	if len(a.Positionals) == 0 {
		return h, a, nil
	}
	if _, _, err := v.Model.Range(nil, a.Text(0)); err == nil && len(a.Positionals) == 1 {
		return h, a, nil
	}
	tracks, err := v.Model.FindTracks(a.Text(0), false)
	if err != nil {
		if len(a.Positionals) == 1 && strings.ContainsAny(a.Text(0)[:1], "0123456789") {
			return h, a, nil // not a range that can be read
		}
		return nil, a, tracksRefused(v, a, err)
	}
	h.tracks = tracks
	op := *a.Op
	op.Positionals = op.Positionals[1:]
	return h, pdk.Args{Op: &op}, nil
}

// unsure is the share of what sounds that must belong to a chord; a chord below it gets
// a question mark.
const unsure = 0.72

// showChords charts the harmony, bar by bar.
func showChords(v *view, a pdk.Args) (string, error) {
	s := v.Model
	who, a := pdk.Must2(readHeard(v, a))
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

	key := s.SpellingKey(nil, from)
	all := s.Harmony(m, from, to+1, who.counts)

	var chart strings.Builder
	h, before := 0, ""
	for bar := first; bar <= last; bar++ {
		if (bar-first)%4 == 0 {
			if bar > first {
				chart.WriteByte('\n')
			}
			fmt.Fprintf(&chart, "%4d |", bar)
		}
		start, end := m.BarTick(bar), m.BarTick(bar+1)
		var cells []string
		for ; h < len(all) && all[h].From < end; h++ {
			name := "-"
			if c := all[h].Chord; c != nil {
				name = c.String()
				if all[h].Sure < unsure {
					name += "?"
				}
			}
			cell := name
			if at := all[h].From; at > start {
				_, beat, _ := m.Locate(at)
				cell = fmt.Sprintf("%s(%d)", name, beat)
			} else if name == before && name != "-" {
				cell = "%"
			}
			cells, before = append(cells, cell), name
		}
		chart.WriteString(" " + strings.Join(cells, " ") + " |")
	}
	return fmt.Sprintf("chords, a bar between strokes, (N) from beat N, %% as before, - no chord, ? not sure; in %s\n%s\n%s", key, chart.String(), more), nil
}

// showKey prints the key signatures and the likely key by the notes.
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

// showOffScale lists the notes that are not in a scale, or not in the key.
func showOffScale(v *view, a pdk.Args) (string, error) {
	s := v.Model
	var scale *theory.Scale
	if len(a.Positionals) > 0 {
		read, err := theory.ParseScale(a.Text(0))
		if err != nil {
			return "", insteadAt(err, a, 0, near.Scale(a.Text(0))...)
		}
		scale = &read
	}
	sels := a.Selectors
	if len(sels) == 0 {
		sels = []abi.Select{{Raw: "@all", Type: "all"}}
	}
	found, err := selector.Elements(s, v.Recent, sels, false)
	if err != nil {
		if selector.Readable(s, sels) {
			return "no notes there", nil
		}
		return "", selectorsRefused(v, a, sels, err)
	}
	total := len(found)
	of := "their keys"
	if scale != nil {
		of = scale.String()
	} else if key := s.SpellingKey(nil, 0); len(s.Keys(nil)) < 2 {
		of = key.String()
	}
	found = slices.DeleteFunc(found, func(e *song.Event) bool {
		if !e.IsNote() || e.Channel() == theory.DrumChannel {
			total--
			return true
		}
		if scale != nil {
			return scale.Contains(e.Pitch())
		}
		home := s.SpellingKey(e.Track, e.Tick).Scale()
		return home.Contains(e.Pitch())
	})
	if len(found) == 0 {
		return fmt.Sprintf("all %d notes belong to %s (drums aside)", total, of), nil
	}
	slices.SortStableFunc(found, func(a, b *song.Event) int { return int(a.Tick - b.Tick) })
	return fmt.Sprintf("%d of %d off %s:\n%s", len(found), total, of, eventLines(s, found, len(s.Music()) > 1)), nil
}
