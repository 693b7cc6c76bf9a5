package svg

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// jetty is how far an edge goes straight before it may turn.
const jetty = 20

// gaps are how far apart two ends lie, across and down; negative where they
// share a column or a row.
func gaps(a, b stop) (across, down float64) {
	ra, rb := a.rect(), b.rect()
	return math.Max(rb.X-ra.Right(), ra.X-rb.Right()), math.Max(rb.Y-ra.Bottom(), ra.Y-rb.Bottom())
}

func (p stop) rect() geom.Rect {
	if p.box == nil {
		return geom.Rect{X: p.at.X, Y: p.at.Y}
	}
	return p.box.Rect
}

// face turns an end towards another, level or upright, and ends the edge at
// the middle of that side.
func (p *stop) face(o stop, level bool) {
	if p.side != (geom.Point{}) {
		return
	}
	d := geom.Point{X: o.rect().Center().X - p.at.X, Y: o.rect().Center().Y - p.at.Y}
	if level {
		p.side = geom.Point{X: math.Copysign(1, d.X)}
	} else {
		p.side = geom.Point{Y: math.Copysign(1, d.Y)}
	}
	if p.fixed {
		return
	}
	r := p.box.Rect
	c := r.Center()
	if level {
		p.at = p.end(geom.Point{X: c.X + p.side.X*(r.W+1), Y: c.Y}, true)
	} else {
		p.at = p.end(geom.Point{X: c.X, Y: c.Y + p.side.Y*(r.H+1)}, true)
	}
	p.fixed = true
}

// bends are the corners of an orthogonal edge that has no waypoints.
func bends(a, b *stop) []geom.Point {
	across, down := gaps(*a, *b)
	aFree, bFree := a.side == (geom.Point{}), b.side == (geom.Point{})
	switch {
	case aFree && bFree && across > 0 && down > 0:
		a.face(*b, true)
		b.face(*a, false)
	case aFree && bFree:
		level := across > 0 || down <= 0 && across > down
		a.face(*b, level)
		b.face(*a, level)
	case aFree:
		a.face(*b, across > 0 && (down <= 0 || b.side.X == 0))
	case bFree:
		b.face(*a, across > 0 && (down <= 0 || a.side.X == 0 && across > 0 && !faces(*a, *b)))
	}
	return between(*a, *b)
}

// faces reports whether a's port looks towards b.
func faces(a, b stop) bool {
	c := b.rect().Center()
	return a.side.X*(c.X-a.at.X)+a.side.Y*(c.Y-a.at.Y) > 0
}

// between are the corners of a way between two ports.
func between(a, b stop) []geom.Point {
	p, q := a.at, b.at
	// ahead is how far o lies before the port.
	ahead := func(s stop, o geom.Point) float64 { return s.side.X*(o.X-s.at.X) + s.side.Y*(o.Y-s.at.Y) }
	levelA, levelB := a.side.X != 0, b.side.X != 0
	switch {
	case levelA != levelB:
		corner := geom.Point{X: q.X, Y: p.Y}
		if !levelA {
			corner = geom.Point{X: p.X, Y: q.Y}
		}
		if ahead(a, corner) > 0 && ahead(b, corner) > 0 {
			return []geom.Point{corner}
		}
		s := geom.Point{X: p.X + a.side.X*jetty, Y: p.Y + a.side.Y*jetty}
		t := geom.Point{X: q.X + b.side.X*jetty, Y: q.Y + b.side.Y*jetty}
		if levelA {
			if ahead(a, q) > jetty {
				s.X = (p.X + a.side.X*ahead(a, q)/2 + p.X + a.side.X*ahead(a, q)/2) / 2
			} else if r := b.rect(); b.box != nil {
				s.X = outer(s.X, a.side.X, r.X, r.Right())
			}
			return []geom.Point{{X: s.X, Y: p.Y}, {X: s.X, Y: t.Y}, {X: q.X, Y: t.Y}}
		}
		if ahead(a, q) > jetty {
			s.Y = p.Y + a.side.Y*ahead(a, q)/2
		} else if r := b.rect(); b.box != nil {
			s.Y = outer(s.Y, a.side.Y, r.Y, r.Bottom())
		}
		return []geom.Point{{X: p.X, Y: s.Y}, {X: t.X, Y: s.Y}, {X: t.X, Y: q.Y}}
	case a.side == b.side:
		if levelA {
			x := math.Max(p.X*a.side.X, q.X*a.side.X)*a.side.X + jetty*a.side.X
			return []geom.Point{{X: x, Y: p.Y}, {X: x, Y: q.Y}}
		}
		y := math.Max(p.Y*a.side.Y, q.Y*a.side.Y)*a.side.Y + jetty*a.side.Y
		return []geom.Point{{X: p.X, Y: y}, {X: q.X, Y: y}}
	}
	// They look at each other, or away from each other.
	if levelA {
		if ahead(a, q) >= 0 {
			if math.Abs(p.Y-q.Y) < 0.5 {
				return nil
			}
			x := (p.X + q.X) / 2
			return []geom.Point{{X: x, Y: p.Y}, {X: x, Y: q.Y}}
		}
		s, t := p.X+a.side.X*jetty, q.X+b.side.X*jetty
		y := channel(a.rect().Y, a.rect().Bottom(), b.rect().Y, b.rect().Bottom())
		return []geom.Point{{X: s, Y: p.Y}, {X: s, Y: y}, {X: t, Y: y}, {X: t, Y: q.Y}}
	}
	if ahead(a, q) >= 0 {
		if math.Abs(p.X-q.X) < 0.5 {
			return nil
		}
		y := (p.Y + q.Y) / 2
		return []geom.Point{{X: p.X, Y: y}, {X: q.X, Y: y}}
	}
	s, t := p.Y+a.side.Y*jetty, q.Y+b.side.Y*jetty
	x := channel(a.rect().X, a.rect().Right(), b.rect().X, b.rect().Right())
	return []geom.Point{{X: p.X, Y: s}, {X: x, Y: s}, {X: x, Y: t}, {X: q.X, Y: t}}
}

