package arrange

// putLabels puts each label in the clearest position on its line.
func (j *judge) putLabels() {
	var placed []int
	for i := range j.p.lines {
		pts := j.d.routes[i]
		if j.p.lines[i].lw == 0 || len(pts) < 2 {
			continue
		}
		j.placeLabel(i, placed)
		placed = append(placed, i)
	}
}

// unclear is the cost from which on a label in a position counts as hard to read.
const unclear = 6000

// placeLabel puts the label of line i in the position that interferes least with the labels of the placed lines and
// other things, and returns its cost.
func (j *judge) placeLabel(i int, placed []int) int {
	l := &j.p.lines[i]
	j.scan(&j.nearLabel, i, bounds(j.d.routes[i]).grow(max(l.lw, l.lh)/2+2), j.p.all)
	best := j.placeLabelIn(i, placed, 2, 2, unlimited)
	if best >= unclear { // nothing clear: try positions closer together
		best = j.placeLabelIn(i, placed, 1, 2, best)
	}
	return best
}

// placeLabelIn tries positions on each piece of the line, from `from` sixteenths of the piece on in steps of `step`
// sixteenths, and takes the cheapest one that costs less than best. It returns the least cost.
func (j *judge) placeLabelIn(i int, placed []int, from, step, best int) int {
	pts := j.d.routes[i]
	for k := 1; k < len(pts); k++ {
		a, b := pts[k-1], pts[k]
		for t := from; t < 16; t += step {
			at := Point{a.X + (b.X-a.X)*t/16, a.Y + (b.Y-a.Y)*t/16}
			c := j.labelCost(i, at, placed) + abs(t-8)*20
			if k == 1 || k == len(pts)-1 {
				c += 10
			}
			if vertical := a.X == b.X; vertical != j.p.vertical() {
				c += 1500
			}
			if c < best {
				best = c
				j.d.labels[i] = at
			}
		}
	}
	return best
}

// labelRect is the rectangle of line i's label with its middle at a point.
func (j *judge) labelRect(i int, at Point) rect {
	l := &j.p.lines[i]
	x, y := at.X-l.lw/2, at.Y-l.lh/2
	return rect{x, y, x + l.lw, y + l.lh}
}

// labelCost rates a position of line i's label against the labels of other lines and against j.nearLabel.
func (j *judge) labelCost(i int, at Point, others []int) int {
	r := j.labelRect(i, at)
	wide := r.grow(1)
	c := 0
	for _, v := range j.nearLabel.leaves {
		if j.d.at[v].meets(wide) {
			c += 40_000
		}
	}
	for _, f := range j.nearLabel.frames {
		o := j.d.at[f]
		if o.meets(r) && !o.holds(r) {
			c += 12_000
		}
		if j.titles[f].meets(r) {
			c += 20_000
		}
	}
	for _, o := range j.d.borders {
		if o.meets(r) && !o.holds(r) {
			c += 12_000
		}
	}
	clear := r.grow(2)
	for _, k := range others {
		if k != i && j.labelRect(k, j.d.labels[k]).meets(clear) {
			c += 30_000
		}
	}
	for _, k := range j.nearLabel.lines {
		if !j.boxes[k].grow(1).meets(wide) {
			continue
		}
		pts := j.d.routes[k]
		for x := 1; x < len(pts); x++ {
			if r.cutBy(pts[x-1], pts[x]) {
				c += 15_000
				break
			}
		}
	}
	pts := j.d.routes[i]
	corner := r.grow(4)
	for _, q := range pts[1 : len(pts)-1] {
		if corner.meets(rect{q.X, q.Y, q.X, q.Y}) {
			c += 8000
		}
	}
	for _, e := range [2]Point{pts[0], pts[len(pts)-1]} { // room for the arrow
		if r.grow(6).meets(rect{e.X, e.Y, e.X, e.Y}) {
			c += 6000
		}
	}
	return min(c, 40_000)
}

// rateLabels rates the labels in their current positions.
func (j *judge) rateLabels(s *tally) {
	var all []int
	for i := range j.p.lines {
		if j.p.lines[i].lw > 0 && len(j.d.routes[i]) > 1 {
			all = append(all, i)
		}
	}
	for _, i := range all {
		j.scan(&j.nearLabel, i, j.labelRect(i, j.d.labels[i]).grow(2), j.p.all)
		if c := j.labelCost(i, j.d.labels[i], all); c > 0 {
			s.add(Labels, 1, c)
		}
	}
}

// labelledLines are the lines other than i that have a label and a route. The list is valid until the next call.
func (j *judge) labelledLines(i int) []int {
	j.list = j.list[:0]
	for k := range j.p.lines {
		if k != i && j.p.lines[k].lw > 0 && len(j.d.routes[k]) > 1 {
			j.list = append(j.list, k)
		}
	}
	return j.list
}
