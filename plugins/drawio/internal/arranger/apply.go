package arranger

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/place"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
)

// apply drafts the result of a layout: the places of shapes, the sizes of containers, and
// the routes of edges.
func (l *arranger) apply(set []*cell, res layout.Result) {
	whole := geom.Rect{}
	first := geom.Point{X: math.Inf(1), Y: math.Inf(1)} // corner of the boxes
	for i, r := range res.Rects {
		whole = whole.Union(r)
		if l.g.Nodes[i].Parent < 0 {
			first.X, first.Y = math.Min(first.X, r.X+l.rooms[i].X), math.Min(first.Y, r.Y+l.rooms[i].Y)
		}
	}
	anchor := l.anchor(set, whole, first)
	origin := set[0].Origin()
	// The new rectangles of the nodes, on the page.
	abs := make([]geom.Rect, len(l.cells))
	for i, c := range l.cells {
		r := res.Rects[i]
		if !l.holds(i) {
			r = geom.Rect{X: r.X + l.rooms[i].X, Y: r.Y + l.rooms[i].Y, W: c.Geo.W, H: c.Geo.H}
		}
		x, y := math.Round(r.X+anchor.X+origin.X), math.Round(r.Y+anchor.Y+origin.Y)
		if l.holds(i) { // round both sides, so that common sides stay common
			r.W, r.H = math.Round(r.Right()+anchor.X+origin.X)-x, math.Round(r.Bottom()+anchor.Y+origin.Y)-y
		}
		r.X, r.Y = x, y
		abs[i] = r
	}
	by, stays := l.pins(abs)
	for i, x := range l.cells {
		r, o := abs[i], origin
		if p := l.homes[i]; p >= 0 {
			o = geom.Point{X: abs[p].X, Y: abs[p].Y}
		}
		r.X, r.Y = r.X-o.X, r.Y-o.Y
		l.d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
		if l.g.Nodes[i].Parent < 0 {
			if owner := x.Owner(); owner != nil && model.Expands(owner) {
				placement.Fit(l.d, l.grown, owner, r)
			}
		}
		l.Touched = append(l.Touched, x)
	}
	l.moveRiders(abs)
	l.Shapes += len(l.cells) + len(l.rides)
	for i, e := range l.lines {
		a, b := l.g.Edges[i].From, l.g.Edges[i].To
		switch {
		case stays[a] >= 0 && stays[a] == stays[b]:
			continue
		case by[a] != by[b] && !res.Straight:
			l.Again = append(l.Again, e)
			continue
		}
		l.route(i, e, res, geom.Point{X: anchor.X + by[a].X, Y: anchor.Y + by[a].Y}, origin, abs)
	}
	l.Edges += len(l.lines)
}

// moveRiders moves riders by as far as the shapes under them moved.
func (l *arranger) moveRiders(abs []geom.Rect) {
	on := map[*cell]*cell{}
	for _, r := range l.rides {
		on[r.rider] = r.on
	}
	for _, r := range l.rides {
		host, steps := r.on, 0
		for on[host] != nil && steps < len(l.rides) {
			host, steps = on[host], steps+1
		}
		i, ok := l.node[host]
		if !ok {
			continue
		}
		// Host and rider lie in one container, which may have moved, too.
		was, o := host.Abs(), r.rider.Origin()
		to := r.rider.Abs()
		if now := abs[i]; now.W != was.W || now.H != was.H { // a frame: stay at the nearest corner
			to.X = keepDistance(to.X, to.W, was.X, was.W, now.X, now.W)
			to.Y = keepDistance(to.Y, to.H, was.Y, was.H, now.Y, now.H)
		} else {
			to.X, to.Y = to.X+now.X-was.X, to.Y+now.Y-was.Y
		}
		if p := l.homes[i]; p >= 0 {
			o = geom.Point{X: abs[p].X, Y: abs[p].Y}
		}
		to.X, to.Y = to.X-o.X, to.Y-o.Y
		l.d.Change(r.rider, func(t mxfile.Text) mxfile.Text { return t.WithGeo(to) })
		l.Touched = append(l.Touched, r.rider)
	}
}

// keepDistance returns the new position of something that lies in a frame and keeps its distance
// from the frame's nearer end. at and length are its old position and size; the frame changes
// from (from, extent) to (to, now).
func keepDistance(at, length, from, extent, to, now float64) float64 {
	off := at - from
	if off+length/2 > extent/2 {
		off += now - extent
	}
	return to + math.Max(0, math.Min(off, now-length))
}

// anchor returns the position at which the arranged shapes start: their previous one, or, for a
// part of a page, the nearest free space.
func (l *arranger) anchor(set []*cell, whole geom.Rect, first geom.Point) geom.Point {
	var was geom.Rect
	mine := map[*cell]bool{}
	for _, x := range set {
		was = was.Union(x.Geo)
		mine[x] = true
	}
	at := geom.Point{X: math.Round(was.X), Y: math.Round(was.Y)}
	if l.onGrid && set[0].Owner() == nil {
		at = geom.Point{X: math.Round((was.X-first.X)/10) * 10, Y: math.Round((was.Y-first.Y)/10) * 10}
	}
	if !l.Partial {
		return at
	}
	id := ""
	if o := set[0].Owner(); o != nil {
		id = o.ID
		p := placement.PaddingOf(o)
		at.X, at.Y = math.Max(at.X, p.Left), math.Max(at.Y, p.Top)
	}
	space := set[0].Page.Space(id)
	ignore := func(x *cell) bool { return mine[x] || !model.IsSolid(x) || x.Geo.Contains(was) } // the last case: x is a frame around them
	r := geom.Rect{X: at.X, Y: at.Y, W: whole.W, H: whole.H}
	if space.Empty(r, ignore) {
		return at
	}
	walk := place.Walk{Kind: place.Rings, X: r.X, Y: r.Y, W: r.W, H: r.H, StepX: 20, StepY: 20}
	if id != "" { // a container has no free space to the left of its content or above it
		walk = place.Walk{Kind: place.Rows, X: r.X, Y: r.Y, W: r.W, H: r.H, StepX: 20, StepY: 20, Columns: 20}
	}
	r = space.FreeExcept(walk, ignore)
	return geom.Point{X: r.X, Y: r.Y}
}
