package arrange

import "slices"

const (
	trackGap = 14
	border   = 20 // between a frame and the lines beside it
)

// grid is what shapes are put on: the places of shapes whose sizes are multiples
// of twice that, in frames whose pads are multiples of it, are multiples, too,
// but where the ports of many lines lie nearer to each other.
const grid = 10

// onGrid rounds up.
func onGrid(n, step int) int { return (n + step - 1) / step * step }

// track is the upright part of a net between two columns.
type track struct {
	left, right []int // heights of the horizontal parts on its sides
	lo, hi      int
	at          int // its number from the left
}

// draw finds the positions along the flow, and the lines.
func (q *placing) draw() *drawing {
	m := q.m
	p := m.p
	d := &drawing{at: make([]rect, len(p.shapes)), routes: make([][]Point, len(p.lines)), labels: make([]Point, len(p.lines))}
	n := m.c.n
	width := make([]int, n)
	for v := range p.root {
		if !p.frame(v) {
			width[m.c.first[v]] = max(width[m.c.first[v]], p.shapes[v].w)
		}
	}
	for c := range width {
		width[c] = onGrid(max(width[c], 20), 2*grid) // so that middles are on it
	}
	leftOf, rightOf := q.braces() // tracks of brackets beside each column
	// How far frames reach beyond their first and last columns.
	extL, extR := make([]int, len(p.shapes)), make([]int, len(p.shapes))
	var reach func(f int)
	reach = func(f int) {
		s := &p.shapes[f]
		l, r := leftOf.room[m.c.first[f]], rightOf.room[m.c.last[f]]
		for _, k := range s.kids {
			if p.frame(k) {
				reach(k)
				if m.c.first[k] == m.c.first[f] {
					l = max(l, extL[k])
				}
				if m.c.last[k] == m.c.last[f] {
					r = max(r, extR[k])
				}
			}
		}
		extL[f], extR[f] = l+s.pad.left, r+s.pad.right
	}
	reach(p.root)
	padL, padR := make([]int, n), make([]int, n)
	for f := range p.root {
		if p.frame(f) && p.shapes[f].unit == f && !q.pl.flow {
			a, b := m.c.first[f], m.c.last[f]
			padL[a], padR[b] = max(padL[a], extL[f]), max(padR[b], extR[f])
		}
	}
	topL, topR := slices.Clone(padL), slices.Clone(padR) // of frames of one macro column
	for f := range p.root {
		if p.frame(f) {
			a, b := m.c.first[f], m.c.last[f]
			padL[a], padR[b] = max(padL[a], extL[f]), max(padR[b], extR[f])
			w := extL[f] + extR[f]
			for c := a; c <= b; c++ {
				w += width[c]
				if c < b {
					w += p.spacing
				}
			}
			if w < p.shapes[f].minW {
				for c := a; c <= b; c++ {
					width[c] += onGrid((p.shapes[f].minW-w+b-a)/(b-a+1), 2*grid)
				}
			}
		}
	}
	x := make([]int, n+1) // of columns
	trackX := make([]int, n)
	tracks := make([][]track, n)
	if n > 0 {
		x[0] = max(padL[0], leftOf.room[0])
	}
	for c := range n - 1 {
		var used int
		tracks[c], used = q.tracks(c)
		label, early := 0, 0 // room behind the tracks, and before them
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
		before, after := max(padR[c], rightOf.room[c]), max(padL[c+1], leftOf.room[c+1])
		room := before + border + early + lines + label + border + after
		if padR[c] == 0 && padL[c+1] == 0 {
			room = max(room, p.spacing)
		}
		if m.c.macro[c] != m.c.macro[c+1] {
			room += q.pl.room
		}
		room = onGrid(room, grid)
		x[c+1] = x[c] + width[c] + room
		trackX[c] = x[c] + width[c] + before + border + early
		if label+early == 0 { // in the middle
			trackX[c] = x[c] + width[c] + before + (room-before-after-lines)/2
		}
	}
	for v := range p.root {
		s, a, b := &p.shapes[v], m.c.first[v], m.c.last[v]
		r := rect{y0: q.top[v], y1: q.bottom[v]}
		switch {
		case !p.frame(v):
			r.x0 = x[a] + (width[a]-s.w)/2
			r.x1 = r.x0 + s.w
		default:
			l, t := extL[v], extR[v]
			if s.unit == v && !q.pl.flow {
				l, t = topL[a], topR[b]
			}
			r.x0, r.x1 = x[a]-l, x[b]+width[b]+t
		}
		d.at[v] = r
	}
	q.middle(d)
	off := func(i, v int) int {
		e := 0
		if p.lines[i].b == v {
			e = 1
		}
		return q.top[v] + q.offset(i, e)
	}
	for i, chain := range m.chain {
		if len(chain) == 0 {
			continue
		}
		a, b := chain[0], chain[len(chain)-1]
		y := off(i, a)
		pts := []Point{{d.at[a].x1, y}}
		for k := 1; k < len(chain); k++ {
			next := q.top[chain[k]] + m.h[chain[k]]/2
			if chain[k] == b {
				next = off(i, b)
			}
			c := m.last[a] + k - 1
			if next != y {
				for _, s := range m.gaps[c] {
					if s.line == i {
						tx := trackX[c] + tracks[c][s.net].at*trackGap
						pts = append(pts, Point{tx, y}, Point{tx, next})
					}
				}
				y = next
			}
		}
		pts = append(pts, Point{d.at[b].x0, y})
		if m.turned[i] {
			slices.Reverse(pts)
		}
		d.routes[i] = pts
	}
	together := map[[2]int]int{}
	for _, i := range m.inner {
		a, b := d.at[p.lines[i].a], d.at[p.lines[i].b]
		switch {
		case q.down[i]:
			mx := a.midX()
			if p.frame(p.lines[i].a) {
				mx = b.midX()
			}
			key := [2]int{min(p.lines[i].a, p.lines[i].b), max(p.lines[i].a, p.lines[i].b)}
			if k := together[key]; k > 0 { // several between two shapes
				mx += (k + 1) / 2 * 20 * (1 - k%2*2)
			}
			together[key]++
			y0, y1 := a.y1, b.y0
			if a.y0 > b.y0 {
				y0, y1 = a.y0, b.y1
			}
			d.routes[i] = []Point{{mx, y0}, {mx, y1}}
		default:
			c := m.c.first[p.lines[i].a]
			ya, yb := off(i, p.lines[i].a), off(i, p.lines[i].b)
			if q.right[i] {
				tx := x[c] + width[c] + rightOf.off(i, c)
				d.routes[i] = []Point{{a.x1, ya}, {tx, ya}, {tx, yb}, {b.x1, yb}}
			} else {
				tx := x[c] - leftOf.off(i, c)
				d.routes[i] = []Point{{a.x0, ya}, {tx, ya}, {tx, yb}, {b.x0, yb}}
			}
		}
	}
	if q.pl.rows > 1 {
		q.wrap(d)
	}
	return d
}

