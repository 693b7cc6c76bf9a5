package placement

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// MakeWay drafts moves of the shapes that growing containers would cover. Everything below
// such a container moves down by as much as its lower edge does, or everything to its right
// moves right, so that distances stay the same. still lists shapes that the op places
// itself. It returns what moves, in the order of the file.
func MakeWay(d *mxfile.Draft, grown map[*cell]geom.Rect, still []*cell) []*cell {
	by := map[*cell]geom.Point{}
	now := func(x *cell) geom.Rect {
		r, ok := grown[x]
		if !ok {
			r = x.Geo
		}
		return geom.Rect{X: r.X + by[x].X, Y: r.Y + by[x].Y, W: r.W, H: r.H}
	}
	done := map[*cell]bool{}
	for g := innermost(grown, done); g != nil; g = innermost(grown, done) {
		done[g] = true
		var inside geom.Rect
		push := func(dx, dy float64, is func(geom.Rect) bool) {
			for _, k := range beyond(g, still, is) {
				by[k] = geom.Point{X: by[k].X + dx, Y: by[k].Y + dy}
				inside = inside.Union(now(k))
			}
		}
		below, right := wouldCover(g, grown[g], still)
		if below {
			push(0, grown[g].Bottom()-g.Geo.Bottom(), func(r geom.Rect) bool { return r.Y >= g.Geo.Bottom() })
		}
		if right {
			push(grown[g].Right()-g.Geo.Right(), 0, func(r geom.Rect) bool { return r.X >= g.Geo.Right() })
		}
		if o := g.Owner(); o != nil && model.Expands(o) && inside != (geom.Rect{}) {
			Fit(d, grown, o, inside)
		}
	}
	if len(by) == 0 {
		return nil
	}
	var pushed []*cell
	for x := range by {
		pushed = append(pushed, x)
	}
	pushed[0].Page.Sort(pushed)
	Shift(d, slices.DeleteFunc(slices.Clone(pushed), func(x *cell) bool { return x.Edge }), func(x *cell) geom.Point { return by[x] })
	for _, x := range pushed {
		if x.Edge {
			d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithEnds(by[x]).WithPointsMoved(by[x]) })
		} else if _, ok := grown[x]; ok {
			r := now(x)
			d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
		}
	}
	return slices.DeleteFunc(pushed, func(x *cell) bool { return x.Edge })
}

// innermost returns the deepest growing container that is not done. It skips lanes, because
// their pools place them.
func innermost(grown map[*cell]geom.Rect, done map[*cell]bool) *cell {
	var out *cell
	depth := func(x *cell) (n int) {
		for o := x.Owner(); o != nil && n < 100; o = o.Owner() {
			n++
		}
		return n
	}
	for g, r := range grown {
		if done[g] || model.IsPoolLane(g) || r.Right() <= g.Geo.Right() && r.Bottom() <= g.Geo.Bottom() {
			continue
		}
		if out == nil || depth(g) > depth(out) || depth(g) == depth(out) && g.Page.Before(g, out) {
			out = g
		}
	}
	return out
}

// wouldCover reports whether g, with the rectangle r, would cover something below it or to
// its right.
func wouldCover(g *cell, r geom.Rect, still []*cell) (below, right bool) {
	g.Page.Space(ownerID(g)).Each(r, func(x *cell, at geom.Rect) bool {
		if x != g && model.IsSolid(x) && !slices.Contains(still, x) && !at.Overlaps(g.Geo) {
			below = below || at.Y >= g.Geo.Bottom()
			right = right || at.Y < g.Geo.Bottom() && at.X >= g.Geo.Right()
		}
		return !below || !right
	})
	return below, right
}

// beyond returns the shapes beside g whose rectangles pass the test, and the edges there
// without shapes at their ends whose points pass it.
func beyond(g *cell, still []*cell, is func(geom.Rect) bool) (out []*cell) {
	owner := g.Owner()
	for x := g.Page.First(); x != nil; x = x.Next() {
		switch {
		case x == g || x.Owner() != owner || slices.Contains(still, x):
		case x.Shape() && !x.Relative && is(x.Geo):
			out = append(out, x)
		case x.Edge && x.Source == "" && x.Target == "":
			points := model.FreePoints(x)
			if len(points) > 0 && !slices.ContainsFunc(points, func(p geom.Point) bool { return !is(geom.Rect{X: p.X, Y: p.Y}) }) {
				out = append(out, x)
			}
		}
	}
	return out
}

func ownerID(c *cell) string {
	if o := c.Owner(); o != nil {
		return o.ID
	}
	return ""
}

// Growth says for a reply which sizes containers now have and what has moved out of their
// way, each on a line of its own. Call it after the edit.
func Growth(grown map[*cell]geom.Rect, pushed []*cell) string {
	var groups []*cell
	for g := range grown {
		if !model.IsPoolLane(g) && model.IsGroup(g) {
			groups = append(groups, g)
		}
	}
	var parts []string
	if len(groups) > 0 {
		groups[0].Page.Sort(groups)
		for _, g := range groups {
			parts = append(parts, fmt.Sprintf("%s is now %sx%s", model.Short(g), mxfile.Num(math.Ceil(g.Geo.W)), mxfile.Num(math.Ceil(g.Geo.H))))
		}
	}
	if len(pushed) > 0 {
		parts = append(parts, model.All(pushed)+" made way")
	}
	if len(parts) == 0 {
		return ""
	}
	return "\n" + strings.Join(parts, "\n")
}
