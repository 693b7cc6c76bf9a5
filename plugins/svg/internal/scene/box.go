package scene

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Path returns the outline of a shape in its own space. ok is false for an element that
// is not a shape.
func (s *Scene) Path(n *tree.Node) (p vector.Path, ok bool) { return s.Outline(n, s.measure(n)) }

// Local returns the box of an element's geometry in its own space, like getBBox of a
// browser. ok is false if it has none.
func (s *Scene) Local(n *tree.Node) (vector.Box, bool) {
	defer s.allot()()
	return s.within(n, vector.Identity(), 0)
}

// Box returns the box of an element's geometry in the space of the root.
func (s *Scene) Box(n *tree.Node) (vector.Box, bool) {
	defer s.allot()()
	m := s.CTM(n)
	if n.Parent != nil && n.Type == "svg" {
		return s.kids(n, m, 0)
	}
	return s.within(n, m, 0)
}

// within returns the box of an element's geometry, mapped by m.
func (s *Scene) within(n *tree.Node, m vector.Matrix, depth int) (vector.Box, bool) {
	if s.budget--; s.budget < 0 || depth > 300 {
		return vector.Box{}, false
	}
	switch typ := n.Type; typ {
	case "a":
		if n.Parent != nil && s.Doc.Mixed(n.Parent) {
			return s.textBox(n, m)
		}
		return s.kids(n, m, depth)
	case "g", "switch", "defs", "symbol", "marker", "clipPath", "mask", "pattern":
		return s.kids(n, m, depth)
	case "svg":
		if n.Parent != nil {
			m = m.Times(s.inner(n, math.NaN(), math.NaN(), true))
		}
		return s.kids(n, m, depth)
	case "use":
		return s.useBox((*Scene).within, n, m, depth)
	case "image", "foreignObject":
		b := s.measure(n).Box(0, 0)
		return m.Bounds(b), b.Width() > 0 && b.Height() > 0
	case "text", "tspan", "textPath":
		return s.textBox(n, m)
	}
	if m.B == 0 && m.C == 0 {
		if b, ok := s.simpleBox(n); ok {
			return m.Bounds(b), !b.IsEmpty()
		}
	}
	p, ok := s.Path(n)
	if !ok {
		return vector.Box{}, false
	}
	return p.Box(m)
}

// simpleBox returns the box of a shape of a type whose box follows directly from its
// attributes. Most shapes are of these types, and callers ask for thousands of boxes at
// once.
func (s *Scene) simpleBox(n *tree.Node) (vector.Box, bool) {
	switch n.Type {
	case "rect":
		b := s.measure(n).Box(0, 0)
		if b.Width() <= 0 || b.Height() <= 0 {
			b = vector.Empty()
		}
		return b, true
	case "circle":
		x, y, r := s.Measure(n, "cx", svgdom.X, 0), s.Measure(n, "cy", svgdom.Y, 0), s.Measure(n, "r", svgdom.Other, 0)
		if r <= 0 {
			return vector.Empty(), true
		}
		return vector.Box{X0: x - r, Y0: y - r, X1: x + r, Y1: y + r}, true
	case "line":
		return vector.Empty().Add(vector.Point{X: s.Measure(n, "x1", svgdom.X, 0), Y: s.Measure(n, "y1", svgdom.Y, 0)}).Add(vector.Point{X: s.Measure(n, "x2", svgdom.X, 0), Y: s.Measure(n, "y2", svgdom.Y, 0)}), true
	}
	return vector.Box{}, false
}

// measuring is a way to measure an element that m maps: by its geometry, or by what it paints.
type measuring func(s *Scene, n *tree.Node, m vector.Matrix, depth int) (vector.Box, bool)

// kids returns the box of the geometry of an element's children.
func (s *Scene) kids(n *tree.Node, m vector.Matrix, depth int) (vector.Box, bool) {
	return s.kidsBy((*Scene).within, n, m, depth)
}

// kidsBy returns the box of an element's children.
func (s *Scene) kidsBy(box measuring, n *tree.Node, m vector.Matrix, depth int) (vector.Box, bool) {
	out, some := vector.Empty(), false
	chosen := n.Type == "switch"
	for c := range n.Kids() {
		if !svgdom.Draws(c.Type) || !s.Shown(c) || !svgdom.Supported(c) {
			continue
		}
		if b, ok := box(s, c, m.Times(s.Transform(c)), depth+1); ok {
			out, some = out.Union(b), true
		}
		if chosen {
			break
		}
	}
	if !some {
		return vector.Box{}, false
	}
	return out, true
}

// Chosen reports whether the conditional attributes of an element, and those of its
// siblings in a switch, allow it to be drawn.
func (s *Scene) Chosen(n *tree.Node) bool {
	if n.Parent == nil || n.Parent.Type != "switch" {
		return svgdom.Supported(n)
	}
	for c := range n.Parent.Kids() {
		if svgdom.Draws(c.Type) && s.Shown(c) && svgdom.Supported(c) {
			return c == n
		}
	}
	return false
}

// useBox returns the box of what a use element shows.
func (s *Scene) useBox(box measuring, n *tree.Node, m vector.Matrix, depth int) (vector.Box, bool) {
	target := s.Target(n)
	if target == nil || n.Within(target) || depth > 40 || !s.Shown(target) {
		return vector.Box{}, false
	}
	m = m.Times(vector.Translate(s.Measure(n, "x", svgdom.X, 0), s.Measure(n, "y", svgdom.Y, 0))).Times(s.Transform(target))
	if typ := target.Type; typ == "svg" || typ == "symbol" {
		return s.kidsBy(box, target, m.Times(s.useMap(n, target)), depth+1)
	}
	if !svgdom.Draws(target.Type) {
		return vector.Box{}, false
	}
	return box(s, target, m, depth+1)
}

// useMap returns the map from the content of an svg or symbol element to a use that
// shows it.
func (s *Scene) useMap(use, target *tree.Node) vector.Matrix {
	w, h := s.Measure(use, "width", svgdom.X, math.NaN()), s.Measure(use, "height", svgdom.Y, math.NaN())
	return s.inner(target, w, h, target.Type == "svg")
}

// Target returns the element of the document that another one refers to by its href.
func (s *Scene) Target(n *tree.Node) *tree.Node {
	if id, ok := n.Target(); ok {
		return s.Doc.ByID(id)
	}
	return nil
}
