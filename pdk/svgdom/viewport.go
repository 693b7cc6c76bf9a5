package svgdom

import (
	"cmp"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

// Axis says what a percentage refers to.
type Axis byte

// The axes.
const (
	X     Axis = iota // the viewport's width
	Y                 // its height
	Other             // its diagonal, divided by the square root of two
)

// Of returns what a percentage refers to in a viewport.
func (a Axis) Of(w, h float64) float64 {
	switch a {
	case X:
		return w
	case Y:
		return h
	}
	return math.Sqrt((w*w + h*h) / 2)
}

// Measure returns the length that an attribute or a property gives an element, or def.
type Measure func(name string, axis Axis, def float64) float64

// Box returns the box at x and y with width and height, which are w and h if they are not given.
func (m Measure) Box(w, h float64) vector.Box {
	x, y := m("x", X, 0), m("y", Y, 0)
	return vector.Box{X0: x, Y0: y, X1: x + m("width", X, w), Y1: y + m("height", Y, h)}
}

// Size of a document that does not state one, as in browsers.
const (
	UsualWidth  = 300
	UsualHeight = 150
)

// ViewBox returns the viewBox of an element; ok is false if it has no valid one.
func ViewBox(n *Node) (box vector.Box, ok bool) {
	b := vector.Numbers(n.Get("viewBox"), 4)
	if len(b) < 4 || b[2] <= 0 || b[3] <= 0 {
		return box, false
	}
	for i := range b {
		b[i] = Bounded(b[i], farthest)
	}
	return vector.Box{X0: b[0], Y0: b[1], X1: b[0] + b[2], Y1: b[1] + b[3]}, true
}

// DocumentSize returns the size at which a document is shown, in pixels.
func DocumentSize(root *Node) (w, h float64) {
	box, ok := ViewBox(root)
	wide, high := UsualWidth, UsualHeight
	bw, bh := float64(wide), float64(high)
	if ok {
		bw, bh = box.Width(), box.Height()
	}
	w, h = max(0, LengthOf(root.Get("width"), box.Width(), 16, 0)), max(0, LengthOf(root.Get("height"), box.Height(), 16, 0))
	switch {
	case ok && w == 0:
		w = h * bw / bh
	case ok && h == 0:
		h = w * bh / bw
	}
	return cmp.Or(w, bw), cmp.Or(h, bh)
}

// Fit returns the map of a viewBox into a viewport by preserveAspectRatio.
func Fit(box, view vector.Box, ratio string) vector.Matrix {
	sx, sy := view.Width()/box.Width(), view.Height()/box.Height()
	if !strings.Contains(ratio, "none") {
		if strings.Contains(ratio, "slice") {
			sx = max(sx, sy)
		} else {
			sx = min(sx, sy)
		}
		sy = sx
	}
	share := func(axis string) float64 {
		switch {
		case strings.Contains(ratio, axis+"Min"):
			return 0
		case strings.Contains(ratio, axis+"Max"):
			return 1
		}
		return 0.5
	}
	dx, dy := share("x")*(view.Width()-box.Width()*sx), share("Y")*(view.Height()-box.Height()*sy)
	return vector.Matrix{A: sx, D: sy, E: view.X0 + dx - box.X0*sx, F: view.Y0 + dy - box.Y0*sy}
}

// TransformOrigin returns the point that transform-origin names in a box: one or two lengths or sides; a missing one is the centre.
func TransformOrigin(text string, in vector.Box, em float64) vector.Point {
	words := strings.Fields(text)
	if len(words) == 1 {
		words = append(words, "center")
	}
	if len(words) < 2 {
		return vector.Point{}
	}
	if words[0] == "top" || words[0] == "bottom" || words[1] == "left" || words[1] == "right" {
		words[0], words[1] = words[1], words[0]
	}
	at := func(word string, from, size float64) float64 {
		switch word {
		case "left", "top":
			return from
		case "center":
			return from + size/2
		case "right", "bottom":
			return from + size
		}
		return from + LengthOf(word, size, em, 0)
	}
	return vector.Point{X: at(words[0], in.X0, in.Width()), Y: at(words[1], in.Y0, in.Height())}
}

// Transform reads the transform property, also with units as CSS has them. An error says what cannot be read; the matrix
// is then that of what comes before it.
func Transform(text string) (vector.Matrix, error) {
	if text == "none" {
		return vector.Identity(), nil
	}
	return vector.ParseTransform(strings.NewReplacer("px", "", "deg", "").Replace(text))
}

// Degrees parses an angle; ok is false if it is invalid.
func Degrees(s string) (f float64, ok bool) {
	f, unit, ok := Split(s)
	turns, known := map[string]float64{"": 1, "deg": 1, "rad": 180 / math.Pi, "grad": 0.9, "turn": 360}[unit]
	return f * turns, ok && known
}

// Region returns the part of the plane that a filter or a mask covers, by its x, y, width and height, of which each is a
// tenth more than the element to all sides if it is not given. box is that of the element, to which they refer unless
// units is userSpaceOnUse: then they are lengths in a viewport of w by h. ok is false if it has no area.
func Region(attr func(name string) string, units string, box vector.Box, w, h, em float64) (r vector.Box, ok bool) {
	at := vector.Box{X1: 1, Y1: 1}
	if units != "userSpaceOnUse" {
		at, w, h = box, 1, 1
	}
	get := func(name string, whole, def float64) float64 { return LengthOf(attr(name), whole, em, def*whole) }
	r.X0, r.Y0 = at.X0+at.Width()*get("x", w, -0.1), at.Y0+at.Height()*get("y", h, -0.1)
	r.X1, r.Y1 = r.X0+at.Width()*get("width", w, 1.2), r.Y0+at.Height()*get("height", h, 1.2)
	return r, r.Width() > 0 && r.Height() > 0
}
