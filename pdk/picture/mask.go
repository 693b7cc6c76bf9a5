package picture

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// drawComposed draws an element on a layer of its own and applies filter, clip path, mask, opacity and blending to it as
// a whole.
func (v *visit) drawComposed(s *style, at place, draw func(s *style, at place)) {
	if v.exhausted() {
		return
	}
	clip := v.target(s.Clip, "clipPath")
	if v.recorded != nil || v.clipping && clip == nil {
		draw(s, at)
		return
	}
	mask := v.target(s.Mask, "mask")
	if mask != nil && v.filtering == nil && v.needsFilters(mask) {
		v.addMissing("a mask with filters")
		mask = nil // better to draw all of the element than nothing
	}
	var steps []step
	if v.filtering != nil {
		var draws bool
		if steps, draws = v.filtering.read(v, s); !draws {
			return
		}
	}
	if clip == nil && mask == nil && steps == nil && blendNamed(s.Blend) == 0 && !s.Isolate {
		draw(s, at)
		return
	}
	if !v.canvas.room() {
		v.addMissing("content on more than %d layers", v.canvas.deepest)
		draw(s, at)
		return
	}
	var box rect
	known := false
	bounds := func() rect {
		if !known {
			inner := *s
			inner.Own = own{Opacity: 1}
			was := v.recorded
			box, known = vector.Empty(), true
			v.recorded = &box
			in := at
			in.m, in.context = vector.Identity(), nil
			*v.canvas.work -= 16
			draw(&inner, in)
			v.recorded = was
		}
		return box
	}
	inner := *s
	inner.Own = own{Opacity: 1, Overflow: s.Overflow}
	v.canvas.push()
	if steps == nil {
		draw(&inner, at)
	} else {
		v.filtering.run(v, steps, s, at, bounds, func(at place) { draw(&inner, at) })
	}
	if clip != nil {
		v.clipTo(clip, at, bounds)
	}
	if v.clipping {
		v.canvas.pop(1, 0)
		return
	}
	if mask != nil {
		v.maskWith(mask, at, bounds)
	}
	v.canvas.pop(s.Opacity, blendNamed(s.Blend))
}

// needsFilters reports whether anything in an element has a filter.
func (v *visit) needsFilters(n *node) bool {
	*v.canvas.work--
	if f := n.Get("filter"); f != "" && f != "none" {
		return true
	}
	for k := range n.Kids() {
		if v.needsFilters(k) {
			return true
		}
	}
	return false
}

// target returns the element that url(#id) refers to, if it is of the given kind.
func (v *visit) target(value, kind string) *node {
	if value == "" || value == "none" {
		return nil
	}
	id := css.Reference(value)
	if n := v.doc.ids[id]; n != nil && n.Type == kind {
		return n
	}
	if id == "" {
		v.addMissing("%s: %s", map[string]string{"clipPath": "clip-path", "mask": "mask"}[kind], clipped(value))
	}
	return nil
}

// clipTo clips the layer to a clip path.
func (v *visit) clipTo(n *node, at place, bounds func() rect) {
	c := v.canvas
	if !v.enter(n) {
		return // the clip path refers to itself
	}
	defer v.leave()
	if !c.room() {
		c.top().clear(c.w)
		return
	}
	s := v.ambient(n)
	ok := true
	if s.Move != "" {
		var m matrix
		m, ok = v.transform(&s, &at)
		at.m = at.m.Times(m)
	}
	if n.Get("clipPathUnits") == "objectBoundingBox" {
		var u matrix
		if u, ok = unit(bounds()); ok {
			at.m = at.m.Times(u)
		}
	}
	if at.m.Det() == 0 {
		ok = false
	}
	c.push()
	if ok {
		was := v.clipping
		v.clipping = true
		for k := range n.Kids() {
			switch k.Type {
			case "rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "text", "use":
			default:
				continue
			}
			if k.Type == "use" {
				if of := v.doc.target(k); of == nil || of.Type == "g" || of.Type == "symbol" || of.Type == "svg" || of.Type == "use" {
					continue
				}
			}
			kid := v.doc.styled(&s, k)
			kid.Opacity, kid.Mask, kid.Filter, kid.Blend = 1, "", "", ""
			v.element(k, &kid, at)
		}
		v.clipping = was
	}
	if own := v.target(s.Clip, "clipPath"); own != nil {
		v.clipTo(own, at, bounds)
	}
	c.mask(alpha)
}

// maskWith applies a mask to the layer.
func (v *visit) maskWith(n *node, at place, bounds func() rect) {
	c := v.canvas
	if !v.enter(n) {
		return // the mask refers to itself
	}
	defer v.leave()
	if !c.room() {
		c.top().clear(c.w)
		return
	}
	s := v.ambient(n)
	units, b, ok := n.Get("maskUnits"), rect{}, true
	if units != "userSpaceOnUse" {
		b = bounds()
		_, ok = unit(b)
	}
	region, some := svgdom.Region(n.Get, units, b, at.w, at.h, s.Size)
	ok = ok && some
	in := at
	in.context = nil
	if n.Get("maskContentUnits") == "objectBoundingBox" {
		var u matrix
		if u, ok = unit(bounds()); ok {
			in.m = in.m.Times(u)
		}
	}
	c.push()
	if ok {
		end := v.clip(at.m, region)
		inner := s
		inner.Own = own{Opacity: 1}
		v.group(n, &inner, in)
		end()
	}
	if own := v.target(s.Mask, "mask"); own != nil {
		v.maskWith(own, at, bounds)
	}
	kind := v.doc.Value(n, "mask-type")
	value := luminance
	switch {
	case kind == "alpha":
		value = alpha
	case strings.EqualFold(v.doc.Value(n, "color-interpolation"), "linearRGB"):
		value = linearLuminance
	}
	c.mask(value)
}

// linearLuminance is luminance in linear light.
func linearLuminance(p uint32) uint32 {
	a := float64(p>>24) / 255
	if a == 0 {
		return 0
	}
	light := func(shift uint) float64 { return linear(float64(p>>shift&255) / 255 / a) }
	return share((0.2125*light(16) + 0.7154*light(8) + 0.0721*light(0)) * a)
}

// linear converts a channel from sRGB to linear light.
func linear(f float64) float64 {
	if f <= 0.04045 {
		return f / 12.92
	}
	return math.Pow((f+0.055)/1.055, 2.4)
}

// toSRGB converts a channel from linear light to sRGB.
func toSRGB(f float64) float64 {
	if f <= 0.0031308 {
		return f * 12.92
	}
	return 1.055*math.Pow(f, 1/2.4) - 0.055
}
