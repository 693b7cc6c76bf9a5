package near

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// class splits a word after the longest prefix that is a pitch class.
func class(word string) (name, rest string, c theory.Class) {
	for i := len(word); i > 0; i-- {
		if c, ok := theory.ParseClass(word[:i]); ok {
			return word[:i], word[i:], c
		}
	}
	return "", word, theory.Class{}
}

// Pitch corrects a pitch: it limits a number to MIDI's range, adds middle C's octave if
// there is none, and moves an octave outside MIDI's range to the nearest inside. On the
// drum channel a name is a drum's.
func Pitch(word string, channel int) []string {
	read := func(s string) error { _, err := theory.ParsePitch(s); return err }
	if list := readable(word, read, strings.Trim(word, ",;")); list != nil {
		return list
	}
	if n, err := strconv.Atoi(word); err == nil && n >= 0 && n <= 127 {
		return []string{"midi:" + word}
	}
	if n, ok := cutAny(word, "midi:"); ok {
		return readable(word, read, "midi:"+firstOr(n, Number(n, 0, 127)))
	}
	name, rest, c := class(word)
	switch octave, err := strconv.Atoi(rest); {
	case name == "":
	case rest == "":
		return readable("", read, name+"4")
	case err == nil:
		p := theory.Pitch{Class: c, Octave: min(max(octave, -1), 9)}
		if p.Number() > 127 {
			p.Octave--
		} else if p.Number() < 0 {
			p.Octave++
		}
		return readable(word, read, name+strconv.Itoa(p.Octave))
	}
	if channel == theory.DrumChannel {
		return Word(word, theory.DrumNames())
	}
	return nil
}

// Pitches corrects a range of pitches that runs downwards, and the names of drums.
func Pitches(word string) []string {
	drum := func(s string) (int, error) {
		if n, ok := theory.Drum(s); ok {
			return n, nil
		}
		p, err := theory.ParsePitch(s)
		return p.Number(), err
	}
	for a, b := range halves(word) {
		low, err1 := drum(a)
		high, err2 := drum(b)
		if err1 == nil && err2 == nil && low > high {
			return []string{b + "-" + a}
		}
	}
	if len(word) < 3 {
		return nil // a pitch without an octave is ambiguous
	}
	return Word(word, theory.DrumNames())
}

// Velocity corrects a velocity: it limits a number to 1-127 and turns a word into a
// dynamics marking.
func Velocity(word string) []string {
	if list := Number(word, 1, 127); list != nil {
		return list
	}
	if mark, ok := loudness[strings.ToLower(word)]; ok {
		return []string{mark}
	}
	return Word(word, dynamics())
}

// loudness maps words to dynamics markings.
var loudness = map[string]string{"soft": "p", "quiet": "p", "piano": "p", "pianissimo": "pp", "medium": "mf", "normal": "mf", "loud": "f", "forte": "f", "fortissimo": "ff"}

func dynamics() []string {
	var names []string
	for _, d := range theory.Dynamics() {
		names = append(names, d.Name)
	}
	return names
}

// Velocities corrects a range of velocities: it puts the softer one first and limits
// both to what a velocity can be.
func Velocities(word string) []string {
	if span := Span(word, 1, 127); span != nil {
		return span
	}
	a, b, ok := strings.Cut(word, "-")
	if !ok {
		return Word(word, dynamics())
	}
	low, err1 := theory.ParseVelocity(a)
	high, err2 := theory.ParseVelocity(b)
	switch {
	case err1 == nil && err2 == nil && low > high:
		return []string{b + "-" + a}
	case err1 != nil && err2 != nil:
		return nil
	case err1 != nil:
		a = firstOr("", Velocity(a))
	case err2 != nil:
		b = firstOr("", Velocity(b))
	}
	if a == "" || b == "" {
		return nil
	}
	return []string{a + "-" + b}
}

// Loudness corrects a change of velocity: ±N, xF, =N or a velocity.
func Loudness(word string) []string {
	switch rest, set := strings.CutPrefix(word, "="); {
	case set:
		if list := Velocity(rest); list != nil {
			return []string{"=" + list[0]}
		}
	case strings.HasPrefix(word, "+") || strings.HasPrefix(word, "-"):
		return Signed(word, 127)
	case strings.HasSuffix(word, "%"), strings.HasPrefix(word, "x"), strings.HasPrefix(word, "X"):
		return Factor(word, 0, 127)
	default:
		return Velocity(word)
	}
	return nil
}

// Factor corrects a factor, xF, and limits it to low and high. F% is a percentage.
func Factor(word string, low, high float64) []string {
	bare, percent := strings.CutSuffix(strings.TrimLeft(word, "xX*"), "%")
	f, err := strconv.ParseFloat(bare, 64)
	if percent {
		f /= 100
	}
	if err != nil || !(f > 0) {
		return nil
	}
	return []string{"x" + strconv.FormatFloat(min(max(f, low), high), 'g', -1, 64)}
}

