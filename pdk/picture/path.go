package picture

import "math"

// path is a drawing of lines: curves are cut into short ones as they come.
type path struct {
	parts []part
	fine  float64 // how far a line may leave its curve, in user units
	room  int     // points that may still be added
	open  bool    // the last part is being drawn
	last  point
}

// part is one stroke of the pen.
type part struct {
	points []point
	closed bool
}

// newPath is a path to be drawn scaled by scale.
func newPath(scale float64) *path {
	return &path{fine: 0.15 / max(scale, 1e-6), room: 200_000}
}

func (p *path) move(q point) {
	p.last, p.open = q, false
}

func (p *path) line(q point) {
	if p.room <= 0 {
		return
	}
	if !p.open {
		p.parts = append(p.parts, part{points: []point{p.last}})
		p.open = true
		p.room--
	}
	k := &p.parts[len(p.parts)-1]
	k.points = append(k.points, q)
	p.last = q
	p.room--
}

func (p *path) close() {
	if p.open {
		k := &p.parts[len(p.parts)-1]
		k.closed, p.open = true, false
		p.last = k.points[0]
	}
}

// cuts is how many lines a curve needs that leaves its chords by bend.
func (p *path) cuts(bend float64) int {
	return int(min(60, max(1, math.Ceil(math.Sqrt(bend/p.fine)))))
}

func (p *path) quad(c, q point) {
	a := p.last
	n := p.cuts(math.Hypot(a.x-2*c.x+q.x, a.y-2*c.y+q.y) / 4)
	for i := 1; i < n; i++ {
		t := float64(i) / float64(n)
		u := 1 - t
		p.line(point{u*u*a.x + 2*u*t*c.x + t*t*q.x, u*u*a.y + 2*u*t*c.y + t*t*q.y})
	}
	p.line(q)
}

func (p *path) cube(c, d, q point) {
	a := p.last
	bend := max(math.Hypot(a.x-2*c.x+d.x, a.y-2*c.y+d.y), math.Hypot(c.x-2*d.x+q.x, c.y-2*d.y+q.y))
	n := p.cuts(bend * 0.75)
	for i := 1; i < n; i++ {
		t := float64(i) / float64(n)
		u := 1 - t
		k0, k1, k2, k3 := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		p.line(point{k0*a.x + k1*c.x + k2*d.x + k3*q.x, k0*a.y + k1*c.y + k2*d.y + k3*q.y})
	}
	p.line(q)
}

// arc draws an elliptic arc to q, as SVG's implementation notes compute it.
func (p *path) arc(rx, ry, turn float64, large, sweep bool, q point) {
	a := p.last
	rx, ry = math.Abs(rx), math.Abs(ry)
	if rx < 1e-9 || ry < 1e-9 || a == q {
		p.line(q)
		return
	}
	sin, cos := math.Sincos(turn * math.Pi / 180)
	dx, dy := (a.x-q.x)/2, (a.y-q.y)/2
	x, y := cos*dx+sin*dy, cos*dy-sin*dx
	if over := x*x/(rx*rx) + y*y/(ry*ry); over > 1 {
		rx, ry = rx*math.Sqrt(over), ry*math.Sqrt(over)
	}
	k := math.Sqrt(max(0, (rx*rx*ry*ry-rx*rx*y*y-ry*ry*x*x)/(rx*rx*y*y+ry*ry*x*x)))
	if large == sweep {
		k = -k
	}
	cx, cy := k*rx*y/ry, -k*ry*x/rx
	mid := point{cos*cx - sin*cy + (a.x+q.x)/2, sin*cx + cos*cy + (a.y+q.y)/2}
	from := math.Atan2((y-cy)/ry, (x-cx)/rx)
	by := math.Atan2((-y-cy)/ry, (-x-cx)/rx) - from
	if sweep && by < 0 {
		by += 2 * math.Pi
	} else if !sweep && by > 0 {
		by -= 2 * math.Pi
	}
	p.swing(mid, rx, ry, sin, cos, from, by)
	p.line(q)
}

