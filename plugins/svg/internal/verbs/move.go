package verbs

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

func moveVerb() verb {
	return verb{Run: running(runMove), Keys: withPlace(by), Verb: abi.Verb{
		Syntax:   "move REF…|SEL by:DX,DY | at:X,Y|REGION | right-of:REF|left-of:|above:|below:|on: [gap:N]",
		Brief:    "move REF…|SEL by:DX,DY | at:X,Y|REGION | right-of:REF left-of: above: below: on: [gap:] · at: of the box's corner",
		Summary:  "move elements, several as one; at: is where the corner of their box goes",
		Category: "place",
		Examples: []string{"move dot by:10,-5", "move legend at:20,20", "move @class:label by:0,4", "move card below:heading gap:12", "move logo at:center"},
	}}
}

// displacement returns how far by: or a place moves elements, and whether the op has either.
func (o *op) displacement(list []*node) (way vector.Point, given bool, err error) {
	if way, given = by.Lookup(o.a); given {
		return way, true, nil
	}
	where, err := o.place()
	if err != nil || !where.given {
		return way, false, err
	}
	b, ok := o.union(list)
	if !ok {
		return way, true, pdk.Errorf("%s has no box to place; %s it by:DX,DY", o.f.Refs(list), o.a.Verb)
	}
	return where.shift(b), true, nil
}

func runMove(o *op) error {
	list, err := o.movableTargets(0, len(o.a.Positionals))
	if err != nil {
		return err
	}
	by, given, err := o.displacement(list)
	if err != nil {
		return err
	}
	if !given {
		return pdk.Errorf("move needs where to: by:DX,DY, at:X,Y, or right-of:REF, left-of:, above:, below:, on:")
	}
	o.unchanged = o.f.Refs(list) + ": already there"
	for _, n := range list {
		way, def := by, o.f.UseTarget(n)
		if def != nil && slices.Contains(list, def) {
			if way = by.Minus(o.useShift(n, def, by)); math.Hypot(way.X, way.Y) < 1e-9 {
				o.Warn("%s shows %s and follows it", o.f.Ref(n), o.f.Ref(def))
				continue
			}
		}
		if !o.moveOnCanvas(n, way) {
			return o.flattened(n)
		}
	}
	o.touch(list...)
	o.placedReply(list)
	return nil
}

// flattened is the error for an element in something that has no area.
func (o *op) flattened(n *node) error {
	return pdk.Errorf("%s lies in something that is flattened to nothing", o.f.Ref(n))
}

// useShift returns how far a use moves on the canvas when the element that it shows
// moves by a vector.
func (o *op) useShift(use, def *node, by vector.Point) vector.Point {
	way, ok := into(o.scene().CTM(def.Parent), by)
	if !ok {
		return vector.Point{}
	}
	return linear(o.scene().CTM(use)).At(way)
}

// union returns the box of several elements on the canvas.
func (o *op) union(list []*node) (vector.Box, bool) { return model.Boxes(list, o.scene().Box) }

// placedReply replies with the new positions of elements.
func (o *op) placedReply(list []*node) {
	if len(list) > 3 {
		text := pdk.Count(len(list), "element")
		if b, ok := o.union(list); ok {
			text += " " + model.Box(b)
		}
		o.Bulk("%s", text)
		return
	}
	var each []string
	for _, n := range list {
		text := o.f.Ref(n)
		if b, ok := o.scene().Box(n); ok {
			text += " " + o.f.BoxOf(n, b)
		}
		each = append(each, text)
	}
	o.Changed("%s", strings.Join(each, ", "))
}

var (
	wide   = value.Key[float64]{Name: "w", Type: positive}
	high   = value.Key[float64]{Name: "h", Type: positive}
	anchor = value.Key[value.Place]{Name: "from", Type: value.Region, About: " of the elements that stays where it is"}
)

