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
	for up := n; up != nil; up = up.Parent {
		if up == of {
			return // it contains itself
		}
	}
	if !v.enter(of) {
		return
	}
	defer v.leave()
	v.uses++
	at.context = &context{fill: s.Fill, stroke: s.Stroke, color: s.Color, at: at, node: n, style: s, up: at.context}
	at.m = at.m.Times(vector.Translate(svgdom.LengthOf(n.Get("x"), at.w, s.Size, 0), svgdom.LengthOf(n.Get("y"), at.h, s.Size, 0)))
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
	size := func(key string, whole float64) float64 {
		own := "100%"
		if of.Type == "svg" {
			own = of.Get(key)
		}
		return svgdom.LengthOf(n.Get(key), whole, s.Size, svgdom.LengthOf(own, whole, inner.Size, whole))
	}
	w, h := size("width", at.w), size("height", at.h)
	if w <= 0 || h <= 0 {
		return
	}
	into := rect{X1: w, Y1: h}
	if of.Type == "svg" {
		x, y := svgdom.LengthOf(of.Get("x"), at.w, s.Size, 0), svgdom.LengthOf(of.Get("y"), at.h, s.Size, 0)
		into = rect{X0: x, Y0: y, X1: x + w, Y1: y + h}
	}
	inner.Opacity *= s.Opacity
	at.depth += 5
	v.drawComposed(&inner, at, func(s *style, at place) { v.viewport(of, s, at, into) })
}
