package picture

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// mixPlanes mixes two planes pixel by pixel.
func mixPlanes(a, b *plane, mix func(p, below uint32) uint32) *plane {
	out := a.like()
	for i, p := range a.pix {
		out.pix[i] = mix(p, b.pix[i])
	}
	return out
}

// filledPlane returns a plane of one sRGB colour.
func filledPlane(like *plane, color uint32) *plane {
	out := like.like()
	out.linear = false
	for i := range out.pix {
		out.pix[i] = color
	}
	return out
}

// shifted returns a plane moved by pixels.
func shifted(in *plane, dx, dy float64) *plane {
	x, y := int(dx), int(dy)
	out := in.like()
	if x >= in.w || -x >= in.w || y >= in.h || -y >= in.h {
		return out
	}
	for to := max(0, y); to < min(in.h, in.h+y); to++ {
		row := in.pix[(to-y)*in.w : (to-y+1)*in.w]
		if x >= 0 {
			copy(out.pix[to*in.w+x:(to+1)*in.w], row)
		} else {
			copy(out.pix[to*in.w:(to+1)*in.w], row[-x:])
		}
	}
	return out
}

// composite runs feComposite.
func (p *primitive) composite() *plane {
	a, b := p.in("in"), p.in("in2")
	switch p.node.Get("operator") {
	case "in":
		return mixPlanes(a, b, func(p, q uint32) uint32 { return fade(p, q>>24) })
	case "out":
		return mixPlanes(a, b, func(p, q uint32) uint32 { return fade(p, 255-q>>24) })
	case "atop":
		return mixPlanes(a, b, func(p, q uint32) uint32 { return fade(p, q>>24) + fade(q, 255-p>>24) })
	case "xor":
		return mixPlanes(a, b, func(p, q uint32) uint32 { return fade(p, 255-q>>24) + fade(q, 255-p>>24) })
	case "arithmetic":
		k1, k2, k3, k4 := p.number("k1", 0), p.number("k2", 0), p.number("k3", 0), p.number("k4", 0)
		return mixPlanes(a, b, func(p, q uint32) uint32 {
			channel := func(shift uint) float64 {
				s, d := float64(p>>shift&255)/255, float64(q>>shift&255)/255
				return k1*s*d + k2*s + k3*d + k4
			}
			a := share(channel(24))
			out := a << 24
			for _, shift := range [3]uint{16, 8, 0} {
				out |= min(a, share(channel(shift))) << shift
			}
			return out
		})
	}
	return mixPlanes(a, b, over)
}

// matrix5 maps the channels, from 0 to 1, and a constant 1 to the four channels, with five numbers for each.
type matrix5 [20]float64

// colorMatrix reads the matrix of feColorMatrix; ok is false if its values are invalid.
func colorMatrix(kind, values string) (m matrix5, ok bool) {
	list := vector.Numbers(values, 21)
	m = matrix5{0: 1, 6: 1, 12: 1, 18: 1}
	switch kind {
	case "saturate":
		if values == "" {
			return m, true
		}
		if len(list) != 1 {
			return m, false
		}
		s := max(0, list[0])
		return matrix5{
			0.213 + 0.787*s, 0.715 - 0.715*s, 0.072 - 0.072*s, 0, 0,
			0.213 - 0.213*s, 0.715 + 0.285*s, 0.072 - 0.072*s, 0, 0,
			0.213 - 0.213*s, 0.715 - 0.715*s, 0.072 + 0.928*s, 0, 0,
			0, 0, 0, 1, 0,
		}, true
	case "hueRotate":
		if values == "" {
			return m, true
		}
		if len(list) != 1 {
			return m, false
		}
		sin, cos := math.Sincos(list[0] * math.Pi / 180)
		return matrix5{
			0.213 + cos*0.787 - sin*0.213, 0.715 - cos*0.715 - sin*0.715, 0.072 - cos*0.072 + sin*0.928, 0, 0,
			0.213 - cos*0.213 + sin*0.143, 0.715 + cos*0.285 + sin*0.140, 0.072 - cos*0.072 - sin*0.283, 0, 0,
			0.213 - cos*0.213 - sin*0.787, 0.715 - cos*0.715 + sin*0.715, 0.072 + cos*0.928 + sin*0.072, 0, 0,
			0, 0, 0, 1, 0,
		}, true
	case "luminanceToAlpha":
		return matrix5{15: 0.2125, 16: 0.7154, 17: 0.0721}, true
	}
	if values == "" {
		return m, true
	}
	if len(list) != 20 {
		return m, false
	}
	copy(m[:], list)
	return m, true
}

