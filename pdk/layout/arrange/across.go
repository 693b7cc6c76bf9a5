package arrange

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk/layout/simplex"
)

// item is what a column passes from top to bottom.
type item struct {
	v    int
	what itemKind
}

type itemKind uint8

const (
	member itemKind = iota
	opens
	closes
)

// placing finds positions for an ordered model.
type placing struct {
	m      *model
	pl     plan
	items  [][]item // by column
	down   []bool   // by line: leads straight down or up within its column
	right  []bool   // by line within a column that is none of these: its bracket stands to the right
	brace  []bool   // by line: a bracket
	ports  []port
	freed  [][2]bool // by line: ends that leave by another side
	portAt [][2]int  // by line: the ports of its two ends, from and to

	top, bottom []int // by element
	vars        []int // by element: variable of its top; of frames, its bottom has endVar
	endVar      []int
	arcs        []simplex.Arc // constraints
	terms       []term
}

// port is where lines of one net end on a side.
type port struct {
	v     int
	right bool
	off   int // from the top of v
	lines []int
	other int // the middle height of the other ends
	via   []int
}

// term asks that two variables with their offsets lie at one height.
type term struct{ a, pa, b, pb, weight int }

func (m *model) place(pl plan, freed [][2]bool, solves int) *placing {
	q := &placing{m: m, pl: pl, freed: freed, items: make([][]item, m.c.n)}
	n := len(m.p.lines)
	q.down, q.right, q.brace = make([]bool, n), make([]bool, n), make([]bool, n)
	q.top, q.bottom = make([]int, len(m.parent)), make([]int, len(m.parent))
	q.list(m.p.root)
	q.columnsOfLines()
	q.makePorts()
	for v := range q.top {
		q.top[v] = m.y[v] - m.h[v]/2
		q.bottom[v] = q.top[v] + m.h[v]
	}
	q.variables()
	q.setPorts()
	for range solves {
		q.solve()
		q.setPorts()
	}
	q.centre()
	q.setPorts()
	return q
}

// list writes down what each column passes.
func (q *placing) list(f int) {
	for _, v := range q.m.kids[f] {
		if !q.m.container(v) {
			c := q.m.first[v]
			q.items[c] = append(q.items[c], item{v, member})
			continue
		}
		for c := q.m.first[v]; c <= q.m.last[v]; c++ {
			q.items[c] = append(q.items[c], item{v, opens})
		}
		q.list(v)
		for c := q.m.first[v]; c <= q.m.last[v]; c++ {
			q.items[c] = append(q.items[c], item{v, closes})
		}
	}
}

// columnsOfLines says how the lines within columns run: straight where nothing
// lies between, else as a bracket on the side with fewer lines.
func (q *placing) columnsOfLines() {
	m := q.m
	busy := make([][2]int, len(m.parent))
	for _, segs := range m.gaps {
		for _, s := range segs {
			busy[s.l][1]++
			busy[s.r][0]++
		}
	}
	for _, i := range m.inner {
		l := &m.p.lines[i]
		if q.adjacent(l.a, l.b) {
			q.down[i] = true
			continue
		}
		q.brace[i] = true
		left, right := busy[l.a][0]+busy[l.b][0], busy[l.a][1]+busy[l.b][1]
		q.right[i] = right < left
		k := 0
		if q.right[i] {
			k = 1
		}
		busy[l.a][k]++
		busy[l.b][k]++
	}
}

// adjacent reports whether nothing lies between two elements of a column.
func (q *placing) adjacent(a, b int) bool {
	p := q.m.p
	for c := max(q.m.first[a], q.m.first[b]); c <= min(q.m.last[a], q.m.last[b]); c++ {
		inside, other := false, -1
		for _, it := range q.items[c] {
			end := it.v == a || it.v == b
			switch {
			case end && it.what != opens && !inside:
				inside, other = true, a+b-it.v
			case end && it.v == other && it.what != closes:
				inside = false
				return true
			case inside && it.what == member:
				return false
			case inside && !p.within(a, it.v) && !p.within(b, it.v):
				return false
			}
		}
	}
	return false
}

