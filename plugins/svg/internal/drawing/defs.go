package drawing

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// defsNode returns the element for definitions, and creates it if there is none.
func (o *op) defsNode() *node {
	for c := range o.f.Root.Kids() {
		if o.f.Type(c) == "defs" {
			return c
		}
	}
	return o.Insert(o.f.Root, o.defsAnchor(), o.f.writer(element{name: "defs"}))
}

// define creates a definition, or replaces the one with its name unless that would lose
// shapes. concerned are the elements that will be moved into it or will refer to it.
func (o *op) define(e element, concerned []*node, types ...string) (*node, error) {
	id := e.attrs[0][1]
	if old := o.f.ByID(id); old != nil {
		for _, m := range concerned {
			if m.Within(old) {
				return nil, pdk.Errorf("%s lies in the %s %s, which would be replaced", o.f.name(m), o.f.Type(old), id)
			}
		}
		for _, t := range types {
			if o.f.Type(old) != t {
				continue
			}
			if lost := o.f.irreplaceable(old); len(lost) > 0 {
				return nil, pdk.Errorf("%s %s already exists and holds %s; remove %s first, or use another name", o.a.Verb, o.f.name(old), o.f.names(lost), o.f.name(old)).Try(o.a.Mended(pdk.WithWords(0, 1, o.freeFrom(id))))
			}
			n := o.Insert(old.Parent, old, o.f.writer(e))
			o.Remove(old)
			return n, nil
		}
		return nil, pdk.Errorf("the id %s is that of a %s", id, o.f.Type(old)).Instead(id, o.f.FreeID(id+"-", 1))
	}
	if err := o.newID(id); err != nil {
		return nil, err
	}
	d := o.defsNode()
	return o.Append(d, o.f.writer(e)), nil
}

// irreplaceable returns the shapes of a definition that no verb can create again:
// everything in a clip path or mask, and shapes with ids.
func (f *Drawing) irreplaceable(def *node) (out []*node) {
	typ := f.Type(def)
	for n := range def.All() {
		if n != def && scene.Draws(f.Type(n)) && (n.ID() != "" || typ == "clipPath" || typ == "mask") {
			out = append(out, n)
		}
	}
	return out
}

// freeFrom increments the number of an id until the id is unused.
func (o *op) freeFrom(id string) string {
	return o.nextID(strings.TrimRight(id, "0123456789"), id, nil)
}

// defTargets returns the elements that will refer to a definition. moved are the
// elements that go into the definition.
func (o *op) defTargets(moved ...*node) (list []*node, err error) {
	if len(o.a.Selectors) > 0 {
		if list, err = o.f.selected(o.Recent, o.a.Selectors, false); err != nil {
			return nil, err
		}
		list = leaves(list)
	}
	if ref, ok := o.a.Param("for"); ok {
		for r := range strings.SplitSeq(ref, ",") {
			n, err := o.f.find(r, false)
			if err != nil {
				return nil, err
			}
			list = append(list, n)
		}
	}
	for _, n := range list {
		for _, m := range moved {
			if n.Within(m) {
				fresh := o.f.FreeID(o.f.Type(m), o.f.Count(o.f.Type(m)))
				if id := m.ID(); id != "" {
					fresh = o.freeFrom(id)
				}
				return nil, pdk.Errorf("%s would be inside the %s that is applied to it, so it would not be visible; copy %s first and make the %s of the copy", o.f.name(n), o.a.Verb, o.f.name(m), o.a.Verb).Tryf("copy %s as:%s", o.f.name(m), pdk.Quote(fresh))
			}
		}
	}
	return list, nil
}

