package scene

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// filtered returns the box of what a filter makes of an element whose painted box is b; both are in the element's own
// space.
func (s *Scene) filtered(n *tree.Node, b vector.Box, depth int) vector.Box {
	v := s.Value(n, "filter")
	for {
		name, inside, rest, ok := css.Function(v)
		if !ok {
			return b
		}
		v = rest
		switch name {
		case "url":
			if def := s.Doc.ByID(css.Reference("url(" + inside + ")")); def != nil && def.Type == "filter" {
				b = s.filterResult(n, def, b, depth)
			}
		case "blur":
			b = blurred(b, s.lengths(n, inside, 1)[0])
		case "drop-shadow":
			f := s.lengths(n, inside, 3)
			b = b.Union(blurred(b.Moved(f[0], f[1]), f[2]))
		}
	}
}

// lengths returns the first n lengths among the words of a text, 0 for those that are missing.
func (s *Scene) lengths(n *tree.Node, text string, most int) []float64 {
	out := make([]float64, 0, most)
	for word := range strings.FieldsSeq(text) {
		if f, ok := s.Length(n, word, svgdom.Other); ok && len(out) < most {
			out = append(out, f)
		}
	}
	return out[:most]
}

// blurred returns the box of a blur with a standard deviation.
func blurred(b vector.Box, deviation float64) vector.Box { return b.Grow(3*deviation, 3*deviation) }

// filterResult returns the box of the result of a filter element within its region.
func (s *Scene) filterResult(n, def *tree.Node, b vector.Box, depth int) vector.Box {
	shape, ok := s.within(n, vector.Identity(), depth+1)
	if !ok {
		return b
	}
	w, h := s.Viewport(n)
	region, ok := svgdom.Region(def.Get, def.Get("filterUnits"), shape, w, h, s.FontSize(n))
	if !ok {
		return vector.Empty()
	}
	sx, sy := 1.0, 1.0
	if def.Get("primitiveUnits") == "objectBoundingBox" {
		sx, sy = shape.Width(), shape.Height()
	}
	results := map[string]vector.Box{"SourceGraphic": b, "SourceAlpha": b, "FillPaint": region, "StrokePaint": region, "BackgroundImage": region}
	last := b
	for p := range def.Kids() {
		typ := p.Type
		if !strings.HasPrefix(typ, "fe") {
			continue
		}
		last = s.primitive(p, typ, last, results, region, sx, sy).Intersect(region)
		if name := p.Get("result"); name != "" {
			results[name] = last
		}
	}
	return last
}

// primitive returns the box of the result of one step of a filter.
func (s *Scene) primitive(p *tree.Node, typ string, last vector.Box, results map[string]vector.Box, region vector.Box, sx, sy float64) vector.Box {
	input := func(n *tree.Node, key string) vector.Box {
		if b, ok := results[n.Get(key)]; ok {
			return b
		}
		return last
	}
	two := func(key string, def float64) (x, y float64) {
		f := vector.Numbers(p.Get(key), 2)
		switch len(f) {
		case 0:
			f = []float64{def, def}
		case 1:
			f = append(f, f[0])
		}
		return f[0] * sx, f[1] * sy
	}
	number := func(key string, def float64) float64 { return append(vector.Numbers(p.Get(key), 1), def)[0] }
	in := input(p, "in")
	switch typ {
	case "feOffset":
		return in.Moved(number("dx", 0)*sx, number("dy", 0)*sy)
	case "feGaussianBlur":
		x, y := two("stdDeviation", 0)
		return in.Grow(3*max(0, x), 3*max(0, y))
	case "feDropShadow":
		x, y := two("stdDeviation", 2)
		return in.Union(in.Moved(number("dx", 2)*sx, number("dy", 2)*sy).Grow(3*max(0, x), 3*max(0, y)))
	case "feMorphology":
		x, y := two("radius", 0)
		if p.Get("operator") != "dilate" {
			x, y = -x, -y
		}
		return in.Grow(x, y)
	case "feDisplacementMap":
		by := math.Abs(number("scale", 0)) / 2
		return in.Grow(by*sx, by*sy)
	case "feFlood":
		if v, _ := s.Own(p, "flood-opacity"); v == "0" {
			return vector.Empty()
		}
		return region
	case "feImage", "feTile", "feTurbulence", "feDiffuseLighting", "feSpecularLighting", "feConvolveMatrix":
		return region
	case "feComposite":
		other := input(p, "in2")
		switch p.Get("operator") {
		case "in":
			return in.Intersect(other)
		case "out":
			return in
		case "atop":
			return other
		}
		return in.Union(other)
	case "feBlend":
		return in.Union(input(p, "in2"))
	case "feMerge":
		out := vector.Empty()
		for k := range p.Kids() {
			out = out.Union(input(k, "in"))
		}
		return out
	}
	return in // feColorMatrix, feComponentTransfer: colours; those that make what is empty visible are rare
}
