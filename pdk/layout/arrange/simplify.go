package arrange

import "slices"

// side is a side of a shape. Sides 2n and 2n+1 are opposite each other.
type side uint8

const (
	left side = iota
	right
	above
	below
)

// simplify replaces routes with corners by simpler ones where that improves the drawing.
func (j *judge) simplify() {
	if j.withLabels {
		j.putLabels()
	}
	j.simplifyLines(j.p.all)
}

// simplifyLines looks for simpler routes of some lines, and again for those near which a line or its label has changed
// since.
func (j *judge) simplifyLines(lines []int) {
	reach := 14 // how far from its route a line affects others
	for i := range j.p.lines {
		reach = max(reach, 14+max(j.p.lines[i].lw, j.p.lines[i].lh))
	}
	var changes []rect
	seen := make([]int, len(j.p.lines)) // by line: 1 more than the number of changes before it was last tried
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
			if old := j.boxes[i]; j.improveRoute(i) {
				changes = append(changes, old.union(j.boxes[i]).grow(1))
			}
		}
		if len(changes) == before {
			return
		}
	}
}

// reach is the area of line i and of the simple routes that could replace it.
func (j *judge) reach(i int) rect {
	l := &j.p.lines[i]
	return j.d.at[l.a].union(j.d.at[l.b]).grow(detour).union(j.boxes[i])
}

// freedEnds tells which ends of the lines between columns are not on the side that faces the other end, and whether
// there are any.
func (j *judge) freedEnds() ([][2]bool, bool) {
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

// lineCost is the cost of a route of line i among j.nearLine, as far as the route determines it. It stops early once the
// cost exceeds limit.
func (j *judge) lineCost(i int, pts []Point, limit int) int {
	var s tally
	j.rateAlone(i, pts, &s)
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
	ratePieces(pts, j.nearLine.pieces, &s, limit)
	if j.withLabels && l.lw > 0 && s.total <= limit {
		was, at := j.d.routes[i], j.d.labels[i]
		j.d.routes[i] = pts
		s.total += j.placeLabel(i, j.labelledLines(i))
		j.d.routes[i], j.d.labels[i] = was, at
	}
	return s.total
}

// scanAround lists in j.nearLine what surrounds line i in a part of the page and a little beyond.
func (j *judge) scanAround(i int, r rect) {
	r = r.grow(12)
	j.scan(&j.nearLine, i, r, j.p.all)
	j.listPieces(&j.nearLine, i, j.nearLine.lines, r)
}

// roomFor reports whether one piece of a line is long enough for its label.
func roomFor(l *line, pts []Point) bool {
	for k := 1; k < len(pts); k++ {
		dx, dy := abs(pts[k].X-pts[k-1].X), abs(pts[k].Y-pts[k-1].Y)
		if dx >= l.lw+20 || dy >= l.lh+20 {
			return true
		}
	}
	return false
}

// unlimited is higher than any cost.
const unlimited = 1 << 60

const (
	minSaving = 1500 // a simpler route must save this much
	manyLines = 100  // with more lines, ends are tried in the middle of a side only
)

// improveRoute looks for a better simple route of line i, and reports whether it found one.
func (j *judge) improveRoute(i int) bool {
	l := &j.p.lines[i]
	j.scanAround(i, j.reach(i))
	old := j.d.routes[i]
	x := trial{j: j, line: i, a: j.d.at[l.a], b: j.d.at[l.b], old: old, best: j.lineCost(i, old, unlimited) - minSaving}
	if x.best <= 0 {
		return false
	}
	var from, to [4][]end
	var room [8][6]end
	for s := left; s <= below; s++ {
		from[s], to[s] = j.ends(room[s][:0], l.a, s, old[0]), j.ends(room[4+s][:0], l.b, s, old[len(old)-1])
	}
	// First try routes between the middles, the old ends, and straight ones. Then try the best of these from the
	// positions beside them.
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
						x.offerSimple(s, t, p.at, q.at)
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
			x.offerSimple(sides[0], sides[1], p.at, last)
		}
		start := x.found[0]
		for _, q := range to[sides[1]] {
			x.offerSimple(sides[0], sides[1], start, q.at)
		}
	}
	if x.found == nil {
		return false
	}
	j.d.routes[i] = x.found
	j.boxes[i] = bounds(x.found)
	if j.withLabels && l.lw > 0 {
		j.placeLabel(i, j.labelledLines(i))
	}
	return true
}

