package verbs

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
)

// takeLook gives what an op adds the type, the style and the size of the shape that like: names.
func (n *addition) takeLook(f *file, a pdk.Args) error {
	ref, ok := a.Param("like")
	if !ok {
		return nil
	}
	x := pdk.Must(selector.Vertex(f, ref))
	if row := model.RowOf(x); row != nil {
		return pdk.Errorf("%s is a part of %s", model.Short(x), model.Short(row.Owner())).Instead(ref, model.Reference(row.Owner()))
	}
	n.like, n.kind, n.look, n.badge, n.w, n.h = x, model.KindOf(x), x.Style, "", x.Geo.W, x.Geo.H
	if _, own, ok := catalog.TypeNamed(f, n.kind); ok {
		n.badge = own.Badge
	}
	return nil
}

// likeLabel returns the stored label of a shape like x.
func likeLabel(x *cell, text string) string {
	if len(x.Shown()) > 0 { // properties, which the new shape does not have
		return mxfile.LabelValue(text, x.HTML())
	}
	value, _ := x.Reworded(text)
	return value
}
