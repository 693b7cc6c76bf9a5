package arrange

import "slices"

// model is a graph in columns: shapes, frames and the dummies of long lines
// are elements, each with its place in the list of its container. The order of
// a column is the walk over that tree.
type model struct {
	p       *problem
	c       *columns
	parent  []int // by element
	first   []int
	last    []int
	h       []int
	owner   []int   // of a dummy: its line; -1 for others
	kids    [][]int // by container
	gaps    [][]segment
	chain   [][]int  // by line: elements from the left end to the right one
	turned  []bool   // by line: leads from right to left
	inner   []int    // lines whose ends share a column
	netLeft [][]bool // by gap and net: its lines share the left end, not the right one

	y     []int // by element: about where its middle is
	idx   []int // by element: its place in its column
	cur   []int // by column, of the walk
	count []int
	work  int // elementary steps left
}

// segment is the part of a line between two columns.
type segment struct {
	l, r   int // elements
	line   int
	light  bool // part of a line backwards that is led around later
	dummys int  // how many of the ends are dummies
	net    int
}

func (p *problem) model(c *columns) *model {
	n := len(p.shapes)
	m := &model{p: p, c: c, first: slices.Clone(c.first), last: slices.Clone(c.last), kids: make([][]int, n),
		chain: make([][]int, len(p.lines)), turned: make([]bool, len(p.lines)), gaps: make([][]segment, max(0, c.n-1))}
	for v := range p.shapes {
		m.parent = append(m.parent, p.shapes[v].parent)
		m.h = append(m.h, p.shapes[v].h)
		m.owner = append(m.owner, -1)
		m.kids[v] = slices.Clone(p.shapes[v].kids)
	}
	for i, l := range p.lines {
		if l.skip {
			continue
		}
		a, b := l.a, l.b
		if c.first[a] > c.last[b] {
			a, b = b, a
			m.turned[i] = true
		}
		if c.last[a] >= c.first[b] {
			m.turned[i] = false
			m.inner = append(m.inner, i)
			continue
		}
		light := m.turned[i] && c.macro[c.first[b]]-c.macro[c.last[a]] > 1
		chain := []int{a}
		for col := c.last[a] + 1; col < c.first[b]; col++ {
			chain = append(chain, m.dummy(i, a, b, col))
		}
		chain = append(chain, b)
		m.chain[i] = chain
		if n := len(chain); n > 2 && l.lh > 20 { // its label lies across the columns
			m.h[chain[n/2]] = l.lh
		}
		for k := 1; k < len(chain); k++ {
			s := segment{l: chain[k-1], r: chain[k], line: i, light: light}
			if k > 1 {
				s.dummys++
			}
			if k < len(chain)-1 {
				s.dummys++
			}
			m.gaps[c.last[a]+k-1] = append(m.gaps[c.last[a]+k-1], s)
		}
	}
	m.y, m.idx = make([]int, len(m.parent)), make([]int, len(m.parent))
	m.cur, m.count = make([]int, c.n), make([]int, c.n)
	m.netLeft = make([][]bool, len(m.gaps))
	m.nets()
	return m
}

// dummy adds an element for line i in a column it passes. It lies in the
// innermost frame around one of the line's ends that spans the column.
func (m *model) dummy(i, a, b, col int) int {
	home, deep := m.p.root, 0
	for _, end := range [2]int{a, b} {
		for f := m.p.shapes[end].parent; f != m.p.root; f = m.p.shapes[f].parent {
			if m.c.first[f] <= col && col <= m.c.last[f] && m.p.shapes[f].depth > deep {
				home, deep = f, m.p.shapes[f].depth
				break
			}
		}
	}
	v := len(m.parent)
	m.parent = append(m.parent, home)
	m.first, m.last = append(m.first, col), append(m.last, col)
	m.h = append(m.h, 0)
	m.owner = append(m.owner, i)
	m.kids[home] = append(m.kids[home], v)
	return v
}

func (m *model) container(v int) bool { return v < len(m.kids) && len(m.kids[v]) > 0 }

