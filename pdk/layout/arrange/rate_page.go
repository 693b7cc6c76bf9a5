package arrange

import "slices"

// rateShapes rates shapes, frames and the page.
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
			if p.visibleFrame(u) && p.visibleFrame(v) && at[u].x0 < at[v].x1 && at[v].x0 < at[u].x1 && at[v].y0 > at[u].y0 {
				s.add(Disorder, 1, 3000)
			}
		}
	}
	s.add(Uneven, 1, j.uneven())
	w, h := page.x1-page.x0, page.y1-page.y0
	lo, hi := p.aspects()
	if p.vertical() {
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
	side := wholeRoot(w * h)
	s.add(Size, side, side*25)
}

// aspects is the range of ratios of a page's width to its height, in per cent, that look right.
func (p *problem) aspects() (least, most int) {
	switch {
	case !p.vertical():
		return 130, 220
	case len(p.frames) == 0:
		return 40, 200
	}
	return 80, 190
}

// uneven is the cost of groups side by side that begin or end at different heights.
func (j *judge) uneven() int {
	p, at := j.p, j.d.at
	var tops, bottoms []int
	units := p.shapes[p.root].kids
	for _, u := range units {
		if !p.visibleFrame(u) {
			continue
		}
		top, bottom := true, true
		for _, v := range units {
			if p.visibleFrame(v) && v != u && at[u].x0 < at[v].x1 && at[v].x0 < at[u].x1 {
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

// rateGroup rates the arrangement of the members of a frame.
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

// rateFlow rates the directions of lines.
func (j *judge) rateFlow(s *tally) {
	p, at := j.p, j.d.at
	seen := map[[2]int]bool{}
	next := j.rowChannels()
	for i := range p.lines {
		l := &p.lines[i]
		if l.skip || l.undirected || len(j.d.routes[i]) == 0 {
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
				s.add(Against, 1, 12_000) // without groups, columns are the only order
			}
			if !seen[pair] && !seen[[2]int{v, u}] && p.visibleFrame(u) && p.visibleFrame(v) {
				if p.isSink(v) {
					s.add(Shared, 1, 1000)
				} else {
					s.add(Shared, 1, 25_000)
				}
			}
		}
		seen[pair] = true
	}
}

// rowChannels returns a function that reports whether a line leads on from one row to the next: it runs back through the
// free channel between what lies above and what lies below.
func (j *judge) rowChannels() func(line int) bool {
	var spans [][2]int // tops and bottoms of shapes
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

// logMilli is the natural logarithm of a/b, which must be at least 1, in thousandths.
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

// wholeRoot is the square root, rounded down; 0 for n below 0.
func wholeRoot(n int) int {
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
