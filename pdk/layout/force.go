package layout

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Force places nodes at the distances that the edges between them ask for. It minimizes stress by gradient descent over
// pairs of nodes (Zheng, Pawar and Goodman, 2018), in large graphs over some of the pairs (Ortmann, Klimenta and
// Brandes, 2016), and then separates overlapping shapes. It is deterministic and ignores the direction. Edges are
// straight.
func Force(g *Graph, o Options) Result {
	return withPools(g, o, NoLanes, func(g *Graph) Result { return force(g, o) })
}

func force(g *Graph, o Options) Result {
	res := nested(g, o, func(l *level) []geom.Point {
		s := newSprings(l, o)
		s.relax()
		s.rotate()
		at := s.corners()
		pushApart(at, l.size, o.gap())
		clearEdges(at, l, o.gap())
		return at
	})
	res.Straight = true
	flipContainers(g, &res)
	return res
}

// springs is the state of the stress minimization for one level.
type springs struct {
	l     *level
	near  [][]hop
	pairs []pair
	at    []geom.Point // middle of each node
	seed  uint32
}

// hop is a neighbour and the length of the edge to it; in a queue, any node and the shortest distance to it found so
// far.
type hop struct {
	to   int
	dist float64
}

// pair is two nodes, the distance that they should have, and how strongly each of them is pulled towards it.
type pair struct {
	a, b               int32
	dist, pullA, pullB float32
}

// With up to allPairs nodes every pair counts. With more, each node counts with its neighbours and with some pivots.
const (
	allPairs = 500
	pivots   = 120
)

func newSprings(l *level, o Options) *springs {
	n := len(l.nodes)
	s := &springs{l: l, near: make([][]hop, n), at: make([]geom.Point, n), seed: 1}
	degree := make([]float64, n)
	for _, e := range l.edges {
		degree[e.from]++
		degree[e.to]++
	}
	// Half of a node's neighbours should fit on a ring around it.
	ring := func(v int) float64 { return degree[v] * (2*s.reach(v) + o.gap()) / (4 * math.Pi) }
	for _, e := range l.edges {
		d := math.Max(s.reach(e.from)+s.reach(e.to)+o.spacing(), math.Max(ring(e.from), ring(e.to)))
		s.near[e.from] = append(s.near[e.from], hop{e.to, d})
		s.near[e.to] = append(s.near[e.to], hop{e.from, d})
	}
	if n <= allPairs {
		s.addAllPairs()
	} else {
		s.addPivotPairs()
	}
	return s
}

// reach is the mean distance from a node's middle to its border.
func (s *springs) reach(v int) float64 { return (s.l.size[v].W + s.l.size[v].H) / 4 }

// addAllPairs adds every pair of nodes at its shortest distance.
func (s *springs) addAllPairs() {
	for v := range s.at {
		for w, d := range s.distances(v)[:v] {
			s.add(v, w, d, 1, 1)
		}
	}
}

// addPivotPairs adds the pairs of neighbours, and each node with pivots. Pivots are far from each other; each stands for
// the nodes closest to it.
func (s *springs) addPivotPairs() {
	for v := range s.at {
		for _, k := range s.near[v] {
			if k.to < v {
				s.add(v, k.to, k.dist, 1, 1)
			}
		}
	}
	closest, pivot := make([]float64, len(s.at)), make([]int, len(s.at))
	var chosen []int
	var rows [][]float64
	for next := 0; len(chosen) < pivots; {
		row := s.distances(next)
		far := -1.0
		at := next
		for v, d := range row {
			if len(chosen) == 0 || d < closest[v] {
				closest[v], pivot[v] = d, len(chosen)
			}
			if closest[v] > far {
				far, next = closest[v], v
			}
		}
		chosen, rows = append(chosen, at), append(rows, row)
	}
	members := make([][]int, len(chosen))
	for v, k := range pivot {
		members[k] = append(members[k], v)
	}
	neighbour := make([]int, len(s.at)) // by node: the last pivot, counted from 1, that it is a neighbour of
	for k, p := range chosen {
		for _, w := range s.near[p] {
			neighbour[w.to] = k + 1
		}
		for v, d := range rows[k] {
			if v == p || neighbour[v] == k+1 {
				continue
			}
			stands := 0
			for _, m := range members[k] {
				if rows[k][m] <= d/2 {
					stands++
				}
			}
			s.add(v, p, d, float64(stands), 0)
		}
	}
}

// add adds a pair with a desired distance d. a and b are the weights with which v and w are pulled.
func (s *springs) add(v, w int, d, a, b float64) {
	s.pairs = append(s.pairs, pair{int32(v), int32(w), float32(d), float32(a / (d * d)), float32(b / (d * d))})
}

