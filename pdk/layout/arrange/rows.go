package arrange

import "slices"

// A flow that is much longer than a page is wide is wrapped into rows, each from left to right, like text. Lines that
// lead to the next row run through the channel between the two.

// rowGap is the distance between a row and the channel beside it.
const rowGap = 40

// cuts lists the columns with which rows may begin, except the first column: those that no frame spans together with the
// column before.
func (m *model) cuts() []int {
	spanned := make([]bool, m.c.n+1)
	for f := range m.p.root {
		if m.p.frame(f) {
			for c := m.c.first[f] + 1; c <= m.c.last[f]; c++ {
				spanned[c] = true
			}
		}
	}
	var out []int
	for c := 1; c < m.c.n; c++ {
		if !spanned[c] && m.c.macro[c] != m.c.macro[c-1] {
			out = append(out, c)
		}
	}
	return out
}

// wrap breaks a drawing into rows of about equal width.
func (q *placing) wrap(d *drawing) {
	m, p := q.m, q.m.p
	left := make([]int, m.c.n) // by column: its left side with the frames around it
	for c := range left {
		left[c] = unlimited
	}
	right := 0
	for v := range p.root {
		left[m.c.first[v]] = min(left[m.c.first[v]], d.at[v].x0)
		right = max(right, d.at[v].x1)
	}
	start := left[0]
	var begins []int // x at which rows begin
	cuts := m.cuts()
	for r := 1; r < q.pl.rows; r++ {
		want := start + (right-start)*r/q.pl.rows
		best := -1
		for _, c := range cuts {
			if x := left[c]; (len(begins) == 0 || x > begins[len(begins)-1]) && (best < 0 || abs(x-want) < abs(best-want)) {
				best = x
			}
		}
		if best >= 0 {
			begins = append(begins, best)
		}
	}
	moved, above := 0, -unlimited
	for _, x := range begins {
		x += moved
		above = q.breakAt(d, start, x, above)
		moved += start - x
	}
}

// breakAt moves everything right of x and below `above`, where earlier rows end, to a new row that begins at start, and
// reconnects the lines that this cuts. It returns the y at which the new row begins.
func (q *placing) breakAt(d *drawing, start, x, above int) int {
	const side = 10 // distance from x at which lines are cut
	cut := x - side
	bottom, top := -unlimited, unlimited // bottom of the upper row, top of the lower one
	note := func(r rect) {
		switch {
		case r.y0 < above:
		case r.x0 >= cut:
			top = min(top, r.y0)
		default:
			bottom = max(bottom, r.y1)
		}
	}
	for v := range q.m.p.root {
		note(d.at[v])
	}
	type crossing struct{ line, piece, y int }
	var all []crossing
	for i, pts := range d.routes {
		for k := 1; k < len(pts); k++ {
			a, b := pts[k-1], pts[k]
			if (a.X < cut) != (b.X < cut) && min(a.Y, b.Y) >= above {
				all = append(all, crossing{i, k, a.Y})
				note(rect{min(a.X, b.X), a.Y, cut - 1, a.Y})
				note(rect{cut, a.Y, max(a.X, b.X), a.Y})
			} else {
				note(piece(a, b))
			}
		}
	}
	// Nest the turns: the lowest line turns first, on the uppermost track, and returns on the outermost one.
	slices.SortStableFunc(all, func(a, b crossing) int { return b.y - a.y })
	n := len(all)
	channel := bottom + rowGap
	dy := channel + max(0, n-1)*trackGap + rowGap - top
	dx := start - x
	move := func(q Point) Point { return Point{q.X + dx, q.Y + dy} }
	for v := range q.m.p.root {
		if r := &d.at[v]; r.x0 >= cut && r.y0 >= above {
			*r = rect{r.x0 + dx, r.y0 + dy, r.x1 + dx, r.y1 + dy}
		}
	}
	track := map[[2]int]int{}
	for t, c := range all {
		track[[2]int{c.line, c.piece}] = t
	}
	for i, pts := range d.routes {
		var out []Point
		for k, a := range pts {
			if k > 0 {
				if t, ok := track[[2]int{i, k}]; ok {
					down, back := cut+t*trackGap, start-20-(n-1-t)*trackGap
					y := channel + t*trackGap
					turn := []Point{{down, pts[k].Y}, {down, y}, {back, y}, {back, pts[k].Y + dy}}
					if a.X < cut { // the line leads backwards
						slices.Reverse(turn)
					}
					out = append(out, turn...)
				}
			}
			if a.X >= cut && a.Y >= above {
				a = move(a)
			}
			out = append(out, a)
		}
		if out != nil {
			d.routes[i] = out
		}
	}
	return channel + max(0, n-1)*trackGap + rowGap/2
}
