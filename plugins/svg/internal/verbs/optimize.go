package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

func optimizeVerb() verb {
	return verb{Run: running(runOptimize), Keys: []pdk.Parameter{precision, keep}, Verb: abi.Verb{
		Syntax: "optimize [precision:DIGITS] [keep:numbers,looks,defs,groups]", Category: "document",
		Brief:    "optimize [precision:3 keep:numbers,looks,defs,groups] · shorter numbers, colours and styles, no unused definitions and empty groups",
		Summary:  "shorten numbers, paths, transforms, colours and styles, and remove unused definitions and empty groups; the picture stays the same",
		Examples: []string{"optimize", "optimize precision:2 keep:defs"},
	}}
}

var precision = value.Key[int]{Name: "precision", Type: value.Int(0, 6), Default: 3, About: " digits after the point of a pixel as shown"}

// keep lists the parts of the work that are left out.
var keep = value.Key[map[string]bool]{Name: "keep", About: " that are left alone", Type: value.Type[map[string]bool]{Takes: "numbers,looks,defs,groups", Parse: func(s string) (map[string]bool, error) {
	out := map[string]bool{}
	for w := range strings.SplitSeq(s, ",") {
		part, err := value.OneOf("numbers", "looks", "defs", "groups").Parse(w)
		if err != nil && w != "" {
			return nil, err
		}
		out[part] = true
	}
	return out, nil
}}}

func runOptimize(o *op) error {
	keep := keep.Of(o.a)
	before := len(o.f.Text())
	shorter, gone := 0, 0
	s := o.shortener(precision.Of(o.a))
	s.numbers, s.looks = !keep["numbers"], s.looks && !keep["looks"]
	for n := range o.f.Root.All() {
		was := n.Tag
		s.element(n)
		if n.Tag != was {
			shorter++
		}
	}
	for again := true; again; {
		again = false
		for _, n := range o.f.Unused(!keep["defs"], !keep["groups"]) {
			o.Remove(n)
			gone++
			again = true
		}
	}
	o.unchanged = "nothing to shorten"
	o.touch(o.f.Root)
	after := len(o.f.Text())
	var what []string
	if shorter > 0 {
		what = append(what, pdk.Count(shorter, "element")+" shortened")
	}
	if gone > 0 {
		what = append(what, pdk.Count(gone, "element")+" without use removed")
	}
	o.Bulk("%d bytes fewer (%d, was %d): %s", before-after, after, before, strings.Join(what, ", "))
	return nil
}

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
		if n != o.f.Root && (editor(n.Name) || n.Type == "metadata") {
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
