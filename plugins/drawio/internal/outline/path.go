package outline

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Path is a drawing, as SVG commands with absolute coordinates.
type Path []Step

// Step is one command.
type Step struct {
	Op   byte       // 'M', 'L', 'Q', 'C', 'A' or 'Z'
	To   geom.Point // where it ends; unused for 'Z'
	A, B geom.Point // the control points of 'Q' (A) and of 'C'; in A the radii of 'A', which is the smaller arc, clockwise
}

func (p *Path) move(x, y float64) { *p = append(*p, Step{Op: 'M', To: geom.Point{X: x, Y: y}}) }
func (p *Path) line(x, y float64) { *p = append(*p, Step{Op: 'L', To: geom.Point{X: x, Y: y}}) }
func (p *Path) quad(ax, ay, x, y float64) {
	*p = append(*p, Step{Op: 'Q', A: geom.Point{X: ax, Y: ay}, To: geom.Point{X: x, Y: y}})
}
func (p *Path) cubic(ax, ay, bx, by, x, y float64) {
	*p = append(*p, Step{Op: 'C', A: geom.Point{X: ax, Y: ay}, B: geom.Point{X: bx, Y: by}, To: geom.Point{X: x, Y: y}})
}
func (p *Path) arc(rx, ry, x, y float64) {
	*p = append(*p, Step{Op: 'A', A: geom.Point{X: rx, Y: ry}, To: geom.Point{X: x, Y: y}})
}
func (p *Path) close() { *p = append(*p, Step{Op: 'Z'}) }

// lines returns an open path through points given as x, y, x, y, …
func lines(xy ...float64) Path {
	p := make(Path, 0, len(xy)/2+1)
	for i := 0; i+1 < len(xy); i += 2 {
		if i == 0 {
			p.move(xy[0], xy[1])
		} else {
			p.line(xy[i], xy[i+1])
		}
	}
	return p
}

// polygon returns the closed path through points given as x, y, x, y, …
func polygon(xy ...float64) Path {
	p := lines(xy...)
	p.close()
	return p
}

// Ellipse returns an ellipse in a box.
func Ellipse(x, y, w, h float64) Path {
	var p Path
	p.move(x, y+h/2)
	p.arc(w/2, h/2, x+w, y+h/2)
	p.arc(w/2, h/2, x, y+h/2)
	p.close()
	return p
}

// Box returns a rectangle with corners of radius r.
func Box(x, y, w, h, r float64) Path {
	if r = min(r, w/2, h/2); r <= 0 {
		return polygon(x, y, x+w, y, x+w, y+h, x, y+h)
	}
	var p Path
	p.move(x+r, y)
	p.line(x+w-r, y)
	p.arc(r, r, x+w, y+r)
	p.line(x+w, y+h-r)
	p.arc(r, r, x+w-r, y+h)
	p.line(x+r, y+h)
	p.arc(r, r, x, y+h-r)
	p.line(x, y+r)
	p.arc(r, r, x+r, y)
	p.close()
	return p
}

// rounded returns a polygon with its corners replaced by curves of radius r, as in draw.io.
func rounded(r float64, xy ...float64) Path {
	p := roundedLine(r, true, xy...)
	p.close()
	return p
}

// roundedLine returns a line with rounded corners. In a closed line the ends are corners, too.
func roundedLine(r float64, closed bool, xy ...float64) Path {
	n := len(xy) / 2
	if r <= 0 {
		return lines(xy...)
	}
	at := func(i int) geom.Point { i = (i + n) % n; return geom.Point{X: xy[2*i], Y: xy[2*i+1]} }
	var p Path
	for i := range n {
		c := at(i)
		a, b := c, c
		if closed || i > 0 && i < n-1 {
			a, b = toward(c, at(i-1), r), toward(c, at(i+1), r)
		}
		if i == 0 {
			p.move(a.X, a.Y)
		} else {
			p.line(a.X, a.Y)
		}
		if a != b {
			p.quad(c.X, c.Y, b.X, b.Y)
		}
	}
	return p
}

