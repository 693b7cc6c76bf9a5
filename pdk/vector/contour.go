package vector

import (
	"errors"
	"math"
	"slices"
)

// outline is the border of the area that accepts accepts, of the regions that the chords
// enclose.
func (b *builder) outline(regions int, accepts func(winding []int32, inside []bool) bool) (Path, error) {
	chords, ok := snap(b.chords)
	if !ok {
		return nil, ErrTangled
	}
	edges := divide(chords)
	label(edges, regions, accepts)
	var out Path
	for _, c := range contours(edges) {
		b.contour(&out, c)
	}
	return out, nil
}

// ErrTangled is the error for an area whose borders cross too often to be outlined.
var ErrTangled = errors.New("the lines cross too often")

// side is an edge in the direction of its contour, which has the inside on its left if the
// y axis points upwards.
type side struct {
	a, b node
	*edge
}

// contours are the closed borders. Where several meet in a node, each stays on the border
// of its own area.
func contours(edges []edge) [][]side {
	var sides []side
	for i := range edges {
		e := &edges[i]
		switch {
		case e.bounds && e.inside:
			sides = append(sides, side{e.a, e.b, e})
		case e.bounds:
			sides = append(sides, side{e.b, e.a, e})
		}
	}
	leaving := make(map[node][]int, len(sides))
	for i, s := range sides {
		leaving[s.a] = append(leaving[s.a], i)
	}
	used := make([]bool, len(sides))
	var out [][]side
	for i := range sides {
		if used[i] {
			continue
		}
		var c []side
		for at := i; at >= 0 && !used[at]; {
			used[at] = true
			c = append(c, sides[at])
			next := -1
			for _, k := range leaving[sides[at].b] {
				if !used[k] && (next < 0 || sharper(sides[at], sides[k].b, sides[next].b)) {
					next = k
				}
			}
			at = next
		}
		out = append(out, c)
	}
	return out
}

// sharper reports whether, at the end of s, p comes before q in clockwise order from the
// direction back along s.
func sharper(s side, p, q node) bool {
	half := func(n node) int {
		// 0 is the half turn over the left side up to straight ahead, 1 the other half.
		c := cross(s.b, s.a, n)
		if c < 0 || c == 0 && (n.x-s.b.x)*(s.a.x-s.b.x)+(n.y-s.b.y)*(s.a.y-s.b.y) < 0 {
			return 0
		}
		return 1
	}
	if hp, hq := half(p), half(q); hp != hq {
		return hp < hq
	}
	return cross(s.b, p, q) < 0
}

// run is a piece of one curve in a contour.
type run struct {
	curve  int32
	t0, t1 float64
	b      node    // where it ends
	length float64 // in steps of the grid
}

// contour adds a contour to a path, as pieces of the curves from which its chords were cut.
func (b *builder) contour(out *Path, c []side) {
	area, length := 0.0, 0.0
	for _, s := range c {
		area += float64(s.a.x)*float64(s.b.y) - float64(s.a.y)*float64(s.b.x)
		length += s.length()
	}
	thin := b.tolerance / b.unit
	if math.Abs(area)/2 <= thin*length || length <= 8*thin {
		return
	}
	list := slices.DeleteFunc(runs(c), func(r run) bool { return r.length <= 2*thin })
	n := len(list)
	if n == 0 {
		return
	}
	pieces := make([]piece, n)
	for i := range list {
		pieces[i].run = list[i]
	}
	for i := range pieces {
		b.join(&pieces[i], &pieces[(i+1)%n])
	}
	b.put(out, b.dropCollinear(pieces))
}

func (s *side) length() float64 { return math.Hypot(float64(s.b.x-s.a.x), float64(s.b.y-s.a.y)) }

// runs divides a contour into pieces of curves, each as long as possible.
func runs(c []side) []run {
	out, first := read(c)
	if len(out) > 1 {
		// The contour may start in the middle of a run.
		out, _ = read(slices.Concat(c[first:], c[:first]))
	}
	return out
}

// read is runs for a contour that starts at the start of a run; first is the number of
// sides of the first run.
func read(c []side) (out []run, first int) {
	for i := 0; i < len(c); {
		best, most := run{}, 0
		for j := range c[i].origin {
			r, n := start(&c[i], &c[i].origin[j]), 1
			for ; i+n < len(c) && r.follow(&c[i+n]); n++ {
			}
			if n > most || n == most && best.curve == straight {
				best, most = r, n
			}
		}
		if i == 0 {
			first = most
		}
		out = append(out, best)
		i += most
	}
	return out, first
}

