package drawing

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// kinds are what add makes, and how the elements are called.
var kinds = []string{"rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "text", "image", "use", "group"}

// geometry are the attributes of the kinds that say where they lie.
var geometry = map[string]scene.Axis{
	"x": scene.X, "y": scene.Y, "width": scene.X, "height": scene.Y, "cx": scene.X, "cy": scene.Y, "r": scene.Other, "rx": scene.X, "ry": scene.Y,
	"x1": scene.X, "y1": scene.Y, "x2": scene.X, "y2": scene.Y, "dx": scene.X, "dy": scene.Y,
}

func addVerb() verb {
	return verb{Run: running(runAdd), Verb: abi.Verb{
		Name: "add", Category: "elements", AnyParam: true, Min: 1, Max: -1,
		Syntax:  "add rect|circle|ellipse|line|polyline|polygon|path|text|image|use|group [ID] [TEXT] key:value… [in:GROUP] [at:X,Y|REGION] [size:WxH] [right-of:REF|left-of:|above:|below:|on:] [gap:N]",
		Brief:   `add rect|circle|ellipse|line|polyline|polygon|path|text|image|use|group [ID] [FLAG…] [in:GROUP at:X,Y|REGION size:WxH right-of:REF left-of: above: below: on: gap: r: rx: from:X,Y to:X,Y points:"X,Y X,Y" sides:N d: of:REF href: attributes and properties] · add text ID "TEXT"; at: is a corner, the centre of circles, the baseline of text`,
		Summary: "add an element; places are of the canvas",
		Params: append([]abi.Param{{Key: "id", Value: "ID"}, {Key: "in", Value: "GROUP"}, {Key: "size", Value: "WxH"}, {Key: "r", Value: "RADIUS, also of polygons with sides:"}, {Key: "rx", Value: "RADIUS of an ellipse, or of a rect's corners"},
			{Key: "from", Value: "X,Y of a line"}, {Key: "to", Value: "X,Y of a line"}, {Key: "points", Value: `"X,Y X,Y…"`}, {Key: "sides", Value: "3-100 of a regular polygon"}, {Key: "star", Value: "0-1: how deep the points of a star with sides:N go"},
			{Key: "d", Value: "PATH DATA"}, {Key: "of", Value: "REF that a use shows"}, {Key: "href", Value: "URL or data: of an image"}, {Key: "text", Value: "TEXT"}, {Key: "class", Value: "NAMES"},
			{Key: "before", Value: "REF to stand below"}}, placeParams()...),
		Examples: []string{"add circle id:dot r:5 fill:red in:logo", "add rect card at:20,20 size:160x90 rx:8 fill:white stroke:#ccc", `add text heading "Sales 2025" at:100,30 font-size:18 text-anchor:middle`,
			"add line axis from:20,180 to:380,180 stroke:black", "add polygon star sides:5 star:0.4 r:30 at:center fill:gold", "add rect next size:40x40 right-of:card gap:10", "add group legend", "add use of:dot at:50,50"},
	}}
}

// addKeys are the keys of add that are no attributes.
var addKeys = append([]string{"id", "in", "size", "from", "to", "sides", "star", "of", "text", "before"}, placeKeys...)

// addition is what an add is to make.
type addition struct {
	element
	kind   string
	parent *node
	before *node
	ctm    vector.Matrix // of the parent
	where  place
	w, h   float64 // in the parent's units
	sized  bool
	text   string
}

func runAdd(o *op) error {
	n := &addition{}
	if err := n.read(o); err != nil {
		return err
	}
	if err := n.shape(o); err != nil {
		return err
	}
	if err := n.look(o); err != nil {
		return err
	}
	after := n.parent.Last
	if n.before != nil {
		after = n.before.Prev
	}
	if n.parent.Depth() >= maxNesting {
		return pdk.Errorf("elements do not nest deeper than %d", maxNesting)
	}
	made := o.Insert(n.parent, after, o.f.writer(n.element))
	o.touch(made)
	o.report(made, "")
	o.warnOf(made)
	if v, ok := o.a.Param("color"); ok && n.kind != "group" {
		o.Warn("color: is only what currentColor stands for; fill:%s paints %s", v, o.f.name(made))
	}
	return nil
}

// maxNesting leaves room for what is put into an element.
const maxNesting = 200

// report says what was made.
func (o *op) report(n *node, more string) {
	typ := o.f.Type(n)
	if typ == "g" {
		typ = "group"
	}
	text := typ + " " + o.f.name(n)
	if b, ok := o.scene().Box(n); ok {
		text += " " + box(b)
	}
	if n.Parent != o.f.Root {
		text += " in " + o.f.name(n.Parent)
	}
	o.Created("%s", text+more)
}

// read reads the kind, the id, and where it goes.
func (n *addition) read(o *op) error {
	words := o.a.Texts(0)
	kind, ok := oneOf(words[0], kinds)
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
			return err.Try(mended(o.a, withWords(1, len(o.a.Positionals)-1, strings.Join(o.a.Texts(1), " "))))
		}
		return err.Try(mended(o.a, withWords(len(o.a.Positionals)-len(rest), len(rest))))
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
			return pdk.Errorf("nothing lies beside the root")
		}
		n.parent, n.before = b.Parent, b
	}
	n.ctm = o.scene().CTM(n.parent)
	var err error
	n.where, err = o.place()
	return err
}

