package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Radial puts the root of a tree, or the centre of another graph, in the middle, and nodes that are one, two, … edges
// away on rings around it, near their parents. The first branch points in the direction of the options. Edges are
// straight.
func Radial(g *Graph, o Options) Result {
	return withPools(g, o, NoLanes, func(g *Graph) Result {
		res := nested(g, o, func(l *level) []geom.Point { return newRings(l, o).place() })
		res.Straight = true
		flipContainers(g, &res)
		return res
	})
}

// rings is a spanning tree to be drawn on rings.
type rings struct {
	l      *level
	gap    float64
	start  float64 // angle of the first branch
	depth  []int
	kids   [][]int
	order  []int // nodes from the middle outwards
	radius []float64
	room   []float64 // by node: the angle that its subtree needs
	angle  []float64
}

func newRings(l *level, o Options) *rings {
	n := len(l.nodes)
	r := &rings{l: l, gap: o.gap(), depth: make([]int, n), kids: make([][]int, n), room: make([]float64, n), angle: make([]float64, n)}
	// The first branch points along the edges, the others follow clockwise.
	r.start = map[Dir]float64{TB: math.Pi / 2, LR: 0, BT: -math.Pi / 2, RL: math.Pi}[o.Dir]
	near := make([][]int, n)
	for _, e := range l.edges {
		near[e.from] = append(near[e.from], e.to)
		near[e.to] = append(near[e.to], e.from)
	}
	f := newForest(n, l.edges)
	if len(f.roots) == 1 && len(l.edges) < n+n/5 { // nearly a tree
		r.depth, r.kids = f.depth, f.kids
		r.order = append(r.order, f.roots[0])
		for k := 0; k < len(r.order); k++ {
			r.order = append(r.order, r.kids[r.order[k]]...)
		}
		return r
	}
	root := f.roots[0]
	if len(f.roots) > 1 {
		root = graphCenter(n, near)
	}
	for v := range r.depth {
		r.depth[v] = -1
	}
	r.depth[root] = 0
	r.order = append(r.order, root)
	for k := 0; k < len(r.order); k++ {
		v := r.order[k]
		for _, w := range near[v] {
			if r.depth[w] < 0 {
				r.depth[w] = r.depth[v] + 1
				r.kids[v] = append(r.kids[v], w)
				r.order = append(r.order, w)
			}
		}
	}
	return r
}

// graphCenter is the node with the least distance to the node farthest from it; of several, the one with the most
// neighbours.
func graphCenter(n int, near [][]int) int {
	best, least := 0, math.MaxInt
	queue, dist := make([]int, 0, n), make([]int, n)
	for v := range n {
		if n > 3000 && len(near[v]) < 3 {
			continue // too many nodes to try them all
		}
		for i := range dist {
			dist[i] = -1
		}
		queue = append(queue[:0], v)
		dist[v] = 0
		for k := 0; k < len(queue) && dist[queue[k]] <= least; k++ {
			for _, w := range near[queue[k]] {
				if dist[w] < 0 {
					dist[w] = dist[queue[k]] + 1
					queue = append(queue, w)
				}
			}
		}
		far := dist[queue[len(queue)-1]]
		if far < least || far == least && len(near[v]) > len(near[best]) {
			best, least = v, far
		}
	}
	return best
}

// diameter is the diameter of the circle around a node.
func (r *rings) diameter(v int) float64 { return math.Hypot(r.l.size[v].W, r.l.size[v].H) }

// place returns the top left corner of each node.
func (r *rings) place() []geom.Point {
	rows := 0
	widest := []float64{}
	for _, v := range r.order {
		if rows = max(rows, r.depth[v]+1); len(widest) < rows {
			widest = append(widest, 0)
		}
		widest[r.depth[v]] = math.Max(widest[r.depth[v]], r.diameter(v))
	}
	r.radius = make([]float64, rows)
	for k := 1; k < rows; k++ {
		r.radius[k] = r.radius[k-1] + widest[k-1]/2 + widest[k]/2 + r.gap
	}
	for range 200 {
		if !r.measure() {
			break
		}
	}
	r.sortChildren()
	out := r.corners()
	r.tighten(out)
	return out
}

// measure finds the angle that each subtree needs, and widens the rings that are too small. It reports whether it
// widened any.
func (r *rings) measure() bool {
	narrow := len(r.radius)
	for k := len(r.order) - 1; k >= 0; k-- {
		v := r.order[k]
		d := r.depth[v]
		sum, next := 0.0, 0.0
		for _, w := range r.kids[v] {
			sum += r.room[w]
			next += r.ownAngle(w)
		}
		if len(r.kids[v]) > 0 && sum > r.visibleAngle(d)+1e-9 {
			if next > 0.75*r.visibleAngle(d) {
				narrow = min(narrow, d+1)
			} else {
				narrow = min(narrow, d+2) // the children fit; the grandchildren do not
			}
		}
		r.room[v] = math.Max(r.ownAngle(v), sum)
	}
	for k := narrow; k < len(r.radius); k++ {
		r.radius[k] *= 1.1
	}
	return narrow < len(r.radius)
}

// ownAngle is the angle that a node needs on its ring.
func (r *rings) ownAngle(v int) float64 {
	if r.depth[v] == 0 {
		return 0
	}
	return 2 * math.Asin(math.Min(1, (r.diameter(v)+r.gap)/2/r.radius[r.depth[v]]))
}

// visibleAngle is the arc of ring d+1 that can be seen from a node on ring d without looking through ring d.
func (r *rings) visibleAngle(d int) float64 {
	if d == 0 {
		return 2 * math.Pi
	}
	return 2 * math.Acos(r.radius[d]/r.radius[d+1])
}

