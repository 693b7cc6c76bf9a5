package scene

import (
	"cmp"
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
			w, h := s.Viewport(n)
			x, y := s.Measure(n, "x", X, 0), s.Measure(n, "y", Y, 0)
			b = b.Intersect(m.Bounds(vector.Box{X0: x, Y0: y, X1: x + s.Measure(n, "width", X, w), Y1: y + s.Measure(n, "height", Y, h)}))
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
			w := s.strokeWidth(n) / 2 * m.Factor()
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

func (s *Scene) strokeWidth(n *tree.Node) float64 {
	w, ok := s.Length(n, s.Value(n, "stroke-width"), Other)
	if !ok {
		return 1
	}
	return max(0, w)
}

// Stroke returns how an element's outline is drawn, without dashes: dashes never extend
// past the ends of the line.
func (s *Scene) Stroke(n *tree.Node) vector.Stroke {
	out := vector.Stroke{Width: s.strokeWidth(n), Miter: 4}
	switch s.Value(n, "stroke-linecap") {
	case "round":
		out.Cap = vector.RoundCap
	case "square":
		out.Cap = vector.Square
	}
	switch s.Value(n, "stroke-linejoin") {
	case "round":
		out.Join = vector.RoundJoin
	case "bevel":
		out.Join = vector.Bevel
	}
	if f, unit, ok := svgdom.Split(s.Value(n, "stroke-miterlimit")); ok && unit == "" && f >= 1 {
		out.Miter = f
	}
	return out
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

// vertex is a point of a path with its incoming and outgoing directions.
type vertex struct {
	at      vector.Point
	in, out vector.Point // zero if there is none
}

// vertices returns the points for markers.
func vertices(p vector.Path) (out []vertex) {
	at := vector.Point{}
	start := 0
	for _, seg := range p.Cubics() {
		switch seg.Kind {
		case vector.Move:
			start = len(out)
			out = append(out, vertex{at: seg.To})
		default:
			c1, c2 := seg.C1, seg.C2
			switch seg.Kind {
			case vector.Quad:
				c2 = c1
			case vector.Line, vector.Close:
				c1, c2 = seg.To, at
			}
			if c1 == at {
				c1 = c2
			}
			if c1 == at {
				c1 = seg.To
			}
			if c2 == seg.To {
				c2 = c1
			}
			if c2 == seg.To {
				c2 = at
			}
			if len(out) == 0 {
				continue
			}
			out[len(out)-1].out = c1.Minus(at)
			out = append(out, vertex{at: seg.To, in: seg.To.Minus(c2)})
			if seg.Kind == vector.Close {
				out[len(out)-1].out = out[start].out
				out[start].in = out[len(out)-1].in
			}
		}
		at = seg.To
	}
	return out
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
	list := vertices(p)
	for i, v := range list {
		mk := kinds[1]
		if i == 0 {
			mk = kinds[0]
		} else if i == len(list)-1 {
			mk = kinds[2]
		}
		if mk != nil {
			if b, ok := s.kids(mk, m.Times(s.marker(n, mk, v, i == 0)), depth+1); ok {
				out, some = out.Union(b), true
			}
		}
	}
	return out, some
}

// marker returns the map from a marker's content to the space of the shape.
func (s *Scene) marker(n, mk *tree.Node, v vertex, first bool) vector.Matrix {
	angle := 0.0
	switch orient := mk.Get("orient"); orient {
	case "auto", "auto-start-reverse":
		norm := func(p vector.Point) vector.Point {
			l := cmp.Or(math.Hypot(p.X, p.Y), 1)
			return vector.Point{X: p.X / l, Y: p.Y / l}
		}
		way := norm(v.in).Plus(norm(v.out))
		angle = math.Atan2(way.Y, way.X) * 180 / math.Pi
		if first && orient == "auto-start-reverse" {
			angle += 180
		}
	default:
		angle, _, _ = svgdom.Split(strings.TrimSuffix(orient, "deg"))
	}
	m := vector.Translate(v.at.X, v.at.Y).Times(vector.Rotate(angle))
	if mk.Get("markerUnits") != "userSpaceOnUse" {
		w := s.strokeWidth(n)
		m = m.Times(vector.Scale(w, w))
	}
	w, h := s.Measure(mk, "markerWidth", X, 3), s.Measure(mk, "markerHeight", Y, 3)
	ref := vector.Point{X: s.Measure(mk, "refX", X, 0), Y: s.Measure(mk, "refY", Y, 0)}
	if b, ok := ViewBox(mk); ok {
		f := fit(b, vector.Box{X1: w, Y1: h}, mk.Get("preserveAspectRatio"))
		r := f.At(ref)
		return m.Times(vector.Translate(-r.X, -r.Y)).Times(f)
	}
	return m.Times(vector.Translate(-ref.X, -ref.Y))
}

// Dashes returns the lengths of dashes and gaps of a stroke along a shape's outline,
// nil for a solid line, and the offset at which it begins.
func (s *Scene) Dashes(n *tree.Node, p vector.Path) (dashes []float64, offset float64) {
	list := s.Value(n, "stroke-dasharray")
	if list == "none" {
		return nil, 0
	}
	factor := 1.0
	if v, ok := n.Attr("pathLength"); ok {
		if f, _, ok := svgdom.Split(v); ok && f > 0 {
			factor = p.Length() / f
		}
	}
	for _, w := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }) {
		f, ok := s.Length(n, w, Other)
		if !ok || f < 0 {
			return nil, 0
		}
		dashes = append(dashes, f*factor)
	}
	offset, _ = s.Length(n, s.Value(n, "stroke-dashoffset"), Other)
	return dashes, offset * factor
}
