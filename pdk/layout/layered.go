package layout

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Layered puts nodes into rows so that edges run from row to row in one direction, also across containers: the method of
// Sugiyama, Tagawa and Toda (1981). No edge of an acyclic graph runs against the direction. Containers are as large as
// their contents need. A pool's lanes keep their order, and rows run across all of them; a pool whose lanes lie across
// the direction is laid out along its lanes instead.
func Layered(g *Graph, o Options) Result {
	along := Columns
	if o.Dir.sideways() {
		along = Rows
	}
	return withPools(g, o, along, func(g *Graph) Result { return arrangeLayered(g, o) })
}

// arrangeLayered is Layered for a graph in which the lanes of all pools lie along the direction.
func arrangeLayered(g *Graph, o Options) Result {
	t := newTree(g)
	l := &layered{g: g, t: t, o: o}
	ls, n := links(g, t)
	breakCycles(n, ls)
	rank := ranks(g, t, ls, n)
	res := Result{Rects: make([]geom.Rect, len(g.Nodes)), Routes: make([]Route, len(g.Edges))}
	var boxes []geom.Rect
	parts := l.parts(ls)
	for _, leaves := range parts {
		boxes = append(boxes, l.arrangePart(leaves, ls, rank, &res))
	}
	places := shelf(boxes, o.spacing()*1.2)
	for i, leaves := range parts {
		l.shift(leaves, places[i], &res)
	}
	return res
}

// layered is the state of a layered layout. Its coordinates are those of rows from the top down; place turns them.
type layered struct {
	g *Graph
	t *tree
	o Options
}

// sideways reports whether rows are vertical on the page.
func (l *layered) sideways() bool { return l.o.Dir.sideways() }

// size is the size of a leaf along its row and across it.
func (l *layered) size(v int) (w, h float64) {
	n := l.g.Nodes[v]
	if l.sideways() {
		return n.H, n.W
	}
	return n.W, n.H
}

// along is the frame of a container along the rows.
func (l *layered) along(c int) frame {
	n := l.g.Nodes[c]
	if l.sideways() {
		return frame{n.Pad.Top, n.Pad.Bottom, n.MinH}
	}
	return frame{n.Pad.Left, n.Pad.Right, n.MinW}
}

// across is the padding of a container before its first row and after its last.
func (l *layered) across(c int) (before, behind float64) {
	p := l.g.Nodes[c].Pad
	switch l.o.Dir {
	case LR:
		return p.Left, p.Right
	case BT:
		return p.Bottom, p.Top
	case RL:
		return p.Right, p.Left
	}
	return p.Top, p.Bottom
}

// parts splits the leaves into sets that edges or containers connect. Unconnected leaves form one set, the last.
func (l *layered) parts(ls []link) [][]int {
	n := len(l.g.Nodes)
	extra := n
	for _, k := range ls {
		extra = max(extra, k.from+1, k.to+1)
	}
	u := newUnion(extra)
	held := make([]bool, extra)
	for _, k := range ls {
		u.join(k.from, k.to)
		held[k.from], held[k.to] = true, true
	}
	loose := -1
	for v := range n {
		switch {
		case !l.t.leaf(v):
		case len(l.t.paths[v]) > 0:
			u.join(v, l.t.paths[v][0])
		case !held[v]:
			if loose >= 0 {
				u.join(v, loose)
			}
			loose = v
		}
	}
	index := map[int]int{}
	var out [][]int
	var rest []int
	for v := range n {
		if !l.t.leaf(v) {
			continue
		}
		if len(l.t.paths[v]) == 0 && !held[v] {
			rest = append(rest, v)
			continue
		}
		r := u.find(v)
		i, ok := index[r]
		if !ok {
			i = len(out)
			index[r] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], v)
	}
	if rest != nil {
		out = append(out, rest)
	}
	return out
}

// arrangePart arranges some leaves with their containers and edges, starting at 0,0, and returns the size of the part.
func (l *layered) arrangePart(leaves []int, ls []link, rank []int, res *Result) geom.Rect {
	compact(leaves, rank)
	mine := make(map[int]bool, len(leaves))
	for _, v := range leaves {
		mine[v] = true
	}
	var own []link
	pieces := 0
	for _, k := range ls {
		if k.edge >= 0 && mine[k.from] {
			pieces += rank[k.to] - rank[k.from]
			if pieces > maxPieces {
				break // no such diagram is readable: leave the routes of the other edges to the renderer
			}
			own = append(own, k)
		}
	}
	r := buildRows(l.g, l.t, leaves, rank, own, l.size, 10)
	rounds := 24
	if len(r.verts) > 4000 {
		rounds = 10
	}
	r.arrange(rounds)
	at := r.columns(l.o.gap(), l.along)
	ro := newRouter(l, r, at.x)
	at.y, at.heights = l.flow(r, ro)
	ro.finish()
	return l.place(r, at, ro, res)
}

// maxPieces limits the pieces into which rows divide the edges of one part.
const maxPieces = 60_000

// compact renumbers the rows of some leaves so that no row is empty.
func compact(leaves []int, rank []int) {
	var used []int
	for _, v := range leaves {
		used = append(used, rank[v])
	}
	slices.Sort(used)
	used = slices.Compact(used)
	for _, v := range leaves {
		rank[v], _ = slices.BinarySearch(used, rank[v])
	}
}

