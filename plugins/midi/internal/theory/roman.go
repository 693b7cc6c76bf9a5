package theory

import (
	"fmt"
	"slices"
	"strings"
)

var romans = [...]string{"VII", "III", "VI", "IV", "II", "V", "I"} // a numeral comes before its prefixes

func romanDegree(numeral string) int {
	return slices.Index([]string{"", "I", "II", "III", "IV", "V", "VI", "VII"}, numeral)
}

// ParseRoman reads a chord by its degree in a key: "ii7", "V", "bVII", "viio",
// "IVmaj7", "V7/B". Upper case is major, lower case minor, ° or o diminished, +
// augmented; a quality of ParseChord's may follow. Degrees count in the key's own
// scale, major or natural minor. In minor, a flat third, sixth or seventh is that of
// the scale itself, and a diminished chord on the seventh degree has the leading note
// as its root. "V7/V" and "viio7/ii" are chords of the key of the second degree named,
// which is minor if its numeral is in lower case.
func ParseRoman(s string, k Key) (Chord, error) {
	if i := strings.LastIndexByte(s, '/'); i > 0 {
		if root, minor, rest, ok := cutRoman(s[i+1:], k.Scale()); ok && rest == "" {
			home := Scale{root, "major", parseTones(modes[0].figures)}
			if minor {
				home = Scale{root, "minor", parseTones(modes[5].figures)}
			}
			return romanIn(s[:i], home)
		}
	}
	return romanIn(s, k.Scale())
}

// cutRoman reads a numeral with its accidentals from the start of s.
func cutRoman(s string, home Scale) (root Class, minor bool, rest string, ok bool) {
	rest, alter := s, 0
	rest = strings.NewReplacer("♭", "b", "♯", "#").Replace(rest)
	for ; strings.HasPrefix(rest, "b"); rest = rest[1:] {
		alter--
	}
	for ; strings.HasPrefix(rest, "#"); rest = rest[1:] {
		alter++
	}
	for _, numeral := range romans {
		switch {
		case strings.HasPrefix(rest, numeral):
		case strings.HasPrefix(rest, strings.ToLower(numeral)):
			minor = true
		default:
			continue
		}
		degree := romanDegree(numeral) - 1
		rest = rest[len(numeral):]
		if home.Mode == "minor" && (degree == 2 || degree == 5 || degree == 6) {
			if alter < 0 {
				alter++ // the scale's degree is already flat
			} else if degree == 6 && minor && alter == 0 && diminished(rest) {
				alter++
			}
		}
		root = home.Degree(degree, 4).Class
		root.Alter += alter
		return root, minor, rest, root.Alter >= -2 && root.Alter <= 2
	}
	return root, false, s, false
}

func diminished(quality string) bool {
	for _, d := range []string{"o", "°", "ø", "dim", "m7b5", "7b5"} {
		if strings.HasPrefix(quality, d) {
			return true
		}
	}
	return false
}

// romanIn reads a degree in a scale.
func romanIn(s string, home Scale) (Chord, error) {
	root, minor, quality, ok := cutRoman(s, home)
	if !ok {
		return Chord{}, fmt.Errorf("chord %q is not a degree, like I, ii7, V, bVII or V7/V", s)
	}
	if minor && (!diminished(quality) || strings.HasPrefix(quality, "7")) && !strings.HasPrefix(quality, "m") {
		quality = "m" + quality
	}
	c, bad, err := chordOver(root, quality)
	if err != nil || bad != "" {
		return Chord{}, fmt.Errorf("chord %q: unknown quality %q", s, quality)
	}
	return c, nil
}
