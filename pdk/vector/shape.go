package vector

import "math"

// Rect is SVG's rect element as a path. A negative rx or ry stands for one that is not
// given: it equals the other one. Each is limited to half of its side. The path is empty
// if w or h is not above 0.
func Rect(x, y, w, h, rx, ry float64) Path {
	if !(w > 0 && h > 0) {
		return nil
	}
	if rx < 0 {
		rx = max(ry, 0)
	}
	if ry < 0 {
		ry = rx
	}
	rx, ry = min(rx, w/2), min(ry, h/2)
	if rx <= 0 || ry <= 0 {
		return closedPath(Line, 0, 0, Point{x, y}, Point{x + w, y}, Point{x + w, y + h}, Point{x, y + h})
	}
	return closedPath(Arc, rx, ry,
		Point{x + rx, y}, Point{x + w - rx, y}, Point{x + w, y + ry}, Point{x + w, y + h - ry},
		Point{x + w - rx, y + h}, Point{x + rx, y + h}, Point{x, y + h - ry}, Point{x, y + ry}, Point{x + rx, y})
}

// closedPath is a closed path through points: every second segment is of the given kind,
// the others are lines.
func closedPath(kind Kind, rx, ry float64, points ...Point) Path {
	p := make(Path, 0, len(points)+1)
	for i, to := range points {
		s := Segment{Kind: Line, To: to}
		switch {
		case i == 0:
			s.Kind = Move
		case i%2 == 0 && kind == Arc:
			s = Segment{Kind: Arc, RX: rx, RY: ry, Sweep: true, To: to}
		}
		p = append(p, s)
	}
	return append(p, Segment{Kind: Close, To: points[0]})
}

// Circle is SVG's circle element as a path. The path is empty if r is not above 0.
func Circle(cx, cy, r float64) Path { return Ellipse(cx, cy, r, r) }

// Ellipse is SVG's ellipse element as a path of four arcs that starts on the right. The
// path is empty if a radius is not above 0.
func Ellipse(cx, cy, rx, ry float64) Path {
	if !(rx > 0 && ry > 0) {
		return nil
	}
	p := Path{{Kind: Move, To: Point{cx + rx, cy}}}
	for _, to := range [4]Point{{cx, cy + ry}, {cx - rx, cy}, {cx, cy - ry}, {cx + rx, cy}} {
		p.ArcTo(rx, ry, 0, false, true, to)
	}
	p.ClosePath()
	return p
}

// Straight is SVG's line element as a path.
func Straight(x1, y1, x2, y2 float64) Path {
	return Path{{Kind: Move, To: Point{x1, y1}}, {Kind: Line, To: Point{x2, y2}}}
}

// Polygon is SVG's polygon element as a path, or its polyline element if closed is false.
// Two numbers are a point; a last number without a second one is ignored.
func Polygon(points []float64, closed bool) Path {
	var p Path
	for i := 0; i+1 < len(points); i += 2 {
		kind := Line
		if i == 0 {
			kind = Move
		}
		p = append(p, Segment{Kind: kind, To: Point{points[i], points[i+1]}})
	}
	if closed && len(p) > 0 {
		p.ClosePath()
	}
	return p
}

// Cubics is p with each arc replaced by cubic curves, which deviate from it by less than
// 0.0003 of its radius, for programs that cannot read arcs.
func (p Path) Cubics() Path {
	out := make(Path, 0, len(p))
	var from Point
	for i := range p {
		s := p[i]
		if s.Kind != Arc {
			out = append(out, s)
		} else if e, ok := s.centred(from); !ok {
			out = append(out, Segment{Kind: Line, To: s.To})
		} else {
			n := int(math.Ceil(math.Abs(e.by) / (math.Pi/2 + 1e-9)))
			step := e.by / float64(n)
			k := 4.0 / 3 * math.Tan(step/4)
			for j := range n {
				a, b := e.from+step*float64(j), e.from+step*float64(j+1)
				p0, p1, d0, d1 := e.at(a), e.at(b), e.slope(a), e.slope(b)
				if j == n-1 {
					p1 = s.To
				}
				out.CubicTo(Point{p0.X + k*d0.X, p0.Y + k*d0.Y}, Point{p1.X - k*d1.X, p1.Y - k*d1.Y}, p1)
			}
		}
		from = s.To
	}
	return out
}
