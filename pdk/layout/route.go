package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// trackStep is the distance between parallel horizontal pieces of edges.
const trackStep = 12

// router finds the route of each line: where it leaves and enters its shapes, and the track on which it crosses each gap
// between two rows.
type router struct {
	l *layered
	r *rows
	x []float64 // by vertex: its middle along its row

	exit, entry []float64      // by line: in fractions of the shape's side
	tracks      []int          // by row: how many tracks the gap after it needs
	bends       [][]bend       // by row: those in the gap after it
	labels      []float64      // by row: the room that labels need there
	start       []float64      // by row: where the free zone of the gap begins
	corners     [][]geom.Point // by line
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
	alone := map[int][2]int{} // by vertex: how many lines leave and enter it
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
		ro.tracks[k] = assignTracks(ro.bends[k])
	}
	return ro
}

// fraction converts a distance from the middle of a side of length w to a fraction of the side.
func fraction(off, w float64) float64 {
	if w <= 0 {
		return 0.5
	}
	return 0.5 + off/w
}

// straighten removes small jogs that look unintended by moving the ports at the ends of a line. It moves a port farther
// where the line is alone on its side.
func (ro *router) straighten(line edgeLine, xs []float64, lone [2]bool) {
	last := len(xs) - 1
	for end, at := range [2][2]int{{0, 1}, {last, last - 1}} {
		v := line.verts[at[0]]
		small := 14.0
		if lone[end] {
			small = 30
		}
		d := math.Abs(xs[at[0]] - xs[at[1]])
		room := math.Max(0, ro.portReach(v)-6)
		if d > 0 && d < small && math.Abs(xs[at[1]]-ro.x[v]) <= room {
			xs[at[0]] = xs[at[1]]
		}
	}
}

// ports spreads the lines of each shape along its side: straight ones in the middle, those that go left on the left,
// those that go right on the right. It returns each line's distance from the middle at both ends.
func (ro *router) ports() (out, in []float64) {
	out, in = make([]float64, len(ro.r.lines)), make([]float64, len(ro.r.lines))
	leaving, coming := map[int][]int{}, map[int][]int{}
	for i, line := range ro.r.lines {
		a, b := line.verts[0], line.verts[len(line.verts)-1]
		leaving[a] = append(leaving[a], i)
		coming[b] = append(coming[b], i)
	}
	for v := range ro.r.verts {
		ro.spreadSide(v, leaving[v], out, func(i int) float64 { return ro.x[ro.r.lines[i].verts[1]] })
		ro.spreadSide(v, coming[v], in, func(i int) float64 {
			verts := ro.r.lines[i].verts
			return ro.x[verts[len(verts)-2]]
		})
	}
	return out, in
}

// portReach is how far from a vertex's middle edges may end on it.
func (ro *router) portReach(v int) float64 {
	half := ro.r.verts[v].w / 2
	if n := ro.r.verts[v].node; n >= 0 {
		half *= ro.l.g.Nodes[n].face()
	}
	return half
}

// spreadSide sets off, the distances from the middle, for the lines on one side of v. toward is where a line leads next.
func (ro *router) spreadSide(v int, lines []int, off []float64, toward func(int) float64) {
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
	half := ro.portReach(v)
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

// maxOrdered is the number of bends in one gap up to which orderBends compares each pair of them.
const maxOrdered = 300

// assignTracks assigns the bends of one gap to tracks, counted from above, so that no bends overlap and few lines cross.
// It returns the number of tracks.
func assignTracks(bends []bend) int {
	order, above := orderBends(bends)
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

// costAbove is the cost of having b above o: the number of crossings, and much more for two vertical pieces that
// overlap.
func (b bend) costAbove(o bend) int {
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

// orderBends decides which bends must lie above which, and returns an order in which tracks can be assigned, and for
// each bend those that must lie above it.
func orderBends(bends []bend) (order []int, above [][]int) {
	order, above = make([]int, len(bends)), make([][]int, len(bends))
	for i := range order {
		order[i] = i
	}
	if len(bends) > maxOrdered {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bends[a].key(), bends[b].key()) })
		return order, above
	}
	var ls []link
	for i := range bends {
		for j := range i {
			if !bends[i].beside(bends[j]) {
				continue
			}
			switch d := bends[i].costAbove(bends[j]) - bends[j].costAbove(bends[i]); {
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

// key is a sort key by which bends that run the same way do not cross: to the right, bends that begin farther right lie
// higher; to the left, those that begin farther left.
func (b bend) key() float64 {
	if b.to > b.from {
		return -b.from
	}
	return b.from
}

// room is the height of the free zone behind row k.
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

// setZone sets where the free zone behind row k begins.
func (ro *router) setZone(k int, at float64) { ro.start[k] = at }

// finish makes the corners once the rows have their positions.
func (ro *router) finish() {
	for k := range ro.bends {
		for _, b := range ro.bends[k] {
			y := ro.start[k] + ro.room(k)*float64(b.track+1)/float64(ro.tracks[k]+1)
			ro.corners[b.line] = append(ro.corners[b.line], geom.Point{X: b.from, Y: y}, geom.Point{X: b.to, Y: y})
		}
	}
}
