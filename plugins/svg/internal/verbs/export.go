package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Formats returns the formats of exports.
func Formats() []pdk.Format[*drawing] {
	return []pdk.Format[*drawing]{
		{Format: abi.Format{Name: "png", Extension: ".png", MIME: "image/png", Summary: "a picture of the canvas, width:N pixels wide"}, Params: []string{"width"}, Write: exportPNG},
		{Format: abi.Format{Name: "svg", Extension: ".svg", MIME: "image/svg+xml", Summary: "the drawing as small as possible: without comments, metadata, white space and unused parts; precision:DIGITS"}, Params: []string{"precision"}, Write: exportSVG},
	}
}

func exportPNG(f *drawing, a pdk.Args) ([]byte, error) {
	width, err := a.Int("width", 0, 1, picture.MaxWidth)
	if err != nil {
		return nil, err
	}
	out, err := picture.Draw([]byte(f.Text()), picture.Options{Width: width, Exact: true})
	if err != nil {
		return nil, pdk.Errorf("%v", err)
	}
	return out.PNG, nil
}

// exportSVG works on a copy of the document.
func exportSVG(f *drawing, a pdk.Args) ([]byte, error) {
	digits, _, err := precision.Read(a)
	if err != nil {
		return nil, err
	}
	doc, err := tree.Parse(f.Text())
	if err != nil {
		return nil, err
	}
	g := &drawing{Doc: doc}
	o := &op{ctx: &ctx{Model: g}, Draft: doc.Draft(), a: a, f: g}
	o.strip()
	short := o.shortener(digits)
	for n := range doc.Root.All() {
		short.element(n)
	}
	for idle := g.Unused(true, true); len(idle) > 0; idle = g.Unused(true, true) {
		for _, n := range idle {
			o.Remove(n)
		}
	}
	return []byte(doc.Root.Raw()), nil
}

// strip removes what is not visible: metadata, elements and attributes of editors,
// comments, and insignificant white space.
func (o *op) strip() {
	editor := func(name string) bool {
		prefix, _, ok := strings.Cut(name, ":")
		return ok && (prefix == "sodipodi" || prefix == "inkscape")
	}
	var gone []*node
	for n := range o.f.Root.All() {
		if n != o.f.Root && (editor(n.Name) || o.f.Type(n) == "metadata") {
			gone = append(gone, n)
		}
	}
	for _, n := range model.Tops(gone) {
		o.Remove(n)
	}
	for n := range o.f.Root.All() {
		var names []string
		for k := range n.Attrs() {
			if editor(k) || k == "xmlns:inkscape" || k == "xmlns:sodipodi" {
				names = append(names, k)
			}
		}
		for _, k := range names {
			o.DropAttr(n, k)
		}
		if o.f.Mixed(n) {
			continue
		}
		for c := range n.Kids() {
			o.Set(c, tree.Lead, "")
		}
		o.Set(n, tree.Tail, "")
	}
}
