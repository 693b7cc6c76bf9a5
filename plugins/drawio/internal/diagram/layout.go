package diagram

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/layout"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/place"
)

// algorithms are the layouts by name, the default first.
func algorithms() []string { return []string{"layered", "grid"} }

func layoutDirs() []string { return []string{"TB", "LR", "BT", "RL"} }

func layoutVerb() verb {
	algos := strings.Join(algorithms(), "|")
	return verb{Run: runLayout, Verb: abi.Verb{
		Name: "layout", Syntax: "layout [SEL] [algo:" + algos + "] [dir:TB|LR|BT|RL] [spacing:N]", Summary: "arrange the page, or only what is selected; groups keep what is in them", Category: "place",
		Params: []abi.Param{{Key: "algo", Value: algos}, {Key: "dir", Value: strings.Join(layoutDirs(), "|")}, {Key: "spacing", Value: "10-1000"}},
		Select: true, Min: 0, Max: 0,
		Examples: []string{"layout", "layout dir:LR spacing:80", "layout @group:Backend algo:grid"},
	}}
}

func runLayout(c *ctx, a pdk.Args) error {
	algo := a.String("algo", "layered")
	if !contains(algorithms(), algo) {
		return pdk.Errorf("unknown algo %q: %s", algo, strings.Join(algorithms(), " ")).Try("layout algo:layered")
	}
	dir := -1
	for i, d := range layoutDirs() {
		if strings.EqualFold(d, a.String("dir", "TB")) {
			dir = i
		}
	}
	if dir < 0 {
		return pdk.Errorf("dir:%s is not one of %s", a.String("dir", ""), strings.Join(layoutDirs(), " ")).Try("layout dir:LR")
	}
	spacing, err := a.Float("spacing", 0, 10, 1000)
	if err != nil {
		return err
	}
	sets, err := layoutSets(c, a)
	if err != nil {
		return err
	}
	o := layout.Options{Dir: layout.Dir(dir), Spacing: spacing}
	d := c.Model.Draft()
	l := &arranger{d: d, algo: algo, o: o, partial: len(a.Selectors) > 0, grown: map[*cell]geom.Rect{}}
	for _, set := range sets {
		l.arrange(set)
	}
	what := plural(l.shapes, "shape")
	if l.edges > 0 {
		what += " and " + plural(l.edges, "edge")
	}
	if err := commit(c, d, "layout "+what, l.touched...); err != nil {
		return err
	}
	c.Bulk("layout %s %s: %s, now %s", algo, layoutDirs()[dir], what, box(boundsOf(outer(l.touched))))
	return nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// outer are the cells that lie in none of the others.
func outer(cells []*cell) []*cell {
	out, err := movable(cells)
	if err != nil {
		return nil
	}
	return out
}

// layoutSets are the shapes to arrange, by the container they lie in.
func layoutSets(c *ctx, a pdk.Args) ([][]*cell, error) {
	page := c.Model.Current
	if len(a.Selectors) == 0 {
		var all []*cell
		for x := page.First(); x != nil; x = x.Next() {
			if x.Shape() && x.Owner() == nil && !x.Relative && free(x) {
				all = append(all, x)
			}
		}
		if len(all) == 0 {
			return nil, pdk.Errorf("there is nothing to lay out on this page").Try("add box First")
		}
		return [][]*cell{all}, nil
	}
	cells, err := selected(c.Model, c.Recent, a.Selectors)
	if err != nil {
		return nil, err
	}
	var shapes []*cell
	for _, x := range cells {
		if x.Vertex && !x.Relative && !part(x) && free(x) && !stacked(x) {
			shapes = append(shapes, x)
		}
	}
	if len(shapes) == 0 {
		return nil, pdk.Errorf("%s selects no shape that can be laid out", selectorText(a.Selectors))
	}
	shapes = outer(shapes)
	at := map[*cell]int{}
	var sets [][]*cell
	for _, x := range shapes {
		o := x.Owner()
		i, ok := at[o]
		if !ok {
			i = len(sets)
			at[o] = i
			sets = append(sets, nil)
		}
		sets[i] = append(sets[i], x)
	}
	return sets, nil
}

// free reports whether c's layer may be changed.
func free(c *cell) bool {
	l := c.Layer()
	return l == nil || !l.Locked
}

// arranger drafts layouts.
type arranger struct {
	d             *mxfile.Draft
	algo          string
	o             layout.Options
	partial       bool
	grown         map[*cell]geom.Rect
	touched       []*cell
	shapes, edges int

	g     layout.Graph
	cells []*cell       // by node
	node  map[*cell]int // of a cell, or of the shape it is a part of
	lines []*cell       // by edge
	rides []ride
}

// ride is a shape that lies on another and goes where that goes: an icon or a
// line of text on a card, drawn without grouping them.
type ride struct{ rider, on *cell }

// arrange lays out shapes that lie in one container, with all that is in them.
func (l *arranger) arrange(set []*cell) {
	l.g, l.cells, l.node, l.lines, l.rides = layout.Graph{}, nil, map[*cell]int{}, nil, nil
	set = l.board(set)
	for _, x := range set {
		l.add(x, -1)
	}
	page := set[0].Page
	for x := page.First(); x != nil; x = x.Next() {
		if !x.Edge {
			continue
		}
		from, to := ends(x)
		a, okA := l.node[from]
		b, okB := l.node[to]
		if from != nil && to != nil && okA && okB {
			e := layout.Edge{From: a, To: b}
			if label := edgeLabel(x); label != "" {
				e.LabelW, e.LabelH = textWidth(label), 14
			}
			l.g.Edges = append(l.g.Edges, e)
			l.lines = append(l.lines, x)
		}
	}
	var res layout.Result
	if l.algo == "grid" {
		res = layout.Grid(&l.g, l.o)
	} else {
		res = layout.Layered(&l.g, l.o)
	}
	l.apply(set, res)
}

// add makes a node of a shape; of a container also of what lies in it.
func (l *arranger) add(x *cell, parent int) {
	i := len(l.cells)
	w, h := l.extent(x)
	l.g.Nodes = append(l.g.Nodes, layout.Node{W: w, H: h, Parent: parent, Pad: pad(x), MinW: textWidth(x.Label()) + 2*padding})
	l.cells = append(l.cells, x)
	l.node[x] = i
	if x.ID == "" {
		return
	}
	var inside []*cell
	for _, k := range x.Page.Children(x.ID) {
		switch {
		case !k.Vertex:
		case expands(x) && x.Kind() != "pool" && !k.Relative: // a pool goes as one, its lanes stay stacked
			inside = append(inside, k)
		default:
			l.own(k, i)
		}
	}
	for _, k := range l.board(inside) {
		l.add(k, i)
	}
}

// board notes which of some shapes ride on others among them, and gives the
// rest.
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
	var rest []*cell
	for _, x := range shapes {
		var on *cell
		if x.Degree() == 0 && !expands(x) {
			space.Each(x.Geo, func(o *cell, r geom.Rect) bool {
				if o == x || !in[o] || expands(o) || !r.Contains(x.Geo) || r == x.Geo && !x.Page.Before(o, x) {
					return true
				}
				if on == nil || r.W*r.H < on.Geo.W*on.Geo.H || r == on.Geo && x.Page.Before(o, on) {
					on = o
				}
				return true
			})
		}
		if on == nil {
			rest = append(rest, x)
			continue
		}
		l.rides = append(l.rides, ride{x, on})
	}
	return rest
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

// extent is the room a shape takes, with a label that stands below it.
func (l *arranger) extent(x *cell) (w, h float64) {
	w, h = x.Geo.W, x.Geo.H
	if x.Style.Is("verticalLabelPosition", "bottom") && x.Label() != "" {
		h += labelBelow
	}
	return w, h
}

// labelBelow is the height of a label that stands below its shape.
const labelBelow = 24

func pad(x *cell) layout.Pad {
	if x.Kind() != "lane" {
		return layout.Pad{Top: header + 10, Right: padding, Bottom: padding, Left: padding}
	}
	size := startSize(x)
	p := layout.Pad{Top: padding, Right: padding, Bottom: padding, Left: padding}
	if x.Style.Is("horizontal", "0") {
		p.Left += size
	} else {
		p.Top += size
	}
	return p
}

// textWidth estimates how wide a text is in draw.io's usual font.
func textWidth(s string) float64 {
	widest := 0
	for _, l := range strings.Split(s, "\n") {
		widest = max(widest, len([]rune(l)))
	}
	return float64(widest) * 6.5
}

// apply drafts the result: places, the sizes of containers, and routes.
func (l *arranger) apply(set []*cell, res layout.Result) {
	whole := geom.Rect{}
	for _, r := range res.Rects {
		whole = whole.Union(r)
	}
	anchor := l.anchor(set, whole)
	origin := set[0].Origin()
	// New rectangles on the page, of nodes.
	abs := make([]geom.Rect, len(l.cells))
	for i, x := range l.cells {
		r := res.Rects[i]
		r.X, r.Y = math.Round(r.X+anchor.X+origin.X), math.Round(r.Y+anchor.Y+origin.Y)
		if x.Geo.W > 0 && l.g.Nodes[i].H != x.Geo.H {
			r.H -= l.g.Nodes[i].H - x.Geo.H
		}
		abs[i] = r
	}
	for i, x := range l.cells {
		r, o := abs[i], origin
		if p := l.g.Nodes[i].Parent; p >= 0 {
			o = geom.Point{X: abs[p].X, Y: abs[p].Y}
		}
		r.X, r.Y = r.X-o.X, r.Y-o.Y
		if !l.holds(i) {
			r.W, r.H = x.Geo.W, x.Geo.H
		} else {
			r.W, r.H = math.Round(r.W), math.Round(r.H)
		}
		l.d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
		if l.g.Nodes[i].Parent < 0 {
			if owner := x.Owner(); owner != nil && expands(owner) {
				fit(l.d, l.grown, owner, r)
			}
		}
		l.touched = append(l.touched, x)
	}
	l.follow(abs)
	l.shapes += len(l.cells) + len(l.rides)
	for i, e := range l.lines {
		l.route(i, e, res, anchor, origin, abs)
	}
	l.edges += len(l.lines)
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
		to.X, to.Y = to.X+abs[i].X-was.X, to.Y+abs[i].Y-was.Y
		if p := l.g.Nodes[i].Parent; p >= 0 {
			o = geom.Point{X: abs[p].X, Y: abs[p].Y}
		}
		to.X, to.Y = to.X-o.X, to.Y-o.Y
		l.d.Change(r.rider, func(t mxfile.Text) mxfile.Text { return t.WithGeo(to) })
		l.touched = append(l.touched, r.rider)
	}
}

