package verbs

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mindmap"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/rows"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/sequence"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// Keys of move; whichMessage is one of copy, too.
var (
	byStep       = value.Key[geom.Point]{Name: "by", Type: value.Type[geom.Point]{Takes: "DX,DY", Parse: values.Point.Parse}}
	whichMessage = values.Text("label", "TEXT: which of several messages")
)

func moveVerb() verb {
	return verb{Run: runMove, Keys: append(placement.Keys(values.Text("to", "X,Y|REGION; first|last for a row")),
		byStep, values.Text("page", "P: to that page, with the edges between the shapes"),
		values.Text("after", "TEXT of the message or frame of a sequence that messages and frames go below, or of the row of a class or table that a row goes below"), values.Text("before", "TEXT of the one that they go above"),
		whichMessage, betweenKey, values.Text("source", "REF: the shape that an edge then comes from"), values.Text("target", "REF: the shape that it then leads to"),
		values.Text("of", "TOPIC of a mind map to become the parent; after: and before: name one of its subtopics"),
	), Verb: abi.Verb{
		Syntax:  "move REF…|SEL to:X,Y|REGION | near:REF [dir:] | below:REF | by:DX,DY | in:GROUP | page:P [strict:true] | after:MESSAGE | before:MESSAGE [label:TEXT] | of:TOPIC | between:A,B | move REF ARROW REF source:REF|target:REF",
		Brief:   "move REF…|SEL to:X,Y|REGION | near:REF [dir:] | by:DX,DY | in:GROUP|none | page:P | after:|before:MESSAGE | between:A,B | REF ARROW REF target:REF",
		Summary: "move shapes; to: near: and in: find free space unless strict is given; source: and target: give an edge another end", Category: "place",
		Examples: []string{"move AuthService to:400,200", "move UserDB near:AuthService dir:below", "move @type:db by:0,120", "move A in:Backend", "move @group:Backend page:Second", "move receipt before:order", "move C between:A,B", "move A -> B target:C", "move B of:AuthService", "move Prices/Pro before:Basic"},
	}}
}

// moveWords returns the error for words that are not a position. It suggests how to give
// the position.
func moveWords(f *file, a pdk.Args, words []string) error {
	err := pdk.Errorf("move takes one reference or a selector; %q is one too many: places are to: near: by: in:", words[0])
	last := len(a.Positionals) - len(words)
	if len(words) == 2 && len(a.Params) == 0 {
		step, none := value.Direction.Parse(words[0])
		n, number := value.ParseNumber(words[1])
		switch _, _, pair := value.ParsePair(strings.Join(words, ","), ","); {
		case pair && strings.ContainsAny(words[0][:1], "+-"):
			err.Try(a.Mended(pdk.WithWords(last, 2), pdk.WithParam("by", strings.NewReplacer("+", "").Replace(strings.Join(words, ",")))))
		case pair:
			err.Try(a.Mended(pdk.WithWords(last, 2), pdk.WithParam("to", strings.Join(words, ","))))
		case none == nil && number:
			err.Try(a.Mended(pdk.WithWords(last, 2), pdk.WithParam("by", mxfile.Num(float64(step.DX)*n)+","+mxfile.Num(float64(step.DY)*n))))
		case none == nil:
			err.Try(a.Mended(pdk.WithWords(last, 2), pdk.WithParam("near", words[1]), pdk.WithParam("dir", words[0])))
		}
	}
	if _, bad := placement.To.Type.Parse(words[0]); len(words) == 1 && len(a.Params) == 0 && bad == nil {
		err.Try(a.Mended(pdk.WithoutWord(len(a.Positionals)-1), pdk.WithParam("to", words[0])))
	}
	if g := words[len(words)-1]; len(a.Params) == 0 && len(err.Tries) == 0 {
		if _, none := selector.Group(f.Current, g, true); none == nil && (len(words) == 1 || len(words) == 2 && strings.EqualFold(words[0], "to")) {
			err.Try(a.Mended(pdk.WithWords(last, len(words)), pdk.WithParam("in", g)))
		}
	}
	return err
}

// moveTargets returns what the op moves. Without parameters its words may give the place.
func moveTargets(c *ctx, a pdk.Args) ([]*cell, int, error) {
	if len(a.Params) == 0 {
		return selector.Target(c, a, false)
	}
	return selector.Targets(c, a, false)
}

