package arranger

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
)

// gather makes nodes of shapes of one container and of all that is in them, and edges of
// the edges between them. It returns the shapes of set that have nodes.
func (l *arranger) gather(set []*cell) []*cell {
	l.g, l.cells, l.node, l.rooms, l.lines, l.rides, l.half, l.spots = layout.Graph{}, nil, map[*cell]int{}, nil, nil, nil, nil, nil
	l.homes, l.inside = nil, nil
	set = l.findRiders(set)
	for _, x := range set {
		l.add(x, -1, -1)
	}
	for _, r := range l.rides {
		l.attachRider(r)
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

// add makes a node of a shape, and of what lies in it if it is a container. parent is the
// node that it lies in, home the node of its parent cell; both are -1 for none.
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
		n.MinW, n.MinH = math.Max(n.MinW, minLane), math.Max(model.TextWidth(x.Label())+placement.Padding, minLane)
	}
	if hasShapesInLanes(x) {
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

// fill adds what lies in x, the cell of node i, as children of the node.
func (l *arranger) fill(x *cell, i int) {
	if x.ID == "" {
		return
	}
	lanes := l.g.Nodes[i].Lanes != layout.NoLanes
	var inside []*cell
	for _, k := range x.Page.Children(x.ID) {
		switch {
		case !k.Vertex || lanes && model.IsPoolLane(k):
		case model.Expands(x) && x.Kind() != "pool" && !k.Relative: // an empty pool is a single node
			inside = append(inside, k)
		default:
			l.assignParts(k, i)
		}
	}
	if lanes {
		for _, k := range model.Lanes(x) {
			l.add(k, i, i)
		}
		return
	}
	for _, k := range l.findRiders(inside) {
		l.add(k, i, i)
	}
}

// minLane is the minimum width of a lane, in units.
const minLane = 80

// hasShapesInLanes reports whether a pool has lanes with shapes in them.
func hasShapesInLanes(x *cell) bool {
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

// findRiders notes which shapes ride on others and which lie in a frame that is not their
// parent. It returns the rest.
func (l *arranger) findRiders(shapes []*cell) []*cell {
	if len(shapes) < 2 {
		return shapes
	}
	id := ""
	if o := shapes[0].Owner(); o != nil {
		id = o.ID
	}
	in := pdk.Set(shapes)
	space := shapes[0].Page.Space(id)
	if space.Pairs() == 0 {
		return shapes
	}
	on := map[*cell]*cell{} // by shape: the smallest one around it, the first in the file of several
	under := map[*cell][]*cell{}
	for _, x := range shapes {
		var host *cell
		space.Each(x.Geo, func(o *cell, r geom.Rect) bool {
			if o == x || !in[o] || !r.Contains(x.Geo) || r == x.Geo && !x.Page.Before(o, x) {
				return true
			}
			if host == nil || r.W*r.H < host.Geo.W*host.Geo.H || r.W*r.H == host.Geo.W*host.Geo.H && x.Page.Before(o, host) {
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

// encloses reports whether a shape is a frame around others that are not its children, as
// against a card that carries them.
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

// atCorner reports whether a shape in a frame belongs to the frame's corner or border, like
// its title or icon.
func atCorner(x, frame *cell) bool {
	r, o := x.Geo, frame.Geo
	top := r.Y-o.Y < placement.Header+10 && r.H <= 2*placement.Header
	return top || x.Kind() == "text" && r.H <= placement.Header && o.Bottom()-r.Bottom() < placement.Header+10
}

// attachRider makes a rider stand for the shape it rides on, so that its edges run to that shape.
func (l *arranger) attachRider(r ride) {
	host := r.on
	for range l.rides {
		if i, ok := l.node[host]; ok {
			l.assignParts(r.rider, i)
			return
		}
		k := slices.IndexFunc(l.rides, func(o ride) bool { return o.rider == host })
		if k < 0 {
			return
		}
		host = l.rides[k].on
	}
}

// assignParts makes the parts of a shape stand for the node of the shape.
func (l *arranger) assignParts(x *cell, node int) {
	if _, ok := l.node[x]; ok || x.ID == "" {
		return
	}
	l.node[x] = node
	for _, k := range x.Page.Children(x.ID) {
		if k.Vertex {
			l.assignParts(k, node)
		}
	}
}

// room returns the extent of a shape with its rotation and a label below it. X and Y are
// the position of its box in that.
func (l *arranger) room(x *cell) geom.Rect {
	r := geom.Rect{W: x.Geo.W, H: x.Geo.H}
	if v, ok := x.Style.Get("rotation"); ok {
		if n, ok := value.ParseNumber(v); ok {
			sin, cos := math.Sincos(n * math.Pi / 180)
			sin, cos = math.Abs(sin), math.Abs(cos)
			r.W, r.H = math.Round(x.Geo.W*cos+x.Geo.H*sin), math.Round(x.Geo.W*sin+x.Geo.H*cos)
			r.X, r.Y = (r.W-x.Geo.W)/2, (r.H-x.Geo.H)/2
		}
	}
	if placement.LabelHangs(x) {
		r.H += placement.LabelHang(x)
		if !l.upright() { // center the box in its row without the label
			r.H, r.Y = r.H+placement.LabelHang(x), r.Y+placement.LabelHang(x)
		}
	}
	return r
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
