package arrange

import "slices"

// Reroute finds new routes for some lines, and leaves everything else in place: the shapes, and the other lines, whose
// labels may move out of the way unless they are fixed. r is a drawing of g, made by anyone; Reroute sets its score.
func Reroute(g *Graph, r *Result, which []int, dir Dir) {
	p := newProblem(g, dir)
	j := p.judge(p.drawing(r))
	j.withLabels = len(p.lines) <= manyLines
	j.routeAll(which)
	j.simplifyLines(which)
	j.drawLoops(which)
	for _, i := range which {
		if p.lines[i].lw > 0 && len(j.d.routes[i]) > 1 {
			j.placeLabel(i, j.labelledLines(i))
		}
	}
	given := j.moveLabels(which)
	j.d.score = j.score()
	back := p.turnBack(j.d)
	for _, i := range which {
		r.Routes[i] = back.Routes[i]
	}
	for _, i := range given {
		r.Routes[i].Label = back.Routes[i].Label
	}
	r.Score = j.d.score
}

// moveLabels moves labels that are in unclear positions to clear ones, if there are any, for all lines except some. It
// returns the lines whose labels it moved.
func (j *judge) moveLabels(except []int) (moved []int) {
	for _, i := range slices.Clone(j.labelledLines(-1)) {
		if j.p.lines[i].labelFixed || slices.Contains(except, i) {
			continue
		}
		at := j.d.labels[i]
		j.scan(&j.nearLabel, i, j.labelRect(i, at).grow(2), j.p.all)
		if was := j.labelCost(i, at, j.labelledLines(i)); was >= unclear && j.placeLabel(i, j.labelledLines(i)) < unclear {
			moved = append(moved, i)
		} else {
			j.d.labels[i] = at
		}
	}
	return moved
}

// routeAll finds routes for lines one after the other, starting with those whose ends are closest to each other.
func (j *judge) routeAll(lines []int) {
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

// rerouteEach looks for a better route for each line while the others stay.
func (j *judge) rerouteEach() {
	for i := range j.p.lines {
		old, box, label := j.d.routes[i], j.boxes[i], j.d.labels[i]
		if j.p.lines[i].skip || len(old) < 3 {
			continue
		}
		j.scanAround(i, box)
		was := j.lineCost(i, old, unlimited)
		if was < goodEnough {
			continue
		}
		j.routeLine(i)
		j.scanAround(i, j.boxes[i])
		if j.lineCost(i, j.d.routes[i], unlimited) >= was-minSaving/2 {
			j.d.routes[i], j.boxes[i], j.d.labels[i] = old, box, label
		} else if j.p.lines[i].lw > 0 {
			j.placeLabel(i, j.labelledLines(i))
		}
	}
}

// span is the distance between the ends of a line.
func (j *judge) span(i int) int {
	a, b := j.d.at[j.p.lines[i].a], j.d.at[j.p.lines[i].b]
	return max(0, a.x0-b.x1, b.x0-a.x1) + max(0, a.y0-b.y1, b.y0-a.y1)
}

const (
	goodEnough = 12_000  // cost up to which a line is not rerouted
	blocked    = 1 << 30 // cost of a step that is not possible
	firstRoom  = 160     // how far from the box around its ends a line may run in the first attempt
)

// routeLine finds the cheapest route of line i around everything else.
func (j *judge) routeLine(i int) {
	for _, room := range [...]int{firstRoom, 1000} {
		if pts := j.routeWithin(i, room); pts != nil {
			j.d.routes[i], j.boxes[i] = pts, bounds(pts)
			return
		}
	}
	// Walled in: from middle to middle, across everything.
	a, b := j.d.at[j.p.lines[i].a], j.d.at[j.p.lines[i].b]
	pts := []Point{{a.x1, a.midY()}, {(a.x1 + b.x0) / 2, a.midY()}, {(a.x1 + b.x0) / 2, b.midY()}, {b.x0, b.midY()}}
	if a.midY() == b.midY() {
		pts = []Point{pts[0], pts[3]}
	}
	j.d.routes[i], j.boxes[i] = pts, bounds(pts)
}
