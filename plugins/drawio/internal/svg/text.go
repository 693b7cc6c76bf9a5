package svg

import (
	"html"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
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

// line is one line of a label.
type line struct {
	runs  []run
	align string // "" as the cell says
}

func (l line) width() float64 {
	w := 0.0
	for _, r := range l.runs {
		w += textWidth(r.text, r.face)
	}
	return w
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

// rich reads an html label: its text with bold, italic, underline, sizes,
// colours and line breaks. Everything else of html is left out.
func rich(value string, base face) []line {
	p := &reader{face: base, out: []line{{}}}
	for rest := value; rest != ""; {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			p.text(rest)
			break
		}
		p.text(rest[:i])
		rest = rest[i:]
		end := strings.IndexByte(rest, '>')
		if len(rest) < 2 || end < 0 || !(rest[1] == '/' || rest[1] == '!' || rest[1]|32 >= 'a' && rest[1]|32 <= 'z') {
			p.text("<")
			rest = rest[1:]
			continue
		}
		tag := rest[1:end]
		if strings.HasPrefix(tag, "!--") {
			if j := strings.Index(rest, "-->"); j >= 0 {
				end = j + 2
			}
			rest = rest[end+1:]
			continue
		}
		rest = rest[end+1:]
		name, attrs, _ := strings.Cut(strings.TrimSuffix(tag, "/"), " ")
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "style" || name == "script" {
			if j := strings.Index(strings.ToLower(rest), "</"+name); j >= 0 {
				rest = rest[j:]
			}
			continue
		}
		p.tag(name, attrs)
	}
	for len(p.out) > 1 && len(p.out[len(p.out)-1].runs) == 0 {
		p.out = p.out[:len(p.out)-1]
	}
	return p.out
}

type reader struct {
	face  face
	align string
	out   []line
	open  []state
}

type state struct {
	name  string
	face  face
	align string
}

func (p *reader) text(s string) {
	if s == "" {
		return
	}
	l := &p.out[len(p.out)-1]
	s = html.UnescapeString(s)
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, s)
	for strings.Contains(s, "  ") {
		s = strings.ReplaceAll(s, "  ", " ")
	}
	s = strings.ReplaceAll(s, "\u00a0", " ")
	if len(l.runs) == 0 && strings.Trim(s, " ") == "" {
		return
	}
	if len(l.runs) == 0 {
		s = strings.TrimLeft(s, " ")
	}
	l.align = p.align
	l.runs = append(l.runs, run{s, p.face})
}

func (p *reader) newline(always bool) {
	if always || len(p.out[len(p.out)-1].runs) > 0 {
		p.out = append(p.out, line{})
	}
}

func block(name string) bool {
	switch name {
	case "div", "p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ul", "ol", "tr", "table", "blockquote", "pre":
		return true
	}
	return false
}

func (p *reader) tag(name, attrs string) {
	if end, ok := strings.CutPrefix(name, "/"); ok {
		for i := len(p.open) - 1; i >= 0; i-- {
			if p.open[i].name == end {
				if block(end) {
					p.newline(false)
				}
				p.face, p.align = p.open[i].face, p.open[i].align
				p.open = p.open[:i]
				return
			}
		}
		return
	}
	switch name {
	case "br":
		p.newline(true)
		return
	case "hr":
		p.newline(false)
		return
	case "img", "input", "col", "wbr":
		return
	case "td", "th":
		if len(p.out[len(p.out)-1].runs) > 0 {
			p.text(" ")
		}
	}
	if block(name) {
		p.newline(false)
	}
	p.open = append(p.open, state{name, p.face, p.align})
	if len(p.open) > 200 {
		p.open = p.open[1:]
	}
	switch name {
	case "b", "strong", "th":
		p.face.bold = true
	case "i", "em":
		p.face.italic = true
	case "u":
		p.face.under = true
	case "s", "strike", "del":
		p.face.strike = true
	case "h1", "h2", "h3", "h4":
		p.face.bold = true
		p.face.size *= map[string]float64{"h1": 2, "h2": 1.5, "h3": 1.17, "h4": 1}[name]
	case "small":
		p.face.size *= 0.83
	case "sup", "sub":
		p.face.size *= 0.75
	case "li":
		p.text("• ")
	}
	p.manner(attrs)
}

