package arrange

import (
	"slices"
)

// port is the point on a side of a shape where the lines of one net end.
type port struct {
	v     int
	right bool
	off   int // distance from the top of v
	lines []int
	other int   // mean height of the other ends
	via   []int // by line: the element at the other end of its first piece
}

// makePorts assigns a port to every end of a line. Lines of one net share one.
func (q *placing) makePorts() {
	m := q.m
	q.portAt = make([][2]int, len(m.p.lines))
	for i := range q.portAt {
		q.portAt[i] = [2]int{-1, -1}
	}
	endOf := func(line, v int) int {
		if m.p.lines[line].a == v {
			return 0
		}
		return 1
	}
	for _, segs := range m.gaps {
		byNet := make([]struct{ l, r int }, len(segs))
		for i := range byNet {
			byNet[i].l, byNet[i].r = -1, -1
		}
		add := func(id *int, v, other, line int, right bool) {
			if q.freed != nil && q.freed[line][endOf(line, v)] {
				return
			}
			if *id < 0 || q.ports[*id].v != v {
				*id = len(q.ports)
				q.ports = append(q.ports, port{v: v, right: right})
			}
			q.ports[*id].lines = append(q.ports[*id].lines, line)
			q.ports[*id].via = append(q.ports[*id].via, other)
			q.portAt[line][endOf(line, v)] = *id
		}
		for _, s := range segs {
			if m.owner[s.l] < 0 {
				add(&byNet[s.net].l, s.l, s.r, s.line, true)
			}
			if m.owner[s.r] < 0 {
				add(&byNet[s.net].r, s.r, s.l, s.line, false)
			}
		}
	}
	for _, i := range m.inner {
		if !q.bracket[i] {
			continue
		}
		l := &m.p.lines[i]
		for k, v := range [2]int{l.a, l.b} {
			q.portAt[i][k] = len(q.ports)
			q.ports = append(q.ports, port{v: v, right: q.right[i], lines: []int{i}, via: []int{l.a + l.b - v}})
		}
	}
}

// offset is the distance of a line's end from the top of its shape: end 0 of line i, or end 1.
func (q *placing) offset(i, e int) int {
	if id := q.portAt[i][e]; id >= 0 {
		return q.ports[id].off
	}
	v := q.m.p.lines[i].a
	if e == 1 {
		v = q.m.p.lines[i].b
	}
	return (q.bottom[v] - q.top[v]) / 2
}

// setPorts positions the ports of each side in the order of their other ends. The port whose other end is nearest in
// height gets the middle.
func (q *placing) setPorts() {
	m := q.m
	sides := make([][]int, 2*len(m.p.shapes))
	for i := range q.ports {
		t := &q.ports[i]
		sum := 0
		for k, w := range t.via {
			y := (q.top[w] + q.bottom[w]) / 2
			if m.owner[w] < 0 { // its own port may lie off the middle
				e := 0
				if m.p.lines[t.lines[k]].b == w {
					e = 1
				}
				if id := q.portAt[t.lines[k]][e]; id >= 0 && len(q.ports[id].lines) > 1 && len(t.lines) == 1 {
					y = q.top[w] + q.ports[id].off
				}
			}
			sum += y
		}
		t.other = sum / len(t.via)
		s := 2 * t.v
		if t.right {
			s++
		}
		sides[s] = append(sides[s], i)
	}
	for s, list := range sides {
		if len(list) == 0 {
			continue
		}
		v := s / 2
		h := q.bottom[v] - q.top[v]
		mid := q.top[v] + h/2
		slices.SortStableFunc(list, func(a, b int) int { return q.ports[a].other - q.ports[b].other })
		k := 0
		for i := range list {
			if abs(q.ports[list[i]].other-mid) < abs(q.ports[list[k]].other-mid) {
				k = i
			}
		}
		reach := h/2 - 8
		if m.p.frame(v) {
			reach = h/2 - 20
		} else if f := m.p.shapes[v].face(); f < 100 {
			reach = h * f / 200
		}
		reach = max(reach, 0)
		if q.pl.spread && q.spread(list, k, h, reach) {
			continue
		}
		step, far := 20, max(k, len(list)-1-k)
		if far*step > reach {
			step = reach / far
			if step < 8 && 2*reach/(len(list)-1) > step {
				step = 2 * reach / (len(list) - 1)
				for i, id := range list {
					q.ports[id].off = h/2 + (2*i-len(list)+1)*step/2
				}
				continue
			}
			if step >= 10 {
				step = 10
			}
		}
		for i, id := range list {
			q.ports[id].off = h/2 + (i-k)*step
		}
	}
}

// spread positions ports so that there is room for labels that lie across their lines, if there are such labels and the
// side has that room: around port k in the middle, or with the middle of all ports in the middle. It reports whether it
// did.
func (q *placing) spread(list []int, k, h, reach int) bool {
	at := make([]int, len(list))
	wide := false
	label := func(id int) int {
		most := 0
		for _, i := range q.ports[id].lines {
			most = max(most, q.m.p.lines[i].lh)
		}
		return most
	}
	for i := 1; i < len(list); i++ {
		step := max(20, (label(list[i-1])+label(list[i]))/2+8)
		wide = wide || step > 30
		at[i] = at[i-1] + step
	}
	if !wide {
		return false
	}
	mid := at[k]
	if mid > reach || at[len(at)-1]-mid > reach {
		mid = at[len(at)-1] / 2
	}
	if mid > reach || at[len(at)-1]-mid > reach {
		return false
	}
	for i, id := range list {
		q.ports[id].off = h/2 + at[i] - mid
	}
	return true
}
