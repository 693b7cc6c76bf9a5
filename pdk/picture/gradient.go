package picture

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// chain is a gradient, pattern or filter and the elements it inherits from by href, in that order.
type chain []*node

// chained follows href from n through elements of the same kind.
func (d *document) chained(n *node, kind func(name string) bool) chain {
	c := chain{n}
	for range 8 {
		next := d.target(n)
		if next == nil || !kind(next.Type) {
			break
		}
		c = append(c, next)
		n = next
	}
	return c
}

func (c chain) attr(key string) string {
	for _, n := range c {
		if v, ok := n.Attr(key); ok {
			return v
		}
	}
	return ""
}

// holder returns the first element with children of some kind, nil if there is none.
func (c chain) holder(kind func(name string) bool) *node {
	for _, n := range c {
		for k := range n.Kids() {
			if kind(k.Type) {
				return n
			}
		}
	}
	return nil
}

// gradient makes a brush from a gradient element.
func (v *visit) gradient(n *node, opacity float64, ar *area) *brush {
	all := v.doc.chained(n, func(name string) bool { return name == "linearGradient" || name == "radialGradient" })
	same := all // the elements from which it may inherit its geometry
	for i, of := range all {
		if of.Type != n.Type {
			same = all[:i]
			break
		}
	}
	ramp := v.ramp(all, opacity)
	if ramp == nil {
		return nil
	}
	space, w, h := ar.m, 1.0, 1.0
	if all.attr("gradientUnits") != "userSpaceOnUse" {
		box, ok := unit(ar.box())
		if !ok {
			return nil
		}
		space = space.Times(box)
	} else {
		w, h = ar.at.w, ar.at.h
	}
	space = space.Times(v.placing(all, "gradientTransform", ar))
	last := &brush{color: ramp[255]}
	back, ok := space.Inverse()
	if !ok {
		return last
	}
	x := func(key, def string) float64 { return gradientLength(same, key, def, w) }
	y := func(key, def string) float64 { return gradientLength(same, key, def, h) }
	repeat := repetition(all.attr("spreadMethod"))
	if n.Type == "radialGradient" {
		diagonal := math.Sqrt((w*w + h*h) / 2)
		r, fr := gradientLength(same, "r", "50%", diagonal), gradientLength(same, "fr", "0%", diagonal)
		c := point{X: x("cx", "50%"), Y: y("cy", "50%")}
		f := c
		if s := same.attr("fx"); s != "" {
			f.X = svgdom.LengthOf(s, w, 16, f.X)
		}
		if s := same.attr("fy"); s != "" {
			f.Y = svgdom.LengthOf(s, h, 16, f.Y)
		}
		if r <= 0 {
			return last
		}
		if f != c || fr > 0 {
			return &brush{at: focal(back, c, f, r, fr, ramp, repeat)}
		}
		return &brush{at: func(x, y int) uint32 {
			q := back.At(point{X: float64(x) + 0.5, Y: float64(y) + 0.5})
			return ramp[share(repeat(math.Hypot(q.X-c.X, q.Y-c.Y)/r))]
		}}
	}
	x1, y1, x2, y2 := x("x1", "0%"), y("y1", "0%"), x("x2", "100%"), y("y2", "0%")
	dx, dy := x2-x1, y2-y1
	size := dx*dx + dy*dy
	if size == 0 {
		return last
	}
	return &brush{at: func(x, y int) uint32 {
		q := back.At(point{X: float64(x) + 0.5, Y: float64(y) + 0.5})
		return ramp[share(repeat(((q.X-x1)*dx+(q.Y-y1)*dy)/size))]
	}}
}

// placing returns the transform of a gradient or pattern around its origin; it is ignored if it is not invertible.
func (v *visit) placing(all chain, key string, ar *area) matrix {
	t := all.attr(key)
	if t == "" {
		return vector.Identity()
	}
	m, err := vector.ParseTransform(t)
	if err != nil {
		v.addMissing("%v", err)
	}
	if m.Det() == 0 {
		return vector.Identity()
	}
	if s := all.attr("transform-origin"); s != "" {
		m = m.About(svgdom.TransformOrigin(s, rect{X1: ar.at.w, Y1: ar.at.h}, 16))
	}
	return m
}