// end is a point where a line may end. It is a main one if it is the middle of a side or where the line ended before.
type end struct {
	at   Point
	main bool
}

// ends appends the points on a side where a line may end: the middle, points beside it, and its current end.
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

// detour is how far simple routes may lead outside the box around both ends.
const detour = 48

// stub is the least length of a first or last piece.
const stub = 16

// trial looks for a better route of a line from a to b.
type trial struct {
	j     *judge
	line  int
	a, b  rect
	old   []Point
	best  int // cost of the best route, or what the first one may cost at most
	found []Point
	try   [4]Point
}

// offer takes the route of the first n points of try if it is better.
func (x *trial) offer(n int) {
	if (n-2)*1200 >= x.best {
		return
	}
	if c := x.j.lineCost(x.line, x.try[:n], x.best); c < x.best {
		x.best = c
		x.found = append(x.found[:0], x.try[:n]...)
	}
}

// promising reports whether a route from side s of a to side t of b could be better than the best one.
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

// offerVertical offers the route from p to q whose middle piece is vertical, at x = at.
func (x *trial) offerVertical(p Point, at int, q Point) {
	x.try = [4]Point{p, {at, p.Y}, {at, q.Y}, q}
	x.offer(4)
}

// offerHorizontal offers the route from p to q whose middle piece is horizontal, at y = at.
func (x *trial) offerHorizontal(p Point, at int, q Point) {
	x.try = [4]Point{p, {p.X, at}, {q.X, at}, q}
	x.offer(4)
}

// offerSimple offers the simple routes from p on side s of a to q on side t of b.
func (x *trial) offerSimple(s, t side, p, q Point) {
	horizontalS, horizontalT := s == left || s == right, t == left || t == right
	switch {
	case horizontalS && horizontalT && s != t: // straight or Z
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
		x.offerVertical(p, (lo+hi)/2, q)
		x.offerVertical(p, lo+20, q)
		x.offerVertical(p, hi-20, q)
		for k := 1; k < len(x.old); k++ {
			if at := x.old[k].X; at == x.old[k-1].X && at > lo && at < hi {
				x.offerVertical(p, at, q)
			}
		}
	case !horizontalS && !horizontalT && s != t:
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
		x.offerHorizontal(p, (lo+hi)/2, q)
		x.offerHorizontal(p, lo+20, q)
		x.offerHorizontal(p, hi-20, q)
	case horizontalS && !horizontalT: // L
		if (s == right && q.X-p.X < stub) || (s == left && p.X-q.X < stub) || (t == above && q.Y-p.Y < stub) || (t == below && p.Y-q.Y < stub) {
			return
		}
		x.try[0], x.try[1], x.try[2] = p, Point{q.X, p.Y}, q
		x.offer(3)
	case !horizontalS && horizontalT:
		if (s == below && q.Y-p.Y < stub) || (s == above && p.Y-q.Y < stub) || (t == left && q.X-p.X < stub) || (t == right && p.X-q.X < stub) {
			return
		}
		x.try[0], x.try[1], x.try[2] = p, Point{p.X, q.Y}, q
		x.offer(3)
	case s == left: // U
		at := min(x.a.x0, x.b.x0)
		for _, d := range [...]int{20, 34, detour} {
			x.offerVertical(p, at-d, q)
		}
	case s == right:
		at := max(x.a.x1, x.b.x1)
		for _, d := range [...]int{20, 34, detour} {
			x.offerVertical(p, at+d, q)
		}
	case s == above:
		at := min(x.a.y0, x.b.y0)
		for _, d := range [...]int{20, 34, detour} {
			x.offerHorizontal(p, at-d, q)
		}
	default:
		at := max(x.a.y1, x.b.y1)
		for _, d := range [...]int{20, 34, detour} {
			x.offerHorizontal(p, at+d, q)
		}
	}
}
