package arrange

import "slices"

// side of a shape.
type side uint8

const (
	left side = iota
	right
	above
	below
)

// simplify replaces lines with corners by simpler ones where that makes the
// drawing better.
func (j *judge) simplify() {
	if j.wary {
		j.putLabels()
	}
	j.simplifyTwice(j.p.all)
}

// simplifyTwice looks for simpler courses of some lines, and once more of those
// near which a line or its label has changed since.
func (j *judge) simplifyTwice(lines []int) {
	reach := 14 // beyond where a line may lead
	for i := range j.p.lines {
		reach = max(reach, 14+max(j.p.lines[i].lw, j.p.lines[i].lh))
	}
	var changes []rect
	seen := make([]int, len(j.p.lines)) // by line: the changes that it knows
	for range 2 {
		before := len(changes)
		for _, i := range lines {
			l := &j.p.lines[i]
			if len(j.d.routes[i]) < 3 || l.loop || j.p.frame(l.a) || j.p.frame(l.b) {
				continue
			}
			if seen[i] > 0 && !slices.ContainsFunc(changes[seen[i]-1:], j.reach(i).grow(reach).meets) {
				continue
			}
			seen[i] = len(changes) + 1
			if old := j.boxes[i]; j.simpler(i) {
				changes = append(changes, old.with(j.boxes[i]).grow(1))
			}
		}
		if len(changes) == before {
			return
		}
	}
}

// reach is where line i, and simple courses in its place, lead.
func (j *judge) reach(i int) rect {
	l := &j.p.lines[i]
	return j.d.at[l.a].with(j.d.at[l.b]).grow(detour).with(j.boxes[i])
}

// freed says which ends of the lines between columns left the side that faces
// the other end, and whether any did.
func (j *judge) freed() ([][2]bool, bool) {
	out, some := make([][2]bool, len(j.p.lines)), false
	for i := range out {
		pts := j.d.routes[i]
		if dir := j.heading(i); dir != 0 && len(pts) > 1 {
			a, b := j.d.at[j.p.lines[i].a], j.d.at[j.p.lines[i].b]
			p, q := pts[0], pts[len(pts)-1]
			if dir > 0 {
				out[i] = [2]bool{p.X != a.x1, q.X != b.x0}
			} else {
				out[i] = [2]bool{p.X != a.x0, q.X != b.x1}
			}
			some = some || out[i][0] || out[i][1]
		}
	}
	return out, some
}

// lineCost is what a line costs as far as its course decides, among what j.about
// lists. It gives up beyond a limit.
func (j *judge) lineCost(i int, pts []Point, limit int) int {
	var s tally
	j.rateCourse(i, pts, &s)
	if s.total > limit {
		return s.total
	}
	j.rateLine(i, pts, &s, limit)
	if s.total > limit {
		return s.total
	}
	l := &j.p.lines[i]
	if l.lw > 0 && !roomFor(l, pts) {
		s.total += 8000
	}
	ratePieces(pts, j.about.pieces, &s, limit)
	if j.wary && l.lw > 0 && s.total <= limit {
		was, at := j.d.routes[i], j.d.labels[i]
		j.d.routes[i] = pts
		s.total += j.placeLabel(i, j.labelled(i))
		j.d.routes[i], j.d.labels[i] = was, at
	}
	return s.total
}

// look lists what lies about line i, as far as a part of the page and a little
// beyond it.
func (j *judge) look(i int, r rect) {
	r = r.grow(12)
	j.scan(&j.about, i, r, j.p.all)
	j.cut(&j.about, i, j.about.lines, r)
}

// roomFor reports whether a label finds room on one piece of a line.
func roomFor(l *line, pts []Point) bool {
	for k := 1; k < len(pts); k++ {
		dx, dy := abs(pts[k].X-pts[k-1].X), abs(pts[k].Y-pts[k-1].Y)
		if dx >= l.lw+20 || dy >= l.lh+20 {
			return true
		}
	}
	return false
}

