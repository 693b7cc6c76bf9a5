package picture

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// vec is a vector in space.
type vec struct{ x, y, z float64 }

func (a vec) minus(b vec) vec     { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) dot(b vec) float64   { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) times(f float64) vec { return vec{a.x * f, a.y * f, a.z * f} }

// normal returns the unit vector in the direction of a.
func (a vec) normal() vec {
	if d := math.Sqrt(a.dot(a)); d > 0 {
		return a.times(1 / d)
	}
	return a
}

// lamp is a source of light, in pixels of the region.
type lamp struct {
	kind    string
	at      vec // position of a point or spot light, direction towards a distant light
	axis    vec // axis of a spot light
	narrow  float64
	edge    float64 // cosine of the limiting cone angle of a spot light, -1 for none
	r, g, b float64
}

// lighting runs feDiffuseLighting and feSpecularLighting. The alpha channel of the input is the height of a surface.
func (p *primitive) lighting() *plane {
	in := p.in("in")
	out := in.like()
	out.linear = p.linear
	k, ok := p.lamp()
	scale := p.number("surfaceScale", 1)
	specular := p.node.Type == "feSpecularLighting"
	constant, exponent := p.number("diffuseConstant", 1), 1.0
	if specular {
		constant, exponent = p.number("specularConstant", 1), p.number("specularExponent", 1)
	}
	p.spend(60)
	constant = max(0, constant)
	if !ok || specular && (exponent < 1 || exponent > 128) || p.exhausted() {
		return out
	}
	for y := range in.h {
		for x := range in.w {
			height := scale * float64(in.pix[y*in.w+x]>>24) / 255
			n := surface(in, x, y, scale)
			r, g, b, light := k.on(vec{float64(x), float64(y), height})
			f := 0.0
			if specular {
				h := vec{light.x, light.y, light.z + 1}.normal()
				f = constant * math.Pow(max(0, n.dot(h)), exponent)
			} else {
				f = constant * n.dot(light)
			}
			r, g, b = min(1, max(0, r*f)), min(1, max(0, g*f)), min(1, max(0, b*f))
			a := uint32(255)
			if specular {
				a = share(max(r, g, b))
			}
			out.pix[y*in.w+x] = a<<24 | min(a, share(r))<<16 | min(a, share(g))<<8 | min(a, share(b))
		}
	}
	return out
}

// surface returns the surface normal at a pixel, by the Sobel operator with SVG's variants at the edges.
func surface(in *plane, x, y int, scale float64) vec {
	at := func(dx, dy int) float64 { return float64(in.pix[(y+dy)*in.w+x+dx]>>24) / 255 }
	left, right, up, down := -1, 1, -1, 1
	if x == 0 {
		left = 0
	}
	if x == in.w-1 {
		right = 0
	}
	if y == 0 {
		up = 0
	}
	if y == in.h-1 {
		down = 0
	}
	slope := func(at func(a, b int) float64, low, high, side0, side1 int) float64 {
		if high == low {
			return 0
		}
		sum, weight := 0.0, 0.0
		for side := side0; side <= side1; side++ {
			w := 1.0
			if side == 0 {
				w = 2
			}
			sum += w * (at(high, side) - at(low, side))
			weight += w
		}
		return sum / weight / float64(high-low)
	}
	across := func(a, b int) float64 { return at(b, a) }
	nx := slope(at, left, right, up, down)
	ny := slope(across, up, down, left, right)
	return vec{-scale * nx, -scale * ny, 1}.normal()
}

// lamp reads the light source of the primitive.
func (p *primitive) lamp() (k lamp, ok bool) {
	var n *node
	for kid := range p.node.Kids() {
		switch kid.Type {
		case "feDistantLight", "fePointLight", "feSpotLight":
			n = kid
		}
		if n != nil {
			break
		}
	}
	if n == nil {
		return k, false
	}
	c := p.doc.colored(p.node, "lighting-color")
	k = lamp{kind: n.Type, r: c.R, g: c.G, b: c.B, edge: -1}
	if p.linear {
		k.r, k.g, k.b = linear(c.R), linear(c.G), linear(c.B)
	}
	num := func(key string, def float64) float64 {
		if list := vector.Numbers(n.Get(key), 1); len(list) > 0 {
			return svgdom.Bounded(list[0], farthest)
		}
		return def
	}
	place := func(x, y, z string) vec {
		px, py, pz := num(x, 0), num(y, 0), num(z, 0)
		if p.obb {
			px, py = p.box.X0+px*p.box.Width(), p.box.Y0+py*p.box.Height()
			pz *= math.Hypot(p.box.Width(), p.box.Height()) / math.Sqrt2
		}
		q := p.m.At(point{X: px, Y: py})
		return vec{q.X - float64(p.x0), q.Y - float64(p.y0), pz * (p.sx + p.sy) / 2}
	}
	switch n.Type {
	case "feDistantLight":
		sin, cos := math.Sincos(num("azimuth", 0) * math.Pi / 180)
		up, flat := math.Sincos(num("elevation", 0) * math.Pi / 180)
		k.at = vec{cos * flat, sin * flat, up}
	case "fePointLight":
		k.at = place("x", "y", "z")
	default:
		k.at = place("x", "y", "z")
		k.axis = place("pointsAtX", "pointsAtY", "pointsAtZ").minus(k.at).normal()
		k.narrow = num("specularExponent", 1)
		if k.narrow < 1 {
			k.narrow = 1
		}
		if n.Get("limitingConeAngle") != "" {
			k.edge = math.Cos(math.Abs(num("limitingConeAngle", 0)) * math.Pi / 180)
		}
	}
	return k, true
}

// on returns the light on a point of the surface and the direction that it comes from.
func (k *lamp) on(q vec) (r, g, b float64, from vec) {
	if k.kind == "feDistantLight" {
		return k.r, k.g, k.b, k.at
	}
	from = k.at.minus(q).normal()
	if k.kind == "fePointLight" {
		return k.r, k.g, k.b, from
	}
	along := -from.dot(k.axis)
	if along <= 0 || k.edge > -1 && along < k.edge {
		return 0, 0, 0, from
	}
	f := math.Pow(along, k.narrow)
	return k.r * f, k.g * f, k.b * f, from
}
