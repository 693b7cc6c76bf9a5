package layout

import (
	"cmp"
	"math"
	"slices"
)

// vertex is an item of a row: a leaf, a piece of an edge that passes through the row, or a placeholder for a container
// that has nothing else in the row.
type vertex struct {
	node  int   // leaf, -1 otherwise
	edge  int   // passing edge, -1 otherwise
	path  []int // containers around it, outermost first
	rank  int
	pos   int
	w     float64 // extent along the row
	h     float64 // extent across it
	chain int     // number that the pieces of one edge share, -1 for others
}

// rows is a layered graph whose rows are to be ordered.
type rows struct {
	verts    []vertex
	rank     [][]int // vertices of each row, from left to right
	up, down [][]int // by vertex: neighbours in the rows before and behind
	t        *tree
	first    map[int]int // by container: the rows that it spans
	last     map[int]int
	group    []int // by container: its place among its siblings
	lines    []edgeLine
}

// edgeLine is the vertices of an edge from the upper row down: one end, its pieces, the other end.
type edgeLine struct {
	edge  int
	back  bool // the edge runs upwards
	verts []int
}

// buildRows makes rows of the leaves of one part, and divides links that pass rows into pieces of width edgeGap.
func buildRows(g *Graph, t *tree, leaves []int, rank []int, ls []link, sizes func(v int) (w, h float64), edgeGap float64) *rows {
	r := &rows{t: t, first: map[int]int{}, last: map[int]int{}, group: make([]int, len(g.Nodes))}
	at := make(map[int]int, len(leaves))
	add := func(v vertex) int {
		i := len(r.verts)
		r.verts = append(r.verts, v)
		r.up, r.down = append(r.up, nil), append(r.down, nil)
		for len(r.rank) <= v.rank {
			r.rank = append(r.rank, nil)
		}
		r.rank[v.rank] = append(r.rank[v.rank], i)
		return i
	}
	for _, v := range leaves {
		w, h := sizes(v)
		at[v] = add(vertex{node: v, edge: -1, path: t.paths[v], rank: rank[v], w: w, h: h, chain: -1})
		for _, c := range t.paths[v] {
			if lo, ok := r.first[c]; !ok || rank[v] < lo {
				r.first[c] = rank[v]
			}
			r.last[c] = max(r.last[c], rank[v])
		}
	}
	r.equalPools(g)
	for c := range g.Nodes { // lanes span the rows of their pool
		if lo, ok := r.first[c]; ok && t.pool[c] {
			for _, k := range t.children[c] {
				r.first[k], r.last[k] = lo, r.last[c]
			}
		}
	}
	for i, l := range ls {
		a, okA := at[l.from]
		b, okB := at[l.to]
		if !okA || !okB || l.edge < 0 {
			continue
		}
		before := a
		line := edgeLine{edge: l.edge, back: l.back, verts: []int{a}}
		for k := rank[l.from] + 1; k < rank[l.to]; k++ {
			d := add(vertex{node: -1, edge: l.edge, path: r.containersAt(l.from, l.to, k), rank: k, w: edgeGap, chain: i})
			r.join(before, d)
			line.verts = append(line.verts, d)
			before = d
		}
		r.join(before, b)
		line.verts = append(line.verts, b)
		r.lines = append(r.lines, line)
	}
	// A container takes room in every row that it spans.
	for c := range g.Nodes {
		lo, ok := r.first[c]
		if !ok {
			continue
		}
		path := append(t.paths[c][:len(t.paths[c]):len(t.paths[c])], c)
		for k := lo; k <= r.last[c]; k++ {
			if !slices.ContainsFunc(r.rank[k], func(v int) bool { return slices.Contains(r.verts[v].path, c) }) {
				add(vertex{node: -1, edge: -1, path: path, rank: k, w: 1, chain: -1})
			}
		}
	}
	return r
}

// equalPools makes all outermost pools span the same rows.
func (r *rows) equalPools(g *Graph) {
	first, last := math.MaxInt, -1
	for c := range g.Nodes {
		if lo, ok := r.first[c]; ok && r.t.pool[c] && r.t.parent[c] < 0 {
			first, last = min(first, lo), max(last, r.last[c])
		}
	}
	for c := range g.Nodes {
		if _, ok := r.first[c]; ok && r.t.pool[c] && r.t.parent[c] < 0 {
			r.first[c], r.last[c] = first, last
		}
	}
}

func (r *rows) join(a, b int) {
	r.down[a] = append(r.down[a], b)
	r.up[b] = append(r.up[b], a)
}

// containersAt is the containers that the piece of an edge in row k belongs to: those of its start as long as they span
// the row, then those of its end once they do.
func (r *rows) containersAt(from, to, k int) []int {
	a, b := r.t.paths[from], r.t.paths[to]
	common := 0
	for common < len(a) && common < len(b) && a[common] == b[common] {
		common++
	}
	for n := len(a); n > common; n-- {
		if r.last[a[n-1]] >= k {
			return a[:n]
		}
	}
	n := common
	for n < len(b) && r.first[b[n]] <= k {
		n++
	}
	return b[:n]
}

