package theory

import (
	"fmt"
	"slices"
	"strings"
)

var romans = [...]string{"VII", "III", "VI", "IV", "II", "V", "I"} // longest first where one begins another

func romanDegree(numeral string) int {
	return slices.Index([]string{"", "I", "II", "III", "IV", "V", "VI", "VII"}, numeral)
}

// ParseRoman reads a chord by its degree in a key: "ii7", "V", "bVII",
// "viio", "IVmaj7". Upper case is major, lower case minor, ° or o diminished,
// + augmented; a quality of ParseChord's may follow. Degrees count in the key's
// own scale, major or natural minor.
func ParseRoman(s string, k Key) (Chord, error) {
	rest, alter := s, 0
	for ; strings.HasPrefix(rest, "b"); rest = rest[1:] {
		alter--
	}
	for ; strings.HasPrefix(rest, "#"); rest = rest[1:] {
		alter++
	}
	for _, numeral := range romans {
		var minor bool
		switch {
		case strings.HasPrefix(rest, numeral):
		case strings.HasPrefix(rest, strings.ToLower(numeral)):
			minor = true
		default:
			continue
		}
		root := k.Scale().Degree(romanDegree(numeral)-1, 4).Class
		root.Alter += alter
		quality := rest[len(numeral):]
		if minor && !strings.HasPrefix(quality, "o") && !strings.HasPrefix(quality, "°") && !strings.HasPrefix(quality, "ø") && !strings.HasPrefix(quality, "dim") && !strings.HasPrefix(quality, "m") {
			quality = "m" + quality
		}
		if c, ok := chordOf(root, quality); ok && root.Alter >= -2 && root.Alter <= 2 {
			return c, nil
		}
		return Chord{}, fmt.Errorf("chord %q: unknown quality %q", s, rest[len(numeral):])
	}
	return Chord{}, fmt.Errorf("chord %q is no degree, like I, ii7, V or bVII", s)
}