func runMove(c *ctx, a pdk.Args) error {
	a = pdk.Must(placement.AsNear(a))
	row, err := rows.Named(c.Model, a, false)
	among := a.Has("after") || a.Has("before")
	switch {
	case err != nil:
		return err
	case row != nil:
		return rows.Move(c, a, row)
	case a.Has("source") || a.Has("target"):
		return runReconnect(c, a)
	case a.Has("of") || among && !arranger.ShowsSequence(c.Model.Current):
		return mindmap.MoveTopic(c, a)
	case among:
		return sequence.Retime(c, a)
	}
	a = a.Listed(",", "between")
	cells, used := pdk.Must2(moveTargets(c, a))
	f := c.Model
	if words := a.Texts(used); len(words) > 0 {
		return moveWords(f, a, words)
	}
	cells = pdk.Must(placement.Movable(cells))
	if v, ok := a.Param("page"); ok {
		page := pdk.Must(selector.Page(f, v, false))
		if page != cells[0].Page {
			return moveOver(c, a, cells, page)
		}
	}
	if a.Has("between") {
		return moveBetween(c, a, cells)
	}
	d, grown := f.Draft(), map[*cell]geom.Rect{}
	ways := 0
	for _, key := range []string{"to", "near", "by"} {
		if a.Has(key) {
			ways++
		}
	}
	if ways == 0 && a.Has("page") && !a.Has("in") {
		return pdk.Unchanged("%s", model.Already(cells, "on that page", ""))
	}
	if ways > 1 || ways == 0 && !a.Has("in") {
		return refuseWays(a, ways)
	}
	if by, ok := byStep.Lookup(a); ok {
		if a.Has("in") || a.Has("dir") {
			return pdk.Errorf("by: goes alone").Try(a.Mended(pdk.Without("in", "dir")))
		}
		for _, x := range cells {
			if o := x.Abs(); math.Abs(o.X+by.X) > values.MaxCoord || math.Abs(o.Y+by.Y) > values.MaxCoord {
				return pdk.Errorf("%s would lie outside any page", model.Short(x))
			}
		}
		placement.Shift(d, cells, func(*cell) geom.Point { return by })
		growContainers(d, grown, cells, func(*cell) geom.Point { return by })
	} else if err := moveTo(c, d, grown, cells, a); err != nil {
		return err
	}
	pushed := placement.MakeWay(d, grown, cells)
	what := model.List(cells, 1)
	pdk.Check(edit.Commit(c, d, "move "+what, model.Already(cells, "there", values.Box(placement.Bounds(cells))), cells...))
	edit.Report(c, cells, "%s %s%s", what, values.Box(placement.Bounds(cells)), placement.Growth(grown, pushed))
	return nil
}

// refuseWays returns the error for an op that gives no place, or several.
func refuseWays(a pdk.Args, ways int) error {
	err := pdk.Errorf("move takes one of to: near: by: in:")
	for _, key := range []string{"to", "near", "by"} {
		if ways == 2 && a.Has(key) {
			err.Try(a.Mended(pdk.Without(key)))
		}
	}
	return err
}

// moveBetween moves a shape into an edge.
func moveBetween(c *ctx, a pdk.Args, cells []*cell) error {
	g := pdk.Must(readBetween(c.Model, a))
	x := cells[0]
	if len(cells) > 1 || g.from.Within(x) || g.to.Within(x) {
		return pdk.Errorf("between: takes one shape, which is not an end of the edge").TryQuery("connections *")
	}
	where, err := g.room(c, x.Geo.W, x.Geo.H, nil, x)
	if err != nil {
		return err
	}
	r, _ := where.Find(x.Geo.W, x.Geo.H, func(o *cell) bool { return o == x })
	d, grown := c.Model.Draft(), map[*cell]geom.Rect{}
	parent, origin := x.Layer(), geom.Point{}
	if where.In != nil {
		parent, origin = where.In, geom.Point{X: where.In.Abs().X, Y: where.In.Abs().Y}
		placement.Fit(d, grown, where.In, r)
	}
	by := geom.Point{X: r.X + origin.X - x.Abs().X, Y: r.Y + origin.Y - x.Abs().Y}
	placement.Shift(d, cells, func(*cell) geom.Point { return by })
	if parent != nil && x.Parent != parent.ID {
		placement.Reparent(d, x, parent.ID, r)
	}
	pushed := placement.MakeWay(d, grown, cells)
	if d.Edit() != nil {
		pdk.Check(edit.Commit(c, d, "move "+model.Short(x), "", x))
	}
	if err := g.insert(c, x); err != nil {
		return err
	}
	c.Changed("%s %s%s", model.Short(x), values.Box(x.Abs()), placement.Growth(grown, pushed))
	return nil
}