// swing draws the inner points of an arc around mid.
func (p *path) swing(mid point, rx, ry, sin, cos, from, by float64) {
	// A chord over the angle t leaves its circle by r·(1-cos(t/2)), nearly r·t²/8.
	n := int(min(360, max(2, math.Ceil(math.Abs(by)/math.Sqrt(8*p.fine/max(rx, ry, p.fine))))))
	for i := 1; i < n; i++ {
		s, c := math.Sincos(from + by*float64(i)/float64(n))
		p.line(point{mid.x + cos*rx*c - sin*ry*s, mid.y + sin*rx*c + cos*ry*s})
	}
}

func (p *path) ellipse(cx, cy, rx, ry float64) {
	p.move(point{cx + rx, cy})
	p.swing(point{cx, cy}, rx, ry, 0, 1, 0, 2*math.Pi)
	p.close()
}

func (p *path) rect(x, y, w, h, rx, ry float64) {
	rx, ry = min(rx, w/2), min(ry, h/2)
	round := func(q point) {
		if rx > 0 && ry > 0 {
			p.arc(rx, ry, 0, false, true, q)
		} else {
			p.line(q)
		}
	}
	if rx <= 0 || ry <= 0 {
		p.move(point{x, y})
		p.line(point{x + w, y})
		p.line(point{x + w, y + h})
		p.line(point{x, y + h})
		p.close()
		return
	}
	p.move(point{x + rx, y})
	p.line(point{x + w - rx, y})
	round(point{x + w, y + ry})
	p.line(point{x + w, y + h - ry})
	round(point{x + w - rx, y + h})
	p.line(point{x + rx, y + h})
	round(point{x, y + h - ry})
	p.line(point{x, y + ry})
	round(point{x + rx, y})
	p.close()
}

// data draws the commands of a d attribute, up to the first that is wrong.
func (p *path) data(d string) {
	r := &scanner{d}
	var at, start, bend point // bend is the last control point, of the kind of curve
	var kind, cmd byte
	for p.room > 0 {
		r.space()
		if r.s == "" {
			return
		}
		if c := r.s[0]; c|32 >= 'a' && c|32 <= 'z' {
			cmd = c
			r.s = r.s[1:]
			if cmd|32 == 'z' {
				p.close()
				at, kind = start, 0
				continue
			}
		} else if cmd == 0 || cmd|32 == 'z' {
			return
		}
		base := point{}
		if cmd >= 'a' {
			base = at
		}
		ok := true
		num := func() float64 {
			f, good := r.number()
			ok = ok && good
			return f
		}
		pair := func() point { return point{base.x + num(), base.y + num()} }
		mirror := func(of byte) point {
			if kind == of {
				return point{2*at.x - bend.x, 2*at.y - bend.y}
			}
			return at
		}
		was := at
		switch cmd | 32 {
		case 'm':
			at = pair()
			if ok {
				p.move(at)
				start = at
				cmd -= 'm' - 'l' // further pairs are lines
			}
			kind = 0
		case 'l':
			at = pair()
			kind = 0
		case 'h':
			at.x = base.x + num()
			kind = 0
		case 'v':
			at.y = base.y + num()
			kind = 0
		case 'q', 't':
			if cmd|32 == 'q' {
				bend = pair()
			} else {
				bend = mirror('q')
			}
			at = pair()
			if kind = 'q'; ok {
				p.quad(bend, at)
			}
			if ok {
				continue
			}
		case 'c', 's':
			first := mirror('c')
			if cmd|32 == 'c' {
				first = pair()
			}
			bend = pair()
			at = pair()
			if kind = 'c'; ok {
				p.cube(first, bend, at)
				continue
			}
		case 'a':
			rx, ry, turn := num(), num(), num()
			large, good := r.flag()
			sweep, fine := r.flag()
			at = pair()
			kind = 0
			if ok = ok && good && fine; ok {
				p.arc(rx, ry, turn, large, sweep, at)
				continue
			}
		default:
			return
		}
		if !ok {
			return
		}
		if c := cmd | 32; at != was && (c == 'l' || c == 'h' || c == 'v') && p.last != at {
			p.line(at)
		}
	}
}
