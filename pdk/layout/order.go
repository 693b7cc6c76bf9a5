package layout

import (
	"cmp"
	"math"
	"slices"
)

// vertex is what stands in a row: a leaf, a piece of an edge that passes, or
// the empty place of a container that has nothing in the row.
type vertex struct {
	node  int // leaf, -1 otherwise
	edge  int // edge that passes, -1 otherwise
	path  []int
	rank  int
	pos   int
	w     float64 // extent along the row
	h     float64 // extent across it
	chain int     // the edge's pieces have one, -1 otherwise
}

// rows is a layered graph on its way to an order.
type rows struct {
	verts    []vertex
	rank     [][]int // vertices of each row, from left to right
	up, down [][]int // neighbours in the rows before and behind
	t        *tree
	first    map[int]int // rows that a container spans
	last     map[int]int
	group    []int // order of a container among its siblings
	lines    []edgeLine
}

// edgeLine is the vertices that an edge passes, from the upper row down.
type edgeLine struct {
	edge  int
	back  bool // the edge itself runs upwards
	verts []int
}

// build makes rows of the leaves of one part, with pieces for long links.
func build(g *Graph, t *tree, leaves []int, rank []int, ls []link, sizes func(v int) (w, h float64), edgeGap float64) *rows {
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
	for c := range g.Nodes { // lanes are as long as their pool
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
			d := add(vertex{node: -1, edge: l.edge, path: r.passing(l.from, l.to, k), rank: k, w: edgeGap, chain: i})
			r.join(before, d)
			line.verts = append(line.verts, d)
			before = d
		}
		r.join(before, b)
		line.verts = append(line.verts, b)
		r.lines = append(r.lines, line)
	}
	// A container also takes room in rows in which nothing of it stands.
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

// equalPools makes the outermost pools as long as each other.
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

// passing is the containers that an edge's piece in row k lies in: those of
// its start until they end, then those of its end once they have begun.
func (r *rows) passing(from, to, k int) []int {
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

// arrange orders the rows so that few edges cross, with each container's
// vertices side by side and containers in the same order in every row.
func (r *rows) arrange(rounds int) {
	r.begin()
	best := r.save()
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
			crossings, best, idle = n, r.save(), 0
		} else {
			idle++
		}
	}
	for k, row := range best {
		copy(r.rank[k], row)
		r.number(k)
	}
}

func (r *rows) save() [][]int {
	out := make([][]int, len(r.rank))
	for k := range r.rank {
		out[k] = slices.Clone(r.rank[k])
	}
	return out
}

func (r *rows) number(k int) {
	for i, v := range r.rank[k] {
		r.verts[v].pos = i
	}
}

// begin orders the rows by a walk along the edges from the top.
func (r *rows) begin() {
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

// orderGroups ranks the containers among their siblings by where their
// vertices stand on the whole.
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

// item is a vertex or a whole container within a row, as sorting sees it.
type item struct {
	group int // container, -1 for a vertex
	list  []int
	key   float64
}

// sortRow orders a row by the mean place of each vertex' neighbours; without
// neighbours a vertex keeps its place. nil neighbours only bring containers
// together.
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
		// In the measure of this row, so that it compares with places kept.
		other := len(r.rank[r.verts[near[v][0]].rank])
		key[v] = (sum/float64(len(near[v])) + 0.5) * float64(len(row)) / float64(other)
	}
	r.rank[k] = r.sortItems(row, key, 0, row[:0:0])
	r.number(k)
}

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
	// Containers take the places that containers got, in their own order.
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

// transpose swaps neighbours of one container where that saves crossings.
func (r *rows) transpose() {
	for range 4 {
		better := false
		for k := range r.rank {
			row := r.rank[k]
			for i := 0; i+1 < len(row); i++ {
				a, b := row[i], row[i+1]
				if !slices.Equal(r.verts[a].path, r.verts[b].path) {
					continue
				}
				now := r.cross(r.up[a], r.up[b]) + r.cross(r.down[a], r.down[b])
				then := r.cross(r.up[b], r.up[a]) + r.cross(r.down[b], r.down[a])
				if then < now {
					row[i], row[i+1] = b, a
					r.verts[a].pos, r.verts[b].pos = i+1, i
					better = true
				}
			}
		}
		if !better {
			return
		}
	}
}

// cross counts the pairs of neighbours that cross when a stands left of b.
func (r *rows) cross(a, b []int) int {
	n := 0
	for _, x := range a {
		for _, y := range b {
			if r.verts[x].pos > r.verts[y].pos {
				n++
			}
		}
	}
	return n
}

// crossings counts the crossings between all rows.
func (r *rows) crossings() int {
	total := 0
	for k := 0; k+1 < len(r.rank); k++ {
		var ends []int
		size := len(r.rank[k+1])
		for _, v := range r.rank[k] {
			from := len(ends)
			for _, w := range r.down[v] {
				ends = append(ends, r.verts[w].pos)
			}
			slices.Sort(ends[from:])
		}
		// Inversions, by a tree of sums.
		tree := make([]int, size+1)
		for i, p := range ends {
			greater := i
			for j := p + 1; j > 0; j -= j & -j {
				greater -= tree[j]
			}
			total += greater
			for j := p + 1; j <= size; j += j & -j {
				tree[j]++
			}
		}
	}
	return total
}
