package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func groupVerb() verb {
	return verb{Run: runGroup, Keys: []pdk.Parameter{edit.Theme, values.Text("label", "TEXT shown in place of NAME")}, Verb: abi.Verb{
		Syntax: "group REF…|SEL as:NAME [theme:] [label:]", Summary: "put shapes into a new group, or into one that exists", Category: "groups",
		Brief:    "group REF…|SEL as:NAME [theme: label:]",
		Examples: []string{`group AuthService UserDB as:Backend`, `group @type:db as:"Data Stores" theme:gray`},
	}}
}

func runGroup(c *ctx, a pdk.Args) error {
	f := c.Model
	as := strings.TrimSpace(a.String("as", ""))
	if as == "" {
		return needsName(c.Model, a)
	}
	members := pdk.Must(groupMembers(c, a))
	look := pdk.Must(edit.WithTheme(f, a, edit.GroupStyle))
	if a.Has("theme") {
		look = look.Drop("dashed")
	}
	page := members[0].Page
	if hits, level := page.Names().Find(as, true); level == pdk.MatchExact && page == f.Current {
		for _, h := range hits {
			if model.IsGroup(h) && !a.Has("theme") && !a.Has("label") {
				return joinGroup(c, h, as, members)
			}
		}
		return pdk.Errorf("%q is already the name of %s", as, model.KindOf(hits[0])+" "+model.List(hits, 1))
	}
	owner := members[0].Owner()
	for _, m := range members {
		if m.Owner() != owner {
			err := pdk.Errorf("%s and %s lie in different groups", model.Short(members[0]), model.Short(m))
			for _, x := range []*cell{members[0], m} {
				if x.Owner() != nil {
					err.Tryf("move %s in:none", model.Reference(x))
				}
			}
			return err
		}
	}
	id := f.NewID(0)
	label := as
	if v, ok := a.Param("label"); ok {
		label = v
		if f.HasID(as) || len(as) > 100 {
			return pdk.Errorf("the id %q is taken; with label: the name is the id", as)
		}
		id = as
	}
	frame := frameAround(members)
	d := f.Draft()
	// The outer group must hold the new frame with its padding.
	var push geom.Point
	if owner != nil {
		inside := placement.PaddingOf(owner)
		push.X, push.Y = max(0, inside.Left-placement.Padding/2-frame.X), max(0, inside.Top-placement.Padding/2-frame.Y)
		frame.X, frame.Y = frame.X+push.X, frame.Y+push.Y
	}
	d.InsertBefore(members[0], id, mxfile.NewVertex(id, mxfile.LabelValue(label, true), look, members[0].Parent, frame))
	// The members need a second edit, after the group exists.
	pdk.Check(c.Do(d.Edit(), "group as "+as, model.EventID(page.Key, id)))
	g := page.Cell(id)
	d = f.Draft()
	grown := map[*cell]geom.Rect{}
	for _, m := range members {
		r := m.Geo
		r.X, r.Y = r.X+push.X-frame.X, r.Y+push.Y-frame.Y
		placement.Reparent(d, m, id, r)
	}
	if owner != nil && model.Expands(owner) {
		placement.Fit(d, grown, owner, frame)
	}
	pushed := placement.MakeWay(d, grown, members)
	pdk.Check(edit.Commit(c, d, "group "+model.List(members, 3), model.Already(members, "in "+model.Short(g), ""), members...))
	c.Touch(model.ID(g))
	c.Created("group %s %s: %s%s", model.Short(g), values.Box(g.Abs()), model.List(members, 6), placement.Growth(grown, pushed))
	return nil
}

// frameAround returns the rectangle of a new group around shapes, with its padding and its
// title.
func frameAround(members []*cell) geom.Rect {
	var inside geom.Rect
	for _, m := range members {
		inside = inside.Union(m.Geo)
	}
	return geom.Rect{X: inside.X - placement.Padding, Y: inside.Y - placement.Padding - placement.Header, W: inside.W + 2*placement.Padding, H: inside.H + 2*placement.Padding + placement.Header}
}

