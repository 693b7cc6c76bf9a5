package vector

import "math"

// Outline is the area of the stroke of p as a path to be filled by the nonzero rule.
// Curves become lines that leave them by about tolerance; round joins and caps are
// arcs.
func (s *Stroke) Outline(p Path, tolerance float64) Path {
	o := &outliner{Stroke: s, half: s.Width / 2, limit: s.miter()}
	if !(o.half > 0) {
		return nil
	}
	s.dashed(p.Flatten(tolerance), o.line)
	return o.out
}

type outliner struct {
	*Stroke
	half  float64
	limit float64
	out   Path
	empty bool // no point of the present contour was put
}

// line outlines one stretch of the pen.
func (o *outliner) line(points []Point, closed bool) {
	made, closed := distinct(nil, points, closed)
	n := len(made)
	if n == 0 {
		return
	}
	if n == 1 {
		switch h, c := o.half, made[0]; o.Cap {
		case RoundCap:
			o.out = append(o.out, Circle(c.X, c.Y, h)...)
		case Square:
			o.out = append(o.out, Rect(c.X-h, c.Y-h, 2*h, 2*h, 0, 0)...)
		}
		return
	}
	back := make([]Point, n)
	for i, p := range made {
		back[n-1-i] = p
	}
	o.empty = true
	o.side(made, closed)
	if closed {
		o.out.ClosePath()
		o.empty = true
		o.side(back, true)
	} else {
		o.cap(made[n-2], made[n-1], back)
		o.side(back, false)
		o.cap(back[n-2], back[n-1], made)
	}
	o.out.ClosePath()
}

// put continues the contour.
func (o *outliner) put(p Point) {
	if o.empty {
		o.out.MoveTo(p)
		o.empty = false
	} else if last := o.out[len(o.out)-1].To; last.Distance(p) > 1e-9 {
		o.out.LineTo(p)
	}
}

// side draws the edge to the right of the points as they go, on a screen.
func (o *outliner) side(points []Point, closed bool) {
	n, h := len(points), o.half
	last := n - 1
	if closed {
		last = n
	}
	for i := range last {
		a, b := points[i], points[(i+1)%n]
		d := unit(a, b)
		if i == 0 && !closed {
			o.put(Point{a.X - d.Y*h, a.Y + d.X*h})
		}
		if i == n-2 && !closed {
			o.put(Point{b.X - d.Y*h, b.Y + d.X*h})
			break
		}
		c := points[(i+2)%n]
		o.corner(b, d, unit(b, c), min(a.Distance(b), b.Distance(c)))
	}
}

// corner draws the edge around p, from direction d to e; room is how long the shorter of
// the two lines is.
func (o *outliner) corner(p, d, e Point, room float64) {
	h := o.half
	cross, dot := d.X*e.Y-d.Y*e.X, d.X*e.X+d.Y*e.Y
	a, b := Point{p.X - d.Y*h, p.Y + d.X*h}, Point{p.X - e.Y*h, p.Y + e.X*h}
	switch {
	case cross > 0 || cross == 0 && dot > 0: // the inner side
		// The edges meet h·tan(half the angle) before p, if the lines are that long.
		if dot > -0.999 && h*math.Sqrt((1-dot)/(1+dot)) <= room/2 {
			o.put(tip(p, d, e, h, dot))
			return
		}
		o.put(a)
		o.put(p)
		o.put(b)
	case dot > 0.98: // a curve that was cut into lines
		o.put(tip(p, d, e, h, dot))
	case o.Join == RoundJoin:
		o.put(a)
		o.out.ArcTo(h, h, 0, false, false, b)
	case o.Join == Miter && pointed(dot, o.limit):
		o.put(tip(p, d, e, h, dot))
	default:
		o.put(a)
		o.put(b)
	}
}

// cap ends a line that comes from a to b; the edge continues beside back.
func (o *outliner) cap(a, b Point, back []Point) {
	d, h := unit(a, b), o.half
	e := unit(back[0], back[1])
	to := Point{b.X - e.Y*h, b.Y + e.X*h}
	switch o.Cap {
	case RoundCap:
		o.out.ArcTo(h, h, 0, false, false, to)
	case Square:
		x, y := d.X*h, d.Y*h
		o.put(Point{b.X - d.Y*h + x, b.Y + d.X*h + y})
		o.put(Point{to.X + x, to.Y + y})
		o.put(to)
	default:
		o.put(to)
	}
}
