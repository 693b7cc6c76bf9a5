package arranger

import (
	"maps"
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/tangle"
)

// keeper places the new shapes on a page that is already laid out. It does not move the other
// shapes.
type keeper struct {
	page    *mxfile.Page
	laidOut bool // some edges run from port to port, as after a layout
	right   bool // edges run right or left, not up or down
	waiting map[*cell]bool
	at      map[*cell]geom.Rect // on the page, of the shapes that were placed
}

// NewKeeper prepares to place the shapes fresh on a page.
func NewKeeper(page *mxfile.Page, fresh []*cell) *keeper {
	k := &keeper{page: page, right: runsAcross(page), waiting: map[*cell]bool{}, at: map[*cell]geom.Rect{}}
	for _, x := range fresh {
		k.waiting[x] = true
	}
	for x := page.First(); x != nil && !k.laidOut; x = x.Next() {
		k.laidOut = x.Edge && hasPorts(x)
	}
	return k
}

// PlaceAll places shapes. It returns the containers that grew, the shapes that they pushed,
// and whether anything changed.
func (k *keeper) PlaceAll(c *ctx, fresh []*cell) (grown map[*cell]geom.Rect, pushed []*cell, changed bool, err error) {
	grown = map[*cell]geom.Rect{}
	// Containers first, so that what they push is in place for the rest.
	for _, inside := range [2]bool{true, false} {
		d := c.Model.Draft()
		more := map[*cell]geom.Rect{}
		var some []*cell
		for _, x := range fresh {
			if home := x.Owner(); (home != nil) == inside {
				k.settle(d, x, more)
				some = append(some, x)
			}
		}
		pushed = append(pushed, placement.MakeWay(d, more, some)...)
		maps.Copy(grown, more)
		if e := d.Edit(); e != nil {
			pdk.Check(c.Do(e, "place "+pdk.Count(len(some), "shape"), model.IDs(some)...))
			changed = true
		}
		k.at = map[*cell]geom.Rect{}
	}
	return grown, pushed, changed, nil
}

// settle drafts the place of a shape and the growth of its container.
func (k *keeper) settle(d *mxfile.Draft, x *cell, grown map[*cell]geom.Rect) {
	r := k.place(x)
	delete(k.waiting, x)
	k.at[x] = r
	o := x.Origin()
	r.X, r.Y = r.X-o.X, r.Y-o.Y
	if r != x.Geo {
		d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
	}
	if g := x.Owner(); g != nil && model.Expands(g) {
		placement.Fit(d, grown, g, r)
	}
}

// Placeable returns the shapes among cells that have places of their own and hold no
// others.
func Placeable(cells []*cell) []*cell {
	return pdk.Filter(cells, func(x *cell) bool {
		return x.Shape() && !x.Relative && !model.IsPart(x) && !model.IsPoolLane(x) && IsUnlocked(x) && !model.IsGroup(x) && !model.InCompound(x)
	})
}

// Unplaced returns the shapes that no layout has placed yet. They overlap others, or they
// have edges of which none runs from port to port though other edges on the page do.
func Unplaced(page *mxfile.Page) []*cell {
	var all []*cell
	some := false
	for x := page.First(); x != nil; x = x.Next() {
		all = append(all, x)
		some = some || x.Edge && hasPorts(x)
	}
	return slices.DeleteFunc(Placeable(all), func(x *cell) bool {
		if model.IsSolid(x) && len(model.Beneath(x)) > 0 && !slices.ContainsFunc(model.Beneath(x), func(o *cell) bool { return o.Geo.Contains(x.Geo) }) {
			return false
		}
		if !some || x.Degree() == 0 {
			return true
		}
		return slices.ContainsFunc(EdgesOf([]*cell{x}), hasPorts)
	})
}

// hasPorts reports whether an edge runs from port to port.
func hasPorts(e *cell) bool { return hasPort(e, "exit") && hasPort(e, "entry") }

// runsAcross reports whether the edges of a page run to the right or left rather than up
// or down.
func runsAcross(page *mxfile.Page) bool {
	across := 0.0
	for e := page.First(); e != nil; e = e.Next() {
		if !e.Edge {
			continue
		}
		if from, to := model.Ends(e); from != nil && to != nil && hasPorts(e) {
			p, q := from.Abs(), to.Abs()
			if p.Right() <= q.X || q.Right() <= p.X {
				across++
			}
			if p.Bottom() <= q.Y || q.Bottom() <= p.Y {
				across--
			}
		}
	}
	return across >= 0
}