// needsName returns the error for a group without as:. If exactly one word, the first or
// the last, is not a shape, it suggests that word as the name.
func needsName(f *file, a pdk.Args) error {
	err := pdk.Errorf("group needs as:NAME")
	var unknown []int
	for i, p := range a.Positionals {
		if _, none := selector.Shape(f, p.Text, true); none != nil {
			unknown = append(unknown, i)
		}
	}
	if n := len(a.Positionals); len(unknown) == 1 && (unknown[0] == 0 || unknown[0] == n-1) && n+len(a.Selectors) > 1 && !a.Has("as") {
		err.Try(a.Mended(pdk.WithoutWord(unknown[0]), pdk.WithParam("as", a.Text(unknown[0]))))
	}
	return err
}

// groupMembers returns the shapes that group works on.
func groupMembers(c *ctx, a pdk.Args) ([]*cell, error) {
	var cells []*cell
	if len(a.Selectors) > 0 {
		got := pdk.Must(selector.Select(c.Model, c.Recent, a.Selectors, false))
		for _, x := range got {
			if x.Shape() && !x.Relative && !model.IsPart(x) {
				cells = append(cells, x)
			}
		}
	}
	for i, p := range a.Positionals {
		if a.IsArrow(i) {
			return nil, pdk.Errorf("group takes shapes, not edges")
		}
		x := pdk.Must(selector.Vertex(c.Model, p.Text))
		cells = append(cells, x)
	}
	if len(cells) == 0 {
		return nil, pdk.Errorf("group needs shapes").TryQuery("map")
	}
	cells = pdk.Must(placement.Movable(cells))
	if cells[0].Page != c.Model.Current {
		return nil, pdk.Errorf("group works on the current page").Try(model.PageSwitch(c.Model, cells[0].Page))
	}
	return model.InOrder(cells[0].Page, cells), nil
}

// joinGroup moves shapes into an existing group, which the op refers to as `as`.
func joinGroup(c *ctx, g *cell, as string, members []*cell) error {
	if g.Kind() == "pool" {
		return placement.RefusePool(g, as)
	}
	d := c.Model.Draft()
	at := g.Abs()
	grown := map[*cell]geom.Rect{}
	var joined []*cell
	taken := map[*cell]geom.Rect{}
	for _, m := range members {
		if m == g || g.Within(m) {
			return pdk.Errorf("%s cannot go into itself", model.Short(m))
		}
		if m.Owner() == g {
			continue
		}
		r := m.Abs()
		r.X, r.Y = r.X-at.X, r.Y-at.Y
		room := placement.PaddingOf(g)
		inside := geom.Rect{X: room.Left, Y: room.Top - placement.Padding/2, W: g.Geo.W - room.Left - placement.Padding, H: g.Geo.H - room.Top - placement.Padding/2}
		if !inside.Contains(r) || !isFree(g, r, taken) {
			r = below(g, r, taken)
		}
		taken[m] = r
		placement.Reparent(d, m, g.ID, r)
		placement.Fit(d, grown, g, r)
		joined = append(joined, m)
	}
	pushed := placement.MakeWay(d, grown, joined)
	pdk.Check(edit.Commit(c, d, "group "+model.List(joined, 3)+" into "+model.Short(g), model.Already(members, "in "+model.Short(g), ""), append(joined, g)...))
	delete(grown, g) // the reply already contains its size
	c.Touch(model.ID(g))
	c.Changed("group %s %s: + %s%s", model.Short(g), values.Box(g.Abs()), model.List(joined, 6), placement.Growth(grown, pushed))
	return nil
}

// isFree reports whether a rectangle in a group is free. taken holds the rectangles of
// shapes that this op moves there.
func isFree(g *cell, r geom.Rect, taken map[*cell]geom.Rect) bool {
	for _, t := range taken {
		if t.Overlaps(r) {
			return false
		}
	}
	return g.Page.Space(g.ID).Empty(r, nil)
}

