package near

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// Position corrects a position on a track's time (nil: the song's). Beats and ticks
// past the end of their bar or beat carry over: 4.5 in 4/4 is 5.1.
func Position(s *song.Song, t *song.Track, text string) []string {
	read := func(p string) error { _, err := s.Position(t, p); return err }
	text = strings.TrimSpace(text)
	if name, ok := cutAny(text, "marker:"); ok {
		if list := Marker(s, t, name); list != nil {
			return readable(text, read, "marker:"+list[0])
		}
	}
	if name, ok := cutAny(text, "end:"); ok {
		if list := Track(s, name); len(list) == 1 {
			return readable(text, read, "end:"+list[0])
		}
	}
	if base, plus, ok := strings.Cut(text, "+"); ok {
		if base != "" && read(base) != nil {
			base = firstOr("", Position(s, t, base))
			if base == "" {
				return nil
			}
		}
		if _, err := s.Duration(t, plus, 0); err != nil {
			plus = firstOr(plus, Duration(s, t, plus, 0))
		}
		return readable(text, read, base+"+"+plus)
	}
	if n, ok := cutAny(text, "ticks:", "tick:", "tick"); ok {
		return readable(text, read, "tick:"+firstOr("", Number(n, 0, smf.MaxTick)))
	}
	if _, err := s.FindMarker(t, text, true); err == nil && text != "" {
		return readable(text, read, "marker:"+text)
	}
	tick, ok := countTicks(s, t, text)
	if !ok {
		return nil
	}
	return readable(text, read, s.At(t, tick))
}

// maxBar is the highest bar that a corrected position may count to.
const maxBar = 1 << 20

// countTicks returns the tick of BAR.BEAT.TICKS, whatever separates the numbers and
// however large they are.
func countTicks(s *song.Song, t *song.Track, text string) (tick int64, ok bool) {
	var n [3]int64
	n[0], n[1] = 1, 1
	rest, _ := cutAny(text, "bar", "m")
	switch strings.ToLower(text) {
	case "start", "begin", "beginning", "0":
		return 0, true
	}
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
	if err != nil {
		return 0, n == [3]int64{1, 1, 0} // the start is the same in any time
	}
	if n[0] > maxBar {
		return 0, false
	}
	ppq, _ := s.PPQ()
	start := m.BarTick(int(n[0]))
	return start + (n[1]-1)*ppq*4/int64(m.At(start).Den) + n[2], true
}

// otherValues maps other names of note values to the domain's.
var otherValues = map[string]string{"crotchet": "quarter", "quaver": "eighth", "semiquaver": "16th", "demisemiquaver": "32nd", "minim": "half", "semibreve": "whole",
	"bar": "1bar", "measure": "1bar", "beat": "1beat"}

var valueNames = []string{"whole", "half", "quarter", "eighth", "sixteenth", "16th", "32nd", "64th"}

// number matches a number and a unit that may mean a duration.
var number = pdk.Regexp(`^([0-9]*\.?[0-9]+)(ticks?|tk|bars?|measures?|beats?|b|m)?$`)

// leastTicks is the smallest plain number that is more likely ticks than beats.
const leastTicks = 24

// Duration corrects a duration that starts at a tick of a track's time (nil: the
// song's).
func Duration(s *song.Song, t *song.Track, text string, at int64) []string {
	read := func(d string) error { _, err := s.Duration(t, d, at); return err }
	low := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), "_", "-")
	if n, ok := cutAny(low, "ticks:", "tick:"); ok {
		return readable(text, read, "ticks:"+firstOr("", Number(n, 1, smf.MaxTick)))
	}
	if m := number().FindStringSubmatch(strings.ReplaceAll(low, " ", "")); m != nil {
		return readable(text, read, counting(s, t, m[1], m[2], at))
	}
	if bare := strings.TrimLeft(low, "+-"); bare != low {
		if bare == "" || bare[0] <= '9' {
			return nil // not positive
		}
		return readable(text, read, append([]string{bare}, Duration(s, t, bare, at)...)...)
	}
	return readable(text, read, value(strings.ReplaceAll(low, " ", "-")))
}

// counting prints a number of a unit as a duration.
func counting(s *song.Song, t *song.Track, text, unit string, at int64) string {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return ""
	}
	whole := n == math.Trunc(n)
	switch {
	case unit == "" && whole && n >= leastTicks || strings.HasPrefix(unit, "t"):
		return "ticks:" + strconv.FormatFloat(math.Round(n), 'f', -1, 64)
	case unit == "" || unit == "b" || strings.HasPrefix(unit, "beat"):
	case whole:
		return strconv.FormatFloat(n, 'f', -1, 64) + "bars"
	default: // bars must be whole; beats need not
		m, err := s.Meter(t)
		if err != nil {
			return ""
		}
		n *= float64(m.At(at).Num)
	}
	return strconv.FormatFloat(n, 'f', -1, 64) + "beats"
}

// value returns the note value nearest to a word, with its dots or triplet.
func value(word string) string {
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
	return modifier + firstOr(word, Word(word, valueNames))
}

// Range corrects a range of positions: ends in the wrong order, a beat past the end of
// the last bar, or a separator other than a dash.
func Range(s *song.Song, t *song.Track, text string) []string {
	read := func(r string) error { _, _, err := s.Range(t, r); return err }
	bare := text
	for _, sign := range []string{"..", "–", "—", " to ", "->"} {
		bare = strings.ReplaceAll(bare, sign, "-")
	}
	if list := readable(text, read, bare, strings.Replace(text, ":", "-", 1)); list != nil {
		return list
	}
	for a, b := range halves(bare) {
		from, err1 := s.Position(t, a)
		to, err2 := s.Position(t, b)
		if err1 == nil && err2 == nil && to < from {
			return readable(text, read, b+"-"+a)
		}
		if err1 != nil {
			a = firstOr("", Position(s, t, a))
		}
		if err2 != nil {
			b = last(s, t, b)
		}
		if a == "" || b == "" {
			continue
		}
		if list := readable(text, read, a+"-"+b); list != nil {
			return list
		}
	}
	return nil
}

// last corrects the end of a range: a beat past the end of its bar becomes the bar's
// last beat, not one of the next bar.
func last(s *song.Song, t *song.Track, text string) string {
	bar, beat, ok := strings.Cut(text, ".")
	n, err1 := strconv.Atoi(bar)
	k, err2 := strconv.Atoi(beat)
	if m, err := s.Meter(t); ok && err1 == nil && err2 == nil && err == nil && n > 0 && n <= maxBar {
		if g := m.At(m.BarTick(n)); k > g.Num {
			return bar + "." + strconv.Itoa(g.Num)
		}
	}
	return firstOr("", Position(s, t, text))
}
