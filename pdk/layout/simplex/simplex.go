// Package simplex finds integer positions for the nodes of a graph without
// cycles: the network simplex method of Gansner, Koutsofios, North and Vo, "A
// Technique for Drawing Directed Graphs" (1993).
package simplex

import "slices"

// solver holds a feasible spanning tree and exchanges its edges.
type solver struct {
	n     int
	edges []Arc
	rank  []int

	out, in  [][]int // edges at each node
	tree     [][]int // tree edges at each node
	inTree   []bool
	net, sum []int
	low, lim []int
	order    []int // nodes by lim, from 1
	par      []int // tree edge to the parent, -1 at the root
	stack    []visit
	next     int // where the search for an edge to leave goes on
	work     int // elementary steps left
}

// visit is a node on the way down the tree: the next of its edges, and the
// number to give.
type visit struct{ v, i, next int }

// Arc keeps To at least Min behind From, and costs Weight for each unit
// between them. Min may be negative.
type Arc struct {
	From, To    int
	Min, Weight int
}

// Solve positions n nodes so that every edge is at least as long as its
// minimum and the weighted sum of lengths is least. The edges must have no
// cycle. It gives up
// improving after about `work` elementary steps; what it has then is still
// feasible. Positions start at 0.
func Solve(n int, edges []Arc, work int) []int {
	if n == 0 {
		return nil
	}
	s := &solver{n: n, edges: edges, work: work}
	s.join()
	s.longestPath()
	s.feasibleTree()
	all := make([]int, 6*n)
	for i, list := range [...]*[]int{&s.low, &s.lim, &s.par, &s.order, &s.net, &s.sum} {
		*list = all[i*n : (i+1)*n]
	}
	for _, e := range s.edges {
		s.net[e.From] += e.Weight
		s.net[e.To] -= e.Weight
	}
	s.number(0, -1, 1)
	for s.work > 0 {
		leave := s.leaving()
		if leave < 0 {
			break
		}
		enter := s.entering(leave)
		if enter < 0 {
			break
		}
		s.exchange(leave, enter)
	}
	lowest := slices.Min(s.rank)
	for i := range s.rank {
		s.rank[i] -= lowest
	}
	return s.rank
}

// join lists the edges at each node, in one piece of memory, with room for as
// many in the tree.
func (s *solver) join() {
	outs, ins := make([]int, s.n), make([]int, s.n)
	for i := range s.edges {
		outs[s.edges[i].From]++
		ins[s.edges[i].To]++
	}
	all, lists := make([]int, 4*len(s.edges)), make([][]int, 3*s.n)
	s.out, s.in, s.tree = lists[:s.n], lists[s.n:2*s.n], lists[2*s.n:]
	for v := range s.n {
		o, i := outs[v], ins[v]
		s.out[v], s.in[v], s.tree[v] = all[:0:o], all[o:o:o+i], all[o+i:o+i:2*(o+i)]
		all = all[2*(o+i):]
	}
	for i := range s.edges {
		e := &s.edges[i]
		s.out[e.From] = append(s.out[e.From], i)
		s.in[e.To] = append(s.in[e.To], i)
	}
}

func (s *solver) slack(e int) int {
	a := &s.edges[e]
	return s.rank[a.To] - s.rank[a.From] - a.Min
}

// longestPath gives every node the least position that its edges allow.
func (s *solver) longestPath() {
	s.rank = make([]int, s.n)
	missing := make([]int, s.n)
	var ready []int
	for v := range s.n {
		if missing[v] = len(s.in[v]); missing[v] == 0 {
			ready = append(ready, v)
		}
	}
	for len(ready) > 0 {
		v := ready[0]
		ready = ready[1:]
		for _, e := range s.out[v] {
			a := &s.edges[e]
			s.rank[a.To] = max(s.rank[a.To], s.rank[v]+a.Min)
			if missing[a.To]--; missing[a.To] == 0 {
				ready = append(ready, a.To)
			}
		}
	}
}