// bareWords refuses places and path data that stand without their keys.
func (n *addition) bareWords(o *op) error {
	var places []int
	for i, w := range o.a.Texts(1) {
		if _, _, ok := pair(w, ","); ok {
			places = append(places, i+1)
		}
		if n.kind == "path" && !o.a.Has("d") && strings.ContainsAny(w[:min(len(w), 1)], "Mm") && checkPath(w) == nil && strings.ContainsAny(w, "0123456789") && len(w) > 4 {
			return pdk.Errorf("the data of a path is d:").Try(mended(o.a, withWords(i+1, 1), withParam("d", w)))
		}
	}
	switch {
	case len(places) == 1 && n.kind != "text":
		return pdk.Errorf("a place is at:X,Y").Try(mended(o.a, withWords(places[0], 1), withParam("at", o.a.Text(places[0]))))
	case len(places) == 2 && n.kind == "line" && places[1] == places[0]+1:
		return pdk.Errorf("a line goes from:X,Y to:X,Y").Try(mended(o.a, withWords(places[0], 2), withParam("from", o.a.Text(places[0])), withParam("to", o.a.Text(places[1]))))
	}
	return nil
}

// container resolves a reference to what elements can be put into.
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

// newID refuses an id that is taken or that XML cannot have.
func (o *op) newID(id string) error {
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
		err := pdk.Errorf("%s is no id: letters, digits, - and _, a letter first", pdk.Quote(id))
		if fixed != "" && len(fixed) <= 100 && o.f.ByID(fixed) == nil {
			err.Instead(id, pdk.Quote(fixed))
		}
		return err
	}
	if n := o.f.ByID(id); n != nil {
		return pdk.Errorf("the id %s is that of a %s already", id, o.f.Type(n)).Instead(id, pdk.Quote(o.f.FreeID(id+"-", 1)))
	}
	return nil
}

