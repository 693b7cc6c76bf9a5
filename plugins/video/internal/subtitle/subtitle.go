// Package subtitle reads SubRip files.
package subtitle

import (
	"html"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/timecode"
)

// Cue is a text and the time for which it is shown, in seconds from the start of the film.
type Cue struct {
	From, To timecode.Rat
	Text     string
}

var (
	cueTimes = pdk.Regexp(`^\s*(\d{1,2}:\d{2}:\d{2}[,.]\d{1,3})\s*-->\s*(\d{1,2}:\d{2}:\d{2}[,.]\d{1,3})`)
	tags     = pdk.Regexp(`</?[a-zA-Z][^<>]{0,80}>|\{\\[^{}]{0,80}\}`)
)

// windows1252 are the characters of Windows-1252 from 0x80 to 0x9F. All others have the code points of Unicode.
var windows1252 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

// Decode returns the text of a file: UTF-16 if it starts with a byte order mark, UTF-8 if it is valid, and Windows-1252, which includes
// Latin-1, otherwise. encoding names the encoding, and is empty for UTF-8.
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

// Parse reads SubRip. bad counts the cues that have no text or unreadable times.
func Parse(text string) (out []Cue, bad int) {
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		m := cueTimes().FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		var words []string
		for i+1 < len(lines) && strings.TrimSpace(lines[i+1]) != "" && cueTimes().FindString(lines[i+1]) == "" {
			i++
			words = append(words, strings.TrimSpace(html.UnescapeString(tags().ReplaceAllString(lines[i], ""))))
		}
		from, errF := timecode.Parse(m[1])
		to, errT := timecode.Parse(m[2])
		said := strings.TrimSpace(strings.Join(words, "\n"))
		if errF != nil || errT != nil || said == "" {
			bad++
			continue
		}
		out = append(out, Cue{from.Seconds, to.Seconds, said})
	}
	return out, bad
}
