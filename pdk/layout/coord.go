package layout

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/layout/simplex"
)

// frame is the padding of a container along the rows, at its beginning and end, and its least extent.
type frame struct{ before, after, least float64 }

// columns finds the position along its row of each vertex's middle, and where each container begins and ends. Long edges
// run straight where possible, all edges are as short sideways as the order allows, and containers exclude what is not
// in them.
type columns struct {
	r     *rows
	frame func(c int) frame
	gap   float64

	chains [][]int       // runs of an edge's pieces that share a position
	of     []int         // variable of each vertex
	border map[int]int   // by container: the variable of its beginning; that of its end follows
	n      int           // number of variables
	seps   []simplex.Arc // least distances between variables
}

// coords are the coordinates of a part, in rows from the top down.
type coords struct {
	x          []float64       // by vertex: its middle along its row
	begin, end map[int]float64 // by container: its extent along the rows
	y, heights []float64       // by row: where it begins, and its extent across
}

// columns finds the coordinates along the rows.
func (r *rows) columns(gap float64, fr func(c int) frame) coords {
	c := &columns{r: r, frame: fr, gap: gap}
	byChain := map[int][]int{}
	var order []int
	for v := range r.verts {
		if k := r.verts[v].chain; k >= 0 {
			if byChain[k] == nil {
				order = append(order, k)
			}
			byChain[k] = append(byChain[k], v)
		}
	}
	for _, k := range order {
		c.chains = append(c.chains, byChain[k])
	}
	for {
		c.variables()
		c.separate()
		if !c.resolveConflicts() {
			break
		}
	}
	pos := c.solve()
	x := make([]float64, len(r.verts))
	for v := range r.verts {
		x[v] = pos[c.of[v]]
	}
	begin, end := map[int]float64{}, map[int]float64{}
	for g, i := range c.border {
		begin[g], end[g] = pos[i], pos[i+1]
	}
	for g := range c.border {
		if !r.t.pool[g] {
			continue
		}
		f, lanes := fr(g), r.t.children[g]
		for k, l := range lanes { // each begins where the one before ends
			if k == 0 {
				begin[l] = begin[g] + f.before
			} else {
				begin[l] = end[lanes[k-1]]
			}
		}
		end[lanes[len(lanes)-1]] = end[g] - f.after
	}
	return coords{x: x, begin: begin, end: end}
}

// variables assigns a variable to each thing that can move by itself.
func (c *columns) variables() {
	c.of = make([]int, len(c.r.verts))
	for i := range c.of {
		c.of[i] = -1
	}
	c.n = 0
	for _, run := range c.chains {
		for _, v := range run {
			c.of[v] = c.n
		}
		c.n++
	}
	for v := range c.of {
		if c.of[v] < 0 {
			c.of[v] = c.n
			c.n++
		}
	}
	c.border = map[int]int{}
	for v := range c.r.verts {
		for _, g := range c.r.verts[v].path {
			if _, ok := c.border[g]; !ok {
				c.border[g] = c.n
				c.n += 2
			}
		}
	}
}

// separate lists the least distances between neighbours in each row.
func (c *columns) separate() {
	c.seps = c.seps[:0]
	at := map[[2]int]int{}
	add := func(from, to int, d float64) {
		if from == to {
			return
		}
		key := [2]int{from, to}
		need := int(math.Ceil(d))
		if i, ok := at[key]; ok {
			c.seps[i].Min = max(c.seps[i].Min, need)
			return
		}
		at[key] = len(c.seps)
		c.seps = append(c.seps, simplex.Arc{From: from, To: to, Min: need})
	}
	for _, row := range c.r.rank {
		last, room := -1, 0.0 // variable that the next neighbour keeps its distance from; how far its item extends beyond it
		var open []int
		for i := 0; i <= len(row); i++ {
			var path []int
			if i < len(row) {
				path = c.r.verts[row[i]].path
			}
			common := 0
			for common < len(open) && common < len(path) && open[common] == path[common] {
				common++
			}
			closed := -1
			for d := len(open) - 1; d >= common; d-- { // containers that end
				g := open[d]
				closed = g
				f := c.frame(g)
				add(last, c.border[g]+1, room+f.after)
				last, room = c.border[g]+1, 0
			}
			if i == len(row) {
				break
			}
			apart := c.gap
			if closed >= 0 && common < len(path) && c.r.t.lane[closed] && c.r.t.parent[path[common]] == c.r.t.parent[closed] {
				apart = 0 // lanes touch
			}
			for d := common; d < len(path); d++ { // containers that begin
				g := path[d]
				if last >= 0 {
					add(last, c.border[g], room+apart)
				}
				last, room, apart = c.border[g], 0, c.frame(g).before
				add(last, last+1, c.frame(g).least)
			}
			v := row[i]
			half := c.r.verts[v].w / 2
			if last >= 0 {
				add(last, c.of[v], room+apart+half)
			}
			last, room = c.of[v], half
			open = path
		}
	}
}

