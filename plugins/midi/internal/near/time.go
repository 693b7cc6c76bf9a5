package near

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// Position corrects a position on a track's time (nil: the song's). Beats and ticks
// past the end of their bar or beat carry over: 4.5 in 4/4 is 5.1.
func Position(s *song.Song, t *song.Track, text string) []string {
	read := func(p string) error { _, err := s.Position(t, p); return err }
	if name, ok := cutAny(text, "marker:"); ok {
		return prefixed("marker:", Marker(s, t, name))
	}
	if name, ok := cutAny(text, "end:"); ok {
		return prefixed("end:", Track(s, name))
	}
	tick, ok := countTicks(s, t, text)
	if !ok {
		return nil
	}
	return readable(text, read, s.At(t, tick))
}

func prefixed(prefix string, names []string) []string {
	if len(names) != 1 {
		return nil
	}
	return []string{prefix + names[0]}
}

// maxBar is the highest bar that a corrected position may count to.
const maxBar = 1 << 20

// countTicks returns the tick of BAR.BEAT.TICKS, whatever separates the numbers and
// however large they are.
func countTicks(s *song.Song, t *song.Track, text string) (tick int64, ok bool) {
	n := [3]int64{1, 1, 0}
	rest, _ := cutAny(text, "bar", "m")
	fields := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(".:,/ ", r) })
	if len(fields) == 0 || len(fields) > len(n) {
		return 0, false
	}
	for i, f := range fields {
		v, err := strconv.ParseInt(f, 10, 32)
		if err != nil || v < 0 {
			return 0, false
		}
		n[i] = max(v, n[i])
	}
	m, err := s.Meter(t)
	if err != nil || n[0] > maxBar {
		return 0, err != nil && n == [3]int64{1, 1, 0} // the start is the same in any time
	}
	ppq, _ := s.PPQ()
	start := m.BarTick(int(n[0]))
	return start + (n[1]-1)*ppq*4/int64(m.At(start).Den) + n[2], true
}

// otherValues maps other names of note values to the domain's.
var otherValues = map[string]string{"crotchet": "quarter", "quaver": "eighth", "semiquaver": "16th", "demisemiquaver": "32nd", "minim": "half", "semibreve": "whole",
	"bar": "1bar", "measure": "1bar", "beat": "1beat"}

var valueNames = []string{"whole", "half", "quarter", "eighth", "sixteenth", "16th", "32nd", "64th"}

// leastTicks is the smallest plain number that is more likely ticks than beats.
const leastTicks = 24

// Duration corrects a duration that starts at a tick of a track's time (nil: the
// song's).
func Duration(s *song.Song, t *song.Track, text string, at int64) []string {
	read := func(d string) error { _, err := s.Duration(t, d, at); return err }
	low := strings.ToLower(strings.TrimSpace(text))
	if n, err := strconv.ParseFloat(low, 64); err == nil {
		if n >= leastTicks && n == math.Trunc(n) {
			return readable(text, read, "ticks:"+low)
		}
		return readable(text, read, low+"beats")
	}
	return readable(text, read, strings.ReplaceAll(low, " ", ""), noteValue(strings.NewReplacer(" ", "-", "_", "-").Replace(low)))
}

// noteValue returns the note value nearest to a word, with its dots or triplet.
func noteValue(word string) string {
	for _, end := range []string{"notes", "note", "s"} {
		word = strings.Trim(strings.TrimSuffix(word, end), "-")
	}
	modifier := ""
	for _, m := range []string{"double-dotted", "dotted", "triplet"} {
		if before, after, ok := strings.Cut(word, m); ok {
			word, modifier = strings.Trim(before, "-")+strings.Trim(after, "-"), m+"-"
			break
		}
	}
	if other, ok := otherValues[word]; ok {
		return modifier + other
	}
	for _, near := range Word(word, valueNames) {
		word = near
	}
	return modifier + word
}

// Range corrects a range of positions whose ends are in the wrong order.
func Range(s *song.Song, t *song.Track, text string) []string {
	return Swapped(text, func(r string) error { _, _, err := s.Range(t, r); return err })
}
