// Package drawing implements the svg domain: its verbs, selectors and queries on a
// tree.Doc.
package drawing

import (
	"bytes"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/queries"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/verbs"
)

// Domain returns the svg domain.
func Domain() *pdk.Domain[*model.Drawing] {
	return &pdk.Domain[*model.Drawing]{
		Name:       "svg",
		Title:      "SVG",
		Version:    "0.1.0",
		Summary:    "Edits SVG drawings in place: shapes, text, groups, styles, gradients, paths, layout.",
		Keywords:   []string{"icon", "logo", "chart", "drawing", "vector", "illustration"},
		Extensions: []string{".svg", ".svgz"},
		MIME:       []string{"image/svg+xml"},
		Magic:      []abi.Magic{{Bytes: []byte("<svg")}, {Bytes: []byte("<?xml")}, {Bytes: []byte("<!DOCTYPE svg")}},
		View:       &abi.View{Picture: "preview format:svg"},
		Jobs:       pdk.Jobs(jobs),
		New:        verbs.Create,
		Open:       open,
		Save:       func(f *model.Drawing) ([]byte, error) { return f.Bytes() },
		SaveAs:     func(f *model.Drawing, to pdk.Target) ([]byte, error) { return f.BytesAs(to.Name) },
		Snapshot:   func(f *model.Drawing) ([]byte, error) { return f.Snapshot() },
		Restore: func(_ string, data []byte) (*model.Drawing, error) {
			d, err := tree.Restore(data)
			return &model.Drawing{Doc: d}, err
		},
		State: model.State,
		Edits: func(typ string) pdk.Edit[*model.Drawing] {
			if e := new(model.Edit); typ == e.Type() {
				return e
			}
			return nil
		},
		Verbs:     verbs.All(),
		Common:    []string{"add", "style", "move", "remove", "modify", "group", "gradient", "text", "copy", "resize", "rotate", "fit", "class", "bool", "title"},
		Selectors: model.Selection(false).Describe(),
		Queries:   queries.All(),
		Formats:   verbs.Formats(),
		NewParams: verbs.NewParams(),
		Vocabulary: []abi.Section{
			{Title: "Regions", Lines: []string{strings.Join(value.Regions(), " ")}},
			{Title: "Flags", Lines: []string{"bold italic dashed dotted solid hidden shown no-fill no-stroke"}},
		},
		Synonyms: verbs.Synonyms(),
		Conventions: []string{
			"A REF is an id (case, - and _ ignored, a unique prefix will do), a range (path7-12), what queries print (rect~12 has no id), a label or a shown text.",
			"at: size: by: are in the canvas's units, as in queries; modify sets attributes in the element's own space.",
			"add puts its element in the middle unless told where: at:X,Y|REGION (a corner, the centre of circles, the baseline of text), below:REF gap:N. Properties are named as in SVG: stroke-width:2; key:\"\" removes one.",
		},
		Example: []string{
			"add rect background at:0,0 size:300x150 fill:#eee",
			"add circle dot r:20 fill:red",
			`add text name "Acme" below:dot gap:8 text-anchor:middle`,
		},
	}
}

func open(name string, data []byte) (*model.Drawing, []string, error) {
	d, err := tree.Open(name, data)
	if err != nil {
		return nil, nil, pdk.Errorf("not an SVG that can be read: %v", err)
	}
	if local := xmltree.Local(d.Root.Name); local != "svg" {
		return nil, nil, pdk.Errorf("not an SVG: its root element is %s", model.Line(d.Root.Name, 60))
	}
	if content, ok := d.Root.Attr("content"); ok && (strings.Contains(content, "<mxfile") || bytes.Contains(data[:min(len(data), 4096)], []byte("&lt;mxfile"))) {
		return nil, nil, pdk.Errorf("this SVG is a picture that holds a draw.io diagram, which the domain drawio edits")
	}
	f := &model.Drawing{Doc: d}
	warnings := f.ExternalContent(true)
	if strings.Contains(d.Head(), "<!ENTITY") {
		warnings = append(warnings, "the document type declares entities; they are kept and not expanded")
	}
	return f, warnings, nil
}

type node = tree.Node
