package simplex

// parts divides the nodes of a solver into sets that tight edges connect.
type parts struct {
	of      []int   // by node: its part, -1 for none yet
	members [][]int // by part: its nodes; nil after merge has emptied it
}

// feasibleTree builds a spanning tree of tight edges. It starts from the parts that tight edges connect already, and
// always attaches the smallest part to its nearest neighbour, so that each node is visited only a few times.
func (s *solver) feasibleTree() {
	s.inTree = make([]bool, len(s.edges))
	p := s.tightParts()
	queue := make(partQueue, 0, 2*len(p.members))
	for id := range p.members {
		queue.push(partSize{id, len(p.members[id])})
	}
	for left := len(p.members); left > 1; {
		smallest := queue.pop()
		if len(p.members[smallest.id]) != smallest.size {
			continue // merged since it was queued
		}
		edge, neighbour := s.attach(p, smallest.id)
		s.addTree(edge)
		merged := p.merge(smallest.id, neighbour)
		left--
		queue.push(partSize{merged, len(p.members[merged])})
	}
}

// tightParts finds the parts that tight edges connect, and adds the edges that span them to the tree.
func (s *solver) tightParts() *parts {
	p := &parts{of: make([]int, s.n)}
	for i := range p.of {
		p.of[i] = -1
	}
	all := make([]int, 0, s.n)
	for root := range s.n {
		if p.of[root] >= 0 {
			continue
		}
		id := len(p.members)
		p.of[root] = id
		first := len(all)
		all = append(all, root)
		for i := first; i < len(all); i++ {
			v := all[i]
			for _, es := range [2][]int{s.out[v], s.in[v]} {
				for _, e := range es {
					w := s.other(e, v)
					if p.of[w] < 0 && s.slack(e) == 0 {
						p.of[w] = id
						all = append(all, w)
						s.addTree(e)
					}
				}
			}
		}
		p.members = append(p.members, all[first:len(all):len(all)])
	}
	return p
}

// attach moves a part so that its edge with the least slack to another part becomes tight. It returns that edge and the
// other part.
func (s *solver) attach(p *parts, id int) (edge, neighbour int) {
	edge, slack := s.nearest(p, id)
	if edge < 0 {
		return s.link(p, id)
	}
	a := &s.edges[edge]
	neighbour = p.of[a.To]
	if neighbour == id {
		slack, neighbour = -slack, p.of[a.From]
	}
	for _, v := range p.members[id] {
		s.rank[v] += slack
	}
	return edge, neighbour
}

// nearest finds the edge with the least slack between a part and the others, -1 for none.
func (s *solver) nearest(p *parts, id int) (edge, slack int) {
	edge = -1
	for _, v := range p.members[id] {
		for _, es := range [2][]int{s.out[v], s.in[v]} {
			for _, e := range es {
				if w := s.other(e, v); p.of[w] != id {
					if sl := s.slack(e); edge < 0 || sl < slack {
						edge, slack = e, sl
					}
				}
			}
		}
	}
	return edge, slack
}

// link connects a part that has no edge to the others by a new edge, which has no weight and is tight where the two
// ends are now.
func (s *solver) link(p *parts, id int) (edge, neighbour int) {
	neighbour = p.another(id)
	a, b := p.members[id][0], p.members[neighbour][0]
	if s.rank[a] > s.rank[b] {
		a, b = b, a
	}
	edge = len(s.edges)
	s.edges = append(s.edges, Arc{a, b, s.rank[b] - s.rank[a], 0})
	s.out[a], s.in[b] = append(s.out[a], edge), append(s.in[b], edge)
	s.inTree = append(s.inTree, false)
	return edge, neighbour
}

// another is the first part other than id that has members.
func (p *parts) another(id int) int {
	for i := range p.members {
		if i != id && p.members[i] != nil {
			return i
		}
	}
	return id
}

// merge moves the members of the smaller of two parts to the larger one, which it returns.
func (p *parts) merge(small, large int) int {
	if len(p.members[small]) > len(p.members[large]) {
		small, large = large, small
	}
	for _, v := range p.members[small] {
		p.of[v] = large
	}
	p.members[large] = append(p.members[large], p.members[small]...)
	p.members[small] = nil
	return large
}

// partSize is a part and how many members it had when it was queued.
type partSize struct{ id, size int }

func (p partSize) before(o partSize) bool {
	return p.size < o.size || p.size == o.size && p.id < o.id
}

// partQueue is a heap with the smallest part first.
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
