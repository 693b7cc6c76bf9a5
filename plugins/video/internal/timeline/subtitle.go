package timeline

import (
	"regexp"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/video/internal/timecode"
)

// subtitle is one of a file of them.
type subtitle struct {
	from, to timecode.Rat
	text     string
}

var (
	times = regexp.MustCompile(`^\s*(\d{1,2}:\d{2}:\d{2})[,.](\d{1,3})\s*-->\s*(\d{1,2}:\d{2}:\d{2})[,.](\d{1,3})`)
	tags  = regexp.MustCompile(`</?[a-zA-Z][^<>]{0,80}>|\{\\[^{}]{0,80}\}`)
)

// subtitles reads SubRip. bad is how many have no text or times that are none.
func subtitles(text string) (out []subtitle, bad int) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")
	lines := strings.Split(strings.ToValidUTF8(text, "\uFFFD"), "\n")
	millis := timecode.Rate{Num: 1000, Den: 1}
	for i := 0; i < len(lines); i++ {
		m := times.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		var words []string
		for i+1 < len(lines) && strings.TrimSpace(lines[i+1]) != "" && times.FindString(lines[i+1]) == "" {
			i++
			words = append(words, strings.TrimSpace(tags.ReplaceAllString(lines[i], "")))
		}
		from, errF := timecode.Parse(m[1]+"."+(m[2] + "00")[:3], millis)
		to, errT := timecode.Parse(m[3]+"."+(m[4] + "00")[:3], millis)
		said := strings.TrimSpace(strings.Join(words, "\n"))
		if errF != nil || errT != nil || said == "" {
			bad++
			continue
		}
		out = append(out, subtitle{from.Seconds, to.Seconds, said})
	}
	return out, bad
}
