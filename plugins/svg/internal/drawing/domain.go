// Package drawing implements the svg domain: its verbs, selectors and queries on a
// tree.Doc.
package drawing

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Domain returns the svg domain.
func Domain() *pdk.Domain[*Drawing] {
	return &pdk.Domain[*Drawing]{
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
		New:        create,
		Open:       open,
		Save:       func(f *Drawing) ([]byte, error) { return f.Bytes() },
		SaveAs:     func(f *Drawing, to pdk.Target) ([]byte, error) { return f.BytesAs(to.Name) },
		Snapshot:   func(f *Drawing) ([]byte, error) { return f.Snapshot() },
		Restore: func(_ string, data []byte) (*Drawing, error) {
			d, err := tree.Restore(data)
			return &Drawing{Doc: d}, err
		},
		State: state,
		Edits: func(typ string) pdk.Edit[*Drawing] {
			if e := new(edit); typ == e.Type() {
				return e
			}
			return nil
		},
		Verbs: pdk.Declare(
			addVerb(), styleVerb(), modifyVerb(), textVerb(), removeVerb(), copyVerb(), repeatVerb(),
			moveVerb(), resizeVerb(), rotateVerb(), scaleVerb(), skewVerb(), alignVerb(), distributeVerb(), orderVerb(),
			groupVerb(), ungroupVerb(), reparentVerb(), layerVerb(),
			gradientVerb(), patternVerb(), markerVerb(), filterVerb(), clipVerb(), maskVerb(), classVerb(),
			pathVerb(), boolVerb(), outlineVerb(), canvasVerb(), fitVerb(), titleVerb("title", "the title, for screen readers"), titleVerb("desc", "the description"), optimizeVerb(),
		),
		Common:    []string{"add", "style", "move", "remove", "modify", "group", "gradient", "text", "copy", "resize", "rotate", "fit", "class", "bool", "title"},
		Selectors: selection(false).Describe(),
		Queries: pdk.Folding(pdk.DeclareQueries(
			mapQuery(), treeQuery(), describeQuery(), listQuery(), findQuery(), bboxQuery(), atQuery(), distanceQuery(), overlapsQuery(), outsideQuery(), defsQuery(), colorsQuery(), fontsQuery(), unusedQuery(),
			sourceQuery(), statsQuery(), lintQuery(), previewQuery(),
		), []string{"source"}, []string{"tree", "find"}),
		Formats:   formats(),
		NewParams: []abi.Param{newSize.Param(), newView.Param(), ground.Param()},
		Vocabulary: []abi.Section{
			{Title: "Regions", Lines: []string{strings.Join(value.Regions(), " ")}},
			{Title: "Flags", Lines: []string{"bold italic dashed dotted solid hidden shown no-fill no-stroke"}},
		},
		Synonyms: synonyms(),
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

var (
	newSize = value.Key[value.Dimensions]{Name: "size", Type: size, Default: value.Dimensions{W: scene.UsualWidth, H: scene.UsualHeight}}
	newView = value.Key[vector.Box]{Name: "viewbox", Type: viewBoxes}
)

// create creates an empty drawing.
func create(r *abi.NewRequest) (*Drawing, error) {
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
	root := element{name: "svg", attrs: [][2]string{{"xmlns", "http://www.w3.org/2000/svg"}, {"width", num(d.W)}, {"height", num(d.H)}, {"viewBox", viewText(view, num)}}}
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
	return &Drawing{Doc: doc}, err
}

func open(name string, data []byte) (*Drawing, []string, error) {
	d, err := tree.Open(name, data)
	if err != nil {
		return nil, nil, pdk.Errorf("not an SVG that can be read: %v", err)
	}
	if local := xmltree.Local(d.Root.Name); local != "svg" {
		return nil, nil, pdk.Errorf("not an SVG: its root element is %s", line(d.Root.Name, 60))
	}
	if content, ok := d.Root.Attr("content"); ok && (strings.Contains(content, "<mxfile") || bytes.Contains(data[:min(len(data), 4096)], []byte("&lt;mxfile"))) {
		return nil, nil, pdk.Errorf("this SVG is a picture that holds a draw.io diagram, which the domain drawio edits")
	}
	f := &Drawing{Doc: d}
	warnings := f.externalContent(true)
	if strings.Contains(d.Head(), "<!ENTITY") {
		warnings = append(warnings, "the document type declares entities; they are kept and not expanded")
	}
	return f, warnings, nil
}

// synonyms lists words that other tools use for verbs, queries and keys.
func synonyms() []abi.Synonym {
	var out []abi.Synonym
	for _, s := range [][2]string{
		{"style", "fill stroke color colour paint recolor css set-style format"},
		{"add", "create draw insert make new shape"},
		{"modify", "set attr attribute change edit update rename"},
		{"remove", "delete del rm erase drop"},
		{"move", "translate shift place position put drag"},
		{"resize", "size enlarge shrink"},
		{"rotate", "turn spin"},
		{"scale", "zoom flip mirror"},
		{"copy", "duplicate clone"},
		{"repeat", "array tile step"},
		{"bool", "boolean combine pathop"},
		{"bool union", "union unite merge"},
		{"bool subtract", "subtract difference cut"},
		{"bool intersect", "intersect intersection"},
		{"bool exclude", "exclude xor"},
		{"outline", "stroke-to-path expand"},
		{"order", "bring send raise lower z-order"},
		{"reparent", "regroup"},
		{"group", "wrap"},
		{"text", "label set-text relabel retext"},
		{"canvas", "viewbox viewport artboard"},
		{"fit", "crop trim autofit square margin"},
		{"padding", "margin"},
		{"optimize", "optimise minify clean compress svgo"},
		{"ungroup", "unwrap dissolve"},
		{"layer hide", "hide"},
		{"layer show", "show unhide"},
		{"describe", "inspect info get"},
		{"map", "overview"},
		{"bbox", "bounds box measure getbbox"},
		{"source", "raw xml code cat"},
		{"preview", "render screenshot view"},
		{"colors", "colours palette"},
		{"lint", "check validate warnings"},
		{"at", "hit pick"},
		{"list *", "elements shapes"},
	} {
		for _, w := range strings.Fields(s[1]) {
			out = append(out, abi.Synonym{Word: w, Means: s[0]})
		}
	}
	for _, word := range slices.Sorted(maps.Keys(kindSynonyms)) {
		if word != "g" && word != "label" && word != "dot" && word != "layer" {
			out = append(out, abi.Synonym{Word: word, Means: "add " + kindSynonyms[word]})
		}
	}
	for _, k := range kinds {
		if k != "text" && k != "path" && k != "group" {
			out = append(out, abi.Synonym{Word: k, Means: "add " + k})
		}
	}
	for _, s := range [][2]string{
		{"colour:", "fill:"}, {"background:", "fill:"}, {"angle:", "by:"}, {"degrees:", "by:"}, {"position:", "at:"}, {"center:", "at:"}, {"radius:", "r:"}, {"parent:", "in:"}, {"group:", "in:"}, {"into:", "in:"}, {"name:", "id:"}, {"label:", "text:"}, {"content:", "text:"},
		{"offset:", "by:"}, {"delta:", "by:"}, {"to:", "at:"}, {"inside:", "in:"}, {"url:", "href:"}, {"src:", "href:"}, {"times:", "count:"}, {"origin:", "about:"}, {"pivot:", "about:"}, {"margin:", "padding:"}, {"spacing:", "gap:"},
		{"right:", "right-of:"}, {"left:", "left-of:"}, {"under:", "below:"}, {"over:", "above:"}, {"decimals:", "precision:"}, {"colors:", "stops:"},
		{"@name", "@id"}, {"@tag", "@type"}, {"@color", "@fill"}, {"@colour", "@fill"}, {"@in", "@group"}, {"@selector", "@css"}, {"@label", "@text"},
	} {
		out = append(out, abi.Synonym{Word: s[0], Means: s[1]})
	}
	return out
}
