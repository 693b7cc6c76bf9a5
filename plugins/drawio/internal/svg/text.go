package svg

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// run is a part of a line in one face.
type run struct {
	text string
	face face
}

// face is the font and the decoration of a run.
type face struct {
	bold, italic, under, strike bool
	size                        float64
	color, family               string
}

// line is one line of a label, or a horizontal rule across it.
type line struct {
	runs        []run
	align       string  // "" for that of the cell
	above       float64 // space above it
	left, right float64 // indents
	rule        float64 // thickness of a rule, 0 for text
}

// width returns the estimated width of the line with its indents.
func (l line) width() float64 {
	w := l.left + l.right
	for _, r := range l.runs {
		w += textWidth(r.text, r.face)
	}
	return w
}

// height returns the height of the line without the space above it; def is the font size of lines without text.
func (l line) height(def float64) float64 {
	if l.rule > 0 {
		return l.rule
	}
	return l.size(def) * leading
}

// size returns the largest font size in the line; def for lines without text.
func (l line) size(def float64) float64 {
	s := 0.0
	for _, r := range l.runs {
		s = max(s, r.face.size)
	}
	if s == 0 {
		return def
	}
	return s
}

// helvetica holds the widths of the characters from space to tilde, in thousandths of the font size, from Adobe's
// metrics of Helvetica.
var helvetica = [95]uint16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611,
	278, 278, 278, 469, 556, 333,
	556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500,
	334, 260, 334, 584,
}

// textWidth estimates the width of a text in Helvetica.
func textWidth(s string, f face) float64 {
	n := 0.0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			n += float64(helvetica[r-' '])
		case r >= 0x1100 && r < 0xFB00 || r >= 0x1F000: // wide: CJK and emoji
			n += 1000
		default:
			n += 556
		}
	}
	if f.bold {
		n *= 1.06
	}
	return n * f.size / 1000
}

// Width estimates the width of a line of plain text.
func Width(s string, size float64, bold bool) float64 {
	return textWidth(s, face{size: size, bold: bold})
}

// plain splits a label that is not HTML into lines.
func plain(value string, f face) []line {
	return pdk.Map(strings.Split(strings.ReplaceAll(value, "\r\n", "\n"), "\n"), func(l string) line { return line{runs: []run{{l, f}}} })
}

// words splits a text where lines may break: after spaces, and after hyphens within words.
func words(s string) []string {
	var out []string
	from := 0
	for i := 1; i < len(s); i++ {
		c, letter := s[i-1], i > 1 && (s[i-2]|32 >= 'a' && s[i-2]|32 <= 'z') && (s[i]|32 >= 'a' && s[i]|32 <= 'z')
		if c == ' ' || c == '-' && letter {
			out = append(out, s[from:i])
			from = i
		}
	}
	return append(out, s[from:])
}

// wrap breaks lines to fit a width. A word that is wider gets a line of its own.
func wrap(lines []line, width float64) []line {
	var out []line
	for _, l := range lines {
		if l.width() <= width || len(l.runs) == 0 {
			out = append(out, l)
			continue
		}
		cur := l // the first line keeps the space above
		cur.runs = nil
		used, room := 0.0, width-l.left-l.right
		flush := func() {
			if n := len(cur.runs); n > 0 {
				cur.runs[n-1].text = strings.TrimRight(cur.runs[n-1].text, " ")
			}
			out = append(out, cur)
			cur, used = line{align: l.align, left: l.left, right: l.right}, 0
		}
		for _, r := range l.runs {
			for _, word := range words(r.text) {
				if word == "" {
					continue
				}
				w := textWidth(strings.TrimRight(word, " "), r.face)
				if used > 0 && used+w > room {
					flush()
				}
				if used == 0 {
					word = strings.TrimLeft(word, " ")
				}
				if n := len(cur.runs); n > 0 && cur.runs[n-1].face == r.face {
					cur.runs[n-1].text += word
				} else {
					cur.runs = append(cur.runs, run{word, r.face})
				}
				used += textWidth(word, r.face)
			}
		}
		flush()
	}
	return out
}
