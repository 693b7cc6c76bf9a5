package arrange

// drawLoops draws the lines that lead from a shape back to itself, each around the clearest corner of its shape.
func (j *judge) drawLoops(lines []int) {
	for _, i := range lines {
		l := &j.p.lines[i]
		if !l.loop {
			continue
		}
		best := unlimited
		var found []Point
		j.scanAround(i, j.d.at[l.a].grow(30))
		for _, d := range [...]int{20, 30} {
			for corner := range 4 {
				pts := loopAround(j.d.at[l.a], corner, d)
				j.d.routes[i], j.boxes[i] = pts, bounds(pts)
				if c := j.lineCost(i, pts, unlimited) + d*20 + corner; c < best {
					best, found = c, pts
				}
			}
		}
		j.d.routes[i], j.boxes[i] = found, bounds(found)
	}
}

// loopAround is a route from one side of a corner of r to the other, at distance d. Corners are numbered clockwise from
// the upper right.
func loopAround(r rect, corner, d int) []Point {
	x, y, outX, outY := r.x1, r.y0, d, -d
	if corner == 1 || corner == 2 {
		y, outY = r.y1, d
	}
	if corner >= 2 {
		x, outX = r.x0, -d
	}
	inX, inY := x-sign(outX)*min(20, (r.x1-r.x0)/4), y-sign(outY)*min(20, (r.y1-r.y0)/4)
	return []Point{{x, inY}, {x + outX, inY}, {x + outX, y + outY}, {inX, y + outY}, {inX, y}}
}

func sign(x int) int {
	if x < 0 {
		return -1
	}
	return 1
}
