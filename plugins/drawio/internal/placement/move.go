package placement

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Reparent drafts a new parent for a cell, and its rectangle in the parent's coordinates.
func Reparent(d *mxfile.Draft, x *cell, parent string, at geom.Rect) {
	d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithAttr("parent", parent).WithGeo(at) })
}

// Movable returns the shapes among cells that do not lie in another of them. It is an error
// if a cell has no position of its own.
func Movable(cells []*cell) ([]*cell, error) {
	set := pdk.Set(cells)
	var out []*cell
	for _, x := range cells {
		if !x.Vertex {
			continue
		}
		inside := false
		for o, n := x.Owner(), 0; o != nil && n < 100; o, n = o.Owner(), n+1 {
			inside = inside || set[o]
		}
		if inside {
			continue
		}
		if x.Relative {
			return nil, pdk.Errorf("%s is fastened to its parent and cannot be moved alone", model.Short(x))
		}
		if model.IsPoolLane(x) {
			return nil, pdk.Errorf("%s is placed by its pool %s; move the pool, or the content of the lane", model.Short(x), model.Short(x.Owner()))
		}
		if model.InCompound(x) {
			return nil, pdk.Errorf("%s belongs to %s; move that instead", model.Short(x), model.Short(model.Outermost(x)))
		}
		out = append(out, x)
	}
	if len(out) == 0 {
		return nil, pdk.Errorf("edges have no position of their own; move their shapes")
	}
	return out, nil
}

// Bounds returns the rectangle around cells on the page.
func Bounds(cells []*cell) geom.Rect {
	var r geom.Rect
	for _, x := range cells {
		r = r.Union(x.Abs())
	}
	return r
}

// Shift drafts moves of shapes. It also moves the waypoints of an edge if both its ends
// move by the same distance.
func Shift(d *mxfile.Draft, cells []*cell, by func(*cell) geom.Point) {
	root := map[*cell]*cell{} // by cell: the moving shape that it lies in or is
	var moved []*cell
	var walk func(x, top *cell)
	walk = func(x, top *cell) {
		if _, ok := root[x]; ok || x.ID == "" {
			return
		}
		root[x] = top
		moved = append(moved, x)
		for _, k := range x.Page.Children(x.ID) {
			if k.Vertex {
				walk(k, top)
			}
		}
	}
	for _, x := range cells {
		walk(x, x)
		p := by(x)
		if p == (geom.Point{}) {
			continue
		}
		r := x.Geo
		r.X, r.Y = r.X+p.X, r.Y+p.Y
		d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
	}
	done := map[*cell]bool{}
	for _, x := range moved {
		for _, e := range x.Page.Out(x.ID) {
			to := e.Page.Cell(e.Target)
			top, ok := root[to]
			if !ok || done[e] || !e.Routed {
				continue
			}
			done[e] = true
			p := by(root[x])
			if by(top) != p || p == (geom.Point{}) {
				continue
			}
			// Waypoints are relative to the parent.
			if owner := e.Owner(); owner != nil {
				if _, moves := root[owner]; moves {
					continue
				}
			}
			d.Change(e, func(t mxfile.Text) mxfile.Text { return t.WithPointsMoved(p) })
		}
	}
}

// LabelHangs reports whether the label of a shape is below it.
func LabelHangs(x *cell) bool {
	return x.Style.Is("verticalLabelPosition", "bottom") && x.Label() != ""
}

// LabelHang returns the height of a label that is below its shape.
func LabelHang(x *cell) float64 { return 24 + model.LineHeight*(model.LineCount(x.Label())-1) }

// PaddingOf returns the room that a container keeps free around its content.
func PaddingOf(x *cell) layout.Pad {
	if x.Kind() == "pool" {
		left, top := model.LaneOrigin(x)
		return layout.Pad{Left: left, Top: top}
	}
	if x.Kind() != "lane" {
		return layout.Pad{Top: Header + 10, Right: Padding, Bottom: Padding, Left: Padding}
	}
	size := model.StartSize(x)
	p := layout.Pad{Top: Padding, Right: Padding, Bottom: Padding, Left: Padding}
	if x.Style.Is("horizontal", "0") {
		p.Left += size
	} else {
		p.Top += size
	}
	return p
}

// RefusePool returns the error for placing shapes directly in a pool instead of one of
// its lanes. ref is the reference to the pool.
func RefusePool(pool *cell, ref string) *pdk.Error {
	lanes := model.Lanes(pool)
	if len(lanes) == 0 {
		return pdk.Errorf("%s is a pool without lanes, and shapes go into lanes", model.Short(pool))
	}
	return pdk.Errorf("%s is a pool; say which lane: %s", model.Short(pool), model.List(lanes, 8)).Instead(ref, model.References(lanes)...)
}

// ContentBounds returns the rectangle around the content of x, in the coordinates of x.
func ContentBounds(x *cell) geom.Rect {
	var r geom.Rect
	if x.ID == "" {
		return r
	}
	for _, k := range x.Page.Children(x.ID) {
		if k.Vertex && !k.Relative {
			r = r.Union(k.Geo)
		}
	}
	return r
}
