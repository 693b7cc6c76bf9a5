package svg

import (
	"html"
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// rich reads an HTML label: its text with bold, italic, underline, strikethrough, sizes, colours, alignment, indents,
// margins, rules and line breaks. It ignores the rest of HTML.
func rich(value string, base face) []line {
	p := &reader{state: state{face: base}, out: []line{{}}}
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
	for len(p.out) > 1 && len(p.out[len(p.out)-1].runs) == 0 && p.out[len(p.out)-1].rule == 0 {
		p.out = p.out[:len(p.out)-1]
	}
	if p.margin > 0 { // space below the last line
		p.out = append(p.out, line{above: p.margin, rule: math.SmallestNonzeroFloat64})
	}
	return p.out
}

// reader turns HTML into lines.
type reader struct {
	state
	out    []line
	open   []state
	margin float64 // space above the next line: the largest of adjacent margins
}

// state holds the properties of the text in an element.
type state struct {
	name        string
	face        face
	align       string
	left, right float64 // indents
	below       float64 // margin below the element
}

// text adds text to the current line. It unescapes entities and collapses white space.
func (p *reader) text(s string) {
	if s == "" {
		return
	}
	l := &p.out[len(p.out)-1]
	if before, after, ok := strings.Cut(s, "\n"); ok { // draw.io turns line ends into <br>
		p.text(before)
		p.newline(true)
		p.text(after)
		return
	}
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
		p.startLine(l)
	}
	l.runs = append(l.runs, run{s, p.face})
}

// startLine sets the alignment and position of a line.
func (p *reader) startLine(l *line) {
	l.align, l.left, l.right = p.align, p.left, p.right
	l.above += p.margin
	p.margin = 0
}

// newline starts a line; unless always is set, only if the current one is not empty.
func (p *reader) newline(always bool) {
	l := &p.out[len(p.out)-1]
	if always && len(l.runs) == 0 && l.rule == 0 {
		p.startLine(l)
	}
	if always || len(l.runs) > 0 || l.rule > 0 {
		p.out = append(p.out, line{})
	}
}

// addMargin requests space above the next line.
func (p *reader) addMargin(margin float64) { p.margin = max(p.margin, margin) }

// margins returns the margin above and below an element in browsers, in font sizes of the element.
func margins(name string) float64 {
	switch name {
	case "p", "ul", "ol", "blockquote", "pre", "h3":
		return 1
	case "h1":
		return 0.67
	case "h2":
		return 0.83
	case "h4":
		return 1.33
	case "hr":
		return 0.5
	}
	return 0
}

// block reports whether an element starts a line of its own.
func block(name string) bool {
	switch name {
	case "div", "p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ul", "ol", "tr", "table", "blockquote", "pre":
		return true
	}
	return false
}

// tag reads the start or end tag of an element.
func (p *reader) tag(name, attrs string) {
	if end, ok := strings.CutPrefix(name, "/"); ok {
		p.close(end)
		return
	}
	switch name {
	case "br":
		p.newline(true)
		return
	case "hr":
		p.rule(attrs)
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
	was := p.state
	was.name = name
	p.open = append(p.open, was)
	if len(p.open) > 200 {
		p.open = p.open[1:]
	}
	p.setFace(name)
	p.applyAttributes(attrs)
	if !block(name) {
		return
	}
	if name == "ul" || name == "ol" || name == "blockquote" {
		p.left += 40
	}
	p.below = margins(name) * p.face.size
	above := p.below
	p.spacing(attrs, &above)
	p.addMargin(above)
	if name == "li" {
		p.text("• ")
	}
}

// close closes the innermost open element with a name, if there is one, and the elements inside it.
func (p *reader) close(name string) {
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.open[i].name == name {
			if block(name) {
				p.newline(false)
				p.addMargin(p.below)
			}
			p.state = p.open[i]
			p.open = p.open[:i]
			return
		}
	}
}

// rule adds a horizontal rule.
func (p *reader) rule(attrs string) {
	p.newline(false)
	was := p.state
	p.below = margins("hr") * p.face.size
	top := p.below
	p.spacing(attrs, &top)
	p.addMargin(top)
	rule := line{rule: 2}
	if size, ok := attr(attrs, "size"); ok {
		if n, err := strconv.ParseFloat(size, 64); err == nil && n > 0 && n <= 50 {
			rule.rule = n
		}
	}
	p.startLine(&rule)
	p.out[len(p.out)-1] = rule
	p.newline(false)
	p.addMargin(p.below)
	p.state = was
}

// setFace changes the face to that of an element.
func (p *reader) setFace(name string) {
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
	}
}

// spacing reads the margins and padding of an element. It sets *above to the space above the element, and the other
// sides in p.
func (p *reader) spacing(attrs string, above *float64) {
	css, _ := attr(attrs, "style")
	for decl := range strings.SplitSeq(css, ";") {
		k, v, _ := strings.Cut(decl, ":")
		k = strings.ToLower(strings.TrimSpace(k))
		kind, side, _ := strings.Cut(k, "-")
		if kind != "margin" && kind != "padding" {
			continue
		}
		f := strings.Fields(v)
		if len(f) == 0 || len(f) > 4 {
			continue
		}
		// Top, right, bottom, left. A missing value is that of the opposite side.
		var edge [4]float64
		for i := range edge {
			edge[i] = p.length(f[min(i, len(f)-1)])
			if i >= len(f) && i >= 2 && len(f) > 1 {
				edge[i] = edge[i-2]
			}
		}
		padding := kind == "padding"
		if side == "" || side == "top" {
			if *above = edge[0] + *above; !padding {
				*above = edge[0]
			}
		}
		if side == "" || side == "right" {
			p.right += edge[1]
		}
		if side == "" || side == "bottom" {
			if p.below += edge[2]; !padding {
				p.below = edge[2]
			}
		}
		if side == "" || side == "left" {
			p.left += edge[3]
		}
	}
}

// length converts a CSS length to units. It is 0 if the length is invalid or not above 0.
func (p *reader) length(v string) float64 {
	n, err := strconv.ParseFloat(strings.TrimRight(v, "pxemt"), 64)
	switch {
	case err != nil || !(n > 0 && n < 1e4):
		return 0
	case strings.HasSuffix(v, "em"):
		return n * p.face.size
	case strings.HasSuffix(v, "pt"):
		return n * 4 / 3
	}
	return n
}

// applyAttributes applies the attributes that change text.
func (p *reader) applyAttributes(attrs string) {
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

// side returns a horizontal alignment, or def if v is none.
func side(v, def string) string {
	switch v = strings.ToLower(strings.TrimSpace(v)); v {
	case "left", "center", "right":
		return v
	}
	return def
}

// attr returns the value of an HTML attribute.
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
