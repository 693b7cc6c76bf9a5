package picture

import (
	"strings"

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
	at.context = &context{fill: s.fill, stroke: s.stroke, color: s.color, at: at, node: n, style: s, up: at.context}
	at.m = at.m.Times(vector.Translate(lengthOf(n.Get("x"), at.w, s.size, 0), lengthOf(n.Get("y"), at.h, s.size, 0)))
	if of.Type != "symbol" && of.Type != "svg" {
		at.depth += 4
		v.members(func(yield func(*node) bool) { yield(of) }, false, s, at)
		return
	}
	inner := s.of(v.doc, of)
	if inner.gone || !supported(of) {
		return
	}
	if inner.move != "" {
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
		return lengthOf(n.Get(key), whole, s.size, lengthOf(own, whole, inner.size, whole))
	}
	w, h := size("width", at.w), size("height", at.h)
	if w <= 0 || h <= 0 {
		return
	}
	into := rect{X1: w, Y1: h}
	if of.Type == "svg" {
		x, y := lengthOf(of.Get("x"), at.w, s.size, 0), lengthOf(of.Get("y"), at.h, s.size, 0)
		into = rect{X0: x, Y0: y, X1: x + w, Y1: y + h}
	}
	inner.opacity *= s.opacity
	at.depth += 5
	v.drawComposed(&inner, at, func(s *style, at place) { v.viewport(of, s, at, into) })
}
