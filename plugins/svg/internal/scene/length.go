package scene

import (
	"math"
	"strconv"
	"strings"

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

// Pixels maps absolute units to pixels (CSS Values 4, section 6.2).
var Pixels = map[string]float64{"": 1, "px": 1, "pt": 4. / 3, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96, "q": 96 / 101.6}

// Split splits a length into its number and its unit.
func Split(s string) (f float64, unit string, ok bool) {
	s = strings.TrimSpace(s)
	n := len(s)
	for n > 0 && (s[n-1] == '%' || s[n-1] >= 'a' && s[n-1] <= 'z' || s[n-1] >= 'A' && s[n-1] <= 'Z') {
		n--
	}
	if f, err := strconv.ParseFloat(s[:n], 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
		return f, strings.ToLower(s[n:]), true
	}
	return 0, "", false
}

// Length returns a length in user units. ok is false if text is not a length.
func (s *Scene) Length(n *tree.Node, text string, axis Axis) (float64, bool) {
	f, unit, ok := Split(text)
	if !ok {
		return 0, false
	}
	if k, known := Pixels[unit]; known {
		return f * k, true
	}
	switch unit {
	case "%":
		w, h := s.Viewport(n)
		switch axis {
		case X:
			return f * w / 100, true
		case Y:
			return f * h / 100, true
		}
		return f * math.Sqrt((w*w+h*h)/2) / 100, true
	case "em":
		return f * s.FontSize(n), true
	case "ex", "ch":
		return f * s.FontSize(n) / 2, true
	case "rem":
		return f * s.FontSize(s.Doc.Root), true
	}
	return 0, false
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
func (s *Scene) FontSize(n *tree.Node) float64 {
	for m := n; m != nil; m = m.Parent {
		v, from := s.Own(m, "font-size")
		if from == svgdom.Nowhere || v == "inherit" {
			continue
		}
		f, unit, ok := Split(v)
		if !ok {
			if size, named := sizes[v]; named {
				return size
			}
			if by, relative := map[string]float64{"larger": 1.2, "smaller": 1 / 1.2}[v]; relative && m.Parent != nil {
				return by * s.FontSize(m.Parent)
			}
			continue
		}
		if k, known := Pixels[unit]; known {
			return f * k
		}
		around := 16.0
		if m.Parent != nil {
			around = s.FontSize(m.Parent)
		}
		switch unit {
		case "%":
			return f * around / 100
		case "em":
			return f * around
		case "ex", "ch":
			return f * around / 2
		case "rem":
			return f * 16
		}
	}
	return 16
}

// sizes maps the named font sizes to pixels.
var sizes = map[string]float64{"xx-small": 9, "x-small": 10, "small": 13, "medium": 16, "large": 18, "x-large": 24, "xx-large": 32}
