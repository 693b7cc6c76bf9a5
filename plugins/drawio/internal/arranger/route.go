package arranger

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/tangle"
)

// MaxRerouted is the greatest number of shapes and edges, together, of a page whose stale
// edges are routed again. On larger pages draw.io routes them.
const MaxRerouted = 300

// EdgesOf returns the edges among cells, and the edges of the shapes among cells and of
// what lies in those.
func EdgesOf(cells []*cell) []*cell {
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
	for _, x := range Subtree(cells) {
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

// Scope says what Reroute may change.
type Scope int

const (
	OnlyEdges  Scope = iota // the edges
	IfBetter                // the edges, if the score of the page improves
	WithLabels              // the edges, and the places of other edges' labels along their lines, unless somebody set them
)

// Reroute drafts new routes of edges around the shapes on the page, and returns how many
// edges it could route.
func Reroute(d *mxfile.Draft, page *mxfile.Page, lines []*cell, scope Scope) int {
	set := Outermost(page)
	if len(set) == 0 {
		return 0
	}
	l := &arranger{d: d, Order: Order{Algo: "layered"}, routesOnly: true}
	l.gather(set)
	w := l.drawing(nil)
	r, dirs := w.asDrawn(page)
	mine := pdk.Set(lines)
	var which, aside []int
	for k, i := range w.lines {
		e := l.lines[i]
		free := e.Layer() != nil && IsUnlocked(e)
		if free && mine[e] {
			which = append(which, k)
		} else if w.g.Edges[k].LabelFixed = !free || scope != WithLabels || !mayMoveLabel(e); !w.g.Edges[k].LabelFixed {
			aside = append(aside, k)
		}
	}
	before, drawn := arrange.Judge(&w.g, &r, dirs[0]), slices.Clone(r.Routes)
	arrange.Reroute(&w.g, &r, which, dirs[0])
	if scope == IfBetter && r.Score.Total >= before.Total {
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
		if w.storeRoute(k, r.Routes[k], &res, abs) {
			l.route(i, l.lines[i], res, geom.Point{}, geom.Point{}, abs)
			n++
		}
	}
	routes := svg.Routes(page)
	for _, k := range aside {
		if e, to := l.lines[w.lines[k]], r.Routes[k].Label; to != drawn[k].Label {
			l.relabel(e, routes[e], geom.Point{X: float64(to.X), Y: float64(to.Y)})
			d.Change(e, func(t mxfile.Text) mxfile.Text { return t.SealedLike(e) })
		}
	}
	return n
}

// stale finds the edges whose waypoints an edit makes wrong.
type stale struct {
	d   *mxfile.Draft
	was map[*cell]geom.Rect // the rectangles on the page before the edit
}

// Watch notes the places of the shapes that a draft touches.
func Watch(d *mxfile.Draft) stale {
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

// moved returns the shapes that have moved or changed size.
func (s stale) moved() (out []*cell) {
	for x, r := range s.was {
		if x.Abs() != r {
			out = append(out, x)
		}
	}
	return out
}

// edges returns the edges with computed waypoints whose ends have moved or changed size, except
// those that the draft itself redrew. Waypoints that somebody set stay, as in draw.io.
func (s stale) edges() []*cell {
	moved := s.moved()
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
	for _, e := range EdgesOf(moved) {
		from, to := model.Ends(e)
		if !e.Routed || drawn[e] || from == nil || to == nil || !e.Computed() {
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

// Reroute routes those edges again, and places the labels at the ends of all edges of what moved. On a large page it removes their waypoints, so that
// draw.io routes them.
func (s stale) Reroute(c *ctx) error {
	if err := s.reroute(c); err != nil {
		return err
	}
	return SettleEnds(c, EdgesOf(s.moved()))
}

func (s stale) reroute(c *ctx) error {
	lines := s.edges()
	if len(lines) == 0 {
		return nil
	}
	page := lines[0].Page
	if ShowsSequence(page) {
		return nil
	}
	d := c.Model.Draft()
	if !IsSmall(page) || Reroute(d, page, lines, OnlyEdges) < len(lines) {
		d = c.Model.Draft()
		for _, e := range lines {
			d.Change(e, func(t mxfile.Text) mxfile.Text {
				return t.WithStyle(WithoutPorts(e.Style, "exit", "entry")).WithPoints(nil)
			})
		}
	}
	e := d.Edit()
	if e == nil {
		return nil
	}
	c.Also("routed again: %s", model.All(lines))
	return c.Do(e, "route "+pdk.Count(len(lines), "edge")+" again")
}

// Routes returns the edges of a page, in the order of the file, and their routes as drawn.
func Routes(p *mxfile.Page) (lines []*cell, routes [][]geom.Point) {
	all := svg.Routes(p)
	for c := p.First(); c != nil; c = c.Next() {
		if r := all[c]; len(r) > 1 {
			lines, routes = append(lines, c), append(routes, r)
		}
	}
	return lines, routes
}

// Hits returns the shapes that edges run through, by the index of the edge.
func Hits(p *mxfile.Page, g *tangle.Grid, lines []*cell) map[int][]*cell {
	hit := map[int][]*cell{}
	for c := p.First(); c != nil; c = c.Next() {
		if !model.IsSolid(c) || model.IsGroup(c) {
			continue
		}
		g.Through(c.Abs().Grow(-2), func(i int) {
			from, to := model.Ends(lines[i])
			for _, e := range []*cell{from, to} {
				// The shapes that it connects, their containers and their content.
				if e != nil && (e.Within(c) || c.Within(e)) {
					return
				}
			}
			hit[i] = append(hit[i], c)
		})
	}
	return hit
}
