package arrange

import "slices"

// judge rates a drawing. It looks at geometry only.
type judge struct {
	p          *problem
	d          *drawing
	leaves     []int // shapes that are not frames, from left to right
	widest     int   // width of the widest of leaves
	page       rect
	titles     []rect // by frame
	boxes      []rect // by line: the bounds of its route
	lefts      []int  // the left side of each of leaves
	list       []int  // buffer of labelledLines
	field      field  // of the search for routes
	nearLine   scope  // what surrounds the line that is rated
	nearLabel  scope  // what surrounds the label that is placed
	withLabels bool   // the cost of a line includes that of the best position of its label
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
		case p.visibleFrame(v):
			j.titles[v] = p.titleOf(v, d.at[v])
		}
	}
	slices.SortStableFunc(j.leaves, func(a, b int) int { return d.at[a].x0 - d.at[b].x0 })
	j.lefts = make([]int, len(j.leaves))
	for i, v := range j.leaves {
		j.lefts[i] = d.at[v].x0
	}
	for i := range p.lines {
		j.boxes[i] = bounds(d.routes[i])
	}
	return j
}

// near lists the shapes that may overlap r, and some others.
func (j *judge) near(r rect) []int {
	first, _ := slices.BinarySearch(j.lefts, r.x0-j.widest)
	last, _ := slices.BinarySearch(j.lefts, r.x1)
	return j.leaves[first:max(first, last)]
}

// scope is what overlaps a part of the page.
type scope struct {
	leaves, frames, lines []int
	others                []int       // leaves other than the ends of the line
	pieces                []linePiece // of some lines
}

// linePiece is a piece of a line as another line sees it.
type linePiece struct {
	rect
	a, b     Point
	slanted  bool
	vertical bool
	label    bool // its line has a label
	common   bool // both lines have a common end
	trunk    bool // both lines may share a trunk
}

// scan lists what may overlap r. Lines are taken from a list, without line i.
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
	wide := r.grow(1) // lines have no width, so touching counts
	for _, k := range lines {
		if j.boxes[k].meets(wide) && k != i && len(j.d.routes[k]) > 0 {
			s.lines = append(s.lines, k)
		}
	}
}

// listPieces lists the pieces of some lines that may overlap r, as line i sees them.
func (j *judge) listPieces(s *scope, i int, lines []int, r rect) {
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
				s.pieces = append(s.pieces, linePiece{q, a, b, slanted(a, b), a.X == b.X, lk.lw > 0, common, trunk})
			}
		}
	}
}

// titleOf is the rectangle of a frame's title.
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

// score rates the whole drawing.
func (j *judge) score() Score {
	var out Score
	s := tally{score: &out}
	j.rateShapes(&s)
	j.rateFlow(&s)
	for i := range j.p.lines {
		pts := j.d.routes[i]
		if len(pts) == 0 {
			continue
		}
		j.rateAlone(i, pts, &s)
		j.scan(&j.nearLine, i, j.boxes[i].grow(8), nil)
		j.rateLine(i, pts, &s, unlimited)
		j.listPieces(&j.nearLine, i, j.p.all[:i], j.boxes[i].grow(11))
		ratePieces(pts, j.nearLine.pieces, &s, unlimited)
	}
	j.rateLabels(&s)
	out.Total = s.total
	return out
}
