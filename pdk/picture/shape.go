package picture

import (
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// tolerance is how far a line may deviate from its curve, in pixels.
const tolerance = 0.15

// newLines returns empty lines that will be drawn at the given scale.
func newLines(scale float64) *vector.Lines {
	return &vector.Lines{Tolerance: tolerance / max(scale, 1e-6), Room: 200_000}
}

// shape returns the geometry of a basic shape or a path, exact and as polylines. If lines is nil there is nothing to draw.
func (v *visit) shape(n *node, s *style, at *place) (shape vector.Path, lines *vector.Lines) {
	*v.canvas.work -= 4 * len(n.Tag)
	shape, _ = v.doc.Outline(n, v.measure(n, s, at))
	lines = newLines(at.m.Factor())
	if b, ok := shape.Box(vector.Identity()); ok && (n.Type == "circle" || n.Type == "ellipse") {
		lines.Ellipse(b.Center().X, b.Center().Y, b.Width()/2, b.Height()/2)
	} else {
		lines.Draw(shape)
	}
	if len(lines.Parts) == 0 {
		return nil, nil
	}
	return shape, lines
}

// measure returns the lengths of an element whose style is s.
func (v *visit) measure(n *node, s *style, at *place) svgdom.Measure {
	return func(name string, axis svgdom.Axis, def float64) float64 {
		text, _ := v.doc.Own(n, name)
		return svgdom.LengthOf(text, at.whole(axis), s.Size, def)
	}
}
