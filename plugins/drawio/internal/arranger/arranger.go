// Package arranger lays out pages and routes edges.
package arranger

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/place"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

type (
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
)

// Order says how shapes are laid out.
type Order struct {
	Algo    string // layered, tree, mind, force, grid or radial
	Options layout.Options
	By      arrange.By
	Partial bool // the set is a selection: it stays where it begins
	Method  Method
}

// Outcome tells what was laid out.
type Outcome struct {
	Touched       []*cell
	Shapes, Edges int
	Again         []*cell // edges to route again once all shapes have their places
	Aligned       []*cell // edges of shapes in lanes, which may have simpler routes then
}

// Arrange drafts the layout of sets of shapes, each of which lies in one container.
func (o Order) Arrange(d *mxfile.Draft, sets ...[]*cell) Outcome {
	l := &arranger{Order: o, d: d, grown: map[*cell]geom.Rect{}}
	for _, set := range sets {
		l.layOut(set)
	}
	return l.Outcome
}

// arranger drafts layouts.
type arranger struct {
	Order
	Outcome
	d     *mxfile.Draft
	grown map[*cell]geom.Rect

	g      layout.Graph
	cells  []*cell           // by node
	node   map[*cell]int     // of a cell, or of the shape it is a part of or rides on
	homes  []int             // by node: that of the cell's own parent, -1 for none
	inside map[*cell][]*cell // by frame: what lies in it and is not its child
	rooms  []geom.Rect       // by node: the room it takes, and where in it its box begins
	lines  []*cell           // by edge
	onGrid bool              // the result's places are meant for the grid
	spots  []*geom.Point     // by edge: the middle of its label, nil where that is left as it is
	half   []*cell           // edges with one end in what is arranged
	rides  []ride
	looks  map[likeness]*form
}

// ride is a shape that lies on another and goes where that goes: an icon or a
// line of text on a card, drawn without grouping them.
type ride struct{ rider, on *cell }

// layOut lays out shapes that lie in one container, with all that is in them.
func (l *arranger) layOut(set []*cell) {
	set = l.gather(set)
	for _, e := range l.half { // it led around what stands elsewhere now
		from, _ := model.Ends(e)
		if _, ok := l.node[from]; ok && from != nil {
			l.redraw(e, WithoutPorts(e.Style, "exit"), nil)
		} else {
			l.redraw(e, WithoutPorts(e.Style, "entry"), nil)
		}
	}
	switch l.Algo {
	case "tree":
		l.apply(set, layout.Tree(&l.g, l.Options))
	case "mind":
		l.apply(set, layout.Mind(&l.g, mindMapOptions(l.Options)))
	case "force":
		l.apply(set, layout.Force(&l.g, l.Options))
	case "grid":
		l.apply(set, layout.Grid(&l.g, l.Options))
	case "radial":
		l.apply(set, layout.Radial(&l.g, l.Options))
	default:
		most := composed
		if l.Method == Usual && !slices.ContainsFunc(l.g.Nodes, func(n layout.Node) bool { return n.Parent >= 0 }) {
			most = ComposedPlain
		}
		if l.Method == Rowwise || len(l.cells) > most || slices.ContainsFunc(l.g.Nodes, func(n layout.Node) bool { return n.Lanes != layout.NoLanes }) {
			res := layout.Layered(&l.g, l.Options)
			if len(l.cells)+len(l.lines) <= MaxRerouted {
				l.align(&res)
				l.Aligned = append(l.Aligned, l.lines...)
			}
			l.apply(set, res)
		} else {
			l.onGrid = true
			l.apply(set, l.compose())
		}
	}
}

