package arrange

import "slices"

// judge looks at geometry only.
type judge struct {
	p      *problem
	d      *drawing
	leaves []int // from left to right
	widest int   // of them
	page   rect
	titles []rect // by frame
	boxes  []rect // by line: what it spans
	lefts  []int  // of them: where they begin
	list   []int  // of labelled
	field  field  // of the search for ways
	about  scope  // a line
	beside scope  // a label
	wary   bool   // while lines are simplified, labels look for places, too
}

func (p *problem) judge(d *drawing) *judge {
	j := &judge{p: p, d: d, page: rect{1 << 40, 1 << 40, -1 << 40, -1 << 40}, titles: make([]rect, p.root), boxes: make([]rect, len(p.lines))}
	for v := range p.root {
		r := d.at[v]
		j.page = rect{min(j.page.x0, r.x0), min(j.page.y0, r.y0), max(j.page.x1, r.x1), max(j.page.y1, r.y1)}
		switch {
		case !p.frame(v):
			j.leaves = append(j.leaves, v)
			j.widest = max(j.widest, r.x1-r.x0)
		case p.seen(v):
			j.titles[v] = p.titleOf(v, d.at[v])
		}
	}
	slices.SortStableFunc(j.leaves, func(a, b int) int { return d.at[a].x0 - d.at[b].x0 })
	j.lefts = make([]int, len(j.leaves))
	for i, v := range j.leaves {
		j.lefts[i] = d.at[v].x0
	}
	for i := range p.lines {
		j.boxes[i] = around(d.routes[i])
	}
	return j
}

// near are the shapes that may meet r, and some others.
func (j *judge) near(r rect) []int {
	first, _ := slices.BinarySearch(j.lefts, r.x0-j.widest)
	last, _ := slices.BinarySearch(j.lefts, r.x1)
	return j.leaves[first:max(first, last)]
}

// scope is what lies in a part of the page.
type scope struct {
	leaves, frames, lines []int
	others                []int    // of the leaves, but for the ends of the line
	pieces                []course // of some of the lines
}

// course is a piece of a line, as another line sees it.
type course struct {
	rect
	a, b    Point
	slanted bool
	upright bool
	label   bool // the line has one
	common  bool // the lines have a common end
	trunk   bool // they may share a trunk
}

// scan lists what may meet r, lines out of some of them, but for line i.
func (j *judge) scan(s *scope, i int, r rect, lines []int) {
	l := &j.p.lines[i]
	s.leaves, s.others, s.frames, s.lines = s.leaves[:0], s.others[:0], s.frames[:0], s.lines[:0]
	for _, v := range j.near(r) {
		if j.d.at[v].meets(r) {
			s.leaves = append(s.leaves, v)
			if v != l.a && v != l.b {
				s.others = append(s.others, v)
			}
		}
	}
	for _, v := range j.p.frames {
		if j.d.at[v].meets(r) || j.titles[v].meets(r) {
			s.frames = append(s.frames, v)
		}
	}
	wide := r.grow(1) // lines have no breadth
	for _, k := range lines {
		if j.boxes[k].meets(wide) && k != i && len(j.d.routes[k]) > 0 {
			s.lines = append(s.lines, k)
		}
	}
}

// cut lists the pieces of lines that may meet r, as line i sees them.
func (j *judge) cut(s *scope, i int, lines []int, r rect) {
	s.pieces = s.pieces[:0]
	wide := r.grow(1)
	li := &j.p.lines[i]
	for _, k := range lines {
		if !j.boxes[k].meets(wide) {
			continue
		}
		lk, pts := &j.p.lines[k], j.d.routes[k]
		common := li.a == lk.a || li.b == lk.b || li.a == lk.b || li.b == lk.a
		trunk := (li.a == lk.a || li.b == lk.b) && li.class == lk.class
		for x := 1; x < len(pts); x++ {
			a, b := pts[x-1], pts[x]
			if q := piece(a, b); q.meets(wide) {
				s.pieces = append(s.pieces, course{q, a, b, slanted(a, b), a.X == b.X, lk.lw > 0, common, trunk})
			}
		}
	}
}

