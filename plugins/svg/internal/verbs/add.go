package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

// kinds lists the element types that add makes, by the names that it accepts.
var kinds = []string{"rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "text", "image", "use", "group"}

// The keys of add that are not attributes.
var (
	newID    = text("id", "ID")
	inGroup  = text("in", "GROUP")
	extent   = value.Key[value.Dimensions]{Name: "size", Type: size}
	lineFrom = text("from", "X,Y|REF of a line")
	lineTo   = text("to", "X,Y|REF of a line")
	sides    = value.Key[int]{Name: "sides", Type: value.Int(3, 100), About: " of a regular polygon"}
	star     = value.Key[float64]{Name: "star", Type: value.Number(0.01, 1), Default: 1, About: ", 0-1: how deep the points of a star with sides:N go"}
	shows    = text("of", "REF that a use shows")
	fromFile = text("file", "PATH of a picture (.png .jpg .gif .webp) or drawing (.svg) that is put into this one")
	shown    = text("text", "TEXT")
	before   = text("before", "REF to stand below")
)

func addKeys() []pdk.Parameter {
	return withPlace(newID, inGroup, extent, lineFrom, lineTo, sides, star, shows, fromFile, shown, before)
}

func addVerb() verb {
	return verb{Run: running(runAdd), Keys: append(addKeys(), texts("r", "RADIUS, also of polygons with sides:", "rx", "RADIUS of an ellipse, or of a rect's corners", "points", `"X,Y X,Y…"`, "d", "PATH DATA", "href", "URL or data: of an image", "class", "NAMES")...), Verb: abi.Verb{
		Syntax:    "add rect|circle|ellipse|line|polyline|polygon|path|text|image|use|group [ID] [TEXT] [FLAG…] key:value… [in:GROUP] [at:X,Y|REGION] [size:WxH] [right-of:REF|left-of:|above:|below:|on:] [gap:N]",
		Brief:     `add rect|circle|ellipse|line|polyline|polygon|path|text|image|use|group [ID] [FLAG…] [in:GROUP at:X,Y|REGION size:WxH right-of:REF left-of: above: below: on: gap: r: rx: from:X,Y to:X,Y points:"X,Y X,Y" sides:N d: of:REF href: file:PATH properties] · add text ID "TEXT"`,
		Summary:   "add an element; positions are in coordinates of the canvas",
		Category:  "elements",
		Resources: []abi.Resource{{Key: fromFile.Name, Kind: abi.ResourceBytes, Accept: pictureFiles}},
		Examples: []string{"add circle id:dot r:5 fill:red in:logo", "add rect card at:20,20 size:160x90 rx:8 fill:white stroke:#ccc", `add text heading "Sales 2025" at:100,30 font-size:18 text-anchor:middle`,
			"add line axis from:20,180 to:380,180 stroke:black", "add polygon star sides:5 star:0.4 r:30 at:center fill:gold", "add rect next size:40x40 right-of:card gap:10", "add group legend", "add use of:dot at:50,50"},
	}}
}

// addition is an element that add is creating.
type addition struct {
	*op
	element
	kind   string
	flags  [][2]string
	parent *node
	before *node
	ctm    vector.Matrix // of the parent
	where  place
	w, h   float64 // size in the parent's units
	sized  bool
	text   string
	nested string // the svg element to insert, if file: names a drawing
}

func runAdd(o *op) error {
	n := &addition{op: o}
	for _, step := range []func() error{n.read, n.shape, n.setAttributes} {
		if err := step(); err != nil {
			return err
		}
	}
	after := n.parent.Last
	if n.before != nil {
		after = n.before.Prev
	}
	if n.parent.Depth() >= maxNesting {
		return pdk.Errorf("elements do not nest deeper than %d", maxNesting)
	}
	write := writer(o.f, n.element)
	if n.nested != "" {
		write = func(string) string { return n.nested }
	}
	made := o.Insert(n.parent, after, write)
	for _, a := range n.attrs {
		o.SetAttr(made, a[0], a[1])
	}
	o.protectFromRules(made, n.attrs)
	o.touch(made)
	o.report(made, "")
	if v, ok := o.a.Param("color"); ok && n.kind != "group" {
		o.Warn("color: is only what currentColor stands for; fill:%s paints %s", v, o.f.Ref(made))
	}
	return nil
}

// protectFromRules moves properties of a new element to its style attribute if a rule
// of a style element would override them.
func (o *op) protectFromRules(made *node, attrs [][2]string) {
	if !o.scene().Ruled() {
		return
	}
	for _, a := range attrs {
		if _, ok := css.PropertyNamed(a[0]); ok {
			if _, from := o.scene().Own(made, a[0]); from == svgdom.Sheet {
				o.DropAttr(made, a[0])
				o.paintKey(made, a[0], a[1])
			}
		}
	}
}

// maxNesting is the maximum depth of an element; it leaves room for its content.
const maxNesting = 200

// report reports what was added.
func (o *op) report(n *node, more string) {
	typ := n.Type
	if typ == "g" {
		typ = "group"
	}
	text := typ + " " + o.f.Ref(n)
	if b, ok := o.scene().Box(n); ok {
		text += " " + o.f.BoxOf(n, b)
	}
	if n.Parent != o.f.Root {
		text += " in " + o.f.Ref(n.Parent)
	}
	o.Created("%s", text+more)
}

// read reads the kind, the id and the place.
func (n *addition) read() (err error) {
	words := n.a.Positionals
	kind, ok := pdk.OneOf(words[0].Text, kinds)
	if !ok && words[0].Text != "g" {
		return n.noKind(words[0].Text)
	}
	n.kind, n.name = kind, kind
	if kind == "group" || !ok {
		n.kind, n.name = "group", "g"
	}
	if err := n.bareWords(); err != nil {
		return err
	}
	n.flags = n.cutFlags(1)
	words = words[:len(words)-len(n.flags)]
	rest := n.a.Texts(1)[:len(words)-1]
	id, given := newID.Lookup(n.a)
	if n.text = shown.Of(n.a); n.kind == "text" && n.text == "" && len(rest) > 0 {
		n.text, rest = rest[len(rest)-1], rest[:len(rest)-1]
	}
	if !given && len(rest) > 0 {
		id, given, rest = rest[0], true, rest[1:]
	}
	switch {
	case len(rest) > 0:
		return n.tooMany(rest)
	case n.kind == "text" && n.text == "":
		return pdk.Errorf(`a text needs its text: add text ID "TEXT"`)
	case !given:
		id = n.f.FreeID(n.kind, n.f.Count(n.name))
	default:
		if err := n.newID(id); err != nil {
			return err
		}
	}
	n.set("id", id)
	n.parent = n.f.Root
	if ref, ok := inGroup.Lookup(n.a); ok {
		if n.parent, err = n.container(ref); err != nil {
			return err
		}
	}
	if ref, ok := before.Lookup(n.a); ok {
		if n.before, err = n.f.Find(ref, false); err != nil {
			return err
		}
		if n.parent = n.before.Parent; n.parent == nil {
			return pdk.Errorf("nothing can go beside the root")
		}
	}
	n.ctm = n.scene().CTM(n.parent)
	n.where, err = n.place()
	return err
}

// tooMany is the error for words that follow the id.
func (n *addition) tooMany(rest []string) error {
	err := pdk.Errorf("%s is one word too many: add takes a type, an id and key:value", pdk.Quote(rest[0]))
	if n.kind == "text" {
		err.Message += "; quote a text of several words"
		return err.Try(n.a.Mended(pdk.WithJoined(2)), n.a.Mended(pdk.WithJoined(1)))
	}
	changes := []pdk.Change{pdk.WithWords(len(n.a.Positionals)-len(rest), len(rest))}
	if _, bad := number.Parse(rest[0]); bad == nil && len(rest) == 1 && (n.kind == "circle" || n.kind == "polygon") && !n.a.Has("r") {
		changes = append(changes, pdk.WithParam("r", rest[0]))
	}
	return err.Try(n.a.Mended(changes...))
}

// bareWords refuses positions and path data without their keys, and suggests the keys.
func (n *addition) bareWords() error {
	var places []int
	for i, w := range n.a.Texts(1) {
		if _, err := point.Parse(w); err == nil {
			places = append(places, i+1)
		}
		if n.kind == "path" && !n.a.Has("d") && strings.ContainsAny(w[:min(len(w), 1)], "Mm") && checkPath(w) == nil && strings.ContainsAny(w, "0123456789") && len(w) > 4 {
			return pdk.Errorf("the data of a path is d:").Try(n.a.Mended(pdk.WithWords(i+1, 1), pdk.WithParam("d", w)))
		}
	}
	switch {
	case len(places) == 1 && n.kind != "text":
		return pdk.Errorf("a place is at:X,Y").Try(n.a.Mended(pdk.WithWords(places[0], 1), pdk.WithParam("at", n.a.Text(places[0]))))
	case len(places) == 2 && n.kind == "line" && places[1] == places[0]+1:
		return pdk.Errorf("a line goes from:X,Y to:X,Y").Try(n.a.Mended(pdk.WithWords(places[0], 2), pdk.WithParam("from", n.a.Text(places[0])), pdk.WithParam("to", n.a.Text(places[1]))))
	}
	return nil
}

// container resolves a reference to an element that can hold others.
func (o *op) container(ref string) (*node, error) {
	g, err := o.f.Find(ref, false)
	if err != nil {
		if l, none := o.f.Layer(ref); none == nil {
			return l, nil
		}
		return nil, err
	}
	if !svgdom.Group(g.Type) {
		err := pdk.Errorf("%s is a %s, which holds no others", o.f.Ref(g), g.Type)
		if g.Parent != nil && g.Parent != o.f.Root {
			err.Instead(ref, o.f.Ref(g.Parent))
		}
		return nil, err
	}
	return g, nil
}

// newID refuses an id that is already used or that XML does not allow.
func (o *op) newID(id string) error {
	if id == "root" {
		return pdk.Errorf("root is the document")
	}
	if id == "" || len(id) > 100 || strings.ContainsAny(id, " \t\r\n#()'\"<>&,;") || id[0] >= '0' && id[0] <= '9' || strings.Contains(id, model.Anonymous) {
		fixed := strings.Trim(strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \t\r\n#()'\"<>&,;~", r) {
				return '-'
			}
			return r
		}, id), "-")
		if fixed != "" && fixed[0] >= '0' && fixed[0] <= '9' {
			fixed = "n" + fixed
		}
		err := pdk.Errorf("%s is not an id: letters, digits, - and _, a letter first", pdk.Quote(id))
		if fixed != "" && len(fixed) <= 100 && o.f.ByID(fixed) == nil {
			err.Instead(id, pdk.Quote(fixed))
		}
		return err
	}
	if n := o.f.ByID(id); n != nil {
		return pdk.Errorf("the id %s is already used by a %s", id, n.Type).Instead(id, pdk.Quote(o.f.FreeID(id+"-", 1)))
	}
	return nil
}