func (o *op) noKind(word string) error {
	err := pdk.Errorf("add makes %s, not %s", strings.Join(kinds, " "), pdk.Quote(word))
	if means, ok := kindSynonyms[strings.ToLower(word)]; ok {
		return err.Try(mended(o.a, withWords(0, 1, means)))
	}
	for _, k := range pdk.Nearest(word, kinds) {
		err.Try(mended(o.a, withWords(0, 1, k)))
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

// shape gives the element its geometry.
func (n *addition) shape(o *op) error {
	if v, ok := o.a.Param("size"); ok {
		w, h, err := size("size", v)
		if err != nil {
			return err
		}
		sx, sy := stretch(n.ctm)
		n.w, n.h, n.sized = w/sx, h/sy, true
		if n.kind == "text" || n.kind == "group" {
			return pdk.Errorf("size: is not for a %s", n.kind).Try(mended(o.a, without("size")))
		}
	}
	if err := n.needs(o); err != nil {
		return err
	}
	switch n.kind {
	case "rect", "image":
		n.corner(o, 100, 60)
	case "circle", "ellipse":
		n.round(o)
	case "line":
		return n.line(o)
	case "polyline", "polygon":
		return n.polygon(o)
	case "path":
		return n.path(o)
	case "text":
		n.baseline(o)
	case "use":
		return n.use(o)
	case "group":
		if n.where.given {
			return pdk.Errorf("a group lies where its elements do: add it without a place").Try(mended(o.a, without(placeKeys...)))
		}
	}
	return nil
}

// needs refuses keys of other kinds.
func (n *addition) needs(o *op) error {
	for _, key := range []string{"from", "to", "sides", "star", "of", "points", "d"} {
		kinds := map[string]string{"from": "line", "to": "line", "sides": "polygon", "star": "polygon", "of": "use", "points": "polygon polyline", "d": "path"}[key]
		if o.a.Has(key) && !slices.Contains(strings.Fields(kinds), n.kind) {
			return pdk.Errorf("%s: is for a %s, not for a %s", key, strings.ReplaceAll(kinds, " ", " or "), n.kind).Try(mended(o.a, without(key)))
		}
	}
	return nil
}

// attr is a numeric attribute that the op gives, def where it does not.
func (n *addition) attr(o *op, key string, def float64) float64 {
	if f, _, ok := scene.Split(o.a.String(key, "")); ok {
		return f
	}
	return def
}

// put sets an attribute unless the op gives it itself.
func (n *addition) put(o *op, key string, f float64) {
	if !o.a.Has(key) {
		n.set(key, num(f))
	}
}

// local is where the middle of a w by h large element goes, in the parent's
// units, and whether the op says so.
func (n *addition) local(o *op, w, h float64) (vector.Point, bool) {
	inv, ok := n.ctm.Inverse()
	if !ok {
		return vector.Point{}, false
	}
	sx, sy := stretch(n.ctm)
	if n.where.center != nil {
		return inv.At(n.where.center(w*sx, h*sy)), true
	}
	if n.where.given {
		return vector.Point{}, false
	}
	b, ok := vector.Box{}, false
	if n.parent != o.f.Root {
		b, ok = o.scene().Box(n.parent)
	}
	if !ok {
		b = o.scene().Canvas()
	}
	return inv.At(center(b)), true
}

// at is the point that at: names, in the parent's units.
func (n *addition) at() (vector.Point, bool) {
	inv, ok := n.ctm.Inverse()
	if n.where.point == nil || !ok {
		return vector.Point{}, false
	}
	return inv.At(*n.where.point), true
}

func (n *addition) corner(o *op, defW, defH float64) {
	if !n.sized {
		n.w, n.h = n.attr(o, "width", defW), n.attr(o, "height", defH)
	}
	x, y := 0.0, 0.0
	if p, ok := n.at(); ok {
		x, y = p.X, p.Y
	} else if p, ok := n.local(o, n.w, n.h); ok {
		x, y = p.X-n.w/2, p.Y-n.h/2
	}
	n.put(o, "x", x)
	n.put(o, "y", y)
	n.put(o, "width", n.w)
	n.put(o, "height", n.h)
}

func (n *addition) round(o *op) {
	rx, ry := n.attr(o, "rx", 50), n.attr(o, "ry", 30)
	if n.kind == "circle" {
		rx = n.attr(o, "r", 25)
		ry = rx
	}
	if n.sized {
		rx, ry = n.w/2, n.h/2
		if n.kind == "circle" {
			rx = math.Min(rx, ry)
			ry = rx
		}
	}
	p, ok := n.at()
	if !ok {
		p, _ = n.local(o, 2*rx, 2*ry)
	}
	n.put(o, "cx", p.X)
	n.put(o, "cy", p.Y)
	if n.kind == "circle" {
		n.put(o, "r", rx)
		return
	}
	n.put(o, "rx", rx)
	n.put(o, "ry", ry)
}

func (n *addition) line(o *op) error {
	inv, ok := n.ctm.Inverse()
	if !ok {
		inv = vector.Identity()
	}
	ends := [2]vector.Point{{}, {X: 100}}
	for i, key := range []string{"from", "to"} {
		v, given := o.a.Param(key)
		if !given {
			continue
		}
		p, err := point(key, v)
		if err != nil {
			if m, none := o.f.find(v, false); none == nil {
				if b, boxed := o.scene().Box(m); boxed {
					p, err = center(b), nil
				}
			}
			if err != nil {
				return err
			}
		}
		ends[i] = inv.At(p)
	}
	switch {
	case o.a.Has("from") != o.a.Has("to"):
		return pdk.Errorf("a line needs from: and to:, each X,Y or an element")
	case !o.a.Has("from"):
		if n.sized {
			ends[1] = vector.Point{X: n.w, Y: n.h}
		}
		shift, ok := n.at()
		if !ok {
			w, h := ends[1].X, ends[1].Y
			c, _ := n.local(o, w, h)
			shift = vector.Point{X: c.X - w/2, Y: c.Y - h/2}
		}
		for i := range ends {
			ends[i].X, ends[i].Y = ends[i].X+shift.X, ends[i].Y+shift.Y
		}
	}
	for i, k := range []string{"1", "2"} {
		n.put(o, "x"+k, ends[i].X)
		n.put(o, "y"+k, ends[i].Y)
	}
	return nil
}

func (n *addition) polygon(o *op) error {
	sides, err := o.a.Int("sides", 0, 3, 100)
	if err != nil {
		return err
	}
	text, given := o.a.Param("points")
	var list []float64
	switch {
	case given && sides > 0:
		return pdk.Errorf("points: and sides: both say what it looks like; give one").Try(mended(o.a, without("sides")))
	case given:
		list = vector.Numbers(text, 1<<20)
		if len(list) < 4 || len(list)%2 != 0 {
			return pdk.Errorf(`points:%s is not a list of points, such as points:"0,0 40,0 20,30"`, pdk.Quote(line(text, 60)))
		}
	case sides > 0:
		deep, err := o.a.Float("star", 1, 0.01, 1)
		if err != nil {
			return err
		}
		r, err := o.a.Float("r", 50, 0, most)
		if err != nil {
			return err
		}
		list = regular(sides, r, deep)
	default:
		return pdk.Errorf(`a %s needs points:"X,Y X,Y…"%s`, n.kind, map[string]string{"polygon": ", or sides:N and r:"}[n.kind])
	}
	p := vector.Polygon(list, true)
	b, _ := p.Box(vector.Identity())
	m := n.into(o, b, !given)
	var out []string
	for i := 0; i+1 < len(list); i += 2 {
		q := m.At(vector.Point{X: list[i], Y: list[i+1]})
		out = append(out, num(q.X)+","+num(q.Y))
	}
	n.set("points", strings.Join(out, " "))
	return nil
}

// regular are the points of a regular polygon or star around 0,0.
func regular(sides int, r, deep float64) (out []float64) {
	k := 1
	if deep < 1 {
		k = 2
	}
	for i := range sides * k {
		length := r
		if i%2 == 1 && k == 2 {
			length = r * deep
		}
		sin, cos := math.Sincos(2*math.Pi*float64(i)/float64(sides*k) - math.Pi/2)
		out = append(out, length*cos, length*sin)
	}
	return out
}

// into is the map of a drawing with box b to where it goes and how large. A
// drawing that says where it lies stays there unless the op says otherwise; at: is
// its corner, or the centre of one that is round.
func (n *addition) into(o *op, b vector.Box, round bool) vector.Matrix {
	m := vector.Identity()
	if n.sized && b.Width() > 0 && b.Height() > 0 {
		m = vector.Scale(n.w/b.Width(), n.h/b.Height())
	}
	now := m.Bounds(b)
	to := center(now)
	switch p, ok := n.at(); {
	case ok && round:
		to = p
	case ok:
		to = vector.Point{X: p.X + now.Width()/2, Y: p.Y + now.Height()/2}
	case n.where.given || round:
		if q, ok := n.local(o, now.Width(), now.Height()); ok {
			to = q
		}
	}
	c := center(now)
	return vector.Translate(to.X-c.X, to.Y-c.Y).Times(m)
}

func (n *addition) path(o *op) error {
	d, ok := o.a.Param("d")
	if !ok {
		return pdk.Errorf(`a path needs its data: add path ID d:"M0 0 L40 20"`)
	}
	p, err := vector.Parse(d)
	if err != nil {
		return pdk.Errorf("d: %v", err)
	}
	b, drawn := p.Box(vector.Identity())
	if !drawn {
		return pdk.Errorf("d:%s draws nothing", pdk.Quote(line(d, 40)))
	}
	if n.sized || n.where.given {
		d = p.Transform(n.into(o, b, false)).String()
	}
	n.set("d", d)
	return nil
}

func (n *addition) baseline(o *op) {
	size := 16.0
	if f, unit, ok := scene.Split(o.a.String("font-size", "")); ok && (unit == "" || unit == "px") {
		size = f
	} else if n.parent != nil {
		size = o.scene().FontSize(n.parent)
	}
	x, y := 0.0, 0.0
	text := strings.Split(n.text, "\n")
	w := 0.0
	for _, t := range text {
		w = max(w, scene.Width(t, size, scene.Bold(o.a.String("font-weight", ""))))
	}
	high := size * (1 + 1.2*float64(len(text)-1))
	if p, ok := n.at(); ok {
		x, y = p.X, p.Y
	} else if p, ok := n.local(o, w, high); ok {
		anchor, said := n.where.anchor, o.a.String("text-anchor", o.a.String("anchor", ""))
		switch {
		case said != "":
			anchor = said
		case anchor == "":
			anchor = "middle"
		}
		if said == "" && anchor != "start" {
			n.set("text-anchor", anchor)
		}
		x = p.X + map[string]float64{"start": -w / 2, "end": w / 2}[anchor]
		y = p.Y - high/2 + 0.86*size
	}
	if o.a.Has("x") {
		x = n.attr(o, "x", x)
	}
	n.put(o, "x", x)
	n.put(o, "y", y)
	if len(text) > 1 {
		n.kids = lines(n.text, num(x))
		return
	}
	n.element.text = n.text
}

func (n *addition) use(o *op) error {
	ref, ok := o.a.Param("of")
	if !ok {
		ref, ok = o.a.Param("href")
	}
	if !ok {
		return pdk.Errorf("a use needs what it shows: add use of:REF")
	}
	t, err := o.f.find(ref, false)
	if err != nil {
		return err
	}
	if n.parent.Within(t) {
		return pdk.Errorf("a use cannot show what it lies in: %s", o.f.name(t))
	}
	if t.ID() == "" {
		return pdk.Errorf("%s has no id; give it one first", o.f.name(t)).Tryf("modify %s id:%s", o.f.name(t), o.f.FreeID(o.f.Type(t), 0))
	}
	name := "href"
	if strings.Contains(o.f.Root.Tag, "xmlns:xlink") {
		name = "xlink:href"
	}
	n.set(name, "#"+t.ID())
	b, boxed := o.scene().Local(t)
	if scene.Draws(o.f.Type(t)) {
		b, boxed = o.scene().Local(t)
		b = o.scene().Transform(t).Bounds(b)
	}
	if !boxed {
		b = vector.Box{}
	}
	if n.sized {
		n.set("width", num(n.w))
		n.set("height", num(n.h))
	}
	switch p, ok := n.at(); {
	case ok:
		n.put(o, "x", p.X-b.X0)
		n.put(o, "y", p.Y-b.Y0)
	case n.where.given:
		c, _ := n.local(o, b.Width(), b.Height())
		n.put(o, "x", c.X-center(b).X)
		n.put(o, "y", c.Y-center(b).Y)
	}
	return nil
}

// look gives the element what else the op says: attributes and properties.
func (n *addition) look(o *op) error {
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
	if n.kind == "image" && !n.has("href") && !n.has("xlink:href") {
		return pdk.Errorf("an image needs href:, the address of its picture or data: with it")
	}
	return nil
}

// attribute checks a key of add or modify for elements of a type, and gives the
// attribute's name and value.
func (o *op) attribute(typ string, kv abi.KeyValue) (key, v string, err error) {
	key, v = kv.Key, kv.Value
	if axis, ok := geometry[key]; ok && !(key == "width" && !hasSize(typ)) {
		if !fits(typ, key) {
			return "", "", pdk.Errorf("a %s has no %s", typ, key).Try(mended(o.a, without(key)))
		}
		f, unit, ok := scene.Split(v)
		if typ == "text" || typ == "tspan" {
			ok = ok || len(vector.Numbers(v, 1)) > 0
			unit = ""
		}
		if v != "" && (!ok || !isUnit(unit)) {
			return "", "", pdk.Errorf("%s:%s is not a length", key, v)
		}
		if f < 0 && (axis == scene.Other || key == "width" || key == "height" || key == "rx" || key == "ry") {
			return "", "", pdk.Errorf("%s:%s: it cannot be negative", key, v).Instead(v, strings.TrimPrefix(v, "-"))
		}
		return key, v, nil
	}
	if p, ok := property(key); ok {
		v, err = o.f.value(p, v)
		return p.Name, v, err
	}
	switch {
	case key == "href":
		return o.href(v)
	case key == "transform":
		if _, err := vector.ParseTransform(v); err != nil {
			return "", "", pdk.Errorf("transform: %v", err)
		}
		return key, v, nil
	case plainAttribute(key):
		return key, v, nil
	}
	err = o.noAttribute(kv)
	return "", "", err
}

func hasSize(typ string) bool {
	switch typ {
	case "rect", "image", "use", "svg", "foreignObject", "pattern", "mask", "filter", "symbol":
		return true
	}
	return false
}

// fits reports whether elements of a type have a geometric attribute.
func fits(typ, key string) bool {
	has := map[string]string{
		"rect": "x y width height rx ry", "image": "x y width height", "use": "x y width height", "circle": "cx cy r", "ellipse": "cx cy rx ry", "line": "x1 y1 x2 y2",
		"text": "x y dx dy", "polygon": "", "polyline": "", "path": "", "g": "",
	}
	list, known := has[typ]
	return !known || slices.Contains(strings.Fields(list), key)
}

// plainAttribute reports whether an attribute may be set to any text.
func plainAttribute(key string) bool {
	switch key {
	case "class", "style", "lang", "role", "tabindex", "target", "preserveAspectRatio", "viewBox", "points", "d", "pathLength", "textLength", "lengthAdjust", "rotate", "startOffset",
		"gradientUnits", "gradientTransform", "spreadMethod", "fx", "fy", "fr", "offset", "patternUnits", "patternTransform", "patternContentUnits", "clipPathUnits", "maskUnits", "maskContentUnits",
		"markerWidth", "markerHeight", "refX", "refY", "orient", "markerUnits", "filterUnits", "primitiveUnits", "stdDeviation", "in", "in2", "result", "values", "type", "mode", "operator", "k1", "k2", "k3", "k4", "systemLanguage", "media":
		return true
	}
	return strings.HasPrefix(key, "data-") || strings.HasPrefix(key, "aria-")
}

// href checks an address. Scripts are not taken.
func (o *op) href(v string) (key, value string, err error) {
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(v)), "javascript:") {
		return "", "", pdk.Errorf("href: takes no script")
	}
	if id, ok := strings.CutPrefix(v, "#"); ok && o.f.ByID(id) == nil {
		return "", "", pdk.Errorf("nothing has the id %s", pdk.Quote(id)).Instead(v, o.f.Names().Nearest(id)...)
	}
	if strings.Contains(o.f.Root.Tag, "xmlns:xlink") {
		return "xlink:href", v, nil
	}
	return "href", v, nil
}

