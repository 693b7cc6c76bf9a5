package near

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// splitClass splits a word after the longest prefix that is a pitch class.
func splitClass(word string) (name, rest string, c theory.Class) {
	for i := len(word); i > 0; i-- {
		if c, ok := theory.ParseClass(word[:i]); ok {
			return word[:i], word[i:], c
		}
	}
	return "", word, theory.Class{}
}

// Pitch corrects a pitch: it adds middle C's octave if there is none, and moves an octave
// outside MIDI's range to the nearest inside. A number is a MIDI note. On the drum channel a
// name is a drum's.
func Pitch(word string, channel int) []string {
	read := func(s string) error { _, err := theory.ParsePitch(s); return err }
	name, rest, c := splitClass(word)
	switch octave, err := strconv.Atoi(rest); {
	case name == "" && err == nil:
		return readable(word, read, "midi:"+word)
	case name == "":
	case rest == "":
		return []string{name + "4"}
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

// Velocity corrects a velocity: it limits a number to 1-127 and turns a word into a
// dynamics marking.
func Velocity(word string) []string {
	if list := Number(word, 1, 127); list != nil {
		return list
	}
	if mark, ok := loudness[strings.ToLower(word)]; ok {
		return []string{mark}
	}
	return Word(word, theory.DynamicNames())
}

// loudness maps words to dynamics markings.
var loudness = map[string]string{"soft": "p", "quiet": "p", "piano": "p", "pianissimo": "pp", "medium": "mf", "normal": "mf", "loud": "f", "forte": "f", "fortissimo": "ff"}

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

// long are other words for parts of a chord symbol.
var long = strings.NewReplacer("(", "", ")", "", ",", "", " ", "", "-m", "m", "-M", "M", "-", "m", "major", "maj", "Major", "maj", "minor", "m", "Minor", "m",
	"diminished", "dim", "augmented", "aug", "dominant", "")

// Chord corrects a chord symbol: it puts the root in upper case and abbreviates the quality.
func Chord(word string) []string {
	if word == "" {
		return nil
	}
	word = strings.ToUpper(word[:1]) + word[1:]
	return readable("", func(s string) error { _, err := theory.ParseChord(s); return err }, word, long.Replace(word), long.Replace(long.Replace(word)))
}

// Scale corrects a scale, or a root and a mode in one word.
func Scale(word string) []string {
	read := func(s string) error { _, err := theory.ParseScale(s); return err }
	root, rest, _ := splitClass(word)
	mode := Word(strings.Trim(rest, "-_ "), theory.Modes())
	if root == "" || mode == nil {
		return nil
	}
	return readable(word, read, strings.ToUpper(root[:1])+root[1:]+"-"+mode[0])
}

// Key corrects the mode of a key, or a tonic without a key signature, for which it takes
// the one that sounds the same.
func Key(word string) []string {
	root, rest, c := splitClass(word)
	mode := Word(strings.Trim(rest, "-_ "), []string{"major", "minor"})
	if root == "" || mode == nil {
		return nil
	}
	for fifths := -5; fifths <= 6; fifths++ {
		if k := (theory.Key{Fifths: fifths, Minor: mode[0] == "minor"}); k.Tonic().Semitone() == c.Semitone() {
			return []string{k.String()}
		}
	}
	return nil
}
