package diagram

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/place"
)

// Where shapes without a place go, and the room between them.
const (
	originX, originY = 200, 200
	columnStep       = 200
	rowStep          = 120
	columns          = 4
	beside           = 60 // between a shape and the one it is placed near
	padding          = 20 // inside a container
	header           = 30 // of a container, for its label
)

// spot says where a shape goes: what near:, dir:, at:, in: and strict: mean.
type spot struct {
	page   *mxfile.Page
	near   *cell
	dx, dy int
	at     *geom.Point // on the page
	region string
	in     *cell
	joined bool // in is where near is, and not what the op says
	strict bool
	told   bool // dir: says which side of near
	close  bool // it is a remark on near: a little beside it, on any side
}

// readSpot reads and checks the place that an op gives. to is the key that
// this verb has for a place, at or to.
func readSpot(f *file, a pdk.Args, to string) (spot, error) {
	s := spot{page: f.Current, dx: 1}
	if ref, ok := a.Param("near"); ok {
		n, err := vertex(f, ref)
		if err != nil {
			return s, err
		}
		s.near = n
	}
	if d, ok := a.Param("dir"); ok {
		if s.near == nil {
			return s, pdk.Errorf("dir:%s needs near:REF", d).Try(a.Mended(pdk.Without("dir")))
		}
		var err error
		if s.dx, s.dy, err = direction(d); err != nil {
			return s, err
		}
		s.told = true
	}
	if v, ok := a.Param(to); ok {
		if s.near != nil {
			return s, pdk.Errorf("%s: and near: are two places; give one", to).Try(a.Mended(pdk.Without(to)), a.Mended(pdk.Without("near", "dir")))
		}
		if _, _, ok := regionPlace(v); ok {
			s.region = v
		} else {
			p, err := parsePoint(to, v)
			if err != nil {
				bad := pdk.Errorf("%s:%s is neither X,Y nor a region: %s", to, v, strings.Join(regions(), " "))
				if x, y, ok := looseScan(v); ok && math.Abs(x) <= maxCoord && math.Abs(y) <= maxCoord {
					return s, bad.Instead(v, mxfile.Num(x)+","+mxfile.Num(y))
				}
				return s, bad.Instead(v, pdk.Nearest(v, regions())...)
			}
			s.at = &p
		}
	}
	if ref, ok := a.Param("in"); ok {
		g, err := groupRef(f.Current, ref, false)
		if err != nil {
			if g, err2 := vertex(f, ref); err2 == nil {
				return s, pdk.Errorf("%s is not a group", short(g)).TryQuery("map")
			}
			return s, err
		}
		if g.Kind() == "pool" {
			return s, intoPool(g, ref)
		}
		s.in = g
	}
	if s.near != nil && s.in == nil {
		s.in = s.near.Owner()
		if s.in != nil && s.in.Kind() == "pool" {
			s.in = s.in.Owner()
		}
		if s.in != nil && !isGroup(s.in) {
			s.in = nil
		}
		s.joined = s.in != nil
	}
	var err error
	s.strict, err = a.Bool("strict", false)
	return s, err
}