// unlimited is a cost that nothing reaches.
const unlimited = 1 << 60

const (
	worthIt   = 1500 // a simpler course must save this much
	manyLines = 100  // beyond, ends are tried in the middle of a side only
)

// simpler looks for a better course of line i.
func (j *judge) simpler(i int) bool {
	l := &j.p.lines[i]
	j.look(i, j.reach(i))
	old := j.d.routes[i]
	x := trial{j: j, line: i, a: j.d.at[l.a], b: j.d.at[l.b], old: old, best: j.lineCost(i, old, unlimited) - worthIt}
	if x.best <= 0 {
		return false
	}
	var from, to [4][]end
	var room [8][6]end
	for s := left; s <= below; s++ {
		from[s], to[s] = j.ends(room[s][:0], l.a, s, old[0]), j.ends(room[4+s][:0], l.b, s, old[len(old)-1])
	}
	// First from and to the middles and the old ends, or straight; then the
	// best of these from beside them.
	var sides [2]side
	for s := left; s <= below; s++ {
		for t := left; t <= below; t++ {
			if !x.promising(s, t) {
				continue
			}
			before := x.best
			for k := range from[s] {
				p := &from[s][k]
				for n := range to[t] {
					q := &to[t][n]
					if p.main && q.main || p.at.X == q.at.X || p.at.Y == q.at.Y || s/2 != t/2 && (p.main || q.main) {
						x.courses(s, t, p.at, q.at)
					}
				}
			}
			if x.best < before {
				sides = [2]side{s, t}
			}
		}
	}
	if len(x.found) > 2 {
		last := x.found[len(x.found)-1]
		for _, p := range from[sides[0]] {
			x.courses(sides[0], sides[1], p.at, last)
		}
		start := x.found[0]
		for _, q := range to[sides[1]] {
			x.courses(sides[0], sides[1], start, q.at)
		}
	}
	if x.found == nil {
		return false
	}
	j.d.routes[i] = x.found
	j.boxes[i] = around(x.found)
	if j.wary && l.lw > 0 {
		j.placeLabel(i, j.labelled(i))
	}
	return true
}

// end is a place where a line may end, and whether it is the middle of a side or
// where it ended before.
type end struct {
	at   Point
	main bool
}

// ends adds the places on a side where a line may end: the middle, beside it,
// and where it ends now.
func (j *judge) ends(out []end, v int, s side, old Point) []end {
	r := j.d.at[v]
	face := j.p.shapes[v].face()
	half, mid := r.y1-r.y0, Point{r.x0, r.midY()}
	switch s {
	case right:
		mid.X = r.x1
	case above, below:
		half, mid = r.x1-r.x0, Point{r.midX(), r.y0}
		if s == below {
			mid.Y = r.y1
		}
	}
	reach := half/2 - 8
	if face < 100 {
		reach = half * face / 200
	}
	beside := [...]int{0, -10, 10, -20, 20}
	tried := beside[:]
	if len(j.p.lines) > manyLines {
		tried = beside[:1]
	}
	for _, d := range tried {
		if abs(d) > max(reach, 0) {
			continue
		}
		if s == left || s == right {
			out = append(out, end{Point{mid.X, mid.Y + d}, d == 0})
		} else {
			out = append(out, end{Point{mid.X + d, mid.Y}, d == 0})
		}
	}
	if on := s == left && old.X == r.x0 || s == right && old.X == r.x1 || s == above && old.Y == r.y0 || s == below && old.Y == r.y1; on {
		if k := slices.IndexFunc(out, func(e end) bool { return e.at == old }); k >= 0 {
			out[k].main = true
		} else {
			out = append(out, end{old, true})
		}
	}
	return out
}

// detour is how far simple ways lead outside of what both ends span.
const detour = 48

// stub is the least length of a first or last piece.
const stub = 16

// trial looks for a better course of a line from a to b.
type trial struct {
	j     *judge
	line  int
	a, b  rect
	old   []Point
	best  int // what the best course costs, or the first one found may at most
	found []Point
	try   [4]Point
}

