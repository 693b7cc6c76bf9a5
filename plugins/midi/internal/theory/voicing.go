package theory

import "slices"

// Voicing is how a chord's notes are spread.
type Voicing string

// Voicings: within an octave; every second note an octave up; the second note from the
// top an octave down; root, third and seventh alone; each chord in the inversion that
// is nearest to the chord before.
const (
	Close Voicing = "close"
	Open  Voicing = "open"
	Drop2 Voicing = "drop2"
	Shell Voicing = "shell"
	Lead  Voicing = "lead"
)

// Spread applies the voicing to the notes of a close chord and returns them from the
// lowest. It does not modify the caller's slice.
func (v Voicing) Spread(notes []Pitch) []Pitch {
	out := slices.Clone(notes)
	switch {
	case v == Open:
		for i := 1; i < len(out)-1; i += 2 {
			out[i].Octave++
		}
	case v == Drop2 && len(out) > 2:
		out[len(out)-2].Octave--
	}
	slices.SortStableFunc(out, func(a, b Pitch) int { return a.Number() - b.Number() })
	return out
}

// classUnder returns the highest pitch of a class below p.
func classUnder(c Class, p Pitch) Pitch {
	low := Pitch{c, p.Octave + 1}
	for low.Number() >= p.Number() {
		low.Octave--
	}
	return low
}

// Shell returns the chord without its fifth and the tones above its seventh. A triad or
// power chord keeps its fifth.
func (c Chord) Shell() Chord {
	out := c
	out.Tones = slices.DeleteFunc(slices.Clone(c.Tones), func(t Tone) bool { return t.Degree == 5 || t.Degree > 7 })
	if len(out.Tones) < 2 {
		return c
	}
	return out
}

// Near returns the chord in close position whose notes are nearest to those of another
// chord, with the root in the octave or in the one below or above. A slash bass stays
// below.
func (c Chord) Near(to []Pitch, octave int) []Pitch {
	bare := c
	bare.Bass = nil
	var best []Pitch
	least := 0
	for o := octave - 1; o <= octave+1; o++ {
		for inversion := range c.Tones {
			all := bare.Voice(o, inversion)
			if all[0].Number() < 0 || all[len(all)-1].Number() > 127 {
				continue
			}
			if cost := motion(all, to); best == nil || cost < least {
				best, least = all, cost
			}
		}
	}
	if c.Bass != nil && best != nil {
		best = slices.Insert(best, 0, classUnder(*c.Bass, best[0]))
	}
	return best
}

// motion returns how far the voices move from one chord to another: each to its own if
// both have as many, else to the nearest.
func motion(a, b []Pitch) int {
	if len(a) != len(b) {
		return distanceOf(a, b) + distanceOf(b, a)
	}
	sum := 0
	for i := range a {
		d := a[i].Number() - b[i].Number()
		sum += max(d, -d)
	}
	return sum
}

// distanceOf returns the sum of the distances from the notes of a to the nearest of b.
func distanceOf(a, b []Pitch) int {
	sum := 0
	for _, p := range a {
		least := 128
		for _, q := range b {
			d := p.Number() - q.Number()
			least = min(least, max(d, -d))
		}
		sum += least
	}
	return sum
}
