package theory

import (
	"fmt"
	"strings"
)

// Scale is a root and the degrees of a mode above it.
type Scale struct {
	Root    Class
	Mode    string // as in Modes: "dorian"
	Degrees []Tone // ascending from the root, within one octave
}

// mode is a row of the table of scales, with its degrees in figures relative to the
// major scale.
type mode struct {
	name    string
	aliases []string
	figures string
}

// modes lists the modes. Melodic minor is its ascending form, which jazz uses in both
// directions. Diminished begins with a whole step.
var modes = [...]mode{
	{"major", []string{"ionian", "maj"}, "1 2 3 4 5 6 7"},
	{"dorian", nil, "1 2 b3 4 5 6 b7"},
	{"phrygian", nil, "1 b2 b3 4 5 b6 b7"},
	{"lydian", nil, "1 2 3 #4 5 6 7"},
	{"mixolydian", nil, "1 2 3 4 5 6 b7"},
	{"minor", []string{"aeolian", "natural-minor", "min"}, "1 2 b3 4 5 b6 b7"},
	{"locrian", nil, "1 b2 b3 4 b5 b6 b7"},
	{"harmonic-minor", nil, "1 2 b3 4 5 b6 7"},
	{"melodic-minor", []string{"jazz-minor"}, "1 2 b3 4 5 6 7"},
	{"harmonic-major", nil, "1 2 3 4 5 b6 7"},
	{"double-harmonic", []string{"byzantine"}, "1 b2 3 4 5 b6 7"},
	{"hungarian-minor", nil, "1 2 b3 #4 5 b6 7"},
	{"phrygian-dominant", []string{"spanish"}, "1 b2 3 4 5 b6 b7"},
	{"lydian-dominant", []string{"acoustic"}, "1 2 3 #4 5 6 b7"},
	{"altered", []string{"super-locrian"}, "1 b2 b3 b4 b5 b6 b7"},
	{"major-pentatonic", []string{"pentatonic"}, "1 2 3 5 6"},
	{"minor-pentatonic", nil, "1 b3 4 5 b7"},
	{"blues", []string{"minor-blues"}, "1 b3 4 b5 5 b7"},
	{"major-blues", nil, "1 2 b3 3 5 6"},
	{"whole-tone", nil, "1 2 3 #4 #5 b7"},
	{"diminished", []string{"octatonic", "whole-half"}, "1 2 b3 4 b5 b6 6 7"},
	{"half-whole", []string{"dominant-diminished"}, "1 b2 b3 3 #4 5 6 b7"},
	{"bebop", []string{"bebop-dominant"}, "1 2 3 4 5 6 b7 7"},
	{"chromatic", nil, "1 b2 2 b3 3 4 b5 5 b6 6 b7 7"},
}

// Modes lists the names of the scales.
func Modes() []string {
	out := make([]string, 0, len(modes))
	for i := range modes {
		out = append(out, modes[i].name)
	}
	return out
}

// NewScale returns the scale of a mode on a root. The mode may be spelled with hyphens,
// underscores, spaces or without separators, in any case.
func NewScale(root Class, name string) (Scale, error) {
	for i := range modes {
		m := &modes[i]
		known := sameName(m.name, name)
		for _, a := range m.aliases {
			known = known || sameName(a, name)
		}
		if known && Folded(name) != "" {
			return Scale{root, m.name, parseTones(m.figures)}, nil
		}
	}
	return Scale{}, fmt.Errorf("unknown scale %q; scales are %s", name, strings.Join(Modes(), " "))
}

// ParseScale reads "D dorian", "F#-minor-pentatonic", "Bb" (major), "Am".
func ParseScale(s string) (Scale, error) {
	root, rest, ok := cutClass(s)
	if !ok {
		return Scale{}, fmt.Errorf("scale %q does not start with its root, A to G", s)
	}
	switch rest {
	case "", "M":
		rest = "major"
	case "m":
		rest = "minor"
	}
	return NewScale(root, rest)
}

// Scale returns the key's own scale: major or natural minor on its tonic.
func (k Key) Scale() Scale {
	i := 0
	if k.Minor {
		i = 5
	}
	return Scale{k.Tonic(), modes[i].name, parseTones(modes[i].figures)}
}

// String prints "D-dorian".
func (s Scale) String() string { return s.Root.String() + "-" + s.Mode }

// Degree returns the pitch of degree n, counted from 0 for the root in the octave.
// Degrees may be below 0 or above the octave.
func (s Scale) Degree(n, octave int) Pitch {
	size := len(s.Degrees)
	turns := n / size
	if n%size < 0 {
		turns--
	}
	return pitchAbove(Pitch{s.Root, octave + turns}, s.Degrees[n-turns*size])
}

// pitchAbove returns the pitch of a tone over a root, spelled by the tone's degree unless
// that needs more than a double accidental.
func pitchAbove(root Pitch, t Tone) Pitch {
	step := root.Step + t.Degree - 1
	p := Pitch{Class{Step: step % 7}, root.Octave + step/7}
	p.Alter = root.Number() + t.Semitones - p.Number()
	return readable(p)
}

// readable respells a pitch of three or more accidentals, which ParsePitch does not
// read, with a nearer letter.
func readable(p Pitch) Pitch {
	for p.Alter < -2 || p.Alter > 2 {
		n := p.Number()
		if p.Alter < 0 {
			p.Step--
		} else {
			p.Step++
		}
		if p.Step < 0 {
			p.Step, p.Octave = 6, p.Octave-1
		}
		if p.Step > 6 {
			p.Step, p.Octave = 0, p.Octave+1
		}
		p.Alter = 0
		p.Alter = n - p.Number()
	}
	return p
}

// Contains reports whether a MIDI note number belongs to the scale.
func (s Scale) Contains(number int) bool {
	_, ok := s.degreeOf(number)
	return ok
}

// degreeOf returns the degree (from 0) of a note of the scale, counted from the lowest
// root that is a MIDI note.
func (s Scale) degreeOf(number int) (int, bool) {
	root := s.Root.Semitone()
	for i, t := range s.Degrees {
		if d := number - root - t.Semitones; d%12 == 0 {
			return d/12*len(s.Degrees) + i, true
		}
	}
	return 0, false
}

// Move moves a MIDI note number n degrees up or down the scale. A note outside the
// scale keeps its distance from the nearest degree (of two, the lower), so that notes
// never cross. The caller checks that the result is in MIDI's range, 0-127.
func (s Scale) Move(number, n int) int {
	off := 0
	degree, ok := s.degreeOf(number)
	for !ok {
		// 1, -1, 2, -2 and so on: the degree below comes first.
		if off = -off; off >= 0 {
			off++
		}
		degree, ok = s.degreeOf(number - off)
	}
	turns, at := (degree+n)/len(s.Degrees), (degree+n)%len(s.Degrees)
	if at < 0 {
		turns, at = turns-1, at+len(s.Degrees)
	}
	return s.Root.Semitone() + 12*turns + s.Degrees[at].Semitones + off
}
