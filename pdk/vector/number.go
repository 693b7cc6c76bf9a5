package vector

import (
	"math"
	"strconv"
)

// Scanner reads the numbers of path data, transforms and lists of coordinates.
type Scanner struct {
	text string
	at   int
}

// NewScanner reads s from its start.
func NewScanner(s string) *Scanner { return &Scanner{text: s} }

// Rest is the text that has not been read yet.
func (r *Scanner) Rest() string { return r.text[r.at:] }

// Space skips white space with at most one comma in it, the separator between two numbers.
func (r *Scanner) Space() {
	r.white()
	if r.at < len(r.text) && r.text[r.at] == ',' {
		r.at++
		r.white()
	}
}

func (r *Scanner) white() {
	for r.at < len(r.text) && r.text[r.at] <= ' ' {
		r.at++
	}
}

// Number reads a number and the space before it; ok is false if there is no number, and
// then nothing but the space is read.
func (r *Scanner) Number() (f float64, ok bool) {
	r.Space()
	s := r.text[r.at:]
	n := numberLength(s)
	if n == 0 {
		return 0, false
	}
	f, err := strconv.ParseFloat(s[:n], 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	r.at += n
	return finite(f), true
}

// numberLength is the length in bytes of the number at the start of s: sign, digits, a
// dot, an exponent with digits.
func numberLength(s string) int {
	i, digits := 0, 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		digits++
	}
	if i+1 < len(s) && s[i] == '.' && s[i+1] >= '0' && s[i+1] <= '9' {
		for i++; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			digits++
		}
	}
	if digits == 0 {
		return 0
	}
	if i < len(s) && s[i]|32 == 'e' {
		j := i + 1
		if j < len(s) && (s[j] == '-' || s[j] == '+') {
			j++
		}
		if j < len(s) && s[j] >= '0' && s[j] <= '9' {
			for ; j < len(s) && s[j] >= '0' && s[j] <= '9'; j++ {
			}
			i = j
		}
	}
	return i
}

// Flag reads a flag of an arc, after which there need not be a space.
func (r *Scanner) Flag() (on, ok bool) {
	r.Space()
	if r.at == len(r.text) || r.text[r.at] != '0' && r.text[r.at] != '1' {
		return false, false
	}
	on = r.text[r.at] == '1'
	r.at++
	return on, true
}

// Numbers returns the numbers at the start of a list, at most limit.
func Numbers(s string, limit int) []float64 {
	r := Scanner{text: s}
	var out []float64
	for len(out) < limit {
		f, ok := r.Number()
		if !ok {
			break
		}
		out = append(out, f)
	}
	return out
}

// AppendNumber appends a number, as short as SVG allows without changing its value: no
// zero before the dot, an exponent if that is shorter.
func AppendNumber(dst []byte, f float64) []byte {
	if f == 0 || f != f {
		return append(dst, '0')
	}
	start := len(dst)
	if a := math.Abs(f); a < 1e-3 || a >= 1e6 {
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		short := shortExponent(dst[start:])
		plain := shortZero(strconv.AppendFloat(nil, f, 'f', -1, 64))
		if len(plain) <= len(short) {
			short = plain
		}
		return append(dst[:start], short...)
	}
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	return dst[:start+len(shortZero(dst[start:]))]
}

// shortZero removes the zero before a dot, in place.
func shortZero(b []byte) []byte {
	i := 0
	if b[0] == '-' {
		i = 1
	}
	if len(b) > i+1 && b[i] == '0' && b[i+1] == '.' {
		return append(b[:i], b[i+1:]...)
	}
	return b
}

// shortExponent removes the plus sign and the leading zeros of an exponent and moves the
// dot behind the last digit: 1.25e-07 becomes 125e-9.
func shortExponent(b []byte) []byte {
	e := len(b) - 1
	for b[e] != 'e' {
		e--
	}
	exp, _ := strconv.Atoi(string(b[e+1:]))
	out := make([]byte, 0, len(b))
	for i, c := range b[:e] {
		if c == '.' {
			exp -= e - i - 1
			continue
		}
		out = append(out, c)
	}
	return strconv.AppendInt(append(out, 'e'), int64(exp), 10)
}
