package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/legend"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// into moves the copies to the container in and to the position r on the page, and enlarges
// the container for them.
func (p *pasting) into(d *mxfile.Draft, in *cell, r geom.Rect) {
	whole := placement.Bounds(p.cells)
	if in != nil {
		at := in.Abs()
		p.origin, p.parent = geom.Point{X: at.X, Y: at.Y}, in.ID
		placement.Fit(d, p.grown, in, r)
	}
	p.by = []geom.Point{{X: r.X + p.origin.X - whole.X, Y: r.Y + p.origin.Y - whole.Y}}
}

// toOtherPage prepares copies of cells on another page: at the position that the op gives, or
// at their old coordinates, or at the nearest free position.
func toOtherPage(c *ctx, d *mxfile.Draft, a pdk.Args, cells []*cell, page *mxfile.Page) (p pasting, err error) {
	for _, key := range []string{"near", "in"} {
		if page != c.Model.Current && a.Has(key) {
			return p, pdk.Errorf("%s: names what is on the current page; to: goes with page:", key).Try(a.Mended(pdk.Without("near", "in", "dir")))
		}
	}
	where := pdk.Must(placement.ReadSpot(c.Model, a, placement.To))
	layer := page.DefaultLayer()
	if layer == nil {
		return p, pdk.Errorf("page %s has no layer for a shape", model.PageTitle(c.Model, page)).Try(model.PageSwitch(c.Model, page))
	}
	whole := placement.Bounds(cells)
	where.Page = page
	if where.Anywhere() {
		where.At = &geom.Point{X: whole.X, Y: whole.Y}
	}
	r, _ := where.Find(whole.W, whole.H, nil)
	p = pasting{cells: cells, page: page, layer: layer.ID, rename: func(*cell, int) string { return "" }, grown: map[*cell]geom.Rect{}}
	p.into(d, where.In, r)
	return p, nil
}

// moveOver runs move with page:.
func moveOver(c *ctx, a pdk.Args, cells []*cell, page *mxfile.Page) error {
	if a.Has("by") {
		return pdk.Errorf("by: is for moves on a page").Try(a.Mended(pdk.Without("by")))
	}
	d := c.Model.Draft()
	p := pdk.Must(toOtherPage(c, d, a, cells, page))
	p.id = freeOldID(page)
	cut, _ := edgesLeaving(p.whole())
	more, what, along := lostEdges(cut), model.List(cells, 6), alongWith(p)
	ids, made := p.draft(d)
	removeFromPage(d, append(p.whole(), cut...))
	pushed := placement.MakeWay(d, p.grown, nil)
	pdk.Check(c.Do(d.Edit(), "move "+what+" to page "+page.Name, ids...))
	if along != "" {
		c.Also("%s", along)
	}
	var there []*cell
	for _, id := range made {
		there = append(there, page.Cell(id))
		c.Touch(model.ID(page.Cell(id)))
	}
	c.Changed("%s %s on page %s%s%s", what, values.Box(placement.Bounds(there)), model.PageTitle(c.Model, page), more, placement.Growth(p.grown, pushed))
	return nil
}

// alongWith says for a reply what moves with the shapes of an op: what lies in them, and the edges
// between them. "" for nothing.
func alongWith(p pasting) string {
	out := pdk.Filter(p.whole(), func(x *cell) bool {
		return !slices.Contains(p.cells, x) && whole(x) == x && !x.Badge
	})
	if len(out) == 0 {
		return ""
	}
	return "with them: " + model.All(out)
}

// freeOldID returns a function that returns a cell's old id if it is free on a page, or "".
func freeOldID(page *mxfile.Page) func(*cell) string {
	return func(x *cell) string {
		if x.ID == "" || page.Cell(x.ID) != nil {
			return ""
		}
		return x.ID
	}
}

// copyOver runs copy to another page than that of the cells.
func copyOver(c *ctx, a pdk.Args, cells []*cell, page *mxfile.Page, as string) error {
	d := c.Model.Draft()
	p := pdk.Must(toOtherPage(c, d, a, cells, page))
	p.what, p.rename = "copy", func(*cell, int) string { return as }
	return p.paste(c, d)
}

