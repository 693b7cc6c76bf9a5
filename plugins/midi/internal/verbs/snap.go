package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

func snapVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "snap", Category: "Edit", Syntax: "snap @SEL… to:KEY|SCALE|chords",
		Brief:   "snap @SEL… to:KEY|SCALE|chords · pitches to the nearest of it",
		Summary: "notes that lie off a scale, or off the chords that the other notes make, to the nearest note of it, of two the lower; drums stay",
		Params:  []abi.Param{{Key: "to", Value: "KEY|SCALE|chords"}}, Select: true, Min: 0, Max: -1,
		Examples: []string{"snap @track:Piano to:A-harmonic-minor", "snap @track:Bass to:chords"},
	}, Run: func(c *ctx, a pdk.Args) error {
		found, err := chosen(c, a, 0)
		if err != nil {
			return err
		}
		notes := pitched(found)
		if len(notes) == 0 {
			return pdk.Errorf("snap leaves drums alone, and there is nothing else among what was named").TryQuery("tracks")
		}
		where, ok := a.Param("to")
		if !ok {
			return pdk.Errorf("snap needs to:KEY, to:SCALE or to:chords").TryQuery("key")
		}
		var belongs func(e *song.Event) theory.Classes
		if strings.EqualFold(where, "chords") || strings.EqualFold(where, "chord") {
			if belongs, err = chordsUnder(c, notes); err != nil {
				return err
			}
		} else {
			scale, err := theory.ParseScale(where)
			if err != nil {
				return instead(err, a, "to", near.Scale(where)...)
			}
			var set theory.Classes
			for n := range scale.Degrees {
				set |= theory.ClassesOf(scale.Degree(n, 4).Number())
			}
			belongs = func(*song.Event) theory.Classes { return set }
		}
		off := 0
		for _, e := range notes {
			off += btoi(nearest(e.Pitch(), belongs(e)) != e.Pitch())
		}
		if err := repitch(c, notes, func(e *song.Event) int { return nearest(e.Pitch(), belongs(e)) }, "Snap to "+where); err != nil {
			return err
		}
		c.Changed("Snapped %d of %s to %s", off, pdk.Count(len(notes), "note"), where)
		return nil
	}}
}

// pitched are the notes that are no drums.
func pitched(notes []*song.Event) (out []*song.Event) {
	for _, e := range notes {
		if e.Channel() != theory.DrumChannel {
			out = append(out, e)
		}
	}
	return out
}

// nearest is the note of a set of classes that is nearest to a pitch, of two the
// lower; the pitch itself where the set is empty.
func nearest(pitch int, set theory.Classes) int {
	for d := 0; d <= 6; d++ {
		for _, p := range []int{pitch - d, pitch + d} {
			if p >= 0 && p <= 127 && set>>(p%12)&1 == 1 {
				return p
			}
		}
	}
	return pitch
}

// classesOf are a chord's.
func classesOf(chord *theory.Chord) (set theory.Classes) {
	for _, p := range chord.Voice(4, 0) {
		set |= theory.ClassesOf(p.Number())
	}
	return set
}

// chordsUnder gives the classes of the chord that sounds where a note starts,
// made by all notes but these and drums.
func chordsUnder(c *ctx, notes []*song.Event) (func(*song.Event) theory.Classes, error) {
	m, err := c.Model.Meter(nil)
	if err != nil {
		return nil, err
	}
	if c.Model.Format() == 2 {
		return nil, pdk.Errorf("the tracks of a format 2 file do not sound together: there are no chords under a track").TryQuery("tracks")
	}
	named := map[*song.Event]bool{}
	for _, e := range notes {
		named[e] = true
	}
	bar, _, _ := m.Locate(earliest(notes))
	all := c.Model.Harmony(m, m.BarTick(bar), m.BarEnd(latest(notes)), func(e *song.Event) bool { return !named[e] && e.Channel() != theory.DrumChannel })
	heard := false
	for _, h := range all {
		heard = heard || h.Chord != nil
	}
	if !heard {
		return nil, pdk.Errorf("no chords sound under these notes").TryQuery("chords")
	}
	return func(e *song.Event) theory.Classes {
		for _, h := range all {
			if e.Tick >= h.From && e.Tick < h.To && h.Chord != nil {
				return classesOf(h.Chord)
			}
		}
		return 0
	}, nil
}
