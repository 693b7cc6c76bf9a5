package arrange

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk/layout/simplex"
)

// mode is how the members of a frame are arranged.
type mode uint8

const (
	stacked mode = iota // in one column
	layered             // in columns determined by the lines between them
	grid2               // in two columns, in order
	grid3               // in three columns, in order
)

// plan is everything that the search decides about an arrangement.
type plan struct {
	flow bool   // the flow alone determines the columns; groups span them
	mode []mode // by frame
	move []int  // by unit: by how many macro columns it is moved to the right of where its lines put it
	room int    // additional distance between columns
	gap  int    // distance between the shapes of a column, in per cent of the usual
	rows int    // number of rows that the columns are wrapped into

	spread   bool // ports far enough apart for labels across their lines
	mirrored bool // the order of every container is reversed
	uneven   bool // groups side by side may end at different heights
}

func (pl plan) clone() plan {
	pl.mode, pl.move = slices.Clone(pl.mode), slices.Clone(pl.move)
	return pl
}

// columns is the position of every shape along the flow.
type columns struct {
	first, last []int // by shape: the columns it spans
	macro       []int // by column: the macro column it belongs to
	n           int
}

// columns finds the columns for a plan.
func (p *problem) columns(pl plan) *columns {
	n := len(p.shapes)
	c := &columns{first: make([]int, n), last: make([]int, n)}
	if pl.flow {
		p.flowColumns(c)
		return c
	}
	macro := p.macroColumns(pl)
	start, width := make([]int, n), make([]int, n)
	var inside func(f int)
	inside = func(f int) {
		if !p.frame(f) {
			width[f] = 1
			return
		}
		kids := p.shapes[f].kids
		for _, k := range kids {
			inside(k)
		}
		if f == p.root {
			return
		}
		switch m := pl.mode[f]; m {
		case layered:
			p.layerMembers(f, macro, start, width)
		case grid2, grid3:
			cols := int(m-grid2) + 2
			per := (len(kids) + cols - 1) / cols
			for i, k := range kids {
				start[k] = i / per
			}
		}
		for _, k := range kids {
			width[f] = max(width[f], start[k]+width[k])
		}
	}
	inside(p.root)
	units := p.shapes[p.root].kids
	widest := make([]int, slices.Max(macro)+1)
	for _, u := range units {
		widest[macro[u]] = max(widest[macro[u]], width[u])
	}
	base := make([]int, len(widest))
	for m, w := range widest {
		base[m] = c.n
		for range w {
			c.macro = append(c.macro, m)
		}
		c.n += w
	}
	var set func(v, at, span int)
	set = func(v, at, span int) {
		c.first[v], c.last[v] = at, at
		if !p.frame(v) {
			return
		}
		c.last[v] = at + span - 1
		for _, k := range p.shapes[v].kids {
			s := width[k]
			if pl.mode[v] == stacked && p.visibleFrame(k) {
				s = span // stacked frames are equally wide
			}
			set(k, at+start[k], s)
		}
	}
	for _, u := range units {
		set(u, base[macro[u]], widest[macro[u]])
	}
	c.last[p.root] = c.n - 1
	return c
}

// layerMembers assigns the members of f to columns by the lines between them. Lines to and from the outside pull a
// little.
func (p *problem) layerMembers(f int, macro, start, width []int) {
	kids := p.shapes[f].kids
	at := p.index(kids)
	n := len(kids)
	var arcs, pulls []simplex.Arc
	for _, l := range p.lines {
		if l.skip {
			continue
		}
		a, b := p.child(l.a, f), p.child(l.b, f)
		switch {
		case a >= 0 && b >= 0 && a != b:
			arcs = append(arcs, simplex.Arc{From: at[a], To: at[b], Weight: l.weight() * 2})
		case a >= 0 && b < 0, b >= 0 && a < 0:
			in, out := a, l.b
			if a < 0 {
				in, out = b, l.a
			}
			mine, other := macro[p.shapes[f].unit], macro[p.shapes[out].unit]
			if other < mine {
				pulls = append(pulls, simplex.Arc{From: n, To: at[in], Weight: 1})
			} else if other > mine {
				pulls = append(pulls, simplex.Arc{From: at[in], To: n + 1, Weight: 1})
			}
		}
	}
	w := make([]int, n)
	for i, k := range kids {
		w[i] = width[k]
	}
	got := assignColumns(n, w, arcs)
	// Solve again with the pulls, without widening the frame.
	wide := 0
	for i, s := range got {
		wide = max(wide, s+w[i])
	}
	place := make([]int, n)
	copy(place, got)
	for _, a := range arcs {
		if place[a.From] < place[a.To] {
			pulls = append(pulls, simplex.Arc{From: a.From, To: a.To, Min: w[a.From], Weight: a.Weight})
		}
	}
	for i := range n {
		pulls = append(pulls, simplex.Arc{From: n, To: i}, simplex.Arc{From: i, To: n + 1, Min: w[i]})
	}
	pulls = append(pulls, simplex.Arc{From: n, To: n + 1, Min: max(1, wide), Weight: 100})
	rank := simplex.Solve(n+2, pulls, rankWork)
	for i, k := range kids {
		start[k] = rank[i] - rank[n]
	}
}

// weight is the weight of a line that determines columns.
func (l *line) weight() int {
	if l.undirected {
		return 1
	}
	return 2
}

// index is the position of each shape in a list, by shape.
func (p *problem) index(list []int) []int {
	at := make([]int, len(p.shapes))
	for i, v := range list {
		at[v] = i
	}
	return at
}

// flowColumns assigns all shapes to columns by all lines, regardless of frames.
func (p *problem) flowColumns(c *columns) {
	var leaves []int
	for v := range p.root {
		if !p.frame(v) {
			leaves = append(leaves, v)
		}
	}
	at := p.index(leaves)
	var arcs []simplex.Arc
	for _, l := range p.lines {
		if !l.skip && !p.frame(l.a) && !p.frame(l.b) && l.a != l.b {
			arcs = append(arcs, simplex.Arc{From: at[l.a], To: at[l.b], Weight: l.weight()})
		}
	}
	one := make([]int, len(leaves))
	for i := range one {
		one[i] = 1
	}
	got := assignColumns(len(leaves), one, arcs)
	n := max(1, slices.Max(got)+1)
	count := make([]int, n)
	for i := range leaves {
		if got[i] >= 0 {
			count[got[i]]++
		}
	}
	lo, hi := make([]int, len(p.shapes)), make([]int, len(p.shapes))
	for f := range lo {
		lo[f], hi[f] = n, -1
	}
	note := func(v, col int) {
		for f := v; f >= 0; f = p.shapes[f].parent {
			lo[f], hi[f] = min(lo[f], col), max(hi[f], col)
		}
	}
	for i, v := range leaves {
		if got[i] >= 0 {
			note(v, got[i])
		}
	}
	for i, v := range leaves {
		if got[i] >= 0 {
			continue
		}
		f := p.shapes[v].parent
		for f != p.root && hi[f] < 0 {
			f = p.shapes[f].parent
		}
		from, to := lo[f], hi[f]
		if hi[f] < 0 {
			from, to = 0, n-1
		}
		best := from
		for k := from; k <= to; k++ {
			if count[k] < count[best] {
				best = k
			}
		}
		count[best]++
		note(v, best)
	}
	c.n = n
	for k := range n {
		c.macro = append(c.macro, k)
	}
	copy(c.first, lo)
	copy(c.last, hi)
	c.last[p.root] = n - 1
	c.first[p.root] = 0
}
