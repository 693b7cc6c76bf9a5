package picture

import (
	"math"
	"strconv"
	"strings"
)

// farthest bounds coordinates, so that sums of them stay exact enough.
const farthest = 1e6

// bounded makes any number one to draw with.
func bounded(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return min(farthest, max(-farthest, f))
}

// number is the number that a string is: with px, pt, em or without a unit, or
// as a share of whole with %. def stands for what is no number.
func number(s string, whole, def float64) float64 {
	s = strings.TrimSpace(s)
	if s == "" {
		return def
	}
	scale := 1.0
	switch {
	case strings.HasSuffix(s, "%"):
		s, scale = s[:len(s)-1], whole/100
	case strings.HasSuffix(s, "px"):
		s = s[:len(s)-2]
	case strings.HasSuffix(s, "pt"):
		s, scale = s[:len(s)-2], 4.0/3
	case strings.HasSuffix(s, "em"):
		s, scale = s[:len(s)-2], 12
	case strings.HasSuffix(s, "mm"):
		s, scale = s[:len(s)-2], 96/25.4
	case strings.HasSuffix(s, "cm"):
		s, scale = s[:len(s)-2], 96/2.54
	case strings.HasSuffix(s, "in"):
		s, scale = s[:len(s)-2], 96
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return def
	}
	return bounded(f * scale)
}

// scanner reads numbers and letters of path data, transforms and lists.
type scanner struct{ s string }

func (r *scanner) space() {
	i := 0
	for i < len(r.s) && (r.s[i] <= ' ' || r.s[i] == ',') {
		i++
	}
	r.s = r.s[i:]
}

// number reads a number; ok is false where there is none.
func (r *scanner) number() (f float64, ok bool) {
	r.space()
	i, dot, exp := 0, false, false
	for i < len(r.s) {
		c := r.s[i]
		switch {
		case c >= '0' && c <= '9':
		case c == '.' && !dot && !exp:
			dot = true
		case (c == 'e' || c == 'E') && !exp && i > 0:
			exp = true
		case (c == '-' || c == '+') && (i == 0 || r.s[i-1]|32 == 'e'):
		default:
			goto end
		}
		i++
	}
end:
	f, err := strconv.ParseFloat(r.s[:i], 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	r.s = r.s[i:]
	return bounded(f), true
}

// flag reads a flag of an arc, which may stand without a space before the next.
func (r *scanner) flag() (bool, bool) {
	r.space()
	if r.s == "" || r.s[0] != '0' && r.s[0] != '1' {
		return false, false
	}
	on := r.s[0] == '1'
	r.s = r.s[1:]
	return on, true
}

// numbers are all numbers of a list, at most limit.
func numbers(s string, limit int) []float64 {
	r := scanner{s}
	var out []float64
	for len(out) < limit {
		f, ok := r.number()
		if !ok {
			break
		}
		out = append(out, f)
	}
	return out
}
