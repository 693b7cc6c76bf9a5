package theory

import (
	"math"
	"math/bits"
	"slices"
)

// Classes is a set of pitch classes: bit n is the class n semitones above C.
type Classes uint16

// ClassesOf returns the set of the classes of MIDI note numbers.
func ClassesOf(numbers ...int) Classes {
	var c Classes
	for _, n := range numbers {
		c |= 1 << (n % 12)
	}
	return c
}

// Len returns the number of classes.
func (c Classes) Len() int { return bits.OnesCount16(uint16(c)) }

// on returns the set transposed up by semitones, 0-11.
func (c Classes) on(semitones int) Classes { return (c<<semitones | c>>(12-semitones)) & 0xFFF }

// Template is the pitch classes of a quality on a root.
type Template struct {
	Root    int // 0-11
	Quality string
	Classes Classes // absolute
}

// common orders qualities that have the same notes on different roots: the earlier is
// the likelier name. Other qualities follow in the order of the table.
var common = [...]string{"maj", "min", "7", "m7", "maj7", "dim", "m7b5", "dim7", "aug", "sus4", "6", "m6", "mM7", "9", "m9", "maj9", "add9", "madd9",
	"7sus4", "9sus4", "7b9", "6/9", "m6/9", "5"}

// Templates lists every quality of chords on every root, the more common qualities
// first, each on all roots. Qualities with the same notes on the same root are all
// listed.
func Templates() []Template {
	var order []*quality
	taken := make([]bool, len(qualities))
	for _, name := range common {
		for i := range qualities {
			if qualities[i].name == name {
				order, taken[i] = append(order, &qualities[i]), true
			}
		}
	}
	for i := range qualities {
		if !taken[i] {
			order = append(order, &qualities[i])
		}
	}
	out := make([]Template, 0, 12*len(order))
	for _, q := range order {
		var set Classes
		for _, t := range parseTones(q.figures) {
			set |= 1 << (t.Semitones % 12)
		}
		for root := range 12 {
			out = append(out, Template{root, q.name, set.on(root)})
		}
	}
	return out
}

// Identify names the chord of notes that sound together, with bass (a MIDI note number)
// as the lowest, spelled in the key. The notes must be at least two, and exactly the
// pitch classes of the chord, or lack only its perfect fifth; ok is false if no known
// chord matches. Of several names the one whose root is the bass is preferred, then the
// more common one; another bass follows a slash.
func Identify(templates []Template, notes Classes, bass int, k Key) (c Chord, ok bool) {
	bass %= 12
	var best *Template
	for _, whole := range []bool{true, false} {
		for i := range templates {
			t := &templates[i]
			want := t.Classes
			if !whole {
				// A chord without its fifth needs at least three notes, a third among
				// them.
				if want.Len() < 4 || !t.has(7) {
					continue
				}
				want &^= 1 << ((t.Root + 7) % 12)
			}
			if want == notes && (best == nil || best.Root != bass && t.Root == bass) {
				best = t
			}
		}
		if best != nil {
			return best.chord(bass, k), true
		}
	}
	return Chord{}, false
}

// has reports whether a template contains the class n semitones above its root.
func (t *Template) has(n int) bool { return t.Classes&(1<<((t.Root+n)%12)) != 0 }

// chord returns the template as a chord over a bass (0-11), spelled as near to the key
// as possible.
func (t *Template) chord(bass int, k Key) Chord {
	var best Chord
	least := math.Inf(1)
	for n := t.Root*7%12 - 12; n <= 24; n += 12 {
		root := onLine(n)
		if root.Alter < -1 || root.Alter > 1 {
			continue
		}
		c, _ := chordOf(root, t.Quality)
		cost := 0.0
		for _, tone := range c.Tones {
			p := pitchAbove(Pitch{root, 4}, tone)
			cost += math.Abs(float64(p.place()) - k.center())
			if p.Alter != 0 && slices.Contains(naturals[:], p.Semitone()) {
				cost += 2 // penalty for B#, Fb and double accidentals
			}
		}
		if cost < least {
			best, least = c, cost
		}
	}
	if bass != t.Root {
		b := Spell(60+bass, k).Class
		for _, tone := range best.Tones {
			if p := pitchAbove(Pitch{best.Root, 4}, tone); p.Semitone() == bass {
				if far := p.Alter != 0 && slices.Contains(naturals[:], p.Semitone()); !far || tone.Degree < 8 {
					b = p.Class // spelled as in the chord
				}
			}
		}
		best.Bass = &b
	}
	return best
}
