package arrange

import "slices"

const (
	// trackGap is the distance between parallel lines.
	trackGap = 14
	border   = 20 // distance between a frame and the lines beside it
)

// grid is the grid that shapes are put on. Shapes whose sizes are multiples of 2*grid, in frames whose pads are
// multiples of grid, get positions that are multiples of grid, except where the ports of many lines lie closer to each
// other.
const grid = 10

// onGrid rounds n up to a multiple of step.
func onGrid(n, step int) int { return (n + step - 1) / step * step }

// draw finds the positions along the flow, and the lines.
func (q *placing) draw() *drawing {
	p := q.m.p
	d := &drawing{at: make([]rect, len(p.shapes)), routes: make([][]Point, len(p.lines)), labels: make([]Point, len(p.lines))}
	a := q.columnAxis()
	a.placeShapes(d)
	q.centreMembers(d)
	a.routeBetweenColumns(d)
	a.routeWithinColumns(d)
	if q.pl.rows > 1 {
		q.wrap(d)
	}
	return d
}

// columnAxis is where columns, frames and tracks lie along the flow.
type columnAxis struct {
	q            *placing
	left, right  brackets  // on the two sides of each column
	extL, extR   []int     // by frame: how far it extends beyond its first and last column
	unitL, unitR []int     // by column: how far the widest frame at the top that begins or ends there extends
	padL, padR   []int     // by column: how far the widest frame that begins or ends there extends
	width        []int     // by column
	x            []int     // by column
	trackX       []int     // by column: the first track after it
	tracks       [][]track // by column: those of the nets after it
}

// columnAxis finds it for the placing.
func (q *placing) columnAxis() *columnAxis {
	m, p := q.m, q.m.p
	n := m.c.n
	a := &columnAxis{q: q, width: make([]int, n), x: make([]int, n+1), trackX: make([]int, n), tracks: make([][]track, n)}
	for v := range p.root {
		if !p.frame(v) {
			a.width[m.c.first[v]] = max(a.width[m.c.first[v]], p.shapes[v].w)
		}
	}
	for c := range a.width {
		a.width[c] = onGrid(max(a.width[c], 20), 2*grid) // even, so that middles are on the grid
	}
	a.left, a.right = q.bracketTracks()
	a.extL, a.extR = make([]int, len(p.shapes)), make([]int, len(p.shapes))
	a.extend(p.root)
	a.padColumns()
	if n > 0 {
		a.x[0] = max(a.padL[0], a.left.room[0])
	}
	for c := range n - 1 {
		a.placeColumnAfter(c)
	}
	return a
}

// extend finds how far frame f and the frames in it extend beyond their first and last columns.
func (a *columnAxis) extend(f int) {
	m, p := a.q.m, a.q.m.p
	s := &p.shapes[f]
	l, r := a.left.room[m.c.first[f]], a.right.room[m.c.last[f]]
	for _, k := range s.kids {
		if p.frame(k) {
			a.extend(k)
			if m.c.first[k] == m.c.first[f] {
				l = max(l, a.extL[k])
			}
			if m.c.last[k] == m.c.last[f] {
				r = max(r, a.extR[k])
			}
		}
	}
	a.extL[f], a.extR[f] = l+s.pad.left, r+s.pad.right
}

// padColumns finds the room that frames need beside each column, and widens the columns of frames whose titles need
// more.
func (a *columnAxis) padColumns() {
	q := a.q
	m, p := q.m, q.m.p
	a.padL, a.padR = make([]int, m.c.n), make([]int, m.c.n)
	for f := range p.root {
		if p.frame(f) && p.shapes[f].unit == f && !q.pl.flow {
			from, to := m.c.first[f], m.c.last[f]
			a.padL[from], a.padR[to] = max(a.padL[from], a.extL[f]), max(a.padR[to], a.extR[f])
		}
	}
	a.unitL, a.unitR = slices.Clone(a.padL), slices.Clone(a.padR)
	for f := range p.root {
		if !p.frame(f) {
			continue
		}
		from, to := m.c.first[f], m.c.last[f]
		a.padL[from], a.padR[to] = max(a.padL[from], a.extL[f]), max(a.padR[to], a.extR[f])
		w := a.extL[f] + a.extR[f]
		for c := from; c <= to; c++ {
			w += a.width[c]
			if c < to {
				w += p.spacing
			}
		}
		if w < p.shapes[f].minW {
			for c := from; c <= to; c++ {
				a.width[c] += onGrid((p.shapes[f].minW-w+to-from)/(to-from+1), 2*grid)
			}
		}
	}
}

// placeColumnAfter finds the tracks behind column c and the position of the next column.
func (a *columnAxis) placeColumnAfter(c int) {
	q := a.q
	m, p := q.m, q.m.p
	var used int
	a.tracks[c], used = q.tracks(c)
	label, early := 0, 0 // room for labels after the tracks, and before them
	for _, s := range m.gaps[c] {
		if l := &p.lines[s.line]; l.lw > 0 && q.labelGap(s.line) == c {
			if m.netLeft[c][s.net] {
				label = max(label, l.lw+10)
			} else {
				early = max(early, l.lw+10)
			}
		}
	}
	lines := 0
	if used > 0 {
		lines = (used-1)*trackGap + 1
	}
	before, after := max(a.padR[c], a.right.room[c]), max(a.padL[c+1], a.left.room[c+1])
	room := before + border + early + lines + label + border + after
	if a.padR[c] == 0 && a.padL[c+1] == 0 {
		room = max(room, p.spacing)
	}
	if m.c.macro[c] != m.c.macro[c+1] {
		room += q.pl.room
	}
	room = onGrid(room, grid)
	end := a.x[c] + a.width[c]
	a.x[c+1] = end + room
	a.trackX[c] = end + before + border + early
	if label+early == 0 { // without labels: in the middle
		a.trackX[c] = end + before + (room-before-after-lines)/2
	}
}

