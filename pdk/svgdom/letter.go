package svgdom

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

// Letter is a character of a text at its place.
type Letter struct {
	Of      *Node // the element whose own text it is in
	Style   *Style
	Rune    rune
	At      vector.Point // on the baseline; on a path the distance along it and the distance from it
	Wide    float64      // its width
	Gap     float64      // the space after it
	Stretch float64      // how many times wider it is than usual
	Turn    float64      // degrees, about At
	Down    bool         // vertical writing, with At in the middle of the line
	Along   *vector.Measure
}

// Matrix maps the letter's own coordinates, with its baseline on the x axis, to those of its text. ok is false beyond the
// ends of its path.
func (l *Letter) Matrix() (m vector.Matrix, ok bool) {
	m = vector.Translate(l.At.X, l.At.Y)
	if l.Along != nil {
		at, d, _, ok := l.Along.At(l.At.X + l.Wide/2)
		if !ok || math.IsNaN(d.X) {
			return m, false
		}
		m = vector.Matrix{A: d.X, B: d.Y, C: -d.Y, D: d.X, E: at.X, F: at.Y}.Times(vector.Translate(-l.Wide/2, l.At.Y))
	} else if l.Down {
		return m.Times(vector.Rotate(90)).Times(vector.Translate(0, (Ascent-Descent)/2*l.Style.Size)), true
	}
	if l.Turn != 0 {
		m = m.Times(vector.Rotate(l.Turn))
	}
	return m, true
}

// Box returns the box of the letter, from its font's ascent to its descent, with the space after it.
func (l *Letter) Box() (vector.Box, bool) {
	m, ok := l.Matrix()
	end := l.Wide + l.Gap
	return m.Bounds(vector.Box{X0: min(0, end), Y0: -Ascent * l.Style.Size, X1: max(0, end), Y1: Descent * l.Style.Size}), ok
}

// Ascent and descent of a line of text in font sizes, as the fonts of pictures give them.
const (
	Ascent  = 0.945
	Descent = 0.211
)

// Baseline returns how far below its position text lies for a dominant-baseline, in font sizes.
func Baseline(dominant string) float64 {
	switch dominant {
	case "middle":
		return 0.265 // half the x-height
	case "central":
		return (Ascent - Descent) / 2
	case "mathematical":
		return Ascent / 2
	case "hanging":
		return 0.8 * Ascent
	case "text-before-edge", "before-edge", "text-top":
		return Ascent
	case "text-after-edge", "after-edge", "text-bottom", "ideographic":
		return -Descent
	}
	return 0
}
