package arrange

import "slices"

// Reroute finds the ways of some lines anew and leaves all else where it is: the
// shapes, and the other lines, whose labels give way to these ways. r is a drawing of g, whoever made it; its score
// is set.
func Reroute(g *Graph, r *Result, which []int, dir Dir) {
	p := newProblem(g, dir)
	j := p.judge(p.drawing(r))
	j.wary = len(p.lines) <= manyLines
	j.leadAll(which)
	j.simplifyTwice(which)
	j.loops(which)
	for _, i := range which {
		if p.lines[i].lw > 0 && len(j.d.routes[i]) > 1 {
			j.placeLabel(i, j.labelled(i))
		}
	}
	given := j.giveWay(which)
	j.d.score = j.score()
	back := p.back(j.d)
	for _, i := range which {
		r.Routes[i] = back.Routes[i]
	}
	for _, i := range given {
		r.Routes[i].Label = back.Routes[i].Label
	}
	r.Score = j.d.score
}

// giveWay moves labels of other lines than some that have no clear place, where there is one.
func (j *judge) giveWay(but []int) (moved []int) {
	for _, i := range slices.Clone(j.labelled(-1)) {
		if slices.Contains(but, i) {
			continue
		}
		at := j.d.labels[i]
		j.scan(&j.beside, i, j.labelRect(i, at).grow(2), j.p.all)
		if was := j.labelCost(i, at, j.labelled(i)); was >= unclear && j.placeLabel(i, j.labelled(i)) < unclear {
			moved = append(moved, i)
		} else {
			j.d.labels[i] = at
		}
	}
	return moved
}

// leadAll finds ways for lines one after the other: what has a short way takes it
// first.
func (j *judge) leadAll(lines []int) {
	var todo []int
	for _, i := range lines {
		j.d.routes[i], j.boxes[i] = nil, rect{}
		if !j.p.lines[i].skip {
			todo = append(todo, i)
		}
	}
	slices.SortStableFunc(todo, func(a, b int) int { return j.span(a) - j.span(b) })
	for _, i := range todo {
		j.routeLine(i)
	}
}

// leadEach looks for a better way of each line while the others stay.
func (j *judge) leadEach() {
	for i := range j.p.lines {
		old, box, label := j.d.routes[i], j.boxes[i], j.d.labels[i]
		if j.p.lines[i].skip || len(old) < 3 {
			continue
		}
		j.look(i, box)
		was := j.lineCost(i, old, unlimited)
		if was < fine {
			continue
		}
		j.routeLine(i)
		j.look(i, j.boxes[i])
		if j.lineCost(i, j.d.routes[i], unlimited) >= was-worthIt/2 {
			j.d.routes[i], j.boxes[i], j.d.labels[i] = old, box, label
		} else if j.p.lines[i].lw > 0 {
			j.placeLabel(i, j.labelled(i))
		}
	}
}

// span is how far the ends of a line are apart.
func (j *judge) span(i int) int {
	a, b := j.d.at[j.p.lines[i].a], j.d.at[j.p.lines[i].b]
	return max(0, a.x0-b.x1, b.x0-a.x1) + max(0, a.y0-b.y1, b.y0-a.y1)
}

// heads are the ways that a line may go on.
var heads = [4]Point{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}

// field is the grid on which a way is looked for: the places beside shapes and
// lines, and the middles.
type field struct {
	j      *judge
	line   int
	xs, ys []int
	flat   []int32 // by y and x: what the step to the right costs, 0 for not known yet
	steep  []int32 // the step down
	cost   []int32 // of the search, by place and heading
	came   []int32
	open   frontier
	about  scope
	all    band
	rows   []band
	cols   []band
}

// band is what a way may meet, along a row or a column of the grid.
type band struct {
	known     bool
	obstacles []obstacle
	borders   []framed
	pieces    []course
	labels    []lettering
}

// obstacle is a shape that a way may meet.
type obstacle struct {
	rect
	own bool // one of its ends
}

