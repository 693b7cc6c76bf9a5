package picture

import (
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// markers draws the markers of a shape.
func (v *visit) markers(shape vector.Path, s *style, at *place, ar *area) {
	context := &context{fill: s.Fill, stroke: s.Stroke, color: s.Color, at: *at, box: ar.box, up: at.context}
	for _, k := range svgdom.Vertices(shape) {
		v.marker(v.doc.ids[s.Markers[k.Kind]], &k, s, at, context)
	}
}

// marker draws a marker at a vertex.
func (v *visit) marker(n *node, k *svgdom.Vertex, s *style, at *place, context *context) {
	if n == nil || n.Type != "marker" || v.exhausted() || !v.enter(n) {
		return
	}
	defer v.leave()
	*v.canvas.work -= 64
	own := v.ambient(n)
	in := place{w: at.w, h: at.h, context: context, depth: at.depth + 4}
	if view, ok := svgdom.ViewBox(n); ok {
		in.w, in.h = view.Width(), view.Height()
	}
	to, fit, box, ok := k.Marker(n, s.Width.In(at.whole(svgdom.Other), s.Size), v.measure(n, &own, &in))
	in.m = at.m.Times(to)
	if !ok || in.m.Factor() < 1e-9 {
		return
	}
	if own.Overflow != 'v' {
		defer v.clip(in.m, box)()
	}
	in.m = in.m.Times(fit)
	own.Opacity = 1
	v.group(n, &own, in)
}