// arrange orders the rows to reduce edge crossings. It keeps each container's vertices together, and containers in the
// same order in every row.
func (r *rows) arrange(rounds int) {
	r.initialOrder()
	best := r.snapshot()
	crossings := r.crossings()
	for i, idle := 0, 0; i < rounds && idle < 4 && crossings > 0; i++ {
		r.orderGroups()
		if i%2 == 0 {
			for k := range r.rank {
				r.sortRow(k, r.up)
			}
		} else {
			for k := len(r.rank) - 1; k >= 0; k-- {
				r.sortRow(k, r.down)
			}
		}
		if len(r.verts) < 4000 {
			r.transpose()
		}
		if n := r.crossings(); n < crossings {
			crossings, best, idle = n, r.snapshot(), 0
		} else {
			idle++
		}
	}
	for k, row := range best {
		copy(r.rank[k], row)
		r.numberRow(k)
	}
}

func (r *rows) snapshot() [][]int {
	out := make([][]int, len(r.rank))
	for k := range r.rank {
		out[k] = slices.Clone(r.rank[k])
	}
	return out
}

func (r *rows) numberRow(k int) {
	for i, v := range r.rank[k] {
		r.verts[v].pos = i
	}
}

// initialOrder orders the rows by a depth-first walk along the edges from the top.
func (r *rows) initialOrder() {
	n := make([]int, len(r.rank))
	seen := make([]bool, len(r.verts))
	visit := func(root int) {
		stack := []int{root}
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[v] {
				continue
			}
			seen[v] = true
			k := r.verts[v].rank
			r.verts[v].pos = n[k]
			n[k]++
			for i := len(r.down[v]) - 1; i >= 0; i-- {
				stack = append(stack, r.down[v][i])
			}
		}
	}
	for k := range r.rank {
		for _, v := range r.rank[k] {
			if !seen[v] && len(r.up[v]) == 0 {
				visit(v)
			}
		}
	}
	for k := range r.rank {
		for _, v := range r.rank[k] {
			visit(v)
		}
		slices.SortFunc(r.rank[k], func(a, b int) int { return r.verts[a].pos - r.verts[b].pos })
	}
	r.orderGroups()
	for k := range r.rank {
		r.sortRow(k, nil)
	}
}

// orderGroups orders the containers among their siblings by the mean position of their vertices.
func (r *rows) orderGroups() {
	sum := make([]float64, len(r.group))
	n := make([]float64, len(r.group))
	for k := range r.rank {
		for i, v := range r.rank[k] {
			for _, c := range r.verts[v].path {
				sum[c] += (float64(i) + 0.5) / float64(len(r.rank[k]))
				n[c]++
			}
		}
	}
	var all []int
	for c := range r.group {
		if n[c] > 0 {
			sum[c] /= n[c]
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(sum[a], sum[b]) })
	for i, c := range all {
		r.group[c] = i
	}
	for c, is := range r.t.pool { // lanes keep their order
		if !is {
			continue
		}
		var places []int
		for _, k := range r.t.children[c] {
			places = append(places, r.group[k])
		}
		slices.Sort(places)
		for i, k := range r.t.children[c] {
			r.group[k] = places[i]
		}
	}
}

// item is a vertex or a whole container within a row, to be sorted.
type item struct {
	group int // container, -1 for a vertex
	list  []int
	key   float64
}

// sortRow orders a row by the mean position of each vertex's neighbours. A vertex without neighbours keeps its position.
// With near nil, sortRow only brings the vertices of each container together.
func (r *rows) sortRow(k int, near [][]int) {
	row := r.rank[k]
	key := make(map[int]float64, len(row))
	for i, v := range row {
		key[v] = float64(i)
		if near == nil || len(near[v]) == 0 {
			continue
		}
		sum := 0.0
		for _, w := range near[v] {
			sum += float64(r.verts[w].pos)
		}
		// Scaled to the length of this row, to compare with positions that are kept.
		other := len(r.rank[r.verts[near[v][0]].rank])
		key[v] = (sum/float64(len(near[v])) + 0.5) * float64(len(row)) / float64(other)
	}
	r.rank[k] = r.sortItems(row, key, 0, row[:0:0])
	r.numberRow(k)
}

// sortItems appends list to out in the order of key, keeping containers from the given depth on together.
func (r *rows) sortItems(list []int, key map[int]float64, depth int, out []int) []int {
	var items []item
	at := map[int]int{}
	for _, v := range list {
		if path := r.verts[v].path; len(path) > depth {
			c := path[depth]
			i, ok := at[c]
			if !ok {
				i = len(items)
				at[c] = i
				items = append(items, item{group: c})
			}
			items[i].list = append(items[i].list, v)
			items[i].key += key[v]
			continue
		}
		items = append(items, item{group: -1, list: []int{v}, key: key[v]})
	}
	for i := range items {
		items[i].key /= float64(len(items[i].list))
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.key, b.key) })
	// Containers share the positions that containers got, in the order of r.group.
	var groups []item
	for _, it := range items {
		if it.group >= 0 {
			groups = append(groups, it)
		}
	}
	slices.SortStableFunc(groups, func(a, b item) int { return r.group[a.group] - r.group[b.group] })
	for i := range items {
		if items[i].group >= 0 {
			items[i], groups = groups[0], groups[1:]
		}
	}
	for _, it := range items {
		if it.group < 0 {
			out = append(out, it.list...)
			continue
		}
		out = r.sortItems(it.list, key, depth+1, out)
	}
	return out
}
