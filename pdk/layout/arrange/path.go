package arrange

import "slices"

// headings are the directions in which a line may continue, in the order of the sides.
var headings = [4]Point{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}

// searchState is a point on the grid and the heading with which a line arrived there, as point*4 + heading in the lower
// 32 bits, and in the upper bits the least cost at which a route over it can reach the end. States are ordered by their
// value alone.
type searchState uint64

// frontier is a heap of states, the most promising first.
type frontier []searchState

func (q *frontier) push(s searchState) {
	h := append(*q, s)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if h[up] <= s {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = s
	*q = h
}

func (q *frontier) pop() searchState {
	h := *q
	top := h[0]
	n := len(h) - 1
	s := h[n]
	h = h[:n]
	i := 0
	for k := 1; k < n; k = 2*i + 1 {
		if k+1 < n && h[k+1] < h[k] {
			k++
		}
		if s <= h[k] {
			break
		}
		h[i] = h[k]
		i = k
	}
	if n > 0 {
		h[i] = s
	}
	*q = h
	return top
}

// headingOf is the heading of a line that leaves by a side.
func headingOf(s side) int { return int(s) }

// goal is a state in which a route ends, and the cost of ending there.
type goal struct{ at, cost int }

// search finds the cheapest path over the grid from one of f.from to one of f.to, by the A* algorithm. It returns nil
// if there is none.
func (f *field) search() []Point {
	j, l := f.j, &f.j.p.lines[f.line]
	w, h := len(f.xs), len(f.ys)
	a, b := j.d.at[l.a], j.d.at[l.b]
	var goals []goal
	for _, e := range f.to {
		if x, y, ok := f.index(e.at); ok {
			goals = append(goals, goal{(y*w+x)*4 + headingOf(e.side) ^ 1, j.offMiddle(l.b, e.at) * 30})
		}
	}
	f.open = f.open[:0]
	for _, e := range f.from {
		if x, y, ok := f.index(e.at); ok {
			s := (y*w+x)*4 + headingOf(e.side)
			c := j.offMiddle(l.a, e.at) * 30
			if f.cheaper(s, c) {
				f.visit(s, c, f.guess(b, x, y), -1)
			}
		}
	}
	best, last := unlimited, -1
	wideA, wideB := a.grow(15), b.grow(15)
	for len(f.open) > 0 {
		s := f.open.pop()
		total, id := int(s>>32), int(s&(1<<32-1))
		at, head := id/4, id%4
		x, y := at%w, at/w
		cost := int(f.cost[id]) - 1
		if total > cost+f.guess(b, x, y) {
			continue // a cheaper way to it was found since
		}
		if total >= best {
			break
		}
		here := Point{f.xs[x], f.ys[y]}
		if b.x0 <= here.X && here.X <= b.x1 && b.y0 <= here.Y && here.Y <= b.y1 && f.cameFrom[id] >= 0 {
			if k := slices.IndexFunc(goals, func(g goal) bool { return g.at == id }); k >= 0 && cost+goals[k].cost < best {
				best, last = cost+goals[k].cost, id
				continue
			}
		}
		tight := wideA.holdsPoint(here) || wideB.holdsPoint(here) // a corner would leave no room for the arrow
		for d, step := range headings {
			if d == head^1 || tight && d != head {
				continue
			}
			c := cost
			if d != head {
				c += 1200
			}
			nx, ny := x+step.X, y+step.Y
			if nx < 0 || nx >= w || ny < 0 || ny >= h {
				continue
			}
			t := f.step(min(x, nx), min(y, ny), d < 2)
			if t >= blocked {
				continue
			}
			if s := (ny*w+nx)*4 + d; f.cheaper(s, c+t) {
				f.visit(s, c+t, f.guess(b, nx, ny), id)
			}
		}
	}
	if last < 0 {
		return nil
	}
	return f.path(last)
}

// index finds a point on the grid.
func (f *field) index(p Point) (x, y int, ok bool) {
	x, okX := slices.BinarySearch(f.xs, p.X)
	y, okY := slices.BinarySearch(f.ys, p.Y)
	return x, y, okX && okY
}

// guess is a lower bound of what it costs to come from a place on the grid to b.
func (f *field) guess(b rect, x, y int) int {
	return 6 * (max(0, b.x0-f.xs[x], f.xs[x]-b.x1) + max(0, b.y0-f.ys[y], f.ys[y]-b.y1))
}

// cheaper reports whether cost c is less than the cost found so far for a state, if any, and not blocked.
func (f *field) cheaper(s, c int) bool {
	old := f.cost[s] // stored with 1 added, so that 0 means none yet
	return c < blocked && (old == 0 || int32(c) < old-1)
}

// visit sets the cost of a state and the state before it, and queues it with at least `rest` still to pay.
func (f *field) visit(s, c, rest, before int) {
	f.cost[s], f.cameFrom[s] = int32(c)+1, int32(before)
	f.open.push(searchState(c+rest)<<32 | searchState(s))
}

// path is the route that ends in a state.
func (f *field) path(last int) []Point {
	var pts []Point
	for s := last; s >= 0; s = int(f.cameFrom[s]) {
		at := s / 4
		pts = append(pts, Point{f.xs[at%len(f.xs)], f.ys[at/len(f.xs)]})
	}
	slices.Reverse(pts)
	return dropStraight(pts)
}

// dropStraight removes the points that are not corners.
func dropStraight(pts []Point) []Point {
	out := pts[:1:1]
	for k := 1; k < len(pts); k++ {
		if n := len(out); k+1 < len(pts) && (out[n-1].X == pts[k].X && pts[k].X == pts[k+1].X || out[n-1].Y == pts[k].Y && pts[k].Y == pts[k+1].Y) {
			continue
		}
		out = append(out, pts[k])
	}
	return out
}