// align puts shapes of a lane that edges join into one line where they nearly are.
func (l *arranger) align(res *layout.Result) {
	const near = 16
	middle := func(i int) float64 {
		if l.upright() {
			return res.Rects[i].X + res.Rects[i].W/2
		}
		return res.Rects[i].Y + res.Rects[i].H/2
	}
	line := make([]int, len(l.cells)) // the first shape of each one's line
	least, most := make([]float64, len(l.cells)), make([]float64, len(l.cells))
	for i := range line {
		line[i], least[i], most[i] = i, middle(i), middle(i)
	}
	for _, e := range l.g.Edges {
		a, b := line[e.From], line[e.To]
		lo, hi := math.Min(least[a], least[b]), math.Max(most[a], most[b])
		if a == b || hi-lo > near || l.g.Nodes[e.From].Parent != l.g.Nodes[e.To].Parent || l.holds(e.From) || l.holds(e.To) {
			continue
		}
		least[a], most[a] = lo, hi
		for i := range line {
			if line[i] == b {
				line[i] = a
			}
		}
	}
	for i := range line {
		if least[line[i]] == most[line[i]] {
			continue
		}
		at := math.Round((least[line[i]]+most[line[i]])/2) - middle(i)
		if l.upright() {
			res.Rects[i].X += at
		} else {
			res.Rects[i].Y += at
		}
	}
}

// composed is up to how many shapes several arrangements are tried. More are
// laid out at once: it takes longer than in proportion.
const composed = 600

// Method is how columns are made: usual leaves it to the number of shapes.
type Method int

const (
	Usual Method = iota
	Columnwise
	Rowwise // by looking at rows alone
)

// Without groups the method that looks at rows alone may cross fewer lines, from
// composedPlain shapes on. Where it is asked for, both are tried up to triedPlain.
const (
	ComposedPlain = 40
	TriedPlain    = 150
)

// gather makes nodes of shapes that lie in one container and of all that is in
// them, and edges of what joins them. It gives those that have nodes.
func (l *arranger) gather(set []*cell) []*cell {
	l.g, l.cells, l.node, l.rooms, l.lines, l.rides, l.half, l.spots = layout.Graph{}, nil, map[*cell]int{}, nil, nil, nil, nil, nil
	l.homes, l.inside = nil, nil
	set = l.board(set)
	for _, x := range set {
		l.add(x, -1, -1)
	}
	for _, r := range l.rides {
		l.carry(r)
	}
	page := set[0].Page
	for x := page.First(); x != nil; x = x.Next() {
		if !x.Edge {
			continue
		}
		from, to := model.Ends(x)
		a, okA := l.node[from]
		b, okB := l.node[to]
		okA, okB = okA && from != nil, okB && to != nil
		switch {
		case okA && okB:
			e := layout.Edge{From: a, To: b}
			if label := model.EdgeLabel(x); label != "" {
				e.LabelW, e.LabelH = model.TextWidth(label), float64(14*(1+strings.Count(label, "\n")))
			}
			l.g.Edges = append(l.g.Edges, e)
			l.lines = append(l.lines, x)
		case okA && (x.Routed || hasPort(x, "exit")), okB && (x.Routed || hasPort(x, "entry")):
			l.half = append(l.half, x)
		}
	}
	return set
}

// add makes a node of a shape; of a container also of what lies in it.
// It lies in the node parent; home is the node of the cell that is its own
// parent, -1 for none.
func (l *arranger) add(x *cell, parent, home int) {
	i := len(l.cells)
	room := l.room(x)
	l.rooms = append(l.rooms, room)
	n := layout.Node{W: room.W, H: room.H, Parent: parent, Pad: placement.PaddingOf(x), MinW: model.TextWidth(x.Label()) + 2*placement.Padding, Face: l.form(x).face}
	if l.upright() {
		n.Face *= math.Min(1, x.Geo.W/math.Max(1, room.W))
	} else {
		n.Face *= math.Min(1, x.Geo.H/math.Max(1, room.H))
	}
	if model.IsPoolLane(x) {
		n.MinW, n.MinH = math.Max(n.MinW, leastLane), math.Max(model.TextWidth(x.Label())+placement.Padding, leastLane)
	}
	if peopled(x) {
		n.Lanes = layout.Rows
		if model.LanesAreColumns(x) {
			n.Lanes = layout.Columns
		}
	}
	l.g.Nodes = append(l.g.Nodes, n)
	l.cells = append(l.cells, x)
	l.homes = append(l.homes, home)
	l.node[x] = i
	l.fill(x, i)
	for _, k := range l.inside[x] {
		l.add(k, i, home)
	}
}