// holds reports whether a node is a container of others.
func (l *arranger) holds(i int) bool {
	return i+1 < len(l.g.Nodes) && l.g.Nodes[i+1].Parent == i
}

// anchor is where the arranged shapes begin: where they began, or, of a part
// of the page, the nearest free room.
func (l *arranger) anchor(set []*cell, whole geom.Rect) geom.Point {
	var was geom.Rect
	mine := map[*cell]bool{}
	for _, x := range set {
		was = was.Union(x.Geo)
		mine[x] = true
	}
	at := geom.Point{X: math.Round(was.X), Y: math.Round(was.Y)}
	if !l.partial {
		return at
	}
	id := ""
	if o := set[0].Owner(); o != nil {
		id = o.ID
		p := pad(o)
		at.X, at.Y = math.Max(at.X, p.Left), math.Max(at.Y, p.Top)
	}
	space := set[0].Page.Space(id)
	but := func(x *cell) bool { return mine[x] || !solid(x) }
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

// route drafts an edge's way: new waypoints and ports that agree with them,
// and none that belong to the old places.
func (l *arranger) route(i int, e *cell, res layout.Result, anchor, origin geom.Point, abs []geom.Rect) {
	r := res.Routes[i]
	from, to := ends(e)
	kind, _ := e.Style.Get("edgeStyle")
	s := e.Style
	for _, end := range []string{"exit", "entry"} {
		s = s.Drop(end + "X").Drop(end + "Y").Drop(end + "Dx").Drop(end + "Dy").Drop(end + "Perimeter")
	}
	var points []geom.Point
	exact := l.cells[l.node[from]] == from && l.cells[l.node[to]] == to
	if r.Set && exact && (kind == "orthogonalEdgeStyle" || kind == "elbowEdgeStyle" || kind == "segmentEdgeStyle") {
		s = fixPort(s, "exit", from, r.Exit)
		s = fixPort(s, "entry", to, r.Entry)
		var shift geom.Point
		if o := e.Owner(); o != nil {
			at := o.Abs()
			if n, ok := l.node[o]; ok {
				at = abs[n]
			}
			shift = geom.Point{X: at.X, Y: at.Y}
		}
		for _, p := range r.Points {
			points = append(points, geom.Point{X: math.Round(p.X+anchor.X+origin.X) - shift.X, Y: math.Round(p.Y+anchor.Y+origin.Y) - shift.Y})
		}
	}
	if s != e.Style {
		l.d.Change(e, func(t mxfile.Text) mxfile.Text { return t.WithStyle(s) })
	}
	if e.Routed || len(points) > 0 {
		l.d.Change(e, func(t mxfile.Text) mxfile.Text { return t.WithPoints(points) })
	}
	l.touched = append(l.touched, e)
}