// middle moves the members of frames wider than they need, because others in
// their macro column are, to the middle, where no line leaves to the right.
func (q *placing) middle(d *drawing) {
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
			busy[v] = busy[v] || q.brace[i] && q.right[i]
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

// labelGap is the gap between columns in which a line's label gets its room.
func (q *placing) labelGap(i int) int {
	chain := q.m.chain[i]
	if q.m.turned[i] {
		return q.m.last[chain[0]] + len(chain) - 2
	}
	return q.m.last[chain[0]]
}

// brackets are the tracks on one side of columns.
type brackets struct {
	at    []int   // by line: its track
	width [][]int // by column and track: half of what it needs
	room  []int   // by column
}

// off is how far line i's bracket is from its column.
func (b *brackets) off(i, column int) int {
	x := trackGap / 2
	for k, w := range b.width[column] {
		x += w
		if k == b.at[i] {
			break
		}
		x += w
	}
	return x
}

// braces gives the brackets of each side of each column their tracks, the
// short ones next to the shapes.
func (q *placing) braces() (left, right brackets) {
	m := q.m
	for _, b := range [2]*brackets{&left, &right} {
		b.at, b.width, b.room = make([]int, len(m.p.lines)), make([][]int, m.c.n), make([]int, m.c.n)
	}
	var list []int
	for _, i := range m.inner {
		if q.brace[i] {
			list = append(list, i)
		}
	}
	span := func(i int) (int, int) {
		l := &m.p.lines[i]
		a := q.top[l.a] + q.offset(i, 0)
		b := q.top[l.b] + q.offset(i, 1)
		return min(a, b), max(a, b)
	}
	slices.SortStableFunc(list, func(i, j int) int {
		a, b := span(i)
		c, d := span(j)
		return (b - a) - (d - c)
	})
	for k, i := range list {
		side := &left
		if q.right[i] {
			side = &right
		}
		c := m.c.first[m.p.lines[i].a]
		a, b := span(i)
		for _, j := range list[:k] {
			if q.right[j] == q.right[i] && m.c.first[m.p.lines[j].a] == c {
				if lo, hi := span(j); lo < b+10 && a < hi+10 {
					side.at[i] = max(side.at[i], side.at[j]+1)
				}
			}
		}
		for len(side.width[c]) <= side.at[i] {
			side.width[c] = append(side.width[c], trackGap/2)
		}
		if lw := m.p.lines[i].lw; lw > 0 {
			side.width[c][side.at[i]] = max(side.width[c][side.at[i]], lw/2+6)
		}
	}
	for _, b := range [2]*brackets{&left, &right} {
		for c, ws := range b.width {
			for _, w := range ws {
				b.room[c] += 2 * w
			}
			b.room[c] = onGrid(b.room[c], grid)
		}
	}
	return left, right
}

// tracks gives the nets between column c and the next their tracks, and says
// how many there are.
func (q *placing) tracks(c int) ([]track, int) {
	m := q.m
	var ts []track
	height := func(i, v int) int {
		if m.owner[v] >= 0 {
			return q.top[v] + m.h[v]/2
		}
		e := 0
		if m.p.lines[i].b == v {
			e = 1
		}
		return q.top[v] + q.offset(i, e)
	}
	for _, s := range m.gaps[c] {
		for len(ts) <= s.net {
			ts = append(ts, track{})
		}
		t := &ts[s.net]
		t.left = append(t.left, height(s.line, s.l))
		t.right = append(t.right, height(s.line, s.r))
	}
	var order []int
	for i := range ts {
		t := &ts[i]
		slices.Sort(t.left)
		slices.Sort(t.right)
		t.left, t.right = slices.Compact(t.left), slices.Compact(t.right)
		t.lo, t.hi = min(t.left[0], t.right[0]), max(t.left[len(t.left)-1], t.right[len(t.right)-1])
		if t.lo != t.hi {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return ts, 0
	}
	n := len(ts)
	w := make([]int, n*n) // of the first left of the second
	for _, i := range order {
		for _, j := range order {
			if i == j {
				continue
			}
			a, b := &ts[i], &ts[j]
			for _, y := range a.right {
				if b.lo < y && y < b.hi {
					w[i*n+j] += 2
				}
				for _, z := range b.left {
					if abs(y-z) < 8 {
						w[i*n+j] += 50
					}
				}
			}
			for _, y := range b.left {
				if a.lo < y && y < a.hi {
					w[i*n+j] += 2
				}
			}
		}
	}
	// linear makes what leads backwards light: an arc is the wish to lie left.
	k := len(order)
	wish := make([]int, k*k)
	for i, a := range order {
		for j, b := range order {
			wish[i*k+j] = w[b*n+a]
		}
	}
	used := 0
	seq := linear(k, wish)
	for i, a := range seq {
		t := &ts[order[a]]
		for _, b := range seq[:i] {
			if u := &ts[order[b]]; u.lo < t.hi+11 && t.lo < u.hi+11 {
				t.at = max(t.at, u.at+1)
			}
		}
		used = max(used, t.at+1)
	}
	return ts, used
}