// coverFlat makes a filter or mask cover the canvas if one of its targets is a shape
// without width or height: measured in the box of that shape, it would show nothing of
// it. grow is added around the canvas to leave room for changes.
func (o *op) coverFlat(e *element, takers []*node, grow float64) {
	out, some := vector.Empty(), false
	for _, n := range takers {
		b, ok := o.scene().Local(n)
		inv, sound := o.scene().CTM(n).Inverse()
		if !ok || !sound {
			continue
		}
		some = some || scene.Shape(o.f.Type(n)) && (b.Width() == 0 || b.Height() == 0)
		out = out.Union(b).Union(inv.Bounds(o.scene().Canvas()))
		if p, ok := o.scene().Path(n); ok {
			stroke := o.scene().Stroke(n)
			if b, ok := stroke.Box(p, vector.Identity()); ok {
				out = out.Union(b)
			}
		}
	}
	if !some {
		return
	}
	e.set(e.name+"Units", "userSpaceOnUse")
	e.set("x", num(out.X0-grow))
	e.set("y", num(out.Y0-grow))
	e.set("width", num(out.Width()+2*grow))
	e.set("height", num(out.Height()+2*grow))
}

// apply sets a property of elements to refer to a definition, and returns the text for
// the reply.
func (o *op) apply(list []*node, id, property string) string {
	if len(list) == 0 {
		return ""
	}
	p, _ := css.PropertyNamed(property)
	for _, n := range list {
		o.paintKey(n, p, "url(#"+id+")")
	}
	o.touch(list...)
	return ", " + property + " of " + o.f.names(list)
}

func forParam() abi.Param { return abi.Param{Key: "for", Value: "REF,REF that get it"} }

func gradientVerb() verb {
	return verb{Run: running(runGradient), Verb: abi.Verb{
		Name: "gradient", Category: "definitions", Select: true, Min: 1, Max: -1,
		Syntax:   `gradient NAME [linear|radial] stops:"COLOUR [AT], COLOUR…" [angle:DEGREES | from:X,Y to:X,Y] [spread:] [for:REF,REF|SEL]`,
		Brief:    `gradient NAME [linear|radial] stops:"red, #fff 40%, blue" [angle:DEGREES for:REF,REF] · then fill:NAME`,
		Summary:  "make a gradient, or change one; a colour may have an opacity after a slash: red/0.5",
		Params:   []abi.Param{{Key: "stops", Value: "COLOUR[/OPACITY] [AT%], …"}, {Key: "angle", Value: "DEGREES: 0 to the right, 90 downwards"}, {Key: "from", Value: "X,Y as shares of the box"}, {Key: "to", Value: "X,Y as shares of the box"}, {Key: "spread", Value: "pad|reflect|repeat"}, forParam()},
		Examples: []string{`gradient sky stops:"#def, navy" angle:90 for:background`, `gradient glow radial stops:"gold, orange/0 100%"`},
	}}
}

