package scene

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Size returns the size at which the document is shown, in pixels.
func (s *Scene) Size() (w, h float64) { return svgdom.DocumentSize(s.Doc.Root) }

// Canvas returns the part of the plane that the document shows.
func (s *Scene) Canvas() vector.Box {
	if s.styles.root == s.Doc.Root.Tag {
		return s.styles.canvas
	}
	b, ok := svgdom.ViewBox(s.Doc.Root)
	if !ok {
		w, h := s.Size()
		b = vector.Box{X1: w, Y1: h}
	}
	s.styles.root, s.styles.canvas = s.Doc.Root.Tag, b
	return b
}

// Viewport returns the size that percentages of an element refer to: that of the
// enclosing svg element, in its own units.
func (s *Scene) Viewport(n *tree.Node) (w, h float64) {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Parent == nil {
			break
		}
		if p.Type != "svg" && p.Type != "symbol" {
			continue
		}
		if b, ok := svgdom.ViewBox(p); ok {
			return b.Width(), b.Height()
		}
		w, h := s.Viewport(p)
		return s.Measure(p, "width", svgdom.X, w), s.Measure(p, "height", svgdom.Y, h)
	}
	c := s.Canvas()
	return c.Width(), c.Height()
}

// inner returns the map from the content of an svg or symbol element to its parent.
// width and height are those of a use, or NaN.
func (s *Scene) inner(n *tree.Node, width, height float64, placed bool) vector.Matrix {
	view := s.measure(n).Box(s.Viewport(n))
	if !placed {
		view = view.Moved(-view.X0, -view.Y0)
	}
	if !math.IsNaN(width) {
		view.X1 = view.X0 + width
	}
	if !math.IsNaN(height) {
		view.Y1 = view.Y0 + height
	}
	if b, ok := svgdom.ViewBox(n); ok && view.Width() > 0 && view.Height() > 0 {
		return svgdom.Fit(b, view, n.Get("preserveAspectRatio"))
	}
	return vector.Translate(view.X0, view.Y0)
}

// Transform returns an element's own transform, as its parent sees it.
func (s *Scene) Transform(n *tree.Node) vector.Matrix {
	v, from := s.Own(n, "transform")
	if from == svgdom.Nowhere || v == "" {
		return vector.Identity()
	}
	m, err := svgdom.Transform(v)
	if err != nil {
		return vector.Identity()
	}
	if p, ok := s.Origin(n); ok {
		return m.About(p)
	}
	return m
}

// Origin returns the point about which an element's transform applies. ok is false if none is set; it is then 0,0.
func (s *Scene) Origin(n *tree.Node) (p vector.Point, ok bool) {
	text, from := s.Own(n, "transform-origin")
	if from == svgdom.Nowhere {
		return p, false
	}
	w, h := s.Viewport(n)
	at := vector.Box{X1: w, Y1: h}
	if v, _ := s.Own(n, "transform-box"); v == "fill-box" {
		if b, ok := s.within(n, vector.Identity(), 0); ok {
			at = b
		}
	}
	return svgdom.TransformOrigin(text, at, s.FontSize(n)), true
}

// CTM returns the map from an element's own space, inside its transform, to that of the
// root. For svg elements it is the space of their content.
func (s *Scene) CTM(n *tree.Node) vector.Matrix {
	if n.Parent == nil {
		return vector.Identity()
	}
	if m, ok := s.ctm[n]; ok {
		return m
	}
	own, view := s.Transform(n), n.Type == "svg"
	if own == vector.Identity() && !view {
		return s.CTM(n.Parent)
	}
	m := s.CTM(n.Parent).Times(own)
	if view {
		m = m.Times(s.inner(n, math.NaN(), math.NaN(), true))
	}
	if s.ctm == nil {
		s.ctm = map[*tree.Node]vector.Matrix{}
	}
	s.ctm[n] = m
	return m
}
