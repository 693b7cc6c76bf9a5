package picture

import (
	"math"
	"strings"
)

// paint fills a shape and draws its line.
func (v *visit) paint(shape *path, s *style, m matrix) {
	if len(shape.parts) == 0 {
		return
	}
	r := v.canvas.raster
	if b := v.brush(s.fill, s.fillOpacity, shape, m); b != nil {
		var device []point
		for _, part := range shape.parts {
			device = device[:0]
			for _, q := range part.points {
				device = append(device, m.at(q))
			}
			r.polygon(device)
		}
		v.canvas.fill(s.evenodd, b)
	}
	if s.width > 0 {
		if b := v.brush(s.stroke, s.strokeOpacity, shape, m); b != nil {
			r.stroke(shape, s, m)
			v.canvas.fill(false, b)
		}
	}
}

// brush is what a paint amounts to; nil for nothing.
func (v *visit) brush(p paint, opacity float64, shape *path, m matrix) *brush {
	if opacity <= 0 || !p.seen() {
		return nil
	}
	if p.gradient != "" {
		if n := v.doc.ids[p.gradient]; n != nil && (n.name == "linearGradient" || n.name == "radialGradient") {
			return v.gradient(n, opacity, shape, m)
		}
		if !p.some {
			return nil
		}
	}
	c := p.color.pixel(opacity)
	if c>>24 == 0 {
		return nil
	}
	return &brush{color: c}
}

// gradient makes a brush of a gradient element.
func (v *visit) gradient(n *node, opacity float64, shape *path, m matrix) *brush {
	stops, get := n, n.attr
	for range 5 { // what it lacks, the gradient that it refers to has
		of := v.doc.ids[strings.TrimPrefix(stops.attr("href"), "#")]
		if of == nil || len(stops.kids) > 0 {
			break
		}
		stops = of
		own := get
		get = func(key string) string {
			if s := own(key); s != "" {
				return s
			}
			return of.attr(key)
		}
	}
	ramp := v.ramp(stops, opacity)
	if ramp == nil {
		return nil
	}
	space := m
	if get("gradientUnits") != "userSpaceOnUse" {
		b := shape.bounds()
		space = m.times(matrix{b.x1 - b.x0, 0, 0, b.y1 - b.y0, b.x0, b.y0})
	}
	if t := get("gradientTransform"); t != "" {
		space = space.times(transform(t))
	}
	back, ok := space.inverse()
	if !ok {
		return &brush{color: ramp[255]}
	}
	if n.name == "radialGradient" {
		cx, cy, r := number(get("cx"), 1, 0.5), number(get("cy"), 1, 0.5), number(get("r"), 1, 0.5)
		if r <= 0 {
			return &brush{color: ramp[255]}
		}
		return &brush{at: func(x, y int) uint32 {
			q := back.at(point{float64(x) + 0.5, float64(y) + 0.5})
			return ramp[share(math.Hypot(q.x-cx, q.y-cy)/r)]
		}}
	}
	x1, y1, x2, y2 := number(get("x1"), 1, 0), number(get("y1"), 1, 0), number(get("x2"), 1, 1), number(get("y2"), 1, 0)
	dx, dy := x2-x1, y2-y1
	length := dx*dx + dy*dy
	if length == 0 {
		return &brush{color: ramp[255]}
	}
	return &brush{at: func(x, y int) uint32 {
		q := back.at(point{float64(x) + 0.5, float64(y) + 0.5})
		return ramp[share(((q.x-x1)*dx+(q.y-y1)*dy)/length)]
	}}
}

// ramp are 256 colours from a gradient's first stop to its last; nil without any.
func (v *visit) ramp(n *node, opacity float64) *[256]uint32 {
	type stop struct {
		at float64
		c  rgba
	}
	var stops []stop
	for _, k := range n.kids {
		if k.name != "stop" || len(stops) == 100 {
			continue
		}
		c, o := k.attr("stop-color"), k.attr("stop-opacity")
		for one := range strings.SplitSeq(k.attr("style"), ";") {
			switch key, value, _ := strings.Cut(one, ":"); strings.TrimSpace(key) {
			case "stop-color":
				c = value
			case "stop-opacity":
				o = value
			}
		}
		at := min(1, max(0, number(k.attr("offset"), 1, 0)))
		if i := len(stops); i > 0 {
			at = max(at, stops[i-1].at)
		}
		col, ok := parseColor(c)
		if !ok {
			col = rgba{a: 1}
		}
		col.a *= number(o, 1, 1)
		stops = append(stops, stop{at, col})
	}
	if len(stops) == 0 {
		return nil
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
			ramp[i] = stops[0].c.pixel(opacity)
		case k == len(stops):
			ramp[i] = stops[k-1].c.pixel(opacity)
		default:
			a, b := stops[k-1], stops[k]
			f := (t - a.at) / (b.at - a.at)
			mix := func(x, y float64) float64 { return x + (y-x)*f }
			ramp[i] = rgba{mix(a.c.r, b.c.r), mix(a.c.g, b.c.g), mix(a.c.b, b.c.b), mix(a.c.a, b.c.a)}.pixel(opacity)
		}
	}
	return &ramp
}

// bounds is the box around a path.
func (p *path) bounds() rect {
	out := rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, part := range p.parts {
		for _, q := range part.points {
			out = rect{min(out.x0, q.x), min(out.y0, q.y), max(out.x1, q.x), max(out.y1, q.y)}
		}
	}
	return out
}
