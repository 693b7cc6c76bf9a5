package picture

import (
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// primitive is one primitive of a filter.
type primitive struct {
	*run
	node   *node
	user   rect   // its subregion in user space
	sub    pixels // the same in pixels of the region
	linear bool
}

// in returns the plane that an attribute names, in the colour space of the primitive.
func (p *primitive) in(key string) *plane {
	return p.named(p.node.Get(key)).as(p.linear)
}

func (p *primitive) named(name string) *plane {
	switch name {
	case "":
		return p.last
	case "SourceGraphic":
		return p.source
	case "SourceAlpha":
		out := p.source.like()
		for i, q := range p.source.pix {
			out.pix[i] = q & 0xff000000
		}
		return out
	case "BackgroundImage", "BackgroundAlpha", "FillPaint", "StrokePaint":
		p.addMissing("filter input %s", name)
		return p.source
	}
	if r := p.results[name]; r != nil {
		return r
	}
	return p.last
}

// number returns the number in an attribute, or def.
func (p *primitive) number(key string, def float64) float64 {
	list := vector.Numbers(p.node.Get(key), 1)
	if len(list) == 0 {
		return def
	}
	return svgdom.Bounded(list[0], farthest)
}

// pair returns the numbers in an attribute; y is x if it has only one.
func (p *primitive) pair(key string, def float64) (x, y float64) {
	list := vector.Numbers(p.node.Get(key), 2)
	switch len(list) {
	case 0:
		return def, def
	case 1:
		return svgdom.Bounded(list[0], farthest), svgdom.Bounded(list[0], farthest)
	}
	return svgdom.Bounded(list[0], farthest), svgdom.Bounded(list[1], farthest)
}

// toPixels converts a distance to pixels. It is in user space or, with obb, in fractions of the element's box.
func (p *primitive) toPixels(x, y float64) (dx, dy float64) {
	if p.obb {
		x, y = x*p.box.Width(), y*p.box.Height()
	}
	return x * p.sx, y * p.sy
}

// result runs the primitive. It returns nil for an unknown one.
func (p *primitive) result() *plane {
	switch p.node.Type {
	case "feGaussianBlur":
		x, y := p.pair("stdDeviation", 0)
		if x < 0 || y < 0 || x == 0 && y == 0 {
			return p.in("in")
		}
		x, y = p.toPixels(x, y)
		return p.blur(p.in("in"), x, y)
	case "feOffset":
		dx, dy := p.toPixels(p.number("dx", 0), p.number("dy", 0))
		return shifted(p.in("in"), dx, dy)
	case "feFlood":
		return filledPlane(p.source, p.flood())
	case "feDropShadow":
		return p.shadow()
	case "feMerge":
		out := p.source.like()
		out.linear = p.linear
		for k := range p.node.Kids() {
			if k.Type == "feMergeNode" && !p.exhausted() {
				p.spend(1)
				for i, q := range p.named(k.Get("in")).as(p.linear).pix {
					out.pix[i] = over(q, out.pix[i])
				}
			}
		}
		return out
	case "feBlend":
		mode := blendNamed(p.node.Get("mode"))
		if mode == 0 {
			mode = blendNamed(p.doc.Value(p.node, "mix-blend-mode"))
		}
		return mixPlanes(p.in("in"), p.in("in2"), mode.over)
	case "feComposite":
		return p.composite()
	case "feColorMatrix":
		m, ok := colorMatrix(p.node.Get("type"), p.node.Get("values"))
		if !ok {
			return p.in("in")
		}
		return m.over(p.in("in"))
	case "feComponentTransfer":
		return p.transfer()
	case "feMorphology":
		return p.morphology()
	case "feTile":
		return p.tile()
	case "feImage":
		return p.image()
	case "feConvolveMatrix":
		return p.convolve()
	case "feTurbulence":
		return p.turbulence()
	case "feDisplacementMap":
		return p.displace()
	case "feDiffuseLighting", "feSpecularLighting":
		return p.lighting()
	}
	return nil
}

// flood returns the colour in flood-color and flood-opacity.
func (p *primitive) flood() uint32 {
	return pixel(p.doc.colored(p.node, "flood-color"), p.doc.opacity(p.node, "flood-opacity"))
}

// shadow runs feDropShadow: it draws the input over its shadow.
func (p *primitive) shadow() *plane {
	in := p.in("in")
	x, y := p.pair("stdDeviation", 2)
	x, y = p.toPixels(max(x, 0), max(y, 0))
	dx, dy := p.toPixels(p.number("dx", 2), p.number("dy", 2))
	return p.shade(in, x, y, dx, dy, p.flood())
}

// shade returns a plane over its shadow. color is the shadow's, in sRGB.
func (r *run) shade(in *plane, x, y, dx, dy float64, color uint32) *plane {
	one := &plane{w: 1, h: 1, pix: []uint32{color}}
	color = one.as(in.linear).pix[0]
	below := shifted(r.blur(in, x, y), dx, dy)
	for i, q := range below.pix {
		below.pix[i] = fade(color, q>>24)
	}
	return mixPlanes(in, below, over)
}
