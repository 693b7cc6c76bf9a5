package arrange

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk/layout/simplex"
)

// rankWork limits the simplex solver, in elementary steps.
const rankWork = 200_000

// assignColumns assigns n nodes with the given widths, in columns, to their first columns, so that a node that feeds
// another one lies left of it. Nodes without arcs get -1.
func assignColumns(n int, width []int, arcs []simplex.Arc) []int {
	w := make([]int, n*n)
	joined := make([]bool, n)
	for _, a := range arcs {
		w[a.From*n+a.To] += a.Weight
		joined[a.From], joined[a.To] = true, true
	}
	place := make([]int, n)
	for i, v := range linearOrder(n, w) {
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
	startAtZero(n, arcs, out)
	return out
}

// startAtZero moves each connected part of a graph so that it begins in column 0.
func startAtZero(n int, arcs []simplex.Arc, at []int) {
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

// linearOrder orders nodes so that arcs of little weight lead backwards. w[u*n+v] is the weight of the arc from u to v.
// It moves one node after the other while that helps, starting from the order of creation, from the order in which a
// reader who follows the arcs meets the nodes, and from a greedy order. If costs are equal, the reader's order wins,
// then that of creation.
func linearOrder(n int, w []int) []int {
	best := walkOrder(n, w)
	cost := improve(n, w, best)
	if cost == 0 {
		given := make([]int, n)
		for v := range given {
			given[v] = v
		}
		if improve(n, w, given) == 0 {
			return given // no arc has to lead backwards in the order of creation
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

// walkOrder is the order in which a walk along the arcs reaches the nodes, starting from those without incoming arcs,
// then from those created first. Only arcs that close a loop lead backwards.
func walkOrder(n int, w []int) []int {
	seen := make([]bool, n)
	out := make([]int, 0, n)
	var visit func(v int)
	visit = func(v int) {
		if seen[v] {
			return
		}
		seen[v] = true
		for u := n - 1; u >= 0; u-- { // the list is reversed below: visit later nodes first
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

// greedy repeatedly takes the node with the greatest difference between outgoing and incoming weight. Nodes without
// outgoing weight go to the end.
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

// improve moves nodes within an order while that reduces the weight that leads backwards, and returns that weight.
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
