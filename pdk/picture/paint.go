package picture

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// context is the element that refers to another one: a use, or a shape with markers.
type context struct {
	fill, stroke paint
	color        csscolor.Color
	at           place
	node         *node
	style        *style
	box          func() rect // bounding box of a shape; nil if it is to be computed from node
	up           *context
}

// area is what a gradient or a pattern covers.
type area struct {
	m   matrix
	at  *place
	box func() rect
}

// paint draws the fill, the stroke and the markers of a shape.
func (v *visit) paint(n *node, shape vector.Path, lines *vector.Lines, s *style, at *place) {
	if v.recorded != nil {
		if b, ok := shape.Box(at.m); ok {
			*v.recorded = v.recorded.Union(b)
		}
		return
	}
	if v.clipping {
		v.fill(lines, s.ClipEvenOdd, &brush{color: 0xff000000}, s, at.m)
		return
	}
	ar := &area{m: at.m, at: at, box: func() rect { b, _ := lines.Box(); return b }}
	order := s.Order
	if order[0] == 0 {
		order = [3]byte{'f', 's', 'm'}
	}
	for _, what := range order {
		switch what {
		case 'f':
			if n.Type != "line" {
				if b := v.brush(s.Fill, s, s.FillOpacity, ar); b != nil {
					v.fill(lines, s.EvenOdd, b, s, at.m)
				}
			}
		case 's':
			v.outline(lines, s, at, ar)
		case 'm':
			if s.Markers != nil {
				v.markers(shape, s, at, ar)
			}
		}
	}
}

// fill fills the area within lines.
func (v *visit) fill(lines *vector.Lines, evenodd bool, b *brush, s *style, m matrix) {
	r := v.canvas.raster
	for i := range lines.Parts {
		points := lines.Parts[i].Points
		a := device(m, points[len(points)-1])
		for _, q := range points {
			q = device(m, q)
			r.edge(a, q)
			a = q
		}
	}
	v.canvas.fill(evenodd, s.Sharp, b)
}

// outline draws the stroke of a shape.
func (v *visit) outline(lines *vector.Lines, s *style, at *place, ar *area) {
	if !s.Stroke.Visible() || s.Width.N <= 0 || at.m.Factor() < 1e-9 {
		return
	}
	b := v.brush(s.Stroke, s, s.StrokeOpacity, ar)
	if b == nil {
		return
	}
	line := s.Line(at.whole(svgdom.Other))
	r, m := v.canvas.raster, at.m
	line.Cover(lines, m.Factor(), func(points []point, turned bool) {
		a := device(m, points[len(points)-1])
		for _, q := range points {
			q = device(m, q)
			if turned {
				r.edge(q, a)
			} else {
				r.edge(a, q)
			}
			a = q
		}
	})
	v.canvas.fill(false, s.Sharp, b)
}

// brush returns the brush for a paint, nil for nothing.
func (v *visit) brush(p paint, s *style, opacity float64, ar *area) *brush {
	color := s.Color
	for c := ar.at.context; p.Context != 0; {
		if c == nil {
			return nil
		}
		kind := p.Context
		p = c.fill
		if kind == 's' {
			p = c.stroke
		}
		own := *c
		color = c.color
		ar = &area{m: c.at.m, at: &own.at, box: c.box}
		if ar.box == nil {
			ar.box = func() rect { return v.bounds(own.node, own.style, own.at) }
		}
		c = c.up
	}
	if opacity <= 0 || !p.Visible() {
		return nil
	}
	if p.Server != "" {
		var b *brush
		if n := v.doc.ids[p.Server]; n != nil {
			switch n.Type {
			case "linearGradient", "radialGradient":
				b = v.gradient(n, opacity, ar)
			case "pattern":
				b = v.pattern(n, opacity, ar)
			}
		}
		if b != nil || !p.Some {
			return b
		}
	}
	c := p.Color
	if p.Current {
		c = color
	}
	pixel := pixel(c, opacity)
	if pixel>>24 == 0 {
		return nil
	}
	return &brush{color: pixel}
}

// bounds returns the bounding box of the fill of an element, in its own coordinates.
func (v *visit) bounds(n *node, s *style, at place) rect {
	was := v.recorded
	box := vector.Empty()
	v.recorded = &box
	at.m, at.context = vector.Identity(), nil
	plain := *s
	*v.canvas.work -= 16
	v.content(n, &plain, at)
	v.recorded = was
	return box
}

// unit maps the square from 0,0 to 1,1 to a box; ok is false for a box without area.
func unit(b rect) (m matrix, ok bool) {
	w, h := b.Width(), b.Height()
	return matrix{A: w, D: h, E: b.X0, F: b.Y0}, w > 0 && h > 0 && !math.IsInf(w, 0)
}
