package arrange

import "slices"

const (
	shapeGap = 30
	frameGap = 40
)

// walk positions all elements below each other in their order.
func (m *model) walk() {
	for c := range m.cur {
		m.cur[c], m.count[c] = 0, 0
	}
	m.visit(m.p.root)
	for _, k := range m.p.shapes[m.p.root].kids {
		if m.p.visibleFrame(k) {
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

// visit positions the elements of container f.
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

// cost rates the current order. It stops early once the cost exceeds limit.
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
			case s.dummies == 2:
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

// order finds a good order of all containers: it sweeps by the mean height of neighbours, then moves single children
// while the cost falls, until work, in elementary steps, is used up.
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

// climb moves children within their containers while that reduces the cost, and returns the cost.
func (m *model) climb(best int) int {
	for moved := true; moved && m.work > 0; {
		moved = false
		for f := range m.kids {
			list := m.kids[f]
			for i := 0; i < len(list) && m.work > 0; i++ {
				v := list[i]
				at, now := i, i
				for k := 1; k < len(list) && m.work > 0; k++ {
					j := i - k // first up to the beginning, then down from the old position
					if j < 0 {
						j = k
					}
					passed := list[j]
					shift(list, now, j)
					now = j
					if m.first[v] > m.last[passed] || m.last[v] < m.first[passed] {
						continue // without a common column the swap changes nothing
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

// shift moves the member at index i of a list to index j.
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

// sweep sorts all containers by the mean height of the neighbours to the left (side 0), to the right (1), or on both
// sides (2).
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