// nets joins segments into nets: what leaves one end, or reaches one, without
// labels, in one style and direction, shares a trunk.
func (m *model) nets() {
	type key struct {
		end   int
		left  bool
		class int
		turn  bool
	}
	for g := range m.gaps {
		segs := m.gaps[g]
		for i := range segs {
			segs[i].net = -1
		}
		keys := func(s *segment) [2]key {
			l := &m.p.lines[s.line]
			return [2]key{{s.l, true, l.class, m.turned[s.line]}, {s.r, false, l.class, m.turned[s.line]}}
		}
		busy := map[[2]int]int{} // lines at each side
		for i := range segs {
			busy[[2]int{segs[i].l, 1}]++
			busy[[2]int{segs[i].r, 0}]++
		}
		fits := func(s *segment, k key) bool {
			if m.owner[k.end] >= 0 || s.net >= 0 {
				return false
			}
			if m.p.lines[s.line].lw == 0 {
				return true
			}
			e := [2]int{k.end, 0}
			if k.left {
				e[1] = 1
			}
			room := m.h[k.end] * m.p.shapes[k.end].face() / 100
			return room > 0 && room < (busy[e]-1)*14
		}
		next := 0
		for {
			size := map[key]int{}
			for i := range segs {
				for _, k := range keys(&segs[i]) {
					if fits(&segs[i], k) {
						size[k]++
					}
				}
			}
			best, most := key{}, 1
			for i := range segs { // not the map: its order must not show
				for _, k := range keys(&segs[i]) {
					if fits(&segs[i], k) && size[k] > most {
						best, most = k, size[k]
					}
				}
			}
			if most < 2 {
				break
			}
			for i := range segs {
				if ks := keys(&segs[i]); ks[0] == best && fits(&segs[i], best) || ks[1] == best && fits(&segs[i], best) {
					segs[i].net = next
				}
			}
			m.netLeft[g] = append(m.netLeft[g], best.left)
			next++
		}
		for i := range segs {
			if segs[i].net < 0 {
				segs[i].net = next
				m.netLeft[g] = append(m.netLeft[g], true)
				next++
			}
		}
	}
}

const (
	shapeGap = 30
	frameGap = 40
)

// walk places all elements below each other in their order.
func (m *model) walk() {
	for c := range m.cur {
		m.cur[c], m.count[c] = 0, 0
	}
	m.visit(m.p.root)
	for _, k := range m.p.shapes[m.p.root].kids {
		if m.p.seen(k) {
			return
		}
	}
	high := slices.Max(m.cur)
	for v := range m.y {
		if v != m.p.root {
			m.y[v] += (high - m.cur[m.first[v]]) / 2
		}
	}
}

func (m *model) visit(f int) {
	for _, v := range m.kids[f] {
		c := m.first[v]
		switch {
		case m.container(v):
			top := 0
			for c := m.first[v]; c <= m.last[v]; c++ {
				top = max(top, m.cur[c])
			}
			s := &m.p.shapes[v]
			for c := m.first[v]; c <= m.last[v]; c++ {
				m.cur[c] = top + s.pad.top
			}
			m.visit(v)
			bottom := 0
			for c := m.first[v]; c <= m.last[v]; c++ {
				bottom = max(bottom, m.cur[c])
			}
			for c := m.first[v]; c <= m.last[v]; c++ {
				m.cur[c] = bottom + s.pad.bottom + frameGap - shapeGap
			}
			m.y[v] = (top + bottom) / 2
		case m.owner[v] >= 0:
			m.y[v] = m.cur[c] - 5 + m.h[v]/2
			m.cur[c] += 18 + m.h[v]
			m.idx[v] = m.count[c]
			m.count[c]++
		default:
			m.y[v] = m.cur[c] + m.h[v]/2
			m.cur[c] += m.h[v] + shapeGap
			m.idx[v] = m.count[c]
			m.count[c]++
		}
	}
}

