package diagram

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

func moveVerb() verb {
	return verb{Run: runMove, Verb: abi.Verb{
		Name: "move", Syntax: "move REF|SEL to:X,Y|REGION | near:REF [dir:] | by:DX,DY | in:GROUP | page:P [strict:true] | after:MESSAGE | before:MESSAGE | of:TOPIC",
		Brief:   "move REF|SEL to:X,Y|REGION | near:REF [dir:] | by:DX,DY | in:GROUP|none | page:P [strict:true] · to free room there, unless strict | after:|before:MESSAGE",
		Summary: "move shapes; to: near: and in: find free room unless strict", Category: "place",
		Params: []abi.Param{{Key: "to", Value: "X,Y|REGION"}, {Key: "near", Value: "REF"}, {Key: "dir", Value: "DIRECTION"}, {Key: "by", Value: "DX,DY"},
			{Key: "in", Value: "GROUP, or none for the page"}, {Key: "page", Value: "P: to that page, with the edges between the shapes"}, {Key: "strict", Value: "true: exactly there"},
			{Key: "after", Value: "TEXT of the message of a sequence, or a frame, below which messages and frames go"}, {Key: "before", Value: "TEXT of that above which they go"}, {Key: "label", Value: "TEXT: which of several messages"}, {Key: "of", Value: "TOPIC of a mind map to hang on; after: and before: name a topic there"}},
		Select: true, Min: 0, Max: -1,
		Examples: []string{"move AuthService to:400,200", "move UserDB near:AuthService dir:below", "move @type:db by:0,120", "move A in:Backend", "move @group:Backend page:Second", "move receipt before:order", "move B of:AuthService"},
	}}
}

// moveWords refuses words that are no place, and says how the place is given.
func moveWords(f *file, a pdk.Args, words []string) error {
	err := pdk.Errorf("move takes one reference or a selector; %q is one too many: places are to: near: by: in:", words[0])
	_, _, region := regionPlace(words[0])
	last := len(a.Positionals) - len(words)
	if len(words) == 2 && len(a.Params) == 0 {
		dx, dy, none := direction(words[0])
		n, number := parseNumber(words[1])
		switch _, _, pair := parsePair(strings.Join(words, ","), ","); {
		case pair && strings.ContainsAny(words[0][:1], "+-"):
			err.Try(a.Mended(pdk.WithWords(last, 2), pdk.WithParam("by", strings.NewReplacer("+", "").Replace(strings.Join(words, ",")))))
		case pair:
			err.Try(a.Mended(pdk.WithWords(last, 2), pdk.WithParam("to", strings.Join(words, ","))))
		case none == nil && number:
			err.Try(a.Mended(pdk.WithWords(last, 2), pdk.WithParam("by", mxfile.Num(float64(dx)*n)+","+mxfile.Num(float64(dy)*n))))
		case none == nil:
			err.Try(a.Mended(pdk.WithWords(last, 2), pdk.WithParam("near", words[1]), pdk.WithParam("dir", words[0])))
		}
	}
	if _, bad := parsePoint("to", words[0]); len(words) == 1 && len(a.Params) == 0 && (bad == nil || region) {
		err.Try(a.Mended(pdk.WithoutWord(len(a.Positionals)-1), pdk.WithParam("to", words[0])))
	}
	if g := words[len(words)-1]; len(a.Params) == 0 && len(err.Tries) == 0 {
		if _, none := groupRef(f.Current, g, true); none == nil && (len(words) == 1 || len(words) == 2 && strings.EqualFold(words[0], "to")) {
			err.Try(a.Mended(pdk.WithWords(last, len(words)), pdk.WithParam("in", g)))
		}
	}
	return err
}

