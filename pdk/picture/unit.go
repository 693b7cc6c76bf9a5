package picture

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

type (
	point  = vector.Point
	matrix = vector.Matrix
	rect   = vector.Box
)

// farthest limits coordinates, so that sums of them stay precise enough.
const farthest = 1e6

// bounded limits a number to that range.
func bounded(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return min(farthest, max(-farthest, f))
}

// length is a number with a unit whose size depends on the context; absolute units are converted to pixels.
type length struct {
	n    float64
	unit byte // '%', 'e' for em, 'x' for ex, or 0
}

func px(n float64) length { return length{n: n} }

// in returns the length in pixels, where whole is 100 % and em the font size.
func (l length) in(whole, em float64) float64 {
	switch l.unit {
	case '%':
		return bounded(l.n / 100 * whole)
	case 'e':
		return bounded(l.n * em)
	case 'x':
		return bounded(l.n * em / 2)
	}
	return l.n
}

// units are the absolute units in pixels.
var units = [...]struct {
	name   string
	pixels float64
}{{"px", 1}, {"pt", 4.0 / 3}, {"mm", 96 / 25.4}, {"cm", 96 / 2.54}, {"in", 96}, {"pc", 16}, {"rem", 16}, {"Q", 96 / 101.6}}

// readLength parses a length; ok is false if it is invalid.
func readLength(s string) (l length, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return l, false
	}
	scale := 1.0
	if c := s[len(s)-1]; c == '%' {
		s, l.unit = s[:len(s)-1], '%'
	} else if c > '9' {
		found := false
		for i := range units {
			if rest, ok := strings.CutSuffix(s, units[i].name); ok {
				s, scale, found = rest, units[i].pixels, true
				break
			}
		}
		if !found {
			if rest, ok := strings.CutSuffix(s, "em"); ok {
				s, l.unit = rest, 'e'
			} else if rest, ok := strings.CutSuffix(s, "ex"); ok {
				s, l.unit = rest, 'x'
			}
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return length{}, false
	}
	l.n = bounded(f * scale)
	return l, true
}

// lengthOf returns the length in a string, in pixels, or def if it is invalid.
func lengthOf(s string, whole, em, def float64) float64 {
	if l, ok := readLength(s); ok {
		return l.in(whole, em)
	}
	return def
}

// number returns a number or a percentage of 1, or def if it is invalid.
func number(s string, def float64) float64 { return lengthOf(s, 1, 0, def) }

// plainNumber parses a number or a percentage, without any unit.
func plainNumber(s string) (f float64, ok bool) {
	if s = strings.TrimSpace(s); s == "" || s[len(s)-1] > '9' {
		return 0, false
	}
	l, ok := readLength(s)
	return l.in(1, 0), ok
}

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
		b[i] = bounded(b[i])
	}
	return rect{X0: b[0], Y0: b[1], X1: b[0] + b[2], Y1: b[1] + b[3]}, true
}
