package layout

import "github.com/fcp-host/fcp-host/pdk/geom"

// withPools runs a layout that can handle only pools whose lanes lie along one direction. Layered lays out the other
// pools, along their lanes, and `run` treats each of them as a single shape.
func withPools(g *Graph, o Options, along Stack, run func(*Graph) Result) Result {
	t := newTree(g)
	in := make([]int, len(g.Nodes)) // by node: the separately laid out pool that holds it, -1 for none
	var pools []int
	for i := range g.Nodes {
		in[i] = -1
		for _, c := range t.paths[i] {
			if t.pool[c] && g.Nodes[c].Lanes != along {
				in[i] = c
				break
			}
		}
		if in[i] < 0 && t.pool[i] && g.Nodes[i].Lanes != along {
			pools = append(pools, i)
		}
	}
	if len(pools) == 0 {
		return run(g)
	}
	res := Result{Rects: make([]geom.Rect, len(g.Nodes)), Routes: make([]Route, len(g.Edges))}
	rest := g.contract(in)
	for _, p := range pools {
		own := o
		own.Dir = laneDir(g.Nodes[p].Lanes, o.Dir)
		part := g.subgraph(func(i int) bool { return i == p || in[i] == p })
		inner := Layered(&part.Graph, own)
		for k, i := range part.nodes {
			res.Rects[i] = inner.Rects[k]
		}
		for k, e := range part.edges {
			res.Routes[e] = inner.Routes[k]
		}
		n := &rest.Nodes[rest.of[p]]
		n.W, n.H, n.Lanes = res.Rects[p].W, res.Rects[p].H, NoLanes
	}
	outer := run(&rest.Graph)
	res.Straight = outer.Straight
	for k, e := range rest.edges {
		if in[g.Edges[e].From] < 0 && in[g.Edges[e].To] < 0 { // a route to a pool is no route to a node in it
			res.Routes[e] = outer.Routes[k]
		}
	}
	by := make([]geom.Point, len(g.Nodes))
	for k, i := range rest.nodes {
		by[i] = geom.Point{X: outer.Rects[k].X - res.Rects[i].X, Y: outer.Rects[k].Y - res.Rects[i].Y}
		res.Rects[i] = outer.Rects[k]
	}
	for i, p := range in {
		if p >= 0 {
			res.Rects[i].X, res.Rects[i].Y = res.Rects[i].X+by[p].X, res.Rects[i].Y+by[p].Y
		}
	}
	home := func(i int) int {
		if in[i] >= 0 {
			return in[i]
		}
		return i
	}
	for i, e := range g.Edges {
		if res.Routes[i].Set && home(e.From) == home(e.To) {
			res.Routes[i].shift(by[home(e.From)])
		}
	}
	return res
}

// laneDir is the direction along a pool's lanes that is closest to dir.
func laneDir(s Stack, dir Dir) Dir {
	back := dir == BT || dir == RL
	switch {
	case s == Rows && back:
		return RL
	case s == Rows:
		return LR
	case back:
		return BT
	}
	return TB
}

// piece is a graph made from some nodes of another one.
type piece struct {
	Graph
	nodes, edges []int // their indices in the original graph
	of           []int // by original node: the node that stands for it here, -1 for none
}

// subgraph is the part of a graph formed by the nodes for which keep returns true.
func (g *Graph) subgraph(keep func(i int) bool) *piece {
	in := make([]int, len(g.Nodes))
	for i := range in {
		in[i] = -1
		if !keep(i) {
			in[i] = len(g.Nodes) // dropped
		}
	}
	return g.contract(in)
}

// contract merges each node i with in[i] ≥ 0 into node in[i], drops those for which in[i] is len(g.Nodes), and removes
// edges from a node to itself.
func (g *Graph) contract(in []int) *piece {
	p := &piece{of: make([]int, len(g.Nodes)+1)}
	p.of[len(g.Nodes)] = -1
	for i := range g.Nodes {
		p.of[i] = -1
		if in[i] < 0 {
			p.of[i] = len(p.nodes)
			p.nodes = append(p.nodes, i)
		}
	}
	for i, c := range in {
		if c >= 0 {
			p.of[i] = p.of[c]
		}
	}
	for _, i := range p.nodes {
		n := g.Nodes[i]
		if n.Parent >= 0 && n.Parent < len(g.Nodes) {
			n.Parent = p.of[n.Parent]
		} else {
			n.Parent = -1
		}
		p.Nodes = append(p.Nodes, n)
	}
	for i, e := range g.Edges {
		if e.From < 0 || e.To < 0 || e.From >= len(g.Nodes) || e.To >= len(g.Nodes) || e.From == e.To {
			continue
		}
		if e.From, e.To = p.of[e.From], p.of[e.To]; e.From >= 0 && e.To >= 0 && e.From != e.To {
			p.Edges, p.edges = append(p.Edges, e), append(p.edges, i)
		}
	}
	return p
}
