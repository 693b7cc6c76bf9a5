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
	"github.com/fcp-host/fcp-host/pdk/xmltree"
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
		Verbs: []verb{
			addVerb(), styleVerb(), modifyVerb(), textVerb(), removeVerb(), copyVerb(), repeatVerb(),
			moveVerb(), resizeVerb(), rotateVerb(), scaleVerb(), skewVerb(), alignVerb(), distributeVerb(), orderVerb(),
			groupVerb(), ungroupVerb(), reparentVerb(), layerVerb(),
			gradientVerb(), patternVerb(), markerVerb(), filterVerb(), clipVerb(), maskVerb(), classVerb(),
			pathVerb(), boolVerb(), outlineVerb(), canvasVerb(), fitVerb(), titleVerb("title", "the title, for screen readers"), titleVerb("desc", "the description"), optimizeVerb(),
		},
		Common:    []string{"add", "style", "move", "remove", "modify", "group", "gradient", "text", "copy", "resize", "rotate", "fit", "class", "bool", "title"},
		Selectors: selectors(),
		Queries: pdk.Folding([]query{
			mapQuery(), treeQuery(), describeQuery(), listQuery(), findQuery(), bboxQuery(), atQuery(), distanceQuery(), overlapsQuery(), outsideQuery(), defsQuery(), colorsQuery(), fontsQuery(), unusedQuery(),
			sourceQuery(), statsQuery(), lintQuery(), previewQuery(),
		}, []string{"source"}, []string{"tree", "find"}),
		Formats:   formats(),
		NewParams: []abi.Param{{Key: "size", Value: "WxH"}, {Key: "viewbox", Value: "X,Y,W,H"}, {Key: "background", Value: "COLOUR"}},
		Vocabulary: []abi.Section{
			{Title: "Regions", Lines: []string{strings.Join(regions(), " ")}},
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

// create creates an empty drawing.
func create(r *abi.NewRequest) (*Drawing, error) {
	v := map[string]string{"size": "300x150"}
	for _, kv := range r.Params {
		v[kv.Key] = kv.Value
	}
	w, h, err := size("size", v["size"])
	if err != nil {
		return nil, err
	}
	view := "0 0 " + num(w) + " " + num(h)
	if given, ok := v["viewbox"]; ok {
		b := strings.FieldsFunc(given, func(c rune) bool { return c == ',' || c == ' ' })
		if len(b) != 4 {
			return nil, pdk.Errorf("viewbox:%s is not X,Y,W,H", given)
		}
		view = strings.Join(b, " ")
	}
	root := element{name: "svg", attrs: [][2]string{{"xmlns", "http://www.w3.org/2000/svg"}, {"width", num(w)}, {"height", num(h)}, {"viewBox", view}}}
	if r.Title != "" {
		root.kids = append(root.kids, element{name: "title", text: r.Title})
	}
	if given, ok := v["background"]; ok {
		c, err := color("background", given)
		if err != nil {
			return nil, err
		}
		root.kids = append(root.kids, element{name: "rect", attrs: [][2]string{{"id", "background"}, {"width", "100%"}, {"height", "100%"}, {"fill", c}}})
	}
	if len(root.kids) == 0 {
		root.text = "\n"
	}
	var b strings.Builder
	root.write(&b, "", "\n", "  ")
	d, err := tree.Parse(b.String() + "\n")
	return &Drawing{Doc: d}, err
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
