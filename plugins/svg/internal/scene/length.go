package scene

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Axis says what a percentage refers to.
type Axis byte

// The axes.
const (
	X     Axis = iota // the viewport's width
	Y                 // its height
	Other             // its diagonal, divided by the square root of two
)

// Length returns a length in user units. ok is false if text is not a length.
func (s *Scene) Length(n *tree.Node, text string, axis Axis) (float64, bool) {
	l, ok := svgdom.ReadLength(text)
	if !ok {
		return 0, false
	}
	whole, em := 0.0, 0.0
	switch l.Unit {
	case '%':
		w, h := s.Viewport(n)
		whole = [...]float64{X: w, Y: h, Other: math.Sqrt((w*w + h*h) / 2)}[axis]
	case 'e', 'x':
		em = s.FontSize(n)
	case 'r':
		l.Unit, em = 'e', s.FontSize(s.Doc.Root)
	}
	return l.In(whole, em), true
}

// Measure returns the length that an attribute or a property gives an element, or def.
func (s *Scene) Measure(n *tree.Node, name string, axis Axis, def float64) float64 {
	v, from := s.Own(n, name)
	if f, ok := s.Length(n, v, axis); ok && from != svgdom.Nowhere {
		return f
	}
	return def
}

// FontSize returns an element's font size in user units.
func (s *Scene) FontSize(n *tree.Node) float64 { return s.Style(n).Size }

// Style returns the style of an element where it is in the document.
func (s *Scene) Style(n *tree.Node) *svgdom.Style {
	if known := s.computed[n]; known != nil {
		return known
	}
	around := svgdom.FirstStyle()
	if n.Parent != nil {
		around = *s.Style(n.Parent)
	}
	out := around.Of(s.Cascade, n)
	s.computed[n] = &out
	return &out
}
