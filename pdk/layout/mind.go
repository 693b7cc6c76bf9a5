package layout

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Mind puts the root of a tree in the middle and its branches on both sides, in order from top to bottom: the first ones
// on the right, the others on the left, so that both sides have about the same height. Nodes at the same distance from
// the root are aligned. A graph that is not a tree, or that has containers, is laid out by Tree.
func Mind(g *Graph, o Options) Result {
	m, ok := newMind(g, o)
	if !ok {
		o.Dir = LR
		return Tree(g, o)
	}
	m.placeSide(m.kids[m.root][:m.rightBranches()], LR)
	m.placeSide(m.kids[m.root][m.rightBranches():], RL)
	var all geom.Rect
	for _, r := range m.res.Rects {
		all = all.Union(r)
	}
	for i := range m.res.Rects {
		m.res.Rects[i].X -= all.X
		m.res.Rects[i].Y -= all.Y
	}
	for i := range m.res.Routes {
		m.res.Routes[i].shift(geom.Point{X: -all.X, Y: -all.Y})
	}
	return m.res
}

// mind is the state of the layout of a mind map, with its root at 0,0.
type mind struct {
	g    *Graph
	o    Options
	root int
	kids [][]int // in the order of the edges
	into []int   // by node: the edge that leads to it, -1 for the root
	res  Result
}

// newMind prepares a mind map of g. It returns false if g is not a tree or has containers.
func newMind(g *Graph, o Options) (*mind, bool) {
	n := len(g.Nodes)
	m := &mind{g: g, o: o, root: -1, kids: make([][]int, n), into: make([]int, n), res: Result{Rects: make([]geom.Rect, n), Routes: make([]Route, len(g.Edges))}}
	for v := range m.into {
		m.into[v] = -1
	}
	for i, e := range g.Edges {
		if m.into[e.To] >= 0 {
			return nil, false
		}
		m.into[e.To] = i
		m.kids[e.From] = append(m.kids[e.From], e.To)
	}
	for v := range g.Nodes {
		switch {
		case g.Nodes[v].Parent >= 0, m.into[v] < 0 && m.root >= 0:
			return nil, false
		case m.into[v] < 0:
			m.root = v
		}
	}
	return m, m.root >= 0 && len(m.subtree(m.root, nil)) == n
}

// subtree appends v and its descendants.
func (m *mind) subtree(v int, out []int) []int {
	out = append(out, v)
	for _, k := range m.kids[v] {
		out = m.subtree(k, out)
	}
	return out
}

// height is the height that a node takes with its descendants.
func (m *mind) height(v int) float64 {
	sum := 0.0
	for _, k := range m.kids[v] {
		sum += m.height(k)
	}
	return math.Max(sum, m.g.Nodes[v].H+m.o.gap())
}

// rightBranches is the number of branches on the right side.
func (m *mind) rightBranches() int {
	branches := m.kids[m.root]
	left, right, best, least := 0.0, 0.0, 0, math.Inf(1)
	for _, v := range branches {
		left += m.height(v)
	}
	for i, v := range branches {
		left, right = left-m.height(v), right+m.height(v)
		if d := math.Abs(right - left); d <= least {
			best, least = i+1, d
		}
	}
	return best
}

// placeSide places branches on one side of the root.
func (m *mind) placeSide(branches []int, dir Dir) {
	if len(branches) == 0 {
		return
	}
	members := []int{m.root}
	for _, v := range branches {
		members = m.subtree(v, members)
	}
	at, depth := make(map[int]int, len(members)), make([]int, len(members)) // a node's index in members; by that, its distance from the root
	sub := &Graph{}
	var edges []int
	for k, v := range members {
		at[v] = k
		sub.Nodes = append(sub.Nodes, m.g.Nodes[v])
		if i := m.into[v]; k > 0 {
			e := m.g.Edges[i]
			depth[k] = depth[at[e.From]] + 1
			e.From, e.To = at[e.From], k
			sub.Edges, edges = append(sub.Edges, e), append(edges, i)
		}
	}
	o := m.o
	o.Dir = dir
	res := tidyTree(sub, o)
	line := map[int]float64{} // by depth: the edge, nearest to the root, at which its nodes are aligned
	for k, r := range res.Rects {
		x := r.X
		if dir == RL {
			x = -r.Right()
		}
		if was, ok := line[depth[k]]; !ok || x < was {
			line[depth[k]] = x
		}
	}
	by := geom.Point{X: -res.Rects[0].X, Y: -res.Rects[0].Center().Y}
	for k, v := range members {
		r := res.Rects[k]
		if r.X = line[depth[k]]; dir == RL {
			r.X = -r.X - r.W
		}
		r.X, r.Y = r.X+by.X, r.Y+by.Y
		m.res.Rects[v] = r
	}
	for k, i := range edges {
		route := res.Routes[k]
		route.shift(by)
		m.res.Routes[i] = route
	}
}
