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
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// drawing is what an arranger gathered, in the form that package arrange takes. It has no
// boxes for pools and lanes: what lies in a lane lies on the page.
type drawing struct {
	l       *arranger
	g       arrange.Graph
	nodes   []int         // by box, -1 for an invisible one and for a header
	headers map[int]*cell // by box: the pool or lane
	box     []int         // by node, -1 for a pool and a lane
	lines   []int         // by edge: its index in the arranger
	flipped []bool
}

// drawing converts what was gathered to a graph for package arrange. remarks maps notes to the
// shapes beside them. The headers of pools and lanes become shapes that edges run around.
func (l *arranger) drawing(remarks map[int]int) *drawing {
	w := &drawing{l: l, headers: map[int]*cell{}, box: make([]int, len(l.g.Nodes))}
	holds := make([]bool, len(l.g.Nodes))
	for _, n := range l.g.Nodes {
		if n.Parent >= 0 {
			holds[n.Parent] = true
		}
	}
	hasRemark, pairs := map[int]bool{}, map[int]int{} // the nodes with remarks, and the box around both
	for _, host := range remarks {
		hasRemark[host] = true
	}
	for i := range l.g.Nodes {
		w.box[i] = -1
		if l.inPool(i) {
			if model.StartSize(l.cells[i]) > 0 {
				w.headers[len(w.nodes)] = l.cells[i]
				w.nodes = append(w.nodes, -1)
				w.g.Boxes = append(w.g.Boxes, arrange.Box{Parent: -1})
			}
			continue
		}
		b := w.asBox(i, holds[i])
		host, remark := remarks[i]
		if !remark {
			host = i
		}
		if remark || hasRemark[i] {
			around, ok := pairs[host]
			if !ok {
				around = len(w.nodes)
				pairs[host] = around
				w.nodes = append(w.nodes, -1)
				w.g.Boxes = append(w.g.Boxes, arrange.Box{Parent: b.Parent, Hidden: true})
			}
			b.Parent = around
		}
		w.box[i] = len(w.nodes)
		w.nodes = append(w.nodes, i)
		w.g.Boxes = append(w.g.Boxes, b)
	}
	classes := map[style.Style]int{}
	for i, e := range l.g.Edges {
		a, b := w.box[e.From], w.box[e.To]
		if a < 0 || b < 0 {
			continue
		}
		flip, undirected := flowOf(l.lines[i])
		if flip {
			a, b = b, a
		}
		look := WithoutPorts(l.lines[i].Style, "exit", "entry")
		class, ok := classes[look]
		if !ok {
			class = len(classes)
			classes[look] = class
		}
		out := arrange.Edge{From: a, To: b, Class: class, Undirected: undirected}
		if e.LabelW > 0 {
			out.LabelW, out.LabelH = int(math.Ceil(e.LabelW))+6, int(math.Ceil(e.LabelH))+2
		}
		w.g.Edges = append(w.g.Edges, out)
		w.lines = append(w.lines, i)
		w.flipped = append(w.flipped, flip)
	}
	return w
}

// Greatest distance between a shape and its remarks.
const (
	noteReach = 40
	textReach = 30
)

// remarks finds the notes and texts without edges that lie beside a shape. It maps their nodes to
// the node of the shape.
func (l *arranger) remarks() map[int]int {
	out := map[int]int{}
	for i, x := range l.cells {
		reach := 0.0
		switch x.Kind() {
		case "note":
			reach = noteReach
		case "text":
			reach = textReach
		}
		if reach == 0 || x.Degree() > 0 || l.holds(i) || l.inPool(i) {
			continue
		}
		best, r := -1, x.Abs()
		for k, o := range l.cells {
			if o.Degree() == 0 || l.holds(k) || l.inPool(k) || l.g.Nodes[k].Parent != l.g.Nodes[i].Parent {
				continue
			}
			if gap, ok := clearance(r, o.Abs()); ok && (gap < reach || gap == reach && best < 0) {
				best, reach = k, gap
			}
		}
		if best >= 0 {
			out[i] = best
		}
	}
	return out
}

// clearance returns the distance between two boxes that lie side by side or one above the other.
// ok is false for other boxes.
func clearance(a, b geom.Rect) (gap float64, ok bool) {
	x, y := math.Max(a.X-b.Right(), b.X-a.Right()), math.Max(a.Y-b.Bottom(), b.Y-a.Bottom())
	if x > 0 && y > 0 {
		return 0, false
	}
	return math.Max(x, y), true
}

// inPool reports whether a node is a pool with lanes, or a lane.
func (l *arranger) inPool(i int) bool {
	n := &l.g.Nodes[i]
	return n.Lanes != layout.NoLanes || n.Parent >= 0 && l.g.Nodes[n.Parent].Lanes != layout.NoLanes
}

// titleHeight is the assumed height of a container's title, in units.
const titleHeight = 26

