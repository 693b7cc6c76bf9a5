package picture

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// stretch is a run of text in one style.
type stretch struct {
	text  string
	style style
	dx    float64
	dy    float64
	turn  float64 // rotation of each character, in degrees
}

// chunk is a piece of text that is anchored as a whole.
type chunk struct {
	at    point
	parts []stretch
	along *vector.Measure // the path that the text follows, nil for none
	start float64         // where it starts on that path
	// The coordinate is not given: continue after the previous chunk.
	afterX, afterY bool
	wide           float64 // textLength, 0 for the natural width
	stretched      bool    // fit by wider characters rather than by gaps
}

// text draws a text element.
func (v *visit) text(n *node, s *style, at place) {
	if s.upright {
		v.addMissing("text from top to bottom")
	}
	if s.backward {
		v.addMissing("text from right to left")
	}
	t := &setter{visit: v, at: &at}
	t.gather(n, s, 0)
	t.trim()
	var end point
	for i := range t.chunks {
		c := &t.chunks[i]
		if c.afterX {
			c.at.X = end.X
		}
		if c.afterY {
			c.at.Y = end.Y
		}
		end = v.chunk(c, at)
	}
}

// setter collects the text of an element.
type setter struct {
	*visit
	at     *place
	chunks []chunk
	pen    point // position of the next chunk, of which it may give only one coordinate
	dx, dy float64
	lists  []*places // of the enclosing elements, innermost last
}

func (t *setter) gather(n *node, s *style, depth int) {
	if s.gone || depth > 20 {
		return
	}
	if p := t.places(n); p != nil {
		t.lists = append(t.lists, p)
		defer func() { t.lists = t.lists[:len(t.lists)-1] }()
	}
	x, y := n.Get("x"), n.Get("y")
	if depth == 0 || x != "" || y != "" {
		at := t.pen
		at.X, at.Y = first(x, t.at.w, s.size, at.X), first(y, t.at.h, s.size, at.Y)
		t.pen = at
		t.chunks = append(t.chunks, chunk{at: at})
	}
	if n.Type == "textPath" {
		c := chunk{}
		if c.along, c.start = t.path(n, s); c.along == nil {
			return
		}
		t.chunks = append(t.chunks, c)
		defer func() { t.chunks = append(t.chunks, chunk{at: t.pen}) }()
	}
	if wide, ok := readLength(n.Get("textLength")); ok && n.Type != "a" {
		c := &t.chunks[len(t.chunks)-1]
		c.wide, c.stretched = wide.in(t.at.w, s.size), n.Get("lengthAdjust") == "spacingAndGlyphs"
	}
	t.dx += first(n.Get("dx"), t.at.w, s.size, 0)
	t.dy += first(n.Get("dy"), t.at.h, s.size, 0) - baselineShift(s)
	for k := range n.Kids() {
		t.run(svgdom.Plain(k.Lead), s)
		switch {
		case k.Type == "tspan" || k.Type == "a" || k.Type == "textPath" && depth == 0:
			own := s.of(t.doc, k)
			t.gather(k, &own, depth+1)
		case k.Type == "tref":
			t.addMissing("tref")
		}
	}
	t.run(svgdom.Plain(n.Tail), s)
	t.dy += baselineShift(s)
}

// run adds a piece of text.
func (t *setter) run(text string, s *style) {
	c := &t.chunks[len(t.chunks)-1]
	if !s.keepSpace {
		text = collapse(text, len(c.parts) == 0 || strings.HasSuffix(c.parts[len(c.parts)-1].text, " "))
	}
	if text != "" && len(t.lists) > 0 {
		t.apart(text, s)
	} else if text != "" {
		c.parts = append(c.parts, stretch{text: text, style: *s, dx: t.dx, dy: t.dy})
		t.dx, t.dy = 0, 0
	}
}

// baselineShift returns how far baseline-shift raises text.
func baselineShift(s *style) float64 {
	switch s.raise {
	case "", "baseline":
		return 0
	case "sub":
		return -0.2 * s.size
	case "super":
		return 0.4 * s.size
	}
	return lengthOf(s.raise, s.size, s.size, 0)
}

// path returns the path that a textPath refers to, and where on it the text starts; nil if there is none.
func (t *setter) path(n *node, s *style) (along *vector.Measure, start float64) {
	of := t.doc.target(n)
	if of == nil || of.Type != "path" && of.Type != "rect" && of.Type != "circle" && of.Type != "ellipse" && of.Type != "line" && of.Type != "polyline" && of.Type != "polygon" {
		return nil, 0
	}
	own := t.ambient(of)
	shape, lines := t.shape(of, &own, t.at)
	if lines == nil {
		return nil, 0
	}
	if own.move != "" {
		if m, ok := t.transform(&own, t.at); ok {
			shape = shape.Transform(m)
		}
	}
	if len(shape) > 10_000 {
		t.addMissing("text on a path of %d segments", len(shape))
		return nil, 0
	}
	*t.canvas.work -= 1000 * len(shape)
	along = shape.Measure()
	return along, lengthOf(n.Get("startOffset"), along.Length(), s.size, 0)
}

// trim removes the space at the end of each chunk.
func (t *setter) trim() {
	for i := range t.chunks {
		if k := len(t.chunks[i].parts); k > 0 {
			if last := &t.chunks[i].parts[k-1]; !last.style.keepSpace {
				last.text = strings.TrimRight(last.text, " ")
			}
		}
	}
}

// first returns the first of the lengths of a list.
func first(s string, whole, em, def float64) float64 {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, " ,\t\n"); i >= 0 {
		s = s[:i]
	}
	return lengthOf(s, whole, em, def)
}

// collapse replaces white space by single spaces, without one at the start if atStart is set.
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

// longest limits the characters of a stretch that are drawn.
const longest = 5000

