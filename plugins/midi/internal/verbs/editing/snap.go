package editing

import (
	"slices"
	"sort"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var snapVerb = verb{Verb: abi.Verb{
	Category: "Edit", Syntax: "snap @SEL… to:KEY|SCALE|chords",
	Brief:    "snap @SEL… to:KEY|SCALE|chords · pitches to the nearest of it",
	Summary:  "move notes outside a scale, or outside the chords of the other notes, to the nearest scale or chord note that does not already sound, the lower of two; drums stay",
	Examples: []string{"snap @track:Piano to:A-harmonic-minor", "snap @track:Bass to:chords"},
}, Run: func(c *ctx, a pdk.Args) error {
	found := pdk.Must(targetNotes(c, a, 0))
	notes := args.PitchedNotes(found)
	if len(notes) == 0 {
		return pdk.Errorf("snap leaves drums alone, and the op names nothing else").TryQuery("tracks")
	}
	where, ok := a.Param("to")
	if !ok {
		return pdk.Errorf("snap needs to:KEY, to:SCALE or to:chords").TryQuery("key")
	}
	var belongs func(e *song.Event) theory.Classes
	if strings.EqualFold(where, "chords") || strings.EqualFold(where, "chord") {
		belongs = pdk.Must(chordsUnder(c, notes))
	} else {
		scale, err := theory.ParseScale(where)
		if err != nil {
			return args.Instead(err, a, "to", near.Scale(where)...)
		}
		var set theory.Classes
		for n := range scale.Degrees {
			set |= theory.ClassesOf(scale.Degree(n, 4).Number())
		}
		belongs = func(*song.Event) theory.Classes { return set }
	}
	to, off := snapPitches(notes, belongs)
	pdk.Check(changePitches(c, notes, pitchesOf(to), "Snap to "+where))
	c.Changed("Snapped %d of %s to %s", off, pdk.Count(len(notes), "note"), where)
	return nil
}}

// snapPitches finds new pitches for the notes whose pitch class is not among those that
// belongs returns for them. The new pitch is the nearest one that belongs (of two, the
// lower) and does not already sound on the note's track and channel. If all within an
// octave sound, it is the nearest one. off is the number of these notes.
func snapPitches(notes []*song.Event, belongs func(*song.Event) theory.Classes) (to map[*song.Event]int, off int) {
	type voice struct {
		track   *song.Track
		channel int
		pitch   int
	}
	of := func(e *song.Event, pitch int) voice { return voice{e.Track, e.Channel(), pitch} }
	to = map[*song.Event]int{}
	tracks := map[*song.Track]bool{}
	for _, e := range notes {
		tracks[e.Track] = true
		if set := belongs(e); set != 0 && set>>(e.Pitch()%12)&1 == 0 {
			to[e] = -1
		}
	}
	// When each voice last sounded, for notes that stay, in order of start, and for
	// notes already moved.
	type span struct{ start, end int64 }
	stay, went := map[voice][]span{}, map[voice]int64{}
	for t := range tracks {
		for e := range t.Events() {
			if _, moves := to[e]; !e.IsNote() || moves {
				continue
			}
			k := of(e, e.Pitch())
			end := e.Mate.Tick
			if n := len(stay[k]); n > 0 {
				end = max(end, stay[k][n-1].end)
			}
			stay[k] = append(stay[k], span{e.Tick, end})
		}
	}
	taken := func(e *song.Event, pitch int) bool {
		k := of(e, pitch)
		n := sort.Search(len(stay[k]), func(i int) bool { return stay[k][i].start >= e.Mate.Tick })
		return n > 0 && stay[k][n-1].end > e.Tick || went[k] > e.Tick
	}
	for _, e := range notes {
		if _, moves := to[e]; !moves {
			continue
		}
		off++
		near := nearestOf(e.Pitch(), belongs(e), func(p int) bool { return !taken(e, p) })
		to[e] = near
		k := of(e, near)
		went[k] = max(went[k], e.Mate.Tick)
	}
	return to, off
}

// nearest returns the note of a set of classes that is nearest to a pitch (of two, the
// lower), or the pitch itself if the set is empty.
func nearest(pitch int, set theory.Classes) int {
	return nearestOf(pitch, set, func(int) bool { return true })
}

// nearestOf returns the note of set that is nearest to pitch and that may accepts,
// within an octave. If it accepts none, nearestOf returns the nearest one.
func nearestOf(pitch int, set theory.Classes, may func(int) bool) int {
	first := -1
	for d := 0; d <= 12; d++ {
		for _, p := range []int{pitch - d, pitch + d} {
			if p < 0 || p > 127 || set>>(p%12)&1 == 0 {
				continue
			}
			if may(p) {
				return p
			}
			if first < 0 {
				first = p
			}
		}
	}
	if first < 0 {
		return pitch
	}
	return first
}

// classesOf returns the pitch classes of a chord.
func classesOf(chord *theory.Chord) (set theory.Classes) {
	for _, p := range chord.Voice(4, 0) {
		set |= theory.ClassesOf(p.Number())
	}
	return set
}

// chordsUnder returns the classes of the chord that sounds where a note starts, made by
// all notes other than these and drums.
func chordsUnder(c *ctx, notes []*song.Event) (func(*song.Event) theory.Classes, error) {
	m := pdk.Must(c.Model.Meter(nil))
	if c.Model.Format() == 2 {
		return nil, pdk.Errorf("the tracks of a format 2 file do not sound together: there are no chords under a track").TryQuery("tracks")
	}
	named := pdk.Set(notes)
	bar, _, _ := m.Locate(args.Earliest(notes))
	all := c.Model.Harmony(m, m.BarTick(bar), m.BarEnd(args.Latest(notes)), func(e *song.Event) bool { return !named[e] && e.Channel() != theory.DrumChannel })
	if !slices.ContainsFunc(all, func(h song.Harmony) bool { return h.Chord != nil }) {
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
