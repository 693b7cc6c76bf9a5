package drawing

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

var patterns = []string{"dots", "lines", "grid", "checks", "diagonal"}

func patternVerb() verb {
	return verb{Run: running(runPattern), Verb: abi.Verb{
		Name: "pattern", Category: "definitions", Select: true, Min: 1, Max: 2,
		Syntax:   "pattern NAME dots|lines|grid|checks|diagonal [size:N] [color:] [background:] [width:N] [for:REF,REF|SEL] | pattern NAME of:REF [gap:N]",
		Brief:    "pattern NAME dots|lines|grid|checks|diagonal [size: color: background: width: for:REF] | NAME of:REF [gap:] · a paint",
		Summary:  "make a pattern, or with of: one from an element, which moves into it",
		Params:   []abi.Param{{Key: "size", Value: "N of a tile"}, {Key: "color", Value: "COLOUR"}, {Key: "background", Value: "COLOUR"}, {Key: "width", Value: "N of lines and dots"}, {Key: "of", Value: "REF"}, {Key: "gap", Value: "N between tiles"}, forParam()},
		Examples: []string{"pattern dotted dots size:8 color:#999 for:card", "pattern stars of:dot gap:4"},
	}}
}

func runPattern(o *op) error {
	id := o.a.Text(0)
	e := element{name: "pattern", attrs: [][2]string{{"id", id}}}
	e.set("patternUnits", "userSpaceOnUse")
	gap, err := o.a.Float("gap", 0, 0, maxCoordinate)
	if err != nil {
		return err
	}
	var source *node
	if ref, ok := o.a.Param("of"); ok {
		if source, err = o.f.find(ref, false); err != nil {
			return err
		}
		b, ok := o.scene().Painted(source)
		if !ok || source == o.f.Root {
			return pdk.Errorf("%s cannot be a pattern's tile", o.f.name(source))
		}
		e.set("x", num(b.X0-gap/2))
		e.set("y", num(b.Y0-gap/2))
		e.set("width", num(b.Width()+gap))
		e.set("height", num(b.Height()+gap))
	} else if err := o.tile(&e); err != nil {
		return err
	}
	var into []*node
	if source != nil {
		into = append(into, source)
	}
	takers, err := o.defTargets(into...)
	if err != nil {
		return err
	}
	replaced := o.f.ByID(id) != nil
	n, err := o.define(e, append(into, takers...), "pattern")
	if err != nil {
		return err
	}
	if source != nil {
		if n.Within(source) {
			return pdk.Errorf("%s lies in %s", id, o.f.name(source))
		}
		if err := o.reparent(source, n); err != nil {
			return err
		}
	}
	o.touch(n)
	used := o.apply(takers, id, "fill")
	o.defined(replaced, "pattern %s %sx%s%s", o.f.name(n), n.Get("width"), n.Get("height"), used)
	return nil
}

// tile draws the tile of a named pattern.
func (o *op) tile(e *element) error {
	kind, ok := pdk.OneOf(o.a.Text(1), patterns)
	if !ok {
		return pdk.Errorf("a pattern is one of %s, or of:REF", strings.Join(patterns, " ")).Instead(o.a.Text(1), pdk.Nearest(o.a.Text(1), patterns)...)
	}
	s, err := o.a.Float("size", 10, 0.1, maxCoordinate)
	if err != nil {
		return err
	}
	w, err := o.a.Float("width", map[string]float64{"dots": s / 3}[kind], 0, maxCoordinate)
	if err != nil {
		return err
	}
	if w == 0 {
		w = 1
	}
	ink, err := color("color", o.a.String("color", "black"))
	if err != nil {
		return err
	}
	e.set("width", num(s))
	e.set("height", num(s))
	if v, ok := o.a.Param("background"); ok {
		c, err := color("background", v)
		if err != nil {
			return err
		}
		e.kids = append(e.kids, element{name: "rect", attrs: [][2]string{{"width", num(s)}, {"height", num(s)}, {"fill", c}}})
	}
	stroke := func(d string) element {
		return element{name: "path", attrs: [][2]string{{"d", d}, {"fill", "none"}, {"stroke", ink}, {"stroke-width", num(w)}}}
	}
	half := num(s / 2)
	switch kind {
	case "dots":
		e.kids = append(e.kids, element{name: "circle", attrs: [][2]string{{"cx", half}, {"cy", half}, {"r", num(w / 2)}, {"fill", ink}}})
	case "lines":
		e.kids = append(e.kids, stroke("M0 "+half+"H"+num(s)))
	case "grid":
		e.kids = append(e.kids, stroke("M0 "+half+"H"+num(s)+"M"+half+" 0V"+num(s)))
	case "checks":
		e.kids = append(e.kids, element{name: "path", attrs: [][2]string{{"d", "M0 0H" + half + "V" + num(s) + "H" + num(s) + "V" + half + "H0Z"}, {"fill", ink}}})
	case "diagonal":
		e.set("patternTransform", "rotate(45)")
		e.kids = append(e.kids, stroke("M0 "+half+"H"+num(s)))
	}
	return nil
}
