package picture

import "math"

// stroke adds the area of a line along a path: a box for each of its pieces, and
// what fills the corners and the ends. All are turned the same way, so that where
// they overlap they count once.
func (r *raster) stroke(p *path, s *style, m matrix) {
	k := &pen{raster: r, style: s, m: m, half: s.width / 2}
	if k.half <= 0 || m.scale() < 1e-9 {
		return
	}
	k.round = int(min(48, max(6, math.Ceil(math.Pi*math.Sqrt(2*k.half*m.scale())))))
	for _, part := range p.parts {
		if s.dash != nil {
			k.dashed(part)
		} else {
			k.line(part.points, part.closed)
		}
	}
}

type pen struct {
	raster *raster
	style  *style
	m      matrix
	half   float64
	round  int // corners of a circle
	made   []point
}

// put adds a convex polygon, however it is turned.
func (k *pen) put(points ...point) {
	area := 0.0
	a := points[len(points)-1]
	for _, b := range points {
		area += a.x*b.y - b.x*a.y
		a = b
	}
	turned := area < 0
	a = k.m.at(points[len(points)-1])
	for _, q := range points {
		b := k.m.at(q)
		if turned {
			k.raster.edge(b, a)
		} else {
			k.raster.edge(a, b)
		}
		a = b
	}
}

func (k *pen) disc(c point) {
	points := make([]point, 0, 48)
	for i := range k.round {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(k.round))
		points = append(points, point{c.x + k.half*cos, c.y + k.half*sin})
	}
	k.put(points...)
}

// line adds the area of one stretch of the pen.
func (k *pen) line(points []point, closed bool) {
	made := k.made[:0]
	for _, p := range points {
		if n := len(made); n == 0 || math.Abs(made[n-1].x-p.x)+math.Abs(made[n-1].y-p.y) > 1e-6 {
			made = append(made, p)
		}
	}
	k.made = made
	if n := len(made); closed && n > 1 && math.Abs(made[0].x-made[n-1].x)+math.Abs(made[0].y-made[n-1].y) <= 1e-6 {
		made = made[:n-1]
	}
	n := len(made)
	if n < 2 {
		if n == 1 && k.style.roundCap {
			k.disc(made[0])
		}
		return
	}
	last := n - 1
	if closed && n > 2 {
		last = n
	} else {
		closed = false
	}
	for i := range last {
		a, b := made[i], made[(i+1)%n]
		d := unit(a, b)
		if !closed && k.style.squareCap {
			if i == 0 {
				a = point{a.x - d.x*k.half, a.y - d.y*k.half}
			}
			if i == last-1 {
				b = point{b.x + d.x*k.half, b.y + d.y*k.half}
			}
		}
		nx, ny := -d.y*k.half, d.x*k.half
		k.put(point{a.x + nx, a.y + ny}, point{b.x + nx, b.y + ny}, point{b.x - nx, b.y - ny}, point{a.x - nx, a.y - ny})
		if closed || i < last-1 {
			k.join(b, d, unit(b, made[(i+2)%n]))
		}
	}
	if !closed && k.style.roundCap {
		k.disc(made[0])
		k.disc(made[n-1])
	}
}

// join fills the corner at p between the directions d and e.
func (k *pen) join(p, d, e point) {
	cross, dot := d.x*e.y-d.y*e.x, d.x*e.x+d.y*e.y
	if math.Abs(cross) < 1e-4 && dot > 0 {
		return
	}
	if k.style.roundJoin {
		k.disc(p)
		return
	}
	h := k.half
	if cross > 0 {
		h = -h
	}
	a, b := point{p.x - d.y*h, p.y + d.x*h}, point{p.x - e.y*h, p.y + e.x*h}
	// The miter is as long as 1/sin of half the angle; 1+dot is twice its square.
	if limit := k.style.miter; !k.style.bevelJoin && (1+dot)*limit*limit >= 2 {
		t := h / (1 + dot)
		k.put(p, a, point{p.x + (-d.y-e.y)*t, p.y + (d.x+e.x)*t}, b)
		return
	}
	k.put(p, a, b)
}

func unit(a, b point) point {
	x, y := b.x-a.x, b.y-a.y
	d := math.Hypot(x, y)
	if d == 0 {
		return point{1, 0}
	}
	return point{x / d, y / d}
}

// mostDashes bounds the dashes of a stretch: more is a solid line.
const mostDashes = 20_000

// dashed cuts a stretch into dashes.
func (k *pen) dashed(p part) {
	points := p.points
	if p.closed {
		points = append(points[:len(points):len(points)], points[0])
	}
	length, period := 0.0, 0.0
	for i := 1; i < len(points); i++ {
		length += math.Hypot(points[i].x-points[i-1].x, points[i].y-points[i-1].y)
	}
	for _, d := range k.style.dash {
		period += d
	}
	if length/period*float64(len(k.style.dash)) > mostDashes {
		k.line(p.points, p.closed)
		return
	}
	i, left := 0, math.Mod(k.style.shift, period)
	if left < 0 {
		left += period
	}
	for left >= k.style.dash[i] {
		left -= k.style.dash[i]
		i = (i + 1) % len(k.style.dash)
	}
	left = k.style.dash[i] - left // of the present dash or gap
	cur := []point{points[0]}
	for j := 1; j < len(points); j++ {
		a, b := points[j-1], points[j]
		d, rest := unit(a, b), math.Hypot(b.x-a.x, b.y-a.y)
		for rest > left {
			a = point{a.x + d.x*left, a.y + d.y*left}
			rest -= left
			if i%2 == 0 {
				k.line(append(cur, a), false)
			}
			cur = append(cur[:0], a)
			i = (i + 1) % len(k.style.dash)
			left = k.style.dash[i]
		}
		left -= rest
		cur = append(cur, b)
	}
	if i%2 == 0 {
		k.line(cur, false)
	}
}
