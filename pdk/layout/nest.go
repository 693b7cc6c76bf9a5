package layout

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// level is a connected set of members of one container, for layouts that know nothing of containers.
type level struct {
	nodes  []int       // indices in the graph
	size   []geom.Rect // W and H of each node
	edges  []lifted
	routes []Route // of each edge; the layout sets those that it routes
}

// lifted is an edge between two members of a level, or between nodes inside them.
type lifted struct {
	from, to int  // indices in level.nodes
	edge     int  // index in Graph.Edges
	exact    bool // the members themselves are the ends of the edge
}

// nested arranges containers from the inside out. place returns the top left corners of the members of a level. Edges
// between nodes in different containers connect the containers. Unconnected levels are packed side by side.
func nested(g *Graph, o Options, place func(*level) []geom.Point) Result {
	n := &nest{g: g, t: newTree(g), o: o, place: place,
		res: Result{Rects: make([]geom.Rect, len(g.Nodes)), Routes: make([]Route, len(g.Edges))}}
	n.lift()
	var top []int
	for i, p := range n.t.parent {
		if p < 0 {
			top = append(top, i)
		}
	}
	n.arrange(-1, top)
	for i := range n.res.Routes {
		if c := n.home[i]; c >= 0 { // its points are relative to the container's inner corner
			r, pad := n.res.Rects[c], g.Nodes[c].Pad
			n.res.Routes[i].shift(geom.Point{X: r.X + pad.Left, Y: r.Y + pad.Top})
		}
	}
	return n.res
}

// nest is the state of nested.
type nest struct {
	g     *Graph
	t     *tree
	o     Options
	place func(*level) []geom.Point
	res   Result

	edges [][]lifted // by container, the page last; here from and to are indices in the graph
	home  []int      // by edge: the innermost container of both ends, -1 for the page
}

func (r *Route) shift(by geom.Point) {
	for i := range r.Points {
		r.Points[i].X += by.X
		r.Points[i].Y += by.Y
	}
}

// lift finds for each edge the innermost container of both ends, and the members of that container in which the ends
// lie.
func (n *nest) lift() {
	count := len(n.g.Nodes)
	n.edges, n.home = make([][]lifted, count+1), make([]int, len(n.g.Edges))
	for i, e := range n.g.Edges {
		n.home[i] = -1
		if e.From < 0 || e.To < 0 || e.From >= count || e.To >= count || n.t.inside(e.From, e.To) || n.t.inside(e.To, e.From) {
			continue
		}
		a, b := n.chain(e.From), n.chain(e.To)
		k := 0
		for a[k] == b[k] {
			k++
		}
		at := count
		if k > 0 {
			at = a[k-1]
			n.home[i] = at
		}
		n.edges[at] = append(n.edges[at], lifted{a[k], b[k], i, a[k] == e.From && b[k] == e.To})
	}
}

// chain is the containers around a node, outermost first, and the node itself.
func (n *nest) chain(i int) []int {
	p := n.t.paths[i]
	return append(p[:len(p):len(p)], i)
}

// arrange places the members of container c (-1 for the page) and their contents relative to its inner corner, and
// returns the size of the whole.
func (n *nest) arrange(c int, members []int) (w, h float64) {
	for _, i := range members {
		r := geom.Rect{W: n.g.Nodes[i].W, H: n.g.Nodes[i].H}
		if !n.t.leaf(i) {
			pad := n.g.Nodes[i].Pad
			w, h := n.arrange(i, n.t.children[i])
			for _, k := range n.t.children[i] {
				move(n.t, k, geom.Point{X: pad.Left, Y: pad.Top}, &n.res)
			}
			r.W, r.H = math.Max(w+pad.Left+pad.Right, n.g.Nodes[i].MinW), h+pad.Top+pad.Bottom
		}
		n.res.Rects[i] = r
	}
	edges := n.edges[len(n.edges)-1]
	if c >= 0 {
		edges = n.edges[c]
	}
	var boxes []geom.Rect
	levels := n.parts(members, edges)
	for _, l := range levels {
		boxes = append(boxes, n.part(l))
	}
	for k, at := range shelf(boxes, n.o.spacing()*1.2) {
		for _, i := range levels[k].nodes {
			move(n.t, i, at, &n.res)
		}
		for j, e := range levels[k].edges {
			r := levels[k].routes[j]
			r.shift(at)
			n.res.Routes[e.edge] = r
		}
		w, h = math.Max(w, at.X+boxes[k].W), math.Max(h, at.Y+boxes[k].H)
	}
	return w, h
}

// part arranges one level from 0,0 and returns its size.
func (n *nest) part(l *level) geom.Rect {
	var at []geom.Point
	if len(l.edges) == 0 {
		at = shelf(l.size, n.o.gap())
	} else {
		at = n.place(l)
	}
	lo, hi := geom.Point{X: math.Inf(1), Y: math.Inf(1)}, geom.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	reach := func(x, y, w, h float64) {
		lo.X, lo.Y = math.Min(lo.X, x), math.Min(lo.Y, y)
		hi.X, hi.Y = math.Max(hi.X, x+w), math.Max(hi.Y, y+h)
	}
	for k, p := range at {
		reach(p.X, p.Y, l.size[k].W, l.size[k].H)
	}
	for _, r := range l.routes {
		for _, p := range r.Points {
			reach(p.X, p.Y, 0, 0)
		}
	}
	for k, i := range l.nodes {
		move(n.t, i, geom.Point{X: at[k].X - lo.X, Y: at[k].Y - lo.Y}, &n.res)
	}
	for k := range l.routes {
		l.routes[k].shift(geom.Point{X: -lo.X, Y: -lo.Y})
	}
	return geom.Rect{W: hi.X - lo.X, H: hi.Y - lo.Y}
}

// parts splits the members of a container into sets that edges connect. Members without edges form one set, the last.
func (n *nest) parts(members []int, edges []lifted) []*level {
	local := make(map[int]int, len(members))
	for k, i := range members {
		local[i] = k
	}
	u := newUnion(len(members))
	joined := make([]bool, len(members))
	for _, e := range edges {
		a, b := local[e.from], local[e.to]
		u.join(a, b)
		joined[a], joined[b] = true, true
	}
	var out []*level
	var loose level
	of, at := map[int]*level{}, make([]int, len(members))
	for k, i := range members {
		l := &loose
		if joined[k] {
			root := u.find(k)
			if of[root] == nil {
				of[root] = &level{}
				out = append(out, of[root])
			}
			l = of[root]
		}
		at[k] = len(l.nodes)
		l.nodes = append(l.nodes, i)
		l.size = append(l.size, n.res.Rects[i])
	}
	for _, e := range edges {
		a, b := local[e.from], local[e.to]
		l := of[u.find(a)]
		l.edges = append(l.edges, lifted{at[a], at[b], e.edge, e.exact})
		l.routes = append(l.routes, Route{})
	}
	if len(loose.nodes) > 0 {
		out = append(out, &loose)
	}
	return out
}
