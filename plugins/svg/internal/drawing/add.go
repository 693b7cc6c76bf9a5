package drawing

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// kinds lists the element types that add makes, by the names that it accepts.
var kinds = []string{"rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "text", "image", "use", "group"}

func addVerb() verb {
	return verb{Run: running(runAdd), Verb: abi.Verb{
		Name: "add", Category: "elements", AnyParam: true, Min: 1, Max: -1,
		Syntax:  "add rect|circle|ellipse|line|polyline|polygon|path|text|image|use|group [ID] [TEXT] key:value… [in:GROUP] [at:X,Y|REGION] [size:WxH] [right-of:REF|left-of:|above:|below:|on:] [gap:N]",
		Brief:   `add rect|circle|ellipse|line|polyline|polygon|path|text|image|use|group [ID] [FLAG…] [in:GROUP at:X,Y|REGION size:WxH right-of:REF left-of: above: below: on: gap: r: rx: from:X,Y to:X,Y points:"X,Y X,Y" sides:N d: of:REF href: file:PATH properties] · add text ID "TEXT"`,
		Summary: "add an element; positions are in coordinates of the canvas",
		Params: append([]abi.Param{{Key: "id", Value: "ID"}, {Key: "in", Value: "GROUP"}, {Key: "size", Value: "WxH"}, {Key: "r", Value: "RADIUS, also of polygons with sides:"}, {Key: "rx", Value: "RADIUS of an ellipse, or of a rect's corners"},
			{Key: "from", Value: "X,Y of a line"}, {Key: "to", Value: "X,Y of a line"}, {Key: "points", Value: `"X,Y X,Y…"`}, {Key: "sides", Value: "3-100 of a regular polygon"}, {Key: "star", Value: "0-1: how deep the points of a star with sides:N go"},
			{Key: "d", Value: "PATH DATA"}, {Key: "of", Value: "REF that a use shows"}, {Key: "href", Value: "URL or data: of an image"}, {Key: "file", Value: "PATH of a picture (.png .jpg .gif .webp) or drawing (.svg) that is put into this one"}, {Key: "text", Value: "TEXT"}, {Key: "class", Value: "NAMES"},
			{Key: "before", Value: "REF to stand below"}}, placeParams()...),
		Resources: []abi.Resource{{Key: "file", Kind: abi.ResourceBytes, Accept: pictureFiles()}},
		Examples: []string{"add circle id:dot r:5 fill:red in:logo", "add rect card at:20,20 size:160x90 rx:8 fill:white stroke:#ccc", `add text heading "Sales 2025" at:100,30 font-size:18 text-anchor:middle`,
			"add line axis from:20,180 to:380,180 stroke:black", "add polygon star sides:5 star:0.4 r:30 at:center fill:gold", "add rect next size:40x40 right-of:card gap:10", "add group legend", "add use of:dot at:50,50"},
	}}
}

// addKeys lists the keys of add that are not attributes.
var addKeys = append([]string{"id", "in", "size", "from", "to", "sides", "star", "of", "text", "before", "file"}, placeKeys...)

// addition is an element that add is creating.
type addition struct {
	element
	kind   string
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
	n := &addition{}
	if err := n.read(o); err != nil {
		return err
	}
	if err := n.shape(o); err != nil {
		return err
	}
	if err := n.setAttributes(o); err != nil {
		return err
	}
	after := n.parent.Last
	if n.before != nil {
		after = n.before.Prev
	}
	if n.parent.Depth() >= maxNesting {
		return pdk.Errorf("elements do not nest deeper than %d", maxNesting)
	}
	write := o.f.writer(n.element)
	if n.nested != "" {
		e, err := xmltree.Parse(n.nested)
		if err != nil {
			return err
		}
		tag, err := withAttrs(n.nested[:e.OpenEnd], n.attrs)
		if err != nil {
			return err
		}
		write = func(string) string { return tag + n.nested[e.OpenEnd:] }
	}
	made := o.Insert(n.parent, after, write)
	o.protectFromRules(made, n.attrs)
	o.touch(made)
	o.report(made, "")
	if v, ok := o.a.Param("color"); ok && n.kind != "group" {
		o.Warn("color: is only what currentColor stands for; fill:%s paints %s", v, o.f.name(made))
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
		p, ok := css.PropertyNamed(a[0])
		if !ok {
			continue
		}
		if _, from := o.scene().Own(made, p.Name); from == scene.Sheet {
			o.DropAttr(made, p.Name)
			o.paintKey(made, p, a[1])
		}
	}
}

// maxNesting is the maximum depth of an element; it leaves room for its content.
const maxNesting = 200

// report reports what was added.
func (o *op) report(n *node, more string) {
	typ := o.f.Type(n)
	if typ == "g" {
		typ = "group"
	}
	text := typ + " " + o.f.name(n)
	if b, ok := o.scene().Box(n); ok {
		text += " " + o.f.boxOf(n, b)
	}
	if n.Parent != o.f.Root {
		text += " in " + o.f.name(n.Parent)
	}
	o.Created("%s", text+more)
}

// read reads the kind, the id and the place.
func (n *addition) read(o *op) error {
	words := o.a.Texts(0)
	kind, ok := pdk.OneOf(words[0], kinds)
	if !ok && (words[0] == "g") {
		kind, ok = "group", true
	}
	if !ok {
		return o.noKind(words[0])
	}
	n.kind, n.name = kind, kind
	if kind == "group" {
		n.name = "g"
	}
	if err := n.bareWords(o); err != nil {
		return err
	}
	id, given := o.a.Param("id")
	rest := words[1:]
	n.text, _ = o.a.Param("text")
	for len(rest) > 0 && !o.a.Positionals[len(words)-len(rest)].Quoted {
		if _, _, isFlag := flag(rest[len(rest)-1]); !isFlag || o.a.Positionals[len(words)-1].Quoted {
			break
		}
		rest = rest[:len(rest)-1]
		words = words[:len(words)-1]
	}
	if kind == "text" && n.text == "" && len(rest) > 0 {
		n.text, rest = rest[len(rest)-1], rest[:len(rest)-1]
	}
	if !given && len(rest) > 0 {
		id, given, rest = rest[0], true, rest[1:]
	}
	if len(rest) > 0 {
		err := pdk.Errorf("%s is one word too many: add takes a type, an id and key:value", pdk.Quote(rest[0]))
		if kind == "text" {
			err.Message += "; quote a text of several words"
			return err.Try(o.a.Mended(pdk.WithJoined(2)), o.a.Mended(pdk.WithJoined(1)))
		}
		if _, ok := number(rest[0]); ok && len(rest) == 1 && (kind == "circle" || kind == "polygon") && !o.a.Has("r") {
			return err.Try(o.a.Mended(pdk.WithoutWord(len(o.a.Positionals)-1), pdk.WithParam("r", rest[0])))
		}
		return err.Try(o.a.Mended(pdk.WithWords(len(o.a.Positionals)-len(rest), len(rest))))
	}
	if kind == "text" && n.text == "" {
		return pdk.Errorf(`a text needs its text: add text ID "TEXT"`)
	}
	switch {
	case given:
		if err := o.newID(id); err != nil {
			return err
		}
	default:
		id = o.f.FreeID(kind, o.f.Count(n.name))
	}
	n.set("id", id)
	n.parent = o.f.Root
	if ref, ok := o.a.Param("in"); ok {
		g, err := o.container(ref)
		if err != nil {
			return err
		}
		n.parent = g
	}
	if ref, ok := o.a.Param("before"); ok {
		b, err := o.f.find(ref, false)
		if err != nil {
			return err
		}
		if b == o.f.Root {
			return pdk.Errorf("nothing can go beside the root")
		}
		n.parent, n.before = b.Parent, b
	}
	n.ctm = o.scene().CTM(n.parent)
	var err error
	n.where, err = o.place()
	return err
}

// bareWords refuses positions and path data without their keys, and suggests the keys.
func (n *addition) bareWords(o *op) error {
	var places []int
	for i, w := range o.a.Texts(1) {
		if _, _, ok := pair(w, ","); ok {
			places = append(places, i+1)
		}
		if n.kind == "path" && !o.a.Has("d") && strings.ContainsAny(w[:min(len(w), 1)], "Mm") && checkPath(w) == nil && strings.ContainsAny(w, "0123456789") && len(w) > 4 {
			return pdk.Errorf("the data of a path is d:").Try(o.a.Mended(pdk.WithWords(i+1, 1), pdk.WithParam("d", w)))
		}
	}
	switch {
	case len(places) == 1 && n.kind != "text":
		return pdk.Errorf("a place is at:X,Y").Try(o.a.Mended(pdk.WithWords(places[0], 1), pdk.WithParam("at", o.a.Text(places[0]))))
	case len(places) == 2 && n.kind == "line" && places[1] == places[0]+1:
		return pdk.Errorf("a line goes from:X,Y to:X,Y").Try(o.a.Mended(pdk.WithWords(places[0], 2), pdk.WithParam("from", o.a.Text(places[0])), pdk.WithParam("to", o.a.Text(places[1]))))
	}
	return nil
}

// container resolves a reference to an element that can hold others.
func (o *op) container(ref string) (*node, error) {
	g, err := o.f.find(ref, false)
	if err != nil {
		if l, none := o.f.layer(ref); none == nil {
			return l, nil
		}
		return nil, err
	}
	if !scene.Group(o.f.Type(g)) {
		err := pdk.Errorf("%s is a %s, which holds no others", o.f.name(g), o.f.Type(g))
		if g.Parent != nil && g.Parent != o.f.Root {
			err.Instead(ref, o.f.name(g.Parent))
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
	if id == "" || len(id) > 100 || strings.ContainsAny(id, " \t\r\n#()'\"<>&,;") || id[0] >= '0' && id[0] <= '9' || strings.Contains(id, anonymous) {
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
		return pdk.Errorf("the id %s is already used by a %s", id, o.f.Type(n)).Instead(id, pdk.Quote(o.f.FreeID(id+"-", 1)))
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
func (n *addition) setAttributes(o *op) error {
	for i, w := range o.a.Texts(1) {
		if key, v, ok := flag(w); ok && !o.a.Positionals[i+1].Quoted && w != n.text {
			n.set(key, v)
		}
	}
	for _, kv := range o.a.Params {
		if slices.Contains(addKeys, kv.Key) || n.kind == "path" && kv.Key == "d" || kv.Key == "points" || n.kind == "use" && kv.Key == "href" || kv.Key == "r" && o.a.Has("sides") {
			continue
		}
		key, v, err := o.attribute(n.name, kv)
		if err != nil {
			return err
		}
		if v != "" {
			n.set(key, v)
		}
	}
	inherits := func(property string) bool {
		return o.scene().Value(n.parent, property) != "none" && o.scene().Value(n.parent, property) != ""
	}
	painted := n.has("class") || n.has("style")
	if (n.kind == "line" || n.kind == "polyline") && !painted {
		if !n.has("stroke") && !inherits("stroke") {
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