// placeShapes sets the rectangles of shapes and frames.
func (a *columnAxis) placeShapes(d *drawing) {
	q := a.q
	m, p := q.m, q.m.p
	for v := range p.root {
		s, from, to := &p.shapes[v], m.c.first[v], m.c.last[v]
		r := rect{y0: q.top[v], y1: q.bottom[v]}
		if p.frame(v) {
			l, t := a.extL[v], a.extR[v]
			if s.unit == v && !q.pl.flow {
				l, t = a.unitL[from], a.unitR[to]
			}
			r.x0, r.x1 = a.x[from]-l, a.x[to]+a.width[to]+t
		} else {
			r.x0 = a.x[from] + (a.width[from]-s.w)/2
			r.x1 = r.x0 + s.w
		}
		d.at[v] = r
	}
}

// endY is the y at which line i ends on its shape v.
func (q *placing) endY(i, v int) int {
	e := 0
	if q.m.p.lines[i].b == v {
		e = 1
	}
	return q.top[v] + q.offset(i, e)
}

// routeBetweenColumns draws the lines that lead from one column to another.
func (a *columnAxis) routeBetweenColumns(d *drawing) {
	q, m := a.q, a.q.m
	for i, chain := range m.chain {
		if len(chain) == 0 {
			continue
		}
		from, to := chain[0], chain[len(chain)-1]
		y := q.endY(i, from)
		pts := []Point{{d.at[from].x1, y}}
		for k := 1; k < len(chain); k++ {
			next := q.top[chain[k]] + m.h[chain[k]]/2
			if chain[k] == to {
				next = q.endY(i, to)
			}
			c := m.last[from] + k - 1
			if next != y {
				for _, s := range m.gaps[c] {
					if s.line == i {
						tx := a.trackX[c] + a.tracks[c][s.net].at*trackGap
						pts = append(pts, Point{tx, y}, Point{tx, next})
					}
				}
				y = next
			}
		}
		pts = append(pts, Point{d.at[to].x0, y})
		if m.turned[i] {
			slices.Reverse(pts)
		}
		d.routes[i] = pts
	}
}

// routeWithinColumns draws the lines whose ends share a column: straight down or up, or as a bracket on one side.
func (a *columnAxis) routeWithinColumns(d *drawing) {
	q, m, p := a.q, a.q.m, a.q.m.p
	together := map[[2]int]int{} // straight lines drawn so far between two shapes
	for _, i := range m.inner {
		from, to := d.at[p.lines[i].a], d.at[p.lines[i].b]
		if q.down[i] {
			x := from.midX()
			if p.frame(p.lines[i].a) {
				x = to.midX()
			}
			key := [2]int{min(p.lines[i].a, p.lines[i].b), max(p.lines[i].a, p.lines[i].b)}
			if k := together[key]; k > 0 { // beside the others, on alternating sides
				x += (k + 1) / 2 * 20 * (1 - k%2*2)
			}
			together[key]++
			y0, y1 := from.y1, to.y0
			if from.y0 > to.y0 {
				y0, y1 = from.y0, to.y1
			}
			d.routes[i] = []Point{{x, y0}, {x, y1}}
			continue
		}
		c := m.c.first[p.lines[i].a]
		y0, y1 := q.endY(i, p.lines[i].a), q.endY(i, p.lines[i].b)
		if q.right[i] {
			x := a.x[c] + a.width[c] + a.right.off(i, c)
			d.routes[i] = []Point{{from.x1, y0}, {x, y0}, {x, y1}, {to.x1, y1}}
		} else {
			x := a.x[c] - a.left.off(i, c)
			d.routes[i] = []Point{{from.x0, y0}, {x, y0}, {x, y1}, {to.x0, y1}}
		}
	}
}

// centreMembers moves the members of frames that are wider than they need, because others in their macro column are, to
// the middle of the frame. It does so only where no line leaves to the right.
func (q *placing) centreMembers(d *drawing) {
	m, p := q.m, q.m.p
	busy := make([]bool, len(p.shapes))
	for _, segs := range m.gaps {
		for _, s := range segs {
			for v := s.l; v < len(p.shapes) && v >= 0; v = p.shapes[v].parent {
				busy[v] = true
			}
			if o := m.owner[s.l]; o >= 0 {
				busy[m.parent[s.l]] = true
			}
		}
	}
	for _, i := range m.inner {
		for v := p.lines[i].a; v >= 0; v = p.shapes[v].parent {
			busy[v] = busy[v] || q.bracket[i] && q.right[i]
		}
	}
	for _, f := range p.shapes[p.root].kids {
		if !p.frame(f) || q.pl.flow || busy[f] || m.c.first[f] == m.c.last[f] {
			continue
		}
		lo, hi, nested := 1<<40, -1<<40, false
		for _, v := range p.shapes[f].kids {
			lo, hi = min(lo, d.at[v].x0), max(hi, d.at[v].x1)
			nested = nested || p.frame(v)
		}
		if nested {
			continue
		}
		by := (d.at[f].x0 + d.at[f].x1 - lo - hi) / 2 / grid * grid
		for _, v := range p.shapes[f].kids {
			d.at[v].x0 += by
			d.at[v].x1 += by
		}
	}
}
