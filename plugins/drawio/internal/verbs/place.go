package verbs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// angle is an angle in degrees, clockwise.
var angle = value.Type[float64]{Takes: "-360-360", Parse: func(s string) (float64, error) {
	n, ok := value.ParseNumber(s)
	if ok && math.Abs(n) <= 360 {
		return n, nil
	}
	no := &value.Invalid{Why: "is not an angle from -360 to 360"}
	if ok { // with the same effect
		no.Near = []string{mxfile.Num(math.Mod(n, 360))}
	}
	return 0, no
}}

// turn is an angle from the one that a shape has.
var turn = value.Key[float64]{Name: "by", Type: angle}

func rotateVerb() verb {
	return verb{Run: runRotate, Keys: []pdk.Parameter{turn}, Verb: abi.Verb{
		Syntax: "rotate REF|SEL DEGREES | rotate REF|SEL by:DEGREES", Summary: "turn shapes clockwise: to an angle, or by: further", Category: "place",
		Brief:    "rotate REF|SEL DEGREES | by:DEGREES",
		Examples: []string{"rotate AuthService 45", "rotate @type:db by:-90"},
	}}
}

func runRotate(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
	rest := a.Texts(used)
	if len(rest) > 1 || (len(rest) == 1) == a.Has("by") {
		err := pdk.Errorf("rotate takes one angle, or by:")
		if _, ok := value.ParseNumber(a.Text(used)); ok && len(rest) == 1 {
			err.Try(a.Mended(pdk.Without("by")))
		}
		if len(rest) > 0 && a.Has("by") {
			err.Try(a.Mended(pdk.WithWords(used, len(rest))))
		}
		return err
	}
	by, further := turn.Lookup(a)
	if !further {
		by = pdk.Must(angle.Word(a, used, "the angle"))
	}
	d := c.Model.Draft()
	var done []*cell
	for _, x := range cells {
		if !x.Vertex {
			continue
		}
		to := by
		if further {
			was, _ := x.Style.Get("rotation")
			to += values.Number(was)
		}
		if to = math.Mod(to, 360); to < 0 {
			to += 360
		}
		s := x.Style.Set("rotation", mxfile.Num(to))
		if mxfile.Num(to) == "0" {
			s = x.Style.Drop("rotation")
		}
		done = append(done, x)
		d.Restyle(x, s)
	}
	if len(done) == 0 {
		return pdk.Errorf("edges cannot be rotated")
	}
	pdk.Check(edit.Commit(c, d, "rotate "+model.ListFirst(done), model.Already(done, "rotated like that", ""), done...))
	angleNow, _ := done[0].Style.Get("rotation")
	if angleNow == "" {
		angleNow = "0"
	}
	edit.Report(c, done, "%s rotated: %s degrees", model.ListFirst(done), angleNow)
	return nil
}

func swapVerb() verb {
	return verb{Run: runSwap, Verb: abi.Verb{
		Syntax: "swap REF REF", Summary: "exchange the places of two shapes, by their centres", Category: "place",
		Brief:    "swap REF REF",
		Examples: []string{"swap AuthService UserDB"},
	}}
}

func runSwap(c *ctx, a pdk.Args) error {
	x := pdk.Must(selector.Vertex(c.Model, a.Text(0)))
	y := pdk.Must(selector.Vertex(c.Model, a.Text(1)))
	if x == y || x.Within(y) || y.Within(x) {
		return pdk.Errorf("swap takes two shapes, neither of which is inside the other")
	}
	for _, s := range []*cell{x, y} {
		if s.Relative || model.IsPart(s) {
			return pdk.Errorf("%s is fastened to its parent and cannot be moved alone", model.Short(s))
		}
	}
	px, py := x.Abs().Center(), y.Abs().Center()
	by := func(s *cell) geom.Point {
		if s == x {
			return geom.Point{X: math.Round(py.X - px.X), Y: math.Round(py.Y - px.Y)}
		}
		return geom.Point{X: math.Round(px.X - py.X), Y: math.Round(px.Y - py.Y)}
	}
	d := c.Model.Draft()
	both := []*cell{x, y}
	if x.Owner() == y.Owner() {
		placement.Shift(d, both, by)
		growContainers(d, map[*cell]geom.Rect{}, both, by)
	} else {
		to := map[*cell]*cell{x: y, y: x}
		grown := map[*cell]geom.Rect{}
		for _, s := range both {
			o, r := to[s].Origin(), s.Abs()
			r.X, r.Y = r.X+by(s).X-o.X, r.Y+by(s).Y-o.Y
			if to[s].Owner() != nil {
				r.X, r.Y = max(r.X, 0), max(r.Y, 0)
			}
			placement.Reparent(d, s, to[s].Parent, r)
			if g := to[s].Owner(); g != nil && model.Expands(g) {
				placement.Fit(d, grown, g, r)
			}
		}
	}
	pdk.Check(edit.Commit(c, d, "swap "+model.List(both, 2), fmt.Sprintf("%s and %s already have the same middle", model.Short(x), model.Short(y)), both...))
	c.Changed("%s %s, %s %s", model.Short(x), values.Box(x.Abs()), model.Short(y), values.Box(y.Abs()))
	return nil
}

