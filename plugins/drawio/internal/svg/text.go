package svg

import (
	"strings"
)

// run is a piece of a line in one manner.
type run struct {
	text string
	face face
}

// face is how a run looks.
type face struct {
	bold, italic, under, strike bool
	size                        float64
	color, family               string
}

// line is one line of a label, or a rule across it.
type line struct {
	runs        []run
	align       string  // "" as the cell says
	above       float64 // the room before it
	left, right float64 // how far it is indented
	rule        float64 // how thick a rule is, 0 for text
}

func (l line) width() float64 {
	w := l.left + l.right
	for _, r := range l.runs {
		w += textWidth(r.text, r.face)
	}
	return w
}

// high is how high the line is without the room above it; def is the font size of lines without text.
func (l line) high(def float64) float64 {
	if l.rule > 0 {
		return l.rule
	}
	return l.size(def) * leading
}

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

// helvetica are the widths of the letters from space to tilde, in thousandths
// of the font size, from Adobe's metrics of the font.
var helvetica = [95]uint16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611,
	278, 278, 278, 469, 556, 333,
	556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500,
	334, 260, 334, 584,
}

// textWidth estimates a text's width in Helvetica.
func textWidth(s string, f face) float64 {
	n := 0.0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			n += float64(helvetica[r-' '])
		case r >= 0x1100 && r < 0xFB00 || r >= 0x1F000: // wide: CJK and pictures
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

// Width estimates how wide a line of plain text is at a font size.
func Width(s string, size float64, bold bool) float64 {
	return textWidth(s, face{size: size, bold: bold})
}

// plain splits a label that is no html.
func plain(value string, f face) []line {
	var out []line
	for _, l := range strings.Split(strings.ReplaceAll(value, "\r\n", "\n"), "\n") {
		out = append(out, line{runs: []run{{l, f}}})
	}
	return out
}

// words splits a text where lines may break: behind spaces, and behind hyphens in words.
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

// wrap breaks lines so that they keep to a width; a word that is
// wider stands alone, or is broken where it is far wider.
func wrap(lines []line, width float64) []line {
	var out []line
	for _, l := range lines {
		if l.width() <= width || len(l.runs) == 0 {
			out = append(out, l)
			continue
		}
		cur := l // of the first line, the room above
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