// asBox converts node i to a box. holds says that it is a container.
func (w *drawing) asBox(i int, holds bool) arrange.Box {
	n, x := &w.l.g.Nodes[i], w.l.cells[i]
	b := arrange.Box{W: toEvenGrid(n.W), H: toEvenGrid(n.H), Parent: -1, Face: int(math.Round(100 * n.Face))}
	for p := n.Parent; p >= 0; p = w.l.g.Nodes[p].Parent {
		if b.Parent = w.box[p]; b.Parent >= 0 {
			break
		}
	}
	switch v, _ := x.Style.Get("perimeter"); v {
	case "rhombusPerimeter":
		b.Kind, b.Face = arrange.Diamond, 0
	case "ellipsePerimeter":
		b.Kind, b.Face = arrange.Ellipse, 0
	}
	if holds {
		b.Pad = arrange.Pad{Top: int(n.Pad.Top), Right: int(n.Pad.Right), Bottom: int(n.Pad.Bottom), Left: int(n.Pad.Left)}
		if x.Label() != "" {
			b.Title, b.TitleW = titleHeight, int(math.Ceil(model.TextWidth(x.Label())))
		}
	}
	return b
}

// toEvenGrid rounds a size up to a multiple of 20, so that the middle, and everything in line
// with it, lies on draw.io's grid of 10.
func toEvenGrid(size float64) int { return int(math.Ceil(size/20)) * 20 }

// flowOf says how the flow runs along an edge. back: against it, when only the source has an
// arrow, as for a child that inherits. undirected: in no direction, when there is no arrow, or
// those of an entity relation. A diamond marks the whole, and the flow leaves the whole.
func flowOf(e *cell) (back, undirected bool) {
	start, _ := e.Style.Get("startArrow")
	end, ok := e.Style.Get("endArrow")
	if !ok {
		end = "classic"
	}
	whole := func(head string) bool { return strings.HasPrefix(head, "diamond") }
	switch {
	case strings.HasPrefix(start, "ER") || strings.HasPrefix(end, "ER"):
		return false, true
	case whole(start):
		return false, false
	case whole(end):
		return true, false
	case strings.HasPrefix(end, "block") && e.Style.Is("endFill", "0"):
		return true, false
	case strings.HasPrefix(start, "block") && e.Style.Is("startFill", "0"):
		return false, false
	}
	arrow := model.ArrowOf(e)
	return arrow == "<-", arrow == "--"
}

// asDir converts the direction of a layout for package arrange.
func asDir(d layout.Dir) arrange.Dir {
	return [...]arrange.Dir{layout.TB: arrange.TB, layout.LR: arrange.LR, layout.BT: arrange.BT, layout.RL: arrange.RL}[d]
}

// compose arranges what was gathered, by package arrange.
func (l *arranger) compose() layout.Result {
	w := l.drawing(l.remarks())
	got := arrange.Arrange(&w.g, arrange.Options{Dir: asDir(l.Options.Dir), ColumnsBy: l.ColumnsBy, Spacing: int(l.Options.Spacing)})
	res := layout.Result{Rects: make([]geom.Rect, len(l.g.Nodes)), Routes: make([]layout.Route, len(l.g.Edges))}
	rooms := make([]geom.Rect, len(l.g.Nodes)) // on the grid
	for b, a := range got.Boxes {
		i := w.nodes[b]
		if i < 0 {
			continue
		}
		r := geom.Rect{X: float64(a.X), Y: float64(a.Y), W: float64(a.W), H: float64(a.H)}
		rooms[i] = r
		if n := l.g.Nodes[i]; !l.holds(i) {
			r = geom.Rect{X: r.X + (r.W-n.W)/2, Y: r.Y + (r.H-n.H)/2, W: n.W, H: n.H}
		}
		res.Rects[i] = r
	}
	l.spots = make([]*geom.Point, len(l.g.Edges))
	for k, r := range got.Routes {
		w.storeRoute(k, r, &res, rooms)
	}
	return res
}

// storeRoute stores the route of edge k in a result and reports whether it has one. rooms are the
// rectangles that it ends at.
func (w *drawing) storeRoute(k int, r arrange.Route, res *layout.Result, rooms []geom.Rect) bool {
	if len(r.Points) < 2 {
		return false
	}
	i := w.lines[k]
	e := w.l.g.Edges[i]
	pts := pdk.Map(r.Points, func(p arrange.Point) geom.Point {
		return geom.Point{X: float64(p.X), Y: float64(p.Y)}
	})
	if w.flipped[k] {
		slices.Reverse(pts)
	}
	n := len(pts)
	res.Routes[i] = layout.Route{Set: true, Exit: share(pts[0], rooms[e.From], res.Rects[e.From]), Entry: share(pts[n-1], rooms[e.To], res.Rects[e.To]), Points: pts[1 : n-1]}
	if e.LabelW > 0 {
		w.l.spots[i] = &geom.Point{X: float64(r.Label.X), Y: float64(r.Label.Y)}
	}
	return true
}

