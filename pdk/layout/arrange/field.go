package arrange

import "slices"

// field is the grid on which the search looks for a route: lines beside shapes and other lines, and through their
// middles.
type field struct {
	j         *judge
	line      int
	xs, ys    []int
	costRight []int32 // by y and x: 1 more than the cost of the step to the right, 0 if not known yet
	costDown  []int32 // the same of the step down
	cost      []int32 // by state of the search: see cheaper
	cameFrom  []int32
	open      frontier
	from      []exit
	to        []exit
	scope     scope
	all       band   // everything in the window
	rows      []band // by y
	cols      []band // by x
}

// exit is a place on a side where the line may leave its first shape or enter its last one.
type exit struct {
	at   Point
	side side
}

// band is what a route may meet along a row or a column of the grid.
type band struct {
	known     bool // it is filled
	obstacles []obstacle
	borders   []frameArea
	pieces    []linePiece
	labels    []labelArea
}

// obstacle is a shape that a route may meet.
type obstacle struct {
	rect
	own bool // an end of the line
}

// frameArea is a frame that a route may meet.
type frameArea struct {
	rect
	title   rect
	own     bool // an end of the line
	foreign bool // holds neither end of the line
}

// labelArea is the label of a line, and the bounds of the line.
type labelArea struct{ label, line rect }

// emptyBands returns n bands that are not filled, reusing buf.
func emptyBands(buf []band, n int) []band {
	buf = slices.Grow(buf[:0], n)[:n]
	for i := range buf {
		buf[i].known = false
	}
	return buf
}

// fill copies from all what may overlap r.
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

// zeroes returns n zeroes, reusing buf if it is large enough.
func zeroes(buf []int32, n int) []int32 {
	if cap(buf) < n {
		return make([]int32, n)
	}
	buf = buf[:n]
	clear(buf)
	return buf
}

// routeWithin looks for a route that stays within room of the box around both ends. It returns nil if there is none.
func (j *judge) routeWithin(i, room int) []Point {
	l := &j.p.lines[i]
	a, b := j.d.at[l.a], j.d.at[l.b]
	window := a.union(b).grow(room)
	f := &j.field
	f.j, f.line, f.xs, f.ys = j, i, f.xs[:0], f.ys[:0]
	none := Point{-unlimited, -unlimited}
	var places [6]end
	f.from, f.to = f.from[:0], f.to[:0]
	for s := left; s <= below; s++ { // the places next to the middle are left to improveRoute
		for _, e := range j.ends(places[:0], l.a, s, none) {
			if j.offMiddle(l.a, e.at) != 10 {
				f.from = append(f.from, exit{e.at, s})
			}
		}
		for _, e := range j.ends(places[:0], l.b, s, none) {
			if j.offMiddle(l.b, e.at) != 10 {
				f.to = append(f.to, exit{e.at, s})
			}
		}
	}
	for _, list := range [2][]exit{f.from, f.to} {
		for _, e := range list {
			f.add(window, e.at.X, e.at.Y)
		}
	}
	f.add(window, (a.midX()+b.midX())/2, (a.midY()+b.midY())/2)
	f.addBesideShapes(window)
	f.addBesideLines(window)
	slices.Sort(f.xs)
	slices.Sort(f.ys)
	f.xs, f.ys = slices.Compact(f.xs), slices.Compact(f.ys)
	n := len(f.xs) * len(f.ys)
	f.costRight, f.costDown, f.cost = zeroes(f.costRight, n), zeroes(f.costDown, n), zeroes(f.cost, 4*n)
	f.cameFrom = slices.Grow(f.cameFrom[:0], 4*n)[:4*n] // each is set before it is read
	f.survey(window)
	return f.search()
}

// add adds grid lines through x and y, each if it runs through the window.
func (f *field) add(window rect, x, y int) {
	f.addX(window, x)
	f.addY(window, y)
}

func (f *field) addX(window rect, x int) {
	if window.x0 <= x && x <= window.x1 {
		f.xs = append(f.xs, x)
	}
}

func (f *field) addY(window rect, y int) {
	if window.y0 <= y && y <= window.y1 {
		f.ys = append(f.ys, y)
	}
}

// addBesideShapes adds grid lines beside the shapes, frames and borders in the window.
func (f *field) addBesideShapes(window rect) {
	j := f.j
	for v, r := range j.d.at[:j.p.root] {
		if r.meets(window) {
			d := 20
			if j.p.frame(v) {
				d = 12
			}
			f.add(window, r.x0-d, r.y0-d)
			f.add(window, r.x1+d, r.y1+d)
		}
	}
	for _, r := range j.d.borders {
		if r.meets(window) {
			f.add(window, r.x0-12, r.y0-12)
			f.add(window, r.x0+12, r.y0+12)
			f.add(window, r.x1-12, r.y1-12)
			f.add(window, r.x1+12, r.y1+12)
		}
	}
}

