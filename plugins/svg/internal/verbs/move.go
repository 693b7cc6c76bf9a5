package verbs

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
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
