package vector

import (
	"fmt"
	"strings"
)

// maxSegments limits the segments of parsed path data.
const maxSegments = 2_000_000

// Parse parses the data of a d attribute. If the data contains a mistake, Parse returns the
// segments before it, which have to be drawn according to SVG, and an error with its offset.
func Parse(d string) (Path, error) {
	r := reader{Scanner: Scanner{text: d}}
	for {
		r.Space()
		begin := r.at
		if begin == len(d) {
			return r.path, nil
		}
		if len(r.path) >= maxSegments {
			return r.path, fmt.Errorf("path data of more than %d segments", maxSegments)
		}
		leading := false // a comma before the first argument
		if c := d[begin]; c|32 >= 'a' && c|32 <= 'z' {
			r.letter = c
			r.at++
			r.white()
			leading = strings.HasPrefix(r.Rest(), ",")
		} else if r.letter == 0 || r.letter|32 == 'z' {
			return r.path, fmt.Errorf("path data at byte %d: want a command, not %q", begin, clip(d[begin:]))
		}
		if len(r.path) == 0 && r.letter|32 != 'm' {
			return nil, fmt.Errorf("path data at byte %d: it has to begin with M or m, not %q", begin, clip(d[begin:]))
		}
		s, ok := r.segment()
		if !ok || leading {
			return r.path, fmt.Errorf("path data at byte %d: want %s", begin, wants(r.letter))
		}
		r.path = append(r.path, s)
		r.last = s
		if s.Kind == Move {
			r.start = s.To
			r.letter -= 'm' - 'l' // further pairs are lines
		}
	}
}

// wants describes the arguments of a command.
func wants(letter byte) string {
	switch letter | 32 {
	case 'm', 'l', 't':
		return string(letter) + " x y"
	case 'h':
		return string(letter) + " x"
	case 'v':
		return string(letter) + " y"
	case 'q':
		return string(letter) + " x1 y1 x y"
	case 's':
		return string(letter) + " x2 y2 x y"
	case 'c':
		return string(letter) + " x1 y1 x2 y2 x y"
	case 'a':
		return string(letter) + " rx ry angle 0|1 0|1 x y"
	}
	return "one of the commands M L H V C S Q T A Z"
}

type reader struct {
	Scanner
	path   Path
	letter byte
	start  Point   // of the subpath
	last   Segment // the previous one
}

// segment reads the arguments of the current command.
func (r *reader) segment() (s Segment, ok bool) {
	ok = true
	var base Point
	if r.letter >= 'a' {
		base = r.last.To
	}
	num := func() float64 {
		f, good := r.Number()
		ok = ok && good
		return f
	}
	pair := func() Point {
		x := num()
		return Point{finite(base.X + x), finite(base.Y + num())}
	}
	s = Segment{Letter: r.letter, To: r.last.To}
	switch r.letter | 32 {
	case 'm':
		s.Kind, s.To = Move, pair()
	case 'l':
		s.Kind, s.To = Line, pair()
	case 'h':
		s.Kind, s.To.X = Line, finite(base.X+num())
	case 'v':
		s.Kind, s.To.Y = Line, finite(base.Y+num())
	case 'q':
		s.Kind, s.C1 = Quad, pair()
		s.To = pair()
	case 't':
		s.Kind, s.C1 = Quad, r.last.mirrored(Quad)
		s.To = pair()
	case 'c':
		s.Kind, s.C1 = Cubic, pair()
		s.C2 = pair()
		s.To = pair()
	case 's':
		s.Kind, s.C1 = Cubic, r.last.mirrored(Cubic)
		s.C2 = pair()
		s.To = pair()
	case 'a':
		s.Kind = Arc
		s.RX, s.RY, s.Turn = num(), num(), num()
		var large, sweep bool
		s.Large, large = r.Flag()
		s.Sweep, sweep = r.Flag()
		ok = ok && large && sweep
		s.To = pair()
	case 'z':
		s.Kind, s.To = Close, r.start
	default:
		return s, false
	}
	return s, ok
}

// mirrored is the first control point of a smooth curve after s: the last control point of s
// mirrored at its end, or that end if s is not a curve of this kind.
func (s *Segment) mirrored(kind Kind) Point {
	c := s.To
	switch {
	case s.Kind != kind:
	case kind == Quad:
		c = s.C1
	case kind == Cubic:
		c = s.C2
	}
	return Point{finite(2*s.To.X - c.X), finite(2*s.To.Y - c.Y)}
}
