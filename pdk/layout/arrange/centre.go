package arrange

// blocks are sets of variables that straight lines hold together.
type blocks struct {
	at    []int  // by variable: its position
	fixed []bool // by variable: it must not move
	part  []int  // by variable: another one of its block, in the end the one that stands for the block
}

// centre moves each block that no line pulls up or down to the middle of the range in which it can move.
func (q *placing) centre() {
	b := q.blocks()
	for range 6 {
		if !q.centreBlocks(b) {
			break
		}
	}
	m := q.m
	for v := range q.top {
		if v != m.p.root && !b.fixed[q.vars[v]] {
			q.top[v] = b.at[q.vars[v]]
			q.bottom[v] = q.top[v] + m.h[v]
		}
	}
}

// blocks finds the blocks. Frames and the page are fixed.
func (q *placing) blocks() *blocks {
	m := q.m
	n := 0
	for v := range q.vars {
		n = max(n, q.vars[v]+1, q.endVar[v]+1)
	}
	b := &blocks{at: make([]int, n), fixed: make([]bool, n), part: make([]int, n)}
	for v := range q.vars {
		if v == m.p.root {
			continue
		}
		b.at[q.vars[v]] = q.top[v]
		if v < len(m.kids) && m.container(v) {
			b.at[q.endVar[v]] = q.bottom[v]
			b.fixed[q.vars[v]], b.fixed[q.endVar[v]] = true, true
		}
		b.at[1] = max(b.at[1], q.bottom[v])
	}
	b.fixed[0], b.fixed[1] = true, true
	for i := range b.part {
		b.part[i] = i
	}
	for _, t := range q.terms {
		if !b.fixed[t.a] && !b.fixed[t.b] && b.at[t.a]+t.pa == b.at[t.b]+t.pb {
			b.part[b.find(t.a)] = b.find(t.b)
		}
	}
	return b
}

// find returns the variable that stands for v's block.
func (b *blocks) find(v int) int {
	for b.part[v] != v {
		b.part[v] = b.part[b.part[v]]
		v = b.part[v]
	}
	return v
}

// centreBlocks moves each block without a force on it once, and reports whether any moved.
func (q *placing) centreBlocks(b *blocks) bool {
	force := q.forces(b)
	moved := false
	for k := range b.part {
		if b.part[k] != k || b.fixed[k] || force[k] != 0 {
			continue
		}
		lo, hi := q.freeRange(b, k)
		if lo == -1<<40 || hi == 1<<40 {
			continue
		}
		d := (lo + hi) / 2 / grid * grid
		if d < lo || d > hi || d == 0 {
			continue
		}
		for v := range b.at {
			if b.find(v) == k {
				b.at[v] += d
			}
		}
		moved = true
	}
	return moved
}

// forces is how strongly lines pull each block, by the variable that stands for it: down above 0, up below.
func (q *placing) forces(b *blocks) []int {
	force := make([]int, len(b.at))
	for _, t := range q.terms {
		d := b.at[t.b] + t.pb - b.at[t.a] - t.pa
		if d < 0 {
			force[b.find(t.a)] -= t.weight
			force[b.find(t.b)] += t.weight
		} else if d > 0 {
			force[b.find(t.a)] += t.weight
			force[b.find(t.b)] -= t.weight
		}
	}
	for i, l := range q.m.p.lines {
		if q.down[i] { // as short as it can be: hold its ends
			force[b.find(q.vars[l.a])]++
			force[b.find(q.vars[l.b])]++
		}
	}
	return force
}

// freeRange is how far up (below 0) and down a block can move; -1<<40 and 1<<40 where nothing limits it.
func (q *placing) freeRange(b *blocks, block int) (lo, hi int) {
	lo, hi = -1<<40, 1<<40
	for _, a := range q.arcs {
		switch u, v := b.find(a.From), b.find(a.To); {
		case u == v:
		case v == block:
			lo = max(lo, b.at[a.From]+a.Min-b.at[a.To])
		case u == block:
			hi = min(hi, b.at[a.To]-a.Min-b.at[a.From])
		}
	}
	return lo, hi
}
