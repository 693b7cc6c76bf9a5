package verbs

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

var (
	headSize = value.Key[float64]{Name: "size", Type: value.Number(0.1, maxCoordinate), Default: 6, About: " stroke widths"}
	headInk  = value.Key[string]{Name: "color", Type: colour, Default: "context-stroke", About: "; the line's own otherwise"}
)

func markerVerb() verb {
	return verb{Run: running(runMarker), Keys: []pdk.Parameter{headSize, headInk, takers}, Verb: abi.Verb{
		Syntax: "marker NAME arrow|dot|square|diamond|bar|open [size:N] [color:COLOUR] [for:REF,REF|SEL]", Category: "definitions", Select: true,
		Brief:    "marker NAME arrow|dot|square|diamond|bar|open [size: color: for:REF] · the end of a line: style REF marker-end:NAME",
		Summary:  "make a marker for the ends of lines; size: is in stroke widths",
		Examples: []string{"marker arrow arrow for:axis", "marker knob dot size:4 color:red"},
	}}
}

func runMarker(o *op) error {
	kind, err := value.OneOf("arrow", "dot", "square", "diamond", "bar", "open").Word(o.a, 1, "the marker")
	if err != nil {
		return err
	}
	s, ink := model.Num(headSize.Of(o.a)), headInk.Of(o.a)
	e := element{name: "marker", attrs: [][2]string{{"id", o.a.Text(0)}, {"viewBox", "0 0 10 10"}, {"refX", "5"}, {"refY", "5"}, {"markerWidth", s}, {"markerHeight", s}, {"orient", "auto-start-reverse"}}}
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
		shape.attrs = [][2]string{{"d", "M1 1L9 5L1 9"}, {"fill", "none"}, {"stroke", ink}, {"stroke-width", "1.5"}}
		e.set("refX", "9")
	}
	e.kids = []element{shape}
	return o.makeDef(e, "marker-end", nil, 0, func(n *node, _ []*node) string { return "marker " + o.f.Ref(n) + " " + kind })
}
