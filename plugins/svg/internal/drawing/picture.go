package drawing

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

var drawAs = value.Key[string]{Name: "format", Type: value.OneOf("png", "svg")}

func previewQuery() query {
	return query{Run: runPreview, Keys: []pdk.Parameter{drawAs}, Query: abi.Query{Syntax: "preview [REF…|SEL] [width:N]", Brief: "preview [REF…|SEL] [width:]", Summary: "a picture, or of the part of the canvas where elements lie"}}
}

func runPreview(v *view, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	a, note := a.AtMost("width", picture.Side)
	width, err := a.Int("width", 0, 16, picture.Side)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	list, err := queryTargets(v, a)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	of, text := "the canvas "+box(f.scene().Canvas()), f.Text()
	if len(list) > 0 {
		b, some := boxes(list, f.scene().Painted)
		if !some || b.Width() <= 0 || b.Height() <= 0 {
			return abi.QueryResponse{}, pdk.Errorf("nothing of %s is visible", f.names(list))
		}
		pad := 0.05 * max(b.Width(), b.Height())
		b = b.Grow(pad, pad)
		of, text = f.names(list)+" "+box(b), f.withCanvas(b)
	}
	if drawAs.Of(a) == "svg" {
		return abi.QueryResponse{Text: "preview of " + of, Content: []abi.Content{{MIME: "image/svg+xml", Data: []byte(text)}}, Areas: f.areas()}, nil
	}
	drawn, err := picture.Draw([]byte(text), picture.Options{Width: width})
	if err != nil {
		bad := pdk.Errorf("%v", err)
		if width == 0 {
			width = 1000
		}
		if width /= 2; width >= 100 {
			bad.TryQuery(a.Mended(pdk.WithParam("width", strconv.Itoa(width))))
		}
		return abi.QueryResponse{}, bad
	}
	caption := "preview of " + of
	missing := drawn.Missing
	if strings.Contains(f.Head(), "<!ENTITY") {
		missing = append([]string{"what entities stand for"}, missing...)
	}
	if k := len(missing); k > 0 {
		caption += "; not drawn: " + strings.Join(missing[:min(k, 8)], ", ")
		if k > 8 {
			caption += fmt.Sprintf(" and %d more", k-8)
		}
	}
	return abi.QueryResponse{Text: caption + note, Content: []abi.Content{{MIME: "image/png", Data: drawn.PNG}}}, nil
}

// areas lists the positions of the visible elements, with the ids of the groups around
// them. Lines and outlines come below filled shapes, because they fill little of their
// boxes.
func (f *Drawing) areas() []abi.Area {
	sc := f.scene()
	var open, filled []abi.Area
	for _, n := range f.shown(sc) {
		b, ok := sc.Painted(n)
		if !ok {
			continue
		}
		var ids []string
		for g := n; g.Parent != nil; g = g.Parent {
			ids = append(ids, strconv.Itoa(g.Key))
		}
		a := pdk.Area(f.name(n), b.X0, b.Y0, b.Width(), b.Height(), ids...)
		if scene.Shape(f.Type(n)) && (f.Type(n) == "line" || sc.Value(n, "fill") == "none") {
			open = append(open, a)
		} else {
			filled = append(filled, a)
		}
	}
	all := append(open, filled...)
	return all[max(0, len(all)-abi.MaxAreas):]
}

// withCanvas returns the document's text with b as its canvas.
func (f *Drawing) withCanvas(b vector.Box) string {
	text, tag := f.Text(), f.Root.Tag
	fresh, closing := tag, ""
	if !strings.HasSuffix(tag, "/>") {
		closing = "</" + f.Root.Name + ">"
	}
	for _, set := range [][2]string{{"viewBox", viewText(b, num)}, {"width", num(b.Width())}, {"height", num(b.Height())}} {
		e, err := xmltree.Parse(fresh + closing)
		if err != nil {
			return text
		}
		fresh, _ = e.SetAttr(set[0], set[1]).Apply(fresh)
	}
	return text[:len(f.Head())] + fresh + text[len(f.Head())+len(tag):]
}

type format = pdk.Format[*Drawing]

func formats() []format {
	return []format{
		{Format: abi.Format{Name: "png", Extension: ".png", MIME: "image/png", Summary: "a picture of the canvas, width:N pixels wide"}, Params: []string{"width"}, Write: exportPNG},
		{Format: abi.Format{Name: "svg", Extension: ".svg", MIME: "image/svg+xml", Summary: "the drawing as small as possible: without comments, metadata, white space and unused parts; precision:DIGITS"}, Params: []string{"precision"}, Write: exportSVG},
	}
}

func exportPNG(f *Drawing, a pdk.Args) ([]byte, error) {
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
func exportSVG(f *Drawing, a pdk.Args) ([]byte, error) {
	digits, _, err := precision.Read(a)
	if err != nil {
		return nil, err
	}
	doc, err := tree.Parse(f.Text())
	if err != nil {
		return nil, err
	}
	g := &Drawing{Doc: doc}
	o := &op{ctx: &ctx{Model: g}, Draft: doc.Draft(), a: a, f: g}
	o.strip()
	short := o.shortener(digits)
	for n := range doc.Root.All() {
		short.element(n)
	}
	for idle := g.unused(true, true); len(idle) > 0; idle = g.unused(true, true) {
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
	for _, n := range tops(gone) {
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
