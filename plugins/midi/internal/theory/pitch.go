package theory

import (
	"fmt"
	"math"
	"slices"
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

// naturals are the semitones of the natural letters above C.
var naturals = [7]int{0, 2, 4, 5, 7, 9, 11}

// Semitone returns the class's number, 0-11; enharmonic classes have the same.
func (c Class) Semitone() int { return ((naturals[c.Step]+c.Alter)%12 + 12) % 12 }

// String prints "C", "F#", "Bb", "F##".
func (c Class) String() string {
	s := letters[c.Step : c.Step+1]
	if c.Alter > 0 {
		return s + strings.Repeat("#", c.Alter)
	}
	return s + strings.Repeat("b", -c.Alter)
}

// Number returns the MIDI note number, which may be outside 0-127.
func (p Pitch) Number() int { return 12*(p.Octave+1) + naturals[p.Step] + p.Alter }

// String prints "C4", "Bb-1".
func (p Pitch) String() string { return p.Class.String() + strconv.Itoa(p.Octave) }

// ParsePitch reads "C4", "f#3", "Bb-1", "F##3", "Ebb2", "midi:60" and the signs ♯ and
// ♭. The pitch must be in MIDI's range, 0-127.
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

// cutClass reads a letter and up to two accidentals from the start of s.
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

// Spell spells a MIDI note number (0-127) as a musician would in the key: notes of the
// key by its signature, others as near to it as possible on the line of fifths, with
// the raised sixth and seventh in minor: Bb, F# and C# in C major, G# in A minor.
func Spell(number int, k Key) Pitch { return SpellAmong(number, k, 0) }

// SpellAmong spells a note that sounds with others, given by their pitch classes. All
// are spelled so that they are close together on the line of fifths and near to the
// key: the C# of A7, the Db of Bbm7. Without other notes it uses B#, E#, Cb and Fb only
// if they belong to the key or lead to its tonic.
func SpellAmong(number int, k Key, others Classes) Pitch {
	const compact = 2.5 // weight of one more fifth between the outermost notes, relative to one fifth farther from the key
	semitone := number % 12
	set := others | 1<<semitone
	var best Class
	least := math.Inf(1)
	for low := -14; low <= 8; low++ { // start of the twelve fifths to choose from
		cost, first, last, place := 0.0, 99, -99, 0
		for pc := range 12 {
			if set>>pc&1 == 0 {
				continue
			}
			n := low + ((pc*7-low)%12+12)%12
			cost += math.Abs(float64(n) - k.center())
			first, last = min(first, n), max(last, n)
			if pc == semitone {
				place = n
			}
		}
		c := onLine(place)
		own, leads := place >= k.Fifths-1 && place <= k.Fifths+5, k.Minor && place == k.Fifths+8
		white := slices.Contains(naturals[:], semitone) && c.Alter != 0
		if c.Alter < -1 || c.Alter > 1 || white && !own && !leads && set.Len() < 4 {
			continue
		}
		if own && set.Len() < 3 {
			cost = -1
		}
		if cost += compact * float64(last-first); cost < least {
			best, least = c, cost
		}
	}
	p := Pitch{Class: best}
	p.Octave = (number-naturals[p.Step]-p.Alter)/12 - 1
	return p
}

// center returns the middle of the key's notes on the line of fifths, on which C is 0
// and G 1. In minor they include the raised sixth and seventh.
func (k Key) center() float64 {
	if k.Minor {
		return float64(k.Fifths) + 3.5
	}
	return float64(k.Fifths) + 2
}

// onLine returns the class at a place of the line of fifths: C is 0, G 1, F -1.
func onLine(n int) Class {
	i := n + 1 // F is the first letter of the line
	alter := 0
	for ; i < 0; i += 7 {
		alter--
	}
	return Class{sharps[i%7], alter + i/7}
}

// place returns where a class is on the line of fifths.
func (c Class) place() int {
	return slices.Index(sharps[:], c.Step) - 1 + 7*c.Alter
}
