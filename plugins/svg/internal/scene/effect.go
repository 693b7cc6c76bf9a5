package scene

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// filtered returns the box of what a filter makes of an element whose painted box is b; both are in the element's own space.
func (s *Scene) filtered(n *tree.Node, b vector.Box, depth int) vector.Box {
	v := s.Value(n, "filter")
	for v != "" {
		name, rest, ok := strings.Cut(v, "(")
		if !ok {
			return b
		}
		end := closing(rest)
		inside := rest[:end]
		v = rest[min(end+1, len(rest)):]
		switch strings.TrimSpace(name) {
		case "url":
			id := strings.Trim(strings.TrimSpace(inside), `"'`)
			if def := s.Doc.ByID(strings.TrimPrefix(id, "#")); def != nil && s.Doc.Type(def) == "filter" && strings.HasPrefix(id, "#") {
				b = s.filterResult(n, def, b, depth)
			}
		case "blur":
			b = grown(b, 3*s.lengths(n, inside, 1)[0], -1)
		case "drop-shadow":
			f := s.lengths(n, inside, 3)
			b = b.Union(grown(moved(b, f[0], f[1]), 3*f[2], -1))
		}
	}
	return b
}

// closing returns the index of the bracket that closes a list of arguments, or the length of s.
func closing(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return len(s)
}

// lengths returns the first n lengths among the words of a text, 0 for those that are missing.
func (s *Scene) lengths(n *tree.Node, text string, most int) []float64 {
	out := make([]float64, 0, most)
	for word := range strings.FieldsSeq(text) {
		if f, ok := s.Length(n, word, Other); ok && len(out) < most {
			out = append(out, f)
		}
	}
	return out[:most]
}

// grown returns a box with x more at its left and right, and y above and below; y below 0 stands for x.
func grown(b vector.Box, x, y float64) vector.Box {
	if y < 0 {
		y = x
	}
	return vector.Box{X0: b.X0 - x, Y0: b.Y0 - y, X1: b.X1 + x, Y1: b.Y1 + y}
}

func moved(b vector.Box, dx, dy float64) vector.Box {
	return vector.Box{X0: b.X0 + dx, Y0: b.Y0 + dy, X1: b.X1 + dx, Y1: b.Y1 + dy}
}

// filterResult returns the box of the result of a filter element within its region.
func (s *Scene) filterResult(n, def *tree.Node, b vector.Box, depth int) vector.Box {
	shape, ok := s.within(n, vector.Identity(), depth+1)
	if !ok {
		return b
	}
	unit := func(name string, axis Axis) float64 { return s.Measure(def, name, axis, 0) }
	region := vector.Box{}
	if def.Get("filterUnits") == "userSpaceOnUse" {
		canvas := s.Canvas()
		x, y, w, h := canvas.X0-canvas.Width()/10, canvas.Y0-canvas.Height()/10, 1.2*canvas.Width(), 1.2*canvas.Height()
		for key, to := range map[string]*float64{"x": &x, "y": &y, "width": &w, "height": &h} {
			if _, given := def.Attr(key); given {
				axis := X
				if key == "y" || key == "height" {
					axis = Y
				}
				*to = unit(key, axis)
			}
		}
		region = vector.Box{X0: x, Y0: y, X1: x + w, Y1: y + h}
	} else {
		x, y, w, h := share(def, "x", -0.1), share(def, "y", -0.1), share(def, "width", 1.2), share(def, "height", 1.2)
		region = vector.Box{X0: shape.X0 + x*shape.Width(), Y0: shape.Y0 + y*shape.Height()}
		region.X1, region.Y1 = region.X0+w*shape.Width(), region.Y0+h*shape.Height()
	}
	sx, sy := 1.0, 1.0
	if def.Get("primitiveUnits") == "objectBoundingBox" {
		sx, sy = shape.Width(), shape.Height()
	}
	results := map[string]vector.Box{"SourceGraphic": b, "SourceAlpha": b, "FillPaint": region, "StrokePaint": region, "BackgroundImage": region}
	last := b
	for p := range def.Kids() {
		typ := s.Doc.Type(p)
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

// share returns an attribute that is a share of a box: a number or a percentage.
func share(n *tree.Node, name string, def float64) float64 {
	f, unit, ok := Split(n.Get(name))
	switch {
	case !ok:
		return def
	case unit == "%":
		return f / 100
	}
	return f
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
			return def * sx, def * sy
		case 1:
			return f[0] * sx, f[0] * sy
		}
		return f[0] * sx, f[1] * sy
	}
	number := func(key string, def float64) float64 {
		f := vector.Numbers(p.Get(key), 1)
		if len(f) == 0 {
			return def
		}
		return f[0]
	}
	in := input(p, "in")
	switch typ {
	case "feOffset":
		return moved(in, number("dx", 0)*sx, number("dy", 0)*sy)
	case "feGaussianBlur":
		x, y := two("stdDeviation", 0)
		return grown(in, 3*max(0, x), 3*max(0, y))
	case "feDropShadow":
		x, y := two("stdDeviation", 2)
		return in.Union(grown(moved(in, number("dx", 2)*sx, number("dy", 2)*sy), 3*max(0, x), 3*max(0, y)))
	case "feMorphology":
		x, y := two("radius", 0)
		if p.Get("operator") != "dilate" {
			x, y = -x, -y
		}
		return vector.Box{X0: in.X0 - x, Y0: in.Y0 - y, X1: in.X1 + x, Y1: in.Y1 + y}
	case "feDisplacementMap":
		by := math.Abs(number("scale", 0)) / 2
		return grown(in, by*sx, by*sy)
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
