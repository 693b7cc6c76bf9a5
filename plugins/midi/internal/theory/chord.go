package theory

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Chord is a parsed chord symbol.
type Chord struct {
	Root    Class
	Quality string // as in ChordQualities: "maj", "m7b5"
	Tones   []Tone // from the root upwards
	Bass    *Class // the class after a slash, or nil
}

// Tone is one note of a chord, above its root.
type Tone struct {
	Degree    int // 1-13: determines the letter of its spelling
	Semitones int
}

// quality is a row of the chord table: its name, its aliases, and its tones in figures
// ("1 b3 5").
type quality struct {
	name    string
	aliases []string
	figures string
}

// qualities lists the qualities. Alt is the altered dominant: b9 #9 b5 #5.
var qualities = [...]quality{
	{"maj", []string{"", "M", "major"}, "1 3 5"},
	{"min", []string{"m", "mi", "-", "minor"}, "1 b3 5"},
	{"dim", []string{"°", "o", "mb5"}, "1 b3 b5"},
	{"aug", []string{"+", "#5", "maj#5"}, "1 3 #5"},
	{"sus2", nil, "1 2 5"},
	{"sus4", []string{"sus"}, "1 4 5"},
	{"5", []string{"power", "no3"}, "1 5"},
	{"6", []string{"maj6", "M6", "add6"}, "1 3 5 6"},
	{"m6", []string{"min6", "mi6", "-6"}, "1 b3 5 6"},
	{"6/9", []string{"69", "6add9", "maj6/9"}, "1 3 5 6 9"},
	{"m6/9", []string{"m69", "min6/9"}, "1 b3 5 6 9"},
	{"7", []string{"dom7", "dom"}, "1 3 5 b7"},
	{"maj7", []string{"M7", "Maj7", "ma7", "Δ", "Δ7", "j7"}, "1 3 5 7"},
	{"m7", []string{"min7", "mi7", "-7"}, "1 b3 5 b7"},
	{"mM7", []string{"mMaj7", "mmaj7", "minmaj7", "m(maj7)", "min(maj7)", "-M7", "-Δ7"}, "1 b3 5 7"},
	{"dim7", []string{"°7", "o7"}, "1 b3 b5 bb7"},
	{"m7b5", []string{"min7b5", "ø", "ø7", "-7b5", "halfdim", "hdim7"}, "1 b3 b5 b7"},
	{"9", []string{"dom9"}, "1 3 5 b7 9"},
	{"maj9", []string{"M9", "ma9", "Δ9"}, "1 3 5 7 9"},
	{"m9", []string{"min9", "mi9", "-9"}, "1 b3 5 b7 9"},
	{"mM9", []string{"mMaj9", "mmaj9", "minmaj9"}, "1 b3 5 7 9"},
	{"11", []string{"dom11"}, "1 3 5 b7 9 11"},
	{"m11", []string{"min11", "mi11", "-11"}, "1 b3 5 b7 9 11"},
	{"maj11", []string{"M11"}, "1 3 5 7 9 11"},
	{"13", []string{"dom13"}, "1 3 5 b7 9 13"},
	{"m13", []string{"min13", "mi13", "-13"}, "1 b3 5 b7 9 13"},
	{"maj13", []string{"M13", "Δ13"}, "1 3 5 7 9 13"},
	{"add9", []string{"add2", "2"}, "1 3 5 9"},
	{"madd9", []string{"minadd9", "m(add9)", "madd2"}, "1 b3 5 9"},
	{"add11", []string{"add4"}, "1 3 5 11"},
	{"7b9", nil, "1 3 5 b7 b9"},
	{"7#9", nil, "1 3 5 b7 #9"},
	{"alt", []string{"7alt"}, "1 3 b5 #5 b7 b9 #9"},
	{"7b5", []string{"7-5"}, "1 3 b5 b7"},
	{"7#5", []string{"7+5", "aug7", "+7"}, "1 3 #5 b7"},
	{"7#11", nil, "1 3 5 b7 #11"},
	{"7b13", nil, "1 3 5 b7 b13"},
	{"7sus4", []string{"7sus"}, "1 4 5 b7"},
	{"9sus4", []string{"9sus"}, "1 4 5 b7 9"},
	{"maj7#11", []string{"M7#11"}, "1 3 5 7 #11"},
	{"maj7#5", []string{"M7#5", "+M7", "augmaj7"}, "1 3 #5 7"},
	{"9#11", nil, "1 3 5 b7 9 #11"},
	{"13b9", nil, "1 3 5 b7 b9 13"},
}