// start makes a run of one side.
func start(s *side, from *chord) run {
	r := run{curve: from.curve, t0: from.t0, t1: from.t1, b: s.b, length: s.length()}
	if from.a != s.a {
		r.t0, r.t1 = r.t1, r.t0
	}
	return r
}

// follow extends a run by a side, and reports whether the side continues its curve.
func (r *run) follow(s *side) bool {
	if r.curve == straight {
		return false
	}
	for i := range s.origin {
		if s.origin[i].curve != r.curve {
			continue
		}
		// A chord that is too short for the grid may be missing in between.
		n := start(s, &s.origin[i])
		if math.Abs(n.t0-r.t1) < 1e-3 && (n.t1 > n.t0) == (r.t1 > r.t0) {
			r.t1, r.b, r.length = n.t1, s.b, r.length+n.length
			return true
		}
	}
	return false
}

// piece is a run that ends at a point.
type piece struct {
	run
	to Point
}

func (b *builder) line(p *piece) bool { return p.curve == straight || b.curves[p.curve].kind == Line }

// join sets the point where a run ends and the next one begins: an end of one of the
// curves, or otherwise the crossing of the curves near the node.
func (b *builder) join(p, q *piece) {
	ends := func(p *piece, t float64) bool { return p.curve != straight && (t == 0 || t == 1) }
	switch {
	case ends(p, p.t1):
		p.to = b.curves[p.curve].at(p.t1)
	case ends(q, q.t0):
		p.to = b.curves[q.curve].at(q.t0)
	case p.curve != straight && q.curve != straight && p.curve != q.curve:
		p.to = b.meeting(p, q)
	default:
		p.to = b.point(p.b)
	}
}

// meeting is the crossing of two curves near a node, by Newton's method.
func (b *builder) meeting(p, q *piece) Point {
	k, l, at := &b.curves[p.curve], &b.curves[q.curve], b.point(p.b)
	s, t := p.t1, q.t0
	for range 8 {
		x, y, u, v := k.at(s), l.at(t), k.slope(s), l.slope(t)
		det := u.Y*v.X - u.X*v.Y
		if math.Abs(det) <= 1e-6*math.Hypot(u.X, u.Y)*math.Hypot(v.X, v.Y) {
			return at
		}
		dx, dy := y.X-x.X, y.Y-x.Y
		s, t = s+(dy*v.X-dx*v.Y)/det, t+(dy*u.X-dx*u.Y)/det
		if !(s >= 0 && s <= 1 && t >= 0 && t <= 1) {
			return at
		}
	}
	if x := k.at(s); x.Distance(l.at(t)) <= b.unit && x.Distance(at) <= 16*b.tolerance {
		p.t1, q.t0 = s, t
		return x
	}
	return at
}

// dropCollinear removes points that lie on straight lines.
func (b *builder) dropCollinear(pieces []piece) []piece {
	on := func(from Point, p, q *piece) bool {
		if !b.line(p) || !b.line(q) {
			return false
		}
		d, x, y := unit(from, q.to), p.to.X-from.X, p.to.Y-from.Y
		along := x*d.X + y*d.Y
		return math.Abs(x*d.Y-y*d.X) <= b.tolerance/2 && along >= 0 && along <= from.Distance(q.to)
	}
	out := pieces[:0:0]
	for i := range pieces {
		for len(out) > 0 {
			from := pieces[len(pieces)-1].to
			if len(out) > 1 {
				from = out[len(out)-2].to
			}
			if !on(from, &out[len(out)-1], &pieces[i]) {
				break
			}
			out = out[:len(out)-1]
		}
		out = append(out, pieces[i])
	}
	if n := len(out); n > 2 && on(out[n-2].to, &out[n-1], &out[0]) {
		out = out[:n-1]
	}
	return out
}

// put adds a contour's pieces to a path.
func (b *builder) put(out *Path, pieces []piece) {
	n := len(pieces)
	curved := slices.ContainsFunc(pieces, func(p piece) bool { return !b.line(&p) })
	if n == 0 || n < 3 && !curved {
		return
	}
	out.MoveTo(pieces[n-1].to)
	for i := range pieces {
		p := &pieces[i]
		switch {
		case !b.line(p):
			b.curves[p.curve].put(out, p.t0, p.t1, p.to, b.fitting)
		case i < n-1:
			out.LineTo(p.to)
		}
	}
	out.ClosePath()
}