// toward returns the point at distance d from a towards b, at most half way.
func toward(a, b geom.Point, d float64) geom.Point {
	long := math.Hypot(b.X-a.X, b.Y-a.Y)
	if long == 0 {
		return a
	}
	t := min(d/long, 0.5)
	return geom.Point{X: a.X + (b.X-a.X)*t, Y: a.Y + (b.Y-a.Y)*t}
}

// maxDeviation is the greatest distance between a curve and its polyline, in units.
const maxDeviation = 0.1

// pieces returns the number of straight pieces for a curve whose middle would deviate by sag from a single piece.
func pieces(sag float64) int {
	return min(64, max(2, 2*int(math.Ceil(math.Sqrt(sag/maxDeviation)/2))))
}

// Lines converts p to polylines, one for each part; closed parts end where they begin. They are within 0.1 of the curves
// up to a size of about 400.
func (p Path) Lines() [][]geom.Point {
	var out [][]geom.Point
	var part []geom.Point
	for _, s := range p {
		switch s.Op {
		case 'M':
			if len(part) > 1 {
				out = append(out, part)
			}
			part = []geom.Point{s.To}
		case 'L':
			part = append(part, s.To)
		case 'Q':
			part = quad(part, s)
		case 'C':
			part = cubic(part, s)
		case 'A':
			part = arc(part, s)
		case 'Z':
			part = append(part, part[0])
		}
	}
	if len(part) > 1 {
		out = append(out, part)
	}
	return out
}

func quad(part []geom.Point, s Step) []geom.Point {
	a := part[len(part)-1]
	n := pieces(math.Hypot(a.X-2*s.A.X+s.To.X, a.Y-2*s.A.Y+s.To.Y) / 4)
	for i := 1; i <= n; i++ {
		t := float64(i) / float64(n)
		u := 1 - t
		part = append(part, geom.Point{X: u*u*a.X + 2*u*t*s.A.X + t*t*s.To.X, Y: u*u*a.Y + 2*u*t*s.A.Y + t*t*s.To.Y})
	}
	return part
}

func cubic(part []geom.Point, s Step) []geom.Point {
	a := part[len(part)-1]
	bend := max(math.Hypot(a.X-2*s.A.X+s.B.X, a.Y-2*s.A.Y+s.B.Y), math.Hypot(s.A.X-2*s.B.X+s.To.X, s.A.Y-2*s.B.Y+s.To.Y))
	n := pieces(bend * 3 / 4)
	for i := 1; i <= n; i++ {
		t := float64(i) / float64(n)
		u := 1 - t
		c0, c1, c2, c3 := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		part = append(part, geom.Point{X: c0*a.X + c1*s.A.X + c2*s.B.X + c3*s.To.X, Y: c0*a.Y + c1*s.A.Y + c2*s.B.Y + c3*s.To.Y})
	}
	return part
}

// arc appends the points of an arc of an axis-aligned ellipse. On the unit circle, to which the ellipse is scaled, the
// centre lies beside the middle of the chord.
func arc(part []geom.Point, s Step) []geom.Point {
	from, rx, ry := part[len(part)-1], s.A.X, s.A.Y
	if rx <= 0 || ry <= 0 {
		return append(part, s.To)
	}
	dx, dy := (s.To.X-from.X)/rx/2, (s.To.Y-from.Y)/ry/2
	half := math.Hypot(dx, dy)
	if half == 0 {
		return part
	}
	if half > 1 { // the radii are too short: scale them up
		rx, ry, dx, dy, half = rx*half, ry*half, dx/half, dy/half, 1
	}
	away := math.Sqrt(max(0, 1-half*half)) / half
	cx, cy := (from.X+s.To.X)/2/rx-dy*away, (from.Y+s.To.Y)/2/ry+dx*away
	start := math.Atan2(from.Y/ry-cy, from.X/rx-cx)
	turn := math.Atan2(s.To.Y/ry-cy, s.To.X/rx-cx) - start
	if turn <= 0 {
		turn += 2 * math.Pi
	}
	n := pieces(max(rx, ry) * turn * turn / 8)
	for i := 1; i < n; i++ {
		sin, cos := math.Sincos(start + turn*float64(i)/float64(n))
		part = append(part, geom.Point{X: (cx + cos) * rx, Y: (cy + sin) * ry})
	}
	return append(part, s.To)
}
