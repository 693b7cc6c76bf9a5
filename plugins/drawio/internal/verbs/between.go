package verbs

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// between is the edge that between: names, into which a shape goes.
type between struct {
	edge     *cell
	from, to *cell
	way      []geom.Point // as drawn, on the page
	made     []*cell      // what made way, in the order of the file
	grown    map[*cell]geom.Rect
	pushed   []*cell
}

// betweenKey names the edge.
var betweenKey = values.Text("between", "A,B or the id of an edge: into that edge, which becomes two")

// readBetween finds the edge that between: names.
func readBetween(f *file, a pdk.Args) (*between, error) {
	word := a.String("between", "")
	var list []*cell
	if e := model.WithID(f.Current, word); e != nil && e.Edge {
		list = []*cell{e}
	}
	var unknown error
	for i := 0; i < len(word) && list == nil; i++ {
		if word[i] != ',' {
			continue
		}
		x, err := selector.Vertex(f, strings.TrimSpace(word[:i]))
		y, err2 := selector.Vertex(f, strings.TrimSpace(word[i+1:]))
		if err != nil || err2 != nil {
			if unknown == nil {
				unknown = err
			}
			if unknown == nil {
				unknown = err2
			}
			continue
		}
		if list = model.EdgesBetween(x, y, "--"); len(list) == 0 {
			return nil, pdk.Errorf("no edge joins %s and %s", model.Short(x), model.Short(y)).TryQuery("connections " + model.Reference(x))
		}
	}
	switch {
	case list == nil && unknown != nil:
		return nil, unknown
	case list == nil:
		return nil, pdk.Errorf("between: takes the two shapes that an edge joins, between:A,B, or the id of the edge").TryQuery("connections *")
	case len(list) > 1:
		err := pdk.Errorf("several edges join them; name one by its id: %s", strings.Join(edgeIDs(list), ", "))
		for _, e := range list[:min(3, len(list))] {
			err.Try(a.Mended(pdk.WithParam("between", e.Key)))
		}
		return nil, err
	}
	e := list[0]
	g := &between{edge: e, way: svg.Routes(e.Page)[e], grown: map[*cell]geom.Rect{}}
	if g.from, g.to = model.Ends(e); g.from == nil || g.to == nil || g.from == g.to || model.IsMessage(e) || len(g.way) < 2 {
		return nil, pdk.Errorf("between: is for an edge that leads from one shape to another; %s does not", model.ArrowText(e)).TryQuery("connections *")
	}
	return g, nil
}

func edgeIDs(list []*cell) (out []string) {
	return pdk.Map(list, func(e *cell) string {
		return pdk.Quote(e.Key) + " (" + strings.TrimSpace(model.ArrowText(e)+model.LabelsOf(e).Words()) + ")"
	})
}

// like returns the shape that a new shape of a type looks like: a neighbour of that type, or else another one beside them, unless it is
// much larger, as a frame is.
func (g *between) like(kind string) *cell {
	for _, x := range []*cell{g.from, g.to} {
		if x.Kind() == kind {
			return x
		}
	}
	home, w, h := model.Outermost(g.from).Owner(), math.Max(g.from.Geo.W, g.to.Geo.W), math.Max(g.from.Geo.H, g.to.Geo.H)
	for x := g.edge.Page.First(); x != nil; x = x.Next() {
		if x.Shape() && x.Kind() == kind && x.Owner() == home && x.Geo.W <= 2*w && x.Geo.H <= 2*h {
			return x
		}
	}
	return nil
}

// into reads the edge that the op adds the shape to, nil for none. The shape gets the look and the size of those beside it, unless the op
// gives them.
func (n *addition) into(f *file, a pdk.Args) (*between, error) {
	if !a.Has("between") {
		return nil, nil
	}
	g, err := readBetween(f, a)
	if err != nil || a.Has("like") {
		return g, err
	}
	if x := g.like(n.kind); x != nil && !model.IsCompound(x) {
		n.look, n.w, n.h = x.Style, x.Geo.W, x.Geo.H
		return g, nil
	}
	switch w, h := math.Max(g.from.Geo.W, g.to.Geo.W), math.Max(g.from.Geo.H, g.to.Geo.H); {
	case model.IsIconStyle(n.look) && model.IsIcon(g.from) && model.IsIcon(g.to):
		k := math.Min(w/n.w, h/n.h)
		n.w, n.h = math.Round(n.w*k), math.Round(n.h*k)
	case !model.IsIconStyle(n.look): // as small as they are, if the label has room
		n.w, n.h = math.Min(n.w, math.Max(w, letter*float64(len(n.label)))), math.Min(n.h, math.Max(h, 30))
	}
	return g, nil
}

// place gives an added shape its place in the edge.
func (g *between) place(c *ctx, n *addition, a pdk.Args) (err error) {
	if g == nil {
		return nil
	}
	if n.count > 1 || a.Has("near") {
		return pdk.Errorf("between: is for one shape, and gives its place").Try(a.Mended(pdk.Without("count", "near", "dir")))
	}
	if !a.Has("at") {
		n.where, err = g.room(c, n.w, n.h, n.where.In, nil)
	}
	n.grown, n.pushed = g.grown, g.pushed
	return err
}

