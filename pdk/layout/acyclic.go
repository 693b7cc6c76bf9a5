package layout

// link is an edge between two leaves, as layering sees it. Links with weight 0 and no edge only keep containers apart.
type link struct {
	from, to int
	min      int
	weight   int
	edge     int  // index in Graph.Edges, -1 for none
	back     bool // reversed: the edge runs against the link
}

// breakCycles reverses links until no cycle is left. In each strongly connected component it reverses the links that run
// against the order of Eades, Lin and Smyth (1993), which keeps their number nearly minimal. It never reverses a link
// outside a cycle.
func breakCycles(n int, links []link) {
	part := components(n, links)
	inner := make([][]int, n) // by node: its links within its component
	for i, l := range links {
		if l.from != l.to && part[l.from] == part[l.to] {
			inner[l.from] = append(inner[l.from], i)
			inner[l.to] = append(inner[l.to], i)
		}
	}
	place := make([]int, n)
	done := make([]bool, n)
	byPart := map[int][]int{}
	for v := range n {
		if len(inner[v]) > 0 {
			byPart[part[v]] = append(byPart[part[v]], v)
		}
	}
	for v := range n {
		if members := byPart[part[v]]; len(members) > 0 && members[0] == v {
			eadesOrder(members, links, inner, place, done)
		}
	}
	for i := range links {
		l := &links[i]
		if part[l.from] == part[l.to] && place[l.from] > place[l.to] {
			l.from, l.to, l.back = l.to, l.from, !l.back
		}
	}
}

// eadesOrder orders the members of one component in place: sinks go to the end; sources, and when there are none the
// node with the most outgoing less incoming links, go to the front.
func eadesOrder(members []int, links []link, inner [][]int, place []int, done []bool) {
	out, in := map[int]int{}, map[int]int{}
	for _, v := range members {
		for _, i := range inner[v] {
			if links[i].from == v {
				out[v]++
			} else {
				in[v]++
			}
		}
	}
	front, back := 0, len(members)-1
	take := func(v, at int) {
		done[v], place[v] = true, at
		for _, i := range inner[v] {
			if links[i].from == v {
				in[links[i].to]--
			} else {
				out[links[i].from]--
			}
		}
	}
	for front <= back {
		best := -1
		moved := false
		for _, v := range members {
			if done[v] {
				continue
			}
			if out[v] == 0 {
				take(v, back)
				back--
				moved = true
				continue
			}
			if in[v] == 0 {
				take(v, front)
				front++
				moved = true
				continue
			}
			if best < 0 || out[v]-in[v] > out[best]-in[best] {
				best = v
			}
		}
		if !moved && best >= 0 {
			take(best, front)
			front++
		}
	}
}

// components numbers the strongly connected components by Tarjan's algorithm, without recursion, and returns the number
// of each node's component.
func components(n int, links []link) []int {
	out := make([][]int, n)
	for _, l := range links {
		out[l.from] = append(out[l.from], l.to)
	}
	part, index, low := make([]int, n), make([]int, n), make([]int, n)
	onStack := make([]bool, n)
	for i := range part {
		part[i] = -1
	}
	var stack []int
	next, parts := 1, 0
	type frame struct{ v, i int }
	for root := range n {
		if index[root] != 0 {
			continue
		}
		calls := []frame{{root, 0}}
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			v := f.v
			if f.i == 0 {
				index[v], low[v] = next, next
				next++
				stack, onStack[v] = append(stack, v), true
			}
			if f.i < len(out[v]) {
				w := out[v][f.i]
				f.i++
				if index[w] == 0 {
					calls = append(calls, frame{w, 0})
				} else if onStack[w] {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			if low[v] == index[v] {
				for {
					w := stack[len(stack)-1]
					stack, onStack[w] = stack[:len(stack)-1], false
					part[w] = parts
					if w == v {
						break
					}
				}
				parts++
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1].v
				low[up] = min(low[up], low[v])
			}
		}
	}
	return part
}
