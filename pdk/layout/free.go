package layout

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// clearEdges moves shapes that straight edges of other shapes run through, as far as possible. It keeps the arrangement
// with the fewest such shapes.
func clearEdges(at []geom.Point, l *level, gap float64) {
	const most = 2_000_000 // pairs of a shape and an edge to check: in larger graphs nobody would see the difference
	rounds := min(60, most/max(1, len(at)*len(l.edges)))
	if rounds == 0 {
		return
	}
	best, least := slices.Clone(at), math.MaxInt
	for range rounds {
		hits, moves := findBlocking(at, l)
		if hits < least {
			least = hits
			copy(best, at)
		}
		if hits == 0 {
			break
		}
		for v := range at {
			at[v].X, at[v].Y = at[v].X+moves[v].X, at[v].Y+moves[v].Y
		}
		pushApart(at, l.size, gap)
	}
	copy(at, best)
}

// findBlocking counts the shapes that edges run through, and returns how far to move each shape: the shape to the side,
// and both ends of the edge a little to the other side.
func findBlocking(at []geom.Point, l *level) (hits int, moves []geom.Point) {
	const clear = 8
	moves = make([]geom.Point, len(at))
	middle := func(v int) geom.Point { return geom.Point{X: at[v].X + l.size[v].W/2, Y: at[v].Y + l.size[v].H/2} }
	for _, e := range l.edges {
		p, q := middle(e.from), middle(e.to)
		dx, dy := q.X-p.X, q.Y-p.Y
		long := math.Hypot(dx, dy)
		if long < 1 {
			continue
		}
		nx, ny := -dy/long, dx/long
		for v := range at {
			if v == e.from || v == e.to {
				continue
			}
			c := middle(v)
			if t := ((c.X-p.X)*dx + (c.Y-p.Y)*dy) / (long * long); t <= 0 || t >= 1 {
				continue
			}
			off := (c.X-p.X)*nx + (c.Y-p.Y)*ny
			need := math.Abs(nx)*l.size[v].W/2 + math.Abs(ny)*l.size[v].H/2 + clear
			if math.Abs(off) >= need {
				continue
			}
			hits++
			by := math.Copysign(need-math.Abs(off)+1, off)
			moves[v].X, moves[v].Y = moves[v].X+by*nx*0.5, moves[v].Y+by*ny*0.5
			for _, end := range [2]int{e.from, e.to} {
				moves[end].X, moves[end].Y = moves[end].X-by*nx*0.25, moves[end].Y-by*ny*0.25
			}
		}
	}
	return hits, moves
}