// fill adds what lies in the cell of node i as its children.
func (l *arranger) fill(x *cell, i int) {
	if x.ID == "" {
		return
	}
	lanes := l.g.Nodes[i].Lanes != layout.NoLanes
	var inside []*cell
	for _, k := range x.Page.Children(x.ID) {
		switch {
		case !k.Vertex || lanes && model.IsPoolLane(k):
		case model.Expands(x) && x.Kind() != "pool" && !k.Relative: // an empty pool goes as one
			inside = append(inside, k)
		default:
			l.own(k, i)
		}
	}
	if lanes {
		for _, k := range model.Lanes(x) {
			l.add(k, i, i)
		}
		return
	}
	for _, k := range l.board(inside) {
		l.add(k, i, i)
	}
}

// leastLane is how broad a lane is at least, in units.
const leastLane = 80

// peopled reports whether a pool has lanes with shapes in them.
func peopled(x *cell) bool {
	if x.Kind() != "pool" {
		return false
	}
	for _, lane := range model.Lanes(x) {
		if lane.ID == "" {
			return false
		}
	}
	for _, lane := range model.Lanes(x) {
		for _, k := range x.Page.Children(lane.ID) {
			if k.Vertex && !k.Relative {
				return true
			}
		}
	}
	return false
}

// board notes which of some shapes ride on others among them, and which lie in a
// frame that is not their parent, and gives the rest.
func (l *arranger) board(shapes []*cell) []*cell {
	if len(shapes) < 2 {
		return shapes
	}
	id := ""
	if o := shapes[0].Owner(); o != nil {
		id = o.ID
	}
	in := make(map[*cell]bool, len(shapes))
	for _, x := range shapes {
		in[x] = true
	}
	space := shapes[0].Page.Space(id)
	if space.Pairs() == 0 {
		return shapes
	}
	on := map[*cell]*cell{} // the smallest shape around each
	under := map[*cell][]*cell{}
	for _, x := range shapes {
		var host *cell
		space.Each(x.Geo, func(o *cell, r geom.Rect) bool {
			if o == x || !in[o] || !r.Contains(x.Geo) || r == x.Geo && !x.Page.Before(o, x) {
				return true
			}
			if host == nil || r.W*r.H < host.Geo.W*host.Geo.H || r == host.Geo && x.Page.Before(o, host) {
				host = o
			}
			return true
		})
		if host != nil {
			on[x] = host
			under[host] = append(under[host], x)
		}
	}
	var live func(x *cell) bool
	live = func(x *cell) bool {
		return x.Degree() > 0 || model.Expands(x) || slices.ContainsFunc(under[x], live)
	}
	var rest []*cell
	for _, x := range shapes {
		host := on[x]
		switch {
		case host == nil:
			rest = append(rest, x)
		case encloses(host, under[host], live):
			if !live(x) && atCorner(x, host) {
				l.rides = append(l.rides, ride{x, host})
				continue
			}
			if l.inside == nil {
				l.inside = map[*cell][]*cell{}
			}
			l.inside[host] = append(l.inside[host], x)
		case !model.Expands(x) && !model.Expands(host):
			l.rides = append(l.rides, ride{x, host})
		default:
			rest = append(rest, x)
		}
	}
	return rest
}

// encloses reports whether a shape is a frame around others, which lie in it
// without being its children, and not a card that carries them.
func encloses(host *cell, inside []*cell, live func(*cell) bool) bool {
	if model.Expands(host) && host.Page.Holds(host.ID) || host.Kind() == "image" || host.Kind() == "text" || model.IsPart(host) {
		return false
	}
	n, area := 0, 0.0
	for _, x := range inside {
		if live(x) {
			n++
		}
		if !x.Page.Before(host, x) && !host.Style.Is("fillColor", "none") {
			return false // it covers them
		}
		area += x.Geo.W * x.Geo.H
	}
	switch n {
	case 0:
		return false
	case 1:
		return (host.Degree() == 0 || model.Expands(host)) && 1.5*area < host.Geo.W*host.Geo.H
	}
	return area < host.Geo.W*host.Geo.H
}

// atCorner reports whether a shape in a frame belongs to the frame's corner or
// border, as its title or its icon does.
func atCorner(x, frame *cell) bool {
	r, o := x.Geo, frame.Geo
	top := r.Y-o.Y < placement.Header+10 && r.H <= 2*placement.Header
	return top || x.Kind() == "text" && r.H <= placement.Header && o.Bottom()-r.Bottom() < placement.Header+10
}

