package scene

import (
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Length returns a length in user units. ok is false if text is not a length.
func (s *Scene) Length(n *tree.Node, text string, axis svgdom.Axis) (float64, bool) {
	l, ok := svgdom.ReadLength(text)
	if !ok {
		return 0, false
	}
	whole, em := 0.0, 0.0
	switch l.Unit {
	case '%':
		whole = axis.Of(s.Viewport(n))
	case 'e', 'x':
		em = s.FontSize(n)
	case 'r':
		l.Unit, em = 'e', s.FontSize(s.Doc.Root)
	}
	return l.In(whole, em), true
}

// Measure returns the length that an attribute or a property gives an element, or def.
func (s *Scene) Measure(n *tree.Node, name string, axis svgdom.Axis, def float64) float64 {
	v, from := s.Own(n, name)
	if f, ok := s.Length(n, v, axis); ok && from != svgdom.Nowhere {
		return f
	}
	return def
}

// measure returns what measures an element.
func (s *Scene) measure(n *tree.Node) svgdom.Measure {
	return func(name string, axis svgdom.Axis, def float64) float64 { return s.Measure(n, name, axis, def) }
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