// makePorts gives every end a port; those of a net share one.
func (q *placing) makePorts() {
	m := q.m
	q.portAt = make([][2]int, len(m.p.lines))
	for i := range q.portAt {
		q.portAt[i] = [2]int{-1, -1}
	}
	end := func(line, v int) int {
		if m.p.lines[line].a == v {
			return 0
		}
		return 1
	}
	for _, segs := range m.gaps {
		byNet := make([]struct{ l, r int }, len(segs))
		for i := range byNet {
			byNet[i].l, byNet[i].r = -1, -1
		}
		add := func(id *int, v, other, line int, right bool) {
			if q.freed != nil && q.freed[line][end(line, v)] {
				return
			}
			if *id < 0 || q.ports[*id].v != v {
				*id = len(q.ports)
				q.ports = append(q.ports, port{v: v, right: right})
			}
			q.ports[*id].lines = append(q.ports[*id].lines, line)
			q.ports[*id].via = append(q.ports[*id].via, other)
			q.portAt[line][end(line, v)] = *id
		}
		for _, s := range segs {
			if m.owner[s.l] < 0 {
				add(&byNet[s.net].l, s.l, s.r, s.line, true)
			}
			if m.owner[s.r] < 0 {
				add(&byNet[s.net].r, s.r, s.l, s.line, false)
			}
		}
	}
	for _, i := range m.inner {
		if !q.brace[i] {
			continue
		}
		l := &m.p.lines[i]
		for k, v := range [2]int{l.a, l.b} {
			q.portAt[i][k] = len(q.ports)
			q.ports = append(q.ports, port{v: v, right: q.right[i], lines: []int{i}, via: []int{l.a + l.b - v}})
		}
	}
}

// offset is how far from its top a line's end lies on its shape.
func (q *placing) offset(i, e int) int {
	if id := q.portAt[i][e]; id >= 0 {
		return q.ports[id].off
	}
	v := q.m.p.lines[i].a
	if e == 1 {
		v = q.m.p.lines[i].b
	}
	return (q.bottom[v] - q.top[v]) / 2
}

// setPorts places the ports of each side in the order of their other ends: the
// one whose other end is nearest in height gets the middle.
func (q *placing) setPorts() {
	m := q.m
	sides := make([][]int, 2*len(m.p.shapes))
	for i := range q.ports {
		t := &q.ports[i]
		sum := 0
		for k, w := range t.via {
			y := (q.top[w] + q.bottom[w]) / 2
			if m.owner[w] < 0 { // its own port may lie off its middle
				e := 0
				if m.p.lines[t.lines[k]].b == w {
					e = 1
				}
				if id := q.portAt[t.lines[k]][e]; id >= 0 && len(q.ports[id].lines) > 1 && len(t.lines) == 1 {
					y = q.top[w] + q.ports[id].off
				}
			}
			sum += y
		}
		t.other = sum / len(t.via)
		s := 2 * t.v
		if t.right {
			s++
		}
		sides[s] = append(sides[s], i)
	}
	for s, list := range sides {
		if len(list) == 0 {
			continue
		}
		v := s / 2
		h := q.bottom[v] - q.top[v]
		mid := q.top[v] + h/2
		slices.SortStableFunc(list, func(a, b int) int { return q.ports[a].other - q.ports[b].other })
		k := 0
		for i := range list {
			if abs(q.ports[list[i]].other-mid) < abs(q.ports[list[k]].other-mid) {
				k = i
			}
		}
		reach := h/2 - 8
		if m.p.frame(v) {
			reach = h/2 - 20
		} else if f := m.p.shapes[v].face(); f < 100 {
			reach = h * f / 200
		}
		reach = max(reach, 0)
		if q.pl.spread && q.spread(list, k, h, reach) {
			continue
		}
		step, far := 20, max(k, len(list)-1-k)
		if far*step > reach {
			step = reach / far
			if step < 8 && 2*reach/(len(list)-1) > step {
				step = 2 * reach / (len(list) - 1)
				for i, id := range list {
					q.ports[id].off = h/2 + (2*i-len(list)+1)*step/2
				}
				continue
			}
			if step >= 10 {
				step = 10
			}
		}
		for i, id := range list {
			q.ports[id].off = h/2 + (i-k)*step
		}
	}
}

