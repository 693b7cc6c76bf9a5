package theory

import (
	"strings"
)

// DrumChannel is the channel (1-16) on which General MIDI plays percussion.
const DrumChannel = 10

// firstDrum is the note of the first name in drums.
const firstDrum = 35

// drums are the General MIDI percussion sounds, notes 35 to 81.
var drums = [...]string{
	"acoustic-bass-drum", "bass-drum-1", "side-stick", "acoustic-snare", "hand-clap", "electric-snare", "low-floor-tom",
	"closed-hi-hat", "high-floor-tom", "pedal-hi-hat", "low-tom", "open-hi-hat", "low-mid-tom", "hi-mid-tom",
	"crash-cymbal-1", "high-tom", "ride-cymbal-1", "chinese-cymbal", "ride-bell", "tambourine", "splash-cymbal", "cowbell",
	"crash-cymbal-2", "vibraslap", "ride-cymbal-2", "hi-bongo", "low-bongo", "mute-hi-conga", "open-hi-conga", "low-conga",
	"high-timbale", "low-timbale", "high-agogo", "low-agogo", "cabasa", "maracas", "short-whistle", "long-whistle",
	"short-guiro", "long-guiro", "claves", "hi-wood-block", "low-wood-block", "mute-cuica", "open-cuica", "mute-triangle",
	"open-triangle",
}

// drumAliases are the short names that drummers use.
var drumAliases = [...]struct {
	name string
	note int
}{
	{"kick", 36}, {"bass-drum", 36}, {"bd", 36}, {"kick-2", 35}, {"snare", 38}, {"sd", 38}, {"snare-2", 40}, {"rimshot", 37},
	{"rim", 37}, {"sidestick", 37}, {"clap", 39}, {"hihat", 42}, {"hh", 42}, {"hat", 42}, {"closed-hat", 42}, {"chh", 42},
	{"closed-hihat", 42}, {"pedal-hat", 44}, {"pedal-hihat", 44}, {"phh", 44}, {"open-hat", 46}, {"open-hihat", 46},
	{"ohh", 46}, {"ride", 51}, {"ride-cymbal", 51}, {"bell", 53}, {"crash", 49}, {"crash-cymbal", 49}, {"crash-2", 57},
	{"china", 52}, {"splash", 55}, {"tom", 47}, {"mid-tom", 47}, {"hi-tom", 50}, {"tom-1", 50}, {"tom-2", 47}, {"tom-3", 45},
	{"floor-tom", 43}, {"shaker", 70}, {"conga", 63}, {"bongo", 60}, {"timbale", 65}, {"agogo", 67}, {"woodblock", 76},
	{"triangle", 81}, {"guiro", 73}, {"cuica", 79}, {"whistle", 71},
}

// Drum returns the note of a percussion name, spelled with hyphens, underscores, spaces
// or without separators.
func Drum(name string) (note int, ok bool) {
	if Folded(name) == "" {
		return 0, false
	}
	for i, d := range drums {
		if sameName(d, name) {
			return firstDrum + i, true
		}
	}
	for _, a := range drumAliases {
		if sameName(a.name, name) {
			return a.note, true
		}
	}
	return 0, false
}

// DrumName returns the General MIDI name of a percussion note, or "".
func DrumName(note int) string {
	if note < firstDrum || note >= firstDrum+len(drums) {
		return ""
	}
	return drums[note-firstDrum]
}

// DrumNames lists every name that Drum knows, short ones first.
func DrumNames() []string {
	out := make([]string, 0, len(drumAliases)+len(drums))
	for _, a := range drumAliases {
		out = append(out, a.name)
	}
	return append(out, drums[:]...)
}

// sameName compares names without regard to case and separators.
func sameName(a, b string) bool {
	i, j := 0, 0
	for {
		for i < len(a) && separates(a[i]) {
			i++
		}
		for j < len(b) && separates(b[j]) {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		if lowerCase(a[i]) != lowerCase(b[j]) {
			return false
		}
		i++
		j++
	}
}

// Folded folds a name for searching: lower case, no separators.
func Folded(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if !separates(s[i]) {
			out = append(out, lowerCase(s[i]))
		}
	}
	return string(out)
}

func separates(c byte) bool { return strings.IndexByte("-_ ()+,", c) >= 0 }

func lowerCase(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// DrumShort returns the first short name of a percussion note, else its General MIDI
// name, or "". Drum reads it back.
func DrumShort(note int) string {
	for _, a := range drumAliases {
		if a.note == note {
			return a.name
		}
	}
	return DrumName(note)
}