// ChordQualities lists the names of the qualities.
func ChordQualities() []string {
	out := make([]string, 0, len(qualities))
	for i := range qualities {
		out = append(out, qualities[i].name)
	}
	return out
}

// ParseChord reads a symbol: a root, a quality with any alterations, and
// perhaps a slash bass: "C", "F#m7b5", "Bbmaj7", "G7/B", "C6/9", "Ab-7",
// "C7(b9)", "Cmaj9#11", "G7#9b13", "C(add9)".
func ParseChord(s string) (Chord, error) {
	root, rest, ok := cutClass(s)
	if !ok || s[0] > 'Z' {
		return Chord{}, fmt.Errorf("chord %q does not start with its root, A to G in upper case", s)
	}
	c, bad, err := chordOver(root, rest)
	if err != nil {
		return Chord{}, fmt.Errorf("chord %q: %w", s, err)
	}
	if bad != "" {
		// An accidental may have been read into the root: "Bb5" is the power chord on
		// Bb, and no other reading is tried.
		return Chord{}, fmt.Errorf("chord %q: unknown quality %q", s, bad)
	}
	return c, nil
}

// chordOver reads what follows a root: a quality and perhaps a slash bass. bad is the
// text that is not a quality.
func chordOver(root Class, rest string) (c Chord, bad string, err error) {
	if c, ok := chordOf(root, rest); ok {
		return c, "", nil
	}
	i := strings.LastIndexByte(rest, '/')
	if i < 0 {
		return c, rest, nil
	}
	bass, ok := ParseClass(rest[i+1:])
	c, known := chordOf(root, rest[:i])
	switch {
	case !known:
		return c, rest[:i], nil
	case !ok:
		return c, "", fmt.Errorf("%q after the slash is not a note name", rest[i+1:])
	}
	c.Bass = &bass
	return c, "", nil
}

// chordOf returns the chord of a quality's name, with or without alterations. Brackets
// and commas in the name are ignored.
func chordOf(root Class, name string) (Chord, bool) {
	if q := qualityNamed(name); q != nil {
		return Chord{Root: root, Quality: q.name, Tones: parseTones(q.figures)}, true
	}
	if q := qualityNamed(strings.ReplaceAll(unbracketed.Replace(name), ",", "")); q != nil {
		return Chord{Root: root, Quality: q.name, Tones: parseTones(q.figures)}, true
	}
	for i := len(name); i >= 0; i-- {
		q := qualityNamed(strings.TrimRight(name[:i], "(, "))
		if q == nil || i > 0 && name[i-1] == ')' {
			continue
		}
		if words, ok := alterations(name[i:]); ok {
			return alterQuality(root, q, words)
		}
	}
	return Chord{}, false
}

// qualityNamed returns the quality with a name or an alias, or nil.
func qualityNamed(name string) *quality {
	find := func(match func(string) bool) *quality {
		for i := range qualities {
			q := &qualities[i]
			if match(q.name) {
				return q
			}
			for _, a := range q.aliases {
				if match(a) {
					return q
				}
			}
		}
		return nil
	}
	q := find(func(s string) bool { return s == name })
	if q == nil && len(name) > 2 {
		// Longer names ignore case; "m" and "M" differ.
		q = find(func(s string) bool { return len(s) > 2 && strings.EqualFold(s, name) })
	}
	return q
}

// alterationNames lists what may follow a quality. A name comes before its prefixes.
var alterationNames = [...]string{"add13", "add11", "add#11", "add9", "addb9", "add#9", "add6", "add4", "add2", "omit3", "omit5", "no3", "no5", "sus4", "sus2", "sus",
	"maj7", "b13", "#11", "b5", "#5", "b9", "#9", "+5", "-5", "+9", "-9", "+11", "-13", "13", "11", "9", "6"}

var unbracketed = strings.NewReplacer("(", ",", ")", ",", " ", ",", "♭", "b", "♯", "#")

// alterations splits "b9#11", "(b9, b13)", "add9no3". ok is false if the text is empty
// or contains anything else. Two plain figures in a row must be separated.
func alterations(text string) (words []string, ok bool) {
	for part := range strings.SplitSeq(unbracketed.Replace(text), ",") {
		for first := true; part != ""; first = false {
			i := slices.IndexFunc(alterationNames[:], func(name string) bool {
				return strings.HasPrefix(part, name) && (first || name[0] < '0' || name[0] > '9')
			})
			if i < 0 {
				return nil, false
			}
			words, part = append(words, alterationNames[i]), part[len(alterationNames[i]):]
		}
	}
	return words, len(words) > 0
}