// spread gives ports room for labels that lie across their lines, where there
// are any and the side has that room: around port k in the middle, or around
// the middle of all.
func (q *placing) spread(list []int, k, h, reach int) bool {
	at := make([]int, len(list))
	wide := false
	label := func(id int) int {
		most := 0
		for _, i := range q.ports[id].lines {
			most = max(most, q.m.p.lines[i].lh)
		}
		return most
	}
	for i := 1; i < len(list); i++ {
		step := max(20, (label(list[i-1])+label(list[i]))/2+8)
		wide = wide || step > 30
		at[i] = at[i-1] + step
	}
	if !wide {
		return false
	}
	mid := at[k]
	if mid > reach || at[len(at)-1]-mid > reach {
		mid = at[len(at)-1] / 2
	}
	if mid > reach || at[len(at)-1]-mid > reach {
		return false
	}
	for i, id := range list {
		q.ports[id].off = h/2 + at[i] - mid
	}
	return true
}

// variables numbers what moves, and lists the constraints.
func (q *placing) variables() {
	m := q.m
	q.vars, q.endVar = make([]int, len(m.parent)), make([]int, len(m.parent))
	n := 2 // the first is above all, the second below
	for v := range q.vars {
		q.vars[v] = n
		n++
		if v < len(m.kids) && m.container(v) {
			q.endVar[v] = n
			n++
		}
	}
	q.equalHeights()
	gap := onGrid(m.p.spacing/2*q.pl.gap/100, grid)
	arc := func(from, to, least int) {
		if from != to {
			q.arcs = append(q.arcs, simplex.Arc{From: from, To: to, Min: least})
		}
	}
	for _, items := range q.items {
		last, size, frame, dummy := 0, 0, true, false // what lies above
		var pads int
		for k, it := range items {
			v := it.v
			drawn := it.what != member && m.p.seen(v)
			inner := k > 0 && items[k-1].what == opens
			isDummy := m.owner[v] >= 0
			least := 0
			switch {
			case k == 0:
			case k > 0 && m.together(v, items[k-1].v):
				least = besideGap
			case it.what == closes:
				least = m.p.shapes[v].pad.bottom
				if inner {
					least = m.p.shapes[v].pad.top + 20
				}
			case inner:
				least = pads
			case drawn && dummy, frame && isDummy:
				least = 20
			case drawn, frame:
				least = frameGap
			case dummy && isDummy:
				least = 20
			case dummy || isDummy:
				least = 20
			default:
				least = gap
			}
			to := q.vars[v]
			if it.what == closes {
				to = q.endVar[v]
			}
			arc(last, to, size+least)
			last, size, frame, dummy = to, 0, drawn, isDummy
			switch it.what {
			case member:
				size = m.h[v]
			case opens:
				pads = m.p.shapes[v].pad.top
				if m.p.shapes[v].minH > 0 {
					arc(q.vars[v], q.endVar[v], m.p.shapes[v].minH)
				}
			}
		}
		arc(last, 1, size)
	}
	for i, l := range m.p.lines {
		if q.down[i] {
			a, b := l.a, l.b
			if m.y[a] > m.y[b] {
				a, b = b, a
			}
			least := 40
			if l.lh > 0 {
				least = onGrid(l.lh+44, grid)
			}
			arc(q.under(a), q.vars[b], least+q.below(a))
		}
	}
}

// besideGap is what lies between a shape and what stays beside it.
const besideGap = grid

// together reports whether one of two elements stays beside the other.
func (m *model) together(v, w int) bool {
	f := m.parent[v]
	return v != w && f == m.parent[w] && f != m.p.root && m.p.shapes[f].hidden
}

