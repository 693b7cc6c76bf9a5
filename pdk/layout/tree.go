package layout

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Tree places each node below its parent, and parents centred above their children. Edges may point away from the root
// or towards it. Edges that are not part of the tree run downwards, too, around shapes. If edges cross container
// borders, no tree fits the containers, and Tree uses the rows of Layered.
func Tree(g *Graph, o Options) Result {
	return withPools(g, o, NoLanes, func(g *Graph) Result {
		if crossesContainers(g) {
			return arrangeLayered(g, o)
		}
		return tidyTree(g, o)
	})
}

// tidyTree is Tree for a graph in which no edge crosses a container border.
func tidyTree(g *Graph, o Options) Result {
	return nested(g, o, func(l *level) []geom.Point {
		f := newForest(len(l.nodes), l.edges)
		dir := o.Dir
		if f.reversed {
			dir = dir.opposite()
		}
		s := &treeLayout{level: l, forest: f, o: o, dir: dir, label: func(e int) float64 {
			if dir.sideways() {
				return g.Edges[e].LabelW
			}
			return g.Edges[e].LabelH
		}, face: func(v int) float64 { return g.Nodes[l.nodes[v]].face() }}
		return s.place()
	})
}

// crossesContainers reports whether edges connect nodes in different containers.
func crossesContainers(g *Graph) bool {
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

// forest is a spanning forest of a level. Every link leads from a lesser depth to a greater one.
type forest struct {
	links    []link // by lifted edge
	reversed bool   // the edges lead to the roots, so links run against them
	depth    []int
	parent   []int // -1 for a root
	first    []int // the link to a node from its parent
	kids     [][]int
	roots    []int
}

// newForest makes a forest of edges, none of which leads from a node to itself.
func newForest(n int, edges []lifted) *forest {
	f := &forest{links: make([]link, len(edges)), depth: make([]int, n), parent: make([]int, n), first: make([]int, n), kids: make([][]int, n)}
	for i, e := range edges {
		f.links[i] = link{from: e.from, to: e.to, min: 1, edge: i}
	}
	breakCycles(n, f.links)
	// More sinks than sources mean a tree whose edges lead away from its root; otherwise they lead to the root.
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
		f.reversed = true
		for i := range f.links {
			l := &f.links[i]
			l.from, l.to, l.back = l.to, l.from, !l.back
		}
	}
	f.setDepths()
	return f
}

// setDepths finds depths and parents. The depth of a node is the length of the longest path from a root.
func (f *forest) setDepths() {
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
		if len(f.kids[v]) == 0 { // without children: place it next to a node that it leads to
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

// treeLayout is a forest being laid out, in coordinates in which it grows downwards.
type treeLayout struct {
	*level
	*forest
	o   Options
	dir Dir
	// label is the extent of an edge's label across the rows.
	label func(edge int) float64
	// face is the fraction of a node's sides on which edges may end.
	face func(v int) float64

	x       []float64 // middle of each node
	y       []float64 // where each row begins
	heights []float64
	routing *treeRoutes
}

// extent is a node's size along its row and across it.
func (s *treeLayout) extent(v int) (w, h float64) {
	if s.dir.sideways() {
		return s.size[v].H, s.size[v].W
	}
	return s.size[v].W, s.size[v].H
}

// place returns the top left corners of the nodes and sets the routes of the level.
func (s *treeLayout) place() []geom.Point {
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

// top is where a node begins across the rows. Nodes are centred in their rows.
func (s *treeLayout) top(v int) float64 {
	_, h := s.extent(v)
	return s.y[s.depth[v]] + (s.heights[s.depth[v]]-h)/2
}
