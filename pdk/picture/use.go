package picture

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// use draws another element in this place.
func (v *visit) use(n *node, s *style, at place) {
	href, _ := n.Href()
	of := v.doc.target(n)
	if of == nil || v.uses >= 10_000 || at.depth > 50 {
		if of == nil && href != "" && !strings.HasPrefix(href, "#") {
			v.addMissing("use of %s", clipped(href))
		}
		return
	}
	if n.Within(of) || !v.enter(of) {
		return // it contains itself
	}
	defer v.leave()
	v.uses++
	at.context = &context{fill: s.Fill, stroke: s.Stroke, color: s.Color, at: at, node: n, style: s, up: at.context}
	measure := v.measure(n, s, &at)
	at.m = at.m.Times(vector.Translate(measure("x", svgdom.X, 0), measure("y", svgdom.Y, 0)))
	if of.Type != "symbol" && of.Type != "svg" {
		at.depth += 4
		v.members(func(yield func(*node) bool) { yield(of) }, false, s, at)
		return
	}
	inner := v.doc.styled(s, of)
	if inner.Gone || !svgdom.Supported(of) {
		return
	}
	if inner.Move != "" {
		m, ok := v.transform(&inner, &at)
		if !ok {
			return
		}
		at.m = at.m.Times(m)
	}
	into := rect{X1: at.w, Y1: at.h}
	if of.Type == "svg" {
		into = v.measure(of, &inner, &at).Box(at.w, at.h)
	}
	into.X1, into.Y1 = into.X0+measure("width", svgdom.X, into.Width()), into.Y0+measure("height", svgdom.Y, into.Height())
	if !(into.Width() > 0 && into.Height() > 0) {
		return
	}
	inner.Opacity *= s.Opacity
	at.depth += 5
	v.drawComposed(&inner, at, func(s *style, at place) { v.viewport(of, s, at, into) })
}