// framed is a frame that a way may meet.
type framed struct {
	rect
	title   rect
	own     bool // one of the ends
	foreign bool // holds none of them
}

// lettering is the label of a line, and what the line spans.
type lettering struct{ label, line rect }

// bands are n bands, of which nothing is known.
func bands(buf []band, n int) []band {
	buf = slices.Grow(buf[:0], n)[:n]
	for i := range buf {
		buf[i].known = false
	}
	return buf
}

// fill takes over from all what may meet r.
func (b *band) fill(all *band, r rect) {
	b.known = true
	b.obstacles, b.borders, b.pieces, b.labels = b.obstacles[:0], b.borders[:0], b.pieces[:0], b.labels[:0]
	wide := r.grow(11)
	for k := range all.obstacles {
		if o := &all.obstacles[k]; wide.meets(o.rect) {
			b.obstacles = append(b.obstacles, *o)
		}
	}
	for k := range all.borders {
		if o := &all.borders[k]; wide.meets(o.rect) {
			b.borders = append(b.borders, *o)
		}
	}
	for k := range all.pieces {
		if o := &all.pieces[k]; wide.meets(o.rect) && !o.slanted {
			b.pieces = append(b.pieces, *o)
		}
	}
	for k := range all.labels {
		if o := &all.labels[k]; wide.meets(o.label) {
			b.labels = append(b.labels, *o)
		}
	}
}

// zeroed is a buffer of n zeroes, the old one where it is large enough.
func zeroed(buf []int32, n int) []int32 {
	if cap(buf) < n {
		return make([]int32, n)
	}
	buf = buf[:n]
	clear(buf)
	return buf
}

const (
	fine    = 12_000 // the cost of a line that need not be rerouted
	blocked = 1 << 30
	close1  = 160 // how far from its ends a line may run at first
)

// routeLine finds the cheapest route of line i around everything else.
func (j *judge) routeLine(i int) {
	for _, room := range [...]int{close1, 1000} {
		if pts := j.routeWithin(i, room); pts != nil {
			j.d.routes[i], j.boxes[i] = pts, around(pts)
			return
		}
	}
	// Walled in: from middle to middle, over all that is there.
	a, b := j.d.at[j.p.lines[i].a], j.d.at[j.p.lines[i].b]
	pts := []Point{{a.x1, a.midY()}, {(a.x1 + b.x0) / 2, a.midY()}, {(a.x1 + b.x0) / 2, b.midY()}, {b.x0, b.midY()}}
	if a.midY() == b.midY() {
		pts = []Point{pts[0], pts[3]}
	}
	j.d.routes[i], j.boxes[i] = pts, around(pts)
}

