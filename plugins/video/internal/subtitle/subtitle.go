// Package subtitle reads SubRip files.
package subtitle

import (
	"html"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/pdk/timecode"
)

// Cue is a text and the time for which it is shown, in seconds from the start of the film.
type Cue struct {
	From, To timecode.Rat
	Text     string
}

// windows1252 are the characters of Windows-1252 from 0x80 to 0x9F. All others have the code points of Unicode.
var windows1252 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

// Decode returns the text of a file: UTF-16 if it starts with a byte order mark, UTF-8 if it is valid, and
// Windows-1252, which includes Latin-1, otherwise. encoding names the encoding, and is empty for UTF-8.
func Decode(data []byte) (text, encoding string) {
	if len(data) > 1 && (data[0] == 0xFF && data[1] == 0xFE || data[0] == 0xFE && data[1] == 0xFF) {
		low, high := 0, 1
		if data[0] == 0xFE {
			low, high = 1, 0
		}
		var units []uint16
		for i := 2; i+1 < len(data); i += 2 {
			units = append(units, uint16(data[i+low])|uint16(data[i+high])<<8)
		}
		return string(utf16.Decode(units)), "UTF-16"
	}
	if utf8.Valid(data) {
		return strings.TrimPrefix(string(data), "\uFEFF"), ""
	}
	var b strings.Builder
	for _, c := range data {
		if c >= 0x80 && c < 0xA0 {
			b.WriteRune(windows1252[c-0x80])
		} else {
			b.WriteRune(rune(c))
		}
	}
	return b.String(), "Windows-1252"
}

// cueTimes reads the line with the times of a cue: 00:00:01,500 --> 00:00:02,000, and what may follow.
func cueTimes(line string) (from, to string, ok bool) {
	first, second, ok := strings.Cut(line, "-->")
	words := append(strings.Fields(second), "")
	from, to = strings.TrimSpace(first), words[0]
	return from, to, ok && isTime(from) && isTime(to)
}

// isTime reports whether s is hours of one or two digits, minutes, seconds and up to three decimals.
func isTime(s string) bool {
	form := strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9':
			return '0'
		case r == ',':
			return '.'
		}
		return r
	}, s)
	hours, rest, _ := strings.Cut(form, ":")
	decimals, ok := strings.CutPrefix(rest, "00:00.")
	return ok && (hours == "0" || hours == "00") && (decimals == "0" || decimals == "00" || decimals == "000")
}

// maxTag is the length of the longest tag, in bytes.
const maxTag = 80

// withoutTags removes tags such as <b> and {\an8}.
func withoutTags(s string) string {
	var out []byte
	for s != "" {
		n := tagLength(s)
		if n == 0 {
			out, n = append(out, s[0]), 1
		}
		s = s[n:]
	}
	return string(out)
}

// tagLength returns the length of the tag that s starts with, 0 if there is none.
func tagLength(s string) int {
	rest, closing := strings.TrimPrefix(s, `{\`), "{}"
	if rest == s {
		rest, closing = strings.TrimPrefix(strings.TrimPrefix(s, "<"), "/"), "<>"
		if s[0] != '<' || rest == "" || rest[0]|0x20 < 'a' || rest[0]|0x20 > 'z' {
			return 0
		}
	}
	end := strings.IndexAny(rest, closing)
	if end < 0 || end > maxTag || rest[end] != closing[1] {
		return 0
	}
	return len(s) - len(rest) + end + 1
}

// Parse reads SubRip. bad counts the cues that have no text or unreadable times.
func Parse(text string) (out []Cue, bad int) {
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		first, last, ok := cueTimes(lines[i])
		if !ok {
			continue
		}
		var words []string
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != ""; i++ {
			if _, _, next := cueTimes(lines[i]); next {
				break
			}
			words = append(words, strings.TrimSpace(html.UnescapeString(withoutTags(lines[i]))))
		}
		i--
		from, errF := timecode.Parse(first)
		to, errT := timecode.Parse(last)
		said := strings.TrimSpace(strings.Join(words, "\n"))
		if errF != nil || errT != nil || said == "" {
			bad++
			continue
		}
		out = append(out, Cue{from.Seconds, to.Seconds, said})
	}
	return out, bad
}