// growContainers grows the containers of shapes that move, so that the shapes stay inside.
func growContainers(d *mxfile.Draft, grown map[*cell]geom.Rect, cells []*cell, by func(*cell) geom.Point) {
	for _, x := range cells {
		if g := x.Owner(); g != nil && model.Expands(g) {
			p := by(x)
			placement.Fit(d, grown, g, geom.Rect{X: x.Geo.X + p.X, Y: x.Geo.Y + p.Y, W: x.Geo.W, H: x.Geo.H})
		}
	}
}

// shapesAndWords returns the shapes that align and distribute work on, and the words after them.
func shapesAndWords(c *ctx, a pdk.Args, words int) (cells []*cell, rest []string, err error) {
	n := len(a.Positionals) - words
	if len(a.Selectors) > 0 {
		if cells, err = selector.Select(c.Model, c.Recent, a.Selectors, false); err != nil {
			return nil, nil, err
		}
	}
	for i := range max(n, 0) {
		if a.IsArrow(i) {
			return nil, nil, pdk.Errorf("%s works on shapes, not on edges", a.Verb)
		}
		x, err := selector.Vertex(c.Model, a.Text(i))
		if err != nil {
			return nil, nil, err
		}
		cells = append(cells, x)
	}
	if len(cells) == 0 {
		return nil, nil, pdk.Errorf("%s needs shapes", a.Verb).TryQuery("map")
	}
	kept := cells[:0:0]
	for _, x := range cells {
		if x.Vertex && !x.Relative && !model.IsPart(x) {
			kept = append(kept, x)
		}
	}
	if kept, err = placement.Movable(model.InOrder(cells[0].Page, kept)); err != nil {
		return nil, nil, err
	}
	return kept, a.Texts(max(n, 0)), nil
}

func alignVerb() verb {
	return verb{Run: runAlign, Verb: abi.Verb{
		Syntax: "align REF…|SEL SIDE", Summary: "line shapes up: " + strings.Join(values.Sides(), " "), Category: "place",
		Brief:    "align REF…|SEL left|center|right|top|middle|bottom",
		Examples: []string{"align AuthService UserDB bottom", "align @type:box left"},
	}}
}

func runAlign(c *ctx, a pdk.Args) error {
	cells, side := pdk.Must2(shapesAndWord(c, a, values.Sides(), "a side: "+strings.Join(values.Sides(), " ")))
	if len(cells) < 2 {
		return pdk.Errorf("align needs two shapes or more")
	}
	whole := placement.Bounds(cells)
	by := func(x *cell) geom.Point {
		r := x.Abs()
		switch side {
		case "left":
			return geom.Point{X: whole.X - r.X}
		case "center":
			return geom.Point{X: math.Round(whole.X + (whole.W-r.W)/2 - r.X)}
		case "right":
			return geom.Point{X: whole.Right() - r.Right()}
		case "top":
			return geom.Point{Y: whole.Y - r.Y}
		case "middle":
			return geom.Point{Y: math.Round(whole.Y + (whole.H-r.H)/2 - r.Y)}
		}
		return geom.Point{Y: whole.Bottom() - r.Bottom()}
	}
	return rearrange(c, cells, by, "align", side)
}

