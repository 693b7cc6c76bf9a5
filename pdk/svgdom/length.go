package svgdom

import (
	"math"
	"strconv"
	"strings"
)

// farthest limits lengths, so that sums of them stay precise enough.
const farthest = 1e9

// Bounded limits a number to a distance from 0.
func Bounded(f, most float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return min(most, max(-most, f))
}

// Pixels maps absolute units to pixels (CSS Values 4, section 6.2).
var Pixels = map[string]float64{"": 1, "px": 1, "pt": 4. / 3, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96, "q": 96 / 101.6}

// Split splits a length into its number and its unit, in lower case. ok is false if it has no number.
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

// Length is a number with a unit whose size depends on the context. Absolute units are converted to pixels.
type Length struct {
	N    float64
	Unit byte // '%', 'e' for em, 'x' for ex or ch, 'r' for rem, or 0
}

// ReadLength parses a length; ok is false if it is invalid.
func ReadLength(s string) (l Length, ok bool) {
	f, unit, ok := Split(s)
	if !ok {
		return l, false
	}
	switch unit {
	case "":
	case "%", "em", "rem":
		l.Unit = unit[0]
	case "ex", "ch":
		l.Unit = 'x'
	default:
		pixels, known := Pixels[unit]
		if !known {
			return l, false
		}
		f *= pixels
	}
	l.N = Bounded(f, farthest)
	return l, true
}

// In returns the length in pixels, where whole is 100 % and em the font size. The root has the usual font size.
func (l Length) In(whole, em float64) float64 {
	switch l.Unit {
	case '%':
		return Bounded(l.N/100*whole, farthest)
	case 'e':
		return Bounded(l.N*em, farthest)
	case 'x':
		return Bounded(l.N*em/2, farthest)
	case 'r':
		return Bounded(l.N*16, farthest)
	}
	return l.N
}

// LengthOf returns the length in a string, in pixels, or def if it is invalid.
func LengthOf(s string, whole, em, def float64) float64 {
	if l, ok := ReadLength(s); ok {
		return l.In(whole, em)
	}
	return def
}

// Share returns a number or a percentage of 1, or def if it is invalid.
func Share(s string, def float64) float64 { return LengthOf(s, 1, 0, def) }

// FontSize returns the font size that a value stands for where the parent has another one. ok is false if it is invalid.
func FontSize(value string, parent float64) (size float64, ok bool) {
	if l, ok := ReadLength(value); ok {
		return l.In(parent, parent), true
	}
	switch value {
	case "larger":
		return parent * 1.2, true
	case "smaller":
		return parent / 1.2, true
	}
	size, ok = sizes[value]
	return size, ok
}

// sizes maps the named font sizes to pixels.
var sizes = map[string]float64{"xx-small": 9, "x-small": 10, "small": 13, "medium": 16, "large": 18, "x-large": 24, "xx-large": 32}
