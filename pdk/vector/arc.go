package vector

import "math"

// ellipse is an arc in the centre parameterization of SVG's implementation notes: its
// point at the angle a is mid + u·cos(a) + v·sin(a).
type ellipse struct {
	mid, u, v Point
	from, by  float64 // the angle where the arc begins and how far it goes
}

// centred converts an arc that starts at from; ok is false if the arc is a line.
func (s *Segment) centred(from Point) (e ellipse, ok bool) {
	rx, ry := math.Abs(s.RX), math.Abs(s.RY)
	if rx < 1e-9 || ry < 1e-9 || from == s.To {
		return e, false
	}
	sin, cos := math.Sincos(s.Turn * math.Pi / 180)
	dx, dy := (from.X-s.To.X)/2, (from.Y-s.To.Y)/2
	x, y := cos*dx+sin*dy, cos*dy-sin*dx
	if over := x*x/(rx*rx) + y*y/(ry*ry); over > 1 {
		rx, ry = rx*math.Sqrt(over), ry*math.Sqrt(over)
	}
	k := math.Sqrt(max(0, (rx*rx*ry*ry-rx*rx*y*y-ry*ry*x*x)/(rx*rx*y*y+ry*ry*x*x)))
	if s.Large == s.Sweep {
		k = -k
	}
	cx, cy := k*rx*y/ry, -k*ry*x/rx
	e.mid = Point{cos*cx - sin*cy + (from.X+s.To.X)/2, sin*cx + cos*cy + (from.Y+s.To.Y)/2}
	e.u, e.v = Point{cos * rx, sin * rx}, Point{-sin * ry, cos * ry}
	e.from = math.Atan2((y-cy)/ry, (x-cx)/rx)
	e.by = math.Atan2((-y-cy)/ry, (-x-cx)/rx) - e.from
	if s.Sweep && e.by < 0 {
		e.by += 2 * math.Pi
	} else if !s.Sweep && e.by > 0 {
		e.by -= 2 * math.Pi
	}
	if e.by != e.by || e.mid.X != e.mid.X || e.mid.Y != e.mid.Y {
		return e, false
	}
	return e, true
}

func (e *ellipse) at(angle float64) Point {
	sin, cos := math.Sincos(angle)
	return Point{e.mid.X + e.u.X*cos + e.v.X*sin, e.mid.Y + e.u.Y*cos + e.v.Y*sin}
}

// slope is the derivative of at.
func (e *ellipse) slope(angle float64) Point {
	sin, cos := math.Sincos(angle)
	return Point{e.v.X*cos - e.u.X*sin, e.v.Y*cos - e.u.Y*sin}
}

// mapped is the ellipse as m maps it.
func (e ellipse) mapped(m Matrix) ellipse {
	turn := Matrix{A: m.A, B: m.B, C: m.C, D: m.D}
	e.mid, e.u, e.v = m.At(e.mid), turn.At(e.u), turn.At(e.v)
	return e
}

// has reports whether the arc contains the angle.
func (e *ellipse) has(angle float64) bool {
	d := math.Mod(angle-e.from, 2*math.Pi)
	if e.by >= 0 {
		if d < 0 {
			d += 2 * math.Pi
		}
		return d <= e.by
	}
	if d > 0 {
		d -= 2 * math.Pi
	}
	return d >= e.by
}

// mapped is the arc from a point as m maps it, which is an arc, too.
func (s *Segment) mapped(from Point, m Matrix) Segment {
	out := *s
	out.To = m.At(s.To)
	sin, cos := math.Sincos(s.Turn * math.Pi / 180)
	turn := Matrix{A: m.A, B: m.B, C: m.C, D: m.D}
	u, v := turn.At(Point{cos * s.RX, sin * s.RX}), turn.At(Point{-sin * s.RY, cos * s.RY})
	out.RX, out.RY, out.Turn = axes(u, v)
	out.Sweep = s.Sweep != (m.Det() < 0)
	if m.B == 0 && m.C == 0 && math.Abs(m.A) == math.Abs(m.D) && m.A*m.D > 0 {
		// Only scaled, or turned by 180°: keep the angle as it was written.
		out.RX, out.RY, out.Turn = s.RX*math.Abs(m.A), s.RY*math.Abs(m.A), s.Turn
	}
	return out
}

// axes are the half axes of the ellipse u·cos(a) + v·sin(a), and the angle of the first
// in degrees.
func axes(u, v Point) (rx, ry, turn float64) {
	// The angle at which the point is farthest from the middle.
	a := math.Atan2(2*(u.X*v.X+u.Y*v.Y), u.X*u.X+u.Y*u.Y-v.X*v.X-v.Y*v.Y) / 2
	sin, cos := math.Sincos(a)
	p := Point{u.X*cos + v.X*sin, u.Y*cos + v.Y*sin}
	q := Point{v.X*cos - u.X*sin, v.Y*cos - u.Y*sin}
	return math.Hypot(p.X, p.Y), math.Hypot(q.X, q.Y), math.Atan2(p.Y, p.X) * 180 / math.Pi
}
