package scene

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Painted returns the box of what an element paints, in the space of the root: fills,
// strokes and markers, and what filters make of them, clipped by clip paths and viewports.
// A blur counts up to three deviations. ok is false if it paints nothing.
func (s *Scene) Painted(n *tree.Node) (vector.Box, bool) {
	defer s.allot()()
	parent := vector.Identity()
	if n.Parent != nil {
		parent = s.CTM(n.Parent).Times(s.Transform(n))
	}
	return s.painted(n, parent, 0)
}

// painted returns the box of what an element paints; m maps its own space.
func (s *Scene) painted(n *tree.Node, m vector.Matrix, depth int) (b vector.Box, ok bool) {
	if s.budget--; s.budget < 0 || depth > 300 || !s.Shown(n) {
		return vector.Box{}, false
	}
	if v, _ := s.Own(n, "filter"); strings.Contains(v, "(") {
		if b, ok = s.unfiltered(n, vector.Identity(), depth); ok {
			b = m.Bounds(s.filtered(n, b, depth))
		}
	} else {
		b, ok = s.unfiltered(n, m, depth)
	}
	if !ok {
		return b, false
	}
	if clip, cut := s.clip(n, m, depth); cut {
		b = b.Intersect(clip)
	}
	return b, !b.IsEmpty()
}

// unfiltered returns the box of what an element paints before its filter and clip path; m maps its own space.
func (s *Scene) unfiltered(n *tree.Node, m vector.Matrix, depth int) (b vector.Box, ok bool) {
	switch typ := n.Type; typ {
	case "g", "a", "switch":
		return s.kidsBy((*Scene).painted, n, m, depth)
	case "svg":
		if n.Parent == nil {
			return s.kidsBy((*Scene).painted, n, m, depth)
		}
		if b, ok = s.kidsBy((*Scene).painted, n, m.Times(s.inner(n, math.NaN(), math.NaN(), true)), depth); ok && s.Clips(n) {
			b = b.Intersect(m.Bounds(s.measure(n).Box(s.Viewport(n))))
		}
	case "use":
		return s.useBox((*Scene).painted, n, m, depth)
	default:
		if s.Value(n, "visibility") == "visible" {
			return s.paintedShape(n, m, depth)
		}
	}
	return b, ok
}

// Clips reports whether an element with a viewport hides what is outside of it.
func (s *Scene) Clips(n *tree.Node) bool {
	v, _ := s.Own(n, "overflow")
	return v != "visible" && v != "auto"
}

func (s *Scene) paintedShape(n *tree.Node, m vector.Matrix, depth int) (vector.Box, bool) {
	out, some := vector.Empty(), false
	filled, stroked := s.Value(n, "fill") != "none", s.Value(n, "stroke") != "none" && s.Value(n, "stroke") != ""
	if m.B == 0 && m.C == 0 && filled && !stroked {
		switch n.Type {
		case "rect", "circle":
			return s.within(n, m, depth)
		}
	}
	p, shape := s.Path(n)
	if !shape {
		b, ok := s.within(n, m, depth)
		if ok && stroked && n.Type == "text" {
			w := s.line(n).Width / 2 * m.Factor()
			b = b.Grow(w, w)
		}
		return b, ok
	}
	if filled {
		if b, ok := p.Box(m); ok && b.Width() > 0 && b.Height() > 0 {
			out, some = out.Union(b), true
		}
	}
	if stroked {
		stroke := s.Stroke(n)
		if b, ok := stroke.Box(p, m); ok && stroke.Width > 0 {
			out, some = out.Union(b), true
		}
	}
	if b, ok := s.markers(n, p, m, depth); ok {
		out, some = out.Union(b), true
	}
	return out, some
}

// Stroke returns how an element's outline is drawn, without dashes: dashes never extend
// past the ends of the line.
func (s *Scene) Stroke(n *tree.Node) vector.Stroke {
	out := s.line(n)
	out.Dashes, out.Offset = nil, 0
	return out
}

func (s *Scene) line(n *tree.Node) vector.Stroke {
	return s.Style(n).Line(svgdom.Other.Of(s.Viewport(n)))
}

// Reference returns the element that a property of another one refers to as url(#id).
func (s *Scene) Reference(n *tree.Node, property string) *tree.Node {
	if id := css.Reference(s.Value(n, property)); id != "" {
		return s.Doc.ByID(id)
	}
	return nil
}

// clip returns the box of an element's clip path.
func (s *Scene) clip(n *tree.Node, m vector.Matrix, depth int) (vector.Box, bool) {
	c := s.Reference(n, "clip-path")
	if c == nil || c.Type != "clipPath" || n.Within(c) {
		return vector.Box{}, false
	}
	if c.Get("clipPathUnits") == "objectBoundingBox" {
		b, ok := s.within(n, vector.Identity(), depth+1)
		if !ok {
			return vector.Box{}, false
		}
		m = m.Times(vector.Translate(b.X0, b.Y0)).Times(vector.Scale(b.Width(), b.Height()))
	}
	b, ok := s.kids(c, m.Times(s.Transform(c)), depth+1)
	if !ok {
		return vector.Empty(), true // the element is hidden completely
	}
	return b, true
}

// markers returns the box of the markers on a shape.
func (s *Scene) markers(n *tree.Node, p vector.Path, m vector.Matrix, depth int) (vector.Box, bool) {
	switch n.Type {
	case "path", "line", "polyline", "polygon":
	default:
		return vector.Box{}, false
	}
	var kinds [3]*tree.Node
	any := false
	for i, property := range []string{"marker-start", "marker-mid", "marker-end"} {
		if mk := s.Reference(n, property); mk != nil && mk.Type == "marker" && !n.Within(mk) {
			kinds[i], any = mk, true
		}
	}
	if !any || depth > 20 {
		return vector.Box{}, false
	}
	out, some := vector.Empty(), false
	for _, v := range svgdom.Vertices(p) {
		mk := kinds[v.Kind]
		if mk == nil {
			continue
		}
		if place, fit, _, ok := v.Marker(mk, s.line(n).Width, s.measure(mk)); ok {
			if b, ok := s.kids(mk, m.Times(place).Times(fit), depth+1); ok {
				out, some = out.Union(b), true
			}
		}
	}
	return out, some
}

// Dashes returns the lengths of dashes and gaps of a stroke along a shape's outline,
// nil for a solid line, and the offset at which it begins.
func (s *Scene) Dashes(n *tree.Node, p vector.Path) (dashes []float64, offset float64) {
	line, factor := s.line(n), 1.0
	if f, _, ok := svgdom.Split(n.Get("pathLength")); ok && f > 0 && line.Dashes != nil {
		factor = p.Length() / f
	}
	for _, d := range line.Dashes {
		dashes = append(dashes, d*factor)
	}
	return dashes, line.Offset * factor
}