func runMove(c *ctx, a pdk.Args) error {
	if among := a.Has("after") || a.Has("before"); a.Has("of") || among && !timed(c.Model.Current) {
		return moveTopic(c, a)
	} else if among {
		return retime(c, a)
	}
	cells, used, err := target(c, a, false)
	if err != nil {
		return err
	}
	f := c.Model
	if words := a.Texts(used); len(words) > 0 {
		return moveWords(f, a, words)
	}
	if cells, err = movable(cells); err != nil {
		return err
	}
	if v, ok := a.Param("page"); ok {
		page, err := pageRef(f, v, false)
		if err != nil {
			return err
		}
		if page != cells[0].Page {
			return moveOver(c, a, cells, page)
		}
	}
	d, grown := f.Draft(), map[*cell]geom.Rect{}
	ways := 0
	for _, key := range []string{"to", "near", "by"} {
		if a.Has(key) {
			ways++
		}
	}
	if ways == 0 && a.Has("page") && !a.Has("in") {
		return pdk.Unchanged("%s", already(cells, "on that page", ""))
	}
	if ways > 1 || ways == 0 && !a.Has("in") {
		err := pdk.Errorf("move takes one of to: near: by: in:")
		for _, key := range []string{"to", "near", "by"} {
			if ways == 2 && a.Has(key) {
				err.Try(a.Mended(pdk.Without(key)))
			}
		}
		return err
	}
	if v, ok := a.Param("by"); ok {
		if a.Has("in") || a.Has("dir") {
			return pdk.Errorf("by: goes alone").Try(a.Mended(pdk.Without("in", "dir")))
		}
		by, err := parsePoint("by", v)
		if err != nil {
			return err
		}
		for _, x := range cells {
			if o := x.Abs(); math.Abs(o.X+by.X) > maxCoord || math.Abs(o.Y+by.Y) > maxCoord {
				return pdk.Errorf("%s would lie outside any page", short(x))
			}
		}
		shift(d, cells, func(*cell) geom.Point { return by })
		settle(d, grown, cells, func(*cell) geom.Point { return by })
	} else if err := moveTo(c, d, grown, cells, a); err != nil {
		return err
	}
	pushed := makeWay(d, grown, cells)
	what := list(cells, 1)
	if err := commit(c, d, "move "+what, already(cells, "there", box(boundsOf(cells))), cells...); err != nil {
		return err
	}
	say(c, cells, "%s %s%s", what, box(boundsOf(cells)), aftermath(grown, pushed))
	return nil
}

// moveTo drafts a move to a place: of one shape, or of several that keep their
// distances.
func moveTo(c *ctx, d *mxfile.Draft, grown map[*cell]geom.Rect, cells []*cell, a pdk.Args) error {
	f := c.Model
	_, out := pdk.OneOf(a.String("in", ""), []string{"none", "page"})
	args := a
	if out {
		args = pdk.Args{Op: withoutParam(a.Op, "in")}
	}
	where, err := readSpot(f, args, "to")
	if err != nil {
		return err
	}
	moving := map[*cell]bool{}
	for _, x := range cells {
		moving[x] = true
	}
	if where.near != nil {
		for _, x := range cells {
			if where.near.Within(x) {
				return pdk.Errorf("%s cannot be placed near itself", short(x))
			}
		}
	}
	if !out && where.in == nil && !a.Has("near") {
		where.in = cells[0].Owner()
		for _, x := range cells {
			if x.Owner() != where.in {
				return pdk.Errorf("the shapes lie in different groups; move them by: or one group at a time")
			}
		}
		if where.in != nil && where.at != nil && !isGroup(where.in) {
			where.in = nil
		}
	}
	if where.in != nil {
		for _, x := range cells {
			if where.in.Within(x) {
				return pdk.Errorf("%s cannot be moved into itself", short(x))
			}
		}
	}
	whole := boundsOf(cells)
	if where.in != nil && where.in.Kind() == "lane" && where.in != cells[0].Owner() && where.near == nil && where.at == nil && where.region == "" {
		at := alongLane(where.in, whole)
		where.at = &at
	}
	r, moved := where.find(whole.W, whole.H, func(o *cell) bool { return moving[o] })
	if moved && a.Has("to") {
		c.Warn("%s was taken, so it moved to the nearest free place; strict:true forces it", a.String("to", ""))
	}
	if where.in != nil && (r.X < 0 || r.Y < 0) {
		return pdk.Errorf("that place lies outside %s; in:none takes it out of there", short(where.in)).Try(a.Mended(pdk.WithParam("in", "none")))
	}
	var origin geom.Point
	parent := ""
	if where.in != nil {
		at := where.in.Abs()
		origin, parent = geom.Point{X: at.X, Y: at.Y}, where.in.ID
		fit(d, grown, where.in, r)
	} else if l := cells[0].Layer(); l != nil {
		parent = l.ID
	}
	by := geom.Point{X: r.X + origin.X - whole.X, Y: r.Y + origin.Y - whole.Y}
	shift(d, cells, func(*cell) geom.Point { return by })
	for _, x := range cells {
		if x.Parent == parent || where.in == nil && x.Owner() == nil {
			continue
		}
		reparent(d, x, parent, geom.Rect{X: x.Abs().X + by.X - origin.X, Y: x.Abs().Y + by.Y - origin.Y, W: x.Geo.W, H: x.Geo.H})
	}
	return nil
}