// over returns a plane mapped by the matrix.
func (m *matrix5) over(in *plane) *plane {
	out := in.like()
	for i, q := range in.pix {
		c, a := unpremultiply(q), q>>24
		v := [5]float64{float64(c[0]) / 255, float64(c[1]) / 255, float64(c[2]) / 255, float64(a) / 255, 1}
		var r [4]uint32
		for k := range 4 {
			sum := 0.0
			for j := range 5 {
				sum += m[k*5+j] * v[j]
			}
			r[k] = share(sum)
		}
		out.pix[i] = premultiply(r[3], r[0], r[1], r[2])
	}
	return out
}

// transfer runs feComponentTransfer.
func (p *primitive) transfer() *plane {
	var tables [4]*[256]uint8
	for i, name := range [4]string{"feFuncR", "feFuncG", "feFuncB", "feFuncA"} {
		for k := range p.node.Kids() {
			if k.Type == name {
				tables[i] = transferTable(k) // the last one wins
			}
		}
	}
	in := p.in("in")
	out := in.like()
	for i, q := range in.pix {
		c, a := unpremultiply(q), q>>24
		for k := range c {
			if t := tables[k]; t != nil {
				c[k] = uint32(t[c[k]])
			}
		}
		if t := tables[3]; t != nil {
			a = uint32(t[a])
		}
		out.pix[i] = premultiply(a, c[0], c[1], c[2])
	}
	return out
}

// transferTable returns the table for a function of feComponentTransfer, nil for the identity.
func transferTable(n *node) *[256]uint8 {
	num := func(key string, def float64) float64 { return svgdom.Share(n.Get(key), def) }
	values := vector.Numbers(n.Get("tableValues"), 256)
	var f func(v float64) float64
	switch kind := n.Get("type"); {
	case kind == "table" && len(values) > 0:
		f = func(v float64) float64 {
			if len(values) == 1 {
				return values[0]
			}
			at := v * float64(len(values)-1)
			k := min(len(values)-2, int(at))
			return values[k] + (at-float64(k))*(values[k+1]-values[k])
		}
	case kind == "discrete" && len(values) > 0:
		f = func(v float64) float64 { return values[min(len(values)-1, int(v*float64(len(values))))] }
	case kind == "linear":
		slope, intercept := num("slope", 1), num("intercept", 0)
		f = func(v float64) float64 { return slope*v + intercept }
	case kind == "gamma":
		amplitude, exponent, offset := num("amplitude", 1), num("exponent", 1), num("offset", 0)
		f = func(v float64) float64 { return amplitude*math.Pow(v, exponent) + offset }
	default:
		return nil
	}
	t := &[256]uint8{}
	for i := range t {
		t[i] = uint8(share(f(float64(i) / 255)))
	}
	return t
}

// morphology runs feMorphology: each channel of a pixel becomes the minimum or maximum of its neighbourhood.
func (p *primitive) morphology() *plane {
	in := p.in("in")
	x, y := p.pair("radius", 0)
	if x <= 0 && y <= 0 || len(vector.Numbers(p.node.Get("radius"), 3)) > 2 {
		return in
	}
	x, y = max(x, 0), max(y, 0)
	x, y = p.toPixels(x, y)
	pick := func(p, q uint32) uint32 {
		return min(p>>24, q>>24)<<24 | min(p>>16&255, q>>16&255)<<16 | min(p>>8&255, q>>8&255)<<8 | min(p&255, q&255)
	}
	if p.node.Get("operator") == "dilate" {
		pick = func(p, q uint32) uint32 {
			return max(p>>24, q>>24)<<24 | max(p>>16&255, q>>16&255)<<16 | max(p>>8&255, q>>8&255)<<8 | max(p&255, q&255)
		}
	}
	out := in
	for _, upright := range [2]bool{false, true} {
		r, n := int(math.Round(x)), in.w
		if upright {
			r, n = int(math.Round(y)), in.h
		}
		if r = min(r, n); r == 0 || p.exhausted() {
			continue
		}
		p.spend(2 * (2*r + 1))
		out = each(out, upright, func(line, into []uint32) {
			if p.exhausted() {
				return
			}
			for i := range line {
				var v uint32
				for k := i - r; k <= i+r; k++ {
					q := uint32(0)
					if k >= 0 && k < n {
						q = line[k]
					}
					if k == i-r {
						v = q
					} else {
						v = pick(v, q)
					}
				}
				into[i] = v
			}
		})
	}
	return out
}

