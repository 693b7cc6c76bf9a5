package svg

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// round rounds halves upwards, as browsers do.
func round(f float64) float64 { return math.Floor(f + 0.5) }

func inside(r geom.Rect, x, y float64) bool {
	return x >= r.X && x <= r.Right() && y >= r.Y && y <= r.Bottom()
}

// rect returns the box of the shape at an end, or the point of a free end.
func (p edgeEnd) rect() geom.Rect {
	if p.box == nil {
		return p.point()
	}
	return p.box.Rect
}

// point returns the point of a fixed end, or the box of the shape at a floating one.
func (p edgeEnd) point() geom.Rect {
	if p.fixed || p.box == nil {
		return geom.Rect{X: p.at.X, Y: p.at.Y}
	}
	return p.box.Rect
}

// corners returns the corners of an edge, routed as draw.io's connector for its edge style does, and whether the route
// is orthogonal. An edge without a style runs through its waypoints.
func corners(style string, l cellStyle, from, to edgeEnd, hints []geom.Point) (out []geom.Point, orthogonal bool) {
	switch style {
	case "orthogonalEdgeStyle":
		return orthogonalRoute(l, from, to, hints), true
	case "segmentEdgeStyle":
		return segmentRoute(from, to, hints), true
	case "elbowEdgeStyle":
		return elbow(from, to, hints, l["elbow"] == "vertical"), true
	case "sideToSideEdgeStyle":
		return sideToSide(from, to, hints), true
	case "topToBottomEdgeStyle":
		return topToBottom(from, to, hints), true
	case "entityRelationEdgeStyle":
		return relation(l, from, to), true
	}
	return hints, false
}

// elbow chooses one of two routes: sideToSide between shapes that lie beside each other, topToBottom between shapes that
// lie above each other.
func elbow(from, to edgeEnd, hints []geom.Point, upright bool) []geom.Point {
	a, b := from.rect(), to.rect()
	level := false
	if from.box != nil && to.box != nil {
		if len(hints) > 0 {
			h := hints[0]
			level = h.X < math.Min(a.X, b.X) || h.X > math.Max(a.Right(), b.Right())
			upright = upright || h.Y < math.Min(a.Y, b.Y) || h.Y > math.Max(a.Bottom(), b.Bottom())
		} else if math.Max(a.X, b.X) == math.Min(a.Right(), b.Right()) {
			upright = true
		} else {
			level = math.Max(a.Y, b.Y) == math.Min(a.Bottom(), b.Bottom())
		}
	}
	if upright && !level {
		return topToBottom(from, to, hints)
	}
	return sideToSide(from, to, hints)
}

// sideToSide leaves both ends horizontally and runs vertically in between.
func sideToSide(from, to edgeEnd, hints []geom.Point) []geom.Point {
	a, b := from.point(), to.point()
	near := math.Max(a.X, b.X)
	far := math.Min(a.Right(), b.Right())
	x := round(far + (near-far)/2)
	y0, y1 := a.Center().Y, b.Center().Y
	if len(hints) > 0 {
		h := hints[0]
		x = h.X
		if h.Y >= a.Y && h.Y <= a.Bottom() {
			y0 = h.Y
		}
		if h.Y >= b.Y && h.Y <= b.Bottom() {
			y1 = h.Y
		}
	}
	var out []geom.Point
	add := func(y float64) {
		if !inside(a, x, y) && !inside(b, x, y) {
			out = append(out, geom.Point{X: x, Y: y})
		}
	}
	add(y0)
	add(y1)
	if len(out) == 0 {
		if len(hints) > 0 {
			add(hints[0].Y)
		} else {
			low := math.Max(a.Y, b.Y)
			out = append(out, geom.Point{X: x, Y: low + (math.Min(a.Bottom(), b.Bottom())-low)/2})
		}
	}
	return out
}

// topToBottom is sideToSide with the axes swapped.
func topToBottom(from, to edgeEnd, hints []geom.Point) []geom.Point {
	swapped := make([]geom.Point, len(hints))
	for i, h := range hints {
		swapped[i] = geom.Point{X: h.Y, Y: h.X}
	}
	out := sideToSide(transposed(from), transposed(to), swapped)
	for i, p := range out {
		out[i] = geom.Point{X: p.Y, Y: p.X}
	}
	return out
}

// transposed swaps the axes of an end.
func transposed(p edgeEnd) edgeEnd {
	p.at = geom.Point{X: p.at.Y, Y: p.at.X}
	if p.box != nil {
		r := p.box.Rect
		p.box = &frame{Rect: geom.Rect{X: r.Y, Y: r.X, W: r.H, H: r.W}}
	}
	return p
}

// relation connects the sides of two entities, with a straight piece at each.
func relation(l cellStyle, from, to edgeEnd) []geom.Point {
	a, b := from.point(), to.point()
	straight := l.num("segment", 30)
	left, right := leavesLeft(from, to, false), leavesLeft(to, from, true)
	x0, x1 := a.Right(), b.Right()
	d0, d1 := straight, straight
	if left {
		x0, d0 = a.X, -straight
	}
	if right {
		x1, d1 = b.X, -straight
	}
	y0, y1 := a.Center().Y, b.Center().Y
	p, q := geom.Point{X: x0 + d0, Y: y0}, geom.Point{X: x1 + d1, Y: y1}
	switch {
	case left == right:
		x := math.Max(x0, x1) + straight
		if left {
			x = math.Min(x0, x1) - straight
		}
		return []geom.Point{{X: x, Y: y0}, {X: x, Y: y1}}
	case (p.X < q.X) == left:
		y := y0 + (y1-y0)/2
		return []geom.Point{p, {X: p.X, Y: y}, {X: q.X, Y: y}, q}
	}
	return []geom.Point{p, q}
}

// leavesLeft reports whether the edge of an entity leaves a shape on its left. free is the answer for free ends.
func leavesLeft(p, other edgeEnd, free bool) bool {
	if p.box == nil {
		return free
	}
	if !p.fixed {
		switch p.sides() & (west | east) {
		case west:
			return true
		case east:
			return false
		}
	}
	if p.cell.Relative {
		return p.cell.Geo.X <= 0.5
	}
	if other.box == nil {
		return free
	}
	return other.point().Right() < p.point().X
}

// loop returns the route of an edge from a shape to itself.
func loop(l cellStyle, r geom.Rect, hints []geom.Point) []geom.Point {
	segment := l.num("segment", 10)
	c := r.Center()
	x, y, dx, dy := 0.0, c.Y, 0.0, segment
	dir := l["direction"]
	upright := dir == "north" || dir == "south"
	if upright {
		x, y, dx, dy = c.X, 0, segment, 0
	}
	var hint *geom.Point
	if len(hints) > 0 && !inside(r, hints[0].X, hints[0].Y) {
		hint = &hints[0]
	}
	switch {
	case hint != nil && (hint.X < r.X || hint.X > r.Right()):
		x, y, dx = hint.X, c.Y, 0
		dy = math.Max(math.Abs(y-hint.Y), segment)
	case hint != nil:
		x, y, dy = c.X, hint.Y, 0
		dx = math.Max(math.Abs(x-hint.X), segment)
	case dir == "north":
		y = r.Y - 2*dx
	case dir == "south":
		y = r.Bottom() + 2*dx
	case dir == "east":
		x = r.X - 2*dy
	default:
		x = r.Right() + 2*dy
	}
	return []geom.Point{{X: x - dx, Y: y - dy}, {X: x + dx, Y: y + dy}}
}
