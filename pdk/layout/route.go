package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// trackStep is the distance between parallel horizontal pieces of edges.
const trackStep = 12

// router finds the way of each line: where it leaves and enters its shapes,
// and on which track it crosses between two rows.
type router struct {
	l *layered
	r *rows
	x []float64

	exit, entry []float64 // by line, in fractions of the shape's side
	tracks      []int     // how many tracks the gap behind a row needs
	bends       [][]bend  // in the gap behind a row
	labels      []float64 // room that labels need there
	start       []float64 // where the gap's free zone begins
	corners     [][]geom.Point
}

// bend is a line's horizontal piece between two rows.
type bend struct {
	line     int
	from, to float64
	track    int
}

func newRouter(l *layered, r *rows, x []float64) *router {
	n := len(r.lines)
	ro := &router{l: l, r: r, x: x, exit: make([]float64, n), entry: make([]float64, n),
		tracks: make([]int, len(r.rank)), bends: make([][]bend, len(r.rank)), labels: make([]float64, len(r.rank)),
		start: make([]float64, len(r.rank)), corners: make([][]geom.Point, n)}
	offOut, offIn := ro.ports()
	alone := map[int][2]int{} // lines that leave and enter a vertex
	for _, line := range r.lines {
		a, b := line.verts[0], line.verts[len(line.verts)-1]
		n := alone[a]
		n[0]++
		alone[a] = n
		n = alone[b]
		n[1]++
		alone[b] = n
	}
	for i, line := range r.lines {
		xs := make([]float64, len(line.verts))
		for j, v := range line.verts {
			xs[j] = x[v]
		}
		last := len(xs) - 1
		xs[0] += offOut[i]
		xs[last] += offIn[i]
		ro.straighten(line, xs, [2]bool{alone[line.verts[0]][0] == 1, alone[line.verts[last]][1] == 1})
		wa, wb := r.verts[line.verts[0]].w, r.verts[line.verts[last]].w
		ro.exit[i] = fraction(xs[0]-x[line.verts[0]], wa)
		ro.entry[i] = fraction(xs[last]-x[line.verts[last]], wb)
		for j := range last {
			k := r.verts[line.verts[j]].rank
			if xs[j] != xs[j+1] {
				ro.bends[k] = append(ro.bends[k], bend{line: i, from: xs[j], to: xs[j+1]})
			}
		}
		if last == 1 {
			e := l.g.Edges[line.edge]
			need := e.LabelH
			if l.sideways() {
				need = e.LabelW
			}
			k := r.verts[line.verts[0]].rank
			ro.labels[k] = math.Max(ro.labels[k], need)
		}
	}
	for k := range ro.bends {
		ro.tracks[k] = assign(ro.bends[k])
	}
	return ro
}

func fraction(off, w float64) float64 {
	if w <= 0 {
		return 0.5
	}
	return 0.5 + off/w
}

// straighten takes out jogs that are too small to see a reason for, by moving
// the ports: a little where others are beside it, more where it is alone.
func (ro *router) straighten(line edgeLine, xs []float64, lone [2]bool) {
	last := len(xs) - 1
	for end, at := range [2][2]int{{0, 1}, {last, last - 1}} {
		v := line.verts[at[0]]
		small := 14.0
		if lone[end] {
			small = 30
		}
		d := math.Abs(xs[at[0]] - xs[at[1]])
		room := math.Max(0, ro.half(v)-6)
		if d > 0 && d < small && math.Abs(xs[at[1]]-ro.x[v]) <= room {
			xs[at[0]] = xs[at[1]]
		}
	}
}

// ports spreads the lines of each shape along its side: what goes straight on
// in the middle, what goes left to the left of it, what goes right to the
// right. It gives each line's distance from the middle at both ends.
func (ro *router) ports() (out, in []float64) {
	out, in = make([]float64, len(ro.r.lines)), make([]float64, len(ro.r.lines))
	leaving, coming := map[int][]int{}, map[int][]int{}
	for i, line := range ro.r.lines {
		a, b := line.verts[0], line.verts[len(line.verts)-1]
		leaving[a] = append(leaving[a], i)
		coming[b] = append(coming[b], i)
	}
	for v := range ro.r.verts {
		ro.side(v, leaving[v], out, func(i int) float64 { return ro.x[ro.r.lines[i].verts[1]] })
		ro.side(v, coming[v], in, func(i int) float64 {
			verts := ro.r.lines[i].verts
			return ro.x[verts[len(verts)-2]]
		})
	}
	return out, in
}

// half is how far from a vertex' middle edges may end on it.
func (ro *router) half(v int) float64 {
	half := ro.r.verts[v].w / 2
	if n := ro.r.verts[v].node; n >= 0 {
		half *= ro.l.g.Nodes[n].face()
	}
	return half
}