// titleOf is where a frame's title stands.
func (p *problem) titleOf(v int, r rect) rect {
	s := &p.shapes[v]
	long, high := s.titleW, s.title
	if long == 0 || high == 0 {
		return rect{}
	}
	switch p.dir {
	case TB:
		return rect{r.x0, r.y0 + 10, r.x0 + high, r.y0 + 10 + long}
	case BT:
		return rect{r.x1 - high, r.y0 + 10, r.x1, r.y0 + 10 + long}
	case RL:
		return rect{r.x1 - 10 - long, r.y0, r.x1 - 10, r.y0 + high}
	}
	return rect{r.x0 + 10, r.y0, r.x0 + 10 + long, r.y0 + high}
}

func around(pts []Point) rect {
	if len(pts) == 0 {
		return rect{}
	}
	r := rect{pts[0].X, pts[0].Y, pts[0].X, pts[0].Y}
	for _, q := range pts[1:] {
		r = rect{min(r.x0, q.X), min(r.y0, q.Y), max(r.x1, q.X), max(r.y1, q.Y)}
	}
	return r
}

// score rates all.
func (j *judge) score() Score {
	var out Score
	s := tally{parts: &out}
	j.rateShapes(&s)
	j.rateFlow(&s)
	for i := range j.p.lines {
		pts := j.d.routes[i]
		if len(pts) == 0 {
			continue
		}
		j.rateCourse(i, pts, &s)
		j.scan(&j.about, i, j.boxes[i].grow(8), nil)
		j.rateLine(i, pts, &s, unlimited)
		j.cut(&j.about, i, j.p.all[:i], j.boxes[i].grow(11))
		ratePieces(pts, j.about.pieces, &s, unlimited)
	}
	j.rateLabels(&s)
	out.Total = s.total
	return out
}

// shrink is r without its rim.
func (r rect) shrink() rect { return r.grow(-1) }

func piece(a, b Point) rect {
	x, y := a.X-b.X, a.Y-b.Y
	x, y = x&(x>>63), y&(y>>63)
	return rect{b.X + x, b.Y + y, a.X - x, a.Y - y}
}

// slanted reports whether a piece is neither upright nor level. What is drawn
// here never is; what others drew may be.
func slanted(a, b Point) bool { return a.X != b.X && a.Y != b.Y }

// cutBy reports whether a piece meets the inside of r.
func (r rect) cutBy(a, b Point) bool {
	if !r.meets(piece(a, b)) {
		return false
	}
	if !slanted(a, b) {
		return true
	}
	left, right := false, false // corners to both sides of the line
	for _, q := range [4]Point{{r.x0, r.y0}, {r.x1, r.y0}, {r.x0, r.y1}, {r.x1, r.y1}} {
		s := turns(a, b, q)
		left, right = left || s > 0, right || s < 0
	}
	return left && right
}

// turns is positive where c lies to one side of the line from a to b, negative
// on the other, 0 on it.
func turns(a, b, c Point) int { return (b.X-a.X)*(c.Y-a.Y) - (b.Y-a.Y)*(c.X-a.X) }

// cross reports whether two pieces cross, not only touch.
func cross(a, b, c, d Point) bool {
	s, t := turns(a, b, c), turns(a, b, d)
	u, v := turns(c, d, a), turns(c, d, b)
	return (s < 0) != (t < 0) && (u < 0) != (v < 0) && s != 0 && t != 0 && u != 0 && v != 0
}

// rateCourse rates what a line is by itself.
func (j *judge) rateCourse(i int, pts []Point, s *tally) {
	l := &j.p.lines[i]
	n := len(pts)
	bends, length := n-2, 0
	for k := 1; k < n; k++ {
		length += pts[k-1].to(pts[k])
	}
	short := (pts[0].to(pts[1])-16)>>63 + (pts[n-2].to(pts[n-1])-16)>>63
	if n == 2 {
		short /= 2
	}
	long := max(0, length-abs(pts[0].X-pts[n-1].X)*8/10)
	off := j.offMiddle(l.a, pts[0]) + j.offMiddle(l.b, pts[n-1])
	if s.parts == nil && !j.p.main[i] { // in one go: jumps are what is slow in WebAssembly
		s.total += bends*1200 - short*3000 + long*6 + off*30
		return
	}
	s.add(Bends, bends, bends*1200)
	if j.p.main[i] {
		s.add(MainBent, bends, bends*3000)
	}
	s.add(ShortEnds, -short, -short*3000)
	s.add(Length, length, long*6)
	s.add(OffMiddle, off, off*30)
}