// tile runs feTile: it repeats the area of the primitive that made the input.
func (p *primitive) tile() *plane {
	in := p.in("in")
	b := in.sub
	w, h := b.x1-b.x0, b.y1-b.y0
	out := in.like()
	if w <= 0 || h <= 0 {
		return out
	}
	for y := range out.h {
		from := in.pix[(b.y0+wrap(float64(y-b.y0), h))*in.w:]
		for x := range out.w {
			out.pix[y*out.w+x] = from[b.x0+wrap(float64(x-b.x0), w)]
		}
	}
	return out
}

// displace runs feDisplacementMap: the colours of one plane determine where the pixels of the other come from.
func (p *primitive) displace() *plane {
	in, by := p.in("in"), p.named(p.node.Get("in2")).as(p.linear)
	scale := p.number("scale", 0)
	sx, sy := p.toPixels(scale, scale)
	channel := func(key string) func(q uint32) float64 {
		i := strings.Index("RGB", p.node.Get(key))
		return func(q uint32) float64 {
			if i < 0 || p.node.Get(key) == "" {
				return float64(q>>24)/255 - 0.5
			}
			return float64(unpremultiply(q)[i])/255 - 0.5
		}
	}
	fx, fy := channel("xChannelSelector"), channel("yChannelSelector")
	out := in.like()
	for y := range out.h {
		for x := range out.w {
			q := by.pix[y*in.w+x]
			u, v := int(math.Floor(float64(x)+0.5+sx*fx(q))), int(math.Floor(float64(y)+0.5+sy*fy(q)))
			if u >= 0 && u < in.w && v >= 0 && v < in.h {
				out.pix[y*in.w+x] = in.pix[v*in.w+u]
			}
		}
	}
	return out
}

// image runs feImage: an embedded image, or an element of the document.
func (p *primitive) image() *plane {
	c := p.canvas
	out := p.source.like()
	out.linear = false
	if _, attr := p.node.Href(); attr == "" || !c.room() {
		return out
	}
	c.push()
	was := c.raster.clip
	c.raster.clip = rect{X0: float64(p.x0), Y0: float64(p.y0), X1: float64(p.x0 + out.w), Y1: float64(p.y0 + out.h)}
	s := svgdom.FirstStyle()
	at := *p.at
	at.m = p.m
	at.context = nil
	sub := rect{X0: float64(p.sub.x0 + p.x0), Y0: float64(p.sub.y0 + p.y0), X1: float64(p.sub.x1 + p.x0), Y1: float64(p.sub.y1 + p.y0)}
	if of := p.doc.target(p.node); of != nil {
		if p.enter(of) {
			own := s
			if of.Parent != nil {
				own = p.ambient(of.Parent)
			}
			own = p.doc.styled(&own, of)
			at.m = at.m.Times(vector.Translate(p.user.X0, p.user.Y0)) // it starts at the corner of the subregion
			if of.Type == "symbol" {
				group := *of
				group.Type = "g"
				of = &group
			}
			p.element(of, &own, at)
			p.leave()
		}
	} else {
		// Into the subregion, in pixels.
		s.Rough = p.node.Get("image-rendering") == "optimizeSpeed"
		p.imageInto(p.node, &s, at, sub)
	}
	c.raster.clip = was
	l := c.top()
	for y := range out.h {
		copy(out.pix[y*out.w:(y+1)*out.w], l.pix[(p.y0+y)*c.w+p.x0:])
	}
	l.clear(c.w)
	c.layers = c.layers[:len(c.layers)-1]
	c.done(l)
	return out
}
