package layout

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// free moves shapes out of the way of straight edges that are not theirs, as
// far as that goes: it keeps the arrangement in which the fewest are in the
// way.
func free(at []geom.Point, l *level, gap float64) {
	const most = 2_000_000 // pairs of a shape and an edge: beyond, nobody sees the difference
	rounds := min(60, most/max(1, len(at)*len(l.edges)))
	if rounds == 0 {
		return
	}
	best, least := slices.Clone(at), math.MaxInt
	for range rounds {
		hits, moves := aside(at, l)
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

// aside counts the shapes that are in the way of edges, and says where to
// each should go: aside, and the ends of the edge a little to the other side.
func aside(at []geom.Point, l *level) (hits int, moves []geom.Point) {
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
