package picture

import "math"

// noise is the tables of SVG's turbulence function, made as in the specification.
type noise struct {
	lattice [514]int
	slopes  [4][514][2]float64
}

func newNoise(seed float64) *noise {
	s := int64(math.Trunc(seed))
	if s <= 0 {
		s = -(s % (1<<31 - 2)) + 1
	}
	if s > 1<<31-2 {
		s = 1<<31 - 2
	}
	random := func() int64 {
		s = 16807*(s%127773) - 2836*(s/127773)
		if s <= 0 {
			s += 1<<31 - 1
		}
		return s
	}
	n := &noise{}
	for k := range 4 {
		for i := range 256 {
			n.lattice[i] = i
			var g [2]float64
			for j := range g {
				g[j] = float64(random()%512-256) / 256
			}
			d := math.Hypot(g[0], g[1])
			if d > 0 {
				g[0], g[1] = g[0]/d, g[1]/d
			}
			n.slopes[k][i] = g
		}
	}
	for i := 255; i > 0; i-- {
		j := random() % 256
		n.lattice[i], n.lattice[j] = n.lattice[j], n.lattice[i]
	}
	for i := range 258 {
		n.lattice[256+i] = n.lattice[i]
		for k := range 4 {
			n.slopes[k][256+i] = n.slopes[k][i]
		}
	}
	return n
}

// stitch is where noise repeats, so that tiles fit together.
type stitch struct{ w, h, x, y int }

// at returns the noise of a channel at a point.
func (n *noise) at(channel int, x, y float64, s *stitch) float64 {
	tx, ty := x+4096, y+4096
	bx0, by0 := int(tx), int(ty)
	bx1, by1 := bx0+1, by0+1
	rx0, ry0 := tx-math.Floor(tx), ty-math.Floor(ty)
	rx1, ry1 := rx0-1, ry0-1
	if s != nil {
		if bx0 >= s.x {
			bx0 -= s.w
		}
		if bx1 >= s.x {
			bx1 -= s.w
		}
		if by0 >= s.y {
			by0 -= s.h
		}
		if by1 >= s.y {
			by1 -= s.h
		}
	}
	bx0, bx1, by0, by1 = bx0&255, bx1&255, by0&255, by1&255
	i, j := n.lattice[bx0], n.lattice[bx1]
	g := &n.slopes[channel]
	dot := func(k int, x, y float64) float64 { return x*g[k][0] + y*g[k][1] }
	curve := func(t float64) float64 { return t * t * (3 - 2*t) }
	sx, sy := curve(rx0), curve(ry0)
	mix := func(t, a, b float64) float64 { return a + t*(b-a) }
	a := mix(sx, dot(n.lattice[i+by0], rx0, ry0), dot(n.lattice[j+by0], rx1, ry0))
	b := mix(sx, dot(n.lattice[i+by1], rx0, ry1), dot(n.lattice[j+by1], rx1, ry1))
	return mix(sy, a, b)
}

// turbulence runs feTurbulence.
func (p *primitive) turbulence() *plane {
	fx, fy := p.pair("baseFrequency", 0)
	octaves := int(p.number("numOctaves", 1))
	if fx < 0 || fy < 0 || octaves < 0 {
		return p.source.like()
	}
	octaves = min(octaves, 10)
	fractal := p.node.Get("type") == "fractalNoise"
	n := newNoise(math.Round(p.number("seed", 0)))
	out := p.source.like()
	out.linear = p.linear
	back, ok := p.m.Inverse()
	p.spend(40 * octaves)
	if !ok || p.exhausted() {
		return out
	}
	var first *stitch
	if p.node.Get("stitchTiles") == "stitch" {
		box := back.Bounds(rect{X0: float64(p.sub.x0 + p.x0), Y0: float64(p.sub.y0 + p.y0), X1: float64(p.sub.x1 + p.x0), Y1: float64(p.sub.y1 + p.y0)})
		w, h := box.Width(), box.Height()
		fx, fy = stitched(fx, w), stitched(fy, h)
		first = &stitch{w: int(w*fx + 0.5), h: int(h*fy + 0.5)}
		first.x, first.y = int(box.X0*fx)+4096+first.w, int(box.Y0*fy)+4096+first.h
	}
	for y := range out.h {
		for x := range out.w {
			q := back.At(point{X: float64(x+p.x0) + 0.5, Y: float64(y+p.y0) + 0.5})
			var c [4]uint32
			for k := range c {
				c[k] = share(n.sum(k, q.X*fx, q.Y*fy, octaves, fractal, first))
			}
			out.pix[y*out.w+x] = premultiply(c[3], c[0], c[1], c[2])
		}
	}
	return out
}

// stitched returns the frequency closest to f that fits a whole number of times into a length.
func stitched(f, length float64) float64 {
	if f == 0 || length <= 0 {
		return f
	}
	low, high := math.Floor(length*f)/length, math.Ceil(length*f)/length
	if low > 0 && f/low < high/f {
		return low
	}
	return high
}

// sum adds the octaves of noise; the result is from 0 to 1.
func (n *noise) sum(channel int, x, y float64, octaves int, fractal bool, first *stitch) float64 {
	total, ratio := 0.0, 1.0
	var s *stitch
	if first != nil {
		own := *first
		s = &own
	}
	for range octaves {
		v := n.at(channel, math.Mod(x, 1<<20), math.Mod(y, 1<<20), s)
		if !fractal {
			v = math.Abs(v)
		}
		total += v / ratio
		x, y, ratio = 2*x, 2*y, 2*ratio
		if s != nil {
			s.w, s.h = 2*s.w, 2*s.h
			s.x, s.y = 2*s.x-4096, 2*s.y-4096
		}
	}
	if fractal {
		return (total + 1) / 2
	}
	return total
}