// abs returns the rectangle of a shape on the page, the new one if it has been placed.
func (k *keeper) abs(x *cell) geom.Rect {
	if r, ok := k.at[x]; ok {
		return r
	}
	return x.Abs()
}

// Room around a placed shape: along the edges, across them, and the minimum.
const (
	keepAlong  = 60
	KeepAcross = 30
	keepLeast  = 20
)

// place returns the best free place for x in its container: near the shapes that it is connected
// to, and in line with others.
func (k *keeper) place(x *cell) geom.Rect {
	now := x.Abs()
	home := x.Owner()
	var siblings, joined []*cell
	parent := ""
	if home != nil {
		parent = home.ID
	}
	for _, y := range k.inside(parent) {
		if y != x && !k.waiting[y] && model.IsSolid(y) {
			siblings = append(siblings, y)
		}
	}
	lines := EdgesOf([]*cell{x})
	for _, e := range lines {
		if o := otherShape(e, x); o != nil && o != x && !k.waiting[o] && !x.Within(o) {
			joined = append(joined, o)
		}
	}
	want := now.Center()
	if len(joined) > 0 {
		want = geom.Point{}
		for _, o := range joined {
			p := k.abs(o).Center()
			want.X, want.Y = want.X+p.X/float64(len(joined)), want.Y+p.Y/float64(len(joined))
		}
	}
	near := slices.Clone(siblings)
	slices.SortStableFunc(near, func(a, b *cell) int {
		p, q := k.abs(a).Center(), k.abs(b).Center()
		return int(math.Abs(p.X-want.X) + math.Abs(p.Y-want.Y) - math.Abs(q.X-want.X) - math.Abs(q.Y-want.Y))
	})
	gapX, gapY := float64(keepAlong), float64(KeepAcross)
	if !k.right {
		gapX, gapY = gapY, gapX
	}
	xs, ys := []float64{now.X}, []float64{now.Y}
	for _, o := range append(joined, near[:min(len(near), 12)]...) {
		r := k.abs(o)
		xs = append(xs, r.Center().X-now.W/2, r.X-gapX-now.W, r.Right()+gapX)
		ys = append(ys, r.Center().Y-now.H/2, r.Y-gapY-now.H, r.Bottom()+gapY)
	}
	best, least := now, math.Inf(1)
	for _, px := range xs {
		for _, py := range ys {
			r := geom.Rect{X: math.Round(px), Y: math.Round(py), W: now.W, H: now.H}
			if c := k.rate(x, r, now, home, siblings, lines); c < least {
				best, least = r, c
			}
		}
	}
	return best
}

// inside returns the shapes in a container, or with no id those on the page.
func (k *keeper) inside(id string) []*cell {
	if id == "" {
		return Outermost(k.page)
	}
	return pdk.Filter(k.page.Children(id), func(x *cell) bool { return x.Shape() && !x.Relative })
}

// otherShape returns the shape at the other end of an edge of x, or of a cell in x.
func otherShape(e, x *cell) *cell {
	from, to := model.Ends(e)
	if from != nil && from.Within(x) {
		return to
	}
	return from
}

