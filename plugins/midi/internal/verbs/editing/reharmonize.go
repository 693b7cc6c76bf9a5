package editing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/writing"
)

var reharmonizeVerb = verb{Verb: abi.Verb{
	Category: "Edit", Syntax: "reharmonize \"SYMBOL…\" @SEL… [dur:DUR]",
	Brief:    `reharmonize "Am7 | D7" @SEL… · in the same rhythm and register`,
	Summary:  "gives notes the chords of a text, written as for progression, from the start of @range or the bar of the first note: rhythm, register and number of voices stay, a root goes to the root, and the lowest note keeps its role; what is struck up to an eighth before a chord and held into it belongs to it",
	Examples: []string{`reharmonize "Am7 | D7 | G | Em7" @track:Piano @range:1-4`},
}, Run: func(c *ctx, a pdk.Args) error {
	found := pdk.Must(args.SelectedNotes(c, a))
	notes := args.PitchedNotes(found)
	if len(notes) == 0 {
		return pdk.Errorf("reharmonize leaves drums alone, and the op names nothing else").TryQuery("tracks")
	}
	m := pdk.Must(c.Model.Meter(notes[0].Track))
	start, _, ranged := selector.Bounds(c.Model, a.Selectors, notes)
	if !ranged {
		first := args.Earliest(notes)
		bar, _, _ := m.Locate(first)
		start = m.BarTick(bar)
		if next := m.BarTick(bar + 1); !slices.ContainsFunc(notes, func(e *song.Event) bool { return e.Tick < next && !anticipates(c, e, next) }) {
			start = next
		}
	}
	w := pdk.Must(writing.ReadSheet(&writing.Phrase{C: c, A: a, Track: notes[0].Track, At: start}, strings.Join(a.Texts(0), " ")))
	lowest := basses(c, notes[0].Track)
	pitches, left := map[*song.Event]int{}, len(notes)
	at := start
	for _, h := range w.Chords {
		var here []*song.Event
		for _, e := range notes {
			if (e.Tick >= at || anticipates(c, e, at)) && e.Tick < at+h.Length && !anticipates(c, e, at+h.Length) {
				here = append(here, e)
			}
		}
		left -= len(here)
		if h.Chord != nil && len(here) > 0 {
			old := harmonyOf(c, m, at, at+h.Length)
			for _, group := range groupChords(c, here) {
				for i, p := range revoice(group, old, h.Chord, lowest[group[0]]) {
					pitches[group[i]] = p
				}
			}
		}
		at += h.Length
	}
	if len(pitches) == 0 {
		return pdk.Errorf("none of these notes starts in the time of the text, %s to %s", c.Model.At(notes[0].Track, start), c.Model.At(notes[0].Track, at)).
			TryQuery("list " + pdk.SelectorText(a.Selectors))
	}
	pdk.Check(changePitches(c, notes, pitchesOf(pitches), "Reharmonize"))
	if left > 0 {
		c.Warn("unchanged: %s outside of these chords, which go from %s to %s", pdk.Count(left, "note"), c.Model.At(notes[0].Track, start), c.Model.At(notes[0].Track, at))
	}
	c.Changed("Reharmonized %s from %s to %s", pdk.Count(len(pitches), "note"), c.Model.At(notes[0].Track, start), c.Model.At(notes[0].Track, at))
	return nil
}}

// anticipates reports whether a note belongs to the chord that starts at a tick: it is
// struck up to an eighth before that, and sounds longer after it than before.
func anticipates(c *ctx, e *song.Event, tick int64) bool {
	ppq, err := c.Model.PPQ()
	early := tick - e.Tick
	return err == nil && early > 0 && 2*early <= ppq && e.Mate.Tick-tick > early
}

// basses returns the notes on the time of t, drums aside, below which nothing sounds
// where they start.
func basses(c *ctx, t *song.Track) map[*song.Event]bool {
	var all []*song.Event
	for _, o := range args.TimelineTracks(c, t) {
		for e := range o.Events() {
			if e.IsNote() && e.Channel() != theory.DrumChannel {
				all = append(all, e)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *song.Event) int { return cmp.Compare(a.Tick, b.Tick) })
	slack := together(c)
	out := map[*song.Event]bool{}
	var ends [128]int64 // when the notes of each pitch that have started end
	next := 0
	for _, e := range all {
		for ; next < len(all) && all[next].Tick <= e.Tick+slack; next++ {
			p := all[next].Pitch()
			ends[p] = max(ends[p], all[next].Mate.Tick)
		}
		out[e] = !slices.ContainsFunc(ends[:e.Pitch()], func(end int64) bool { return end > e.Tick+slack })
	}
	return out
}

// together returns how many ticks apart notes of one chord are at most.
func together(c *ctx) int64 {
	ppq, err := c.Model.PPQ()
	if err != nil {
		return 0
	}
	return ppq / 16
}

// harmonyOf returns the chord that sounds for most of the time between two ticks, or
// nil.
func harmonyOf(c *ctx, m *song.Meter, from, to int64) (most *theory.Chord) {
	if c.Model.Format() == 2 {
		return nil
	}
	var longest int64
	for _, h := range c.Model.Harmony(m, from, to, func(e *song.Event) bool { return e.Channel() != theory.DrumChannel }) {
		if h.Chord != nil && h.To-h.From > longest {
			most, longest = h.Chord, h.To-h.From
		}
	}
	return most
}

// groupChords groups notes that start together on a track and channel, each group from
// the lowest up.
func groupChords(c *ctx, notes []*song.Event) (groups [][]*song.Event) {
	slack := together(c)
	sorted := slices.Clone(notes)
	slices.SortStableFunc(sorted, func(a, b *song.Event) int {
		return cmp.Or(cmp.Compare(a.Track.ID, b.Track.ID), a.Channel()-b.Channel(), cmp.Compare(a.Tick, b.Tick))
	})
	for _, e := range sorted {
		if n := len(groups); n > 0 {
			if first := groups[n-1][0]; first.Track == e.Track && first.Channel() == e.Channel() && e.Tick <= first.Tick+slack {
				groups[n-1] = append(groups[n-1], e)
				continue
			}
		}
		groups = append(groups, []*song.Event{e})
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b *song.Event) int { return a.Pitch() - b.Pitch() })
	}
	return groups
}