// find gives the place for a w x h shape: the parent's id, the rectangle in
// its coordinates, and whether an asked-for point was taken and it had to move.
// but says which shapes do not count as taken room.
func (s spot) find(w, h float64, but func(*cell) bool) (r geom.Rect, moved bool) {
	id := ""
	var origin geom.Point
	if s.in != nil {
		id = s.in.ID
		at := s.in.Abs()
		origin = geom.Point{X: at.X, Y: at.Y}
	}
	space := s.page.Space(id)
	free := func(walk place.Walk) geom.Rect {
		if but == nil {
			return space.Free(walk)
		}
		return space.FreeExcept(walk, but)
	}
	walk := place.Walk{W: w, H: h, StepX: step(w, columnStep), StepY: step(h, rowStep)}
	switch {
	case s.near != nil:
		n, beside := s.near.Abs(), float64(beside)
		if s.close {
			beside = padding
		}
		n.X, n.Y = n.X-origin.X, n.Y-origin.Y
		walk.Kind, walk.TowardX, walk.TowardY = place.Away, s.dx, s.dy
		walk.StepX, walk.StepY = w+beside, h+beside
		walk.X, walk.Y = n.X+(n.W-w)/2, n.Y+(n.H-h)/2
		switch s.dx {
		case 1:
			walk.X = n.Right() + beside
		case -1:
			walk.X = n.X - beside - w
		}
		switch s.dy {
		case 1:
			walk.Y = n.Bottom() + beside
		case -1:
			walk.Y = n.Y - beside - h
		}
		walk.MinX, walk.MinY = math.Min(0, math.Floor(n.X)), math.Min(0, math.Floor(n.Y))
		if s.dx == 0 {
			walk.X = math.Max(walk.X, walk.MinX)
		}
		if s.dy == 0 {
			walk.Y = math.Max(walk.Y, walk.MinY)
		}
		walk.X, walk.Y = math.Round(walk.X), math.Round(walk.Y)
		if s.close && !s.told {
			for _, d := range [4][2]float64{{1, 0}, {0, 1}, {0, -1}, {-1, 0}} {
				r := geom.Rect{X: math.Round(n.X + (n.W-w)/2 + d[0]*((n.W+w)/2+beside)), Y: math.Round(n.Y + (n.H-h)/2 + d[1]*((n.H+h)/2+beside)), W: w, H: h}
				if r.X >= walk.MinX && r.Y >= walk.MinY && (s.in == nil || !offside(s.in, r)) && space.Empty(r, but) {
					return r, false
				}
			}
		}
		return free(walk), false
	case s.at != nil:
		r = geom.Rect{X: s.at.X - origin.X, Y: s.at.Y - origin.Y, W: w, H: h}
		if s.strict || space.Empty(r, but) {
			return r, false
		}
		walk.Kind, walk.X, walk.Y = place.Rings, r.X, r.Y
		walk.StepX, walk.StepY = 20, 20
		return free(walk), true
	case s.region != "":
		col, row, _ := regionPlace(s.region)
		frame := geom.Rect{W: s.page.Width, H: s.page.Height}
		if s.in != nil {
			left, top := behindTitle(s.in)
			frame = geom.Rect{X: left, Y: top, W: s.in.Geo.W - left, H: s.in.Geo.H - top}
		}
		walk.Kind = place.Rings
		walk.X = region(col, frame.X, frame.W, w)
		walk.Y = region(row, frame.Y, frame.H, h)
		return free(walk), false
	case s.in != nil:
		walk.Kind = place.Rows
		inside := pad(s.in)
		walk.X, walk.Y = inside.Left, inside.Top
		walk.StepX, walk.StepY = w+2*padding, h+padding
		walk.Columns = max(1, int((s.in.Geo.W-inside.Left)/walk.StepX))
		return free(walk), false
	}
	walk.Kind, walk.X, walk.Y, walk.Columns = place.Rows, originX, originY, columns
	if walk.StepX > columnStep {
		walk.Columns = max(1, int(columns*columnStep/walk.StepX))
	}
	return free(walk), false
}

// behindTitle is where a container has room that its title does not need.
func behindTitle(g *cell) (left, top float64) {
	if g.Kind() == "lane" {
		return laneOrigin(g)
	}
	return 0, header
}

// offside reports whether a place in a container reaches beyond its upper or
// left edge, or onto the title of a lane.
func offside(g *cell, r geom.Rect) bool {
	left, top := 0.0, 0.0
	if g.Kind() == "lane" {
		left, top = laneOrigin(g)
	}
	return r.X < left || r.Y < top
}

// region is where a shape of that extent starts so that it stands in a third
// of a frame, with a margin at the outside.
func region(third int, from, extent, shape float64) float64 {
	const margin = 40
	switch third {
	case 0:
		return from + math.Min(margin, math.Max(0, extent-shape))
	case 1:
		return math.Round(from + (extent-shape)/2)
	}
	return math.Round(from + math.Max(0, extent-shape-margin))
}

// step is the distance between places: the usual one where the shape fits
// with some room, else its own extent and a gap, in tens.
func step(extent, usual float64) float64 {
	if extent+2*place.Gap <= usual {
		return usual
	}
	return math.Ceil((extent+2*place.Gap)/10) * 10
}

// fit drafts the growth of a container, and of those around it, so that a
// rectangle inside has its padding.
func fit(d *mxfile.Draft, grown map[*cell]geom.Rect, g *cell, inside geom.Rect) {
	for n := 0; g != nil && n < 100; n++ {
		size, ok := grown[g]
		if !ok {
			size = g.Geo
		}
		w, h := math.Max(size.W, inside.Right()+padding), math.Max(size.H, inside.Bottom()+padding)
		if w == size.W && h == size.H {
			return
		}
		size.W, size.H = w, h
		grown[g] = size
		d.Change(g, func(t mxfile.Text) mxfile.Text { return t.WithGeo(size) })
		if g, inside = g.Owner(), size; g != nil && g.Kind() == "pool" {
			g, inside = g.Owner(), restack(d, grown, g, nil)
		}
	}
}