// rate rates a place: the length of the edges, those that run against the flow, the growth of
// the container, and the distance from the old place. The result is infinite if the place is
// occupied.
func (k *keeper) rate(x *cell, r, now geom.Rect, home *cell, siblings, lines []*cell) float64 {
	inLine, inColumn := false, false
	for _, o := range siblings {
		s := k.abs(o)
		if s.Grow(keepLeast).Overlaps(r) {
			return math.Inf(1)
		}
		sameX, sameY := math.Abs(s.Center().X-r.Center().X) < 1, math.Abs(s.Center().Y-r.Center().Y) < 1
		inLine = inLine || sameX || sameY
		inColumn = inColumn || k.right && sameX || !k.right && sameY
	}
	c := 0.05 * (math.Abs(r.X-now.X) + math.Abs(r.Y-now.Y))
	if len(siblings) > 0 && !inLine {
		c += 60
	}
	if home != nil {
		h, p := home.Abs(), placement.PaddingOf(home)
		if r.X < h.X+p.Left || r.Y < h.Y+p.Top {
			return math.Inf(1)
		}
		if len(siblings) > 0 && !inColumn {
			c += 150
		}
		c += 3 * (math.Max(0, r.Right()+p.Right-h.Right()) + math.Max(0, r.Bottom()+p.Bottom-h.Bottom()))
	}
	for _, e := range lines {
		o := otherShape(e, x)
		if o == nil || o == x || k.waiting[o] || x.Within(o) {
			continue
		}
		s := k.abs(o)
		p, q := r.Center(), s.Center()
		dx, dy := math.Abs(p.X-q.X), math.Abs(p.Y-q.Y)
		along, across := dx, dy
		if !k.right {
			along, across = dy, dx
		}
		c += 0.3*along + across + math.Min(dx, dy)/2 // a straight edge has no corners
		back, undirected := flowOf(e)
		from, _ := model.Ends(e)
		forward := from != nil && from.Within(x)
		if back {
			forward = !forward
		}
		a, b := s, r
		if forward {
			a, b = r, s
		}
		if !undirected && (k.right && b.Right() <= a.X || !k.right && b.Bottom() <= a.Y) {
			c += 150
		}
	}
	return c
}

// EdgesToRoute returns the edges to route again: those of the shapes that were placed or pushed,
// those without ports if others have them, and those that run through shapes. It leaves out the
// edges whose routes or kinds of line somebody set.
func (k *keeper) EdgesToRoute(moved []*cell) []*cell {
	out := EdgesOf(moved)
	lines, routes := Routes(k.page)
	hit := Hits(k.page, tangle.New(routes), lines)
	var frames []geom.Rect
	for x := k.page.First(); x != nil; x = x.Next() {
		if x.Shape() && model.IsGroup(x) && model.IsSolid(x) {
			frames = append(frames, x.Abs())
		}
	}
	for i, e := range lines {
		if (len(hit[i]) > 0 || k.laidOut && alongBorder(routes[i], frames) || k.laidOut && e.Style.Is("edgeStyle", "orthogonalEdgeStyle") && !hasPorts(e)) && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return slices.DeleteFunc(out, func(e *cell) bool { return !IsFree(e) })
}

// EdgesAround returns the edges to route after fresh shapes were placed and others moved: those of the fresh shapes, and, if an op
// computed their routes, those of the moved shapes and those that now run through fresh ones.
func EdgesAround(fresh, moved []*cell) []*cell {
	out := EdgesOf(fresh)
	lines, routes := Routes(fresh[0].Page)
	hit := Hits(fresh[0].Page, tangle.New(routes), lines)
	mine := EdgesOf(moved)
	for i, e := range lines {
		if e.Computed() && !slices.Contains(out, e) && (slices.Contains(mine, e) || slices.ContainsFunc(hit[i], func(x *cell) bool { return slices.Contains(fresh, x) })) {
			out = append(out, e)
		}
	}
	return slices.DeleteFunc(out, func(e *cell) bool { return !IsFree(e) })
}

// IsFree reports whether an op that does not name an edge may route it: nobody set its ports, its
// waypoints or another kind of line than the one of new edges.
func IsFree(e *cell) bool {
	return !e.ByHand() && e.Style.Is("edgeStyle", "orthogonalEdgeStyle") && !e.Style.Is("noEdgeStyle", "1")
}

// borderRoom is the least distance between an edge and the border of a group that runs
// beside it.
const borderRoom = 6

// alongBorder reports whether a route runs along the border of a group, on it or close to
// it.
func alongBorder(route []geom.Point, frames []geom.Rect) bool {
	for i := 1; i < len(route); i++ {
		a, b := route[i-1], route[i]
		for _, f := range frames {
			level := math.Abs(a.Y-b.Y) < 1 && math.Min(math.Abs(a.Y-f.Y), math.Abs(a.Y-f.Bottom())) < borderRoom
			upright := math.Abs(a.X-b.X) < 1 && math.Min(math.Abs(a.X-f.X), math.Abs(a.X-f.Right())) < borderRoom
			if level && math.Min(math.Max(a.X, b.X), f.Right())-math.Max(math.Min(a.X, b.X), f.X) > borderRoom ||
				upright && math.Min(math.Max(a.Y, b.Y), f.Bottom())-math.Max(math.Min(a.Y, b.Y), f.Y) > borderRoom {
				return true
			}
		}
	}
	return false
}