// manner applies the attributes that tell how text looks.
func (p *reader) manner(attrs string) {
	if c, ok := attr(attrs, "color"); ok {
		p.color(c)
	}
	if a, ok := attr(attrs, "align"); ok {
		p.align = side(a, p.align)
	}
	if v, ok := attr(attrs, "size"); ok {
		if n, err := strconv.Atoi(v); err == nil && n >= 1 && n <= 7 {
			p.face.size = []float64{10, 13, 16, 18, 24, 32, 48}[n-1]
		}
	}
	css, _ := attr(attrs, "style")
	for decl := range strings.SplitSeq(css, ";") {
		k, v, _ := strings.Cut(decl, ":")
		v = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(v), "!important"))
		switch strings.ToLower(strings.TrimSpace(k)) {
		case "font-size":
			n, err := strconv.ParseFloat(strings.TrimRight(v, "pxemt%"), 64)
			if err != nil || n <= 0 || n > 500 {
				break
			}
			switch {
			case strings.HasSuffix(v, "em"):
				n *= p.face.size
			case strings.HasSuffix(v, "%"):
				n *= p.face.size / 100
			case strings.HasSuffix(v, "pt"):
				n *= 4.0 / 3
			}
			p.face.size = min(n, 500)
		case "font-weight":
			p.face.bold = v == "bold" || v == "bolder" || v >= "600" && v <= "900"
		case "font-style":
			p.face.italic = v == "italic"
		case "text-decoration":
			p.face.under = strings.Contains(v, "underline")
			p.face.strike = strings.Contains(v, "line-through")
		case "color":
			p.color(v)
		case "text-align":
			p.align = side(v, p.align)
		}
	}
}

func (p *reader) color(v string) {
	if c, ok := style.Color(strings.TrimSpace(v)); ok && c != "default" && c != "none" {
		p.face.color = c
	}
}

func side(v, def string) string {
	switch v = strings.ToLower(strings.TrimSpace(v)); v {
	case "left", "center", "right":
		return v
	}
	return def
}

// attr is an html attribute's value.
func attr(attrs, name string) (string, bool) {
	low := strings.ToLower(attrs)
	for at := 0; ; {
		i := strings.Index(low[at:], name+"=")
		if i < 0 {
			return "", false
		}
		i += at
		at = i + len(name) + 1
		if i > 0 && low[i-1] != ' ' {
			continue
		}
		v := attrs[at:]
		if v != "" && (v[0] == '"' || v[0] == '\'') {
			v, _, _ = strings.Cut(v[1:], v[:1])
		} else {
			v, _, _ = strings.Cut(v, " ")
		}
		return html.UnescapeString(v), true
	}
}

// wrap breaks lines at spaces so that they keep to a width; a word that is
// wider stands alone, or is broken where it is far wider.
func wrap(lines []line, width float64) []line {
	var out []line
	for _, l := range lines {
		if l.width() <= width || len(l.runs) == 0 {
			out = append(out, l)
			continue
		}
		cur, used := line{align: l.align}, 0.0
		flush := func() {
			if n := len(cur.runs); n > 0 {
				cur.runs[n-1].text = strings.TrimRight(cur.runs[n-1].text, " ")
			}
			out = append(out, cur)
			cur, used = line{align: l.align}, 0
		}
		for _, r := range l.runs {
			for _, word := range strings.SplitAfter(r.text, " ") {
				if word == "" {
					continue
				}
				w := textWidth(strings.TrimRight(word, " "), r.face)
				if used > 0 && used+w > width {
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