// routeWithin looks for a route that stays within room of the box around both ends.
func (j *judge) routeWithin(i, room int) []Point {
	l := &j.p.lines[i]
	a, b := j.d.at[l.a], j.d.at[l.b]
	window := rect{min(a.x0, b.x0), min(a.y0, b.y0), max(a.x1, b.x1), max(a.y1, b.y1)}.grow(room)
	f := &j.field
	f.j, f.line, f.xs, f.ys = j, i, f.xs[:0], f.ys[:0]
	none := Point{-unlimited, -unlimited}
	var places [6]end
	var from, to []end
	var fromSide, toSide []side
	for s := left; s <= below; s++ { // the ends next to the middle are for those who simplify
		for _, e := range j.ends(places[:0], l.a, s, none) {
			if j.offMiddle(l.a, e.at) != 10 {
				from, fromSide = append(from, e), append(fromSide, s)
			}
		}
		for _, e := range j.ends(places[:0], l.b, s, none) {
			if j.offMiddle(l.b, e.at) != 10 {
				to, toSide = append(to, e), append(toSide, s)
			}
		}
	}
	noteX := func(x int) {
		if window.x0 <= x && x <= window.x1 {
			f.xs = append(f.xs, x)
		}
	}
	noteY := func(y int) {
		if window.y0 <= y && y <= window.y1 {
			f.ys = append(f.ys, y)
		}
	}
	note := func(x, y int) {
		noteX(x)
		noteY(y)
	}
	for _, e := range append(slices.Clone(from), to...) {
		note(e.at.X, e.at.Y)
	}
	note((a.midX()+b.midX())/2, (a.midY()+b.midY())/2)
	for v, r := range j.d.at[:j.p.root] {
		if r.meets(window) {
			d := 20
			if j.p.frame(v) {
				d = 12
			}
			note(r.x0-d, r.y0-d)
			note(r.x1+d, r.y1+d)
		}
	}
	for _, r := range j.d.rims {
		if r.meets(window) {
			note(r.x0-12, r.y0-12)
			note(r.x0+12, r.y0+12)
			note(r.x1-12, r.y1-12)
			note(r.x1+12, r.y1+12)
		}
	}
	for k, pts := range j.d.routes {
		if k == i || !j.boxes[k].grow(1).meets(window) {
			continue
		}
		m := &j.p.lines[k]
		shared := m.class == l.class && (m.a == l.a || m.b == l.b)
		for x := 1; x < len(pts); x++ {
			p, q := pts[x-1], pts[x]
			upright := p.X == q.X
			if upright == (p.Y == q.Y) {
				continue
			}
			for _, d := range [...]int{-trackGap, 0, trackGap} {
				switch {
				case d == 0 && !shared:
				case upright:
					noteX(p.X + d)
				default:
					noteY(p.Y + d)
				}
			}
		}
	}
	slices.Sort(f.xs)
	slices.Sort(f.ys)
	f.xs, f.ys = slices.Compact(f.xs), slices.Compact(f.ys)
	n := len(f.xs) * len(f.ys)
	f.flat, f.steep, f.cost = zeroed(f.flat, n), zeroed(f.steep, n), zeroed(f.cost, 4*n)
	f.came = slices.Grow(f.came[:0], 4*n)[:4*n] // each is set before it is read
	f.survey(window)
	return f.search(from, fromSide, to, toSide)
}

// state is a place on the grid and how a line came there, place*4 + heading,
// below what it costs at least to come to the end by it. The order of states
// depends on nothing but what they are.
type state uint64

// frontier is a heap of states, the most promising first.
type frontier []state