// insert makes two edges of the one: the old one leads to x, a new one of the same style from x on. Labels and waypoints stay where they
// are along the way.
func (g *between) insert(c *ctx, x *cell) error {
	if g == nil {
		return nil
	}
	e, page, f := g.edge, g.edge.Page, c.Model
	d := f.Draft()
	id := d.NewID()
	first, second := arranger.WithoutPorts(e.Style, "entry"), arranger.WithoutPorts(e.Style, "exit")
	var before, after []geom.Point
	computed := e.Computed()
	if computed {
		first, second = arranger.WithoutPorts(first, "exit"), arranger.WithoutPorts(second, "entry")
	} else {
		o := e.Origin()
		mid := svg.PositionAlong(g.way, geom.Point{X: (g.way[0].X + g.way[len(g.way)-1].X) / 2, Y: (g.way[0].Y + g.way[len(g.way)-1].Y) / 2})
		for _, p := range e.Route().Points {
			if svg.PositionAlong(g.way, geom.Point{X: p.X + o.X, Y: p.Y + o.Y}) < mid {
				before = append(before, p)
			} else {
				after = append(after, p)
			}
		}
		_, exit := e.Style.Get("exitX")
		if _, entry := e.Style.Get("entryX"); exit || entry {
			first, second = facing(first, "entry", x, g.from), facing(second, "exit", x, g.to)
		}
	}
	value := ""
	d.Change(e, func(t mxfile.Text) mxfile.Text {
		t = t.WithStyle(first).WithAttr("target", x.ID).WithPoints(before)
		switch at := e.Geo.X; {
		case at > 0:
			value, t = e.Value, t.WithValue("").WithLabelAt(0)
		case at < 0:
			t = t.WithLabelAt(math.Min(0, 2*at+1))
		}
		return t
	})
	rest := mxfile.NewEdge(id, value, second, e.Parent, x.ID, e.Target).WithPoints(after)
	if value != "" {
		rest = rest.WithLabelAt(math.Max(0, 2*e.Geo.X-1))
	}
	if next := e.Next(); next != nil {
		d.InsertBefore(next, id, rest)
	} else {
		d.Append(page, id, rest)
	}
	for _, k := range page.Children(e.ID) {
		if k.Vertex {
			r := k.Geo
			if r.X > 0 {
				r.X = math.Max(0, 2*r.X-1)
			} else {
				r.X = math.Min(0, 2*r.X+1)
			}
			d.Change(k, func(t mxfile.Text) mxfile.Text {
				if k.Geo.X > 0 {
					t = t.WithAttr("parent", id)
				}
				return t.WithGeo(r)
			})
		}
	}
	if err := c.Do(d.Edit(), "insert "+model.Short(x), model.ID(e), model.EventID(page.Key, id)); err != nil {
		return err
	}
	halves := []*cell{page.Cell(e.Key), page.Cell(id)}
	if err := settleNew(c, freeOf(halves), halves); err != nil {
		return err
	}
	if len(g.made) > 0 {
		c.Also("made way: %s", model.Some(g.made))
	}
	c.Also("%s", model.EdgeEntry(page.Cell(e.Key)))
	c.Also("%s", model.EdgeEntry(page.Cell(id)))
	return nil
}

// freeOf returns the edges that an op may route.
func freeOf(lines []*cell) []*cell {
	return slices.DeleteFunc(slices.Clone(lines), func(e *cell) bool { return !runsFree(e) })
}

// facing gives an edge a port at x on the side where another shape lies.
func facing(s style.Style, which string, x, other *cell) style.Style {
	p, q := x.Abs().Center(), other.Abs().Center()
	side := geom.Point{X: 0.5}
	switch dx, dy := q.X-p.X, q.Y-p.Y; {
	case math.Abs(dx) >= math.Abs(dy) && dx > 0:
		side = geom.Point{X: 1, Y: 0.5}
	case math.Abs(dx) >= math.Abs(dy):
		side = geom.Point{X: 0, Y: 0.5}
	case dy > 0:
		side = geom.Point{X: 0.5, Y: 1}
	}
	return style.Port(s, which, side.X, side.Y)
}

// settleNew finishes edges that an op made or gave another end: free ones are routed around shapes, all are attached to the borders of
// shapes without a perimeter, and their labels are placed.
func settleNew(c *ctx, free, all []*cell) error {
	if err := routeAround(c, free); err != nil {
		return err
	}
	d := c.Model.Draft()
	for _, e := range all {
		e = e.Page.Cell(e.Key)
		from, to := model.Ends(e)
		s := e.Style
		for _, end := range []struct {
			which    string
			x, other *cell
		}{{"exit", from, to}, {"entry", to, from}} {
			if end.x == nil || end.other == nil || !end.x.Style.Is("perimeter", "none") {
				continue
			}
			if _, ok := s.Get(end.which + "X"); !ok {
				s = facing(s, end.which, end.x, end.other)
			}
			s = s.Set(end.which+"Perimeter", "0")
		}
		if s != e.Style {
			hand := e.ByHand()
			d.Change(e, func(t mxfile.Text) mxfile.Text {
				if t = t.WithStyle(s); !hand {
					t = t.Sealed()
				}
				return t
			})
		}
	}
	if err := d.Do(c, "attach edges at borders"); err != nil {
		return err
	}
	return arranger.SettleEnds(c, all)
}
