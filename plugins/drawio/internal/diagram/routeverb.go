package diagram

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/tangle"
)

// led is up to how many shapes and edges, together, a page has on which ways
// that an op made stale are found anew. On larger ones draw.io finds them.
const led = 300

func routeVerb() verb {
	return verb{Run: runRoute, Verb: abi.Verb{
		Name: "route", Syntax: "route [REF ARROW REF|REF|SEL]", Summary: "lead edges anew around what is there, all of them or those of shapes; shapes stay", Category: "place",
		Brief:  "route [REF ARROW REF|REF|SEL] · edges anew",
		Select: true, Min: 0, Max: 3,
		Examples: []string{"route", "route AuthService -> UserDB", "route @connected:UserDB"},
	}}
}

func runRoute(c *ctx, a pdk.Args) error {
	page := c.Model.Current
	if timed(page) {
		return inTime()
	}
	var lines []*cell
	if len(a.Positionals)+len(a.Selectors) == 0 {
		for x := page.First(); x != nil; x = x.Next() {
			if x.Edge {
				lines = append(lines, x)
			}
		}
	} else {
		cells, used, err := target(c, a, false)
		if err != nil {
			return err
		}
		if len(a.Positionals) > used {
			return pdk.Errorf("route takes one of: a reference, REF ARROW REF, a selector")
		}
		lines = edgesOf(cells)
	}
	if len(lines) == 0 {
		return pdk.Unchanged("there is no edge to lead")
	}
	before, known := score(page)
	if !known {
		return pdk.Errorf("the page has more than %d shapes and edges: too many to lead edges around each other", rated)
	}
	d := c.Model.Draft()
	n := rerouteLines(d, page, lines, true)
	if n == 0 {
		return pdk.Errorf("none of %s can be led: their ends lie on locked layers, in each other, or nowhere", plural(len(lines), "edge"))
	}
	if err := commit(c, d, "route "+list(lines, 1), "no better way was found for "+list(lines, 1), lines...); err != nil {
		return err
	}
	after, _ := score(page)
	say(c, lines, "%s led anew, score %s → %s", list(lines, 1), points(before), points(after))
	return nil
}

// edgesOf are the edges among cells, and those of the shapes among them and of
// what lies in these.
func edgesOf(cells []*cell) []*cell {
	seen := map[*cell]bool{}
	var out []*cell
	add := func(e *cell) {
		if !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
	}
	if len(cells) == 0 {
		return nil
	}
	for _, x := range subtree(cells) {
		if x.Edge {
			add(x)
			continue
		}
		for _, e := range x.Page.Out(x.ID) {
			add(e)
		}
		for _, e := range x.Page.In(x.ID) {
			add(e)
		}
	}
	if len(out) > 0 {
		out[0].Page.Sort(out)
	}
	return out
}

// rerouteLines drafts new routes of edges around what is on the page, and returns how many;
// with better, only if the drawing does not get worse.
func rerouteLines(d *mxfile.Draft, page *mxfile.Page, lines []*cell, better bool) int {
	set := outermostOf(page)
	if len(set) == 0 {
		return 0
	}
	l := &arranger{d: d, algo: "layered"}
	l.gather(set)
	w := l.drawing(nil)
	r, dirs := w.asDrawn(page)
	mine := map[*cell]bool{}
	for _, e := range lines {
		mine[e] = true
	}
	var which []int
	for k, i := range w.lines {
		if mine[l.lines[i]] && l.lines[i].Layer() != nil && free(l.lines[i]) {
			which = append(which, k)
		}
	}
	before := arrange.Judge(&w.g, &r, dirs[0])
	drawn := slices.Clone(r.Routes)
	arrange.Reroute(&w.g, &r, which, dirs[0])
	if better && r.Score.Total >= before.Total {
		return len(which)
	}
	abs := make([]geom.Rect, len(l.cells))
	for i, x := range l.cells {
		abs[i] = x.Abs()
	}
	res := layout.Result{Rects: abs, Routes: make([]layout.Route, len(l.lines))}
	l.spots = make([]*geom.Point, len(l.lines))
	n := 0
	for _, k := range which {
		i := w.lines[k]
		if w.take(k, r.Routes[k], &res, abs) {
			l.route(i, l.lines[i], res, geom.Point{}, geom.Point{}, abs)
			n++
		}
	}
	routes := svg.Routes(page)
	for k, i := range w.lines { // labels that gave way
		if e, to := l.lines[i], r.Routes[k].Label; to != drawn[k].Label && !slices.Contains(which, k) && e.Layer() != nil && free(e) {
			l.relabel(e, routes[e], geom.Point{X: float64(to.X), Y: float64(to.Y)})
		}
	}
	return n
}

// stale are the edges whose waypoints an edit makes wrong.
type stale struct {
	d   *mxfile.Draft
	was map[*cell]geom.Rect // places on the page of the shapes that it touches
}

// watch notes where the shapes are that a draft touches.
func watch(d *mxfile.Draft) stale {
	s := stale{d: d}
	for _, x := range d.Changed() {
		if x.Vertex {
			if s.was == nil {
				s.was = map[*cell]geom.Rect{}
			}
			s.was[x] = x.Abs()
		}
	}
	return s
}