// rearrange moves each shape by its own distance. It refuses to move a shape out of its
// container.
func rearrange(c *ctx, cells []*cell, by func(*cell) geom.Point, what, how string) error {
	for _, x := range cells {
		if p := by(x); x.Owner() != nil && (x.Geo.X+p.X < 0 || x.Geo.Y+p.Y < 0) {
			return pdk.Errorf("%s would leave %s", model.Short(x), model.Short(x.Owner())).TryQuery("describe " + model.Reference(x.Owner()))
		}
	}
	d := c.Model.Draft()
	placement.Shift(d, cells, by)
	growContainers(d, map[*cell]geom.Rect{}, cells, by)
	pdk.Check(edit.Commit(c, d, what+" "+model.ListFirst(cells)+" "+how, model.Already(cells, strings.TrimSuffix(what, "e")+"ed "+how, ""), cells...))
	edit.Report(c, cells, "%s %s: %s", what, how, model.List(cells, 4)+" "+values.Box(placement.Bounds(cells)))
	return nil
}

// shapesAndWord returns the shapes of an op that ends with one of the given words, and that word.
func shapesAndWord(c *ctx, a pdk.Args, words []string, what string) ([]*cell, string, error) {
	last, word := len(a.Positionals)-1, ""
	if last >= 0 {
		word = a.Text(last)
	}
	way, ok := pdk.OneOf(word, words)
	if !ok {
		err := pdk.Errorf("%s ends with %s", a.Verb, what)
		if _, none := selector.Shape(c.Model, word, false); none != nil {
			for _, n := range pdk.Nearest(word, words) {
				err.Try(a.Mended(pdk.WithWords(last, 1, n)))
			}
		}
		return nil, "", err
	}
	cells, _, err := shapesAndWords(c, a, 1)
	return cells, way, err
}

// equalGap is the gap that distribute gives to shapes.
var equalGap = value.Key[float64]{Name: "spacing", Type: value.Number(0, 10_000), About: ": 0-10000"}

func distributeVerb() verb {
	return verb{Run: runDistribute, Keys: []pdk.Parameter{equalGap}, Verb: abi.Verb{
		Syntax: "distribute REF…|SEL horizontal|vertical [spacing:N]", Summary: "give shapes equal gaps, between the outer two or of spacing: each", Category: "place",
		Brief:    "distribute REF…|SEL horizontal|vertical [spacing:]",
		Examples: []string{"distribute A B AuthService horizontal", "distribute @type:box vertical spacing:40"},
	}}
}

func runDistribute(c *ctx, a pdk.Args) error {
	cells, way := pdk.Must2(shapesAndWord(c, a, []string{"horizontal", "vertical"}, "horizontal or vertical"))
	gap, spaced := equalGap.Lookup(a)
	if len(cells) < 2 || len(cells) == 2 && !spaced {
		return pdk.Errorf("distribute needs three shapes, or two and spacing:")
	}
	at := func(r geom.Rect) (from, extent float64) {
		if way == "horizontal" {
			return r.X, r.W
		}
		return r.Y, r.H
	}
	middle := func(x *cell) float64 {
		from, extent := at(x.Abs())
		return from + extent/2
	}
	sorted := slices.SortedStableFunc(slices.Values(cells), func(x, y *cell) int { return cmp.Compare(middle(x), middle(y)) })
	first, _ := at(sorted[0].Abs())
	if !spaced {
		last, extent := at(sorted[len(sorted)-1].Abs())
		total := 0.0
		for _, x := range sorted {
			_, e := at(x.Abs())
			total += e
		}
		gap = (last + extent - first - total) / float64(len(sorted)-1)
		if gap < 0 {
			return pdk.Errorf("there is no room between the outer ones; give spacing:")
		}
	}
	to, next := map[*cell]geom.Point{}, first
	for _, x := range sorted {
		from, extent := at(x.Abs())
		by := math.Round(next - from)
		if way == "horizontal" {
			to[x] = geom.Point{X: by}
		} else {
			to[x] = geom.Point{Y: by}
		}
		next += extent + gap
	}
	return rearrange(c, cells, func(x *cell) geom.Point { return to[x] }, "distribute", way)
}
