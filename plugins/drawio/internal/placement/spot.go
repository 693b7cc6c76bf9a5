// Package placement finds free space for shapes, enlarges containers and moves what is in
// the way.
package placement

import (
	"errors"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/place"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// Default places of shapes, and the distances between them, in units.
const (
	originX, originY = 200, 200
	columnStep       = 200
	rowStep          = 120
	columns          = 4
	Beside           = 60 // distance between a shape and the one of near:
	Padding          = 20 // inside a container
	Header           = 30 // height of a container's label
)

// Position is a point of a page, or one of its regions.
type Position struct {
	Point  *geom.Point
	Region *value.Place
}

var position = value.Type[Position]{Takes: "X,Y|REGION", Parse: func(s string) (Position, error) {
	p, err := values.Point.Parse(s)
	if err == nil {
		return Position{Point: &p}, nil
	}
	if r, err := value.Region.Parse(s); err == nil {
		return Position{Region: &r}, nil
	}
	var no *value.Invalid
	if errors.As(err, &no) {
		no.Why = "is neither X,Y nor a region: " + strings.Join(value.Regions(), " ")
		if len(no.Near) == 0 {
			no.Near = pdk.Nearest(s, value.Regions())
		}
	}
	return Position{}, err
}}

// At is the position in add, To that in move and copy.
var (
	At = value.Key[Position]{Name: "at", Type: position}
	To = value.Key[Position]{Name: "to", Type: position}
)

// sides are the keys that mean near: with a direction.
var sides = []struct{ key, dir string }{{"above", "above"}, {"below", "below"}, {"left-of", "left"}, {"right-of", "right"}}

// Keys lists the keys of a verb that ReadSpot reads; at is that of the position.
func Keys(at pdk.Parameter) []pdk.Parameter {
	list := []pdk.Parameter{at, values.Text("near", "REF"), values.Dir, values.Text("in", "GROUP, or none for the page"), values.Strict}
	for _, side := range sides {
		list = append(list, values.Text(side.key, "REF: the same as near:REF dir:"+side.dir))
	}
	return list
}

// AsNear writes below:REF and the like as near:REF dir:below.
func AsNear(a pdk.Args) (pdk.Args, error) {
	for _, side := range sides {
		ref, ok := a.Param(side.key)
		switch {
		case !ok:
		case a.Has("near") || a.Has("dir"):
			return a, pdk.Errorf("%s: and near: both give a position; use one", side.key).Try(a.Mended(pdk.Without(side.key)), a.Mended(pdk.Without("near", "dir")))
		default:
			a = a.With(pdk.Without(side.key), pdk.WithParam("near", ref), pdk.WithParam("dir", side.dir))
		}
	}
	return a, nil
}

// Spot says where a shape goes: the values of near:, dir:, at:, in: and strict:.
type Spot struct {
	Page   *mxfile.Page
	Near   *cell
	DX, DY int
	At     *geom.Point // page coordinates
	Region *value.Place
	In     *cell
	Joined bool // In is the container of Near, not the op's in:
	Strict bool
	hasDir bool // the op has dir:
	Remark bool // a remark on Near: close to it, on any side
}

// Anywhere reports whether the op leaves the place open.
func (s Spot) Anywhere() bool {
	return s.Near == nil && s.At == nil && s.Region == nil && s.In == nil
}

// ReadSpot reads the place that an op gives. to is the verb's key for a position.
func ReadSpot(f *file, a pdk.Args, to value.Key[Position]) (Spot, error) {
	step, directed := values.Dir.Lookup(a)
	s := Spot{Page: f.Current, DX: step.DX, DY: step.DY, hasDir: directed, Strict: values.Strict.Of(a)}
	if ref, ok := a.Param("near"); ok {
		n, err := selector.Vertex(f, ref)
		if err != nil {
			return s, err
		}
		s.Near = n
	}
	if directed && s.Near == nil {
		return s, pdk.Errorf("dir:%s needs near:REF", a.String("dir", "")).Try(a.Mended(pdk.Without("dir")))
	}
	at, given, err := to.Read(a)
	if err != nil {
		return s, err
	}
	if given && s.Near != nil {
		return s, pdk.Errorf("%s: and near: both give a position; use one", to.Name).Try(a.Mended(pdk.Without(to.Name)), a.Mended(pdk.Without("near", "dir")))
	}
	s.At, s.Region = at.Point, at.Region
	if ref, ok := a.Param("in"); ok {
		g, err := selector.Group(f.Current, ref, false)
		if err != nil {
			if g, err2 := selector.Vertex(f, ref); err2 == nil {
				if model.HasRows(g) && a.Verb == "add" {
					return s, pdk.Errorf("%s is %s: it holds rows", model.Short(g), values.Article(g.Kind())).
						Tryf("add row %s in:%s", pdk.Quote(a.Text(min(1, len(a.Positionals)-1))), pdk.Quote(ref))
				}
				return s, pdk.Errorf("%s is not a group", model.Short(g)).TryQuery("map")
			}
			return s, err
		}
		if g.Kind() == "pool" {
			return s, RefusePool(g, ref)
		}
		s.In = g
	}
	if s.Near != nil && s.In == nil {
		s.In = s.Near.Owner()
		if s.In != nil && s.In.Kind() == "pool" {
			s.In = s.In.Owner()
		}
		if s.In != nil && !model.IsGroup(s.In) {
			s.In = nil
		}
		s.Joined = s.In != nil
	}
	return s, nil
}

// Find returns the rectangle for a w x h shape, in the coordinates of its container. moved
// reports that the position of at: was occupied. ignore, if not nil, reports which shapes
// are not obstacles.
func (s Spot) Find(w, h float64, ignore func(*cell) bool) (r geom.Rect, moved bool) {
	id := ""
	var origin geom.Point
	if s.In != nil {
		id = s.In.ID
		at := s.In.Abs()
		origin = geom.Point{X: at.X, Y: at.Y}
	}
	space := s.Page.Space(id)
	free := func(walk place.Walk) geom.Rect {
		if ignore == nil {
			return space.Free(walk)
		}
		return space.FreeExcept(walk, ignore)
	}
	walk := place.Walk{W: w, H: h, StepX: step(w, columnStep), StepY: step(h, rowStep)}
	switch {
	case s.Near != nil:
		n, beside := s.Near.Abs(), float64(Beside)
		if s.Remark {
			beside = Padding
		}
		n.X, n.Y = n.X-origin.X, n.Y-origin.Y
		walk = s.walkBeside(n, w, h, beside)
		if s.Remark && !s.hasDir {
			for _, d := range [4][2]float64{{1, 0}, {0, 1}, {0, -1}, {-1, 0}} {
				r := geom.Rect{X: math.Round(n.X + (n.W-w)/2 + d[0]*((n.W+w)/2+beside)), Y: math.Round(n.Y + (n.H-h)/2 + d[1]*((n.H+h)/2+beside)), W: w, H: h}
				if r.X >= walk.MinX && r.Y >= walk.MinY && (s.In == nil || !IsOutside(s.In, r)) && space.Empty(r, ignore) {
					return r, false
				}
			}
		}
		return free(walk), false
	case s.At != nil:
		r = geom.Rect{X: s.At.X - origin.X, Y: s.At.Y - origin.Y, W: w, H: h}
		if s.Strict || space.Empty(r, ignore) {
			return r, false
		}
		walk.Kind, walk.X, walk.Y = place.Rings, r.X, r.Y
		walk.StepX, walk.StepY = 20, 20
		return free(walk), true
	case s.Region != nil:
		frame := geom.Rect{W: s.Page.Width, H: s.Page.Height}
		if s.In != nil {
			left, top := behindTitle(s.In)
			frame = geom.Rect{X: left, Y: top, W: s.In.Geo.W - left, H: s.In.Geo.H - top}
		}
		walk.Kind = place.Rings
		walk.X = region(s.Region.Col, frame.X, frame.W, w)
		walk.Y = region(s.Region.Row, frame.Y, frame.H, h)
		return free(walk), false
	case s.In != nil:
		walk.Kind = place.Rows
		inside := PaddingOf(s.In)
		walk.X, walk.Y = inside.Left, inside.Top
		walk.StepX, walk.StepY = w+2*Padding, h+Padding
		walk.Columns = max(1, int((s.In.Geo.W-inside.Left)/walk.StepX))
		return free(walk), false
	}
	walk.Kind, walk.X, walk.Y, walk.Columns = place.Rows, originX, originY, columns
	if walk.StepX > columnStep {
		walk.Columns = max(1, int(columns*columnStep/walk.StepX))
	}
	return free(walk), false
}

// walkBeside returns the search for a w x h shape that starts at a distance from the
// rectangle n, on the side that the spot names.
func (s Spot) walkBeside(n geom.Rect, w, h, distance float64) place.Walk {
	walk := place.Walk{W: w, H: h}
	walk.Kind, walk.TowardX, walk.TowardY = place.Away, s.DX, s.DY
	walk.StepX, walk.StepY = w+distance, h+distance
	walk.X, walk.Y = n.X+(n.W-w)/2, n.Y+(n.H-h)/2
	switch s.DX {
	case 1:
		walk.X = n.Right() + distance
	case -1:
		walk.X = n.X - distance - w
	}
	switch s.DY {
	case 1:
		walk.Y = n.Bottom() + distance
	case -1:
		walk.Y = n.Y - distance - h
	}
	walk.MinX, walk.MinY = math.Min(0, math.Floor(n.X)), math.Min(0, math.Floor(n.Y))
	if s.DX == 0 {
		walk.X = math.Max(walk.X, walk.MinX)
	}
	if s.DY == 0 {
		walk.Y = math.Max(walk.Y, walk.MinY)
	}
	walk.X, walk.Y = math.Round(walk.X), math.Round(walk.Y)
	return walk
}

// behindTitle returns the first position in a container that is clear of its title.
func behindTitle(g *cell) (left, top float64) {
	if g.Kind() == "lane" {
		return model.LaneOrigin(g)
	}
	return 0, Header
}

// IsOutside reports whether a rectangle in a container crosses its upper or left edge, or
// covers the title of a lane.
func IsOutside(g *cell, r geom.Rect) bool {
	left, top := 0.0, 0.0
	if g.Kind() == "lane" {
		left, top = model.LaneOrigin(g)
	}
	return r.X < left || r.Y < top
}

// region returns the position of a shape along one axis that puts it in a third of a frame,
// with a margin on the outside.
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

// step returns the distance between default places: the usual one if the shape fits with
// some room, or else its size plus a gap, rounded up to tens.
func step(extent, usual float64) float64 {
	if extent+2*place.Gap <= usual {
		return usual
	}
	return math.Ceil((extent+2*place.Gap)/10) * 10
}

// Fit drafts the growth of a container, and of the containers around it, so that a
// rectangle inside has its padding.
func Fit(d *mxfile.Draft, grown map[*cell]geom.Rect, g *cell, inside geom.Rect) {
	for n := 0; g != nil && n < 100; n++ {
		size, ok := grown[g]
		if !ok {
			size = g.Geo
		}
		w, h := math.Max(size.W, inside.Right()+Padding), math.Max(size.H, inside.Bottom()+Padding)
		if w == size.W && h == size.H {
			return
		}
		size.W, size.H = w, h
		grown[g] = size
		d.Change(g, func(t mxfile.Text) mxfile.Text { return t.WithGeo(size) })
		if g, inside = g.Owner(), size; g != nil && g.Kind() == "pool" {
			g, inside = g.Owner(), Restack(d, grown, g, nil)
		}
	}
}

type (
	file = mxfile.File
	cell = mxfile.Cell
)
