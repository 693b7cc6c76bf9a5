package vector

import "math"

// Lines collects straight lines: its methods cut curves into short lines. Set Tolerance
// and Room before use.
type Lines struct {
	Parts []Polyline
	// Tolerance is how far a line may deviate from its curve.
	Tolerance float64
	// Room is the number of points that may still be added; later ones are dropped.
	Room int

	open  bool // the last part is being drawn
	moved bool // the last part has no line yet
	last  Point
}

// Polyline is a sequence of connected lines.
type Polyline struct {
	Points []Point
	Closed bool // a line leads back to the first point
}

// Flatten converts p to lines that deviate from it by at most about tolerance, with at
// most 1,000,000 points.
func (p Path) Flatten(tolerance float64) *Lines {
	l := &Lines{Tolerance: tolerance, Room: 1_000_000}
	l.Draw(p)
	return l
}

// Draw adds a path.
func (l *Lines) Draw(p Path) {
	for i := range p {
		switch s := &p[i]; s.Kind {
		case Move:
			l.Move(s.To)
		case Line:
			l.Line(s.To)
		case Quad:
			l.Quad(s.C1, s.To)
		case Cubic:
			l.Cubic(s.C1, s.C2, s.To)
		case Arc:
			l.arc(s)
		case Close:
			l.Close()
		}
	}
}

// Move begins a part at a point, if a line follows.
func (l *Lines) Move(to Point) { l.last, l.open, l.moved = to, false, true }

// Line draws a line to a point.
func (l *Lines) Line(to Point) {
	if l.Room <= 0 {
		return
	}
	if !l.open {
		l.begin()
	}
	k := &l.Parts[len(l.Parts)-1]
	k.Points = append(k.Points, to)
	l.last = to
	l.Room--
}

// begin adds a part with its first point.
func (l *Lines) begin() {
	l.Parts = append(l.Parts, Polyline{Points: []Point{l.last}})
	l.open, l.moved = true, false
	l.Room--
}

// Close draws a line back to the start of the part. Directly after a Move it makes a part
// of one point, which has caps.
func (l *Lines) Close() {
	if l.moved && l.Room > 0 {
		l.begin()
	}
	if !l.open {
		return
	}
	k := &l.Parts[len(l.Parts)-1]
	k.Closed, l.open = true, false
	l.last = k.Points[0]
}

// cuts is the number of lines for a curve that deviates from its chord by bend.
func (l *Lines) cuts(bend float64) int {
	return int(min(500, max(1, math.Ceil(math.Sqrt(bend/l.Tolerance)))))
}

// Quad draws a quadratic Bézier curve.
func (l *Lines) Quad(c, to Point) {
	a := l.last
	n := l.cuts(math.Hypot(a.X-2*c.X+to.X, a.Y-2*c.Y+to.Y) / 4)
	for i := 1; i < n; i++ {
		t := float64(i) / float64(n)
		u := 1 - t
		l.Line(Point{u*u*a.X + 2*u*t*c.X + t*t*to.X, u*u*a.Y + 2*u*t*c.Y + t*t*to.Y})
	}
	l.Line(to)
}

// Cubic draws a cubic Bézier curve.
func (l *Lines) Cubic(c, d, to Point) {
	a := l.last
	bend := max(math.Hypot(a.X-2*c.X+d.X, a.Y-2*c.Y+d.Y), math.Hypot(c.X-2*d.X+to.X, c.Y-2*d.Y+to.Y))
	n := l.cuts(bend * 0.75)
	for i := 1; i < n; i++ {
		l.Line(cubicAt(a, c, d, to, float64(i)/float64(n)))
	}
	l.Line(to)
}

func (l *Lines) arc(s *Segment) {
	if e, ok := s.centred(l.last); ok {
		l.swing(&e)
	}
	l.Line(s.To)
}

// swing draws the inner points of an arc.
func (l *Lines) swing(e *ellipse) {
	// A chord over the angle t deviates from its circle by r·(1-cos(t/2)), nearly r·t²/8.
	r := max(math.Hypot(e.u.X, e.u.Y), math.Hypot(e.v.X, e.v.Y))
	n := int(min(360, max(2, math.Ceil(math.Abs(e.by)/math.Sqrt(8*l.Tolerance/max(r, l.Tolerance))))))
	for i := 1; i < n; i++ {
		l.Line(e.at(e.from + e.by*float64(i)/float64(n)))
	}
}

// Ellipse draws a whole ellipse with axes parallel to those of the plane.
func (l *Lines) Ellipse(cx, cy, rx, ry float64) {
	l.Move(Point{cx + rx, cy})
	l.swing(&ellipse{mid: Point{cx, cy}, u: Point{X: rx}, v: Point{Y: ry}, by: 2 * math.Pi})
	l.Close()
}

// Box is the box around all points; ok is false if there are none.
func (l *Lines) Box() (b Box, ok bool) {
	b = Empty()
	for _, part := range l.Parts {
		for _, q := range part.Points {
			b = b.Add(q)
		}
	}
	return b, !b.IsEmpty()
}