// to is how long an upright or level piece is.
func (p Point) to(q Point) int { return abs(q.X-p.X) + abs(q.Y-p.Y) }

// rateLine rates one line against what j.about lists. It gives up beyond a limit.
func (j *judge) rateLine(i int, pts []Point, s *tally, limit int) {
	l := &j.p.lines[i]
	if !j.joined(i, pts) {
		s.add(OffTrunk, 1, 4000)
	}
	j.rateEnd(l.a, pts, true, l.a == l.b, s)
	if l.a != l.b {
		j.rateEnd(l.b, pts, false, true, s)
	}
	if s.total > limit {
		return
	}
	box := around(pts).grow(8)
	for _, v := range j.about.others {
		r := j.d.at[v]
		if !box.meets(r) {
			continue
		}
		inner, rim := r.shrink(), r.grow(7)
		hit, hugs := 0, 0 // below 0 where it is; counted downwards
		for k := 1; k < len(pts); k++ {
			a, b := pts[k-1], pts[k]
			if slanted(a, b) {
				hit |= boolSign(inner.cutBy(a, b))
				continue
			}
			q := piece(a, b)
			in := inner.inside(q)
			hit |= in
			hugs += (rim.inside(q) &^ in) >> 63
		}
		if hit < 0 {
			s.add(Through, 1, 200_000)
		}
		s.add(Hugs, -hugs, -hugs*6000)
		if s.total > limit {
			return
		}
	}
	for _, f := range j.about.frames {
		r := j.d.at[f]
		if !box.meets(r) {
			continue
		}
		inner, title := r.shrink(), j.titles[f]
		in, over := 0, 0
		for k := 1; k < len(pts); k++ {
			a, b := pts[k-1], pts[k]
			if slanted(a, b) {
				in |= boolSign(inner.cutBy(a, b))
				over |= boolSign(title.x1 > title.x0 && title.cutBy(a, b))
				continue
			}
			q := piece(a, b)
			in |= inner.inside(q)
			over |= title.inside(q) & (title.x0 - title.x1)
		}
		if in < 0 {
			if f == l.a || f == l.b {
				s.add(OwnEnd, 1, 100_000)
			} else if !j.p.within(l.a, f) && !j.p.within(l.b, f) {
				s.add(Foreign, 1, 6000)
			}
		}
		if over < 0 {
			s.add(OnTitle, 1, 8000)
		}
		on := r.hugged(pts)
		s.add(OnBorder, on, on*12000)
	}
	for _, r := range j.d.rims {
		if box.meets(r) {
			on := r.hugged(pts)
			s.add(OnBorder, on, on*12000)
		}
	}
}

// hugged counts the pieces that run along a border of r.
func (r rect) hugged(pts []Point) int {
	on := 0
	for k := 1; k < len(pts); k++ {
		a, b := pts[k-1], pts[k]
		if slanted(a, b) {
			continue
		}
		q := piece(a, b)
		// within 7 of an upright border along more than 7 of it, or of a level one
		upright, level := abs(a.X-b.X)-1, abs(a.Y-b.Y)-1
		nearX := (abs(a.X-r.x0) - 7) | (abs(a.X-r.x1) - 7)
		nearY := (abs(a.Y-r.y0) - 7) | (abs(a.Y-r.y1) - 7)
		alongX := (q.x0 + 7 - q.x1) & (r.x0 + 7 - q.x1) & (q.x0 + 7 - r.x1) & (r.x0 + 7 - r.x1)
		alongY := (q.y0 + 7 - q.y1) & (r.y0 + 7 - q.y1) & (q.y0 + 7 - r.y1) & (r.y0 + 7 - r.y1)
		on -= (upright&nearX&alongY | level&nearY&alongX) >> 63
	}
	return on
}

// boolSign is below 0 for true.
func boolSign(b bool) int {
	if b {
		return -1
	}
	return 0
}

