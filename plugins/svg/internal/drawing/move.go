package drawing

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

func moveVerb() verb {
	return verb{Run: running(runMove), Verb: abi.Verb{
		Name: "move", Category: "place", Select: true, Max: -1,
		Syntax:   "move REF…|SEL by:DX,DY | at:X,Y|REGION | right-of:REF|left-of:|above:|below:|on: [gap:N]",
		Brief:    "move REF…|SEL by:DX,DY | at:X,Y|REGION | right-of:REF left-of: above: below: on: [gap:] · at: of the box's corner",
		Summary:  "move elements, several as one; at: is where the corner of their box goes",
		Params:   append([]abi.Param{{Key: "by", Value: "DX,DY"}}, placeParams()...),
		Examples: []string{"move dot by:10,-5", "move legend at:20,20", "move @class:label by:0,4", "move card below:heading gap:12", "move logo at:center"},
	}}
}

func runMove(o *op) error {
	list, err := o.movableTargets(0, len(o.a.Positionals))
	if err != nil {
		return err
	}
	var by vector.Point
	if v, ok := o.a.Param("by"); ok {
		if by, err = point("by", v); err != nil {
			return err
		}
	} else {
		where, err := o.place()
		if err != nil {
			return err
		}
		b, ok := o.union(list)
		switch {
		case !where.given:
			return pdk.Errorf("move needs where to: by:DX,DY, at:X,Y, or right-of:REF, left-of:, above:, below:, on:")
		case !ok:
			return pdk.Errorf("%s has no box to place; move it by:DX,DY", o.f.names(list))
		case where.point != nil:
			by = vector.Point{X: where.point.X - b.X0, Y: where.point.Y - b.Y0}
		default:
			to, c := where.center(b.Width(), b.Height()), center(b)
			by = vector.Point{X: to.X - c.X, Y: to.Y - c.Y}
		}
	}
	o.unchanged = o.f.names(list) + ": already there"
	for _, n := range list {
		way, def := by, o.f.useTarget(n)
		if def != nil && slices.Contains(list, def) {
			follows := o.useShift(n, def, by)
			way.X, way.Y = by.X-follows.X, by.Y-follows.Y
			if math.Hypot(way.X, way.Y) < 1e-9 {
				o.Warn("%s shows %s and follows it", o.f.name(n), o.f.name(def))
				continue
			}
		}
		if !o.moveOnCanvas(n, way.X, way.Y) {
			return pdk.Errorf("%s lies in something that is flattened to nothing", o.f.name(n))
		}
	}
	o.touch(list...)
	o.placedReply(list)
	return nil
}

// useShift returns how far a use moves on the canvas when the element that it shows
// moves by a vector.
func (o *op) useShift(use, def *node, by vector.Point) vector.Point {
	x, y, ok := into(o.scene().CTM(def.Parent), by.X, by.Y)
	if !ok {
		return vector.Point{}
	}
	return linear(o.scene().CTM(use)).At(vector.Point{X: x, Y: y})
}

// union returns the box of several elements on the canvas.
func (o *op) union(list []*node) (vector.Box, bool) {
	out, some := vector.Empty(), false
	for _, n := range list {
		if b, ok := o.scene().Box(n); ok {
			out, some = out.Union(b), true
		}
	}
	return out, some
}

// placedReply replies with the new positions of elements.
func (o *op) placedReply(list []*node) {
	where := ""
	if b, ok := o.union(list); ok {
		where = " " + box(b)
		if len(list) == 1 {
			where = " " + o.f.boxOf(list[0], b)
		}
	}
	if len(list) > 3 {
		o.Bulk("%s%s", plural(len(list), "element"), where)
		return
	}
	if len(list) > 1 {
		var each []string
		for _, n := range list {
			text := o.f.name(n)
			if b, ok := o.scene().Box(n); ok {
				text += " " + o.f.boxOf(n, b)
			}
			each = append(each, text)
		}
		o.Changed("%s", strings.Join(each, ", "))
		return
	}
	o.Changed("%s%s", o.f.names(list), where)
}
