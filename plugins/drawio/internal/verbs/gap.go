package verbs

import (
	"cmp"
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
)

// Distances of an inserted shape from its neighbours along the edge, in units: the least, and the one for which others make way.
const (
	leastBetween = 12
	leastClear   = 2 // from other shapes on the line
	overlap      = 4 // that does not matter, as of a number at the corner of an icon
	roomBetween  = 40
	letter       = 6 // of a label, in width
)

// home returns the container for the inserted shape: the one that holds both ends, or else the one of an end that holds the middle of the
// line.
func (g *between) home(middle geom.Point) *cell {
	a, b := model.Outermost(g.from).Owner(), model.Outermost(g.to).Owner()
	holds := func(o *cell) bool { return o != nil && o.Abs().Contains(geom.Rect{X: middle.X, Y: middle.Y}) }
	switch {
	case a == b || holds(a):
		return a
	case holds(b):
		return b
	}
	for o := a; o != nil; o = o.Owner() {
		if g.to.Within(o) {
			if o.Kind() == "pool" {
				return a
			}
			return o
		}
	}
	return nil
}

// room finds the place for a w x h shape in the edge. If there is too little, what lies beyond makes way. in is the container of the op,
// nil for none; mine is the shape that moves there, nil for a new one.
func (g *between) room(c *ctx, w, h float64, in, mine *cell) (placement.Spot, error) {
	at := 1
	length := func(i int) float64 {
		p, q := g.way[i-1], g.way[i]
		return math.Max(math.Abs(q.X-p.X), math.Abs(q.Y-p.Y))
	}
	for i := range g.way[1:] {
		if length(i+1) > length(at) {
			at = i + 1
		}
	}
	p, q := g.way[at-1], g.way[at]
	across := math.Abs(q.X-p.X) >= math.Abs(q.Y-p.Y)
	size := pdk.If(across, w, h)
	middle := geom.Point{X: (p.X + q.X) / 2, Y: (p.Y + q.Y) / 2}
	if in == nil {
		in = g.home(middle)
	}
	low, high := g.clear(p, q, w, h, across, mine)
	along, by := &middle.Y, math.Ceil((size+2*roomBetween-length(at))/10)*10
	if across {
		along = &middle.X
	}
	free := length(at) >= size+2*leastBetween && high-low >= size+2*leastClear
	switch {
	case free:
		*along = (low + high) / 2
	case by > 0:
		if err := g.makeWay(c, in, by, across, mine); err != nil {
			return placement.Spot{}, err
		}
		*along += by / 2
	}
	r := geom.Rect{X: math.Round(middle.X - w/2), Y: math.Round(middle.Y - h/2), W: w, H: h}
	if in != nil && in.Kind() == "lane" && !in.Abs().Contains(r) {
		p := alongLane(in, r)
		r.X, r.Y, free = p.X, p.Y, false
	}
	return placement.Spot{Page: g.edge.Page, In: in, At: &geom.Point{X: r.X, Y: r.Y}, Strict: free}, nil
}

// clear returns the longest piece of a segment on which no shape lies in the way of a w x h one. The border of a frame around one end
// divides the segment.
func (g *between) clear(p, q geom.Point, w, h float64, across bool, mine *cell) (low, high float64) {
	from, to := p.Y, q.Y
	band := geom.Rect{X: math.Min(p.X, q.X) - w/2, Y: math.Min(p.Y, q.Y), W: math.Abs(q.X-p.X) + w, H: math.Abs(q.Y - p.Y)}
	if across {
		from, to = p.X, q.X
		band = geom.Rect{X: math.Min(p.X, q.X), Y: math.Min(p.Y, q.Y) - h/2, W: math.Abs(q.X - p.X), H: math.Abs(q.Y-p.Y) + h}
	}
	if from, to = math.Min(from, to), math.Max(from, to); across {
		band.Y, band.H = band.Y+overlap, band.H-2*overlap
	} else {
		band.X, band.W = band.X+overlap, band.W-2*overlap
	}
	cuts := [][2]float64{{from, from}, {to, to}}
	for x := g.edge.Page.First(); x != nil; x = x.Next() {
		r := x.Abs()
		if !model.IsSolid(x) || x == mine || g.from.Within(x) || g.to.Within(x) || x.Within(g.from) || x.Within(g.to) || !r.Overlaps(band) {
			continue
		}
		cut := [2]float64{r.Y, r.Bottom()}
		if across {
			cut = [2]float64{r.X, r.Right()}
		}
		if cut[0] <= from && cut[1] >= to {
			continue // around the segment
		}
		if r.Contains(g.from.Abs()) || r.Contains(g.to.Abs()) || cut[0] <= from || cut[1] >= to { // a frame, or beside an end
			for _, border := range cut {
				if border > from && border < to {
					cuts = append(cuts, [2]float64{border, border})
				}
			}
			continue
		}
		cuts = append(cuts, cut)
	}
	slices.SortFunc(cuts, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	end := from
	for _, cut := range cuts {
		if cut[0]-end > high-low {
			low, high = end, cut[0]
		}
		end = math.Max(end, cut[1])
	}
	return low, high
}

// makeWay moves the later end of the edge to the right or down, with the frames around it, and what is in their way in the container.
func (g *between) makeWay(c *ctx, home *cell, by float64, across bool, mine *cell) error {
	step := geom.Point{Y: by}
	if across {
		step = geom.Point{X: by}
	}
	near := func(x *cell) float64 {
		if across {
			return x.Abs().X
		}
		return x.Abs().Y
	}
	later, other := model.Outermost(g.to), model.Outermost(g.from)
	if near(other) > near(later) {
		later, other = other, later
	}
	for later.Owner() != nil && later.Owner() != home && !model.IsPoolLane(later.Owner()) {
		later = later.Owner()
	}
	around := func(x *cell) bool { return x.Abs().Contains(later.Abs()) && !x.Abs().Contains(other.Abs()) }
	moving, rest := []*cell{later}, []*cell(nil)
	for x := g.edge.Page.First(); x != nil; x = x.Next() {
		switch {
		case !x.Shape() || x.Relative || x == mine || x == later || x.Owner() != later.Owner():
		case model.IsSolid(x) && around(x):
			moving = append(moving, x)
		case !x.Abs().Contains(later.Abs()) && x != other:
			rest = append(rest, x)
		}
	}
	for i := 0; i < len(moving); i++ {
		r := moving[i].Abs()
		at, way := r.Grow(overlap), geom.Rect{X: r.X, Y: r.Y, W: r.W + step.X, H: r.H + step.Y}
		if across {
			way.W += leastBetween
		} else {
			way.H += leastBetween
		}
		rest = slices.DeleteFunc(rest, func(x *cell) bool {
			hit := x.Abs().Overlaps(at) || near(x) >= near(moving[i]) && x.Abs().Overlaps(way)
			if hit {
				moving = append(moving, x)
			}
			return hit
		})
	}
	moving = model.InOrder(g.edge.Page, moving)
	d := c.Model.Draft()
	placement.Shift(d, moving, func(*cell) geom.Point { return step })
	growContainers(d, g.grown, moving, func(*cell) geom.Point { return step })
	g.pushed = placement.MakeWay(d, g.grown, moving)
	g.made = moving
	return edit.Commit(c, d, "make way for a shape", "", moving...)
}