// addBesideLines adds grid lines beside the other lines in the window, and on those with which the line may share a
// trunk.
func (f *field) addBesideLines(window rect) {
	j := f.j
	l := &j.p.lines[f.line]
	for k, pts := range j.d.routes {
		if k == f.line || !j.boxes[k].grow(1).meets(window) {
			continue
		}
		m := &j.p.lines[k]
		shared := m.class == l.class && (m.a == l.a || m.b == l.b)
		for x := 1; x < len(pts); x++ {
			p, q := pts[x-1], pts[x]
			vertical := p.X == q.X
			if vertical == (p.Y == q.Y) {
				continue
			}
			for _, d := range [...]int{-trackGap, 0, trackGap} {
				switch {
				case d == 0 && !shared:
				case vertical:
					f.addX(window, p.X+d)
				default:
					f.addY(window, p.Y+d)
				}
			}
		}
	}
}

// survey lists what a route within a window may meet.
func (f *field) survey(window rect) {
	j, l := f.j, &f.j.p.lines[f.line]
	all := &f.all
	j.scan(&f.scope, f.line, window.grow(12), j.p.all)
	all.obstacles, all.borders, all.labels = all.obstacles[:0], all.borders[:0], all.labels[:0]
	for _, v := range f.scope.leaves {
		all.obstacles = append(all.obstacles, obstacle{j.d.at[v], v == l.a || v == l.b})
	}
	for _, v := range f.scope.frames {
		all.borders = append(all.borders, frameArea{j.d.at[v], j.titles[v], v == l.a || v == l.b, !j.p.within(l.a, v) && !j.p.within(l.b, v)})
	}
	for _, r := range j.d.borders {
		if r.meets(window.grow(12)) {
			all.borders = append(all.borders, frameArea{rect: r})
		}
	}
	j.listPieces(&f.scope, f.line, f.scope.lines, window.grow(12))
	all.pieces = f.scope.pieces
	for _, k := range f.scope.lines {
		if m := &j.p.lines[k]; m.lw > 0 {
			all.labels = append(all.labels, labelArea{j.labelRect(k, j.d.labels[k]).grow(2), j.boxes[k].grow(1)})
		}
	}
	f.rows, f.cols = emptyBands(f.rows, len(f.ys)), emptyBands(f.cols, len(f.xs))
}

// step is the cost of going from a point of the grid to the next one, to the right or down. It is rated like a line by
// the judge, except for corners.
func (f *field) step(x, y int, horizontal bool) int {
	here := Point{f.xs[x], f.ys[y]}
	if horizontal {
		memo := &f.costRight[y*len(f.xs)+x]
		if *memo == 0 {
			row := &f.rows[y]
			if !row.known {
				row.fill(&f.all, rect{f.xs[0], here.Y, f.xs[len(f.xs)-1], here.Y})
			}
			*memo = int32(min(blocked, 1+f.rate(rect{here.X, here.Y, f.xs[x+1], here.Y}, true, row)))
		}
		return int(*memo)
	}
	memo := &f.costDown[y*len(f.xs)+x]
	if *memo == 0 {
		col := &f.cols[x]
		if !col.known {
			col.fill(&f.all, rect{here.X, f.ys[0], here.X, f.ys[len(f.ys)-1]})
		}
		*memo = int32(min(blocked, 1+f.rate(rect{here.X, here.Y, here.X, f.ys[y+1]}, false, col)))
	}
	return int(*memo)
}

// rate is the cost of a piece r.
func (f *field) rate(r rect, horizontal bool, about *band) int {
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
		case (horizontal && (r.y0 == o.y0 || r.y0 == o.y1) || !horizontal && (r.x0 == o.x0 || r.x0 == o.x1)) && o.grow(1).meets(r):
			return blocked // along the side of its own end
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
		if horizontal && (abs(r.y0-o.y0) < 7 || abs(r.y0-o.y1) < 7) || !horizontal && (abs(r.x0-o.x0) < 7 || abs(r.x0-o.x1) < 7) {
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
		if o.vertical == horizontal {
			h, v := &r, &o.rect
			if !horizontal {
				h, v = v, h
			}
			if h.x0 < v.x1+1 && v.x0 < h.x1+1 && v.y0 < h.y1+1 && h.y0 < v.y1+1 && (!o.trunk || h.x0 < v.x0 && v.x0 < h.x1 || v.y0 < h.y0 && h.y0 < v.y1) {
				if o.common {
					c += 2000
				} else {
					c += 5000 // half: the pieces on both sides of the crossing meet it
				}
			}
			continue
		}
		apart, along := abs(r.y0-o.y0), min(r.x1, o.x1)-max(r.x0, o.x0)
		if !horizontal {
			apart, along = abs(r.x0-o.x0), min(r.y1, o.y1)-max(r.y0, o.y0)
		}
		switch {
		case along <= 0:
		case apart == 0 && o.trunk && !o.label && bare:
			c -= 4 * along // a shared trunk
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