// gap returns the extra space after a character.
func (s *style) gap(r rune) float64 {
	g := s.letterGap.in(0, s.size)
	if r == ' ' {
		g += s.wordGap.in(0, s.size)
	}
	return g
}

// width returns the width of text in a style.
func (f *faces) width(text string, s *style) float64 {
	w, gaps := 0.0, 0.0
	count := 0
	for _, r := range text {
		if count++; count > longest {
			break
		}
		w += f.letter(r, s.bold).advance
		gaps += s.gap(r)
	}
	return w*s.size + gaps
}

// chunk draws a chunk and returns its end.
func (v *visit) chunk(c *chunk, where place) (end point) {
	if len(c.parts) == 0 {
		return c.at
	}
	at, total := c.at, 0.0
	for i := range c.parts {
		total += v.faces.width(c.parts[i].text, &c.parts[i].style) + c.parts[i].dx
	}
	if c.wide > 0 && total > 0 {
		total = c.fitWidth(total, &where)
	}
	if c.along != nil {
		at = point{X: c.start}
	}
	switch c.parts[0].style.anchor {
	case 'm':
		at.X -= total / 2
	case 'e':
		at.X -= total
	}
	for i := range c.parts {
		k := &c.parts[i]
		at.X, at.Y = at.X+k.dx, at.Y+k.dy
		base := at
		base.Y += k.style.drop * k.style.size
		at.X += v.stretch(k, base, &where, c.along)
	}
	return at
}

// stretch draws text from a baseline position and returns its width. along is a path that the text follows, or nil.
func (v *visit) stretch(k *stretch, at point, place *place, along *vector.Measure) float64 {
	s := &k.style
	if s.size <= 0 {
		return 0
	}
	scale := s.size / 1000
	x, count := at.X, 0
	m := place.m
	out := newLines(m.Factor())
	for _, r := range k.text {
		if count++; count > longest {
			break
		}
		l := v.faces.letter(r, s.bold)
		if l.box {
			v.addMissing("letters that no font here has")
		}
		if !s.hidden {
			slant := 0.0
			if s.italic {
				slant = -0.2
			}
			to := matrix{A: scale, C: slant * scale, D: scale, E: x, F: at.Y}
			if k.turn != 0 {
				to = to.Times(vector.Rotate(k.turn))
			}
			ok := true
			if along != nil {
				to, ok = onPath(along, x, l.advance*s.size, at.Y, matrix{A: scale, C: slant * scale, D: scale})
			}
			if ok {
				glyph(out, l, to, m.Factor()*scale)
			}
		}
		x += l.advance*s.size + s.gap(r)
	}
	wide := x - at.X
	if v.recorded != nil {
		b := rect{X0: at.X, Y0: at.Y - Ascent*s.size, X1: at.X + wide, Y1: at.Y + Descent*s.size}
		if along != nil {
			var ok bool
			if b, ok = out.Box(); !ok {
				return wide
			}
		}
		*v.recorded = v.recorded.Union(m.Bounds(b))
		return wide
	}
	if s.hidden {
		return wide
	}
	if along == nil {
		if s.under {
			underline(out, at.X, at.Y+0.1*s.size, wide, max(0.06*s.size, 0.5))
		}
		if s.strike {
			underline(out, at.X, at.Y-0.3*s.size, wide, max(0.06*s.size, 0.5))
		}
	}
	if len(out.Parts) == 0 {
		return wide
	}
	bold := *s
	bold.evenodd, bold.clipEvenodd, bold.markers = false, false, nil
	v.paint(letters, nil, out, &bold, place)
	return wide
}

// letters is the element that stands for the shapes of characters.
var letters = &node{Type: "text"}

func underline(out *vector.Lines, x, y, w, h float64) {
	if w > 0 {
		out.Draw(vector.Rect(x, y, w, h, 0, 0))
	}
}

// onPath positions a character whose middle lies on a path; ok is false beyond its ends.
func onPath(along *vector.Measure, x, advance, y float64, m matrix) (to matrix, ok bool) {
	at, d, _, ok := along.At(x + advance/2)
	if !ok || math.IsNaN(d.X) {
		return m, false
	}
	turn := matrix{A: d.X, B: d.Y, C: -d.Y, D: d.X, E: at.X, F: at.Y}
	return turn.Times(vector.Translate(-advance/2, y)).Times(m), true
}

// glyph adds a glyph to lines; m maps thousandths of the font size.
func glyph(p *vector.Lines, l *letter, m matrix, scale float64) {
	switch {
	case l.box:
		w := l.advance*1000 - 120
		for _, inset := range []float64{0, 60} {
			q := [4]point{{X: 60 + inset, Y: -700 + inset}, {X: 60 + w - inset, Y: -700 + inset}, {X: 60 + w - inset, Y: -inset}, {X: 60 + inset, Y: -inset}}
			if inset > 0 {
				q[1], q[3] = q[3], q[1] // the opposite orientation makes a hole
			}
			p.Move(m.At(q[0]))
			for _, c := range q[1:] {
				p.Line(m.At(c))
			}
			p.Close()
		}
	case l.drawn != "":
		own := newLines(scale)
		shape, _ := vector.Parse(l.drawn)
		own.Draw(shape)
		for _, part := range own.Parts {
			p.Move(m.At(part.Points[0]))
			for _, q := range part.Points[1:] {
				p.Line(m.At(q))
			}
			p.Close()
		}
	default:
		for i := range l.outline {
			switch c := &l.outline[i]; {
			case c.begins:
				p.Close()
				p.Move(m.At(c.to))
			case c.bent:
				p.Quad(m.At(c.bend), m.At(c.to))
			default:
				p.Line(m.At(c.to))
			}
		}
		p.Close()
	}
}
