package svg

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// tenth rounds a point to tenths, as draw.io does before it routes a line.
func tenth(p geom.Point) geom.Point {
	return geom.Point{X: round(p.X*10) / 10, Y: round(p.Y*10) / 10}
}

// segmentRoute routes an edge through its waypoints in alternating horizontal and vertical pieces, each of which a
// waypoint moves, like draw.io's SegmentConnector.
func segmentRoute(from, to edgeEnd, hints []geom.Point) []geom.Point {
	p0, p1 := from.fixedAt(), to.fixedAt()
	a, b := from.around(), to.around()
	at := p0
	if at == nil {
		c := a.Center()
		at = &c
	}
	pen := *at
	last := pen
	level := true
	var route []geom.Point
	if len(hints) > 0 {
		points := append([]geom.Point(nil), hints...)
		snap := func(h *geom.Point, p geom.Point) {
			if math.Abs(h.X-p.X) < 1 {
				h.X = p.X
			}
			if math.Abs(h.Y-p.Y) < 1 {
				h.Y = p.Y
			}
		}
		snap(&points[0], pen)
		if p1 != nil {
			snap(&points[len(points)-1], *p1)
		}
		first := points[0]
		last = first
		level, points = startsHorizontally(p0, p1, a, b, points)
		switch {
		case level && (p0 != nil && p0.Y != first.Y || p0 == nil && a != nil && (first.Y < a.Y || first.Y > a.Bottom())):
			route = append(route, geom.Point{X: pen.X, Y: first.Y})
		case !level && (p0 != nil && p0.X != first.X || p0 == nil && a != nil && (first.X < a.X || first.X > a.Right())):
			route = append(route, geom.Point{X: first.X, Y: pen.Y})
		}
		if level {
			pen.Y = first.Y
		} else {
			pen.X = first.X
		}
		for _, h := range points {
			level = !level
			last = h
			if level {
				pen.Y = h.Y
			} else {
				pen.X = h.X
			}
			route = append(route, pen)
		}
	}
	end := p1
	if end == nil {
		c := b.Center()
		end = &c
	}
	switch {
	case level && (p1 != nil && p1.Y != last.Y || p1 == nil && b != nil && (last.Y < b.Y || last.Y > b.Bottom())):
		route = append(route, geom.Point{X: end.X, Y: last.Y})
	case !level && (p1 != nil && p1.X != last.X || p1 == nil && b != nil && (last.X < b.X || last.X > b.Right())):
		route = append(route, geom.Point{X: last.X, Y: end.Y})
	}
	if p0 == nil && a != nil {
		for len(route) > 0 && inside(*a, route[0].X, route[0].Y) {
			route = route[1:]
		}
	}
	if p1 == nil && b != nil {
		for len(route) > 0 && inside(*b, route[len(route)-1].X, route[len(route)-1].Y) {
			route = route[:len(route)-1]
		}
	}
	if len(hints) == 0 {
		p1 = nil
	}
	return dropRepeats(route, p0, p1)
}

// dropRepeats drops corners that repeat the one before them or the end of the route.
func dropRepeats(route []geom.Point, p0, p1 *geom.Point) []geom.Point {
	before := p0
	var out []geom.Point
	for _, p := range route {
		p = tenth(p)
		if before == nil || math.Abs(before.X-p.X) >= 1 || math.Abs(before.Y-p.Y) >= 1 {
			out = append(out, p)
			q := p
			before = &q
		}
	}
	if n := len(out); n > 0 && p1 != nil && math.Abs(p1.X-out[n-1].X) <= 1 && math.Abs(p1.Y-out[n-1].Y) <= 1 {
		if out = out[:n-1]; n > 1 {
			q := &out[n-2]
			if math.Abs(q.X-p1.X) < 1 {
				q.X = p1.X
			}
			if math.Abs(q.Y-p1.Y) < 1 {
				q.Y = p1.Y
			}
		}
	}
	return out
}

// startsHorizontally reports whether the first piece of an edge is horizontal, as required by its first waypoint, or
// else by its last one. It drops a first waypoint that lies on the end.
func startsHorizontally(p0, p1 *geom.Point, a, b *geom.Rect, points []geom.Point) (level bool, rest []geom.Point) {
	level = true
	at, box, h := p0, a, points[0]
	if p0 != nil {
		box = nil
	}
	for i := range 2 {
		onX, onY := at != nil && at.X == h.X, at != nil && at.Y == h.Y
		besideY := box != nil && h.Y >= box.Y && h.Y <= box.Bottom()
		besideX := box != nil && h.X >= box.X && h.X <= box.Right()
		flat, steep := onY || at == nil && besideY, onX || at == nil && besideX
		if i != 0 || !(flat && steep || onX && onY) {
			if steep || flat {
				if level = flat; i == 1 {
					if level = steep; len(points)%2 == 0 {
						level = flat
					}
				}
				return level, points
			}
		}
		at, box, h = p1, b, points[len(points)-1]
		if p1 != nil {
			box = nil
		}
		if onX && onY {
			points = points[1:]
		}
		if len(points) == 0 {
			return level, points
		}
	}
	return level, points
}

// fixedAt returns the position of a fixed end, nil for a floating one.
func (p edgeEnd) fixedAt() *geom.Point {
	if !p.fixed {
		return nil
	}
	at := tenth(p.at)
	return &at
}

// around returns the box of the shape at an end, nil for a free end.
func (p edgeEnd) around() *geom.Rect {
	if p.box == nil {
		return nil
	}
	c, s := tenth(geom.Point{X: p.box.X, Y: p.box.Y}), tenth(geom.Point{X: p.box.W, Y: p.box.H})
	return &geom.Rect{X: c.X, Y: c.Y, W: s.X, H: s.Y}
}