func resizeVerb() verb {
	return verb{Run: running(runResize), Keys: []pdk.Parameter{wide, high, anchor}, Verb: abi.Verb{
		Syntax: "resize REF…|SEL [WxH] [w:N] [h:N] [from:REGION] [each]", Brief: "resize REF…|SEL WxH | w: | h: [from:center] [each]", Category: "place",
		Summary:  "give elements a size on the canvas, several as one: their shape, not their stroke; groups are scaled; each gives each of them that size",
		Examples: []string{"resize card 200x120", "resize logo w:64", "resize dot 12x12 from:center", "resize card h:60 from:bottom", "resize dot card 60x60 from:center each"},
	}}
}

func runResize(o *op) error {
	each := o.cutFlag("each")
	words := len(o.a.Positionals)
	w, h := wide.Of(o.a), high.Of(o.a)
	if w == 0 && h == 0 {
		words--
		to, err := size.Word(o.a, words, "resize needs WxH, w:N or h:N:")
		if err != nil {
			return err
		}
		w, h = to.W, to.H
	}
	list, err := o.movableTargets(0, words)
	if err != nil {
		return err
	}
	o.unchanged = o.f.Refs(list) + ": already of that size"
	common, boxed := o.union(list)
	if !boxed {
		return pdk.Errorf("%s has no size to change", o.f.Refs(list))
	}
	for _, n := range list {
		b := common
		if each || len(list) == 1 {
			b, _ = o.scene().Box(n)
		}
		if err := o.resize(n, b, len(list) > 1 && !each, w, h, anchor.Of(o.a)); err != nil {
			if bad, ok := err.(*pdk.Error); ok && len(list) > 1 {
				bad.Tries = nil // the suggestions are for one of several elements
			}
			return err
		}
	}
	o.touch(list...)
	o.placedReply(list)
	for _, n := range list {
		if id := css.Reference(o.scene().Value(n, "clip-path")); id != "" {
			o.Warn("%s is still cut by the clip %s, which is unchanged", o.f.Ref(n), id)
			break
		}
	}
	return nil
}

// resize gives an element, or the elements with the common box b together, a size on the canvas. A side of 0 scales
// with the other one, except that of a single rect, which stays unchanged. What is in a region of b stays in place.
func (o *op) resize(n *node, b vector.Box, together bool, w, h float64, from value.Place) error {
	if !(b.Width() > 0 || b.Height() > 0) {
		return pdk.Errorf("%s has no size to change", o.f.Ref(n))
	}
	sx, sy := 1.0, 1.0
	if w > 0 && b.Width() > 0 {
		sx = w / b.Width()
	}
	if h > 0 && b.Height() > 0 {
		sy = h / b.Height()
	}
	keepsRatio := together || n.Type != "rect"
	if w == 0 && keepsRatio {
		sx = sy
	}
	if h == 0 && keepsRatio {
		sy = sx
	}
	if math.Abs(sx-1) < 1e-9 && math.Abs(sy-1) < 1e-9 {
		return nil
	}
	if n.Type == "circle" && math.Abs(sx-sy) > 1e-6 {
		if together {
			return pdk.Errorf("a circle stays round: %s cannot be resized by %sx%s", o.f.Ref(n), model.Short(sx), model.Short(sy))
		}
		s := math.Min(b.Width()*sx, b.Height()*sy)
		return pdk.Errorf("a circle stays round: %s cannot be %sx%s", o.f.Ref(n), model.Short(b.Width()*sx), model.Short(b.Height()*sy)).
			Tryf("resize %s %sx%s", o.f.Ref(n), model.Short(s), model.Short(s))
	}
	if n.Type == "text" {
		return pdk.Errorf("the size of a text is that of its font: style %s font-size:N", o.f.Ref(n)).Tryf("scale %s %s", o.f.Ref(n), model.Num(sx))
	}
	x, y := from.Fractions()
	pivot := vector.Point{X: b.X0 + x*b.Width(), Y: b.Y0 + y*b.Height()}
	ctm := o.scene().CTM(n.Parent)
	inv, ok := ctm.Inverse()
	if !ok {
		return o.flattened(n)
	}
	local := inv.Times(vector.Scale(sx, sy).About(pivot)).Times(ctm)
	if !o.free(n, "fill", "stroke") || !o.mapGeometry(n, local) {
		o.before(n, matrixText(local))
	}
	return nil
}
