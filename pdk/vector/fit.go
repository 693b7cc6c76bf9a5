package vector

import "math"

// fitSamples is the number of points of a piece to which a curve is fitted.
const fitSamples = 12

// putFitted draws a piece as cubic curves that deviate from it by at most tolerance. depth
// limits how often it is halved.
func (k *curve) putFitted(p *Path, t0, t1 float64, to Point, tolerance float64, depth int) {
	points := make([]Point, fitSamples+1)
	for i := range points {
		points[i] = k.at(t0 + (t1-t0)*float64(i)/fitSamples)
	}
	points[fitSamples] = to
	if n := len(*p); n > 0 {
		points[0] = (*p)[n-1].To
	}
	d0, d1 := k.heading(t0, t1), k.heading(t1, t0)
	c1, c2, worst := fitCubic(points, d0, d1)
	if worst <= tolerance || depth == 0 {
		p.CubicTo(c1, c2, to)
		return
	}
	mid := (t0 + t1) / 2
	k.putFitted(p, t0, mid, k.at(mid), tolerance, depth-1)
	k.putFitted(p, mid, t1, to, tolerance, depth-1)
}

// heading is the direction at t towards another parameter.
func (k *curve) heading(t, towards float64) Point {
	d := k.slope(t)
	if math.Hypot(d.X, d.Y) < 1e-9*(k.from.Distance(k.to)+math.Abs(k.beside)) {
		return unit(k.at(t), k.at(t+(towards-t)/64))
	}
	if towards < t {
		d = Point{-d.X, -d.Y}
	}
	return unit(Point{}, d)
}

// fitCubic fits a cubic curve to points: it leads from the first to the last one, starts in
// the direction d0 and, seen from its end, in the direction d1. c1 and c2 are its control
// points, worst is the greatest distance of a point from the curve.
func fitCubic(points []Point, d0, d1 Point) (c1, c2 Point, worst float64) {
	n := len(points)
	a, z := points[0], points[n-1]
	at := make([]float64, n)
	for i := 1; i < n; i++ {
		at[i] = at[i-1] + points[i].Distance(points[i-1])
	}
	total := at[n-1]
	if total == 0 {
		return a, z, 0
	}
	for i := range at {
		at[i] /= total
	}
	worst = math.Inf(1)
	for range 5 {
		l0, l1 := handles(points, at, d0, d1)
		if !(l0 > 0 && l0 < 3*total && l1 > 0 && l1 < 3*total) {
			l0, l1 = a.Distance(z)/3, a.Distance(z)/3
		}
		p, q := Point{a.X + d0.X*l0, a.Y + d0.Y*l0}, Point{z.X + d1.X*l1, z.Y + d1.Y*l1}
		off := 0.0
		for i := 1; i < n-1; i++ {
			at[i] = nearer(a, p, q, z, points[i], at[i])
			off = max(off, cubicAt(a, p, q, z, at[i]).Distance(points[i]))
		}
		if off < worst {
			c1, c2, worst = p, q, off
		}
	}
	return c1, c2, worst
}

// handles are the distances of the control points from their ends that fit best, by least
// squares.
func handles(points []Point, at []float64, d0, d1 Point) (l0, l1 float64) {
	a, z := points[0], points[len(points)-1]
	var c00, c01, c11, x0, x1 float64
	for i, t := range at {
		u := 1 - t
		b1, b2 := 3*u*u*t, 3*u*t*t
		rest := Point{points[i].X - a.X*(u*u*u+b1) - z.X*(t*t*t+b2), points[i].Y - a.Y*(u*u*u+b1) - z.Y*(t*t*t+b2)}
		c00 += b1 * b1
		c01 += b1 * b2 * (d0.X*d1.X + d0.Y*d1.Y)
		c11 += b2 * b2
		x0 += b1 * (d0.X*rest.X + d0.Y*rest.Y)
		x1 += b2 * (d1.X*rest.X + d1.Y*rest.Y)
	}
	det := c00*c11 - c01*c01
	if math.Abs(det) < 1e-12*c00*c11 {
		return 0, 0
	}
	return (x0*c11 - x1*c01) / det, (c00*x1 - c01*x0) / det
}

// nearer does one step of Newton's method towards the parameter at which a cubic curve is
// nearest to p.
func nearer(a, c, d, z, p Point, t float64) float64 {
	k := curve{span: span{from: a, c1: c, c2: d, to: z, kind: Cubic}}
	q, s, b := k.span.at(t), k.span.slope(t), k.second(t)
	x, y := q.X-p.X, q.Y-p.Y
	f := s.X*s.X + s.Y*s.Y + x*b.X + y*b.Y
	if f <= 0 {
		return t
	}
	return min(1, max(0, t-(x*s.X+y*s.Y)/f))
}