// distances returns the shortest distances from a node (Dijkstra's algorithm).
func (s *springs) distances(from int) []float64 {
	dist := make([]float64, len(s.at))
	for i := range dist {
		dist[i] = math.Inf(1)
	}
	dist[from] = 0
	for q := (queue{{from, 0}}); len(q) > 0; {
		e := q.pop()
		if e.dist > dist[e.to] {
			continue
		}
		for _, k := range s.near[e.to] {
			if d := e.dist + k.dist; d < dist[k.to] {
				dist[k.to] = d
				q.push(hop{k.to, d})
			}
		}
	}
	return dist
}

// random returns a number below n from a generator that repeats the same sequence in every run.
func (s *springs) random(n int) int {
	s.seed = s.seed*1664525 + 1013904223
	return int(uint64(s.seed) * uint64(n) >> 32)
}

// relax moves the nodes of one pair after the other towards their desired distance, with steps that shrink from round to
// round.
func (s *springs) relax() {
	const rounds = 40
	weakest, strongest := math.Inf(1), 0.0
	for _, p := range s.pairs {
		weakest, strongest = math.Min(weakest, float64(p.pullA)), math.Max(strongest, float64(p.pullA))
	}
	for v := range s.at {
		s.at[v] = geom.Point{X: float64(s.random(1<<16)) / 64, Y: float64(s.random(1<<16)) / 64}
	}
	first, last := 1/weakest, 0.1/strongest
	for k := range rounds {
		step := first * math.Pow(last/first, float64(k)/(rounds-1))
		for i := len(s.pairs) - 1; i > 0; i-- {
			j := s.random(i + 1)
			s.pairs[i], s.pairs[j] = s.pairs[j], s.pairs[i]
		}
		for _, p := range s.pairs {
			a, b := &s.at[p.a], &s.at[p.b]
			dx, dy := b.X-a.X, b.Y-a.Y
			d := math.Sqrt(dx*dx + dy*dy)
			if d < 1e-6 {
				dx, d = 1e-3, 1e-3
			}
			excess := (d - float64(p.dist)) / (2 * d)
			m := math.Min(1, step*float64(p.pullA)) * excess
			a.X, a.Y = a.X+m*dx, a.Y+m*dy
			m = math.Min(1, step*float64(p.pullB)) * excess
			b.X, b.Y = b.X-m*dx, b.Y-m*dy
		}
	}
}

// rotate turns the drawing so that its longest extent is horizontal, and mirrors it so that the first node is in the
// upper left.
func (s *springs) rotate() {
	n := float64(len(s.at))
	var mx, my, xx, xy, yy float64
	for _, p := range s.at {
		mx, my = mx+p.X/n, my+p.Y/n
	}
	for _, p := range s.at {
		x, y := p.X-mx, p.Y-my
		xx, xy, yy = xx+x*x, xy+x*y, yy+y*y
	}
	sin, cos := math.Sincos(-math.Atan2(2*xy, xx-yy) / 2)
	for i, p := range s.at {
		x, y := p.X-mx, p.Y-my
		s.at[i] = geom.Point{X: x*cos - y*sin, Y: x*sin + y*cos}
	}
	if s.at[0].X > 0 {
		for i := range s.at {
			s.at[i].X = -s.at[i].X
		}
	}
	if s.at[0].Y > 0 {
		for i := range s.at {
			s.at[i].Y = -s.at[i].Y
		}
	}
}

// corners returns the top left corner of each node.
func (s *springs) corners() []geom.Point {
	out := make([]geom.Point, len(s.at))
	for v, p := range s.at {
		out[v] = geom.Point{X: p.X - s.l.size[v].W/2, Y: p.Y - s.l.size[v].H/2}
	}
	return out
}

// queue is a heap with the nearest node first.
type queue []hop

func (q *queue) push(e hop) {
	*q = append(*q, e)
	h := *q
	for i := len(h) - 1; i > 0 && h[(i-1)/2].dist > h[i].dist; i = (i - 1) / 2 {
		h[(i-1)/2], h[i] = h[i], h[(i-1)/2]
	}
}

func (q *queue) pop() hop {
	h := *q
	top, n := h[0], len(h)-1
	h[0] = h[n]
	h = h[:n]
	*q = h
	for i := 0; ; {
		k := 2*i + 1
		if k+1 < n && h[k+1].dist < h[k].dist {
			k++
		}
		if k >= n || h[i].dist <= h[k].dist {
			return top
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
}
