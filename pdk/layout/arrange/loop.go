package arrange

// loops draws the lines that lead back to where they begin, each around the
// corner of its shape that is clearest.
func (j *judge) loops(lines []int) {
	for _, i := range lines {
		l := &j.p.lines[i]
		if !l.loop {
			continue
		}
		best := unlimited
		var found []Point
		j.look(i, j.d.at[l.a].grow(30))
		for _, d := range [...]int{20, 30} {
			for corner := range 4 {
				pts := around90(j.d.at[l.a], corner, d)
				j.d.routes[i], j.boxes[i] = pts, around(pts)
				if c := j.lineCost(i, pts, unlimited) + d*20 + corner; c < best {
					best, found = c, pts
				}
			}
		}
		j.d.routes[i], j.boxes[i] = found, around(found)
	}
}

// around90 leads from one side of a corner of r to the other, d outside: above
// right, below right, below left, above left.
func around90(r rect, corner, d int) []Point {
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