func gradientLength(c chain, key, def string, whole float64) float64 {
	if l, ok := svgdom.ReadLength(c.attr(key)); ok {
		return l.In(whole, 16)
	}
	l, _ := svgdom.ReadLength(def)
	return l.In(whole, 16)
}

// repetition maps positions before the start and after the end of a gradient, depending on its spread method.
func repetition(method string) func(t float64) float64 {
	switch method {
	case "repeat":
		return func(t float64) float64 { return t - math.Floor(t) }
	case "reflect":
		return func(t float64) float64 {
			t = math.Abs(math.Mod(t, 2))
			if t > 1 {
				t = 2 - t
			}
			return t
		}
	}
	return func(t float64) float64 { return t }
}

// focal returns a radial gradient from the circle around f to the circle around c.
func focal(back matrix, c, f point, r, fr float64, ramp *[256]uint32, repeat func(float64) float64) func(x, y int) uint32 {
	// Keep the focus within the outer circle.
	if d := f.Distance(c); d > r*0.999 {
		f = c.Lerp(f, r*0.999/d)
	}
	// Point q lies on the circle around f+t·(c-f) with the radius fr+t·(r-fr).
	dx, dy, dr := c.X-f.X, c.Y-f.Y, r-fr
	a := dx*dx + dy*dy - dr*dr
	return func(x, y int) uint32 {
		q := back.At(point{X: float64(x) + 0.5, Y: float64(y) + 0.5})
		px, py := q.X-f.X, q.Y-f.Y
		b := px*dx + py*dy + fr*dr
		k := px*px + py*py - fr*fr
		var t float64
		if math.Abs(a) < 1e-12 {
			if b == 0 {
				return 0
			}
			t = k / (2 * b)
		} else {
			root := b*b - a*k
			if root < 0 {
				return 0
			}
			root = math.Sqrt(root)
			t = max((b+root)/a, (b-root)/a)
			if fr+t*dr < 0 {
				t = min((b+root)/a, (b-root)/a)
			}
		}
		if fr+t*dr < 0 {
			return 0
		}
		return ramp[share(repeat(t))]
	}
}

// ramp is 256 colours from the first stop of a gradient to the last, nil if it has no stops.
func (v *visit) ramp(all chain, opacity float64) *[256]uint32 {
	n := all.holder(func(name string) bool { return name == "stop" })
	if n == nil {
		return nil
	}
	type stop struct {
		at float64
		c  csscolor.Color
	}
	var stops []stop
	for k := range n.Kids() {
		if k.Type != "stop" || len(stops) == 100 {
			continue
		}
		at := 0.0
		if _, unit, _ := svgdom.Split(k.Get("offset")); unit == "" || unit == "%" {
			at = min(1, max(0, svgdom.Share(k.Get("offset"), 0)))
		}
		if i := len(stops); i > 0 {
			at = max(at, stops[i-1].at)
		}
		col := v.doc.colored(k, "stop-color")
		col.A *= v.doc.opacity(k, "stop-opacity")
		stops = append(stops, stop{at, col})
	}
	var ramp [256]uint32
	k := 0
	for i := range ramp {
		t := float64(i) / 255
		for k < len(stops) && stops[k].at <= t {
			k++
		}
		switch {
		case k == 0:
			ramp[i] = pixel(stops[0].c, opacity)
		case k == len(stops):
			ramp[i] = pixel(stops[k-1].c, opacity)
		default:
			a, b := stops[k-1], stops[k]
			f := (t - a.at) / (b.at - a.at)
			mix := func(x, y float64) float64 { return x + (y-x)*f }
			ramp[i] = pixel(csscolor.Color{R: mix(a.c.R, b.c.R), G: mix(a.c.G, b.c.G), B: mix(a.c.B, b.c.B), A: mix(a.c.A, b.c.A)}, opacity)
		}
	}
	return &ramp
}
