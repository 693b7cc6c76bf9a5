package vector

import "math"

// Box is the tight box around p as mapped by m: it encloses the curves and arcs, not
// their control points. A Move without a segment after it draws nothing. ok is false for
// a path that draws nothing.
func (p Path) Box(m Matrix) (b Box, ok bool) {
	b = Empty()
	var from Point
	for i := range p {
		s := &p[i]
		if s.Kind != Move {
			b = s.box(b, from, m)
		}
		from = s.To
	}
	return b, !b.IsEmpty()
}

// box adds to a box the segment that starts at a point.
func (s *Segment) box(b Box, from Point, m Matrix) Box {
	a, z := m.At(from), m.At(s.To)
	b = b.Add(a).Add(z)
	switch s.Kind {
	case Quad:
		c := m.At(s.C1)
		for _, t := range [2]float64{peak(a.X, c.X, z.X), peak(a.Y, c.Y, z.Y)} {
			if t > 0 && t < 1 {
				b = b.Add(a.Lerp(c, t).Lerp(c.Lerp(z, t), t))
			}
		}
	case Cubic:
		c, d := m.At(s.C1), m.At(s.C2)
		if b.Has(c) && b.Has(d) {
			return b
		}
		for _, roots := range [2][2]float64{peaks(a.X, c.X, d.X, z.X), peaks(a.Y, c.Y, d.Y, z.Y)} {
			for _, t := range roots {
				if t > 0 && t < 1 {
					b = b.Add(cubicAt(a, c, d, z, t))
				}
			}
		}
	case Arc:
		e, round := s.centred(from)
		if !round {
			return b
		}
		e = e.mapped(m)
		x, y := math.Atan2(e.v.X, e.u.X), math.Atan2(e.v.Y, e.u.Y)
		for _, angle := range [4]float64{x, x + math.Pi, y, y + math.Pi} {
			if e.has(angle) {
				b = b.Add(e.at(angle))
			}
		}
	}
	return b
}

// peak is the parameter of the extremum of a quadratic curve; outside of 0 to 1 if it has
// none.
func peak(a, c, z float64) float64 {
	d := a - 2*c + z
	if d == 0 {
		return -1
	}
	return (a - c) / d
}

// peaks are the parameters of the extrema of a cubic curve; outside of 0 to 1 if it has
// none.
func peaks(a, c, d, z float64) [2]float64 {
	// The derivative is 3·(k2·t² + 2·k1·t + k0).
	k0, k1, k2 := c-a, a-2*c+d, z-3*d+3*c-a
	if math.Abs(k2) <= 1e-12*(math.Abs(k0)+math.Abs(k1)) {
		if k1 == 0 {
			return [2]float64{-1, -1}
		}
		return [2]float64{-k0 / (2 * k1), -1}
	}
	root := k1*k1 - k0*k2
	if root < 0 {
		return [2]float64{-1, -1}
	}
	// First add numbers of the same sign: a difference would lose digits.
	q := -k1 - math.Copysign(math.Sqrt(root), k1)
	if q == 0 {
		return [2]float64{0, -1}
	}
	return [2]float64{q / k2, k0 / q}
}

func cubicAt(a, c, d, z Point, t float64) Point {
	u := 1 - t
	k0, k1, k2, k3 := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return Point{k0*a.X + k1*c.X + k2*d.X + k3*z.X, k0*a.Y + k1*c.Y + k2*d.Y + k3*z.Y}
}
