package verbs

import (
	"math"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

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
	keepsRatio := together || o.f.Type(n) != "rect"
	if w == 0 && keepsRatio {
		sx = sy
	}
	if h == 0 && keepsRatio {
		sy = sx
	}
	if math.Abs(sx-1) < 1e-9 && math.Abs(sy-1) < 1e-9 {
		return nil
	}
	if o.f.Type(n) == "circle" && math.Abs(sx-sy) > 1e-6 {
		if together {
			return pdk.Errorf("a circle stays round: %s cannot be resized by %sx%s", o.f.Ref(n), model.Short(sx), model.Short(sy))
		}
		s := math.Min(b.Width()*sx, b.Height()*sy)
		return pdk.Errorf("a circle stays round: %s cannot be %sx%s", o.f.Ref(n), model.Short(b.Width()*sx), model.Short(b.Height()*sy)).
			Tryf("resize %s %sx%s", o.f.Ref(n), model.Short(s), model.Short(s))
	}
	if o.f.Type(n) == "text" {
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
