package vector

import (
	"math"
	"strconv"
)

// String prints p as path data, as short as possible without moving a point. Commands
// stay absolute or relative, unless a relative one would not be exact. Parse reads the
// same segments from it, except for letters that had to change.
func (p Path) String() string { return string(p.Append(nil)) }

// Append appends what String returns to dst.
func (p Path) Append(dst []byte) []byte {
	w := writer{out: dst}
	for i := range p {
		w.segment(&p[i])
	}
	return w.out
}

type writer struct {
	out  []byte
	last Segment
	num  [32]byte
	state
}

// state is what the spelling of the next token depends on.
type state struct {
	letter byte // the letter that arguments without one would belong to
	digit  bool // the last byte is part of a number
	dot    bool // that number has a dot or an exponent
}

// segment writes a segment with its own letter, or with the next one that is exact.
func (w *writer) segment(s *Segment) {
	was, length := w.state, len(w.out)
	for _, letter := range s.letters(&w.last) {
		if w.arguments(letter, s) {
			break
		}
		w.state, w.out = was, w.out[:length]
	}
	w.last = *s
}

// letters are the letters that describe the segment after last, the best one first.
func (s *Segment) letters(last *Segment) []byte {
	own := s.Letter
	relative := own >= 'a'
	var plain byte
	switch s.Kind {
	case Move:
		plain = 'M'
	case Line:
		plain = 'L'
		if own|32 == 'h' && s.To.Y != last.To.Y || own|32 == 'v' && s.To.X != last.To.X {
			own = 0
		}
	case Quad:
		plain = 'Q'
		if own|32 == 't' && s.C1 != last.mirrored(Quad) {
			own = 0
		}
	case Cubic:
		plain = 'C'
		if own|32 == 's' && s.C1 != last.mirrored(Cubic) {
			own = 0
		}
	case Arc:
		plain = 'A'
	case Close:
		plain = 'Z'
	}
	if own == 0 || kindOf(own) != s.Kind {
		own = plain
		if relative {
			own |= 32
		}
	}
	return []byte{own, plain}
}

// kindOf is the kind of segment that a letter writes.
func kindOf(letter byte) Kind {
	switch letter | 32 {
	case 'm':
		return Move
	case 'q', 't':
		return Quad
	case 'c', 's':
		return Cubic
	case 'a':
		return Arc
	case 'z':
		return Close
	}
	return Line
}

// arguments writes a segment with a letter. It returns false if Parse would read other
// points from the result.
func (w *writer) arguments(letter byte, s *Segment) bool {
	if letter != w.letter || s.Kind == Close || s.Kind == Move {
		w.out = append(w.out, letter)
		w.digit = false
	}
	w.letter = letter
	switch letter {
	case 'M':
		w.letter = 'L'
	case 'm':
		w.letter = 'l'
	}
	var base Point
	if letter >= 'a' {
		base = w.last.To
	}
	point := func(p Point) bool { return w.difference(p.X, base.X) && w.difference(p.Y, base.Y) }
	switch letter | 32 {
	case 'h':
		return w.difference(s.To.X, base.X)
	case 'v':
		return w.difference(s.To.Y, base.Y)
	case 'q':
		return point(s.C1) && point(s.To)
	case 'c':
		return point(s.C1) && point(s.C2) && point(s.To)
	case 's':
		return point(s.C2) && point(s.To)
	case 'a':
		w.number(s.RX)
		w.number(s.RY)
		w.number(s.Turn)
		w.flag(s.Large)
		w.flag(s.Sweep)
		return point(s.To)
	case 'z':
		return true
	}
	return point(s.To)
}

// difference writes the shortest number that gives exactly v when added to base. It
// returns false if there is none.
func (w *writer) difference(v, base float64) bool {
	if base == 0 {
		w.number(v)
		return true
	}
	d := v - base
	if shortest := AppendNumber(w.num[:0], d); len(shortest) <= 8 && base+d == v {
		w.token(shortest)
		return true
	}
	for digits := range 17 {
		text := strconv.AppendFloat(w.num[:0], d, 'e', digits, 64)
		f, err := strconv.ParseFloat(string(text), 64)
		if err == nil && base+f == v {
			w.number(f)
			return true
		}
	}
	for _, f := range [2]float64{math.Nextafter(d, math.Inf(1)), math.Nextafter(d, math.Inf(-1))} {
		if base+f == v {
			w.number(f)
			return true
		}
	}
	return false
}

func (w *writer) number(f float64) { w.token(AppendNumber(w.num[:0], f)) }

// token writes a number, after a space if it would otherwise be read as part of the
// previous number.
func (w *writer) token(text []byte) {
	if w.digit && text[0] != '-' && (text[0] != '.' || !w.dot) {
		w.out = append(w.out, ' ')
	}
	w.out = append(w.out, text...)
	w.digit, w.dot = true, false
	for _, c := range text {
		w.dot = w.dot || c == '.' || c == 'e'
	}
}

// flag writes a flag of an arc, after which no space is needed.
func (w *writer) flag(on bool) {
	if w.digit {
		w.out = append(w.out, ' ')
	}
	c := byte('0')
	if on {
		c = '1'
	}
	w.out = append(w.out, c)
	w.digit, w.dot = false, false
}
