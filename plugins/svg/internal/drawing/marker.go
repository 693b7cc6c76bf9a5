package drawing

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

var heads = []string{"arrow", "dot", "square", "diamond", "bar", "open"}

func markerVerb() verb {
	return verb{Run: running(runMarker), Verb: abi.Verb{
		Name: "marker", Category: "definitions", Select: true, Min: 2, Max: 2,
		Syntax: "marker NAME arrow|dot|square|diamond|bar|open [size:N] [color:] [for:REF,REF|SEL]", Brief: "marker NAME arrow|dot|square|diamond|bar|open [size: color: for:REF] · the end of a line: style REF marker-end:NAME", Summary: "make a marker for the ends of lines; size: is in stroke widths",
		Params:   []abi.Param{{Key: "size", Value: "N stroke widths"}, {Key: "color", Value: "COLOUR; the line's own otherwise"}, forParam()},
		Examples: []string{"marker arrow arrow for:axis", "marker knob dot size:4 color:red"},
	}}
}

func runMarker(o *op) error {
	id := o.a.Text(0)
	kind, ok := pdk.OneOf(o.a.Text(1), heads)
	if !ok {
		return pdk.Errorf("a marker is one of %s", strings.Join(heads, " ")).Instead(o.a.Text(1), pdk.Nearest(o.a.Text(1), heads)...)
	}
	s, err := o.a.Float("size", 6, 0.1, maxCoordinate)
	if err != nil {
		return err
	}
	ink := "context-stroke"
	if v, ok := o.a.Param("color"); ok {
		if ink, err = color("color", v); err != nil {
			return err
		}
	}
	e := element{name: "marker", attrs: [][2]string{{"id", id}, {"viewBox", "0 0 10 10"}, {"refX", "5"}, {"refY", "5"}, {"markerWidth", num(s)}, {"markerHeight", num(s)}, {"orient", "auto-start-reverse"}}}
	shape := element{name: "path", attrs: [][2]string{{"d", ""}, {"fill", ink}}}
	switch kind {
	case "arrow":
		shape.set("d", "M0 0L10 5L0 10Z")
		e.set("refX", "9")
	case "dot":
		shape = element{name: "circle", attrs: [][2]string{{"cx", "5"}, {"cy", "5"}, {"r", "4"}, {"fill", ink}}}
	case "square":
		shape.set("d", "M1 1H9V9H1Z")
	case "diamond":
		shape.set("d", "M0 5L5 0L10 5L5 10Z")
	case "bar":
		shape.set("d", "M4 0H6V10H4Z")
	case "open":
		shape = element{name: "path", attrs: [][2]string{{"d", "M1 1L9 5L1 9"}, {"fill", "none"}, {"stroke", ink}, {"stroke-width", "1.5"}}}
		e.set("refX", "9")
	}
	e.kids = []element{shape}
	takers, err := o.defTargets()
	if err != nil {
		return err
	}
	replaced := o.f.ByID(id) != nil
	n, err := o.define(e, takers, "marker")
	if err != nil {
		return err
	}
	o.touch(n)
	used := o.apply(takers, id, "marker-end")
	o.defined(replaced, "marker %s %s%s", o.f.name(n), kind, used)
	return nil
}
