package queries

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// timelines calls show for the song's time, or in format 2 for the time of each track.
func timelines(s *song.Song, b *strings.Builder, show func(t *song.Track)) {
	if s.Format() != 2 {
		show(nil)
		return
	}
	for _, t := range s.Tracks() {
		fmt.Fprintf(b, "%s:\n", song.Brief(s.Name(t), 60))
		show(t)
	}
}

// manyChanges is the number of tempo changes, as players and ritardandi make them, above which a line tells a bar's.
const manyChanges = 40

// showTempo lists the tempo map with the time of each change, in a range if one is given.
func showTempo(v *view, a pdk.Args) (string, error) {
	s := v.Model
	from, to := int64(0), int64(smf.MaxTick)
	for _, x := range a.Selectors {
		var err error
		if x.Type != "range" || x.Negated {
			return "", pdk.Errorf("tempo takes @range:P-P, not %s", pdk.SelectorText([]abi.Select{x})).TryQuery("tempo")
		}
		if from, to, err = s.Range(nil, x.Value); err != nil {
			return "", pdk.Errorf("%v", err).TryQuery("map")
		}
	}
	var b strings.Builder
	timelines(s, &b, func(t *song.Track) {
		m := s.Tempo(t)
		meter, err := s.Meter(t)
		switch changes := m.Between(from, to); {
		case len(changes) > manyChanges && err == nil && len(a.Selectors) == 0:
			tempoOfBars(&b, m, meter, changes)
		default:
			for _, c := range changes {
				fmt.Fprintf(&b, "%-9s %s bpm, from %s\n", s.At(t, c.Tick), song.PrintBPM(c.BPM()), minutes(m.Seconds(c.Tick)))
			}
		}
		end := s.End()
		if t != nil {
			end = t.End()
		}
		fmt.Fprintf(&b, "%-9s end, %s\n", s.At(t, end), minutes(m.Seconds(end)))
	})
	if _, err := s.PPQ(); err != nil {
		b.WriteString("this file counts in SMPTE frames: its tempo events have no effect\n")
	}
	return b.String(), nil
}

// tempoOfBars lists the bars that have changes: the tempo at their first, the slowest, the fastest, and how many they
// are.
func tempoOfBars(b *strings.Builder, m *song.TempoMap, meter *song.Meter, changes []song.TempoChange) {
	for len(changes) > 0 {
		bar, _, _ := meter.Locate(changes[0].Tick)
		n := 1
		low, high := changes[0].BPM(), changes[0].BPM()
		for ; n < len(changes) && changes[n].Tick < meter.BarEnd(changes[0].Tick); n++ {
			low, high = min(low, changes[n].BPM()), max(high, changes[n].BPM())
		}
		fmt.Fprintf(b, "%-4d %s bpm", bar, song.PrintBPM(changes[0].BPM()))
		if n > 1 {
			fmt.Fprintf(b, ", %d in all, %s-%s", n, song.PrintBPM(low), song.PrintBPM(high))
		}
		fmt.Fprintf(b, ", %s\n", minutes(m.Seconds(changes[0].Tick)))
		changes = changes[n:]
	}
	b.WriteString("all changes of bars: tempo @range:P-P\n")
}

// showSignatures lists the time and key signatures with the bars in which they hold.
func showSignatures(v *view, _ pdk.Args) (string, error) {
	s := v.Model
	var b strings.Builder
	timelines(s, &b, func(t *song.Track) {
		if m, err := s.Meter(t); err != nil {
			b.WriteString("this file counts in SMPTE frames: it has no bars\n")
		} else {
			for i, g := range m.Changes {
				fmt.Fprintf(&b, "%-9s time %d/%d", s.At(t, g.Tick), g.Num, g.Den)
				if i+1 < len(m.Changes) && m.Changes[i+1].Bar == g.Bar+1 {
					fmt.Fprintf(&b, ", bar %d", g.Bar)
				} else if i+1 < len(m.Changes) {
					fmt.Fprintf(&b, ", bars %d-%d", g.Bar, m.Changes[i+1].Bar-1)
				} else if end := s.Bars(m); end > g.Bar {
					fmt.Fprintf(&b, ", bars %d-%d", g.Bar, end)
				}
				b.WriteByte('\n')
			}
		}
		keys := s.Keys(t)
		if len(keys) == 0 {
			b.WriteString("no key signature\n")
		}
		for _, k := range keys {
			fmt.Fprintf(&b, "%-9s key %s (%s)\n", s.At(t, k.Tick), k.Key, accidentals(k.Key))
		}
	})
	return b.String(), nil
}

func accidentals(k theory.Key) string {
	switch n := k.Fifths; {
	case n == 0:
		return "no accidentals"
	case n == 1:
		return "1 sharp"
	case n == -1:
		return "1 flat"
	case n > 0:
		return fmt.Sprintf("%d sharps", n)
	default:
		return fmt.Sprintf("%d flats", -n)
	}
}
