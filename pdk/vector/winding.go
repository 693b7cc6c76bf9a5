package vector

import (
	"cmp"
	"slices"
)

// edge combines all chords between two nodes. a comes before b in the order from left to
// right and from bottom to top.
type edge struct {
	a, b   node
	origin []chord // the chords, in the direction in which they were drawn
	inside bool    // the area above it, or left of a vertical edge, is accepted
	bounds bool    // only one of the areas on its two sides is accepted
}

// divide makes edges of snapped chords, except for chords that cancel each other out.
func divide(chords []chord) []edge {
	ordered := func(c *chord) (a, b node) {
		if before(c.b, c.a) > 0 {
			return c.a, c.b
		}
		return c.b, c.a
	}
	slices.SortFunc(chords, func(p, q chord) int {
		pa, pb := ordered(&p)
		qa, qb := ordered(&q)
		if c := before(pa, qa); c != 0 {
			return c
		}
		return cmp.Or(before(pb, qb), cmp.Compare(p.curve, q.curve), cmp.Compare(p.t0, q.t0))
	})
	var out []edge
	for i := 0; i < len(chords); {
		a, b := ordered(&chords[i])
		j := i + 1
		for j < len(chords) {
			if c, d := ordered(&chords[j]); c != a || d != b {
				break
			}
			j++
		}
		if a != b && bounding(chords[i:j]) {
			out = append(out, edge{a: a, b: b, origin: chords[i:j]})
		}
		i = j
	}
	return out
}

// before orders nodes from left to right and from bottom to top.
func before(m, n node) int {
	if m.x != n.x {
		return cmp.Compare(m.x, n.x)
	}
	return cmp.Compare(m.y, n.y)
}

// bounding reports whether chords between the same nodes do not cancel each other out.
func bounding(list []chord) bool {
	for i := range list {
		sum := 0
		for j := range list {
			if list[j].region != list[i].region {
				continue
			}
			if list[j].a == list[i].a {
				sum++
			} else {
				sum--
			}
		}
		if sum != 0 {
			return true
		}
	}
	return false
}

// event is the start or the end of an edge, which the sweep reaches at a node.
type event struct {
	at    node
	end   bool
	index int // of the edge
}

// sweepEvents lists the starts and ends of edges in the order of the sweep: at one node, ends before starts, and the
// edges that start there from the lowest to the uppermost.
func sweepEvents(edges []edge) []event {
	events := make([]event, 0, 2*len(edges))
	for i := range edges {
		events = append(events, event{edges[i].a, false, i}, event{edges[i].b, true, i})
	}
	slices.SortFunc(events, func(p, q event) int {
		if c := before(p.at, q.at); c != 0 {
			return c
		}
		if p.end != q.end {
			if p.end {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(0, cross(edges[p.index].a, edges[p.index].b, edges[q.index].b)), p.index-q.index)
	})
	return events
}

// label sets inside and bounds of each edge. A vertical line sweeps over the plane, and keeps the winding numbers of
// each region between the edges that it crosses.
func label(edges []edge, regions int, accepts func(winding []int32, inside []bool) bool) {
	events := sweepEvents(edges)
	above := make([][]int32, len(edges)) // the winding numbers above each edge of the sweep
	var spare [][]int32
	nothing := make([]int32, regions)
	inside := make([]bool, regions)
	var sweep []int // edges from the lowest to the uppermost
	// under is the number of edges of the sweep that lie below a node.
	under := func(n node) int {
		k, _ := slices.BinarySearchFunc(sweep, n, func(i int, n node) int {
			if cross(edges[i].a, edges[i].b, n) > 0 {
				return -1
			}
			return 1
		})
		return k
	}
	for i := 0; i < len(events); {
		n := events[i].at
		at := under(n)
		k := at
		for ; i < len(events) && events[i].at == n && events[i].end; i++ {
			if k < len(sweep) {
				spare = append(spare, above[sweep[k]])
				k++
			}
		}
		first := i
		for ; i < len(events) && events[i].at == n; i++ {
		}
		fresh := make([]int, 0, i-first)
		for _, e := range events[first:i] {
			fresh = append(fresh, e.index)
		}
		sweep = slices.Replace(sweep, at, k, fresh...)
		below := nothing
		if at > 0 {
			below = above[sweep[at-1]]
		}
		accepted := accepts(below, inside)
		for _, e := range fresh {
			var w []int32
			if n := len(spare); n > 0 {
				w, spare = spare[n-1], spare[:n-1]
			} else {
				w = make([]int32, regions)
			}
			above[e] = w
			copy(w, below)
			for j := range edges[e].origin {
				c := &edges[e].origin[j]
				if c.a == edges[e].a {
					w[c.region]++
				} else {
					w[c.region]--
				}
			}
			edges[e].inside = accepts(w, inside)
			edges[e].bounds = edges[e].inside != accepted
			below, accepted = w, edges[e].inside
		}
	}
}