// cost rates the order as it is. It gives up beyond a limit.
func (m *model) cost(limit int) int {
	m.walk()
	m.work -= len(m.y)
	sum := 0
	for _, segs := range m.gaps {
		if sum > limit {
			return sum
		}
		m.work -= len(segs) * len(segs) / 4
		for i := range segs {
			s := &segs[i]
			yl, yr := m.y[s.l], m.y[s.r]
			switch {
			case s.light:
				sum += abs(yl-yr) * 2
			case s.dummys == 2:
				sum += abs(yl-yr) * 10
			default:
				sum += abs(yl-yr) * 5
			}
			for j := range i {
				t := &segs[j]
				if d, e := yl-m.y[t.l], yr-m.y[t.r]; d < 0 && e > 0 || d > 0 && e < 0 {
					if s.light != t.light {
						sum += 500
					} else {
						sum += 10000
					}
				}
			}
		}
	}
	for _, i := range m.inner {
		l := &m.p.lines[i]
		if m.p.frame(l.a) || m.p.frame(l.b) {
			continue
		}
		d := m.idx[l.b] - m.idx[l.a]
		if d < 0 {
			sum += 3000
			d = -d
		}
		if d > 1 {
			sum += 6000 + 2000*(d-1)
		}
	}
	return sum
}

// order finds a good order of all lists: sweeps by the mean of neighbours,
// then moves of one child while the cost falls, as far as work goes.
func (m *model) order(work int) {
	m.work = work
	best := m.cost(unlimited)
	keep := m.copyKids()
	for round := range 12 {
		m.sweep(round % 3)
		if c := m.cost(best); c < best {
			best = c
			m.saveKids(keep)
		}
	}
	m.loadKids(keep)
	m.climb(best)
	m.walk()
}

// climb moves children within their lists while that helps.
func (m *model) climb(best int) int {
	for moved := true; moved && m.work > 0; {
		moved = false
		for f := range m.kids {
			list := m.kids[f]
			for i := 0; i < len(list) && m.work > 0; i++ {
				v := list[i]
				at, now := i, i
				for k := 1; k < len(list) && m.work > 0; k++ {
					j := i - k // up to the first place, then down from the old one
					if j < 0 {
						j = k
					}
					passed := list[j]
					shift(list, now, j)
					now = j
					if m.first[v] > m.last[passed] || m.last[v] < m.first[passed] {
						continue // they share no column: nothing has changed
					}
					if c := m.cost(best); c < best {
						best, at = c, j
					}
				}
				shift(list, now, at)
				if at != i && list[at] == v {
					moved = true
				}
			}
		}
	}
	return best
}

// shift moves the member at place i of a list to place j.
func shift(list []int, i, j int) {
	v := list[i]
	if i < j {
		copy(list[i:j], list[i+1:j+1])
	} else {
		copy(list[j+1:i+1], list[j:i])
	}
	list[j] = v
}

func (m *model) copyKids() [][]int {
	out := make([][]int, len(m.kids))
	for i := range out {
		out[i] = slices.Clone(m.kids[i])
	}
	return out
}

func (m *model) saveKids(to [][]int) {
	for i := range to {
		copy(to[i], m.kids[i])
	}
}

func (m *model) loadKids(from [][]int) {
	for i := range from {
		copy(m.kids[i], from[i])
	}
}

// sweep sorts all lists by the mean height of what lies to the left (0), to the
// right (1), or on both sides (2).
func (m *model) sweep(side int) {
	n := len(m.parent)
	sum, cnt := make([]int, n), make([]int, n)
	add := func(v, y int) {
		for ; v >= 0; v = m.parent[v] {
			sum[v] += y
			cnt[v]++
		}
	}
	for _, segs := range m.gaps {
		for i := range segs {
			s := &segs[i]
			if side != 1 {
				add(s.r, m.y[s.l])
			}
			if side != 0 {
				add(s.l, m.y[s.r])
			}
		}
	}
	for v := range sum {
		if cnt[v] == 0 {
			sum[v] = m.y[v] * 16
		} else {
			sum[v] = sum[v] * 16 / cnt[v]
		}
	}
	for _, list := range m.kids {
		slices.SortStableFunc(list, func(a, b int) int { return sum[a] - sum[b] })
	}
}

func abs(x int) int { return (x ^ x>>63) - x>>63 }
