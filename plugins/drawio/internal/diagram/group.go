package diagram

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// groupStyle is what a new group looks like: a frame with its label at the
// top, in which draw.io itself lets shapes be dropped.
const groupStyle = style.Style("rounded=1;arcSize=4;whiteSpace=wrap;html=1;container=1;collapsible=0;recursiveResize=0;" +
	"verticalAlign=top;align=left;spacingLeft=10;spacingTop=4;fontStyle=1;fillColor=none;strokeColor=#999999;dashed=1;")

func groupVerb() verb {
	return verb{Run: runGroup, Verb: abi.Verb{
		Name: "group", Syntax: "group REF… as:NAME [theme:] [label:] | group SEL as:NAME", Summary: "put shapes into a new group, or into one that exists", Category: "groups",
		Brief:  "group REF…|SEL as:NAME [theme: label:]",
		Params: []abi.Param{{Key: "as", Value: "NAME"}, {Key: "theme", Value: "THEME"}, {Key: "label", Value: "TEXT shown in place of NAME"}},
		Select: true, Min: 0, Max: -1,
		Examples: []string{`group AuthService UserDB as:Backend`, `group @type:db as:"Data Stores" theme:gray`},
	}}
}

func runGroup(c *ctx, a pdk.Args) error {
	f := c.Model
	as := strings.TrimSpace(a.String("as", ""))
	if as == "" {
		return nameless(c.Model, a)
	}
	members, err := groupMembers(c, a)
	if err != nil {
		return err
	}
	look, err := themed(f, a, groupStyle)
	if err != nil {
		return err
	}
	if a.Has("theme") {
		look = look.Drop("dashed")
	}
	page := members[0].Page
	if hits, level := page.Names().Find(as, true); level == pdk.MatchExact && page == f.Current {
		for _, h := range hits {
			if isGroup(h) && !a.Has("theme") && !a.Has("label") {
				return joinGroup(c, h, as, members)
			}
		}
		return pdk.Errorf("%q is already the name of %s", as, kindOf(hits[0])+" "+list(hits, 1))
	}
	owner := members[0].Owner()
	for _, m := range members {
		if m.Owner() != owner {
			err := pdk.Errorf("%s and %s lie in different groups", short(members[0]), short(m))
			for _, x := range []*cell{members[0], m} {
				if x.Owner() != nil {
					err.Tryf("move %s in:none", name(x))
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
	var inside geom.Rect
	for _, m := range members {
		inside = inside.Union(m.Geo)
	}
	frame := geom.Rect{X: inside.X - padding, Y: inside.Y - padding - header, W: inside.W + 2*padding, H: inside.H + 2*padding + header}
	d := f.Draft()
	// In a group already: it must hold the new frame with its padding.
	var push geom.Point
	if owner != nil {
		inside := pad(owner)
		push.X, push.Y = max(0, inside.Left-padding/2-frame.X), max(0, inside.Top-padding/2-frame.Y)
		frame.X, frame.Y = frame.X+push.X, frame.Y+push.Y
	}
	d.InsertBefore(members[0], id, mxfile.NewVertex(id, mxfile.LabelValue(label, true), look, members[0].Parent, frame))
	// A second edit, since it needs the group to be there.
	if err := c.Do(d.Edit(), line("group as "+as), eventID(page.Key, id)); err != nil {
		return err
	}
	g := page.Cell(id)
	d = f.Draft()
	grown := map[*cell]geom.Rect{}
	for _, m := range members {
		r := m.Geo
		r.X, r.Y = r.X+push.X-frame.X, r.Y+push.Y-frame.Y
		reparent(d, m, id, r)
	}
	if owner != nil && expands(owner) {
		fit(d, grown, owner, frame)
	}
	pushed := makeWay(d, grown, members)
	if err := commit(c, d, "group "+list(members, 3), already(members, "in "+short(g), ""), members...); err != nil {
		return err
	}
	c.Touch(idOf(g))
	c.Created("group %s %s: %s%s", short(g), box(g.Abs()), list(members, 6), aftermath(grown, pushed))
	return nil
}

// nameless refuses a group without as:. The one word of several that is no shape,
// at either end, was meant to name it.
func nameless(f *file, a pdk.Args) error {
	err := pdk.Errorf("group needs as:NAME")
	var unknown []int
	for i, p := range a.Positionals {
		if _, none := shape(f, p.Text, true); none != nil {
			unknown = append(unknown, i)
		}
	}
	if n := len(a.Positionals); len(unknown) == 1 && (unknown[0] == 0 || unknown[0] == n-1) && n+len(a.Selectors) > 1 && !a.Has("as") {
		err.Try(a.Mended(pdk.WithoutWord(unknown[0]), pdk.WithParam("as", a.Text(unknown[0]))))
	}
	return err
}

func groupMembers(c *ctx, a pdk.Args) ([]*cell, error) {
	var cells []*cell
	if len(a.Selectors) > 0 {
		got, err := selected(c.Model, c.Recent, a.Selectors, false)
		if err != nil {
			return nil, err
		}
		for _, x := range got {
			if x.Shape() && !x.Relative && !part(x) {
				cells = append(cells, x)
			}
		}
	}
	for i, p := range a.Positionals {
		if a.IsArrow(i) {
			return nil, pdk.Errorf("group takes shapes, not edges")
		}
		x, err := vertex(c.Model, p.Text)
		if err != nil {
			return nil, err
		}
		cells = append(cells, x)
	}
	if len(cells) == 0 {
		return nil, pdk.Errorf("group needs shapes").TryQuery("map")
	}
	cells, err := movable(cells)
	if err != nil {
		return nil, err
	}
	if cells[0].Page != c.Model.Current {
		return nil, pdk.Errorf("group works on the current page").Try(pageSwitchTo(c.Model, cells[0].Page))
	}
	return inOrder(cells[0].Page, cells), nil
}

// joinGroup moves shapes into a group that exists, which the op names so.
func joinGroup(c *ctx, g *cell, as string, members []*cell) error {
	if g.Kind() == "pool" {
		return intoPool(g, as)
	}
	d := c.Model.Draft()
	at := g.Abs()
	grown := map[*cell]geom.Rect{}
	var joined []*cell
	taken := map[*cell]geom.Rect{}
	for _, m := range members {
		if m == g || g.Within(m) {
			return pdk.Errorf("%s cannot go into itself", short(m))
		}
		if m.Owner() == g {
			continue
		}
		r := m.Abs()
		r.X, r.Y = r.X-at.X, r.Y-at.Y
		room := pad(g)
		inside := geom.Rect{X: room.Left, Y: room.Top - padding/2, W: g.Geo.W - room.Left - padding, H: g.Geo.H - room.Top - padding/2}
		if !inside.Contains(r) || !clear(g, r, taken) {
			r = below(g, r, taken)
		}
		taken[m] = r
		reparent(d, m, g.ID, r)
		fit(d, grown, g, r)
		joined = append(joined, m)
	}
	pushed := makeWay(d, grown, joined)
	if err := commit(c, d, "group "+list(joined, 3)+" into "+short(g), already(members, "in "+short(g), ""), append(joined, g)...); err != nil {
		return err
	}
	delete(grown, g) // whose size the line says
	c.Touch(idOf(g))
	c.Changed("group %s %s: + %s%s", short(g), box(g.Abs()), list(joined, 6), aftermath(grown, pushed))
	return nil
}

// clear reports whether r is free in a group, given what else goes there.
func clear(g *cell, r geom.Rect, taken map[*cell]geom.Rect) bool {
	for _, t := range taken {
		if t.Overlaps(r) {
			return false
		}
	}
	return g.Page.Space(g.ID).Empty(r, nil)
}

// below is a place under everything in a group.
func below(g *cell, r geom.Rect, taken map[*cell]geom.Rect) geom.Rect {
	room := pad(g)
	y := room.Top
	for _, k := range g.Page.Children(g.ID) {
		if k.Vertex && !k.Relative {
			y = max(y, k.Geo.Bottom()+padding)
		}
	}
	for _, t := range taken {
		y = max(y, t.Bottom()+padding)
	}
	return geom.Rect{X: room.Left, Y: y, W: r.W, H: r.H}
}

func ungroupVerb() verb {
	return verb{Run: runUngroup, Verb: abi.Verb{
		Name: "ungroup", Syntax: "ungroup REF|SEL", Summary: "dissolve groups; what is in them stays where it is", Category: "groups",
		Brief:  "ungroup REF|SEL",
		Select: true, Min: 0, Max: 1,
		Examples: []string{"ungroup Backend", "ungroup @type:group"},
	}}
}

func runUngroup(c *ctx, a pdk.Args) error {
	var groups []*cell
	switch {
	case len(a.Selectors) > 0:
		got, err := selected(c.Model, c.Recent, a.Selectors, true)
		if err != nil {
			return err
		}
		for _, x := range got {
			if isGroup(x) {
				groups = append(groups, x)
			}
		}
		if len(groups) == 0 {
			return pdk.Errorf("%s matches no group", pdk.SelectorText(a.Selectors)).TryQuery("map")
		}
	case len(a.Positionals) == 1:
		x, err := shape(c.Model, a.Text(0), true)
		if err != nil {
			return err
		}
		if !isGroup(x) {
			return pdk.Errorf("%s is not a group", short(x)).TryQuery("map")
		}
		groups = []*cell{x}
	default:
		return pdk.Errorf("ungroup needs a group").TryQuery("map")
	}
	named := list(groups, 3)
	var free []*cell
	edges := 0
	// The inner ones first, each by an edit of its own: the outer ones need
	// to see where the inner ones' shapes went.
	for i := len(groups) - 1; i >= 0; i-- {
		g := groups[i]
		d := c.Model.Draft()
		for _, k := range g.Page.Children(g.ID) {
			at := k.Geo
			switch {
			case k.Edge:
				lift(d, k, g)
				continue
			case k.Relative:
				at = k.Abs()
				o := g.Origin()
				at.X, at.Y = at.X-o.X, at.Y-o.Y
				d.Change(k, func(t mxfile.Text) mxfile.Text { return t.WithoutGeoAttr("relative") })
			default:
				at.X, at.Y = at.X+g.Geo.X, at.Y+g.Geo.Y
			}
			reparent(d, k, g.Parent, at)
			free = append(free, k)
		}
		lost := append(g.Page.Out(g.ID), g.Page.In(g.ID)...)
		lost = inOrder(g.Page, lost)
		edges += len(lost)
		// Removed first would orphan the children for the index; so last.
		d.Remove(inOrder(g.Page, append(withLabels(lost), g))...)
		if err := commit(c, d, "ungroup "+short(g), "", append(free, g)...); err != nil {
			return err
		}
	}
	text := named
	if len(free) > 0 {
		text += ": " + list(free, 6) + " stay"
		if len(free) == 1 {
			text += "s"
		}
	}
	if edges > 0 {
		text += "; removed " + plural(edges, "edge") + " of the group itself"
	}
	c.Deleted("group %s", text)
	return nil
}

// withLabels adds the cells that lie on edges.
func withLabels(edges []*cell) []*cell {
	out := edges
	for _, e := range edges {
		out = append(out, e.Page.Children(e.ID)...)
	}
	return out
}

// lift drafts an edge's move from a group to the group's parent.
func lift(d *mxfile.Draft, e, g *cell) {
	by := geom.Point{X: g.Geo.X, Y: g.Geo.Y}
	points := e.Route().Points
	for i := range points {
		points[i].X += by.X
		points[i].Y += by.Y
	}
	d.Change(e, func(t mxfile.Text) mxfile.Text {
		t = t.WithAttr("parent", g.Parent).WithEnds(by)
		if len(points) > 0 {
			t = t.WithPoints(points)
		}
		return t
	})
}
