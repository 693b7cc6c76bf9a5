package theory

import (
	"fmt"
	"strings"
)

// Key is a key signature. The zero value is C major.
type Key struct {
	Fifths int // -7 (seven flats) to 7 (seven sharps)
	Minor  bool
}

// sharps are the steps in the order in which sharps appear; flats appear in reverse
// order.
var sharps = [7]int{3, 0, 4, 1, 5, 2, 6} // F C G D A E B

// alter returns the accidental that the signature gives a step.
func (k Key) alter(step int) int {
	for i, s := range sharps {
		if s != step {
			continue
		}
		if i < k.Fifths {
			return 1
		}
		if 7-i <= -k.Fifths {
			return -1
		}
	}
	return 0
}

// Accidental returns what the signature gives a step (0-6 for C to B): -1 for flat, 1
// for sharp, 0 for neither.
func (k Key) Accidental(step int) int { return k.alter(step) }

// Tonic returns the first degree of the key.
func (k Key) Tonic() Class {
	n := k.Fifths
	if k.Minor {
		n += 3
	}
	// Count fifths from F: F is -1, C 0, G 1 and so on; seven steps add a sharp.
	i := n + 1
	alter := 0
	for ; i < 0; i += 7 {
		alter--
	}
	for ; i > 6; i -= 7 {
		alter++
	}
	return Class{sharps[i], alter}
}

// String prints "C-major", "F#-minor".
func (k Key) String() string {
	if k.Minor {
		return k.Tonic().String() + "-minor"
	}
	return k.Tonic().String() + "-major"
}

// ParseKey reads "C-major", "f# minor", "Bb", "Am", "Ebmaj". For a key with more than
// seven accidentals, which has no signature, it returns an error that names the
// enharmonic key.
func ParseKey(s string) (Key, error) {
	c, rest, ok := cutClass(s)
	mode := strings.ToLower(strings.Trim(rest, " -_"))
	minor := false
	switch {
	case !ok:
		return Key{}, fmt.Errorf("key %q does not start with a note name, like C-major, F#-minor or Bb", s)
	case mode == "minor" || mode == "min" || rest == "m":
		minor = true
	case mode != "" && mode != "major" && mode != "maj" && rest != "M":
		return Key{}, fmt.Errorf("key %q: the mode is major or minor", s)
	}
	for fifths := -7; fifths <= 7; fifths++ {
		if k := (Key{fifths, minor}); k.Tonic() == c {
			return k, nil
		}
	}
	for fifths := -5; fifths <= 6; fifths++ {
		if k := (Key{fifths, minor}); k.Tonic().Semitone() == c.Semitone() {
			return Key{}, fmt.Errorf("key %q has no signature (more than seven accidentals); it sounds like %s", s, k)
		}
	}
	return Key{}, fmt.Errorf("key %q has no signature", s)
}