// padReach is how far the frame of a container extends before its first row (or after its last), including the frames
// inside it that begin (end) in that row, too. All lanes of a pool extend equally far.
func (l *layered) padReach(r *rows, c int, before bool) float64 {
	if !l.t.lane[c] {
		return l.ownPadReach(r, c, before)
	}
	most := 0.0
	for _, k := range l.t.children[l.t.parent[c]] {
		most = math.Max(most, l.ownPadReach(r, k, before))
	}
	return most
}

// ownPadReach is padReach without regard to the other lanes of the pool.
func (l *layered) ownPadReach(r *rows, c int, before bool) float64 {
	own, behind := l.across(c)
	edge := r.first
	if !before {
		own, edge = behind, r.last
	}
	most := 0.0
	for _, k := range l.t.children[c] {
		if row, ok := edge[k]; ok && row == edge[c] {
			if l.t.lane[k] {
				most = math.Max(most, l.ownPadReach(r, k, before))
			} else {
				most = math.Max(most, l.padReach(r, k, before))
			}
		}
	}
	return own + most
}

// flow finds where each row begins across the rows, and the row's height.
func (l *layered) flow(r *rows, ro *router) (y, heights []float64) {
	n := len(r.rank)
	y, heights = make([]float64, n), make([]float64, n)
	opens, closes := make([]float64, n), make([]float64, n)
	for c := range l.g.Nodes {
		if row, ok := r.first[c]; ok {
			opens[row] = math.Max(opens[row], l.padReach(r, c, true))
			closes[r.last[c]] = math.Max(closes[r.last[c]], l.padReach(r, c, false))
		}
	}
	at := 0.0
	for k := range r.rank {
		for _, v := range r.rank[k] {
			heights[k] = math.Max(heights[k], r.verts[v].h)
		}
		at += opens[k]
		y[k] = at
		at += heights[k] + closes[k]
		ro.setZone(k, at)
		at += ro.room(k)
	}
	return y, heights
}

// place writes the part's rectangles and routes to res, turned to the direction of the options, and returns the size of
// the part.
func (l *layered) place(r *rows, at coords, ro *router, res *Result) geom.Rect {
	type span struct{ x, y, w, h float64 }
	spans := map[int]span{}
	for v := range r.verts {
		n := r.verts[v].node
		if n < 0 {
			continue
		}
		k := r.verts[v].rank
		spans[n] = span{at.x[v] - r.verts[v].w/2, at.y[k] + (at.heights[k]-r.verts[v].h)/2, r.verts[v].w, r.verts[v].h}
	}
	for c := range l.g.Nodes {
		if _, ok := r.first[c]; !ok {
			continue
		}
		top := at.y[r.first[c]] - l.padReach(r, c, true)
		bottom := at.y[r.last[c]] + at.heights[r.last[c]] + l.padReach(r, c, false)
		spans[c] = span{at.begin[c], top, at.end[c] - at.begin[c], bottom - top}
	}
	minX, maxX, maxY := math.Inf(1), math.Inf(-1), 0.0
	for _, s := range spans {
		minX, maxX, maxY = math.Min(minX, s.x), math.Max(maxX, s.x+s.w), math.Max(maxY, s.y+s.h)
	}
	for _, points := range ro.corners {
		for _, p := range points {
			minX, maxX = math.Min(minX, p.X), math.Max(maxX, p.X)
		}
	}
	for i, s := range spans {
		res.Rects[i] = l.o.Dir.turn(s.x-minX, s.y, s.w, s.h, maxY)
	}
	for i := range r.lines {
		line := &r.lines[i]
		route := Route{Set: true, Exit: l.o.Dir.port(ro.exit[i], true), Entry: l.o.Dir.port(ro.entry[i], false)}
		for _, p := range ro.corners[i] {
			q := l.o.Dir.turn(p.X-minX, p.Y, 0, 0, maxY)
			route.Points = append(route.Points, geom.Point{X: q.X, Y: q.Y})
		}
		if line.back {
			route.Exit, route.Entry = route.Entry, route.Exit
			slices.Reverse(route.Points)
		}
		res.Routes[line.edge] = route
	}
	w, h := maxX-minX, maxY
	if l.sideways() {
		w, h = h, w
	}
	return geom.Rect{W: w, H: h}
}

// shift moves a part by `by`.
func (l *layered) shift(leaves []int, by geom.Point, res *Result) {
	moved := map[int]bool{}
	move := func(i int) {
		if !moved[i] {
			moved[i] = true
			res.Rects[i].X += by.X
			res.Rects[i].Y += by.Y
		}
	}
	for _, v := range leaves {
		move(v)
		for _, c := range l.t.paths[v] {
			move(c)
			if l.t.pool[c] {
				for _, k := range l.t.children[c] {
					move(k)
				}
			}
		}
	}
	for i := range res.Routes {
		if e := l.g.Edges[i]; !res.Routes[i].Set || !moved[e.From] {
			continue
		}
		for j := range res.Routes[i].Points {
			res.Routes[i].Points[j].X += by.X
			res.Routes[i].Points[j].Y += by.Y
		}
	}
}
