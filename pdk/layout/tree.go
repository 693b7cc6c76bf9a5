package layout

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Tree places each node below its parent, centred above its children. Edges may
// point away from the root or towards it. Edges that are not part of the tree run
// downwards, too, around shapes. Where edges cross containers, a tree does not fit
// into their boxes: then the rows are those of Layered.
func Tree(g *Graph, o Options) Result {
	return withPools(g, o, NoLanes, func(g *Graph) Result {
		if across(g) {
			return arrange(g, o)
		}
		return tidied(g, o)
	})
}

// tidied is Tree where no edge leads across containers.
func tidied(g *Graph, o Options) Result {
	return nested(g, o, func(l *level) []geom.Point {
		f := newForest(len(l.nodes), l.edges)
		dir := o.Dir
		if f.upside {
			dir = dir.opposite()
		}
		s := &stand{level: l, forest: f, o: o, dir: dir, label: func(e int) float64 {
			if dir.sideways() {
				return g.Edges[e].LabelW
			}
			return g.Edges[e].LabelH
		}, face: func(v int) float64 { return g.Nodes[l.nodes[v]].face() }}
		return s.place()
	})
}

// across reports whether edges join what lies in different containers.
func across(g *Graph) bool {
	n := &nest{g: g, t: newTree(g)}
	n.lift()
	for _, list := range n.edges {
		for _, e := range list {
			if !e.exact {
				return true
			}
		}
	}
	return false
}

// forest says which node hangs on which. Every link leads from a lesser depth
// to a greater one.
type forest struct {
	links  []link // by lifted edge
	upside bool   // links are turned round: the edges lead to the roots
	depth  []int
	parent []int // -1 for a root
	first  []int // the link that a node hangs on
	kids   [][]int
	roots  []int
}

// newForest takes edges without loops.
func newForest(n int, edges []lifted) *forest {
	f := &forest{links: make([]link, len(edges)), depth: make([]int, n), parent: make([]int, n), first: make([]int, n), kids: make([][]int, n)}
	for i, e := range edges {
		f.links[i] = link{from: e.from, to: e.to, min: 1, edge: i}
	}
	breakCycles(n, f.links)
	// Many ends and few beginnings are a tree that grows from its root; the
	// other way round the edges lead to the root.
	into, from := make([]bool, n), make([]bool, n)
	for _, l := range f.links {
		from[l.from], into[l.to] = true, true
	}
	sources, sinks := 0, 0
	for v := range n {
		if !into[v] {
			sources++
		}
		if !from[v] {
			sinks++
		}
	}
	if sources > sinks {
		f.upside = true
		for i := range f.links {
			l := &f.links[i]
			l.from, l.to, l.back = l.to, l.from, !l.back
		}
	}
	f.sink()
	return f
}

// sink finds depths and parents: a node hangs as deep as its longest way from
// a root.
func (f *forest) sink() {
	n := len(f.depth)
	missing, after := make([]int, n), make([][]int, n)
	for i, l := range f.links {
		missing[l.to]++
		after[l.from] = append(after[l.from], i)
	}
	var order []int
	for v := range n {
		f.parent[v] = -1
		if missing[v] == 0 {
			order = append(order, v)
		}
	}
	for k := 0; k < len(order); k++ {
		for _, i := range after[order[k]] {
			w := f.links[i].to
			if d := f.depth[order[k]] + 1; d > f.depth[w] {
				f.depth[w] = d
			}
			if missing[w]--; missing[w] == 0 {
				order = append(order, w)
			}
		}
	}
	for i, l := range f.links {
		if f.parent[l.to] < 0 && f.depth[l.from]+1 == f.depth[l.to] {
			f.parent[l.to], f.first[l.to] = l.from, i
			f.kids[l.from] = append(f.kids[l.from], l.to)
		}
	}
	for v := range n {
		if f.parent[v] >= 0 {
			continue
		}
		f.roots = append(f.roots, v)
		if len(f.kids[v]) == 0 { // nothing hangs on it: close to what it leads to
			near := math.MaxInt
			for _, i := range after[v] {
				near = min(near, f.depth[f.links[i].to]-1)
			}
			if near != math.MaxInt {
				f.depth[v] = near
			}
		}
	}
}

// stand is a forest that gets its places, seen so that it grows downwards.
type stand struct {
	*level
	*forest
	o   Options
	dir Dir
	// label is the room that an edge's label takes across the rows.
	label func(edge int) float64
	// face is the share of a node's sides that edges may end on.
	face func(v int) float64

	x       []float64 // middle of each node
	y       []float64 // where each row begins
	heights []float64
	routing *treeRoutes
}

// extent is a node's size along its row and across it.
func (s *stand) extent(v int) (w, h float64) {
	if s.dir.sideways() {
		return s.size[v].H, s.size[v].W
	}
	return s.size[v].W, s.size[v].H
}

func (s *stand) place() []geom.Point {
	n := len(s.nodes)
	rows := 0
	for _, d := range s.depth {
		rows = max(rows, d+1)
	}
	s.x = tidy(s.forest, rows, s.o.gap(), func(v int) float64 { w, _ := s.extent(v); return w })
	s.y, s.heights = make([]float64, rows), make([]float64, rows)
	for v := range n {
		_, h := s.extent(v)
		s.heights[s.depth[v]] = math.Max(s.heights[s.depth[v]], h)
	}
	s.routing = newTreeRoutes(s)
	for k := 1; k < rows; k++ {
		s.y[k] = s.y[k-1] + s.heights[k-1] + s.routing.room(k-1)
	}
	depth := s.y[rows-1] + s.heights[rows-1]
	out := make([]geom.Point, n)
	for v := range n {
		w, h := s.extent(v)
		r := s.dir.turn(s.x[v]-w/2, s.top(v), w, h, depth)
		out[v] = geom.Point{X: r.X, Y: r.Y}
	}
	s.routing.finish(depth)
	return out
}

// top is where a node begins: rows have their nodes in the middle.
func (s *stand) top(v int) float64 {
	_, h := s.extent(v)
	return s.y[s.depth[v]] + (s.heights[s.depth[v]]-h)/2
}