// edgesLeaving returns the edges with one end among cells, and the cells at their other ends,
// each in the order of the file.
func edgesLeaving(cells []*cell) (cut, outer []*cell) {
	inside := pdk.Set(cells)
	page := cells[0].Page
	for _, x := range cells {
		if x.Edge || x.ID == "" {
			continue
		}
		for _, e := range append(page.Out(x.ID), page.In(x.ID)...) {
			if inside[e] {
				continue
			}
			cut = append(cut, e)
			for _, end := range []string{e.Source, e.Target} {
				if o := page.Cell(end); o != nil && !inside[o] {
					outer = append(outer, o)
				}
			}
		}
	}
	return model.InOrder(page, cut), model.InOrder(page, outer)
}

// removeFromPage drafts the removal of cells from their page, with the labels on edges.
func removeFromPage(d *mxfile.Draft, cells []*cell) {
	all := cells
	for _, x := range cells {
		if x.Edge && x.ID != "" {
			all = append(all, x.Page.Children(x.ID)...)
		}
	}
	d.Remove(model.InOrder(cells[0].Page, all)...)
}

// lostEdges says for a reply which edges a move to another page removed.
func lostEdges(cut []*cell) string {
	if len(cut) == 0 {
		return ""
	}
	return "; removed " + pdk.Count(len(cut), "edge") + " to what stays: " + strings.Join(allNames(cut), ", ")
}

// pageSplit runs `page split`: it moves shapes to a page of their own, with stand-ins for the
// shapes that they are connected to.
func pageSplit(c *ctx, a pdk.Args) error {
	f := c.Model
	cells := pdk.Must(splitOff(c, a))
	from := cells[0].Page
	name := a.String("as", "")
	if !a.Has("as") {
		if len(cells) > 1 {
			return pdk.Errorf("page split needs as:NAME for the page of %s", pdk.Count(len(cells), "shape"))
		}
		name = values.OneLine(cells[0].Name())
	}
	pdk.Check(pageName(f, name, nil))
	d := f.Draft()
	key := pdk.Must(d.AddPage(name, from, nil))
	pdk.Check(c.Do(d.Edit(), "add page "+name))
	page := f.Page(key)
	p := pasting{cells: cells, page: page, layer: page.DefaultLayer().ID, by: []geom.Point{{}}, rename: func(*cell, int) string { return "" }, id: freeOldID(page), ends: map[string]string{}}
	cut, outer := edgesLeaving(p.whole())
	d = f.Draft()
	for _, x := range outer {
		id := d.NewID()
		p.ends[x.ID] = id
		d.Append(page, id, standInFor(x, id, p.layer, from))
	}
	p.also = cut
	along, sent := alongWith(p), model.All(cut)
	ids, _ := p.draft(d)
	removeFromPage(d, p.whole())
	pdk.Check(c.Do(d.Edit(), "move "+model.List(cells, 3)+" to page "+name, ids...))
	pdk.Check(legend.Inherit(c, page, from))
	more := ""
	if len(outer) > 0 {
		more = "; " + pdk.Count(len(cut), "edge") + " went along, to stand-ins for " + strings.Join(firstNames(outer), ", ") + ": " + sent
	}
	if along != "" {
		c.Also("%s", along)
	}
	c.Created("page %s with %s%s", model.PageTitle(f, page), model.List(cells, 6), more)
	return nil
}

// splitOff returns the shapes that a page split moves.
func splitOff(c *ctx, a pdk.Args) ([]*cell, error) {
	var cells []*cell
	if len(a.Selectors) > 0 {
		got := pdk.Must(selector.Select(c.Model, c.Recent, a.Selectors, false))
		cells = slices.DeleteFunc(got, func(x *cell) bool { return !x.Shape() || x.Relative || model.InCompound(x) })
	}
	for _, ref := range a.Texts(1) {
		x := pdk.Must(selector.Vertex(c.Model, ref))
		cells = append(cells, x)
	}
	if len(cells) == 0 {
		return nil, pdk.Errorf("page split needs shapes, or a group").TryQuery("map")
	}
	cells = pdk.Must(placement.Movable(cells))
	return model.InOrder(cells[0].Page, cells), nil
}

// standInFor returns the text of a cell that stands for x on another page: it looks like x,
// but is dashed and empty, and links to the page of x.
func standInFor(x *cell, id, layer string, page *mxfile.Page) mxfile.Text {
	look := x.Style
	if x.Page.Holds(x.ID) {
		t, _ := style.ShapeNamed("svc")
		look = t.Style
	}
	return mxfile.NewVertex(id, x.Value, look.Set("dashed", "1"), layer, x.Abs()).WithData("link", "data:page/id,"+page.ID)
}