// sortChildren reorders the children of each node to shorten the edges that are not part of the tree.
func (r *rings) sortChildren() {
	parent := make([]int, len(r.kids))
	for v, kids := range r.kids {
		for _, k := range kids {
			parent[k] = v
		}
	}
	var chords [][2]int
	for _, e := range r.l.edges {
		if e.from != e.to && parent[e.from] != e.to && parent[e.to] != e.from {
			chords = append(chords, [2]int{e.from, e.to})
		}
	}
	need := slices.Clone(r.room)
	spread := func() float64 {
		copy(r.room, need)
		r.angle[r.order[0]] = r.start
		for _, v := range r.order {
			r.spreadChildren(v)
		}
		sum := 0.0
		for _, c := range chords {
			a, b := r.center(c[0]), r.center(c[1])
			sum += math.Hypot(a.X-b.X, a.Y-b.Y)
		}
		return sum
	}
	least := spread()
	for range 8 {
		if len(chords) == 0 {
			return
		}
		pull := make([]geom.Point, len(r.kids)) // by node: sum of the points that the chords of its subtree lead to
		for _, c := range chords {
			a, b := r.center(c[0]), r.center(c[1])
			pull[c[0]].X, pull[c[0]].Y = pull[c[0]].X+b.X, pull[c[0]].Y+b.Y
			pull[c[1]].X, pull[c[1]].Y = pull[c[1]].X+a.X, pull[c[1]].Y+a.Y
		}
		for k := len(r.order) - 1; k > 0; k-- {
			v := r.order[k]
			pull[parent[v]].X, pull[parent[v]].Y = pull[parent[v]].X+pull[v].X, pull[parent[v]].Y+pull[v].Y
		}
		was := make([][]int, len(r.kids))
		for v, kids := range r.kids {
			was[v] = slices.Clone(kids)
			turn := func(k int) float64 { // angle relative to the parent's direction
				to := r.angle[k]
				if p := pull[k]; math.Hypot(p.X, p.Y) > 1 {
					to = math.Atan2(p.Y, p.X)
				}
				return math.Remainder(to-r.angle[v], 2*math.Pi)
			}
			slices.SortStableFunc(kids, func(a, b int) int { return cmp.Compare(turn(a), turn(b)) })
		}
		sum := spread()
		if sum >= least-1 {
			copy(r.kids, was)
			spread()
			return
		}
		least = sum
	}
}

// center is the middle of a node on rings of the planned radius.
func (r *rings) center(v int) geom.Point {
	sin, cos := math.Sincos(r.angle[v])
	return geom.Point{X: r.radius[r.depth[v]] * cos, Y: r.radius[r.depth[v]] * sin}
}

// spreadChildren assigns the children of v their angles: what each needs, and an equal share of the rest of the sector.
func (r *rings) spreadChildren(v int) {
	kids := r.kids[v]
	if len(kids) == 0 {
		return
	}
	sum := 0.0
	for _, k := range kids {
		sum += r.room[k]
	}
	sector := math.Min(r.visibleAngle(r.depth[v]), math.Max(r.room[v], sum))
	if r.depth[v] == 0 {
		sector = 2 * math.Pi
	}
	spare := (sector - sum) / float64(len(kids))
	at := r.angle[v] - sector/2
	if r.depth[v] == 0 {
		at = r.angle[v] - (r.room[kids[0]]+spare)/2
	}
	for _, k := range kids {
		own := r.room[k] + spare
		r.angle[k] = at + own/2
		r.room[k] = own // for its own children
		at += own
	}
}

// corners returns the top left corners of the nodes, with the middle of the rings at 0,0.
func (r *rings) corners() []geom.Point {
	out := make([]geom.Point, len(r.angle))
	for v := range out {
		out[v] = r.cornerAt(v, r.radius[r.depth[v]])
	}
	return out
}

// cornerAt is the top left corner of v on a ring with the given radius.
func (r *rings) cornerAt(v int, radius float64) geom.Point {
	s := r.l.size[v]
	return geom.Point{X: math.Round(radius*math.Cos(r.angle[v]) - s.W/2), Y: math.Round(radius*math.Sin(r.angle[v]) - s.H/2)}
}

// tighten shrinks each ring as far as its shapes keep their distance: a circle around a wide shape takes more room than
// the shape.
func (r *rings) tighten(at []geom.Point) {
	byRing := make([][]int, len(r.radius))
	for _, v := range r.order {
		byRing[r.depth[v]] = append(byRing[r.depth[v]], v)
	}
	cells := newCells(r.l.size, r.gap)
	cells.put(byRing[0][0], at[byRing[0][0]])
	inner := 0.0
	for k := 1; k < len(byRing); k++ {
		lo, hi := inner+(r.radius[k]-r.radius[k-1])/2, r.radius[k]
		for range 12 {
			mid := (lo + hi) / 2
			if r.fits(cells, byRing[k], mid) {
				hi = mid
			} else {
				lo = mid
			}
		}
		for _, v := range byRing[k] {
			at[v] = r.cornerAt(v, hi)
			cells.put(v, at[v])
		}
		inner = hi
	}
}

// fits reports whether the nodes of a ring fit on it with the given radius.
func (r *rings) fits(c *cells, ring []int, radius float64) bool {
	own := newCells(r.l.size, r.gap)
	for _, v := range ring {
		p := r.cornerAt(v, radius)
		if c.hit(v, p) || own.hit(v, p) {
			return false
		}
		own.put(v, p)
	}
	return true
}