func runGradient(o *op) error {
	kind := "linear"
	if words := o.a.Texts(1); len(words) > 1 && !o.a.Has("stops") {
		at := 1
		if _, ok := pdk.OneOf(words[0], []string{"linear", "radial"}); ok {
			at, words = 2, words[1:]
		}
		return pdk.Errorf(`the colours of a gradient are stops:"COLOUR, COLOUR"`).Try(o.a.Mended(pdk.WithWords(at, len(words)), pdk.WithParam("stops", strings.Join(words, ", "))))
	}
	if len(o.a.Positionals) > 2 {
		return pdk.Errorf("gradient takes a name and linear or radial, so not %s", pdk.Quote(o.a.Text(2))).Try(o.a.Mended(pdk.WithWords(2, len(o.a.Positionals)-2)))
	}
	if len(o.a.Positionals) == 2 {
		var ok bool
		if kind, ok = pdk.OneOf(o.a.Text(1), []string{"linear", "radial"}); !ok {
			kinds := []string{"linear", "radial"}
			if o.a.Has("angle") { // which is of linear ones
				kinds = kinds[:1]
			}
			return pdk.Errorf("a gradient is linear or radial, not %s", pdk.Quote(o.a.Text(1))).Instead(o.a.Text(1), kinds...)
		}
	}
	id := o.a.Text(0)
	stops, err := o.stops()
	if err != nil {
		return err
	}
	e := element{name: kind + "Gradient", attrs: [][2]string{{"id", id}}, kids: stops}
	angle, err := o.a.Float("angle", 0, -360, 360)
	if err != nil {
		return err
	}
	if kind == "linear" && (o.a.Has("angle") || o.a.Has("from") || o.a.Has("to")) {
		sin, cos := math.Sincos(angle * math.Pi / 180)
		k := 0.5 / math.Max(math.Abs(sin), math.Abs(cos))
		ends := map[string]string{"from": num(0.5-k*cos) + "," + num(0.5-k*sin), "to": num(0.5+k*cos) + "," + num(0.5+k*sin)}
		for i, key := range []string{"from", "to"} {
			p, err := point(key, o.a.String(key, ends[key]))
			if err != nil {
				return err
			}
			e.set("x"+strconv.Itoa(i+1), num(p.X))
			e.set("y"+strconv.Itoa(i+1), num(p.Y))
		}
	} else if o.a.Has("angle") {
		return pdk.Errorf("a radial gradient has no angle").Try(o.a.Mended(pdk.Without("angle")))
	}
	if v, ok := o.a.Param("spread"); ok {
		w, ok := pdk.OneOf(v, []string{"pad", "reflect", "repeat"})
		if !ok {
			return pdk.Errorf("spread:%s is not pad, reflect or repeat", v).Instead(v, "reflect")
		}
		e.set("spreadMethod", w)
	}
	takers, err := o.defTargets()
	if err != nil {
		return err
	}
	n, err := o.define(e, takers, "linearGradient", "radialGradient")
	if err != nil {
		return err
	}
	o.touch(n)
	used := o.apply(takers, id, "fill")
	o.Created("%s gradient %s, %s%s", kind, o.f.name(n), plural(len(stops), "stop"), used)
	return nil
}

// stops reads the parameter stops:.
func (o *op) stops() ([]element, error) {
	v, ok := o.a.Param("stops")
	if !ok {
		return nil, pdk.Errorf(`a gradient needs stops:"COLOUR, COLOUR"`).Try(o.a.Mended(pdk.WithParam("stops", "white, black")))
	}
	parts := splitList(v)
	if len(parts) < 2 {
		return nil, pdk.Errorf("stops:%s: a gradient needs at least two colours", pdk.Quote(v))
	}
	var out []element
	for i, part := range parts {
		words := strings.Fields(part)
		at := float64(i) / float64(len(parts)-1)
		if n := len(words); n > 1 {
			share, isShare := strings.CutSuffix(words[n-1], "%")
			if f, ok := number(share); ok {
				if isShare || f > 1 {
					f /= 100
				}
				at, words = f, words[:n-1]
			}
		}
		text, alpha, faded := strings.Cut(strings.Join(words, " "), "/")
		if strings.Contains(text, "(") {
			text, faded = strings.Join(words, " "), false
		}
		c, err := color("stops", text)
		if err != nil {
			return nil, err
		}
		if at < 0 || at > 1 {
			return nil, pdk.Errorf("stops: %s is not within 0%% to 100%%", words)
		}
		s := element{name: "stop", attrs: [][2]string{{"offset", num(at)}, {"stop-color", c}}}
		if faded {
			f, ok := number(strings.TrimSuffix(alpha, "%"))
			if strings.HasSuffix(alpha, "%") {
				f /= 100
			}
			if !ok || f < 0 || f > 1 {
				return nil, pdk.Errorf("stops: %s is not an opacity from 0 to 1", pdk.Quote(alpha))
			}
			s.set("stop-opacity", num(f))
		}
		out = append(out, s)
	}
	return out, nil
}

// splitList splits a list at commas and semicolons outside of brackets.
func splitList(v string) (out []string) {
	depth, from := 0, 0
	for i := 0; i <= len(v); i++ {
		switch {
		case i == len(v), depth == 0 && (v[i] == ',' || v[i] == ';'):
			if s := strings.TrimSpace(v[from:i]); s != "" {
				out = append(out, s)
			}
			from = i + 1
		case v[i] == '(':
			depth++
		case v[i] == ')':
			depth--
		}
	}
	return out
}
