package arrange

import (
	"github.com/fcp-host/fcp-host/pdk/layout/simplex"
)

// item is an item of a column; the items are listed from top to bottom.
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

// placing finds the positions of an ordered model across the flow. Lines lead from left to right.
type placing struct {
	m       *model
	pl      plan
	items   [][]item // by column
	down    []bool   // by line: leads straight down or up within its column
	right   []bool   // by line with a bracket: it is to the right of the column
	bracket []bool   // by line: a bracket
	ports   []port
	freed   [][2]bool // by line: which of its ends leave by another side and need no port; nil for none
	portAt  [][2]int  // by line: the ports of its two ends, -1 for none

	top, bottom []int         // by element: its y
	vars        []int         // by element: the variable of its top
	endVar      []int         // by frame: the variable of its bottom
	arcs        []simplex.Arc // constraints
	terms       []term
}

// place finds positions for the model. freed is nil, or the line ends that need no port; solves is how many times to
// solve for positions, each with the ports that the last one leads to.
func (m *model) place(pl plan, freed [][2]bool, solves int) *placing {
	q := &placing{m: m, pl: pl, freed: freed, items: make([][]item, m.c.n)}
	n := len(m.p.lines)
	q.down, q.right, q.bracket = make([]bool, n), make([]bool, n), make([]bool, n)
	q.top, q.bottom = make([]int, len(m.parent)), make([]int, len(m.parent))
	q.listItems(m.p.root)
	q.shapeInnerLines()
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

// listItems lists the items of each column, for frame f and what it holds.
func (q *placing) listItems(f int) {
	for _, v := range q.m.kids[f] {
		if !q.m.container(v) {
			c := q.m.first[v]
			q.items[c] = append(q.items[c], item{v, member})
			continue
		}
		for c := q.m.first[v]; c <= q.m.last[v]; c++ {
			q.items[c] = append(q.items[c], item{v, opens})
		}
		q.listItems(v)
		for c := q.m.first[v]; c <= q.m.last[v]; c++ {
			q.items[c] = append(q.items[c], item{v, closes})
		}
	}
}

// shapeInnerLines decides how the lines within columns run: straight where nothing lies between their ends, otherwise as
// a bracket on the side with fewer lines.
func (q *placing) shapeInnerLines() {
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
		q.bracket[i] = true
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