// carry makes a shape that rides on another stand for it, so that its edges lead
// to that.
func (l *arranger) carry(r ride) {
	host := r.on
	for range l.rides {
		if i, ok := l.node[host]; ok {
			l.own(r.rider, i)
			return
		}
		k := slices.IndexFunc(l.rides, func(o ride) bool { return o.rider == host })
		if k < 0 {
			return
		}
		host = l.rides[k].on
	}
}

// own makes a part of a shape stand for the shape.
func (l *arranger) own(x *cell, node int) {
	if _, ok := l.node[x]; ok || x.ID == "" {
		return
	}
	l.node[x] = node
	for _, k := range x.Page.Children(x.ID) {
		if k.Vertex {
			l.own(k, node)
		}
	}
}

// room is the extent that a shape takes, turned and with a label that stands
// below it, and where in it its box begins.
func (l *arranger) room(x *cell) geom.Rect {
	r := geom.Rect{W: x.Geo.W, H: x.Geo.H}
	if v, ok := x.Style.Get("rotation"); ok {
		if n, ok := values.ParseNumber(v); ok {
			sin, cos := math.Sincos(n * math.Pi / 180)
			sin, cos = math.Abs(sin), math.Abs(cos)
			r.W, r.H = math.Round(x.Geo.W*cos+x.Geo.H*sin), math.Round(x.Geo.W*sin+x.Geo.H*cos)
			r.X, r.Y = (r.W-x.Geo.W)/2, (r.H-x.Geo.H)/2
		}
	}
	if placement.LabelHangs(x) {
		r.H += placement.LabelHang(x)
		if !l.upright() { // rows have the boxes in their middle, not the labels
			r.H, r.Y = r.H+placement.LabelHang(x), r.Y+placement.LabelHang(x)
		}
	}
	return r
}

// upright reports whether edges run up and down.
func (l *arranger) upright() bool { return l.Options.Dir == layout.TB || l.Options.Dir == layout.BT }

// apply drafts the result: places, the sizes of containers, and routes.
func (l *arranger) apply(set []*cell, res layout.Result) {
	whole := geom.Rect{}
	first := geom.Point{X: math.Inf(1), Y: math.Inf(1)} // of the boxes
	for i, r := range res.Rects {
		whole = whole.Union(r)
		if l.g.Nodes[i].Parent < 0 {
			first.X, first.Y = math.Min(first.X, r.X+l.rooms[i].X), math.Min(first.Y, r.Y+l.rooms[i].Y)
		}
	}
	anchor := l.anchor(set, whole, first)
	origin := set[0].Origin()
	// New rectangles on the page, of nodes.
	abs := make([]geom.Rect, len(l.cells))
	for i, c := range l.cells {
		r := res.Rects[i]
		if !l.holds(i) {
			r = geom.Rect{X: r.X + l.rooms[i].X, Y: r.Y + l.rooms[i].Y, W: c.Geo.W, H: c.Geo.H}
		}
		x, y := math.Round(r.X+anchor.X+origin.X), math.Round(r.Y+anchor.Y+origin.Y)
		if l.holds(i) { // sides that lie on each other stay so
			r.W, r.H = math.Round(r.Right()+anchor.X+origin.X)-x, math.Round(r.Bottom()+anchor.Y+origin.Y)-y
		}
		r.X, r.Y = x, y
		abs[i] = r
	}
	by, stays := l.pins(abs)
	for i, x := range l.cells {
		r, o := abs[i], origin
		if p := l.homes[i]; p >= 0 {
			o = geom.Point{X: abs[p].X, Y: abs[p].Y}
		}
		r.X, r.Y = r.X-o.X, r.Y-o.Y
		l.d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
		if l.g.Nodes[i].Parent < 0 {
			if owner := x.Owner(); owner != nil && model.Expands(owner) {
				placement.Fit(l.d, l.grown, owner, r)
			}
		}
		l.Touched = append(l.Touched, x)
	}
	l.follow(abs)
	l.Shapes += len(l.cells) + len(l.rides)
	for i, e := range l.lines {
		a, b := l.g.Edges[i].From, l.g.Edges[i].To
		switch {
		case stays[a] >= 0 && stays[a] == stays[b]:
			continue
		case by[a] != by[b] && !res.Straight:
			l.Again = append(l.Again, e)
			continue
		}
		l.route(i, e, res, geom.Point{X: anchor.X + by[a].X, Y: anchor.Y + by[a].Y}, origin, abs)
	}
	l.Edges += len(l.lines)
}

