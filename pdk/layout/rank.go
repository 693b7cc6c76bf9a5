package layout

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/layout/simplex"
)

// Work limits for the simplex solver, in elementary steps: enough to find the optimum for a thousand nodes, and a bound
// for larger graphs.
const (
	rankWork  = 20_000_000
	placeWork = 60_000_000
)

// links converts the graph's edges to links between leaves. An edge of a container becomes links of the leaves in it,
// through an extra node that takes no room. It returns the links and the number of nodes including the extra ones.
func links(g *Graph, t *tree) ([]link, int) {
	n := len(g.Nodes)
	var out []link
	for i, e := range g.Edges {
		if e.From == e.To || e.From < 0 || e.To < 0 || e.From >= len(g.Nodes) || e.To >= len(g.Nodes) {
			continue
		}
		if t.leaf(e.From) && t.leaf(e.To) {
			out = append(out, link{from: e.From, to: e.To, min: 1, weight: 1, edge: i})
			continue
		}
		if t.inside(e.From, e.To) || t.inside(e.To, e.From) {
			continue // from a container to what lies in it
		}
		for _, v := range t.leaves(e.From, nil) {
			out = append(out, link{from: v, to: n, min: 1, weight: 0, edge: -1})
		}
		for _, v := range t.leaves(e.To, nil) {
			out = append(out, link{from: n, to: v, min: 0, weight: 0, edge: -1})
		}
		n++
	}
	return out, n
}

// ranks assigns each leaf a row, so that each link leads down by at least its min and the sum of the lengths is minimal.
// Each connected part begins in row 0; leaves without links fill the rows of their container.
func ranks(g *Graph, t *tree, ls []link, n int) []int {
	rank := make([]int, n)
	joined := newUnion(n)
	linked := make([]bool, n)
	for _, l := range ls {
		joined.join(l.from, l.to)
		linked[l.from], linked[l.to] = true, true
	}
	index := make([]int, n)
	members := map[int][]int{}
	for v := range n {
		if linked[v] {
			r := joined.find(v)
			index[v] = len(members[r])
			members[r] = append(members[r], v)
		}
	}
	arcs := map[int][]simplex.Arc{}
	for _, l := range ls {
		r := joined.find(l.from)
		arcs[r] = append(arcs[r], simplex.Arc{From: index[l.from], To: index[l.to], Min: l.min, Weight: l.weight})
	}
	for v := range n {
		if !linked[v] || joined.find(v) != v {
			continue
		}
		for i, r := range simplex.Solve(len(members[v]), arcs[v], rankWork) {
			rank[members[v][i]] = r
		}
		// The lowest node may be an extra one for a container's edge.
		first := math.MaxInt
		for _, w := range members[v] {
			if w < len(g.Nodes) {
				first = min(first, rank[w])
			}
		}
		for _, w := range members[v] {
			rank[w] -= first
		}
	}
	spreadLoose(g, t, rank, linked)
	return rank
}

// spreadLoose arranges the leaves without links of each container in rows that are about as wide as the container is
// high.
func spreadLoose(g *Graph, t *tree, rank []int, linked []bool) {
	loose := map[int][]int{}
	first, last := map[int]int{}, map[int]int{}
	for v := range g.Nodes {
		if !t.leaf(v) {
			continue
		}
		if !linked[v] {
			loose[t.parent[v]] = append(loose[t.parent[v]], v)
			continue
		}
		for _, c := range t.paths[v] {
			if lo, ok := first[c]; !ok || rank[v] < lo {
				first[c] = rank[v]
			}
			last[c] = max(last[c], rank[v])
		}
	}
	for c, list := range loose {
		lo, rows := 0, 0
		if l, ok := first[c]; ok && c >= 0 {
			lo, rows = l, last[c]-l+1
		} else if c >= 0 {
			// Next to the rest of the enclosing container.
			for _, p := range t.paths[c] {
				if l, ok := first[p]; ok {
					lo = l
				}
			}
		}
		if c >= 0 && t.lane[c] { // one per row
			rows = len(list)
		}
		rows = max(rows, int(math.Sqrt(float64(len(list)))))
		per := (len(list) + rows - 1) / rows
		for i, v := range list {
			rank[v] = lo + i/per
		}
	}
}

// union is a disjoint-set forest.
type union struct{ up []int }

func newUnion(n int) *union {
	u := &union{make([]int, n)}
	for i := range u.up {
		u.up[i] = i
	}
	return u
}

// find returns the least member of v's set.
func (u *union) find(v int) int {
	for u.up[v] != v {
		u.up[v] = u.up[u.up[v]]
		v = u.up[v]
	}
	return v
}

func (u *union) join(a, b int) {
	a, b = u.find(a), u.find(b)
	if a < b {
		u.up[b] = a
	} else {
		u.up[a] = b
	}
}