// outer is v, moved on in a direction past an interval.
func outer(v, dir, lo, hi float64) float64 {
	if dir > 0 {
		return math.Max(v, hi+jetty)
	}
	return math.Min(v, lo-jetty)
}

// channel is the middle between two intervals, or beside both.
func channel(a0, a1, b0, b1 float64) float64 {
	switch {
	case b0 > a1:
		return (a1 + b0) / 2
	case a0 > b1:
		return (b1 + a0) / 2
	}
	return math.Max(a1, b1) + jetty
}

// segments leads an orthogonal edge through its waypoints.
func segments(a stop, hints []geom.Point, b stop) []geom.Point {
	out := join(a, hints)
	rev := make([]geom.Point, len(out))
	for i, p := range out {
		rev[len(out)-1-i] = p
	}
	rev = join(b, rev)
	out = out[:0]
	for i := len(rev) - 1; i >= 0; i-- {
		p := rev[i]
		if n := len(out); n > 0 && math.Abs(out[n-1].X-p.X) > 0.5 && math.Abs(out[n-1].Y-p.Y) > 0.5 {
			corner := geom.Point{X: out[n-1].X, Y: p.Y}
			if n > 1 && out[n-2].X == out[n-1].X {
				corner = geom.Point{X: p.X, Y: out[n-1].Y}
			}
			out = append(out, corner)
		}
		out = append(out, p)
	}
	return out
}

// join puts a corner before the first waypoint where the end does not lie
// straight beside it.
func join(a stop, hints []geom.Point) []geom.Point {
	h := hints[0]
	if a.fixed {
		if math.Abs(a.at.X-h.X) < 1 || math.Abs(a.at.Y-h.Y) < 1 {
			return hints
		}
	} else if r := a.box.Rect; h.X >= r.X && h.X <= r.Right() || h.Y >= r.Y && h.Y <= r.Bottom() {
		return hints
	}
	corner := geom.Point{X: a.at.X, Y: h.Y}
	level := len(hints) > 1 && math.Abs(hints[1].Y-h.Y) < 0.5 && math.Abs(hints[1].X-h.X) >= 0.5
	if a.side.X != 0 || a.side == (geom.Point{}) && level {
		corner = geom.Point{X: h.X, Y: a.at.Y}
	}
	return append([]geom.Point{corner}, hints...)
}

// elbow is the one knee of an elbow edge, level in the middle or, when
// upright, the other way.
func elbow(a, b stop, hints []geom.Point, upright bool) []geom.Point {
	ra, rb := a.rect(), b.rect()
	if !upright && math.Max(ra.X, rb.X) == math.Min(ra.Right(), rb.Right()) {
		upright = true
	}
	if len(hints) > 0 {
		h := hints[0]
		left, right := math.Min(ra.X, rb.X), math.Max(ra.Right(), rb.Right())
		top, bottom := math.Min(ra.Y, rb.Y), math.Max(ra.Bottom(), rb.Bottom())
		if h.X < left || h.X > right {
			upright = false
		} else if h.Y < top || h.Y > bottom {
			upright = true
		}
	}
	if upright {
		y := channel(ra.Y, ra.Bottom(), rb.Y, rb.Bottom())
		x0, x1 := a.at.X, b.at.X
		if len(hints) > 0 {
			y = hints[0].Y
			x0, x1 = within(a, hints[0].X, x0, true), within(b, hints[0].X, x1, true)
		}
		return []geom.Point{{X: x0, Y: y}, {X: x1, Y: y}}
	}
	x := channel(ra.X, ra.Right(), rb.X, rb.Right())
	y0, y1 := a.at.Y, b.at.Y
	if len(hints) > 0 {
		x = hints[0].X
		y0, y1 = within(a, hints[0].Y, y0, false), within(b, hints[0].Y, y1, false)
	}
	return []geom.Point{{X: x, Y: y0}, {X: x, Y: y1}}
}

// within is v where a floating end can meet it, else def.
func within(s stop, v, def float64, x bool) float64 {
	r := s.rect()
	lo, hi := r.Y, r.Bottom()
	if x {
		lo, hi = r.X, r.Right()
	}
	if !s.fixed && v >= lo && v <= hi {
		return v
	}
	return def
}

// relation leads between the sides of two entities, with a straight piece at
// each.
func relation(a, b *stop) []geom.Point {
	left := func(s *stop, o stop) float64 {
		switch {
		case s.side.X != 0:
			return s.side.X
		case o.rect().Center().X < s.rect().Center().X:
			return -1
		}
		return 1
	}
	da, db := left(a, *b), left(b, *a)
	for _, e := range []struct {
		s *stop
		d float64
	}{{a, da}, {b, db}} {
		if e.s.box != nil && !e.s.fixed {
			r := e.s.box.Rect
			e.s.at, e.s.fixed = geom.Point{X: r.Center().X + e.d*r.W/2, Y: r.Center().Y}, true
		}
	}
	return []geom.Point{{X: a.at.X + da*30, Y: a.at.Y}, {X: b.at.X + db*30, Y: b.at.Y}}
}