// Signed returns a number with its sign, limited to ±most.
func Signed(word string, most int) []string {
	list := Number(word, -most, most)
	if list != nil && list[0][0] != '-' {
		list[0] = "+" + list[0]
	}
	return list
}

// Chord corrects a chord symbol: it puts the root in upper case, and removes brackets
// from the quality, abbreviates it or takes the nearest one.
func Chord(word string) []string {
	read := func(s string) error { _, err := theory.ParseChord(s); return err }
	if word == "" {
		return nil
	}
	bare := strings.NewReplacer("(", "", ")", "", ",", "", " ", "").Replace(strings.ToUpper(word[:1]) + word[1:])
	if i := strings.IndexByte(bare, '-'); i > 0 && i+1 < len(bare) { // C-7 is minor, and so is C-minor
		sign := "m"
		if bare[i+1] >= 'a' && bare[i+1] <= 'z' || bare[i+1] == 'M' {
			sign = ""
		}
		bare = bare[:i] + sign + bare[i+1:]
	}
	short := strings.NewReplacer("major", "maj", "Major", "maj", "minor", "m", "Minor", "m", "diminished", "dim", "augmented", "aug", "dominant", "").Replace(bare)
	if list := readable(word, read, bare, short, string(slices.Compact([]byte(bare)))); list != nil {
		return list
	}
	if strings.HasPrefix(bare, "H") { // the German name of B
		return readable(word, read, "B"+bare[1:])
	}
	bare, bass, slash := strings.Cut(bare, "/")
	if slash {
		if _, ok := theory.ParseClass(bass); !ok {
			return nil
		}
		bass = "/" + bass
	}
	root, quality, _ := class(bare)
	if root == "" || len(quality) < 3 {
		return nil
	}
	for _, q := range theory.ChordQualities() {
		if pdk.Distance(strings.ToLower(quality), strings.ToLower(q), 1) <= 1 { // a quality with more differences is another chord
			return readable(word, read, root+q+bass)
		}
	}
	return nil
}

// Scale corrects a scale, or a root and a mode in one word.
func Scale(word string) []string {
	read := func(s string) error { _, err := theory.ParseScale(s); return err }
	root, rest, _ := class(word)
	mode := Word(strings.Trim(rest, "-_ "), theory.Modes())
	if root == "" || mode == nil {
		return nil
	}
	return readable(word, read, strings.ToUpper(root[:1])+root[1:]+"-"+mode[0])
}

// Key corrects a key: its mode, or a tonic without a key signature, for which it takes
// the one that sounds the same.
func Key(word string) []string {
	read := func(s string) error { _, err := theory.ParseKey(s); return err }
	root, rest, c := class(word)
	if root == "" {
		return nil
	}
	mode := strings.Trim(rest, "-_ ")
	minor := rest == "m" || strings.EqualFold(mode, "min") || strings.EqualFold(mode, "minor")
	if near := Word(mode, []string{"major", "minor"}); near != nil && !minor {
		mode = near[0]
	}
	if list := readable(word, read, root+"-"+mode); list != nil {
		return list
	}
	if minor || mode == "" || mode == "major" || mode == "M" || strings.EqualFold(mode, "maj") {
		for fifths := -5; fifths <= 6; fifths++ {
			if k := (theory.Key{Fifths: fifths, Minor: minor}); k.Tonic().Semitone() == c.Semitone() {
				return []string{k.String()}
			}
		}
	}
	return nil
}

// TimeSig corrects a time signature: N-D, N with a beat that is not a power of two, or
// N alone, which counts quarters.
func TimeSig(word string) []string {
	fields := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune("/-:, ", r) })
	if len(fields) == 1 {
		fields = append(fields, "4")
	}
	if len(fields) != 2 || strings.HasPrefix(word, "-") {
		return nil
	}
	num, err1 := strconv.Atoi(fields[0])
	den, err2 := strconv.Atoi(fields[1])
	if err1 != nil || err2 != nil || num < 1 || num > 64 || den < 1 {
		return nil
	}
	beat := 1
	for beat < 64 && 3*beat <= 2*den { // the nearest power of two; of two, the shorter note
		beat *= 2
	}
	return []string{fmt.Sprintf("%d/%d", num, beat)}
}

// Tempo corrects a tempo in beats a minute, or a ramp between two, and limits it to low
// and high.
func Tempo(word string, low, high float64) []string {
	number := func(s string) string {
		s = strings.TrimSpace(strings.TrimSuffix(strings.ToLower(strings.TrimSpace(s)), "bpm"))
		f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || f != f || strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-") {
			return ""
		}
		return strconv.FormatFloat(min(max(f, low), high), 'f', -1, 64)
	}
	ends := []string{word}
	if a, b, ramp := strings.Cut(word, "-"); ramp {
		ends = []string{a, strings.TrimPrefix(b, ">")}
	}
	for i := range ends {
		ends[i] = number(ends[i])
	}
	if slices.Contains(ends, "") || len(ends) == 2 && ends[0] == ends[1] {
		return nil
	}
	return []string{strings.Join(ends, "-")}
}
