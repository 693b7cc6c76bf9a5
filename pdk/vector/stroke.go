package vector

import "math"

// Stroke is how a line is drawn along a path.
type Stroke struct {
	Width float64
	Cap   Cap
	Join  Join
	// Miter limits the length of pointed corners, as a multiple of the width; longer ones
	// are bevelled. 0 stands for 4.
	Miter float64
	// Dashes are the lengths of dashes and gaps in turn; nil for a solid line. A list of
	// odd length is repeated once.
	Dashes []float64
	// Offset is the position in the dashes at which the line begins.
	Offset float64
}

// Cap is the form of the ends of an open line.
type Cap byte

// The caps.
const (
	Butt Cap = iota
	RoundCap
	Square
)

// Join is the form of the corners of a line.
type Join byte

// The joins.
const (
	Miter Join = iota
	RoundJoin
	Bevel
)

// Cover calls put with the area of the stroke as overlapping convex polygons: a box for
// each piece of the lines, and pieces that fill the corners and the ends. Polygons with
// turned have the opposite orientation: if they are reversed, all polygons together are
// one area by the nonzero rule. scale is the scale at which the result is drawn, on which
// the number of corners of a circle depends. points is valid until put returns.
func (s *Stroke) Cover(l *Lines, scale float64, put func(points []Point, turned bool)) {
	k := &pen{Stroke: s, put: put, half: s.Width / 2, miter: s.miter()}
	if !(k.half > 0) {
		return
	}
	k.round = int(min(48, max(6, math.Ceil(math.Pi*math.Sqrt(2*k.half*scale)))))
	s.dashed(l, k.line)
}

func (s *Stroke) miter() float64 {
	if s.Miter == 0 {
		return 4
	}
	return max(1, s.Miter)
}

// Box is the box around the stroke of p, with both mapped by m. It is exact, except for
// round joins and caps, which may be 0.2 % of the width too small. ok is false if nothing
// is drawn.
func (s *Stroke) Box(p Path, m Matrix) (b Box, ok bool) {
	b = Empty()
	factor := max(math.Hypot(m.A, m.B), math.Hypot(m.C, m.D), 1e-9)
	s.Cover(p.Flatten(0.01/factor), math.Inf(1), func(points []Point, _ bool) {
		for _, q := range points {
			b = b.Add(m.At(q))
		}
	})
	return b, !b.IsEmpty()
}

type pen struct {
	*Stroke
	put   func(points []Point, turned bool)
	half  float64
	miter float64
	round int // corners of a circle
	made  []Point
	out   []Point
}

// polygon passes a convex polygon to put.
func (k *pen) polygon(points ...Point) {
	area := 0.0
	a := points[len(points)-1]
	for _, b := range points {
		area += a.X*b.Y - b.X*a.Y
		a = b
	}
	k.out = append(k.out[:0], points...)
	k.put(k.out, area < 0)
}

func (k *pen) disc(c Point) {
	var points [48]Point
	for i := range k.round {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(k.round))
		points[i] = Point{c.X + k.half*cos, c.Y + k.half*sin}
	}
	k.polygon(points[:k.round]...)
}

// pie draws a sector of a disc, starting in the direction from. Unlike a whole disc, it
// does not overlap the boxes of the pieces, so that the pixels at their edges are not
// covered twice.
func (k *pen) pie(c, from Point, sweep float64) {
	var points [50]Point
	n := int(math.Ceil(float64(k.round) * math.Abs(sweep) / (2 * math.Pi)))
	for i := range n + 1 {
		sin, cos := math.Sincos(sweep * float64(i) / float64(n))
		points[i] = Point{c.X + k.half*(from.X*cos-from.Y*sin), c.Y + k.half*(from.X*sin+from.Y*cos)}
	}
	points[n+1] = c
	k.polygon(points[:n+2]...)
}

// dot draws the caps of a line without length.
func (k *pen) dot(c Point) {
	switch h := k.half; k.Cap {
	case RoundCap:
		k.disc(c)
	case Square:
		k.polygon(Point{c.X - h, c.Y - h}, Point{c.X + h, c.Y - h}, Point{c.X + h, c.Y + h}, Point{c.X - h, c.Y + h})
	}
}

// distinct returns the points without those that equal the previous one, in the memory of
// made. The result is not closed if it encloses no area.
func distinct(made, points []Point, closed bool) ([]Point, bool) {
	made = made[:0]
	near := func(p, q Point) bool { return math.Abs(p.X-q.X)+math.Abs(p.Y-q.Y) <= 1e-6 }
	for _, p := range points {
		if n := len(made); n == 0 || !near(made[n-1], p) {
			made = append(made, p)
		}
	}
	if n := len(made); closed && n > 1 && near(made[0], made[n-1]) {
		made = made[:n-1]
	}
	return made, closed && len(made) > 2
}

// line draws connected lines.
func (k *pen) line(points []Point, closed bool) {
	made, closed := distinct(k.made, points, closed)
	k.made = made
	n := len(made)
	if n < 2 {
		if n == 1 {
			k.dot(made[0])
		}
		return
	}
	last := n - 1
	if closed {
		last = n
	}
	for i := range last {
		a, b := made[i], made[(i+1)%n]
		d := unit(a, b)
		if !closed && k.Cap == Square {
			if i == 0 {
				a = Point{a.X - d.X*k.half, a.Y - d.Y*k.half}
			}
			if i == last-1 {
				b = Point{b.X + d.X*k.half, b.Y + d.Y*k.half}
			}
		}
		nx, ny := -d.Y*k.half, d.X*k.half
		k.polygon(Point{a.X + nx, a.Y + ny}, Point{b.X + nx, b.Y + ny}, Point{b.X - nx, b.Y - ny}, Point{a.X - nx, a.Y - ny})
		if closed || i < last-1 {
			k.join(b, d, unit(b, made[(i+2)%n]))
		}
	}
	if !closed && k.Cap == RoundCap {
		d, e := unit(made[0], made[1]), unit(made[n-2], made[n-1])
		k.pie(made[0], Point{d.Y, -d.X}, -math.Pi)
		k.pie(made[n-1], Point{-e.Y, e.X}, -math.Pi)
	}
}

// join fills the corner at p between the directions d and e.
func (k *pen) join(p, d, e Point) {
	cross, dot := d.X*e.Y-d.Y*e.X, d.X*e.X+d.Y*e.Y
	if math.Abs(cross) < 1e-4 && dot > 0 {
		return
	}
	h := k.half
	if cross > 0 {
		h = -h
	}
	if k.Join == RoundJoin {
		side := h / k.half
		k.pie(p, Point{-d.Y * side, d.X * side}, math.Atan2(cross, dot))
		return
	}
	a, b := Point{p.X - d.Y*h, p.Y + d.X*h}, Point{p.X - e.Y*h, p.Y + e.X*h}
	if k.Join == Miter && pointed(dot, k.miter) {
		k.polygon(p, a, tip(p, d, e, h, dot), b)
		return
	}
	k.polygon(p, a, b)
}

// pointed reports whether a miter is within its limit. Its length is 1/sin of half the
// angle; 1+dot is twice the square of that sine.
func pointed(dot, limit float64) bool { return (1+dot)*limit*limit >= 2 }

// tip is the point where the edges at the distance h from the lines in the directions d and
// e meet.
func tip(p, d, e Point, h, dot float64) Point {
	t := h / (1 + dot)
	return Point{p.X + (-d.Y-e.Y)*t, p.Y + (d.X+e.X)*t}
}