// alterQuality applies alterations to a quality. A flat, sharp or suspended tone
// replaces the one it alters; other tones are added.
func alterQuality(root Class, q *quality, words []string) (Chord, bool) {
	c := Chord{Root: root, Tones: parseTones(q.figures)}
	drop := func(degree int, natural bool) { // two alterations of one degree, b9 and #9, are both kept
		c.Tones = slices.DeleteFunc(c.Tones, func(t Tone) bool {
			return t.Degree == degree && (!natural || t == parseTones(strconv.Itoa(degree))[0])
		})
	}
	var said []string
	for _, w := range words {
		switch w {
		case "no3", "omit3":
			drop(3, false)
			said = append(said, "no3")
			continue
		case "no5", "omit5":
			drop(5, false)
			said = append(said, "no5")
			continue
		case "sus", "sus4":
			drop(3, false)
			w = "4"
			said = append(said, "sus4")
		case "sus2":
			drop(3, false)
			w = "2"
			said = append(said, "sus2")
		case "maj7":
			w = "7"
			said = append(said, "maj7")
		case "add2", "add9":
			w = "9"
			said = append(said, "add9")
		case "add4":
			w = "4"
			said = append(said, "add4")
		default:
			figure := strings.NewReplacer("+", "#", "-", "b").Replace(strings.TrimPrefix(w, "add"))
			if strings.Trim(figure, "0123456789") == "" {
				w = "add" + figure // a ninth, an eleventh or a thirteenth is added
			} else {
				w = figure
			}
			said, w = append(said, w), figure
		}
		tone := parseTones(w)[0]
		if strings.ContainsAny(w, "b#") {
			drop(tone.Degree, true)
		}
		if !slices.Contains(c.Tones, tone) {
			c.Tones = append(c.Tones, tone)
		}
	}
	slices.SortStableFunc(c.Tones, func(a, b Tone) int { return cmp.Or(a.Semitones-b.Semitones, a.Degree-b.Degree) })
	c.Tones = slices.CompactFunc(c.Tones, func(a, b Tone) bool { return a.Semitones == b.Semitones })
	if len(c.Tones) < 2 || c.Tones[0].Semitones != 0 {
		return Chord{}, false
	}
	base := q.name
	switch base {
	case "maj":
		base = ""
	case "min":
		base = "m"
	}
	c.Quality = base + "(" + strings.Join(said, ",") + ")"
	return c, true
}

// parseTones reads figures such as "1 b3 5 bb7".
func parseTones(figures string) []Tone {
	var out []Tone
	for _, f := range strings.Fields(figures) {
		degree := strings.TrimLeft(f, "b#")
		var t Tone
		for _, c := range degree {
			t.Degree = 10*t.Degree + int(c-'0')
		}
		t.Semitones = naturals[(t.Degree-1)%7] + 12*((t.Degree-1)/7) + strings.Count(f, "#") - strings.Count(f, "b")
		out = append(out, t)
	}
	return out
}

// String prints the symbol: "C", "Am", "F#m7b5", "G7/B".
func (c Chord) String() string {
	s := c.Root.String()
	switch c.Quality {
	case "maj":
	case "min":
		s += "m"
	default:
		s += c.Quality
	}
	if c.Bass != nil {
		s += "/" + c.Bass.String()
	}
	return s
}

// Voice places the chord's notes: the root in the octave, the lowest notes of an
// inversion moved up, the slash bass below the lowest. The notes are sorted from the
// lowest; the caller checks that they are in MIDI's range.
func (c Chord) Voice(octave, inversion int) []Pitch {
	root := Pitch{c.Root, octave}
	out := make([]Pitch, 0, len(c.Tones)+1)
	for _, t := range c.Tones {
		out = append(out, pitchAbove(root, t))
	}
	for ; inversion > 0; inversion-- {
		p := out[0]
		for top := out[len(out)-1].Number(); p.Number() <= top; {
			p.Octave++
		}
		out = append(out[1:], p)
	}
	if c.Bass != nil {
		out = append([]Pitch{classUnder(*c.Bass, out[0])}, out...)
	}
	return out
}
