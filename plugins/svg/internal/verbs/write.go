package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// element is an element to write in the domain's own style.
type element struct {
	name  string
	attrs [][2]string
	text  string // instead of kids
	kids  []element
}

// set adds or changes an attribute.
func (e *element) set(name, value string) {
	for i := range e.attrs {
		if e.attrs[i][0] == name {
			e.attrs[i][1] = value
			return
		}
	}
	e.attrs = append(e.attrs, [2]string{name, value})
}

// setBox sets the position and the size.
func (e *element) setBox(b vector.Box) {
	e.set("x", model.Num(b.X0))
	e.set("y", model.Num(b.Y0))
	e.set("width", model.Num(b.Width()))
	e.set("height", model.Num(b.Height()))
}

func (e *element) get(name string) string {
	for _, a := range e.attrs {
		if a[0] == name {
			return a[1]
		}
	}
	return ""
}

func (e *element) has(name string) bool {
	return slices.ContainsFunc(e.attrs, func(a [2]string) bool { return a[0] == name })
}

// writer returns a function that writes an element with SVG's prefix and the file's
// indentation.
func writer(f *drawing, e element) func(indent string) string {
	prefix, unit := f.Prefix(), f.Indent()
	return func(indent string) string {
		var b strings.Builder
		e.write(&b, prefix, indent, unit)
		return b.String()
	}
}

func (e *element) write(b *strings.Builder, prefix, indent, unit string) {
	b.WriteString("<" + prefix + e.name)
	for _, a := range e.attrs {
		b.WriteString(" " + a[0] + `="` + xmltree.Escape(a[1], '"') + `"`)
	}
	if e.text == "" && len(e.kids) == 0 {
		b.WriteString("/>")
		return
	}
	b.WriteByte('>')
	b.WriteString(xmltree.EscapeText(e.text))
	inner := indent
	if indent != "" {
		inner += unit
	}
	if e.name == "text" {
		inner = ""
	}
	for i := range e.kids {
		b.WriteString(inner)
		e.kids[i].write(b, prefix, inner, unit)
	}
	if len(e.kids) > 0 && inner != "" {
		b.WriteString(indent)
	}
	b.WriteString("</" + prefix + e.name + ">")
}

// lines returns the children of a text element with several lines.
func lines(text, x string) []element {
	var out []element
	for i, s := range strings.Split(text, "\n") {
		t := element{name: "tspan", attrs: [][2]string{{"x", x}}, text: s}
		if i > 0 {
			t.set("dy", "1.2em")
		}
		out = append(out, t)
	}
	return out
}

var (
	newSize = value.Key[value.Dimensions]{Name: "size", Type: size, Default: value.Dimensions{W: svgdom.UsualWidth, H: svgdom.UsualHeight}}
	newView = value.Key[vector.Box]{Name: "viewbox", Type: viewBoxes}
)

// NewParams describes the parameters of a new drawing.
func NewParams() []abi.Param {
	return []abi.Param{newSize.Param(), newView.Param(), ground.Param()}
}

// Create creates an empty drawing.
func Create(r *abi.NewRequest) (*drawing, error) {
	a := pdk.Args{Op: &abi.Op{Params: r.Params}}
	for _, key := range []pdk.Parameter{newSize, newView, ground} {
		if err := key.Check(a); err != nil {
			return nil, err
		}
	}
	d := newSize.Of(a)
	view, given := newView.Lookup(a)
	if !given {
		view = vector.Box{X1: d.W, Y1: d.H}
	}
	root := element{name: "svg", attrs: [][2]string{{"xmlns", "http://www.w3.org/2000/svg"}, {"width", model.Num(d.W)}, {"height", model.Num(d.H)}, {"viewBox", model.ViewText(view, model.Num)}}}
	if r.Title != "" {
		root.kids = append(root.kids, element{name: "title", text: r.Title})
	}
	if c, ok := ground.Lookup(a); ok {
		root.kids = append(root.kids, element{name: "rect", attrs: [][2]string{{"id", "background"}, {"width", "100%"}, {"height", "100%"}, {"fill", c}}})
	}
	if len(root.kids) == 0 {
		root.text = "\n"
	}
	var b strings.Builder
	root.write(&b, "", "\n", "  ")
	doc, err := tree.Parse(b.String() + "\n")
	return &drawing{Doc: doc}, err
}
