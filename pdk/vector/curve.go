package vector

import (
	"math"
	"slices"
)

// curve is a span, or the parallel curve of one at a distance.
type curve struct {
	span
	// beside is the distance of the curve from the span, to the right of its direction on a
	// screen.
	beside float64
}

// newCurve makes a curve of the segment from a point; ok is false if it draws nothing.
func newCurve(from Point, s *Segment) (k curve, ok bool) {
	k.span = span{from: from, c1: s.C1, c2: s.C2, to: s.To, kind: s.Kind}
	switch s.Kind {
	case Move:
		return k, false
	case Close:
		k.kind = Line
	case Arc:
		if k.round, ok = s.centred(from); !ok {
			k.kind = Line
		}
	case Quad:
		if k.c1 == from || k.c1 == s.To {
			k.kind = Line
		}
	case Cubic:
		if k.c1 == from && k.c2 == s.To {
			k.kind = Line
		}
	}
	return k, k.kind != Line || from != s.To
}

// aside is the parallel curve at a distance. That of a line is a line, that of an arc of a
// circle is an arc.
func (k *curve) aside(distance float64) curve {
	out := *k
	out.marks = nil
	switch {
	case k.kind == Line:
		d := unit(k.from, k.to)
		x, y := -d.Y*distance, d.X*distance
		out.from, out.to = Point{k.from.X + x, k.from.Y + y}, Point{k.to.X + x, k.to.Y + y}
	case k.kind == Arc && k.round.isCircle():
		f := 1 - distance/math.Hypot(k.round.u.X, k.round.u.Y)
		if (k.round.by < 0) != (k.round.det() < 0) {
			f = 2 - f
		}
		e := &out.round
		e.u, e.v = Point{e.u.X * f, e.u.Y * f}, Point{e.v.X * f, e.v.Y * f}
		out.from, out.to = e.at(e.from), e.at(e.from+e.by)
	default:
		out.beside = distance
	}
	return out
}

func (e *ellipse) det() float64 { return e.u.X*e.v.Y - e.u.Y*e.v.X }

func (e *ellipse) isCircle() bool {
	u, v := math.Hypot(e.u.X, e.u.Y), math.Hypot(e.v.X, e.v.Y)
	return math.Abs(u-v) <= 1e-9*(u+v)
}

// at is the point at t; at 0 and 1 it is exactly the start and the end of the segment.
func (k *curve) at(t float64) Point {
	if k.beside == 0 {
		switch t {
		case 0:
			return k.from
		case 1:
			return k.to
		}
		return k.span.at(t)
	}
	p, d := k.span.at(t), k.direction(t)
	return Point{p.X - d.Y*k.beside, p.Y + d.X*k.beside}
}

// slope is the derivative of at.
func (k *curve) slope(t float64) Point {
	s := k.span.slope(t)
	if k.beside == 0 {
		return s
	}
	l := math.Hypot(s.X, s.Y)
	if l < 1e-12 {
		return Point{}
	}
	b := k.second(t)
	f := 1 - k.beside*(s.X*b.Y-s.Y*b.X)/(l*l*l)
	return Point{s.X * f, s.Y * f}
}

// second is the second derivative of the span.
func (k *curve) second(t float64) Point {
	switch k.kind {
	case Quad:
		return Point{2 * (k.from.X - 2*k.c1.X + k.to.X), 2 * (k.from.Y - 2*k.c1.Y + k.to.Y)}
	case Cubic:
		u := 1 - t
		return Point{
			6*u*(k.from.X-2*k.c1.X+k.c2.X) + 6*t*(k.c1.X-2*k.c2.X+k.to.X),
			6*u*(k.from.Y-2*k.c1.Y+k.c2.Y) + 6*t*(k.c1.Y-2*k.c2.Y+k.to.Y),
		}
	case Arc:
		e := &k.round
		p := e.at(e.from + e.by*t)
		return Point{(e.mid.X - p.X) * e.by * e.by, (e.mid.Y - p.Y) * e.by * e.by}
	}
	return Point{}
}

// bounds is a box around the span, not always a tight one.
func (k *curve) bounds() Box {
	b := Empty().Add(k.from).Add(k.to)
	switch k.kind {
	case Quad:
		b = b.Add(k.c1)
	case Cubic:
		b = b.Add(k.c1).Add(k.c2)
	case Arc:
		e := &k.round
		x, y := math.Hypot(e.u.X, e.v.X), math.Hypot(e.u.Y, e.v.Y)
		b = b.Add(Point{e.mid.X - x, e.mid.Y - y}).Add(Point{e.mid.X + x, e.mid.Y + y})
	}
	return b
}

// turns are the parameters between 0 and 1 at which a span has an extremum in x or y.
func (k *curve) turns() (out []float64) {
	add := func(t float64) {
		if t > 1e-6 && t < 1-1e-6 {
			out = append(out, t)
		}
	}
	switch k.kind {
	case Quad:
		add(peak(k.from.X, k.c1.X, k.to.X))
		add(peak(k.from.Y, k.c1.Y, k.to.Y))
	case Cubic:
		for _, roots := range [2][2]float64{peaks(k.from.X, k.c1.X, k.c2.X, k.to.X), peaks(k.from.Y, k.c1.Y, k.c2.Y, k.to.Y)} {
			add(roots[0])
			add(roots[1])
		}
	case Arc:
		e := &k.round
		x, y := math.Atan2(e.v.X, e.u.X), math.Atan2(e.v.Y, e.u.Y)
		for _, angle := range [4]float64{x, x + math.Pi, y, y + math.Pi} {
			if e.has(angle) {
				d := math.Mod(angle-e.from, 2*math.Pi)
				if d*e.by < 0 {
					d += math.Copysign(2*math.Pi, e.by)
				}
				add(d / e.by)
			}
		}
	}
	return out
}