func (q *frontier) push(s state) {
	h := append(*q, s)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if h[up] <= s {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = s
	*q = h
}

func (q *frontier) pop() state {
	h := *q
	top := h[0]
	n := len(h) - 1
	s := h[n]
	h = h[:n]
	i := 0
	for k := 1; k < n; k = 2*i + 1 {
		if k+1 < n && h[k+1] < h[k] {
			k++
		}
		if s <= h[k] {
			break
		}
		h[i] = h[k]
		i = k
	}
	if n > 0 {
		h[i] = s
	}
	*q = h
	return top
}

// outward is the heading of a line that leaves by a side.
func outward(s side) int { return int(s) }

// goal is a state in which a way ends, and what it costs to end there.
type goal struct{ at, cost int }

func (f *field) search(from []end, fromSide []side, to []end, toSide []side) []Point {
	j, l := f.j, &f.j.p.lines[f.line]
	w, h := len(f.xs), len(f.ys)
	a, b := j.d.at[l.a], j.d.at[l.b]
	index := func(p Point) (x, y int, ok bool) {
		x, okX := slices.BinarySearch(f.xs, p.X)
		y, okY := slices.BinarySearch(f.ys, p.Y)
		return x, y, okX && okY
	}
	var goals []goal
	for k, e := range to {
		if x, y, ok := index(e.at); ok {
			goals = append(goals, goal{(y*w+x)*4 + outward(toSide[k]) ^ 1, j.offMiddle(l.b, e.at) * 30})
		}
	}
	guess := func(x, y int) int {
		return 6 * (max(0, b.x0-f.xs[x], f.xs[x]-b.x1) + max(0, b.y0-f.ys[y], f.ys[y]-b.y1))
	}
	f.open = f.open[:0]
	q := &f.open
	push := func(x, y, head, c, by int) { // costs are stored with 1 added, so that 0 is none yet
		s := (y*w+x)*4 + head
		if old := f.cost[s]; c < blocked && (old == 0 || int32(c) < old-1) {
			f.cost[s], f.came[s] = int32(c)+1, int32(by)
			q.push(state(c+guess(x, y))<<32 | state(s))
		}
	}
	for k, e := range from {
		if x, y, ok := index(e.at); ok {
			push(x, y, outward(fromSide[k]), j.offMiddle(l.a, e.at)*30, -1)
		}
	}
	best, last := unlimited, -1
	wideA, wideB := a.grow(15), b.grow(15)
	for len(*q) > 0 {
		s := q.pop()
		total, id := int(s>>32), int(s&(1<<32-1))
		at, head := id/4, id%4
		x, y := at%w, at/w
		cost := int(f.cost[id]) - 1
		if total > cost+guess(x, y) {
			continue // it was found at less since
		}
		if total >= best {
			break
		}
		here := Point{f.xs[x], f.ys[y]}
		if b.x0 <= here.X && here.X <= b.x1 && b.y0 <= here.Y && here.Y <= b.y1 && f.came[id] >= 0 {
			if k := slices.IndexFunc(goals, func(g goal) bool { return g.at == id }); k >= 0 && cost+goals[k].cost < best {
				best, last = cost+goals[k].cost, id
				continue
			}
		}
		tight := wideA.holdsPoint(here) || wideB.holdsPoint(here) // a corner would leave no room for the arrow
		for d, step := range heads {
			if d == head^1 || tight && d != head {
				continue
			}
			c := cost
			if d != head {
				c += 1200
			}
			nx, ny := x+step.X, y+step.Y
			if nx < 0 || nx >= w || ny < 0 || ny >= h {
				continue
			}
			t := f.step(min(x, nx), min(y, ny), d < 2)
			if t >= blocked {
				continue
			}
			push(nx, ny, d, c+t, id)
		}
	}
	if last < 0 {
		return nil
	}
	var pts []Point
	for s := last; s >= 0; s = int(f.came[s]) {
		at := s / 4
		pts = append(pts, Point{f.xs[at%w], f.ys[at/w]})
	}
	slices.Reverse(pts)
	return straightened(pts)
}

// survey lists what a way within a window may meet.
func (f *field) survey(window rect) {
	j, l := f.j, &f.j.p.lines[f.line]
	all := &f.all
	j.scan(&f.about, f.line, window.grow(12), j.p.all)
	all.obstacles, all.borders, all.labels = all.obstacles[:0], all.borders[:0], all.labels[:0]
	for _, v := range f.about.leaves {
		all.obstacles = append(all.obstacles, obstacle{j.d.at[v], v == l.a || v == l.b})
	}
	for _, v := range f.about.frames {
		all.borders = append(all.borders, framed{j.d.at[v], j.titles[v], v == l.a || v == l.b, !j.p.within(l.a, v) && !j.p.within(l.b, v)})
	}
	for _, r := range j.d.rims {
		if r.meets(window.grow(12)) {
			all.borders = append(all.borders, framed{rect: r})
		}
	}
	j.cut(&f.about, f.line, f.about.lines, window.grow(12))
	all.pieces = f.about.pieces
	for _, k := range f.about.lines {
		if m := &j.p.lines[k]; m.lw > 0 {
			all.labels = append(all.labels, lettering{j.labelRect(k, j.d.labels[k]).grow(2), j.boxes[k].grow(1)})
		}
	}
	f.rows, f.cols = bands(f.rows, len(f.ys)), bands(f.cols, len(f.xs))
}

func (r rect) holdsPoint(p Point) bool { return r.x0 < p.X && p.X < r.x1 && r.y0 < p.Y && p.Y < r.y1 }

// straightened leaves out what is no corner.
func straightened(pts []Point) []Point {
	out := pts[:1:1]
	for k := 1; k < len(pts); k++ {
		if n := len(out); k+1 < len(pts) && (out[n-1].X == pts[k].X && pts[k].X == pts[k+1].X || out[n-1].Y == pts[k].Y && pts[k].Y == pts[k+1].Y) {
			continue
		}
		out = append(out, pts[k])
	}
	return out
}

// step is what it costs to go from a place on the grid to the next, to the right
// or down: as the judge rates a line, but for its corners.
func (f *field) step(x, y int, flat bool) int {
	here := Point{f.xs[x], f.ys[y]}
	if flat {
		memo := &f.flat[y*len(f.xs)+x]
		if *memo == 0 {
			row := &f.rows[y]
			if !row.known {
				row.fill(&f.all, rect{f.xs[0], here.Y, f.xs[len(f.xs)-1], here.Y})
			}
			*memo = int32(min(blocked, 1+f.rate(rect{here.X, here.Y, f.xs[x+1], here.Y}, true, row)))
		}
		return int(*memo)
	}
	memo := &f.steep[y*len(f.xs)+x]
	if *memo == 0 {
		col := &f.cols[x]
		if !col.known {
			col.fill(&f.all, rect{here.X, f.ys[0], here.X, f.ys[len(f.ys)-1]})
		}
		*memo = int32(min(blocked, 1+f.rate(rect{here.X, here.Y, here.X, f.ys[y+1]}, false, col)))
	}
	return int(*memo)
}

func (f *field) rate(r rect, flat bool, about *band) int {
	long := r.x1 - r.x0 + r.y1 - r.y0
	c := 6 * long
	for k := range about.obstacles {
		o := &about.obstacles[k]
		if !o.grow(7).meets(r) {
			continue
		}
		switch {
		case o.shrink().meets(r):
			return blocked
		case !o.own:
			c += 60 * long
		case (flat && (r.y0 == o.y0 || r.y0 == o.y1) || !flat && (r.x0 == o.x0 || r.x0 == o.x1)) && o.grow(1).meets(r):
			return blocked // along its own side
		}
	}
	for k := range about.borders {
		o := &about.borders[k]
		if !o.grow(8).meets(r) {
			continue
		}
		if (o.own || o.foreign) && o.shrink().meets(r) {
			if o.own {
				return blocked
			}
			c += 40 * long
		}
		if o.title.x1 > o.title.x0 && o.title.meets(r) {
			c += 8000
		}
		if flat && (abs(r.y0-o.y0) < 7 || abs(r.y0-o.y1) < 7) || !flat && (abs(r.x0-o.x0) < 7 || abs(r.x0-o.x1) < 7) {
			c += 120 * long
		}
	}
	wide := r.grow(11)
	bare := f.j.p.lines[f.line].lw == 0
	for k := range about.pieces {
		o := &about.pieces[k]
		if !wide.meets(o.rect) {
			continue
		}
		if o.upright == flat {
			h, v := &r, &o.rect
			if !flat {
				h, v = v, h
			}
			if h.x0 < v.x1+1 && v.x0 < h.x1+1 && v.y0 < h.y1+1 && h.y0 < v.y1+1 && (!o.trunk || h.x0 < v.x0 && v.x0 < h.x1 || v.y0 < h.y0 && h.y0 < v.y1) {
				if o.common {
					c += 2000
				} else {
					c += 5000 // it is met by the pieces to both sides of the crossing
				}
			}
			continue
		}
		apart, along := abs(r.y0-o.y0), min(r.x1, o.x1)-max(r.x0, o.x0)
		if !flat {
			apart, along = abs(r.x0-o.x0), min(r.y1, o.y1)-max(r.y0, o.y0)
		}
		switch {
		case along <= 0:
		case apart == 0 && o.trunk && !o.label && bare:
			c -= 4 * along // shared
		case apart == 0:
			c += 4000 + 200*along
		default:
			c += 1200 + 100*along
		}
	}
	for k := range about.labels {
		if o := &about.labels[k]; o.label.meets(r) && o.line.meets(wide) {
			c += 6000
		}
	}
	return max(0, c)
}
