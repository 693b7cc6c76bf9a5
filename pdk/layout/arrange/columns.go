package arrange

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk/layout/simplex"
)

// mode is how the members of a frame lie.
type mode uint8

const (
	stacked mode = iota // in one column
	layered             // in columns by the lines between them
	grid2               // in two columns, three, in their order
	grid3
)

// plan is an arrangement: all that the search decides.
type plan struct {
	flow bool   // columns by the flow alone; groups span them
	mode []mode // by frame
	move []int  // by unit: macro columns to the right of where its lines put it
	room int    // further room between columns
	gap  int    // room between shapes in a column, in per cent
	rows int    // rows that the columns are wrapped into

	spread   bool // ports far enough apart for labels across their lines
	mirrored bool // the order of every container turned round
	uneven   bool // groups end where what is in them does
}

func (pl plan) clone() plan {
	pl.mode, pl.move = slices.Clone(pl.mode), slices.Clone(pl.move)
	return pl
}

// columns says where every shape lies along the flow.
type columns struct {
	first, last []int // by shape: the columns it spans
	macro       []int // by column: the macro column it belongs to
	n           int
}

const rankWork = 200_000

// quotient gives the first column of each of n nodes as wide as told, so that
// what feeds another lies left of it. Nodes that nothing joins get -1.
func quotient(n int, width []int, arcs []simplex.Arc) []int {
	w := make([]int, n*n)
	joined := make([]bool, n)
	for _, a := range arcs {
		w[a.From*n+a.To] += a.Weight
		joined[a.From], joined[a.To] = true, true
	}
	place := make([]int, n)
	for i, v := range linear(n, w) {
		place[v] = i
	}
	var forward []simplex.Arc
	for _, a := range arcs {
		if place[a.From] < place[a.To] {
			forward = append(forward, simplex.Arc{From: a.From, To: a.To, Min: width[a.From], Weight: a.Weight})
		}
	}
	out := simplex.Solve(n, forward, rankWork)
	for v := range out {
		if !joined[v] {
			out[v] = -1
		}
	}
	level(n, arcs, out)
	return out
}

// level begins each part of a graph in the first column.
func level(n int, arcs []simplex.Arc, at []int) {
	part := make([]int, n)
	for v := range part {
		part[v] = v
	}
	find := func(v int) int {
		for part[v] != v {
			part[v] = part[part[v]]
			v = part[v]
		}
		return v
	}
	for _, a := range arcs {
		u, v := find(a.From), find(a.To)
		part[max(u, v)] = min(u, v)
	}
	least := make([]int, n)
	for v := range n {
		if r := find(v); r == v {
			least[v] = at[v]
		} else {
			least[r] = min(least[r], at[v])
		}
	}
	for v := range n {
		if at[v] >= 0 {
			at[v] -= least[find(v)]
		}
	}
}

// linear orders nodes so that little weight leads backwards: it moves one node
// after the other while that helps, from the order of creation, from that in
// which a reader meets them who follows the arcs, and from one that begins with
// what feeds most. The reader's wins a tie, then that of creation.
func linear(n int, w []int) []int {
	best := met(n, w)
	cost := improve(n, w, best)
	if cost == 0 {
		given := make([]int, n)
		for v := range given {
			given[v] = v
		}
		if improve(n, w, given) == 0 {
			return given // nothing has to lead back: nothing has to be met first
		}
		return best
	}
	given := make([]int, n)
	for v := range given {
		given[v] = v
	}
	for _, other := range [2][]int{given, greedy(n, w)} {
		if c := improve(n, w, other); c < cost {
			best, cost = other, c
		}
	}
	return best
}

// met is the order in which the arcs lead from what nothing feeds, or else from
// what was created first: only arcs that close a loop lead backwards.
func met(n int, w []int) []int {
	seen := make([]bool, n)
	out := make([]int, 0, n)
	var visit func(v int)
	visit = func(v int) {
		if seen[v] {
			return
		}
		seen[v] = true
		for u := n - 1; u >= 0; u-- { // what is visited last comes first
			if w[v*n+u] > 0 {
				visit(u)
			}
		}
		out = append(out, v)
	}
	for _, source := range [2]bool{true, false} {
		for v := range n {
			fed := false
			for u := range n {
				fed = fed || w[u*n+v] > 0
			}
			if fed != source {
				visit(v)
			}
		}
	}
	slices.Reverse(out)
	return out
}

// greedy takes the node that feeds most compared with what feeds it, again and
// again; what feeds nothing goes to the end.
func greedy(n int, w []int) []int {
	in, out := make([]int, n), make([]int, n)
	for i := range n {
		for j := range n {
			out[i] += w[i*n+j]
			in[j] += w[i*n+j]
		}
	}
	used := make([]bool, n)
	var front, back []int
	for len(front)+len(back) < n {
		best, last := -1, -1
		for v := range n {
			if used[v] {
				continue
			}
			if best < 0 || in[best] > 0 && (in[v] == 0 || out[v]-in[v] > out[best]-in[best]) {
				best = v
			}
			if out[v] == 0 {
				last = v
			}
		}
		if in[best] > 0 && last >= 0 {
			best = last
			back = append(back, best)
		} else {
			front = append(front, best)
		}
		used[best] = true
		for v := range n {
			in[v] -= w[best*n+v]
			out[v] -= w[v*n+best]
		}
	}
	slices.Reverse(back)
	return append(front, back...)
}

