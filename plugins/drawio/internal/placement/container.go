package placement

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
)

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
