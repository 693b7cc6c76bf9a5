package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// treeRoutes routes the edges of a tree layout. Tree edges fork from one line below the parent. Other edges run through
// gaps in the rows between their ends.
type treeRoutes struct {
	s      *treeLayout
	ports  [][2]float64 // by link: distance from the middle of its two shapes
	bends  [][]bend     // by row: those between it and the next, of links that are no tree edges
	tracks []int        // by row: how many tracks those bends need
	labels []float64    // by row: the room that labels need below it
	taken  [][]interval // by row: what its nodes and passing links occupy
	passes []float64    // by link: where it passes the rows between its ends
}

// interval is an occupied part of a row.
type interval struct{ from, to float64 }

func newTreeRoutes(s *treeLayout) *treeRoutes {
	rows := len(s.y)
	w := &treeRoutes{s: s, ports: make([][2]float64, len(s.links)), bends: make([][]bend, rows), tracks: make([]int, rows),
		labels: make([]float64, rows), taken: make([][]interval, rows), passes: make([]float64, len(s.links))}
	for v, x := range s.x {
		half, _ := s.extent(v)
		half /= 2
		w.taken[s.depth[v]] = append(w.taken[s.depth[v]], interval{x - half, x + half})
	}
	for i, l := range s.links {
		if s.edges[i].exact {
			w.passes[i] = w.pass(l)
			w.need(i, s.depth[l.from])
		}
	}
	w.spread()
	for i, l := range s.links {
		if !s.edges[i].exact {
			continue
		}
		if w.treeEdge(i) { // remove a jog that is too small to look intended
			width, _ := s.extent(l.to)
			if d := s.x[l.from] - s.x[l.to]; math.Abs(d) < 14 && math.Abs(d) < width*s.face(l.to)/2-4 && !w.crowded(l.to) {
				w.ports[i][1] = d
			}
			continue
		}
		a, b := s.x[l.from]+w.ports[i][0], s.x[l.to]+w.ports[i][1]
		if s.depth[l.from]+1 == s.depth[l.to] {
			w.bend(i, s.depth[l.from], a, b)
			continue
		}
		w.bend(i, s.depth[l.from], a, w.passes[i])
		w.bend(i, s.depth[l.to]-1, w.passes[i], b)
	}
	for k := range w.bends {
		w.tracks[k] = assignTracks(w.bends[k])
	}
	return w
}

// treeEdge reports whether link i connects a node to its parent.
func (w *treeRoutes) treeEdge(i int) bool {
	l := w.s.links[i]
	return w.s.parent[l.to] == l.from && w.s.first[l.to] == i
}

func (w *treeRoutes) bend(line, row int, from, to float64) {
	if from != to {
		w.bends[row] = append(w.bends[row], bend{line: line, from: from, to: to})
	}
}

// need reserves room below a row for the label of link i.
func (w *treeRoutes) need(i, row int) {
	if n := w.s.label(w.s.edges[i].edge); n > 0 {
		w.labels[row] = math.Max(w.labels[row], n+30)
	}
}