func (ro *router) side(v int, lines []int, off []float64, toward func(int) float64) {
	if len(lines) < 2 {
		return
	}
	var left, straight, right []int
	for _, i := range lines {
		switch d := toward(i) - ro.x[v]; {
		case math.Abs(d) < 1:
			straight = append(straight, i)
		case d < 0:
			left = append(left, i)
		default:
			right = append(right, i)
		}
	}
	half := ro.half(v)
	byX := func(a, b int) int { return cmp.Compare(toward(a), toward(b)) }
	slices.SortStableFunc(left, byX)
	slices.SortStableFunc(right, byX)
	for n, i := range left {
		off[i] = -half + half*float64(n+1)/float64(len(left)+1)
	}
	for n, i := range right {
		off[i] = half * float64(n+1) / float64(len(right)+1)
	}
	step := math.Min(20, 2*half/float64(len(straight)+1))
	for n, i := range straight {
		off[i] = (float64(n) - float64(len(straight)-1)/2) * step
	}
	for _, i := range lines {
		off[i] = math.Round(off[i])
	}
}

// many is how many bends one gap may have before their order is settled by
// their direction alone.
const many = 300

// assign gives the bends of one gap tracks, from above, so that none lies on
// another and few cross. It gives the number of tracks.
func assign(bends []bend) int {
	order, above := settle(bends)
	count := 0
	for n, i := range order {
		b := &bends[i]
		for _, j := range above[i] {
			b.track = max(b.track, bends[j].track+1)
		}
	again:
		for _, j := range order[:n] {
			if o := bends[j]; o.track == b.track && b.beside(o) {
				b.track++
				goto again
			}
		}
		count = max(count, b.track+1)
	}
	return count
}

// beside reports whether two bends would touch on one track.
func (b bend) beside(o bend) bool {
	const margin = 10
	return math.Min(b.from, b.to)-margin < math.Max(o.from, o.to) && math.Min(o.from, o.to)-margin < math.Max(b.from, b.to)
}

// spans reports whether the bend passes over x.
func (b bend) spans(x float64) bool { return math.Min(b.from, b.to) < x && x < math.Max(b.from, b.to) }

// over is how bad it is to have b above o: crossings, and by far the worst,
// two upright pieces that lie on each other.
func (b bend) over(o bend) int {
	n := 0
	if o.spans(b.to) {
		n++
	}
	if b.spans(o.from) {
		n++
	}
	if math.Abs(b.to-o.from) < 5 {
		n += 10
	}
	return n
}

// settle decides which bends must lie above which, and an order in which they
// can be given their tracks.
func settle(bends []bend) (order []int, above [][]int) {
	order, above = make([]int, len(bends)), make([][]int, len(bends))
	for i := range order {
		order[i] = i
	}
	if len(bends) > many {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bends[a].key(), bends[b].key()) })
		return order, above
	}
	var ls []link
	for i := range bends {
		for j := range i {
			if !bends[i].beside(bends[j]) {
				continue
			}
			switch d := bends[i].over(bends[j]) - bends[j].over(bends[i]); {
			case d < 0:
				ls = append(ls, link{from: i, to: j})
			case d > 0:
				ls = append(ls, link{from: j, to: i})
			}
		}
	}
	breakCycles(len(bends), ls)
	missing := make([]int, len(bends))
	behind := make([][]int, len(bends))
	for _, l := range ls {
		above[l.to] = append(above[l.to], l.from)
		behind[l.from] = append(behind[l.from], l.to)
		missing[l.to]++
	}
	order = order[:0]
	for i := range bends {
		if missing[i] == 0 {
			order = append(order, i)
		}
	}
	for n := 0; n < len(order); n++ {
		for _, j := range behind[order[n]] {
			if missing[j]--; missing[j] == 0 {
				order = append(order, j)
			}
		}
	}
	return order, above
}

// key sorts bends that run the same way so that they do not cross: to the
// right, what begins further right lies higher; to the left, further left.
func (b bend) key() float64 {
	if b.to > b.from {
		return -b.from
	}
	return b.from
}

// room is the free zone behind row k.
func (ro *router) room(k int) float64 {
	if k == len(ro.r.rank)-1 {
		return 0
	}
	need := math.Max(ro.l.o.spacing(), float64(ro.tracks[k]+1)*trackStep)
	if ro.labels[k] > 0 {
		need = math.Max(need, ro.labels[k]+30)
	}
	return need
}

// zone says where the free zone behind row k begins.
func (ro *router) zone(k int, at float64) { ro.start[k] = at }

// finish makes the corners, once the rows have their places.
func (ro *router) finish() {
	for k := range ro.bends {
		for _, b := range ro.bends[k] {
			y := ro.start[k] + ro.room(k)*float64(b.track+1)/float64(ro.tracks[k]+1)
			ro.corners[b.line] = append(ro.corners[b.line], geom.Point{X: b.from, Y: y}, geom.Point{X: b.to, Y: y})
		}
	}
}
