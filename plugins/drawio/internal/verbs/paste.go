package verbs

import (
	"maps"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// pasting describes copies of cells, with their contents and the edges between them: one
// set of copies for each offset.
type pasting struct {
	cells  []*cell
	page   *mxfile.Page // the target page
	parent string       // id of the target container, "" for the layer of each cell
	origin geom.Point   // of that container
	by     []geom.Point
	rename func(x *cell, i int) string // returns the label of copy i, "" for the same
	id     func(x *cell) string        // returns the id of a copy, "" for a new one; nil for new ones
	layer  string                      // target layer, if the cells are on another page
	also   []*cell                     // edges to copy although one end is not
	ends   map[string]string           // by id of such an end: the id of its stand-in
	grown  map[*cell]geom.Rect         // containers that grow
	what   string
}

// whole returns the cells with everything that is copied with them, in the order of the
// file.
func (p pasting) whole() []*cell {
	from := p.cells[0].Page
	inside := map[*cell]bool{}
	var marked []*cell
	mark := func(x *cell) {
		if !inside[x] {
			inside[x] = true
			marked = append(marked, x)
		}
	}
	for _, x := range append(slices.Clone(p.cells), p.also...) {
		mark(x)
	}
	for i := 0; i < len(marked); i++ {
		x := marked[i]
		if x.ID == "" {
			continue
		}
		for _, k := range from.Children(x.ID) {
			mark(k)
		}
		for _, e := range append(from.Out(x.ID), from.In(x.ID)...) {
			if from, to := model.Ends(e); from != nil && to != nil && inside[from] && inside[to] {
				mark(e)
			}
		}
	}
	from.Sort(marked)
	return marked
}

// draft drafts the copies. It returns their ids for the event, and the ids of the copies of
// p.cells.
func (p pasting) draft(d *mxfile.Draft) (ids, tops []string) {
	top := pdk.Set(p.cells)
	all := p.whole()
	for i, by := range p.by {
		fresh := maps.Clone(p.ends)
		if fresh == nil {
			fresh = map[string]string{}
		}
		name := func(x *cell) string {
			if p.id != nil {
				if id := p.id(x); id != "" {
					return id
				}
			}
			return d.NewID()
		}
		for _, x := range all {
			if x.ID != "" {
				fresh[x.ID] = name(x)
			}
		}
		for _, x := range all {
			id, ok := fresh[x.ID]
			if !ok {
				id = name(x)
			}
			text := mxfile.Text(x.Raw()).WithID(id)
			for _, attr := range []struct{ name, value string }{{"parent", x.Parent}, {"source", x.Source}, {"target", x.Target}} {
				if to, ok := fresh[attr.value]; ok && attr.value != "" {
					text = text.WithAttr(attr.name, to)
				}
			}
			switch {
			case top[x]:
				text = text.WithAttr("parent", p.home(x)).WithGeo(moved(x.Abs(), by, p.origin))
				if label := p.rename(x, i); label != "" {
					text = edit.WithLabel(text, x, label)
				}
				tops = append(tops, id)
			case fresh[x.Parent] == "":
				off := by
				if p.layer != "" {
					text = text.WithAttr("parent", p.layer)
					if o := x.Owner(); o != nil {
						off = geom.Point{X: by.X + o.Abs().X, Y: by.Y + o.Abs().Y}
					}
				}
				if x.Edge && x.Routed {
					text = text.WithPointsMoved(off)
				}
			}
			d.Append(p.page, id, text)
			ids = append(ids, model.EventID(p.page.Key, id))
		}
	}
	return ids, tops
}

// home returns the id of the parent that a copy of x gets.
func (p pasting) home(x *cell) string {
	switch l := x.Layer(); {
	case p.parent != "":
		return p.parent
	case p.layer != "":
		return p.layer
	case l != nil:
		return l.ID
	}
	return x.Parent
}

// moved returns a rectangle of the page, moved by a distance, in the coordinates of a
// container at origin.
func moved(r geom.Rect, by, origin geom.Point) geom.Rect {
	return geom.Rect{X: r.X + by.X - origin.X, Y: r.Y + by.Y - origin.Y, W: r.W, H: r.H}
}

// paste applies the drafted copies.
func (p pasting) paste(c *ctx, d *mxfile.Draft) error {
	ids, tops := p.draft(d)
	pushed := placement.MakeWay(d, p.grown, nil)
	pdk.Check(c.Do(d.Edit(), p.what+" "+model.List(p.cells, 3), ids...))
	var made []*cell
	var recent []string
	for _, id := range tops {
		x := p.page.Cell(id)
		made, recent = append(made, x), append(recent, model.ID(x))
	}
	c.Touch(recent...)
	more := placement.Growth(p.grown, pushed)
	if p.page != c.Model.Current {
		more = " on page " + model.PageTitle(c.Model, p.page) + more
	}
	if len(made) == 1 {
		c.Created("%s %s %s%s%s", model.KindOf(made[0]), model.Short(made[0]), values.Box(made[0].Abs()), model.ThemeSuffix(made[0]), more)
		return nil
	}
	c.Created("%d copies %s: %s%s", len(made), values.Box(placement.Bounds(made)), model.List(made, 6), more)
	return nil
}
