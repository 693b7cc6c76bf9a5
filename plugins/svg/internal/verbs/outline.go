package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

func outlineVerb() verb {
	return verb{Run: running(runOutline), Verb: abi.Verb{
		Syntax: "outline REF…|SEL", Category: "paths",
		Brief:    "outline REF…|SEL · makes paths of strokes; a shape with a fill keeps it below",
		Summary:  "make a path from the area that a stroke paints, filled like the stroke; a shape with a fill keeps it below the path",
		Examples: []string{"outline axis", "outline @group:logo"},
	}}
}

func runOutline(o *op) error {
	list, err := o.movableTargets(0, len(o.a.Positionals))
	if err != nil {
		return err
	}
	named := len(o.a.Selectors) == 0
	var shapes []*node
	for _, n := range list {
		if svgdom.Group(n.Type) {
			for m := range n.All() {
				if o.hasStroke(m) && !model.InDefs(o.f, m) {
					shapes = append(shapes, m)
				}
			}
			continue
		}
		switch _, shape := o.scene().Path(n); {
		case o.hasStroke(n):
			shapes = append(shapes, n)
		case named && !shape:
			return pdk.Errorf("%s is %s; outline makes paths of the strokes of shapes", o.f.Ref(n), article(n.Type))
		case named:
			return pdk.Errorf("%s has no stroke", o.f.Ref(n)).TryQuery("describe " + o.f.Ref(n))
		}
	}
	if len(shapes) == 0 {
		return pdk.Errorf("no shape with a stroke is among them")
	}
	var made, filled []*node
	for _, n := range shapes {
		m, err := o.outline(n)
		if err != nil {
			return err
		}
		made = append(made, m)
		if m != n {
			filled = append(filled, n)
		}
	}
	for some := range slices.Chunk(filled, maxListed) {
		o.Warn("without a stroke now, below its outline: %s", o.f.Refs(some))
	}
	o.touch(made...)
	b, _ := o.union(made)
	o.Bulk("%s of strokes %s: %s", pdk.Count(len(made), "path"), model.Box(b), o.f.Refs(made))
	return nil
}

// hasStroke reports whether a shape has a stroke.
func (o *op) hasStroke(n *node) bool {
	_, shape := o.scene().Path(n)
	if !shape {
		return false
	}
	v := o.scene().Value(n, "stroke")
	return v != "none" && v != "" && o.scene().Stroke(n).Width > 0
}

// strokes lists the properties that a shape without a stroke does not need.
var strokes = []string{"stroke", "stroke-width", "stroke-opacity", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "stroke-dasharray", "stroke-dashoffset"}

// outline makes a path from a shape's stroke.
func (o *op) outline(n *node) (*node, error) {
	sc := o.scene()
	for _, p := range []string{"marker-start", "marker-mid", "marker-end", "marker"} {
		if v := sc.Value(n, p); v != "none" && v != "" {
			return nil, pdk.Errorf("%s has a marker on its line; remove it first", o.f.Ref(n)).Tryf("style %s %s:none", o.f.Ref(n), p)
		}
	}
	if v := sc.Value(n, "vector-effect"); v == "non-scaling-stroke" {
		return nil, pdk.Errorf("the width of the stroke of %s depends on the screen (vector-effect), so it has no outline of its own", o.f.Ref(n)).Tryf(`style %s vector-effect:none`, o.f.Ref(n))
	}
	p, _ := sc.Path(n)
	s := sc.Stroke(n)
	s.Dashes, s.Offset = sc.Dashes(n, p)
	area, err := s.Outline(p)
	if err != nil {
		return nil, pdk.Errorf("the stroke of %s has no outline: %v; path REF simplify makes it simpler", o.f.Ref(n), err)
	}
	if len(area) == 0 {
		return nil, pdk.Errorf("the stroke of %s paints nothing", o.f.Ref(n))
	}
	paint, opacity, fillOpacity := sc.Value(n, "stroke"), sc.Value(n, "stroke-opacity"), sc.Value(n, "fill-opacity")
	if def := sc.Reference(n, "stroke"); def != nil && def.Get("gradientUnits") != "userSpaceOnUse" && def.Get("patternUnits") != "userSpaceOnUse" {
		o.Warn("%s spans the box of what it paints, which is now larger", o.f.Ref(def))
	}
	target := n
	filled := sc.Value(n, "fill") != "none" && encloses(p)
	// A text or a motion follows the line itself.
	if filled || slices.ContainsFunc(o.f.Referrers(n.ID()), func(u *node) bool { return u.Type != "use" }) {
		target = o.onTop(n)
	}
	m := o.setOutline(target, area.Round(decimals(area)))
	o.paintAs(m, "fill", paint)
	if opacity != fillOpacity {
		o.paintAs(m, "fill-opacity", opacity)
	}
	o.unstroke(m)
	return m, nil
}

// onTop adds a shape for the stroke above a shape that keeps its fill.
func (o *op) onTop(n *node) *node {
	for _, p := range []string{"opacity", "filter", "mask", "mix-blend-mode"} {
		if v, from := o.scene().Own(n, p); from != svgdom.Nowhere && v != "none" && v != "1" && v != "normal" {
			o.Warn("%s of %s now applies to its fill and to its outline separately", p, o.f.Ref(n))
		}
	}
	id := n.ID()
	if id != "" {
		id += "-outline"
		if o.f.ByID(id) != nil {
			id = o.f.FreeID(id, 2)
		}
	}
	below := strings.HasPrefix(o.scene().Value(n, "paint-order"), "stroke")
	c := o.clone(n, id)
	o.keepRules()
	if below {
		o.Move(c, n.Parent, n.Prev)
	}
	o.unstroke(n)
	return c
}

func (o *op) paintAs(n *node, property, value string) {
	if o.scene().Value(n, property) != value {
		o.paintKey(n, property, value)
	}
}

// unstroke removes the stroke of a shape.
func (o *op) unstroke(n *node) {
	for _, name := range strokes {
		if _, from := o.scene().Own(n, name); from == svgdom.Attribute || from == svgdom.Inline {
			o.paintKey(n, name, "")
		}
	}
	o.paintAs(n, "stroke", "none")
}