// keySynonyms are other words for keys of add and modify.
var keySynonyms = map[string]string{"center": "at", "centre": "at", "position": "at", "pos": "at", "radius": "r", "colour": "fill", "background": "fill", "w": "width", "h": "height", "parent": "in", "label": "text", "content": "text", "name": "id", "src": "href", "url": "href", "corner": "rx", "corners": "rx", "thickness": "stroke-width", "border": "stroke", "dash": "stroke-dasharray"}

func (o *op) noAttribute(kv abi.KeyValue) error {
	err := pdk.Errorf("%s: is no attribute or property that this takes", kv.Key)
	if means, ok := keySynonyms[strings.ToLower(kv.Key)]; ok {
		err.Message += "; " + means + ": is"
		return err.Try(mended(o.a, withKey(kv.Key, means)))
	}
	names := propertyNames()
	for k := range geometry {
		names = append(names, k)
	}
	for _, p := range addVerb().Params {
		names = append(names, p.Key)
	}
	slices.Sort(names)
	near := pdk.Nearest(kv.Key, slices.Compact(names))
	for _, k := range near {
		err.Try(mended(o.a, withKey(kv.Key, k)))
	}
	if len(near) > 0 {
		err.Message += "; nearest: " + strings.Join(near, ", ")
	}
	err.Message += "; data-" + strconv.Quote(kv.Key)[1:len(kv.Key)+1] + ": keeps data of your own"
	return err
}
