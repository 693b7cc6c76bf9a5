package scene

import (
	"cmp"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Size of a document that does not state one, as in browsers.
const (
	UsualWidth  = 300
	UsualHeight = 150
)

// ViewBox returns the viewBox of an element.
func ViewBox(n *tree.Node) (b vector.Box, ok bool) {
	v, given := n.Attr("viewBox")
	f := vector.Numbers(v, 4)
	if !given || len(f) < 4 || f[2] <= 0 || f[3] <= 0 {
		return vector.Box{}, false
	}
	return vector.Box{X0: f[0], Y0: f[1], X1: f[0] + f[2], Y1: f[1] + f[3]}, true
}

// Size returns the size at which the document is shown, in pixels.
func (s *Scene) Size() (w, h float64) {
	w, h = UsualWidth, UsualHeight
	box, boxed := ViewBox(s.Doc.Root)
	if boxed {
		w, h = box.Width(), box.Height()
	}
	side := func(name string) float64 { // 0 if it is not given
		f, unit, ok := svgdom.Split(s.Doc.Root.Get(name))
		if !ok || unit == "%" || f <= 0 {
			return 0
		}
		return f * cmp.Or(svgdom.Pixels[unit], 16)
	}
	gw, gh := side("width"), side("height")
	switch {
	case gw > 0 && gh == 0 && boxed:
		gh = gw * h / w
	case gh > 0 && gw == 0 && boxed:
		gw = gh * w / h
	}
	return cmp.Or(gw, w), cmp.Or(gh, h)
}

// Canvas returns the part of the plane that the document shows.
func (s *Scene) Canvas() vector.Box {
	if s.styles.root == s.Doc.Root.Tag {
		return s.styles.canvas
	}
	b, ok := ViewBox(s.Doc.Root)
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
		if b, ok := ViewBox(p); ok {
			return b.Width(), b.Height()
		}
		w, h := s.Viewport(p)
		return s.Measure(p, "width", X, w), s.Measure(p, "height", Y, h)
	}
	c := s.Canvas()
	return c.Width(), c.Height()
}

// fit returns the map from a viewBox into a viewport according to preserveAspectRatio.
func fit(box, view vector.Box, ratio string) vector.Matrix {
	sx, sy := view.Width()/box.Width(), view.Height()/box.Height()
	words := strings.Fields(ratio)
	if len(words) > 0 && words[0] == "defer" {
		words = words[1:]
	}
	align := "xMidYMid"
	if len(words) > 0 {
		align = words[0]
	}
	dx, dy := 0.0, 0.0
	if align != "none" {
		k := math.Min(sx, sy)
		if len(words) > 1 && words[1] == "slice" {
			k = math.Max(sx, sy)
		}
		share := func(name string) float64 {
			switch {
			case strings.Contains(align, name+"Min"):
				return 0
			case strings.Contains(align, name+"Max"):
				return 1
			}
			return 0.5
		}
		dx, dy = share("x")*(view.Width()-box.Width()*k), share("Y")*(view.Height()-box.Height()*k)
		sx, sy = k, k
	}
	return vector.Translate(view.X0+dx, view.Y0+dy).Times(vector.Scale(sx, sy)).Times(vector.Translate(-box.X0, -box.Y0))
}

// inner returns the map from the content of an svg or symbol element to its parent.
// width and height are those of a use, or NaN.
func (s *Scene) inner(n *tree.Node, width, height float64, placed bool) vector.Matrix {
	w, h := s.Viewport(n)
	view := vector.Box{}
	if placed {
		view.X0, view.Y0 = s.Measure(n, "x", X, 0), s.Measure(n, "y", Y, 0)
	}
	w, h = s.Measure(n, "width", X, w), s.Measure(n, "height", Y, h)
	if !math.IsNaN(width) {
		w = width
	}
	if !math.IsNaN(height) {
		h = height
	}
	view.X1, view.Y1 = view.X0+w, view.Y0+h
	if b, ok := ViewBox(n); ok && w > 0 && h > 0 {
		return fit(b, view, n.Get("preserveAspectRatio"))
	}
	return vector.Translate(view.X0, view.Y0)
}

// Transform returns an element's own transform, as its parent sees it.
func (s *Scene) Transform(n *tree.Node) vector.Matrix {
	v, from := s.Own(n, "transform")
	if from == svgdom.Nowhere || v == "" || v == "none" {
		return vector.Identity()
	}
	if from != svgdom.Attribute {
		v = strings.NewReplacer("px", "", "deg", "").Replace(v)
	}
	m, err := vector.ParseTransform(v)
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
	words := strings.Fields(text)
	if len(words) == 1 {
		words = append(words, "center")
	}
	if len(words) < 2 {
		return p, true
	}
	if words[0] == "top" || words[0] == "bottom" || words[1] == "left" || words[1] == "right" {
		words[0], words[1] = words[1], words[0]
	}
	one := func(word string, from, size float64, axis Axis) float64 {
		switch word {
		case "left", "top":
			return from
		case "center":
			return from + size/2
		case "right", "bottom":
			return from + size
		}
		if f, unit, ok := svgdom.Split(word); ok && unit == "%" {
			return from + f*size/100
		}
		f, _ := s.Length(n, word, axis)
		return from + f
	}
	return vector.Point{X: one(words[0], at.X0, at.Width(), X), Y: one(words[1], at.Y0, at.Height(), Y)}, true
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