// alongLane is the place in a lane of what lies elsewhere: where it is along the
// flow, and in the middle across.
func alongLane(lane *cell, whole geom.Rect) geom.Point {
	at := lane.Abs()
	left, top := laneOrigin(lane)
	if left > 0 || lane.Style.Is("horizontal", "0") { // a row
		return geom.Point{X: max(whole.X, at.X+left+padding), Y: math.Round(at.Y + max(top, (lane.Geo.H-whole.H)/2))}
	}
	return geom.Point{X: math.Round(at.X + max(left, (lane.Geo.W-whole.W)/2)), Y: max(whole.Y, at.Y+top+padding)}
}

// reparent drafts a new parent and the place in its coordinates.
func reparent(d *mxfile.Draft, x *cell, parent string, at geom.Rect) {
	d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithAttr("parent", parent).WithGeo(at) })
}

func withoutParam(op *abi.Op, key string) *abi.Op {
	out := *op
	out.Params = nil
	for _, kv := range op.Params {
		if kv.Key != key {
			out.Params = append(out.Params, kv)
		}
	}
	return &out
}

// movable keeps the shapes, of those that lie in each other the outer ones,
// and refuses what has no place of its own.
func movable(cells []*cell) ([]*cell, error) {
	set := map[*cell]bool{}
	for _, x := range cells {
		set[x] = true
	}
	var out []*cell
	for _, x := range cells {
		if !x.Vertex {
			continue
		}
		inside := false
		for o, n := x.Owner(), 0; o != nil && n < 100; o, n = o.Owner(), n+1 {
			inside = inside || set[o]
		}
		if inside {
			continue
		}
		if x.Relative {
			return nil, pdk.Errorf("%s is fastened to its parent and cannot be moved alone", short(x))
		}
		if stacked(x) {
			return nil, pdk.Errorf("%s has its place from its pool %s; move the pool, or what is in the lane", short(x), short(x.Owner()))
		}
		if inCompound(x) {
			return nil, pdk.Errorf("%s is a part of %s, which gives it its place; move that", short(x), short(outermost(x)))
		}
		out = append(out, x)
	}
	if len(out) == 0 {
		return nil, pdk.Errorf("edges have no place of their own; move their shapes")
	}
	return out, nil
}

func boundsOf(cells []*cell) geom.Rect {
	var r geom.Rect
	for _, x := range cells {
		r = r.Union(x.Abs())
	}
	return r
}

// shift drafts moves of shapes, and takes along the waypoints of edges whose
// both ends move the same way.
func shift(d *mxfile.Draft, cells []*cell, by func(*cell) geom.Point) {
	root := map[*cell]*cell{} // shapes that move, by the cell that takes them along
	var moved []*cell
	var walk func(x, top *cell)
	walk = func(x, top *cell) {
		if _, ok := root[x]; ok || x.ID == "" {
			return
		}
		root[x] = top
		moved = append(moved, x)
		for _, k := range x.Page.Children(x.ID) {
			if k.Vertex {
				walk(k, top)
			}
		}
	}
	for _, x := range cells {
		walk(x, x)
		p := by(x)
		if p == (geom.Point{}) {
			continue
		}
		r := x.Geo
		r.X, r.Y = r.X+p.X, r.Y+p.Y
		d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
	}
	done := map[*cell]bool{}
	for _, x := range moved {
		for _, e := range x.Page.Out(x.ID) {
			to := e.Page.Cell(e.Target)
			top, ok := root[to]
			if !ok || done[e] || !e.Routed {
				continue
			}
			done[e] = true
			p := by(root[x])
			if by(top) != p || p == (geom.Point{}) {
				continue
			}
			// A parent that moves takes the waypoints along by itself.
			if owner := e.Owner(); owner != nil {
				if _, moves := root[owner]; moves {
					continue
				}
			}
			points := e.Route().Points
			for i := range points {
				points[i].X += p.X
				points[i].Y += p.Y
			}
			d.Change(e, func(t mxfile.Text) mxfile.Text { return t.WithPoints(points) })
		}
	}
}
