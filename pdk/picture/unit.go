package picture

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

type (
	point  = vector.Point
	matrix = vector.Matrix
	rect   = vector.Box
)

// degrees parses an angle; ok is false if it is invalid.
func degrees(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	r := vector.NewScanner(s)
	f, ok := r.Number()
	switch r.Rest() {
	case "", "deg":
	case "rad":
		f *= 180 / math.Pi
	case "grad":
		f *= 0.9
	case "turn":
		f *= 360
	default:
		return 0, false
	}
	return f, ok
}

// fitted maps a box into another as preserveAspectRatio demands.
func fitted(from, to rect, keep string) matrix {
	sx, sy := to.Width()/from.Width(), to.Height()/from.Height()
	if !strings.Contains(keep, "none") {
		if strings.Contains(keep, "slice") {
			sx = max(sx, sy)
		} else {
			sx = min(sx, sy)
		}
		sy = sx
	}
	dx, dy := to.Width()-from.Width()*sx, to.Height()-from.Height()*sy
	fx, fy := 0.5, 0.5
	switch {
	case strings.Contains(keep, "xMin"):
		fx = 0
	case strings.Contains(keep, "xMax"):
		fx = 1
	}
	switch {
	case strings.Contains(keep, "YMin"):
		fy = 0
	case strings.Contains(keep, "YMax"):
		fy = 1
	}
	return matrix{A: sx, D: sy, E: to.X0 + dx*fx - from.X0*sx, F: to.Y0 + dy*fy - from.Y0*sy}
}

// viewBox returns the viewBox of an element; ok is false if it has no valid one.
func viewBox(n *node) (box rect, ok bool) {
	b := vector.Numbers(n.Get("viewBox"), 4)
	if len(b) < 4 || b[2] <= 0 || b[3] <= 0 {
		return box, false
	}
	for i := range b {
		b[i] = svgdom.Bounded(b[i], farthest)
	}
	return rect{X0: b[0], Y0: b[1], X1: b[0] + b[2], Y1: b[1] + b[3]}, true
}
