package picture

import (
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// text draws a text element.
func (v *visit) text(n *node, s *style, at place) {
	if s.Upright {
		v.addMissing("text from top to bottom")
	}
	if s.Backward {
		v.addMissing("text from right to left")
	}
	for k := range n.All() {
		if k.Type == "tref" {
			v.addMissing("tref")
		}
	}
	path := func(n *node) *vector.Measure { return v.path(n, &at) }
	list := svgdom.Text{Cascade: v.doc.Cascade, Advance: v.faces.width, W: at.w, H: at.h, Path: path}.Letters(n, s)
	for len(list) > 0 {
		first, k := &list[0], 1
		for k < len(list) && list[k].Style == first.Style && list[k].Along == first.Along && list[k].At.Y == first.At.Y {
			k++
		}
		v.stretch(list[:k], &at)
		list = list[k:]
	}
}

// path returns the path that a textPath refers to, nil if there is none.
func (v *visit) path(n *node, at *place) *vector.Measure {
	of := v.doc.target(n)
	if of == nil || !svgdom.Shape(of.Type) {
		return nil
	}
	own := v.ambient(of)
	shape, lines := v.shape(of, &own, at)
	if lines == nil {
		return nil
	}
	if own.Move != "" {
		if m, ok := v.transform(&own, at); ok {
			shape = shape.Transform(m)
		}
	}
	if len(shape) > 10_000 {
		v.addMissing("text on a path of %d segments", len(shape))
		return nil
	}
	*v.canvas.work -= 1000 * len(shape)
	return shape.Measure()
}

// stretch draws letters on one line that have the same style.
func (v *visit) stretch(list []svgdom.Letter, place *place) {
	s, m := list[0].Style, place.m
	if v.recorded != nil {
		for i := range list {
			if b, ok := list[i].Box(); ok {
				*v.recorded = v.recorded.Union(m.Bounds(b))
			}
		}
		return
	}
	if s.Size <= 0 || s.Hidden {
		return
	}
	out := newLines(m.Factor())
	scale, slant := s.Size/1000, 0.0
	if s.Italic {
		slant = -0.2
	}
	for i := range list {
		l := v.faces.letter(list[i].Rune, s.Bold)
		if l.box {
			v.addMissing("letters that no font here has")
		}
		if to, ok := list[i].Matrix(); ok {
			glyph(out, l, to.Times(matrix{A: scale * list[i].Stretch, C: slant * scale, D: scale}), m.Factor()*scale)
		}
	}
	if first, last := &list[0], &list[len(list)-1]; first.Along == nil && !first.Down {
		w, h := last.At.X+last.Wide+last.Gap-first.At.X, max(0.06*s.Size, 0.5)
		if s.Under {
			underline(out, first.At.X, first.At.Y+0.1*s.Size, w, h)
		}
		if s.Strike {
			underline(out, first.At.X, first.At.Y-0.3*s.Size, w, h)
		}
	}
	if len(out.Parts) == 0 {
		return
	}
	plain := *s
	plain.EvenOdd, plain.ClipEvenOdd, plain.Markers = false, false, nil
	v.paint(letters, nil, out, &plain, place)
}

// letters is the element that stands for the shapes of characters.
var letters = &node{Type: "text"}

func underline(out *vector.Lines, x, y, w, h float64) {
	if w > 0 {
		out.Draw(vector.Rect(x, y, w, h, 0, 0))
	}
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