// moveTo drafts a move to a position: of one shape, or of several that keep their
// distances.
func moveTo(c *ctx, d *mxfile.Draft, grown map[*cell]geom.Rect, cells []*cell, a pdk.Args) error {
	f := c.Model
	_, out := pdk.OneOf(a.String("in", ""), []string{"none", "page"})
	args := a
	if out {
		args = a.With(pdk.Without("in"))
	}
	where, err := placement.ReadSpot(f, args, placement.To)
	if err != nil {
		return err
	}
	moving := pdk.Set(cells)
	if where.Near != nil {
		for _, x := range cells {
			if where.Near.Within(x) {
				return pdk.Errorf("%s cannot be placed near itself", model.Short(x))
			}
		}
	}
	if !out && where.In == nil && !a.Has("near") {
		where.In = cells[0].Owner()
		for _, x := range cells {
			if x.Owner() != where.In {
				return pdk.Errorf("the shapes lie in different groups; move them by: or one group at a time")
			}
		}
		if where.In != nil && where.At != nil && !model.IsGroup(where.In) {
			where.In = nil
		}
	}
	if where.In != nil {
		for _, x := range cells {
			if where.In.Within(x) {
				return pdk.Errorf("%s cannot be moved into itself", model.Short(x))
			}
		}
	}
	whole := placement.Bounds(cells)
	if where.In != nil && where.In.Kind() == "lane" && where.In != cells[0].Owner() && where.Near == nil && where.At == nil && where.Region == nil {
		at := alongLane(where.In, whole)
		where.At = &at
	}
	r, moved := where.Find(whole.W, whole.H, func(o *cell) bool { return moving[o] })
	if moved && a.Has("to") {
		c.Warn("%s was taken, so it moved to the nearest free place; strict:true forces it", a.String("to", ""))
	}
	if where.In != nil && (r.X < 0 || r.Y < 0) {
		return pdk.Errorf("that place lies outside %s; in:none takes it out of there", model.Short(where.In)).Try(a.Mended(pdk.WithParam("in", "none")))
	}
	var origin geom.Point
	parent := ""
	if where.In != nil {
		at := where.In.Abs()
		origin, parent = geom.Point{X: at.X, Y: at.Y}, where.In.ID
		placement.Fit(d, grown, where.In, r)
	} else if l := cells[0].Layer(); l != nil {
		parent = l.ID
	}
	by := geom.Point{X: r.X + origin.X - whole.X, Y: r.Y + origin.Y - whole.Y}
	placement.Shift(d, cells, func(*cell) geom.Point { return by })
	for _, x := range cells {
		if x.Parent == parent || where.In == nil && x.Owner() == nil {
			continue
		}
		placement.Reparent(d, x, parent, geom.Rect{X: x.Abs().X + by.X - origin.X, Y: x.Abs().Y + by.Y - origin.Y, W: x.Geo.W, H: x.Geo.H})
	}
	return nil
}

// alongLane returns the position in a lane for shapes that lie elsewhere: unchanged along
// the flow, and in the middle across it.
func alongLane(lane *cell, whole geom.Rect) geom.Point {
	at := lane.Abs()
	left, top := model.LaneOrigin(lane)
	if left > 0 || lane.Style.Is("horizontal", "0") { // the lane is a row
		return geom.Point{X: max(whole.X, at.X+left+placement.Padding), Y: math.Round(at.Y + max(top, (lane.Geo.H-whole.H)/2))}
	}
	return geom.Point{X: math.Round(at.X + max(left, (lane.Geo.W-whole.W)/2)), Y: max(whole.Y, at.Y+top+placement.Padding)}
}

// runReconnect gives edges other ends: move A -> B target:C. They keep their ids, styles and labels.
func runReconnect(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
	if len(a.Positionals) > used {
		return pdk.Errorf("source: and target: give an edge other ends; quote a name with spaces").Try(a.Mended(pdk.WithJoined(used)))
	}
	ends := map[string]*cell{}
	for _, key := range []string{"source", "target"} {
		if ref, ok := a.Param(key); ok {
			ends[key] = pdk.Must(selector.Vertex(c.Model, ref))
		}
	}
	d := c.Model.Draft()
	was := model.List(cells, 1)
	for _, e := range cells {
		switch {
		case !e.Edge:
			return pdk.Errorf("%s is a shape; source: and target: are for edges", model.Short(e)).TryQuery("connections " + model.Reference(e))
		case model.IsMessage(e):
			return pdk.Errorf("%s is a message of a sequence; remove it and draw another", model.ArrowText(e)).TryQuery("connections *")
		}
		source, target := ends["source"], ends["target"]
		if edit.Reversed(a, e) {
			source, target = target, source
		}
		d.Change(e, func(t mxfile.Text) mxfile.Text {
			s := e.Style
			if source != nil && source.ID != e.Source {
				t, s = t.WithAttr("source", source.ID), arranger.WithoutPorts(s, "exit")
			}
			if target != nil && target.ID != e.Target {
				t, s = t.WithAttr("target", target.ID), arranger.WithoutPorts(s, "entry")
			}
			if s == e.Style && string(t) == e.Raw() {
				return t
			}
			if s != e.Style {
				t = t.WithStyle(s)
			}
			return t.WithPoints(nil).SealedLike(e)
		})
	}
	pdk.Check(edit.Commit(c, d, "move the end of "+was, model.Already(cells, "connected like that", ""), cells...))
	pdk.Check(settleNew(c, freeOf(cells), cells))
	if len(cells) > 1 {
		c.Bulk("%s have other ends: %s", was, model.All(cells))
		return nil
	}
	c.Connected("%s, was %s", model.EdgeEntry(cells[0]), was)
	return nil
}