// share converts a position on a side of a room to fractions of the box inside the room.
func share(p geom.Point, room, box geom.Rect) geom.Point {
	along := func(at, from, extent, start, size float64) float64 {
		switch at {
		case from:
			return 0
		case from + extent:
			return 1
		}
		return (at - start) / math.Max(1, size)
	}
	return geom.Point{X: along(p.X, room.X, room.W, box.X, box.W), Y: along(p.Y, room.Y, room.H, box.Y, box.H)}
}

// asDrawn returns what was gathered as it lies on the page now, and the directions in which its
// edges may be meant to run: one horizontal and one vertical.
func (w *drawing) asDrawn(page *mxfile.Page) (arrange.Result, [2]arrange.Dir) {
	routes := svg.Routes(page)
	var votes [4]int
	r := arrange.Result{Boxes: make([]arrange.Area, len(w.nodes)), Routes: make([]arrange.Route, len(w.lines))}
	for b, i := range w.nodes {
		var at geom.Rect
		if header := w.headers[b]; header != nil {
			at = header.Abs()
			left, top := model.LaneOrigin(header)
			if left > 0 {
				at.W = left
			} else {
				at.H = top
			}
		} else {
			at = w.l.cells[i].Abs()
		}
		r.Boxes[b] = area(at)
	}
	for i, n := range w.l.g.Nodes {
		if n.Parent >= 0 && w.l.g.Nodes[n.Parent].Lanes != layout.NoLanes {
			w.g.Borders = append(w.g.Borders, area(w.l.cells[i].Abs()))
		}
	}
	for k, i := range w.lines {
		way := routes[w.l.lines[i]]
		if len(way) < 2 {
			continue
		}
		from, to := model.Ends(w.l.lines[i])
		way = slices.Clone(way)
		n := len(way)
		way[0], way[n-1] = atSide(way[0], way[1], from.Abs()), atSide(way[n-1], way[n-2], to.Abs())
		t := &r.Routes[k]
		for _, p := range way {
			q := arrange.Point{X: int(math.Round(p.X)), Y: int(math.Round(p.Y))}
			if n := len(t.Points); n > 0 { // keep pieces vertical or horizontal despite rounded ports
				last := t.Points[n-1]
				if d := q.X - last.X; d == 1 || d == -1 {
					q.X = last.X
				}
				if d := q.Y - last.Y; d == 1 || d == -1 {
					q.Y = last.Y
				}
			}
			t.Points = append(t.Points, q)
		}
		along, beside := model.LabelPlace(w.l.lines[i])
		at := svg.Along(way, along, beside)
		t.Label = arrange.Point{X: int(math.Round(at.X)), Y: int(math.Round(at.Y))}
		if w.flipped[k] {
			slices.Reverse(t.Points)
		}
		if !w.g.Edges[k].Undirected {
			vote(&votes, t.Points[0], t.Points[1])
			vote(&votes, t.Points[n-2], t.Points[n-1])
		}
	}
	dirs := [2]arrange.Dir{arrange.LR, arrange.TB}
	if votes[arrange.RL] > votes[arrange.LR] {
		dirs[0] = arrange.RL
	}
	if votes[arrange.BT] > votes[arrange.TB] {
		dirs[1] = arrange.BT
	}
	return r, dirs
}

// area rounds a rectangle to whole units.
func area(r geom.Rect) arrange.Area {
	x, y := math.Round(r.X), math.Round(r.Y)
	return arrange.Area{X: int(x), Y: int(y), W: int(math.Round(r.Right()) - x), H: int(math.Round(r.Bottom()) - y)}
}

// atSide moves the end of an edge back to the side of the box. The last piece of the edge is
// vertical or horizontal and continues to the outline inside the box.
func atSide(p, next geom.Point, box geom.Rect) geom.Point {
	switch {
	case math.Abs(p.Y-next.Y) < 1 && p.Y > box.Y && p.Y < box.Bottom():
		if next.X <= box.X {
			p.X = math.Min(p.X, box.X)
		} else if next.X >= box.Right() {
			p.X = math.Max(p.X, box.Right())
		}
	case math.Abs(p.X-next.X) < 1 && p.X > box.X && p.X < box.Right():
		if next.Y <= box.Y {
			p.Y = math.Min(p.Y, box.Y)
		} else if next.Y >= box.Bottom() {
			p.Y = math.Max(p.Y, box.Bottom())
		}
	}
	return p
}

// vote counts a piece of an edge for the direction in which it runs.
func vote(votes *[4]int, a, b arrange.Point) {
	dx, dy := b.X-a.X, b.Y-a.Y
	switch {
	case dx > max(dy, -dy):
		votes[arrange.LR]++
	case -dx > max(dy, -dy):
		votes[arrange.RL]++
	case dy > 0:
		votes[arrange.TB]++
	case dy < 0:
		votes[arrange.BT]++
	}
}
