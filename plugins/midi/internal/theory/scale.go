package theory

import (
	"fmt"
	"strings"
)

// mode is a row of the table of scales: its name, what else it is called, and
// its degrees in figures against the major scale.
type mode struct {
	name    string
	aliases []string
	figures string
}

var modes = [...]mode{
	{"major", []string{"ionian", "maj"}, "1 2 3 4 5 6 7"},
	{"minor", []string{"aeolian", "natural-minor", "min"}, "1 2 b3 4 5 b6 b7"},
	{"harmonic-minor", nil, "1 2 b3 4 5 b6 7"},
	{"melodic-minor", []string{"jazz-minor"}, "1 2 b3 4 5 6 7"},
	{"dorian", nil, "1 2 b3 4 5 6 b7"},
	{"phrygian", nil, "1 b2 b3 4 5 b6 b7"},
	{"lydian", nil, "1 2 3 #4 5 6 7"},
	{"mixolydian", nil, "1 2 3 4 5 6 b7"},
	{"locrian", nil, "1 b2 b3 4 b5 b6 b7"},
	{"harmonic-major", nil, "1 2 3 4 5 b6 7"},
	{"phrygian-dominant", []string{"spanish"}, "1 b2 3 4 5 b6 b7"},
	{"lydian-dominant", []string{"acoustic"}, "1 2 3 #4 5 6 b7"},
	{"altered", []string{"super-locrian"}, "1 b2 b3 b4 b5 b6 b7"},
	{"hungarian-minor", nil, "1 2 b3 #4 5 b6 7"},
	{"double-harmonic", []string{"byzantine"}, "1 b2 3 4 5 b6 7"},
	{"major-pentatonic", []string{"pentatonic"}, "1 2 3 5 6"},
	{"minor-pentatonic", nil, "1 b3 4 5 b7"},
	{"blues", []string{"minor-blues"}, "1 b3 4 b5 5 b7"},
	{"major-blues", nil, "1 2 b3 3 5 6"},
	{"whole-tone", nil, "1 2 3 #4 #5 b7"},
	{"diminished", []string{"octatonic", "whole-half"}, "1 2 b3 4 b5 b6 6 7"},
	{"half-whole", []string{"dominant-diminished"}, "1 b2 b3 3 #4 5 6 b7"},
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

// ScaleTones is a scale by its mode's name, as degrees above its root: one
// octave, the root first, its repetition not included.
func ScaleTones(name string) ([]Tone, error) {
	for i := range modes {
		m := &modes[i]
		for _, n := range append([]string{m.name}, m.aliases...) {
			if alike(n, name) {
				return tones(m.figures), nil
			}
		}
	}
	return nil, fmt.Errorf("unknown scale %q; scales are %s", name, strings.Join(Modes(), " "))
}

// Scale spells a scale from its root up: one octave, the root first. Scales of
// seven notes use each letter once.
func Scale(root Class, name string) ([]Class, error) {
	degrees, err := ScaleTones(name)
	if err != nil {
		return nil, err
	}
	out := make([]Class, len(degrees))
	for i, t := range degrees {
		out[i] = t.above(Pitch{root, 4}).Class
	}
	return out, nil
}

// above is the tone on a root.
func (t Tone) above(root Pitch) Pitch {
	step := root.Step + t.Degree - 1
	p := Pitch{Class{Step: step % 7}, root.Octave + step/7}
	p.Alter = root.Number() + t.Semitones - p.Number()
	return p
}

// Run is a scale's pitches from the root's octave up, over a number of octaves,
// the root above the last included.
func Run(root Pitch, degrees []Tone, octaves int) []Pitch {
	out := make([]Pitch, 0, octaves*len(degrees)+1)
	for o := range octaves {
		for _, t := range degrees {
			out = append(out, t.above(Pitch{root.Class, root.Octave + o}))
		}
	}
	return append(out, Pitch{root.Class, root.Octave + octaves})
}
