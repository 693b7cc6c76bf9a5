package theory

import (
	"strconv"
	"strings"
)

// NoteValue is a length as a fraction of a whole note.
type NoteValue struct{ Num, Den int64 }

var valueNames = [...]struct {
	name string
	den  int64
}{
	{"whole", 1}, {"half", 2}, {"quarter", 4}, {"eighth", 8}, {"sixteenth", 16}, {"32nd", 32}, {"64th", 64},
	{"thirty-second", 32}, {"sixty-fourth", 64}, {"1st", 1}, {"2nd", 2}, {"4th", 4}, {"8th", 8}, {"16th", 16},
	{"w", 1}, {"h", 2}, {"q", 4}, {"e", 8}, {"s", 16}, {"t", 32},
}

// modifiers change the length of a plain value.
var modifiers = [...]struct {
	prefix, suffix string
	NoteValue
}{
	{"double-dotted-", "..", NoteValue{7, 4}},
	{"dotted-", ".", NoteValue{3, 2}},
	{"triplet-", "-triplet", NoteValue{2, 3}},
}

// ParseNoteValue reads "quarter", "dotted-half", "triplet-eighth", "q.", "e..",
// "8", "8n", "8t" (an eighth triplet), "16n.", "3/8".
func ParseNoteValue(s string) (NoteValue, bool) {
	s = strings.ToLower(s)
	plain := NoteValue{1, 1}
	v := plain
	for _, m := range modifiers {
		rest, ok := strings.CutPrefix(s, m.prefix)
		if !ok && m.suffix != "" {
			rest, ok = strings.CutSuffix(s, m.suffix)
		}
		if ok {
			s, v = rest, m.NoteValue
			break // a second modifier is not allowed: the rest must be plain
		}
	}
	for _, n := range valueNames {
		if n.name == s {
			return v.times(1, n.den), true
		}
	}
	if num, den, ok := strings.Cut(s, "/"); ok {
		n, err1 := strconv.ParseUint(num, 10, 16)
		d, err2 := strconv.ParseUint(den, 10, 16)
		if err1 != nil || err2 != nil || n == 0 || d == 0 {
			return NoteValue{}, false
		}
		return v.times(int64(n), int64(d)), true
	}
	if t := strings.TrimSuffix(s, "t"); t != s && v == plain {
		s, v = t, NoteValue{2, 3}
	} else {
		s = strings.TrimSuffix(s, "n")
	}
	switch d, err := strconv.ParseUint(s, 10, 16); {
	case err != nil:
	case d == 1 || d == 2 || d == 4 || d == 8 || d == 16 || d == 32 || d == 64 || d == 128:
		return v.times(1, int64(d)), true
	}
	return NoteValue{}, false
}

func (v NoteValue) times(num, den int64) NoteValue {
	n, d := v.Num*num, v.Den*den
	for a, b := n, d; ; a, b = b, a%b {
		if b == 0 {
			return NoteValue{n / a, d / a}
		}
	}
}

// Ticks returns the length with ppq ticks in a quarter note, rounded to the nearest
// tick.
func (v NoteValue) Ticks(ppq int64) int64 { return (2*v.Num*4*ppq + v.Den) / (2 * v.Den) }

// ValueName returns a name for a length in ticks that ParseNoteValue reads. ok is false
// if the length has no common name.
func ValueName(ticks, ppq int64) (string, bool) {
	for _, n := range valueNames[:7] {
		v := NoteValue{1, n.den}
		if ticks*v.Den == 4*ppq*v.Num {
			return n.name, true
		}
		for _, m := range modifiers {
			// Only exact lengths have names.
			if w := v.times(m.Num, m.Den); ticks*w.Den == 4*ppq*w.Num {
				return m.prefix + n.name, true
			}
		}
	}
	return "", false
}
