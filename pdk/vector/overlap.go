package vector

import "slices"

// overlap is a piece of a curve that coincides with a piece of another one.
type overlap struct {
	t0, t1 float64
	other  int
	o0, o1 float64 // the parameters of the other curve at t0 and t1
}

// findOverlaps finds pieces of curves that coincide. Lines need no search: the grid finds
// theirs.
func (b *builder) findOverlaps() {
	b.shared = make([][]overlap, len(b.curves))
	b.stops = make([][]float64, len(b.curves))
	var round []int
	boxes := make([]Box, len(b.curves))
	near := 4 * b.tolerance
	for i := range b.curves {
		if b.curves[i].kind != Line {
			round = append(round, i)
			c := b.curves[i].bounds()
			boxes[i] = Box{c.X0 - near, c.Y0 - near, c.X1 + near, c.Y1 + near}
		}
	}
	slices.SortFunc(round, func(i, j int) int {
		switch {
		case boxes[i].X0 < boxes[j].X0:
			return -1
		case boxes[i].X0 > boxes[j].X0:
			return 1
		}
		return i - j
	})
	var pairs [][2]int
	for n, i := range round {
		for _, j := range round[n+1:] {
			if boxes[j].X0 > boxes[i].X1 {
				break
			}
			if boxes[j].Y0 <= boxes[i].Y1 && boxes[i].Y0 <= boxes[j].Y1 {
				pairs = append(pairs, [2]int{min(i, j), max(i, j)})
			}
		}
	}
	slices.SortFunc(pairs, func(p, q [2]int) int {
		if p[1] != q[1] {
			return p[1] - q[1]
		}
		return p[0] - q[0]
	})
	for _, p := range pairs {
		b.findOverlap(p[0], p[1], near)
	}
	for _, list := range b.shared {
		slices.SortFunc(list, func(x, y overlap) int {
			if x.t0 < y.t0 {
				return -1
			}
			return 1
		})
	}
}

// findOverlap finds the piece that curve j has in common with curve i.
func (b *builder) findOverlap(i, j int, near float64) {
	p, q := &b.curves[i], &b.curves[j]
	s := overlap{t0: 2, t1: -1, other: i}
	meets := func(onJ, onI float64) {
		if onJ < s.t0 {
			s.t0, s.o0 = onJ, onI
		}
		if onJ > s.t1 {
			s.t1, s.o1 = onJ, onI
		}
	}
	for _, t := range [2]float64{0, 1} {
		if on, d := p.nearest(q.at(t)); d <= near {
			meets(t, snapEnd(on))
		}
		if on, d := q.nearest(p.at(t)); d <= near {
			meets(snapEnd(on), t)
		}
	}
	if s.t1-s.t0 < 1e-4 || q.at(s.t0).Distance(q.at(s.t1)) < 16*near {
		return
	}
	lo, hi := min(s.o0, s.o1), max(s.o0, s.o1)
	for n := 1; n < 8; n++ {
		on, d := p.nearest(q.at(s.t0 + (s.t1-s.t0)*float64(n)/8))
		if d > near || on < lo || on > hi {
			return
		}
	}
	// A piece that a third curve already replaces stays as it is.
	for _, o := range b.shared[j] {
		if o.t0 < s.t1 && s.t0 < o.t1 {
			return
		}
	}
	for _, o := range b.shared[i] {
		if o.t0 < hi && lo < o.t1 {
			return
		}
	}
	b.shared[j] = append(b.shared[j], s)
	b.stops[j] = append(b.stops[j], s.t0, s.t1)
	b.stops[i] = append(b.stops[i], s.o0, s.o1)
}

// snapEnd replaces a parameter that is nearly 0 or 1 by 0 or 1.
func snapEnd(t float64) float64 {
	switch {
	case t < 1e-7:
		return 0
	case t > 1-1e-7:
		return 1
	}
	return t
}
