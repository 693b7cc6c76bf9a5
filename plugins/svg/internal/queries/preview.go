package queries

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
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
	of, text := "the canvas "+model.Box(f.Scene().Canvas()), f.Text()
	if len(list) > 0 {
		b, some := model.Boxes(list, f.Scene().Painted)
		if !some || b.Width() <= 0 || b.Height() <= 0 {
			return abi.QueryResponse{}, pdk.Errorf("nothing of %s is visible", f.Refs(list))
		}
		pad := 0.05 * max(b.Width(), b.Height())
		b = b.Grow(pad, pad)
		of, text = f.Refs(list)+" "+model.Box(b), withCanvas(f, b)
	}
	if drawAs.Of(a) == "svg" {
		return abi.QueryResponse{Text: "preview of " + of, Content: []abi.Content{{MIME: "image/svg+xml", Data: []byte(text)}}, Areas: areas(f)}, nil
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
func areas(f *drawing) []abi.Area {
	sc := f.Scene()
	var open, filled []abi.Area
	for _, n := range f.Shown(sc) {
		b, ok := sc.Painted(n)
		if !ok {
			continue
		}
		var ids []string
		for g := n; g.Parent != nil; g = g.Parent {
			ids = append(ids, strconv.Itoa(g.Key))
		}
		a := pdk.Area(f.Ref(n), b.X0, b.Y0, b.Width(), b.Height(), ids...)
		if svgdom.Shape(n.Type) && (n.Type == "line" || sc.Value(n, "fill") == "none") {
			open = append(open, a)
		} else {
			filled = append(filled, a)
		}
	}
	all := append(open, filled...)
	return all[max(0, len(all)-abi.MaxAreas):]
}

// withCanvas returns the document's text with b as its canvas.
func withCanvas(f *drawing, b vector.Box) string {
	text, tag := f.Text(), f.Root.Tag
	fresh, closing := tag, ""
	if !strings.HasSuffix(tag, "/>") {
		closing = "</" + f.Root.Name + ">"
	}
	for _, set := range [][2]string{{"viewBox", model.ViewText(b, model.Num)}, {"width", model.Num(b.Width())}, {"height", model.Num(b.Height())}} {
		e, err := xmltree.Parse(fresh + closing)
		if err != nil {
			return text
		}
		fresh, _ = e.SetAttr(set[0], set[1]).Apply(fresh)
	}
	return text[:len(f.Head())] + fresh + text[len(f.Head())+len(tag):]
}