// resolveConflicts looks for distances that contradict each other, which happens only where two long edges, or an edge
// and a container, change sides. It cuts the runs of those edges in two and reports whether it did.
func (c *columns) resolveConflicts() bool {
	links := make([]link, len(c.seps))
	for i, s := range c.seps {
		links[i] = link{from: s.From, to: s.To}
	}
	part := components(c.n, links)
	size := make([]int, c.n)
	for _, p := range part {
		size[p]++
	}
	longest := map[int]int{}
	for i, run := range c.chains {
		if p := part[c.of[run[0]]]; size[p] > 1 && len(run) > 1 {
			if j, ok := longest[p]; !ok || len(run) > len(c.chains[j]) {
				longest[p] = i
			}
		}
	}
	if len(longest) == 0 {
		// Nothing is left to cut: drop the contradictory distances, so that there always is a solution.
		c.seps = slices.DeleteFunc(c.seps, func(s simplex.Arc) bool { return part[s.From] == part[s.To] })
		return false
	}
	var cut []int
	for _, i := range longest {
		cut = append(cut, i)
	}
	slices.Sort(cut)
	for _, i := range cut {
		run := c.chains[i]
		c.chains[i] = run[:len(run)/2]
		c.chains = append(c.chains, run[len(run)/2:])
	}
	return true
}

// Weights for shortening things: the inner pieces of an edge first, then its end pieces, direct edges, and the width of
// containers.
const (
	weightEdge   = 4
	weightEnds   = 8
	weightPieces = 32
	weightGroup  = 1
)

// pull draws two variables together.
type pull struct{ a, b, weight int }

// pulls lists the pieces of edges between different variables.
func (c *columns) pulls() []pull {
	var out []pull
	for v := range c.r.verts {
		for _, w := range c.r.down[v] {
			a, b := c.of[v], c.of[w]
			if a == b {
				continue
			}
			weight := weightEdge
			switch passV, passW := c.r.verts[v].chain >= 0, c.r.verts[w].chain >= 0; {
			case passV && passW:
				weight = weightPieces
			case passV || passW:
				weight = weightEnds
			}
			out = append(out, pull{a, b, weight})
		}
	}
	return out
}

// solve positions the variables by the simplex method, then centers among its neighbours what can move without
// lengthening anything.
func (c *columns) solve() []float64 {
	pulls := c.pulls()
	arcs := slices.Clone(c.seps)
	n := c.n
	for _, p := range pulls {
		arcs = append(arcs, simplex.Arc{From: n, To: p.a, Weight: p.weight}, simplex.Arc{From: n, To: p.b, Weight: p.weight})
		n++
	}
	// Sorted, because the result must not depend on the order of the map.
	var groups []int
	for g := range c.border {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	for _, g := range groups {
		arcs = append(arcs, simplex.Arc{From: c.border[g], To: c.border[g] + 1, Weight: weightGroup})
	}
	rank := simplex.Solve(n, arcs, placeWork)
	x := make([]float64, c.n)
	for i := range x {
		x[i] = float64(rank[i])
	}
	c.center(x, pulls)
	return x
}

// center moves each variable, except the borders of containers, to the weighted median of its neighbours, as far as the
// least distances allow.
func (c *columns) center(x []float64, pulls []pull) {
	near := make([][]pull, c.n)
	for _, p := range pulls {
		near[p.a] = append(near[p.a], p)
		near[p.b] = append(near[p.b], p)
	}
	before, behind := make([][]simplex.Arc, c.n), make([][]simplex.Arc, c.n)
	for _, s := range c.seps {
		before[s.To] = append(before[s.To], s)
		behind[s.From] = append(behind[s.From], s)
	}
	isBorder := make([]bool, c.n)
	for _, i := range c.border {
		isBorder[i], isBorder[i+1] = true, true
	}
	for range 6 {
		for v := range c.n {
			if isBorder[v] || len(near[v]) == 0 {
				continue
			}
			var at []float64
			for _, p := range near[v] {
				other := p.a
				if other == v {
					other = p.b
				}
				for range max(1, p.weight/weightEdge) {
					at = append(at, x[other])
				}
			}
			slices.Sort(at)
			want := (at[(len(at)-1)/2] + at[len(at)/2]) / 2
			lo, hi := math.Inf(-1), math.Inf(1)
			for _, s := range before[v] {
				lo = math.Max(lo, x[s.From]+float64(s.Min))
			}
			for _, s := range behind[v] {
				hi = math.Min(hi, x[s.To]-float64(s.Min))
			}
			if lo <= hi {
				x[v] = math.Max(lo, math.Min(hi, want))
			}
		}
	}
}