// feasibleTree spans the nodes by tight edges. It begins with the parts that
// tight edges hold together, and always moves the smallest part up to its
// nearest neighbour, so that each node is looked at a few times only.
func (s *solver) feasibleTree() {
	s.inTree = make([]bool, len(s.edges))
	part := make([]int, s.n)
	for i := range part {
		part[i] = -1
	}
	var members [][]int
	all := make([]int, 0, s.n)
	for root := range s.n {
		if part[root] >= 0 {
			continue
		}
		id := len(members)
		part[root] = id
		first := len(all)
		all = append(all, root)
		for i := first; i < len(all); i++ {
			v := all[i]
			for _, es := range [2][]int{s.out[v], s.in[v]} {
				for _, e := range es {
					w := s.other(e, v)
					if part[w] < 0 && s.slack(e) == 0 {
						part[w] = id
						all = append(all, w)
						s.addTree(e)
					}
				}
			}
		}
		members = append(members, all[first:len(all):len(all)])
	}
	queue := make(partQueue, 0, 2*len(members))
	for id := range members {
		queue.push(partSize{id, len(members[id])})
	}
	for left := len(members); left > 1; {
		p := queue.pop()
		if len(members[p.id]) != p.size || members[p.id] == nil {
			continue
		}
		best, slack := -1, 0
		for _, v := range members[p.id] {
			for _, es := range [2][]int{s.out[v], s.in[v]} {
				for _, e := range es {
					if w := s.other(e, v); part[w] != p.id {
						if sl := s.slack(e); best < 0 || sl < slack {
							best, slack = e, sl
						}
					}
				}
			}
		}
		var into int
		if best < 0 {
			// Nothing joins this part with the rest: an edge without weight
			// that is tight as things stand does.
			into = otherPart(members, p.id)
			best = len(s.edges)
			a, b := members[p.id][0], members[into][0]
			if s.rank[a] > s.rank[b] {
				a, b = b, a
			}
			s.edges = append(s.edges, Arc{a, b, s.rank[b] - s.rank[a], 0})
			s.out[a], s.in[b] = append(s.out[a], best), append(s.in[b], best)
			s.inTree = append(s.inTree, false)
		} else {
			a := &s.edges[best]
			shift := slack
			into = part[a.To]
			if part[a.To] == p.id {
				shift, into = -slack, part[a.From]
			}
			for _, v := range members[p.id] {
				s.rank[v] += shift
			}
		}
		s.addTree(best)
		small, large := p.id, into
		if len(members[small]) > len(members[large]) {
			small, large = large, small
		}
		for _, v := range members[small] {
			part[v] = large
		}
		members[large] = append(members[large], members[small]...)
		members[small] = nil
		left--
		queue.push(partSize{large, len(members[large])})
	}
}

func otherPart(members [][]int, id int) int {
	for i := range members {
		if i != id && members[i] != nil {
			return i
		}
	}
	return id
}

type partSize struct{ id, size int }

func (p partSize) before(o partSize) bool {
	return p.size < o.size || p.size == o.size && p.id < o.id
}

// partQueue is a heap, the smallest part first.
type partQueue []partSize

func (q *partQueue) push(p partSize) {
	h := append(*q, p)
	for i := len(h) - 1; i > 0 && h[i].before(h[(i-1)/2]); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	*q = h
}

