package vector

import (
	"math"
	"sort"
)

// Measure finds points along a path by their distance from its start. Moves between
// subpaths have no length.
type Measure struct {
	spans []span
	total float64
}

// span is a segment that draws.
type span struct {
	from, c1, c2, to Point
	round            ellipse
	kind             Kind
	start            float64   // distance from the start of the path
	marks            []float64 // lengths of a curve up to the end of each step
	segment          int
}

// steps is the number of parts into which a curve is cut to measure it.
const steps = 32

// Measure measures a path.
func (p Path) Measure() *Measure {
	m := &Measure{}
	var from Point
	for i := range p {
		s := &p[i]
		if s.Kind != Move {
			k := span{from: from, c1: s.C1, c2: s.C2, to: s.To, kind: s.Kind, start: m.total, segment: i}
			if s.Kind == Arc {
				if e, ok := s.centred(from); ok {
					k.round = e
				} else {
					k.kind = Line
				}
			}
			m.total += k.measure()
			m.spans = append(m.spans, k)
		}
		from = s.To
	}
	return m
}

// Length is the length of p.
func (p Path) Length() float64 { return p.Measure().total }

// Length is the length of the path.
func (m *Measure) Length() float64 { return m.total }

// At returns the point at a distance from the path's start, the direction there as a
// vector of length 1, and the index of the segment. ok is false before the start, after
// the end, and for a path that draws nothing.
func (m *Measure) At(distance float64) (at, direction Point, segment int, ok bool) {
	if len(m.spans) == 0 || !(distance >= 0 && distance <= m.total) {
		return at, direction, 0, false
	}
	i := sort.Search(len(m.spans), func(i int) bool { return m.spans[i].start > distance }) - 1
	k := &m.spans[i]
	t := k.find(distance - k.start)
	return k.at(t), k.direction(t), k.segment, true
}

// measure returns the length of the span and sets its marks.
func (k *span) measure() float64 {
	if k.kind == Line || k.kind == Close {
		return k.from.Distance(k.to)
	}
	k.marks = make([]float64, steps+1)
	for i := range steps {
		k.marks[i+1] = k.marks[i] + k.between(float64(i)/steps, float64(i+1)/steps)
	}
	return k.marks[steps]
}

// find is the parameter at a distance from the span's start.
func (k *span) find(distance float64) float64 {
	if k.marks == nil {
		if length := k.from.Distance(k.to); length > 0 {
			return min(1, distance/length)
		}
		return 0
	}
	i := min(steps-1, max(0, sort.SearchFloat64s(k.marks, distance)-1))
	lo, hi := float64(i)/steps, float64(i+1)/steps
	first := lo
	for range 40 {
		mid := (lo + hi) / 2
		if k.marks[i]+k.between(first, mid) < distance {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// between is the length of a curve between two parameters, by Gauss–Legendre quadrature
// with five points.
func (k *span) between(a, b float64) float64 {
	sum := 0.0
	for _, q := range [5][2]float64{
		{0, 128.0 / 225}, {-0.5384693101056831, 0.47862867049936647}, {0.5384693101056831, 0.47862867049936647},
		{-0.906179845938664, 0.23692688505618908}, {0.906179845938664, 0.23692688505618908},
	} {
		d := k.slope((a+b)/2 + q[0]*(b-a)/2)
		sum += q[1] * math.Hypot(d.X, d.Y)
	}
	return sum * (b - a) / 2
}

// slope is the derivative of at.
func (k *span) slope(t float64) Point {
	u := 1 - t
	switch k.kind {
	case Quad:
		return Point{2*u*(k.c1.X-k.from.X) + 2*t*(k.to.X-k.c1.X), 2*u*(k.c1.Y-k.from.Y) + 2*t*(k.to.Y-k.c1.Y)}
	case Cubic:
		a, b, c := 3*u*u, 6*u*t, 3*t*t
		return Point{
			a*(k.c1.X-k.from.X) + b*(k.c2.X-k.c1.X) + c*(k.to.X-k.c2.X),
			a*(k.c1.Y-k.from.Y) + b*(k.c2.Y-k.c1.Y) + c*(k.to.Y-k.c2.Y),
		}
	case Arc:
		d := k.round.slope(k.round.from + k.round.by*t)
		return Point{d.X * k.round.by, d.Y * k.round.by}
	}
	return Point{k.to.X - k.from.X, k.to.Y - k.from.Y}
}

func (k *span) at(t float64) Point {
	switch k.kind {
	case Quad:
		return k.from.Lerp(k.c1, t).Lerp(k.c1.Lerp(k.to, t), t)
	case Cubic:
		return cubicAt(k.from, k.c1, k.c2, k.to, t)
	case Arc:
		return k.round.at(k.round.from + k.round.by*t)
	}
	return k.from.Lerp(k.to, t)
}

// direction is the direction of the curve at t; if the slope is 0 there, the direction a
// little closer to the middle.
func (k *span) direction(t float64) Point {
	for _, at := range [4]float64{t, t*0.999 + 0.0005, t*0.9 + 0.05, 0.5} {
		if d := k.slope(at); math.Hypot(d.X, d.Y) > 1e-9*(math.Abs(k.to.X-k.from.X)+math.Abs(k.to.Y-k.from.Y)) {
			return unit(Point{}, d)
		}
	}
	return Point{X: 1}
}

// unit is the unit vector from a to b; it points to the right if they are the same point.
func unit(a, b Point) Point {
	x, y := b.X-a.X, b.Y-a.Y
	d := math.Hypot(x, y)
	if d == 0 {
		return Point{X: 1}
	}
	return Point{x / d, y / d}
}