// follow moves what rides on a shape by as much as the shape moved.
func (l *arranger) follow(abs []geom.Rect) {
	on := map[*cell]*cell{}
	for _, r := range l.rides {
		on[r.rider] = r.on
	}
	for _, r := range l.rides {
		host, steps := r.on, 0
		for on[host] != nil && steps < len(l.rides) {
			host, steps = on[host], steps+1
		}
		i, ok := l.node[host]
		if !ok {
			continue
		}
		// Host and rider lie in one container, which may have moved itself.
		was, o := host.Abs(), r.rider.Origin()
		to := r.rider.Abs()
		if now := abs[i]; now.W != was.W || now.H != was.H { // a frame: it stays at the nearest corner
			to.X = stay(to.X, to.W, was.X, was.W, now.X, now.W)
			to.Y = stay(to.Y, to.H, was.Y, was.H, now.Y, now.H)
		} else {
			to.X, to.Y = to.X+now.X-was.X, to.Y+now.Y-was.Y
		}
		if p := l.homes[i]; p >= 0 {
			o = geom.Point{X: abs[p].X, Y: abs[p].Y}
		}
		to.X, to.Y = to.X-o.X, to.Y-o.Y
		l.d.Change(r.rider, func(t mxfile.Text) mxfile.Text { return t.WithGeo(to) })
		l.Touched = append(l.Touched, r.rider)
	}
}

// stay is where a piece of a length goes that keeps its distance from the nearer
// end of something that moves and changes its own length, and lies in it.
func stay(at, length, from, extent, to, now float64) float64 {
	off := at - from
	if off+length/2 > extent/2 {
		off += now - extent
	}
	return to + math.Max(0, math.Min(off, now-length))
}

// holds reports whether a node is a container of others, or a lane.
func (l *arranger) holds(i int) bool {
	if p := l.g.Nodes[i].Parent; p >= 0 && l.g.Nodes[p].Lanes != layout.NoLanes {
		return true
	}
	return i+1 < len(l.g.Nodes) && l.g.Nodes[i+1].Parent == i
}

// anchor is where the arranged shapes begin: where they began, or, of a part
// of the page, the nearest free room.
func (l *arranger) anchor(set []*cell, whole geom.Rect, first geom.Point) geom.Point {
	var was geom.Rect
	mine := map[*cell]bool{}
	for _, x := range set {
		was = was.Union(x.Geo)
		mine[x] = true
	}
	at := geom.Point{X: math.Round(was.X), Y: math.Round(was.Y)}
	if l.onGrid && set[0].Owner() == nil {
		at = geom.Point{X: math.Round((was.X-first.X)/10) * 10, Y: math.Round((was.Y-first.Y)/10) * 10}
	}
	if !l.Partial {
		return at
	}
	id := ""
	if o := set[0].Owner(); o != nil {
		id = o.ID
		p := placement.PaddingOf(o)
		at.X, at.Y = math.Max(at.X, p.Left), math.Max(at.Y, p.Top)
	}
	space := set[0].Page.Space(id)
	but := func(x *cell) bool { return mine[x] || !model.IsSolid(x) || x.Geo.Contains(was) } // or a frame around them
	r := geom.Rect{X: at.X, Y: at.Y, W: whole.W, H: whole.H}
	if space.Empty(r, but) {
		return at
	}
	walk := place.Walk{Kind: place.Rings, X: r.X, Y: r.Y, W: r.W, H: r.H, StepX: 20, StepY: 20}
	if id != "" { // a container has no room to the left and above
		walk = place.Walk{Kind: place.Rows, X: r.X, Y: r.Y, W: r.W, H: r.H, StepX: 20, StepY: 20, Columns: 20}
	}
	r = space.FreeExcept(walk, but)
	return geom.Point{X: r.X, Y: r.Y}
}

// InFrames maps each frame of a page to the shapes that lie in it without being its
// children. It is nil when there are none.
func InFrames(page *mxfile.Page) map[*cell][]*cell {
	l := &arranger{}
	if set := Outermost(page); len(set) > 0 {
		l.gather(set)
	}
	return l.inside
}