// cuts are parameters from 0 to 1, including the given ones, between which the span
// deviates from its chords by at most tolerance.
func (k *curve) cuts(tolerance float64, given []float64) []float64 {
	if k.kind == Line {
		return append(append([]float64{0}, given...), 1)
	}
	n := 1.0
	switch k.kind {
	case Quad:
		n = math.Sqrt(math.Hypot(k.from.X-2*k.c1.X+k.to.X, k.from.Y-2*k.c1.Y+k.to.Y) / 4 / tolerance)
	case Cubic:
		bend := max(math.Hypot(k.from.X-2*k.c1.X+k.c2.X, k.from.Y-2*k.c1.Y+k.c2.Y), math.Hypot(k.c1.X-2*k.c2.X+k.to.X, k.c1.Y-2*k.c2.Y+k.to.Y))
		n = math.Sqrt(bend * 0.75 / tolerance)
	case Arc:
		r := max(math.Hypot(k.round.u.X, k.round.u.Y), math.Hypot(k.round.v.X, k.round.v.Y))
		n = max(4, math.Abs(k.round.by)/math.Sqrt(8*tolerance/max(r, tolerance)))
	}
	n = min(n, 2000)
	fixed := slices.Concat([]float64{0, 1}, given, k.turns())
	slices.Sort(fixed)
	out := []float64{0}
	for i := 1; i < len(fixed); i++ {
		a, b := fixed[i-1], fixed[i]
		if b-a < 1e-9 {
			continue
		}
		parts := max(1, math.Ceil((b-a)*n))
		for j := 1.0; j < parts; j++ {
			out = append(out, a+(b-a)*j/parts)
		}
		out = append(out, b)
	}
	return out
}

// nearest is the parameter of the point of the curve that is nearest to p, and its distance.
func (k *curve) nearest(p Point) (t, distance float64) {
	distance = math.Inf(1)
	const samples = 16
	for i := range samples + 1 {
		at := float64(i) / samples
		if d := k.at(at).Distance(p); d < distance {
			t, distance = at, d
		}
	}
	for range 12 {
		q, s, b := k.at(t), k.slope(t), k.second(t)
		x, y := q.X-p.X, q.Y-p.Y
		f := s.X*s.X + s.Y*s.Y + x*b.X + y*b.Y
		if f <= 0 {
			f = s.X*s.X + s.Y*s.Y
		}
		if f == 0 {
			break
		}
		next := min(1, max(0, t-(x*s.X+y*s.Y)/f))
		if d := k.at(next).Distance(p); d <= distance {
			t, distance = next, d
		} else {
			break
		}
	}
	return t, distance
}

// put adds the piece between two parameters to a path that ends at the start of the piece.
// to is the end point to use, which is near the end of the piece. A parallel curve is
// approximated within tolerance.
func (k *curve) put(p *Path, t0, t1 float64, to Point, tolerance float64) {
	if k.beside != 0 {
		k.putFitted(p, t0, t1, to, tolerance, 8)
		return
	}
	switch k.kind {
	case Quad:
		p.QuadTo(k.polar2(t0, t1), to)
	case Cubic:
		p.CubicTo(k.polar3(t0, t0, t1), k.polar3(t0, t1, t1), to)
	case Arc:
		by := k.round.by * (t1 - t0)
		if math.Abs(by) > math.Pi*0.99 {
			// The shape of such a wide arc would depend too much on its exact end.
			mid := (t0 + t1) / 2
			k.putArc(p, by/2, k.at(mid))
			by /= 2
		}
		k.putArc(p, by, to)
	default:
		p.LineTo(to)
	}
}

func (k *curve) putArc(p *Path, by float64, to Point) {
	e := &k.round
	turn := math.Atan2(e.u.Y, e.u.X) * 180 / math.Pi
	if e.isCircle() {
		turn = 0
	} else if turn = math.Mod(turn+180, 180); turn > 90 {
		turn -= 180
	}
	p.ArcTo(math.Hypot(e.u.X, e.u.Y), math.Hypot(e.v.X, e.v.Y), turn, false, (by > 0) == (e.det() > 0), to)
}

// polar2 and polar3 are the blossom of the curve, which gives the control points of its
// pieces.
func (k *curve) polar2(s, t float64) Point {
	return k.from.Lerp(k.c1, s).Lerp(k.c1.Lerp(k.to, s), t)
}

func (k *curve) polar3(r, s, t float64) Point {
	a, b, c := k.from.Lerp(k.c1, r), k.c1.Lerp(k.c2, r), k.c2.Lerp(k.to, r)
	return a.Lerp(b, s).Lerp(b.Lerp(c, s), t)
}

// straightened returns a line instead of a Bézier curve that is one within a distance.
func (k curve) straightened(distance float64) curve {
	if (k.kind == Quad || k.kind == Cubic) && k.flat(distance) {
		return curve{span: span{from: k.from, to: k.to, kind: Line}}
	}
	return k
}

// flat reports whether a Bézier curve is a line within a distance.
func (k *curve) flat(distance float64) bool {
	d, length := unit(k.from, k.to), k.from.Distance(k.to)
	controls := []Point{k.c1, k.c2}
	if k.kind == Quad {
		controls = controls[:1]
	}
	for _, c := range controls {
		x, y := c.X-k.from.X, c.Y-k.from.Y
		if along := x*d.X + y*d.Y; math.Abs(x*d.Y-y*d.X) > distance || along < 0 || along > length {
			return false
		}
	}
	return true
}
