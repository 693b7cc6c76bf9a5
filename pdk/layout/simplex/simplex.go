// Package simplex finds integer positions for the nodes of an acyclic graph by the network simplex method of Gansner,
// Koutsofios, North and Vo, "A Technique for Drawing Directed Graphs" (1993).
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
	net, sum []int // weight of the outgoing edges less that of the incoming ones: of a node, of its subtree
	low, lim []int // see number
	order    []int // nodes by lim, which starts at 1
	par      []int // tree edge to the parent, -1 at the root
	stack    []visit
	next     int // node at which leaving continues its search
	work     int // elementary steps left
}

// visit is the state of a node during a walk down the tree: the index of its next edge, and the next number to assign.
type visit struct{ v, i, next int }

// Arc is an edge that keeps To at least Min behind From and costs Weight for each unit between them. Min may be
// negative.
type Arc struct {
	From, To    int
	Min, Weight int
}

// Solve positions n nodes so that every edge is at least as long as its Min and the weighted sum of the lengths is
// minimal. The edges must not form a cycle. Solve stops improving after about `work` elementary steps; the positions
// are feasible even then. The lowest position is 0.
func Solve(n int, edges []Arc, work int) []int {
	if n == 0 {
		return nil
	}
	s := &solver{n: n, edges: edges, work: work}
	s.listEdges()
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

// listEdges lists the edges at each node. All lists share one allocation, with room for as many tree edges.
func (s *solver) listEdges() {
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

// slack is how much longer than its minimum an edge is. An edge without slack is tight.
func (s *solver) slack(e int) int {
	a := &s.edges[e]
	return s.rank[a.To] - s.rank[a.From] - a.Min
}

// longestPath assigns each node the lowest position that its edges allow.
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

// other is the end of edge e that is not v.
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

// number walks the subtree of v in postorder and assigns each node its number lim, starting from the argument low, the
// lowest number in its subtree (s.low), and sum, the weight that leaves its subtree less the weight that enters it.
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

// cutValue is how much the total grows when the tree edge above v becomes longer by one: the weight of the edges that
// cross the cut in its direction less that of the edges that cross it the other way.
func (s *solver) cutValue(v int) int {
	if s.edges[s.par[v]].From == v {
		return s.sum[v]
	}
	return -s.sum[v]
}

// leaving finds a node whose edge to its parent should become longer: the one with the lowest cut value of the first
// few that it finds, searching on from where it last stopped. It returns -1 if there is none.
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

// entering finds the edge with the least slack that can replace the tree edge above v, which is one that crosses the
// cut the other way. It returns -1 if there is none.
func (s *solver) entering(v int) int {
	outward := s.edges[s.par[v]].To == v // wanted: from v's side to the other
	best, slack := -1, 0
	consider := func(x int, inner bool) {
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
	s.visitSmallerSide(v, consider)
	return best
}

// visitSmallerSide visits the nodes on the smaller side of the tree edge above v. inner tells whether that is the
// subtree of v.
func (s *solver) visitSmallerSide(v int, visit func(x int, inner bool)) {
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

// exchange replaces the tree edge above v by the edge enter.
func (s *solver) exchange(v, enter int) {
	leave := s.par[v]
	shift := s.slack(enter)
	if s.edges[leave].From == v {
		shift = -shift
	}
	if shift != 0 {
		s.visitSmallerSide(v, func(x int, inner bool) {
			s.work--
			if inner {
				s.rank[x] += shift
			} else {
				s.rank[x] -= shift
			}
		})
	}
	// Only the subtree of the lowest common ancestor of both ends changes.
	top, end := s.edges[enter].From, s.edges[enter].To
	for !s.below(end, top) {
		top = s.other(s.par[top], top)
	}
	par, low := s.par[top], s.low[top]
	s.dropTree(leave)
	s.addTree(enter)
	s.number(top, par, low)
}