// lines are the edges that had waypoints for ends that lay elsewhere, unless the
// draft has given them others.
func (s stale) lines() []*cell {
	var moved []*cell
	for x, r := range s.was {
		if x.Abs() != r {
			moved = append(moved, x)
		}
	}
	if len(moved) == 0 {
		return nil
	}
	by := func(x *cell) (p geom.Point, resized bool) {
		for o, n := x, 0; o != nil && n < 100; o, n = o.Owner(), n+1 {
			if r, ok := s.was[o]; ok {
				now := o.Abs()
				return geom.Point{X: now.X - r.X, Y: now.Y - r.Y}, o == x && (now.W != r.W || now.H != r.H)
			}
		}
		return p, false
	}
	drawn := map[*cell]bool{}
	for _, x := range s.d.Changed() {
		drawn[x] = x.Edge
	}
	var out []*cell
	for _, e := range edgesOf(moved) {
		from, to := ends(e)
		if !e.Routed || drawn[e] || from == nil || to == nil {
			continue
		}
		p, a := by(from)
		q, b := by(to)
		if a || b || math.Abs(p.X-q.X) > 0.5 || math.Abs(p.Y-q.Y) > 0.5 {
			out = append(out, e)
		}
	}
	return out
}

// mend leads those edges anew, or leaves them to draw.io where the page is large.
func (s stale) mend(c *ctx) error {
	lines := s.lines()
	if len(lines) == 0 {
		return nil
	}
	page := lines[0].Page
	if timed(page) {
		return nil
	}
	d := c.Model.Draft()
	if !smallEnough(page) || rerouteLines(d, page, lines, false) < len(lines) {
		d = c.Model.Draft()
		for _, e := range lines {
			d.Change(e, func(t mxfile.Text) mxfile.Text {
				return t.WithStyle(unported(e.Style, "exit", "entry")).WithPoints(nil)
			})
		}
	}
	if e := d.Edit(); e != nil {
		return c.Do(e, "lead "+plural(len(lines), "edge")+" anew")
	}
	return nil
}

// avoid leads new edges around the shapes that draw.io's own way would run through, and lets them begin and end below
// labels that hang in their way, on pages whose edges are followed after every call.
func avoid(c *ctx, lines []*cell) error {
	if len(lines) == 0 {
		return nil
	}
	page := lines[0].Page
	if t := count(page); t.edges > followed || t.shapes+t.groups > followed || timed(page) {
		return nil
	}
	all := svg.Routes(page)
	var mine []*cell
	var routes [][]geom.Point
	for _, e := range lines {
		if len(all[e]) > 1 {
			mine, routes = append(mine, e), append(routes, all[e])
		}
	}
	hit := hits(page, tangle.New(routes), mine)
	var bad []*cell
	for i, e := range mine {
		if len(hit[i]) > 0 {
			bad = append(bad, e)
		}
	}
	if len(bad) > 0 {
		d := c.Model.Draft()
		rerouteLines(d, page, bad, false)
		for _, x := range bad { // corners say enough, and that no layout gave it ports says that none has placed it
			d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithStyle(x.Style) })
		}
		if e := d.Edit(); e != nil {
			if err := c.Do(e, "lead "+plural(len(bad), "edge")+" around shapes"); err != nil {
				return err
			}
			all = svg.Routes(page)
		}
	}
	d := c.Model.Draft()
	for _, e := range mine {
		e = page.Cell(e.Key)
		s, way := e.Style, all[e]
		from, to := ends(e)
		if throughLabel(from, way) {
			s = belowLabel(style.Port(s, "exit", 0.5, 1), "exit", from)
		}
		if slices.Reverse(way); throughLabel(to, way) {
			s = belowLabel(style.Port(s, "entry", 0.5, 1), "entry", to)
		}
		if s != e.Style {
			d.Change(e, func(t mxfile.Text) mxfile.Text { return t.WithStyle(s) })
		}
	}
	if e := d.Edit(); e != nil {
		return c.Do(e, "lead edges below labels")
	}
	return nil
}

// leadable reports whether a new edge of that look is led around shapes: it is
// drawn at right angles, and the op has not said how it runs.
func leadable(a pdk.Args, e *cell) bool {
	return !placed(a) && !message(e) && e.Style.Is("edgeStyle", "orthogonalEdgeStyle") && !e.Style.Is("curved", "1")
}

// placed reports whether an op says how its edge runs.
func placed(a pdk.Args) bool { return a.Has("via") || a.Has("exit") || a.Has("entry") }

// reway drafts the waypoints that modify gives an edge, none for none.
func reway(d *mxfile.Draft, e *cell, via []geom.Point) {
	points := slices.Clone(via)
	if o := e.Owner(); o != nil {
		at := o.Abs()
		for i := range points {
			points[i].X, points[i].Y = points[i].X-at.X, points[i].Y-at.Y
		}
	}
	d.Change(e, func(t mxfile.Text) mxfile.Text { return t.WithPoints(points) })
}
