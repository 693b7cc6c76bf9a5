package picture

import "strings"

// stretch is text in one style.
type stretch struct {
	text  string
	style style
	dx    float64
	dy    float64
}

// chunk is text that is anchored as a whole.
type chunk struct {
	at    point
	parts []stretch
}

// text draws a text element.
func (v *visit) text(n *node, s style, m matrix) {
	t := &setter{doc: v.doc}
	t.gather(n, s, 0)
	t.trim()
	for i := range t.chunks {
		v.chunk(&t.chunks[i], m)
	}
}

// setter gathers the text of an element.
type setter struct {
	doc    *document
	chunks []chunk
	pen    point // where the next chunk is that names one coordinate alone
	dx, dy float64
}

func (t *setter) gather(n *node, s style, depth int) {
	if s.gone || depth > 20 {
		return
	}
	x, y := n.attr("x"), n.attr("y")
	if depth == 0 || x != "" || y != "" {
		at := t.pen
		at.x, at.y = first(x, at.x), first(y, at.y)
		t.pen = at
		t.chunks = append(t.chunks, chunk{at: at})
	}
	t.dx += first(n.attr("dx"), 0)
	t.dy += first(n.attr("dy"), 0)
	for _, k := range n.kids {
		switch {
		case k.name == "":
			c := &t.chunks[len(t.chunks)-1]
			text := k.text
			if !s.keepSpace {
				text = collapse(text, len(c.parts) == 0 || strings.HasSuffix(c.parts[len(c.parts)-1].text, " "))
			}
			if text != "" {
				c.parts = append(c.parts, stretch{text, s, t.dx, t.dy})
				t.dx, t.dy = 0, 0
			}
		case k.name == "tspan" || k.name == "a":
			t.gather(k, s.of(t.doc, k), depth+1)
		}
	}
}

// trim takes the space at the end of each chunk away.
func (t *setter) trim() {
	for i := range t.chunks {
		if k := len(t.chunks[i].parts); k > 0 {
			if last := &t.chunks[i].parts[k-1]; !last.style.keepSpace {
				last.text = strings.TrimRight(last.text, " ")
			}
		}
	}
}

// first is the first of the numbers of a list.
func first(s string, def float64) float64 {
	if strings.HasSuffix(s, "em") {
		return number(s, 0, def)
	}
	if list := numbers(s, 1); len(list) > 0 {
		return list[0]
	}
	return def
}

// collapse makes one space of any white, and none at the beginning where asked.
func collapse(s string, atStart bool) string {
	var b strings.Builder
	space := atStart
	for _, r := range s {
		if r == ' ' || r == '\n' || r == '\r' || r == '\t' {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// longest bounds the letters of a stretch that are drawn.
const longest = 5000

// width is the room of text in a style.
func (f *faces) width(text string, s *style) float64 {
	w := 0.0
	count := 0
	for _, r := range text {
		if count++; count > longest {
			break
		}
		w += f.letter(r, s.bold).advance
	}
	return w * s.size
}

func (v *visit) chunk(c *chunk, m matrix) {
	if len(c.parts) == 0 {
		return
	}
	at, total := c.at, 0.0
	for i := range c.parts {
		total += v.faces.width(c.parts[i].text, &c.parts[i].style) + c.parts[i].dx
	}
	switch c.parts[0].style.anchor {
	case 'm':
		at.x -= total / 2
	case 'e':
		at.x -= total
	}
	for i := range c.parts {
		k := &c.parts[i]
		at.x, at.y = at.x+k.dx, at.y+k.dy
		base := at
		switch k.style.middle {
		case 'm':
			base.y += 0.35 * k.style.size
		case 't':
			base.y += 0.8 * k.style.size
		}
		at.x += v.stretch(k, base, m)
	}
}

// stretch draws text from its baseline on and returns its width.
func (v *visit) stretch(k *stretch, at point, m matrix) float64 {
	s := &k.style
	if s.size <= 0 {
		return 0
	}
	scale := s.size / 1000
	x, count := at.x, 0
	out := newPath(m.scale())
	for _, r := range k.text {
		if count++; count > longest {
			break
		}
		l := v.faces.letter(r, s.bold)
		if !s.hidden {
			slant := 0.0
			if s.italic {
				slant = -0.2
			}
			glyph(out, l, matrix{scale, 0, slant * scale, scale, x, at.y}, m.scale()*scale)
		}
		x += l.advance * s.size
	}
	wide := x - at.x
	if s.hidden {
		return wide
	}
	if s.under {
		out.rect(at.x, at.y+0.1*s.size, wide, max(0.06*s.size, 0.5), 0, 0)
	}
	if s.strike {
		out.rect(at.x, at.y-0.3*s.size, wide, max(0.06*s.size, 0.5), 0, 0)
	}
	bold := *s
	bold.evenodd = false
	v.paint(out, &bold, m)
	return wide
}

// glyph adds a letter to a path; m maps thousandths of the size.
func glyph(p *path, l *letter, m matrix, scale float64) {
	switch {
	case l.box:
		w := l.advance*1000 - 120
		for _, inset := range []float64{0, 60} {
			q := [4]point{{60 + inset, -700 + inset}, {60 + w - inset, -700 + inset}, {60 + w - inset, -inset}, {60 + inset, -inset}}
			if inset > 0 {
				q[1], q[3] = q[3], q[1] // the other way round: a hole
			}
			p.move(m.at(q[0]))
			for _, c := range q[1:] {
				p.line(m.at(c))
			}
			p.close()
		}
	case l.drawn != "":
		own := newPath(scale)
		own.data(l.drawn)
		for _, part := range own.parts {
			p.move(m.at(part.points[0]))
			for _, q := range part.points[1:] {
				p.line(m.at(q))
			}
			p.close()
		}
	default:
		for i := range l.outline {
			switch c := &l.outline[i]; {
			case c.begins:
				p.close()
				p.move(m.at(c.to))
			case c.bent:
				p.quad(m.at(c.bend), m.at(c.to))
			default:
				p.line(m.at(c.to))
			}
		}
		p.close()
	}
}