// under and below give the variable, and its distance, of an element's bottom.
func (q *placing) under(v int) int {
	if v < len(q.m.kids) && q.m.container(v) {
		return q.endVar[v]
	}
	return q.vars[v]
}

func (q *placing) below(v int) int {
	if v < len(q.m.kids) && q.m.container(v) {
		return 0
	}
	return q.m.h[v]
}

// equalHeights lets the first frames of all macro columns begin at one height,
// and the last ones end at one, where nothing lies above or below them.
func (q *placing) equalHeights() {
	if q.pl.flow {
		return
	}
	m := q.m
	root := m.p.root
	top, bottom := -1, -1
	byMacro := map[int][]int{}
	for c := range m.c.n {
		byMacro[m.c.macro[c]] = append(byMacro[m.c.macro[c]], c)
	}
	for k := 0; k < len(byMacro); k++ {
		cols := byMacro[k]
		first, last := q.items[cols[0]], q.items[cols[0]]
		if len(first) == 0 {
			continue
		}
		f, l := first[0], last[len(last)-1]
		same := func(it item, at func([]item) item) bool {
			for _, c := range cols {
				if len(q.items[c]) == 0 || at(q.items[c]) != it {
					return false
				}
			}
			return m.parent[it.v] == root && it.what != member && m.p.seen(it.v)
		}
		if same(f, func(x []item) item { return x[0] }) {
			if top < 0 {
				top = q.vars[f.v]
			}
			q.vars[f.v] = top
		}
		if !q.pl.uneven && same(l, func(x []item) item { return x[len(x)-1] }) {
			if bottom < 0 {
				bottom = q.endVar[l.v]
			}
			q.endVar[l.v] = bottom
		}
	}
}

const placeWork = 400_000

// solve places all elements so that lines are straight before they are short.
func (q *placing) solve() {
	m := q.m
	q.terms = q.terms[:0]
	off := func(line, v int) int {
		if m.owner[v] >= 0 {
			return m.h[v] / 2
		}
		e := 0
		if m.p.lines[line].b == v {
			e = 1
		}
		return q.offset(line, e)
	}
	sizes := []int{}
	for _, segs := range m.gaps {
		sizes = sizes[:0]
		for _, s := range segs {
			for len(sizes) <= s.net {
				sizes = append(sizes, 0)
			}
			sizes[s.net]++
		}
		for _, s := range segs {
			w := 3
			switch {
			case s.light || q.freed != nil && (q.freed[s.line][0] || q.freed[s.line][1]):
				w = 1
			case s.dummys == 2:
				w = 12
			case s.dummys == 1:
				w = 6
			case sizes[s.net] > 1:
				w = 2
			}
			if m.p.main[s.line] {
				w *= 3
			}
			q.terms = append(q.terms, term{q.vars[s.l], off(s.line, s.l), q.vars[s.r], off(s.line, s.r), w})
		}
	}
	q.middles()
	n := 0
	for v := range q.vars {
		n = max(n, q.vars[v]+1, q.endVar[v]+1)
	}
	arcs := slices.Clone(q.arcs)
	arcs = append(arcs, simplex.Arc{From: 0, To: 1, Weight: 3})
	for v := range m.kids {
		if v != m.p.root && m.container(v) {
			arcs = append(arcs, simplex.Arc{From: q.vars[v], To: q.endVar[v], Weight: 1})
		}
	}
	for i, l := range m.p.lines {
		if q.down[i] {
			a, b := l.a, l.b
			if m.y[a] > m.y[b] {
				a, b = b, a
			}
			arcs = append(arcs, simplex.Arc{From: q.under(a), To: q.vars[b], Min: q.below(a), Weight: 4})
		}
	}
	for _, t := range q.terms {
		arcs = append(arcs, simplex.Arc{From: n, To: t.a, Min: -t.pa, Weight: t.weight}, simplex.Arc{From: n, To: t.b, Min: -t.pb, Weight: t.weight})
		n++
	}
	at := simplex.Solve(n, arcs, placeWork)
	for v := range q.top {
		if v == m.p.root {
			continue
		}
		q.top[v] = at[q.vars[v]]
		q.bottom[v] = q.top[v] + m.h[v]
		if v < len(m.kids) && m.container(v) {
			q.bottom[v] = at[q.endVar[v]]
		}
	}
}