func (o *op) noKind(word string) error {
	err := pdk.Errorf("add makes %s, not %s", strings.Join(kinds, " "), pdk.Quote(word))
	if means, ok := kindSynonyms[strings.ToLower(word)]; ok {
		return err.Try(o.a.Mended(pdk.WithWords(0, 1, means)))
	}
	for _, k := range pdk.Nearest(word, kinds) {
		err.Try(o.a.Mended(pdk.WithWords(0, 1, k)))
	}
	switch strings.ToLower(word) {
	case "lineargradient", "radialgradient", "gradient":
		return pdk.Errorf("gradients are made by the verb gradient: gradient NAME stops:\"red 0%%, blue 100%%\"")
	case "style":
		return pdk.Errorf("rules of a style element are made by the verb class: class NAME fill:red")
	}
	return err
}

var kindSynonyms = map[string]string{
	"rectangle": "rect", "square": "rect", "box": "rect", "oval": "ellipse", "dot": "circle", "g": "group", "label": "text", "img": "image", "picture": "image",
	"curve": "path", "triangle": "polygon", "hexagon": "polygon", "star": "polygon", "arrow": "line", "layer": "group", "symbol": "group",
}

// setAttributes sets the attributes and properties that the op gives.
func (n *addition) setAttributes() error {
	for _, f := range n.flags {
		n.set(f[0], f[1])
	}
	own := append(keyNames(addKeys()), "points")
	for _, kv := range n.a.Params {
		if slices.Contains(own, kv.Key) || n.kind == "path" && kv.Key == "d" || n.kind == "use" && kv.Key == "href" || kv.Key == "r" && n.a.Has(sides.Name) {
			continue
		}
		key, v, err := n.attribute(n.name, kv)
		if err != nil {
			return err
		}
		if v != "" {
			n.set(key, v)
		}
	}
	inherited := n.scene().Value(n.parent, "stroke")
	if (n.kind == "line" || n.kind == "polyline") && !n.has("class") && !n.has("style") {
		if !n.has("stroke") && (inherited == "none" || inherited == "") {
			n.set("stroke", "black")
		}
		if n.kind == "polyline" && !n.has("fill") {
			n.set("fill", "none")
		}
	}
	if n.kind == "image" && n.nested == "" && !n.has("href") && !n.has("xlink:href") {
		return pdk.Errorf("an image needs href:, the address of its picture or data: with it")
	}
	return nil
}
