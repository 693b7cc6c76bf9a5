package arrange

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk/layout/simplex"
)

// term asks that two variables with their offsets lie at the same height.
type term struct{ a, pa, b, pb, weight int }

// variables assigns a variable to each thing that moves, and lists the constraints between them.
func (q *placing) variables() {
	m := q.m
	q.vars, q.endVar = make([]int, len(m.parent)), make([]int, len(m.parent))
	n := 2 // variable 0 lies above everything, 1 below
	for v := range q.vars {
		q.vars[v] = n
		n++
		if v < len(m.kids) && m.container(v) {
			q.endVar[v] = n
			n++
		}
	}
	q.equalHeights()
	for _, items := range q.items {
		q.separate(items)
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
			q.constrain(q.bottomVar(a), q.vars[b], least+q.bottomOffset(a))
		}
	}
}

// constrain keeps variable to at least `least` below variable from.
func (q *placing) constrain(from, to, least int) {
	if from != to {
		q.arcs = append(q.arcs, simplex.Arc{From: from, To: to, Min: least})
	}
}

// separate keeps the items of a column apart.
func (q *placing) separate(items []item) {
	m := q.m
	gap := onGrid(m.p.spacing/2*q.pl.gap/100, grid)
	last, size, frame, dummy := 0, 0, true, false // of the item above: its variable and height, whether it is a frame's border or a dummy
	var pads int                                  // of the frame that the item above opens
	for k, it := range items {
		v := it.v
		drawn := it.what != member && m.p.visibleFrame(v)
		inner := k > 0 && items[k-1].what == opens
		isDummy := m.owner[v] >= 0
		least := 0
		switch {
		case k == 0:
		case k > 0 && m.besideEachOther(v, items[k-1].v):
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
		case dummy || isDummy:
			least = 20
		default:
			least = gap
		}
		to := q.vars[v]
		if it.what == closes {
			to = q.endVar[v]
		}
		q.constrain(last, to, size+least)
		last, size, frame, dummy = to, 0, drawn, isDummy
		switch it.what {
		case member:
			size = m.h[v]
		case opens:
			pads = m.p.shapes[v].pad.top
			if m.p.shapes[v].minH > 0 {
				q.constrain(q.vars[v], q.endVar[v], m.p.shapes[v].minH)
			}
		}
	}
	q.constrain(last, 1, size)
}

// besideGap is the distance between a shape and a box that stays beside it.
const besideGap = grid

// besideEachOther reports whether one of two elements is to stay beside the other.
func (m *model) besideEachOther(v, w int) bool {
	f := m.parent[v]
	return v != w && f == m.parent[w] && f != m.p.root && m.p.shapes[f].hidden
}

// bottomVar and bottomOffset give the bottom of an element: a variable, and the distance from it.
func (q *placing) bottomVar(v int) int {
	if v < len(q.m.kids) && q.m.container(v) {
		return q.endVar[v]
	}
	return q.vars[v]
}

func (q *placing) bottomOffset(v int) int {
	if v < len(q.m.kids) && q.m.container(v) {
		return 0
	}
	return q.m.h[v]
}

// equalHeights makes the first frames of all macro columns begin at the same height, and the last ones end at the same
// height, where nothing lies above or below them.
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
			return m.parent[it.v] == root && it.what != member && m.p.visibleFrame(it.v)
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

// placeWork limits the simplex solver, in elementary steps.
const placeWork = 400_000

// solve positions all elements. It makes lines straight first, then short.
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
			case s.dummies == 2:
				w = 12
			case s.dummies == 1:
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
	q.alignTrunks()
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
			arcs = append(arcs, simplex.Arc{From: q.bottomVar(a), To: q.vars[b], Min: q.bottomOffset(a), Weight: 4})
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

// alignTrunks aligns the common end of a trunk with the middle one of its other ends, by giving that line more weight.
func (q *placing) alignTrunks() {
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
