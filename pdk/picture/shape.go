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
	whole := func(key string, of, def float64) float64 { return svgdom.LengthOf(n.Get(key), of, s.Size, def) }
	x := func(key string) float64 { return whole(key, at.w, 0) }
	y := func(key string) float64 { return whole(key, at.h, 0) }
	lines = newLines(at.m.Factor())
	switch n.Type {
	case "rect":
		shape = vector.Rect(x("x"), y("y"), x("width"), y("height"), whole("rx", at.w, -1), whole("ry", at.h, -1))
	case "circle", "ellipse":
		rx, ry := whole("rx", at.w, -1), whole("ry", at.h, -1)
		if n.Type == "circle" {
			rx = whole("r", at.diagonal(), 0)
			ry = rx
		}
		if rx < 0 {
			rx = ry
		}
		if ry < 0 {
			ry = rx
		}
		if rx <= 0 || ry <= 0 {
			return nil, nil
		}
		cx, cy := x("cx"), y("cy")
		lines.Ellipse(cx, cy, rx, ry)
		return vector.Ellipse(cx, cy, rx, ry), lines
	case "line":
		shape = vector.Straight(x("x1"), y("y1"), x("x2"), y("y2"))
	case "polyline", "polygon":
		points := vector.Numbers(n.Get("points"), 100_000)
		if len(points) < 4 {
			return nil, nil
		}
		shape = vector.Polygon(points, n.Type == "polygon")
	case "path":
		d := n.Get("d")
		*v.canvas.work -= 4 * len(d)
		shape, _ = vector.Parse(d) // up to the first mistake
	}
	lines.Draw(shape)
	if len(lines.Parts) == 0 {
		return nil, nil
	}
	return shape, lines
}
