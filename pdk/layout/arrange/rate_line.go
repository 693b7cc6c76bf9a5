package arrange

// rateAlone rates a line regardless of everything but its ends.
func (j *judge) rateAlone(i int, pts []Point, s *tally) {
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
	if s.score == nil && !j.p.main[i] { // in one expression, because jumps are slow in WebAssembly
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

// rateLine rates a line against j.nearLine. It stops early once the total exceeds limit.
func (j *judge) rateLine(i int, pts []Point, s *tally, limit int) {
	l := &j.p.lines[i]
	if !j.sharesTrunk(i, pts) {
		s.add(OffTrunk, 1, 4000)
	}
	j.rateEnd(l.a, pts, true, l.a == l.b, s)
	if l.a != l.b {
		j.rateEnd(l.b, pts, false, true, s)
	}
	if s.total > limit {
		return
	}
	box := bounds(pts).grow(8)
	for _, v := range j.nearLine.others {
		r := j.d.at[v]
		if !box.meets(r) {
			continue
		}
		inner, rim := r.shrink(), r.grow(7)
		hit, hugs := 0, 0 // hit is below 0 if the line runs through the shape; hugs counts downwards
		for k := 1; k < len(pts); k++ {
			a, b := pts[k-1], pts[k]
			if slanted(a, b) {
				hit |= boolSign(inner.cutBy(a, b))
				continue
			}
			q := piece(a, b)
			in := inner.overlapSign(q)
			hit |= in
			hugs += (rim.overlapSign(q) &^ in) >> 63
		}
		if hit < 0 {
			s.add(Through, 1, 200_000)
		}
		s.add(Hugs, -hugs, -hugs*6000)
		if s.total > limit {
			return
		}
	}
	for _, f := range j.nearLine.frames {
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
			in |= inner.overlapSign(q)
			over |= title.overlapSign(q) & (title.x0 - title.x1)
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
		on := r.countAlong(pts)
		s.add(OnBorder, on, on*12000)
	}
	for _, r := range j.d.borders {
		if box.meets(r) {
			on := r.countAlong(pts)
			s.add(OnBorder, on, on*12000)
		}
	}
}

// rateEnd rates a line against shape v, at its first end, its last end, or both.
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

// sharesTrunk reports whether a line shares an end with one of its mates, or has none that lead in its direction.
func (j *judge) sharesTrunk(i int, pts []Point) bool {
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

// heading is 1 for a line to a column on the right, -1 for one to the left, and 0 within a column.
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

// offMiddle is the distance of a line's end from the middle of its side.
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

// ratePieces rates a line against pieces of other lines. It stops early once the total exceeds limit.
func ratePieces(pts []Point, pieces []linePiece, s *tally, limit int) {
	for x := 1; x < len(pts) && s.total <= limit; x++ {
		a, b := pts[x-1], pts[x]
		p := piece(a, b)
		near := p.grow(12)
		vertical, askew := a.X == b.X, slanted(a, b)
		for y := range pieces {
			q := &pieces[y]
			if !near.meets(q.rect) {
				continue
			}
			switch {
			case askew || q.slanted:
				if cross(a, b, q.a, q.b) {
					s.crossing(q.common)
				} else if p == q.rect && orientation(a, b, q.b) == 0 && orientation(a, b, q.a) == 0 {
					s.add(Close, 1, 40_000)
				}
			case vertical != q.vertical:
				h, v := &q.rect, &p
				if !vertical {
					h, v = v, h
				}
				if h.x0 < v.x0 && v.x0 < h.x1 && v.y0 < h.y0 && h.y0 < v.y1 {
					s.crossing(q.common)
				} else if !q.trunk && h.x0 <= v.x0 && v.x0 <= h.x1 && v.y0 <= h.y0 && h.y0 <= v.y1 {
					s.add(Close, 1, 12_000) // a corner of one line on the other line
				}
			default:
				apart, along := abs(p.y0-q.y0), min(p.x1, q.x1)-max(p.x0, q.x0)
				if vertical {
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

// crossing adds a crossing of two lines, which may have a common end.
func (t *tally) crossing(common bool) {
	if common {
		t.add(Forks, 1, 4000)
	} else {
		t.add(Crossings, 1, 10_000)
	}
}