// rateEnd rates a line against the shape at its first end, its last, or both.
func (j *judge) rateEnd(v int, pts []Point, first, last bool, s *tally) {
	if j.p.frame(v) {
		return
	}
	r := j.d.at[v]
	inner, rim := r.shrink(), r.grow(7)
	hit, hugs := false, 0
	for k := 1; k < len(pts); k++ {
		a, b := pts[k-1], pts[k]
		q := piece(a, b)
		if !rim.meets(q) {
			continue
		}
		switch {
		case slanted(a, b):
			hit = hit || inner.cutBy(a, b) && len(pts) != 2
		case inner.meets(q):
			hit = true
		case first && k == 1 || last && k == len(pts)-1:
			if (q.x0 == q.x1 && (q.x0 == r.x0 || q.x0 == r.x1) || q.y0 == q.y1 && (q.y0 == r.y0 || q.y0 == r.y1)) && r.grow(1).meets(q) {
				along := q.x0 == q.x1 && q.y1-q.y0 > 0 && q.y0 < r.y1-1 && q.y1 > r.y0+1
				across := q.y0 == q.y1 && q.x1-q.x0 > 0 && q.x0 < r.x1-1 && q.x1 > r.x0+1
				if along || across {
					hugs++
				}
			}
		default:
			hugs++
		}
	}
	if hit {
		s.add(OwnEnd, 1, 100_000)
	}
	s.add(Hugs, hugs, hugs*6000)
}

// joined reports whether a line shares an end with one of its mates, if it has
// any.
func (j *judge) joined(i int, pts []Point) bool {
	some := false
	dir := j.heading(i)
	if dir == 0 {
		return true
	}
	for _, k := range j.p.mates[i] {
		q := j.d.routes[k]
		if len(q) == 0 || j.heading(k) != dir {
			continue
		}
		some = true
		if j.p.lines[k].a == j.p.lines[i].a && q[0] == pts[0] || j.p.lines[k].b == j.p.lines[i].b && q[len(q)-1] == pts[len(pts)-1] {
			return true
		}
	}
	return !some
}

// heading is 1 for a line to a column to the right, -1 to the left, 0 within a
// column.
func (j *judge) heading(i int) int {
	a, b := j.d.at[j.p.lines[i].a], j.d.at[j.p.lines[i].b]
	switch {
	case a.x1 <= b.x0:
		return 1
	case b.x1 <= a.x0:
		return -1
	}
	return 0
}

// offMiddle is how far a line's end is off the middle of its side.
func (j *judge) offMiddle(v int, q Point) int {
	r := j.d.at[v]
	if j.p.frame(v) {
		return 0
	}
	if q.X == r.x0 || q.X == r.x1 {
		return abs(q.Y - r.midY())
	}
	return abs(q.X - r.midX())
}

// ratePieces rates a line against pieces of others. It gives up beyond a limit.
func ratePieces(pts []Point, pieces []course, s *tally, limit int) {
	for x := 1; x < len(pts) && s.total <= limit; x++ {
		a, b := pts[x-1], pts[x]
		p := piece(a, b)
		near := p.grow(12)
		upright, askew := a.X == b.X, slanted(a, b)
		for y := range pieces {
			q := &pieces[y]
			if !near.meets(q.rect) {
				continue
			}
			switch {
			case askew || q.slanted:
				if cross(a, b, q.a, q.b) {
					s.crossing(q.common)
				} else if p == q.rect && turns(a, b, q.b) == 0 && turns(a, b, q.a) == 0 {
					s.add(Close, 1, 40_000)
				}
			case upright != q.upright:
				h, v := &q.rect, &p
				if !upright {
					h, v = v, h
				}
				if h.x0 < v.x0 && v.x0 < h.x1 && v.y0 < h.y0 && h.y0 < v.y1 {
					s.crossing(q.common)
				} else if !q.trunk && h.x0 <= v.x0 && v.x0 <= h.x1 && v.y0 <= h.y0 && h.y0 <= v.y1 {
					s.add(Close, 1, 12_000) // a corner of one on the other
				}
			default:
				apart, along := abs(p.y0-q.y0), min(p.x1, q.x1)-max(p.x0, q.x0)
				if upright {
					apart, along = abs(p.x0-q.x0), min(p.y1, q.y1)-max(p.y0, q.y0)
				}
				switch {
				case apart >= 11 || along <= 2:
				case apart == 0 && q.trunk:
				case apart == 0:
					s.add(Close, 1, 40_000)
				default:
					s.add(Close, 1, 12_000)
				}
			}
		}
	}
}