// improve moves nodes in an order while less weight leads backwards, and gives
// that weight.
func improve(n int, w, order []int) int {
	for moved, round := true, 0; moved && round < 8; round++ {
		moved = false
		for v := range n {
			i := slices.Index(order, v)
			best, at, cost := 0, i, 0
			for j := i - 1; j >= 0; j-- {
				u := order[j]
				cost += w[u*n+v] - w[v*n+u]
				if cost < best {
					best, at = cost, j
				}
			}
			cost = 0
			for j := i + 1; j < n; j++ {
				u := order[j]
				cost += w[v*n+u] - w[u*n+v]
				if cost < best {
					best, at = cost, j
				}
			}
			if at != i {
				shift(order, i, at)
				moved = true
			}
		}
	}
	sum := 0
	for i, v := range order {
		for _, u := range order[:i] {
			sum += w[v*n+u]
		}
	}
	return sum
}

// columns follows a plan.
func (p *problem) columns(pl plan) *columns {
	n := len(p.shapes)
	c := &columns{first: make([]int, n), last: make([]int, n)}
	if pl.flow {
		p.flowColumns(c)
		return c
	}
	macro := p.macros(pl)
	start, width := make([]int, n), make([]int, n)
	var inside func(f int)
	inside = func(f int) {
		if !p.frame(f) {
			width[f] = 1
			return
		}
		kids := p.shapes[f].kids
		for _, k := range kids {
			inside(k)
		}
		if f == p.root {
			return
		}
		switch m := pl.mode[f]; m {
		case layered:
			p.layers(f, macro, start, width)
		case grid2, grid3:
			cols := int(m-grid2) + 2
			per := (len(kids) + cols - 1) / cols
			for i, k := range kids {
				start[k] = i / per
			}
		}
		for _, k := range kids {
			width[f] = max(width[f], start[k]+width[k])
		}
	}
	inside(p.root)
	units := p.shapes[p.root].kids
	widest := make([]int, slices.Max(macro)+1)
	for _, u := range units {
		widest[macro[u]] = max(widest[macro[u]], width[u])
	}
	base := make([]int, len(widest))
	for m, w := range widest {
		base[m] = c.n
		for range w {
			c.macro = append(c.macro, m)
		}
		c.n += w
	}
	var set func(v, at, span int)
	set = func(v, at, span int) {
		c.first[v], c.last[v] = at, at
		if !p.frame(v) {
			return
		}
		c.last[v] = at + span - 1
		for _, k := range p.shapes[v].kids {
			s := width[k]
			if pl.mode[v] == stacked && p.seen(k) {
				s = span // frames above each other are as wide as each other
			}
			set(k, at+start[k], s)
		}
	}
	for _, u := range units {
		set(u, base[macro[u]], widest[macro[u]])
	}
	c.last[p.root] = c.n - 1
	return c
}

// layers gives the members of f columns by the lines between them. Lines from
// and to the outside pull a little.
func (p *problem) layers(f int, macro, start, width []int) {
	kids := p.shapes[f].kids
	at := p.index(kids)
	n := len(kids)
	var arcs, pulls []simplex.Arc
	for _, l := range p.lines {
		if l.skip {
			continue
		}
		a, b := p.child(l.a, f), p.child(l.b, f)
		switch {
		case a >= 0 && b >= 0 && a != b:
			arcs = append(arcs, simplex.Arc{From: at[a], To: at[b], Weight: l.weight() * 2})
		case a >= 0 && b < 0, b >= 0 && a < 0:
			in, out := a, l.b
			if a < 0 {
				in, out = b, l.a
			}
			mine, other := macro[p.shapes[f].unit], macro[p.shapes[out].unit]
			if other < mine {
				pulls = append(pulls, simplex.Arc{From: n, To: at[in], Weight: 1})
			} else if other > mine {
				pulls = append(pulls, simplex.Arc{From: at[in], To: n + 1, Weight: 1})
			}
		}
	}
	w := make([]int, n)
	for i, k := range kids {
		w[i] = width[k]
	}
	got := quotient(n, w, arcs)
	// Once more, with the pulls: none of them widens the frame.
	wide := 0
	for i, s := range got {
		wide = max(wide, s+w[i])
	}
	place := make([]int, n)
	copy(place, got)
	for _, a := range arcs {
		if place[a.From] < place[a.To] {
			pulls = append(pulls, simplex.Arc{From: a.From, To: a.To, Min: w[a.From], Weight: a.Weight})
		}
	}
	for i := range n {
		pulls = append(pulls, simplex.Arc{From: n, To: i}, simplex.Arc{From: i, To: n + 1, Min: w[i]})
	}
	pulls = append(pulls, simplex.Arc{From: n, To: n + 1, Min: max(1, wide), Weight: 100})
	rank := simplex.Solve(n+2, pulls, rankWork)
	for i, k := range kids {
		start[k] = rank[i] - rank[n]
	}
}

