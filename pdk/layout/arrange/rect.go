package arrange

// bounds is the least rectangle that holds some points, or the zero rect for none.
func bounds(pts []Point) rect {
	if len(pts) == 0 {
		return rect{}
	}
	r := rect{pts[0].X, pts[0].Y, pts[0].X, pts[0].Y}
	for _, q := range pts[1:] {
		r = rect{min(r.x0, q.X), min(r.y0, q.Y), max(r.x1, q.X), max(r.y1, q.Y)}
	}
	return r
}

// shrink is r without a border of 1.
func (r rect) shrink() rect { return r.grow(-1) }

// piece is the rectangle that a horizontal or vertical piece of a line spans, computed without jumps.
func piece(a, b Point) rect {
	x, y := a.X-b.X, a.Y-b.Y
	x, y = x&(x>>63), y&(y>>63)
	return rect{b.X + x, b.Y + y, a.X - x, a.Y - y}
}

// slanted reports whether a piece is neither vertical nor horizontal. Pieces drawn by this package never are; those of a
// drawing made elsewhere may be.
func slanted(a, b Point) bool { return a.X != b.X && a.Y != b.Y }

// cutBy reports whether a piece runs through the inside of r.
func (r rect) cutBy(a, b Point) bool {
	if !r.meets(piece(a, b)) {
		return false
	}
	if !slanted(a, b) {
		return true
	}
	left, right := false, false // whether corners lie on either side of the line
	for _, q := range [4]Point{{r.x0, r.y0}, {r.x1, r.y0}, {r.x0, r.y1}, {r.x1, r.y1}} {
		s := orientation(a, b, q)
		left, right = left || s > 0, right || s < 0
	}
	return left && right
}

// orientation is positive if c lies on one side of the line from a to b, negative on the other side, and 0 on the line.
func orientation(a, b, c Point) int { return (b.X-a.X)*(c.Y-a.Y) - (b.Y-a.Y)*(c.X-a.X) }

// cross reports whether the pieces ab and cd cross rather than only touch.
func cross(a, b, c, d Point) bool {
	s, t := orientation(a, b, c), orientation(a, b, d)
	u, v := orientation(c, d, a), orientation(c, d, b)
	return (s < 0) != (t < 0) && (u < 0) != (v < 0) && s != 0 && t != 0 && u != 0 && v != 0
}

// to is the length of a horizontal or vertical piece from p to q.
func (p Point) to(q Point) int { return abs(q.X-p.X) + abs(q.Y-p.Y) }

// countAlong counts the pieces that run along a border of r.
func (r rect) countAlong(pts []Point) int {
	on := 0
	for k := 1; k < len(pts); k++ {
		a, b := pts[k-1], pts[k]
		if slanted(a, b) {
			continue
		}
		q := piece(a, b)
		// A piece counts if it is within 7 of a border and runs along it for more than 7.
		vertical, horizontal := abs(a.X-b.X)-1, abs(a.Y-b.Y)-1
		nearX := (abs(a.X-r.x0) - 7) | (abs(a.X-r.x1) - 7)
		nearY := (abs(a.Y-r.y0) - 7) | (abs(a.Y-r.y1) - 7)
		alongX := (q.x0 + 7 - q.x1) & (r.x0 + 7 - q.x1) & (q.x0 + 7 - r.x1) & (r.x0 + 7 - r.x1)
		alongY := (q.y0 + 7 - q.y1) & (r.y0 + 7 - q.y1) & (q.y0 + 7 - r.y1) & (r.y0 + 7 - r.y1)
		on -= (vertical&nearX&alongY | horizontal&nearY&alongX) >> 63
	}
	return on
}

// boolSign is -1 for true and 0 for false.
func boolSign(b bool) int {
	if b {
		return -1
	}
	return 0
}

// rect is a rectangle, by its sides.
type rect struct{ x0, y0, x1, y1 int }

func (r rect) midX() int { return (r.x0 + r.x1) / 2 }

func (r rect) midY() int { return (r.y0 + r.y1) / 2 }

// meets reports whether the insides of r and o overlap. It is one condition rather than four, because jumps are slow in
// WebAssembly.
func (r rect) meets(o rect) bool { return r.overlapSign(o) < 0 }

// overlapSign is below 0 where r and o overlap.
func (r rect) overlapSign(o rect) int {
	return (r.x0 - o.x1) & (o.x0 - r.x1) & (r.y0 - o.y1) & (o.y0 - r.y1)
}

// union is the least rectangle that holds r and o.
func (r rect) union(o rect) rect {
	return rect{min(r.x0, o.x0), min(r.y0, o.y0), max(r.x1, o.x1), max(r.y1, o.y1)}
}

// holds reports whether o lies in r.
func (r rect) holds(o rect) bool { return r.x0 <= o.x0 && o.x1 <= r.x1 && r.y0 <= o.y0 && o.y1 <= r.y1 }

func (r rect) grow(d int) rect { return rect{r.x0 - d, r.y0 - d, r.x1 + d, r.y1 + d} }

// holdsPoint reports whether p lies inside r, not on its border.
func (r rect) holdsPoint(p Point) bool { return r.x0 < p.X && p.X < r.x1 && r.y0 < p.Y && p.Y < r.y1 }