// crossing adds one of two lines, which may have a common end.
func (t *tally) crossing(common bool) {
	if common {
		t.add(Forks, 1, 4000)
	} else {
		t.add(Crossings, 1, 10_000)
	}
}

// rateShapes rates boxes, frames and the page.
func (j *judge) rateShapes(s *tally) {
	p, at := j.p, j.d.at
	page := j.page
	note := func(r rect) {
		page = rect{min(page.x0, r.x0), min(page.y0, r.y0), max(page.x1, r.x1), max(page.y1, r.y1)}
	}
	for _, pts := range j.d.routes {
		for _, q := range pts {
			note(rect{q.X, q.Y, q.X, q.Y})
		}
	}
	for x, v := range j.leaves {
		r := at[v]
		first, _ := slices.BinarySearch(j.lefts[:x], r.x0-j.widest)
		for _, w := range j.leaves[first:x] {
			if r.meets(at[w]) {
				s.add(Overlaps, 1, 1000_000)
			}
		}
		for f := p.shapes[v].parent; f != p.root; f = p.shapes[f].parent {
			if !p.shapes[f].hidden && !at[f].holds(r) {
				s.add(Strays, 1, 1000_000)
			}
		}
		for _, f := range j.p.frames {
			if r.meets(at[f]) && !p.within(v, f) {
				s.add(Overlaps, 1, 1000_000)
			}
		}
	}
	for x, f := range j.p.frames {
		for _, g := range j.p.frames[:x] {
			if at[f].meets(at[g]) && !p.within(f, g) && !p.within(g, f) {
				s.add(Overlaps, 1, 1000_000)
			}
		}
		j.rateGroup(f, s)
	}
	units := p.shapes[p.root].kids
	for x, u := range units {
		for _, v := range units[:x] {
			if p.seen(u) && p.seen(v) && at[u].x0 < at[v].x1 && at[v].x0 < at[u].x1 && at[v].y0 > at[u].y0 {
				s.add(Disorder, 1, 3000)
			}
		}
	}
	s.add(Uneven, 1, j.uneven())
	w, h := page.x1-page.x0, page.y1-page.y0
	lo, hi := p.aspects()
	if p.upright() {
		w, h = h, w
	}
	w, h = max(w, 1), max(h, 1)
	switch {
	case w*100 > h*hi:
		s.add(Aspect, w*100/h, 60*logMilli(w*100, h*hi))
	case w*100 < h*lo:
		s.add(Aspect, w*100/h, 60*logMilli(h*lo, w*100))
	default:
		s.add(Aspect, w*100/h, 0)
	}
	side := root(w * h)
	s.add(Size, side, side*25)
}

// aspects are the least and the greatest ratio, in per cent, of a page's width
// to its height that look right.
func (p *problem) aspects() (least, most int) {
	switch {
	case !p.upright():
		return 130, 220
	case len(p.frames) == 0:
		return 40, 200
	}
	return 80, 190
}

// uneven is the cost of groups beside each other that begin or end at different
// heights.
func (j *judge) uneven() int {
	p, at := j.p, j.d.at
	var tops, bottoms []int
	units := p.shapes[p.root].kids
	for _, u := range units {
		if !p.seen(u) {
			continue
		}
		top, bottom := true, true
		for _, v := range units {
			if p.seen(v) && v != u && at[u].x0 < at[v].x1 && at[v].x0 < at[u].x1 {
				top = top && at[v].y0 > at[u].y0
				bottom = bottom && at[v].y0 < at[u].y0
			}
		}
		if top {
			tops = append(tops, at[u].y0)
		}
		if bottom {
			bottoms = append(bottoms, at[u].y1)
		}
	}
	slices.Sort(tops)
	slices.Sort(bottoms)
	return max(0, len(slices.Compact(tops))-1)*4000 + max(0, len(slices.Compact(bottoms))-1)*3000
}