func (l *line) weight() int {
	if l.loose {
		return 1
	}
	return 2
}

func (p *problem) index(list []int) []int {
	at := make([]int, len(p.shapes))
	for i, v := range list {
		at[v] = i
	}
	return at
}

// macros gives the units their macro columns.
func (p *problem) macros(pl plan) []int {
	units := p.shapes[p.root].kids
	at := p.index(units)
	macro := make([]int, len(p.shapes))
	var arcs []simplex.Arc
	for _, l := range p.lines {
		if a, b := p.shapes[l.a].unit, p.shapes[l.b].unit; !l.skip && a != b {
			arcs = append(arcs, simplex.Arc{From: at[a], To: at[b], Weight: l.weight()})
		}
	}
	one := make([]int, len(units))
	for i := range one {
		one[i] = 1
	}
	got := quotient(len(units), one, arcs)
	p.lone(units, got)
	for i, u := range units {
		macro[u] = got[i] + pl.move[u]
	}
	squeeze(units, macro)
	return macro
}

// lone puts units without lines into the shortest column, or, where no unit
// has lines, into as many as make a picture of usual form.
func (p *problem) lone(units, got []int) {
	high := make([]int, slices.Max(got)+1)
	sum, wide := 0, 0
	for i, u := range units {
		h, w := p.estimate(u)
		sum += h
		wide = max(wide, w)
		if got[i] >= 0 {
			high[got[i]] += h
		}
	}
	if len(high) == 0 {
		cols := 1
		for cols < len(units) && cols*cols*(wide+60)*3 < 5*sum {
			cols++
		}
		for i := range units {
			got[i] = i % cols
		}
		return
	}
	for i, u := range units {
		if got[i] < 0 {
			h, _ := p.estimate(u)
			got[i] = slices.Index(high, slices.Min(high))
			high[got[i]] += h
		}
	}
}

// estimate is about how high and wide a unit is when its members are stacked.
func (p *problem) estimate(v int) (h, w int) {
	s := &p.shapes[v]
	if !p.frame(v) {
		return s.h + 30, s.w
	}
	h = s.pad.top + s.pad.bottom + 10
	for _, k := range s.kids {
		kh, kw := p.estimate(k)
		h, w = h+kh, max(w, kw)
	}
	return h, w + s.pad.left + s.pad.right
}

// squeeze takes out columns that nothing lies in.
func squeeze(list, at []int) {
	var used []int
	for _, v := range list {
		used = append(used, at[v])
	}
	slices.Sort(used)
	used = slices.Compact(used)
	for _, v := range list {
		at[v], _ = slices.BinarySearch(used, at[v])
	}
}

// flowColumns ranks all shapes by all lines, whatever frame they lie in.
func (p *problem) flowColumns(c *columns) {
	var leaves []int
	for v := range p.root {
		if !p.frame(v) {
			leaves = append(leaves, v)
		}
	}
	at := p.index(leaves)
	var arcs []simplex.Arc
	for _, l := range p.lines {
		if !l.skip && !p.frame(l.a) && !p.frame(l.b) && l.a != l.b {
			arcs = append(arcs, simplex.Arc{From: at[l.a], To: at[l.b], Weight: l.weight()})
		}
	}
	one := make([]int, len(leaves))
	for i := range one {
		one[i] = 1
	}
	got := quotient(len(leaves), one, arcs)
	n := max(1, slices.Max(got)+1)
	count := make([]int, n)
	for i := range leaves {
		if got[i] >= 0 {
			count[got[i]]++
		}
	}
	lo, hi := make([]int, len(p.shapes)), make([]int, len(p.shapes))
	for f := range lo {
		lo[f], hi[f] = n, -1
	}
	note := func(v, col int) {
		for f := v; f >= 0; f = p.shapes[f].parent {
			lo[f], hi[f] = min(lo[f], col), max(hi[f], col)
		}
	}
	for i, v := range leaves {
		if got[i] >= 0 {
			note(v, got[i])
		}
	}
	for i, v := range leaves {
		if got[i] >= 0 {
			continue
		}
		f := p.shapes[v].parent
		for f != p.root && hi[f] < 0 {
			f = p.shapes[f].parent
		}
		from, to := lo[f], hi[f]
		if hi[f] < 0 {
			from, to = 0, n-1
		}
		best := from
		for k := from; k <= to; k++ {
			if count[k] < count[best] {
				best = k
			}
		}
		count[best]++
		note(v, best)
	}
	c.n = n
	for k := range n {
		c.macro = append(c.macro, k)
	}
	copy(c.first, lo)
	copy(c.last, hi)
	c.last[p.root] = n - 1
	c.first[p.root] = 0
}
