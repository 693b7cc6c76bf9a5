package arrange

import "slices"

// model is a graph in columns. Its elements are shapes, frames, and the dummies of long lines; each has a place in the
// list of its container. The order of a column is that of a walk over this tree.
type model struct {
	p       *problem
	c       *columns
	parent  []int       // by element
	first   []int       // by element: its first column
	last    []int       // by element: its last column
	h       []int       // by element: its height
	owner   []int       // by element: the line of a dummy, -1 for others
	kids    [][]int     // by container
	gaps    [][]segment // by column: the segments between it and the next
	chain   [][]int     // by line: its elements from the left end to the right one; empty within a column
	turned  []bool      // by line: it leads from right to left
	inner   []int       // lines whose ends share a column
	netLeft [][]bool    // by gap and net: whether its lines share the left end rather than the right one

	y     []int // by element: approximate height of its middle
	idx   []int // by element: its index in its column
	cur   []int // by column: how far down the walk has come
	count []int // by column: how many elements the walk has passed
	work  int   // elementary steps left
}

// segment is the part of a line between two columns.
type segment struct {
	l, r    int // elements
	line    int
	light   bool // part of a backward line, which will be routed around later
	dummies int  // how many of its ends are dummies
	net     int
}

// model makes a model of the columns, with shapes in the order of their creation.
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
		if n := len(chain); n > 2 && l.lh > 20 { // the label needs height in a column
			m.h[chain[n/2]] = l.lh
		}
		for k := 1; k < len(chain); k++ {
			s := segment{l: chain[k-1], r: chain[k], line: i, light: light}
			if k > 1 {
				s.dummies++
			}
			if k < len(chain)-1 {
				s.dummies++
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

// dummy adds an element for line i, from a to b, in a column that it passes. It lies in the innermost frame around one
// of the ends that spans the column.
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

// nets combines segments into nets, which share a trunk: those without labels that leave the same end, or reach the same
// end, in one class and direction. Segments with labels join only where the side of the shape has no room for all of
// them.
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
		busy := map[[2]int]int{} // by element and side: how many lines end there
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
			for i := range segs { // not over size: the result must not depend on the order of a map
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