// pass finds where a link passes the rows between its ends: where they are free, as close to its lower end as possible.
func (w *treeRoutes) pass(l link) float64 {
	const room = 8
	from, to := w.s.depth[l.from]+1, w.s.depth[l.to]
	want := w.s.x[l.to]
	if from == to {
		return want
	}
	var occupied []interval
	for k := from; k < to; k++ {
		occupied = append(occupied, w.taken[k]...)
	}
	slices.SortFunc(occupied, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
	best, end := math.Inf(1), math.Inf(-1) // end of the occupied intervals so far
	try := func(x float64) {
		if math.Abs(x-want) < math.Abs(best-want) {
			best = x
		}
	}
	for _, c := range occupied {
		if c.from-end >= 2*room {
			try(math.Min(math.Max(want, end+room), c.from-room))
		}
		end = math.Max(end, c.to)
	}
	try(math.Max(want, end+room))
	best = math.Round(best)
	for k := from; k < to; k++ {
		w.taken[k] = append(w.taken[k], interval{best - room/2, best + room/2})
	}
	return best
}

// crowded reports whether links other than its tree edge end at v.
func (w *treeRoutes) crowded(v int) bool {
	for i, l := range w.s.links {
		if l.to == v && w.s.edges[i].exact && !w.treeEdge(i) {
			return true
		}
	}
	return false
}

// spread places the links of each node along its side: tree edges in the middle, the others to the left and right of it.
func (w *treeRoutes) spread() {
	s := w.s
	above, below := make([][]int, len(s.nodes)), make([][]int, len(s.nodes))
	for i, l := range s.links {
		if s.edges[i].exact && !w.treeEdge(i) {
			below[l.from], above[l.to] = append(below[l.from], i), append(above[l.to], i)
		}
	}
	for v := range s.nodes {
		w.side(v, below[v], 0, len(s.kids[v]) > 0, func(i int) float64 {
			if l := s.links[i]; s.depth[l.from]+1 == s.depth[l.to] {
				return s.x[l.to]
			}
			return w.passes[i]
		})
		w.side(v, above[v], 1, s.parent[v] >= 0, func(i int) float64 {
			if l := s.links[i]; s.depth[l.from]+1 == s.depth[l.to] {
				return s.x[l.from]
			}
			return w.passes[i]
		})
	}
}

// side spreads links along one side of a node. If middle is set, the middle of the side stays free.
func (w *treeRoutes) side(v int, links []int, end int, middle bool, toward func(i int) float64) {
	if len(links) == 0 {
		return
	}
	slices.SortStableFunc(links, func(a, b int) int { return cmp.Compare(toward(a), toward(b)) })
	width, _ := w.s.extent(v)
	width *= w.s.face(v)
	if !middle && len(links) == 1 {
		l := w.s.links[links[0]]
		if d := toward(links[0]) - w.s.x[v]; math.Abs(d) < math.Min(14, width/2-6) && w.s.depth[l.from]+1 < w.s.depth[l.to] {
			w.ports[links[0]][end] = d
		}
		return
	}
	left := 0
	for _, i := range links {
		if toward(i) < w.s.x[v] {
			left++
		}
	}
	step := math.Min(16, width/2/float64(max(left, len(links)-left)+1))
	for n, i := range links {
		k := n - left // -2 -1 | 0 1: from the middle outwards
		if k >= 0 {
			k++
		}
		w.ports[i][end] = math.Round(float64(k) * step)
	}
}

// room is the height of the free zone after row k.
func (w *treeRoutes) room(k int) float64 {
	return math.Max(math.Max(w.s.o.spacing(), w.labels[k]), float64(w.tracks[k]+2)*trackStep)
}

// finish makes the routes once the rows have their positions.
func (w *treeRoutes) finish(depth float64) {
	s := w.s
	corners := make([][]geom.Point, len(s.links))
	at := func(row, track int) float64 {
		return s.y[row] + s.heights[row] + w.room(row)*float64(track+1)/float64(w.tracks[row]+2)
	}
	for i, l := range s.links {
		if !s.edges[i].exact || !w.treeEdge(i) {
			continue
		}
		if a, b := s.x[l.from], s.x[l.to]+w.ports[i][1]; a != b {
			y := at(s.depth[l.from], 0)
			if w.tracks[s.depth[l.from]] == 0 {
				y = s.y[s.depth[l.from]] + s.heights[s.depth[l.from]] + w.room(s.depth[l.from])/2
			}
			corners[i] = []geom.Point{{X: a, Y: y}, {X: b, Y: y}}
		}
	}
	for k := range w.bends {
		for _, b := range w.bends[k] {
			y := at(k, b.track+1)
			corners[b.line] = append(corners[b.line], geom.Point{X: b.from, Y: y}, geom.Point{X: b.to, Y: y})
		}
	}
	for i, l := range s.links {
		if !s.edges[i].exact {
			continue
		}
		r := Route{Set: true, Exit: s.dir.port(w.fraction(l.from, w.ports[i][0]), true), Entry: s.dir.port(w.fraction(l.to, w.ports[i][1]), false)}
		for _, p := range corners[i] {
			q := s.dir.turn(p.X, p.Y, 0, 0, depth)
			r.Points = append(r.Points, geom.Point{X: q.X, Y: q.Y})
		}
		if l.back {
			r.Exit, r.Entry = r.Entry, r.Exit
			slices.Reverse(r.Points)
		}
		s.routes[i] = r
	}
}

func (w *treeRoutes) fraction(v int, off float64) float64 {
	width, _ := w.s.extent(v)
	return fraction(off, width)
}
