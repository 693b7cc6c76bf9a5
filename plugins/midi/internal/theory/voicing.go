package theory

import (
	"fmt"
	"slices"
)

// Voicing is how a chord's notes are spread.
type Voicing string

// The voicings: within an octave; every second note an octave up; the second
// note from the top an octave down.
const (
	Close Voicing = "close"
	Open  Voicing = "open"
	Drop2 Voicing = "drop2"
)

// ParseVoicing reads a voicing's name.
func ParseVoicing(s string) (Voicing, error) {
	for _, v := range []Voicing{Close, Open, Drop2} {
		if alike(string(v), s) {
			return v, nil
		}
	}
	return "", fmt.Errorf("voicing %q is none of close, open, drop2", s)
}

// Spread gives the notes of a closed chord, lowest first, in the voicing, again
// lowest first. The caller's slice stays as it is.
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

// under is the highest pitch of a class below p.
func under(c Class, p Pitch) Pitch {
	low := Pitch{c, p.Octave + 1}
	for low.Number() >= p.Number() {
		low.Octave--
	}
	return low
}