// below returns a free rectangle below everything in a group.
func below(g *cell, r geom.Rect, taken map[*cell]geom.Rect) geom.Rect {
	room := placement.PaddingOf(g)
	y := room.Top
	for _, k := range g.Page.Children(g.ID) {
		if k.Vertex && !k.Relative {
			y = max(y, k.Geo.Bottom()+placement.Padding)
		}
	}
	for _, t := range taken {
		y = max(y, t.Bottom()+placement.Padding)
	}
	return geom.Rect{X: room.Left, Y: y, W: r.W, H: r.H}
}

func ungroupVerb() verb {
	return verb{Run: runUngroup, Verb: abi.Verb{
		Syntax: "ungroup REF|SEL", Summary: "dissolve groups; what is in them stays where it is", Category: "groups",
		Brief:    "ungroup REF|SEL",
		Examples: []string{"ungroup Backend", "ungroup @type:group"},
	}}
}

func runUngroup(c *ctx, a pdk.Args) error {
	var groups []*cell
	switch {
	case len(a.Selectors) > 0:
		got := pdk.Must(selector.Select(c.Model, c.Recent, a.Selectors, true))
		for _, x := range got {
			if model.IsGroup(x) {
				groups = append(groups, x)
			}
		}
		if len(groups) == 0 {
			return pdk.Errorf("%s matches no group", pdk.SelectorText(a.Selectors)).TryQuery("map")
		}
	case len(a.Positionals) == 1:
		x := pdk.Must(selector.Shape(c.Model, a.Text(0), true))
		if !model.IsGroup(x) {
			return pdk.Errorf("%s is not a group", model.Short(x)).TryQuery("map")
		}
		groups = []*cell{x}
	default:
		return pdk.Errorf("ungroup needs a group").TryQuery("map")
	}
	named := model.List(groups, 3)
	var free []*cell
	var edges []string
	// Dissolve inner groups first, each in its own edit: the outer groups need the new
	// positions of the inner groups' shapes.
	for i := len(groups) - 1; i >= 0; i-- {
		g := groups[i]
		d := c.Model.Draft()
		for _, k := range g.Page.Children(g.ID) {
			at := k.Geo
			switch {
			case k.Edge:
				liftEdge(d, k, g)
				continue
			case k.Relative:
				at = k.Abs()
				o := g.Origin()
				at.X, at.Y = at.X-o.X, at.Y-o.Y
				d.Change(k, func(t mxfile.Text) mxfile.Text { return t.WithoutGeoAttr("relative") })
			default:
				at.X, at.Y = at.X+g.Geo.X, at.Y+g.Geo.Y
			}
			placement.Reparent(d, k, g.Parent, at)
			free = append(free, k)
		}
		lost := append(g.Page.Out(g.ID), g.Page.In(g.ID)...)
		lost = model.InOrder(g.Page, lost)
		for _, e := range lost {
			edges = append(edges, model.ArrowText(e))
		}
		// Remove the group last, so that the index never has children without it.
		d.Remove(model.InOrder(g.Page, append(withLabels(lost), g))...)
		pdk.Check(edit.Commit(c, d, "ungroup "+model.Short(g), "", append(free, g)...))
	}
	text := named
	if len(free) > 0 {
		text += ": " + model.All(free) + " stay"
		if len(free) == 1 {
			text += "s"
		}
	}
	if len(edges) > 0 {
		text += "; removed " + pdk.Count(len(edges), "edge") + " of the group itself: " + strings.Join(edges, ", ")
	}
	c.Deleted("group %s", text)
	return nil
}

// withLabels adds the label cells of edges.
func withLabels(edges []*cell) []*cell {
	out := edges
	for _, e := range edges {
		out = append(out, e.Page.Children(e.ID)...)
	}
	return out
}

// liftEdge drafts the move of an edge from a group to the group's parent.
func liftEdge(d *mxfile.Draft, e, g *cell) {
	by := geom.Point{X: g.Geo.X, Y: g.Geo.Y}
	d.Change(e, func(t mxfile.Text) mxfile.Text {
		return t.WithAttr("parent", g.Parent).WithEnds(by).WithPointsMoved(by)
	})
}