func (q *partQueue) pop() partSize {
	h := *q
	top, n := h[0], len(h)-1
	h[0] = h[n]
	h = h[:n]
	for i, k := 0, 1; k < n; k = 2*i + 1 {
		if k+1 < n && h[k+1].before(h[k]) {
			k++
		}
		if !h[k].before(h[i]) {
			break
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
	*q = h
	return top
}

func (s *solver) other(e, v int) int {
	if a := &s.edges[e]; a.From != v {
		return a.From
	}
	return s.edges[e].To
}

func (s *solver) addTree(e int) {
	s.inTree[e] = true
	a := &s.edges[e]
	s.tree[a.From] = append(s.tree[a.From], e)
	s.tree[a.To] = append(s.tree[a.To], e)
}

func (s *solver) dropTree(e int) {
	s.inTree[e] = false
	for _, v := range [2]int{s.edges[e].From, s.edges[e].To} {
		i := slices.Index(s.tree[v], e)
		s.tree[v] = slices.Delete(s.tree[v], i, i+1)
	}
}

// number walks the subtree of v in postorder: lim is a node's number, low the
// least number below it, sum the weight that leaves the subtree less that
// which enters it. low is the first number to give.
func (s *solver) number(v, par, low int) {
	s.par[v], s.low[v], s.sum[v] = par, low, s.net[v]
	stack := append(s.stack[:0], visit{v, 0, low})
	for {
		f := &stack[len(stack)-1]
		if edges := s.tree[f.v]; f.i < len(edges) {
			e := edges[f.i]
			f.i++
			if e == s.par[f.v] {
				continue
			}
			w := s.other(e, f.v)
			s.par[w], s.low[w], s.sum[w] = e, f.next, s.net[w]
			stack = append(stack, visit{w, 0, f.next})
			continue
		}
		w, at := f.v, f.next
		s.lim[w], s.order[at-1] = at, w
		s.work--
		stack = stack[:len(stack)-1]
		if len(stack) == 0 {
			s.stack = stack
			return
		}
		up := &stack[len(stack)-1]
		up.next = at + 1
		s.sum[up.v] += s.sum[w]
	}
}

// below reports whether v lies in the subtree of top.
func (s *solver) below(v, top int) bool { return s.low[top] <= s.lim[v] && s.lim[v] <= s.lim[top] }

// cutValue is how much the total grows when the tree edge above v gets one
// longer: the weight of the edges that cross with it less those against it.
func (s *solver) cutValue(v int) int {
	if s.edges[s.par[v]].From == v {
		return s.sum[v]
	}
	return -s.sum[v]
}

// leaving finds a node whose edge to its parent is better longer: the worst
// of the first few, searched in turn. -1 when there is none.
func (s *solver) leaving() int {
	const few = 30
	best, found := -1, 0
	for range s.n {
		v := s.next
		if s.next++; s.next == s.n {
			s.next = 0
		}
		s.work--
		if s.par[v] < 0 {
			continue
		}
		if c := s.cutValue(v); c < 0 {
			if best < 0 || c < s.cutValue(best) {
				best = v
			}
			if found++; found == few {
				break
			}
		}
	}
	return best
}

// entering finds the edge with the least slack that can take the place of the
// tree edge above v: one that crosses the other way. -1 when there is none.
func (s *solver) entering(v int) int {
	outward := s.edges[s.par[v]].To == v // wanted: from v's side to the other
	best, slack := -1, 0
	look := func(x int, inner bool) {
		s.work--
		es := s.in[x]
		if outward == inner {
			es = s.out[x]
		}
		for _, e := range es {
			s.work--
			if s.below(s.other(e, x), v) == inner {
				continue
			}
			if sl := s.slack(e); best < 0 || sl < slack {
				best, slack = e, sl
			}
		}
	}
	s.sides(v, look)
	return best
}

// sides visits the nodes of the smaller side of the tree edge above v.
func (s *solver) sides(v int, visit func(x int, inner bool)) {
	from, to := s.low[v]-1, s.lim[v]
	if 2*(to-from) <= s.n {
		for _, x := range s.order[from:to] {
			visit(x, true)
		}
		return
	}
	for _, x := range s.order[:from] {
		visit(x, false)
	}
	for _, x := range s.order[to:] {
		visit(x, false)
	}
}

// exchange puts the edge enter in the place of the tree edge above v.
func (s *solver) exchange(v, enter int) {
	leave := s.par[v]
	shift := s.slack(enter)
	if s.edges[leave].From == v {
		shift = -shift
	}
	if shift != 0 {
		s.sides(v, func(x int, inner bool) {
			s.work--
			if inner {
				s.rank[x] += shift
			} else {
				s.rank[x] -= shift
			}
		})
	}
	// The part of the tree that changes hangs below the lowest node above
	// both ends.
	top, end := s.edges[enter].From, s.edges[enter].To
	for !s.below(end, top) {
		top = s.other(s.par[top], top)
	}
	par, low := s.par[top], s.low[top]
	s.dropTree(leave)
	s.addTree(enter)
	s.number(top, par, low)
}