// middles makes what a trunk starts from, or leads to, lie at the height of the
// middle one of its other ends.
func (q *placing) middles() {
	m := q.m
	t := 0
	for g, segs := range m.gaps {
		for net, left := range m.netLeft[g] {
			var list []int // terms
			for k := range segs {
				if segs[k].net == net {
					list = append(list, t+k)
				}
			}
			if len(list) < 2 {
				continue
			}
			slices.SortStableFunc(list, func(a, b int) int {
				if left {
					return m.y[segs[a-t].r] - m.y[segs[b-t].r]
				}
				return m.y[segs[a-t].l] - m.y[segs[b-t].l]
			})
			n := len(list)
			q.terms[list[(n-1)/2]].weight++
			q.terms[list[n/2]].weight++
		}
		t += len(segs)
	}
}

// centre moves what straight lines hold together, and nothing pulls, to the
// middle of its free range.
func (q *placing) centre() {
	m := q.m
	n := 0
	for v := range q.vars {
		n = max(n, q.vars[v]+1, q.endVar[v]+1)
	}
	at := make([]int, n)
	fixed := make([]bool, n)
	for v := range q.vars {
		if v == m.p.root {
			continue
		}
		at[q.vars[v]] = q.top[v]
		if v < len(m.kids) && m.container(v) {
			at[q.endVar[v]] = q.bottom[v]
			fixed[q.vars[v]], fixed[q.endVar[v]] = true, true
		}
		at[1] = max(at[1], q.bottom[v])
	}
	fixed[0], fixed[1] = true, true
	part := make([]int, n)
	for i := range part {
		part[i] = i
	}
	find := func(v int) int {
		for part[v] != v {
			part[v] = part[part[v]]
			v = part[v]
		}
		return v
	}
	for _, t := range q.terms {
		if !fixed[t.a] && !fixed[t.b] && at[t.a]+t.pa == at[t.b]+t.pb {
			part[find(t.a)] = find(t.b)
		}
	}
	for range 6 {
		force := make([]int, n)
		for _, t := range q.terms {
			d := at[t.b] + t.pb - at[t.a] - t.pa
			if d < 0 {
				force[find(t.a)] -= t.weight
				force[find(t.b)] += t.weight
			} else if d > 0 {
				force[find(t.a)] += t.weight
				force[find(t.b)] -= t.weight
			}
		}
		for i, l := range m.p.lines {
			if q.down[i] { // it is as short as it can be
				force[find(q.vars[l.a])]++
				force[find(q.vars[l.b])]++
			}
		}
		moved := false
		for b := range n {
			if part[b] != b || fixed[b] || force[b] != 0 {
				continue
			}
			lo, hi := -1<<40, 1<<40
			for _, a := range q.arcs {
				switch u, v := find(a.From), find(a.To); {
				case u == v:
				case v == b:
					lo = max(lo, at[a.From]+a.Min-at[a.To])
				case u == b:
					hi = min(hi, at[a.To]-a.Min-at[a.From])
				}
			}
			if lo == -1<<40 || hi == 1<<40 {
				continue
			}
			d := (lo + hi) / 2 / grid * grid
			if d < lo || d > hi || d == 0 {
				continue
			}
			for v := range n {
				if find(v) == b {
					at[v] += d
				}
			}
			moved = true
		}
		if !moved {
			break
		}
	}
	for v := range q.top {
		if v != m.p.root && !fixed[q.vars[v]] {
			q.top[v] = at[q.vars[v]]
			q.bottom[v] = q.top[v] + m.h[v]
		}
	}
}
