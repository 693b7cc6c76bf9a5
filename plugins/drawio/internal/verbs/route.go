package verbs

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/queries"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/tangle"
)

func routeVerb() verb {
	return verb{Run: runRoute, Verb: abi.Verb{
		Syntax: "route [REF ARROW REF|REF|SEL]", Summary: "route edges again around the shapes on the page: all edges, or those of some shapes; shapes do not move", Category: "place",
		Brief:    "route [REF ARROW REF|REF|SEL] · edges anew",
		Examples: []string{"route", "route AuthService -> UserDB", "route @connected:UserDB"},
	}}
}

func runRoute(c *ctx, a pdk.Args) error {
	page := c.Model.Current
	if arranger.ShowsSequence(page) {
		return arranger.RefuseSequence()
	}
	var lines []*cell
	if len(a.Positionals)+len(a.Selectors) == 0 {
		for x := page.First(); x != nil; x = x.Next() {
			if x.Edge {
				lines = append(lines, x)
			}
		}
	} else {
		cells, used := pdk.Must2(selector.Target(c, a, false))
		if len(a.Positionals) > used {
			return pdk.Errorf("route takes one of: a reference, REF ARROW REF, a selector")
		}
		lines = arranger.EdgesOf(cells)
	}
	if len(lines) == 0 {
		return pdk.Unchanged("there is no edge to route")
	}
	lost := pdk.Must(drawLost(c, lines))
	before, known := arranger.Score(page)
	if !known {
		return pdk.Errorf("the page has more than %d shapes and edges: too many to route edges around each other", arranger.MaxScored)
	}
	d := c.Model.Draft()
	n := arranger.Reroute(d, page, lines, arranger.IfBetter)
	if len(lost) > 0 && d.Edit() == nil {
		edit.Report(c, lost, "%s drawn", model.All(lost))
		return nil
	}
	if n == 0 {
		return pdk.Errorf("none of %s can be routed: their ends lie on locked layers, in each other, or nowhere", pdk.Count(len(lines), "edge"))
	}
	was := map[*cell]string{}
	for _, x := range d.Changed() {
		was[x] = x.Raw()
	}
	straight := slices.DeleteFunc(slices.Clone(lines), func(e *cell) bool { return e.Style.Is("edgeStyle", "orthogonalEdgeStyle") })
	pdk.Check(edit.Commit(c, d, "route "+model.ListFirst(lines), "no better route was found for "+model.ListFirst(lines), lines...))
	pdk.Check(arranger.SettleEnds(c, lines))
	isSame := func(x *cell) bool { return x == nil || was[x] == "" || was[x] == x.Raw() }
	changed := slices.DeleteFunc(lines, func(e *cell) bool { return isSame(e) && isSame(model.LabelCell(e)) })
	bent := slices.DeleteFunc(straight, func(e *cell) bool { return !e.Style.Is("edgeStyle", "orthogonalEdgeStyle") })
	after, _ := arranger.Score(page)
	what := model.All(changed)
	if len(changed) > 1 {
		what = pdk.Count(len(changed), "edge")
		c.Also("routed: %s", model.All(changed))
	}
	if len(bent) > 0 {
		c.Also("now at right angles: %s", model.All(bent))
	}
	edit.Report(c, changed, "%s routed again, score %s → %s", what, arranger.Points(before), arranger.Points(after))
	return nil
}

// drawLost gives the edges that draw.io does not draw a geometry, and returns them.
func drawLost(c *ctx, lines []*cell) ([]*cell, error) {
	d := c.Model.Draft()
	for _, e := range lines {
		if !e.HasGeometry() {
			d.Change(e, mxfile.Text.WithGeometry)
		}
	}
	lost := d.Changed()
	if len(lost) == 0 {
		return nil, nil
	}
	return lost, c.Do(d.Edit(), "draw "+pdk.Count(len(lost), "edge"), model.IDs(lost)...)
}

// routeAround routes new edges around the shapes that draw.io's own route would run through, and
// lets them begin and end below labels that are in their way. It does so only on pages that are
// small enough for the check after every call.
func routeAround(c *ctx, lines []*cell) error {
	if len(lines) == 0 {
		return nil
	}
	page := lines[0].Page
	if t := model.Count(page); t.Edges > queries.MaxFollowed || t.Shapes+t.Groups > queries.MaxFollowed || arranger.ShowsSequence(page) {
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
	hit := arranger.Hits(page, tangle.New(routes), mine)
	var bad []*cell
	for i, e := range mine {
		if len(hit[i]) > 0 {
			bad = append(bad, e)
		}
	}
	if len(bad) > 0 {
		d := c.Model.Draft()
		arranger.Reroute(d, page, bad, arranger.OnlyEdges)
		for _, x := range bad { // keep the old ports: an edge with ports counts as laid out
			d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithStyle(x.Style).Sealed() })
		}
		if e := d.Edit(); e != nil {
			if err := c.Do(e, "route "+pdk.Count(len(bad), "edge")+" around shapes"); err != nil {
				return err
			}
			all = svg.Routes(page)
		}
	}
	d := c.Model.Draft()
	for _, e := range mine {
		e = page.Cell(e.Key)
		s, way := e.Style, all[e]
		from, to := model.Ends(e)
		if arranger.ThroughLabel(from, way) {
			s = arranger.BelowLabel(style.Port(s, "exit", 0.5, 1), "exit", from)
		}
		if slices.Reverse(way); arranger.ThroughLabel(to, way) {
			s = arranger.BelowLabel(style.Port(s, "entry", 0.5, 1), "entry", to)
		}
		if s != e.Style {
			d.Change(e, func(t mxfile.Text) mxfile.Text { return t.WithStyle(s).Sealed() })
		}
	}
	return d.Do(c, "route edges below labels")
}

// mayRoute reports whether a new edge may be routed around shapes: it runs at right angles, and
// the op does not set its route.
func mayRoute(a pdk.Args, e *cell) bool {
	return !setsRoute(a) && runsFree(e)
}

// runsFree reports whether an edge runs at right angles, where nobody set its route.
func runsFree(e *cell) bool {
	return arranger.IsFree(e) && !model.IsMessage(e) && !e.Style.Is("curved", "1")
}

// setsRoute reports whether an op sets the route of its edge.
func setsRoute(a pdk.Args) bool { return a.Has("via") || a.Has("exit") || a.Has("entry") }

// draftWaypoints drafts the waypoints that modify gives an edge; with none it removes the edge's
// waypoints.
func draftWaypoints(d *mxfile.Draft, e *cell, via []geom.Point) {
	points := slices.Clone(via)
	if o := e.Owner(); o != nil {
		at := o.Abs()
		for i := range points {
			points[i].X, points[i].Y = points[i].X-at.X, points[i].Y-at.Y
		}
	}
	d.Change(e, func(t mxfile.Text) mxfile.Text { return t.WithPoints(points) })
}