// revoice returns new pitches, of another chord, for notes that start together, from
// the lowest up. A single note keeps its role: the root becomes the root, the third the
// third. Several notes move as little as possible, never cross, and include every tone
// of the chord if there are enough voices. If they have the bass, it keeps its role,
// and a note an octave above it stays there.
func revoice(group []*song.Event, old, chord *theory.Chord, bass bool) []int {
	low := group[0].Pitch()
	var fixed []int
	switch p, known := sameTone(low, old, chord, bass); {
	case len(group) == 1 && known:
		return []int{p}
	case len(group) == 1:
		return []int{nearest(low, classesOf(chord))}
	case bass && !known:
		p = nearest(low, 1<<bassOf(chord))
		fallthrough
	case bass:
		fixed = append(fixed, p)
		if group[1].Pitch() == low+12 && p+12 <= 127 {
			fixed = append(fixed, p+12)
		}
	}
	best := leadVoices(group, fixed, chord)
	if best == nil { // there is no room for so many voices
		best = fixed
		for _, e := range group[len(fixed):] {
			best = append(best, nearest(e.Pitch(), classesOf(chord)))
		}
	}
	return best
}

// leadVoices returns the pitches of a chord to which notes move least, given those of
// the lowest ones, or nil if there is no room.
func leadVoices(group []*song.Event, fixed []int, chord *theory.Chord) (best []int) {
	tones := chord.Tones
	if len(group) < len(tones) { // the fifth is the least important, then the highest tone
		tones = slices.DeleteFunc(slices.Clone(tones), func(t theory.Tone) bool { return t.Degree == 5 && t.Semitones == 7 })
	}
	tones = tones[:min(len(tones), max(len(group), 1))]
	root := chord.Root.Semitone()
	// The cheapest paths for the voices so far, by the last pitch and the tones
	// included.
	type state struct{ last, have int }
	type path struct {
		cost    int
		pitches []int
	}
	first := state{last: -1}
	for _, p := range fixed {
		first.last = p
		for i, t := range tones {
			if ((p-root-t.Semitones)%12+12)%12 == 0 {
				first.have |= 1 << i
			}
		}
	}
	paths := map[state]path{first: {pitches: fixed}}
	for _, e := range group[len(fixed):] {
		next := map[state]path{}
		for s, w := range paths {
			for p := max(s.last+1, e.Pitch()-9, 0); p <= min(e.Pitch()+9, 127); p++ {
				for i, t := range tones {
					if ((p-root-t.Semitones)%12+12)%12 != 0 {
						continue
					}
					d := p - e.Pitch()
					to := state{p, s.have | 1<<i}
					cost := w.cost + max(d, -d)
					if o, there := next[to]; !there || cost < o.cost || cost == o.cost && slices.Compare(w.pitches, o.pitches) < 0 {
						next[to] = path{cost, append(slices.Clip(w.pitches), p)}
					}
				}
			}
		}
		paths = next
	}
	least := 0
	const missing = 5 // cost of a tone that is not included, in semitones of movement; of the fifth, 2
	for s, w := range paths {
		cost := w.cost
		for i, t := range tones {
			switch {
			case s.have>>i&1 != 0:
			case t.Degree == 5 && t.Semitones == 7:
				cost += 2
			default:
				cost += missing
			}
		}
		if best == nil || cost < least || cost == least && slices.Compare(w.pitches, best) < 0 {
			best, least = w.pitches, cost
		}
	}
	return best
}

// sameTone returns the note of another chord that has the role of a pitch in its own
// chord: its third for the third, its root for the root. The bass of a slash chord, or
// the root in the bass, becomes the bass.
func sameTone(pitch int, old, chord *theory.Chord, bass bool) (int, bool) {
	if old == nil {
		return 0, false
	}
	if bass && (pitch%12 == old.Root.Semitone() || pitch%12 == bassOf(old) && (chord.Bass != nil || hasTriad(old, pitch))) {
		return nearest(pitch, 1<<bassOf(chord)), true
	}
	for _, t := range old.Tones {
		if ((pitch-old.Root.Semitone()-t.Semitones)%12+12)%12 != 0 {
			continue
		}
		for _, n := range chord.Tones {
			if n.Degree == t.Degree || (t.Degree == 3 || t.Degree == 4 || t.Degree == 2) && (n.Degree == 2 || n.Degree == 3 || n.Degree == 4) {
				return nearest(pitch, 1<<((chord.Root.Semitone()+n.Semitones)%12)), true
			}
		}
	}
	return 0, false
}

// bassOf returns the class of a chord's lowest note: its slash bass, or its root.
func bassOf(chord *theory.Chord) int {
	if chord.Bass != nil {
		return chord.Bass.Semitone()
	}
	return chord.Root.Semitone()
}

// hasTriad reports whether a chord has a third and a fifth above a pitch, which is its
// root by another name: F#m7/A is A6.
func hasTriad(chord *theory.Chord, pitch int) bool {
	above := func(n int) bool { return classesOf(chord)>>((pitch+n)%12)&1 != 0 }
	return above(7) && (above(3) || above(4))
}