// offer takes the course of the first n points to try if it is better.
func (x *trial) offer(n int) {
	if (n-2)*1200 >= x.best {
		return
	}
	if c := x.j.lineCost(x.line, x.try[:n], x.best); c < x.best {
		x.best = c
		x.found = append(x.found[:0], x.try[:n]...)
	}
}

// promising reports whether a way from side s of a to side t of b may be better
// than the best.
func (x *trial) promising(s, t side) bool {
	switch {
	case s/2 != t/2: // one corner
		return x.best > 1200
	case s == t: // two
		return x.best > 2400
	}
	from, to := x.b.x0-x.a.x1, x.a.x0-x.b.x1
	if s/2 > 0 {
		from, to = x.a.y0-x.b.y1, x.b.y0-x.a.y1
	}
	if s == left || s == below {
		return to >= 2*stub
	}
	return from >= 2*stub
}

// level offers p, a piece across at x, and q.
func (x *trial) level(p Point, at int, q Point) {
	x.try = [4]Point{p, {at, p.Y}, {at, q.Y}, q}
	x.offer(4)
}

// steep offers p, a piece along at y, and q.
func (x *trial) steep(p Point, at int, q Point) {
	x.try = [4]Point{p, {p.X, at}, {q.X, at}, q}
	x.offer(4)
}

// courses offers the simple ways from p on side s of a to q on side t of b.
func (x *trial) courses(s, t side, p, q Point) {
	flat, flatT := s == left || s == right, t == left || t == right
	switch {
	case flat && flatT && s != t: // straight or Z
		lo, hi := p.X, q.X
		if s == left {
			lo, hi = q.X, p.X
		}
		if hi-lo < 2*stub {
			return
		}
		if p.Y == q.Y {
			x.try[0], x.try[1] = p, q
			x.offer(2)
			return
		}
		x.level(p, (lo+hi)/2, q)
		x.level(p, lo+20, q)
		x.level(p, hi-20, q)
		for k := 1; k < len(x.old); k++ {
			if at := x.old[k].X; at == x.old[k-1].X && at > lo && at < hi {
				x.level(p, at, q)
			}
		}
	case !flat && !flatT && s != t:
		lo, hi := p.Y, q.Y
		if s == above {
			lo, hi = q.Y, p.Y
		}
		if hi-lo < 2*stub {
			return
		}
		if p.X == q.X {
			x.try[0], x.try[1] = p, q
			x.offer(2)
			return
		}
		x.steep(p, (lo+hi)/2, q)
		x.steep(p, lo+20, q)
		x.steep(p, hi-20, q)
	case flat && !flatT: // L
		if (s == right && q.X-p.X < stub) || (s == left && p.X-q.X < stub) || (t == above && q.Y-p.Y < stub) || (t == below && p.Y-q.Y < stub) {
			return
		}
		x.try[0], x.try[1], x.try[2] = p, Point{q.X, p.Y}, q
		x.offer(3)
	case !flat && flatT:
		if (s == below && q.Y-p.Y < stub) || (s == above && p.Y-q.Y < stub) || (t == left && q.X-p.X < stub) || (t == right && p.X-q.X < stub) {
			return
		}
		x.try[0], x.try[1], x.try[2] = p, Point{p.X, q.Y}, q
		x.offer(3)
	case s == left: // U
		at := min(x.a.x0, x.b.x0)
		for _, d := range [...]int{20, 34, detour} {
			x.level(p, at-d, q)
		}
	case s == right:
		at := max(x.a.x1, x.b.x1)
		for _, d := range [...]int{20, 34, detour} {
			x.level(p, at+d, q)
		}
	case s == above:
		at := min(x.a.y0, x.b.y0)
		for _, d := range [...]int{20, 34, detour} {
			x.steep(p, at-d, q)
		}
	default:
		at := max(x.a.y1, x.b.y1)
		for _, d := range [...]int{20, 34, detour} {
			x.steep(p, at+d, q)
		}
	}
}
