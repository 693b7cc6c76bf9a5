package theory

import (
	"fmt"
	"strconv"
	"strings"
)

// Pitch is a spelled pitch in scientific notation. Middle C is C4, MIDI note
// 60; the octave number changes between B and C, so Cb4 is B3.
type Pitch struct {
	Class
	Octave int
}

// Class is a spelled pitch class: a letter with its accidental.
type Class struct {
	Step  int // 0-6 for C D E F G A B
	Alter int // semitones: -1 for flat, +2 for double sharp
}

const letters = "CDEFGAB"

// semitones of the natural letters above C.
var naturals = [7]int{0, 2, 4, 5, 7, 9, 11}

// Semitone is the class's number, 0-11, enharmonics alike.
func (c Class) Semitone() int { return ((naturals[c.Step]+c.Alter)%12 + 12) % 12 }

// String prints "C", "F#", "Bb", "F##".
func (c Class) String() string {
	s := letters[c.Step : c.Step+1]
	if c.Alter > 0 {
		return s + strings.Repeat("#", c.Alter)
	}
	return s + strings.Repeat("b", -c.Alter)
}

// Number is the MIDI note number; outside 0-127 it has no note.
func (p Pitch) Number() int { return 12*(p.Octave+1) + naturals[p.Step] + p.Alter }

// String prints "C4", "Bb-1".
func (p Pitch) String() string { return p.Class.String() + strconv.Itoa(p.Octave) }

// ParsePitch reads "C4", "f#3", "Bb-1", "F##3", "Ebb2", "midi:60". Signs ♯ and
// ♭ are read too. It must be a note of MIDI, 0-127.
func ParsePitch(s string) (Pitch, error) {
	if n, ok := strings.CutPrefix(strings.ToLower(s), "midi:"); ok {
		v, err := strconv.Atoi(n)
		if err != nil || v < 0 || v > 127 {
			return Pitch{}, fmt.Errorf("pitch %q: a MIDI note number is 0 to 127", s)
		}
		return Spell(v, Key{}), nil
	}
	c, rest, ok := cutClass(s)
	if !ok {
		return Pitch{}, fmt.Errorf("pitch %q is not a note name with its octave, like C4, F#3 or Bb2", s)
	}
	octave, err := strconv.Atoi(rest)
	if rest == "" {
		return Pitch{}, fmt.Errorf("pitch %q lacks its octave: %s4 is the one around middle C", s, c)
	}
	if err != nil || strings.HasPrefix(rest, "+") {
		return Pitch{}, fmt.Errorf("pitch %q is not a note name with its octave, like C4, F#3 or Bb2", s)
	}
	p := Pitch{c, octave}
	if octave < -2 || octave > 10 || p.Number() < 0 || p.Number() > 127 {
		return Pitch{}, fmt.Errorf("pitch %q is outside the range of MIDI, C-1 to G9", s)
	}
	return p, nil
}

// ParseClass reads a pitch class alone: "C", "eb", "F##".
func ParseClass(s string) (Class, bool) {
	c, rest, ok := cutClass(s)
	return c, ok && rest == ""
}

// cutClass reads a letter and up to two accidentals off the head of s.
func cutClass(s string) (c Class, rest string, ok bool) {
	if s == "" {
		return c, s, false
	}
	step := strings.IndexByte(letters, s[0]&^0x20)
	if step < 0 || s[0] < 'A' {
		return c, s, false
	}
	c.Step = step
	rest = s[1:]
	for {
		alter, size := 0, 0
		switch {
		case strings.HasPrefix(rest, "#"):
			alter, size = 1, 1
		case strings.HasPrefix(rest, "b"):
			alter, size = -1, 1
		case strings.HasPrefix(rest, "♯"):
			alter, size = 1, len("♯")
		case strings.HasPrefix(rest, "♭"):
			alter, size = -1, len("♭")
		case strings.HasPrefix(rest, "x"):
			alter, size = 2, 1
		}
		if size == 0 || alter*c.Alter < 0 || max(c.Alter+alter, -c.Alter-alter) > 2 {
			return c, rest, true
		}
		c.Alter += alter
		rest = rest[size:]
	}
}

// Spell names a MIDI note number (0-127) as a musician would in the key: the
// key's own notes as its signature has them, others sharp in sharp keys and
// flat in flat keys, and in minor the leading note as the raised seventh that
// it is, C# in D-minor, unless that takes a double sharp.
func Spell(number int, k Key) Pitch {
	semitone := number % 12
	best, cost := Class{}, 100
	for step := range naturals {
		for alter := -1; alter <= 1; alter++ {
			c := Class{step, alter}
			if c.Semitone() != semitone {
				continue
			}
			want := 2 * max(alter, -alter)
			switch {
			case k.Minor && step == (k.Tonic().Step+6)%7 && alter == k.alter(step)+1:
				want = -1
			case alter == k.alter(step):
				want = 0
			case alter != 0 && (alter < 0) != (k.Fifths < 0):
				want++
			}
			if want < cost {
				best, cost = c, want
			}
		}
	}
	p := Pitch{Class: best}
	p.Octave = (number-naturals[best.Step]-best.Alter)/12 - 1
	return p
}
