package arranger

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
)

// pins moves the arranged shapes to where the pinned shapes are. The first pinned shape
// moves everything; nodes that hold a pinned shape stay as they are, and nodes that would
// overlap them move aside. It returns the distance by which the edges of each node move,
// and for each node the one around it that stays, -1 for none.
func (l *arranger) pins(abs []geom.Rect) (by []geom.Point, stays []int) {
	n := len(l.cells)
	by, stays = make([]geom.Point, n), make([]int, n)
	root, held := make([]int, n), make([]bool, n)
	var roots []int
	for i, x := range l.cells {
		if root[i] = i; l.g.Nodes[i].Parent >= 0 {
			root[i] = root[l.g.Nodes[i].Parent]
		} else {
			roots = append(roots, i)
		}
		held[root[i]] = held[root[i]] || model.IsPinned(x)
		stays[i] = -1
	}
	var all geom.Point
	var taken []geom.Rect
	for _, r := range roots {
		if held[r] {
			was := l.cells[r].Abs()
			if len(taken) == 0 {
				all = geom.Point{X: was.X - abs[r].X, Y: was.Y - abs[r].Y}
			}
			taken = append(taken, was)
		}
	}
	if len(taken) == 0 {
		return by, stays
	}
	move := make([]geom.Point, n) // by root
	for _, r := range roots {
		if held[r] {
			continue
		}
		at := abs[r]
		at.X, at.Y = at.X+all.X, at.Y+all.Y
		to := nearestFree(at, taken)
		taken = append(taken, to)
		move[r] = geom.Point{X: to.X - abs[r].X, Y: to.Y - abs[r].Y}
	}
	for i, x := range l.cells {
		r := root[i]
		if held[r] {
			was := x.Abs()
			by[i] = geom.Point{X: was.X - abs[i].X, Y: was.Y - abs[i].Y}
			abs[i], stays[i] = was, r
			continue
		}
		by[i] = move[r]
		abs[i].X, abs[i].Y = abs[i].X+by[i].X, abs[i].Y+by[i].Y
	}
	return by, stays
}

// nearestFree returns the place nearest to r where it overlaps none of the taken
// rectangles.
func nearestFree(r geom.Rect, taken []geom.Rect) geom.Rect {
	const gap = 40
	free := func(at geom.Rect) bool {
		return !slices.ContainsFunc(taken, func(o geom.Rect) bool { return at.Grow(gap / 2).Overlaps(o) })
	}
	if free(r) {
		return r
	}
	xs, ys := []float64{r.X}, []float64{r.Y}
	for _, o := range taken {
		xs = append(xs, o.X-gap-r.W, o.Right()+gap)
		ys = append(ys, o.Y-gap-r.H, o.Bottom()+gap)
	}
	best, least := r, math.Inf(1)
	for _, x := range xs {
		for _, y := range ys {
			at := geom.Rect{X: x, Y: y, W: r.W, H: r.H}
			if d := math.Abs(x-r.X) + math.Abs(y-r.Y); d < least && free(at) {
				best, least = at, d
			}
		}
	}
	return best
}