// rateGroup rates how the members of a frame lie.
func (j *judge) rateGroup(f int, s *tally) {
	p, at := j.p, j.d.at
	var xs []rect
	area := 0
	for _, v := range j.leaves {
		if p.within(v, f) {
			area += (at[v].x1 - at[v].x0) * (at[v].y1 - at[v].y0)
		}
		if p.shapes[v].parent == f {
			xs = append(xs, at[v])
		}
	}
	if len(xs) > 0 {
		slices.SortFunc(xs, func(a, b rect) int { return a.midX() - b.midX() })
		var cols []int
		right := -1 << 40
		for _, r := range xs {
			if r.x0 >= right {
				cols = append(cols, 0)
				right = r.x1
			}
			right = max(right, r.x1)
			cols[len(cols)-1]++
		}
		s.add(Ragged, len(cols)-1, 7000*(len(cols)-1)+1000*min(3, slices.Max(cols)-slices.Min(cols)))
	}
	if r := at[f]; area > 0 {
		if size := (r.x1 - r.x0) * (r.y1 - r.y0); size > 3*area {
			over := (size - 3*area) * 1000 / (3 * area)
			s.add(Hollow, 1, 8*min(over, 4000))
		}
	}
}

// rateFlow rates where lines lead.
func (j *judge) rateFlow(s *tally) {
	p, at := j.p, j.d.at
	seen := map[[2]int]bool{}
	next := j.channels()
	for i := range p.lines {
		l := &p.lines[i]
		if l.skip || l.loose || len(j.d.routes[i]) == 0 {
			continue
		}
		if next(i) {
			s.add(Rows, 1, 14_000)
			continue
		}
		a, b := at[l.a], at[l.b]
		u, v := p.shapes[l.a].unit, p.shapes[l.b].unit
		if u == v {
			switch {
			case a.x0 >= b.x1:
				s.add(Against, 1, 6000)
			case a.x1 > b.x0 && a.y0 >= b.y1:
				s.add(Against, 1, 8000)
			}
			continue
		}
		pair := [2]int{u, v}
		switch {
		case at[u].x0 >= at[v].x1:
			s.add(Against, 1, 4000)
			if !seen[pair] && p.cycle[u] != p.cycle[v] {
				s.add(Reversed, 1, 30_000)
			}
		case at[u].x1 > at[v].x0:
			if len(p.frames) > 0 {
				s.add(Against, 1, 2500)
			} else {
				s.add(Against, 1, 12_000) // then columns are all the order there is
			}
			if !seen[pair] && !seen[[2]int{v, u}] && p.seen(u) && p.seen(v) {
				if p.satellite(v) {
					s.add(Shared, 1, 1000)
				} else {
					s.add(Shared, 1, 25_000)
				}
			}
		}
		seen[pair] = true
	}
}

// channels tells the lines that lead on from a row to the next: back, between
// all that lies above and all that lies below.
func (j *judge) channels() func(line int) bool {
	var spans [][2]int // heights that shapes take
	for v := range j.p.root {
		spans = append(spans, [2]int{j.d.at[v].y0, j.d.at[v].y1})
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	var gaps [][2]int
	bottom := -unlimited
	for _, s := range spans {
		if bottom > -unlimited && s[0]-bottom >= rowGap {
			gaps = append(gaps, [2]int{bottom, s[0]})
		}
		bottom = max(bottom, s[1])
	}
	return func(i int) bool {
		l, pts := &j.p.lines[i], j.d.routes[i]
		a, b := j.d.at[l.a], j.d.at[l.b]
		for _, g := range gaps {
			if a.y1 > g[0] || b.y0 < g[1] {
				continue
			}
			for k := 1; k < len(pts); k++ {
				if y := pts[k].Y; y == pts[k-1].Y && g[0] < y && y < g[1] && pts[k-1].X-pts[k].X > (j.page.x1-j.page.x0)/3 {
					return true
				}
			}
		}
		return false
	}
}

// logMilli is the natural logarithm of a/b ≥ 1 in thousandths.
func logMilli(a, b int) int {
	const one = 1 << 20
	sum := 0
	for a > 2*b {
		b *= 2
		sum += 726817 // ln 2
	}
	z := (a - b) * one / (a + b)
	term := z
	for k := 1; k < 12; k += 2 {
		sum += 2 * term / k
		term = term * z / one * z / one
	}
	return sum * 1000 / one
}

// root is the whole square root.
func root(n int) int {
	if n <= 0 {
		return 0
	}
	x := n
	for y := (x + 1) / 2; y < x; {
		x = y
		y = (x + n/x) / 2
	}
	return x
}
