package verbs

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

// shorthand maps other accepted names to properties.
var shorthand = map[string]string{
	"width": "stroke-width", "dash": "stroke-dasharray", "cap": "stroke-linecap", "join": "stroke-linejoin",
	"font": "font-family", "anchor": "text-anchor", "weight": "font-weight", "clip": "clip-path", "blend": "mix-blend-mode",
}

// lengths is a number with a unit; least is 0 for what cannot be negative.
func lengths(least float64) value.Type[string] {
	return value.Type[string]{Parse: func(s string) (string, error) {
		n, unit, ok := svgdom.Split(s)
		switch {
		case !ok || !isUnit(unit):
			return "", &value.Invalid{Why: "is not a length: a number, with px, mm, em or % after it if need be"}
		case n < least:
			return "", &value.Invalid{Why: "cannot be negative", Near: []string{strings.TrimPrefix(s, "-")}}
		}
		return s, nil
	}}
}

// opacities is a share, as a number or in percent.
var opacities = value.Type[string]{Parse: func(s string) (string, error) {
	n, ok := model.Fraction(s)
	if ok && 0 <= n && n <= 1 {
		return s, nil
	}
	var near []string
	if n > 1 && n <= 100 && !strings.HasSuffix(s, "%") {
		near = []string{s + "%"}
	}
	return "", &value.Invalid{Why: "is not an opacity from 0 to 1, or a percentage", Near: near}
}}

// dashes is none, or lengths.
var dashes = value.Type[string]{Parse: func(s string) (string, error) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		if _, err := lengths(0).Parse(w); err != nil && s != "none" {
			return "", &value.Invalid{Why: "is not a list of lengths, such as 4,2"}
		}
	}
	return s, nil
}}

// valueOf returns the type of a property's values.
func valueOf(f *drawing, p css.Property) value.Type[string] {
	switch p.Kind {
	case css.Paint:
		return value.Type[string]{Parse: func(s string) (string, error) { return readPaint(f, s) }}
	case css.Color:
		return colour
	case css.Opacity:
		return opacities
	case css.Length:
		return lengths(0)
	case css.Number:
		return lengths(math.Inf(-1))
	case css.Words:
		return value.OneOf(p.Words...)
	case css.Dashes:
		return dashes
	case css.Ref:
		return value.Type[string]{Parse: func(s string) (string, error) { return readReference(f, p.Name, s) }}
	}
	return value.Text("")
}

// propertyValue checks the value of a property and returns it in the form to write. "" removes
// the property.
func propertyValue(f *drawing, p css.Property, v string) (string, error) {
	if v == "" || v == "inherit" {
		return v, nil
	}
	if strings.ContainsAny(v, "{};<>\n\r") || strings.Contains(v, "/*") {
		return "", pdk.Errorf("%s: a value cannot hold any of { } ; < > /*", p.Name)
	}
	return value.Key[string]{Name: p.Name, Type: valueOf(f, p)}.Parse(v)
}

// readPaint reads a colour, or a gradient or pattern: url(#id), #id, or id alone if it is not a colour.
func readPaint(f *drawing, v string) (string, error) {
	if v == "none" || v == "context-fill" || v == "context-stroke" {
		return v, nil
	}
	id, fallback := idOf(v)
	types := []string{"linearGradient", "radialGradient", "pattern"}
	if n := f.ByID(id); n != nil && slices.Contains(types, n.Type) {
		return "url(#" + id + ")" + fallback, nil
	}
	if strings.HasPrefix(v, "url(") {
		return "", noDef(f, v, "gradient or pattern", types...)
	}
	c, err := colour.Parse(v)
	if err == nil {
		return c, nil
	}
	if defs := defs(f, types...); len(defs) > 0 { // goes through the document
		bad := err.(*value.Invalid)
		bad.Why += "; none; or a gradient or pattern: " + strings.Join(defs, ", ")
		bad.Near = append(pdk.Nearest(v, defs), bad.Near...)
	}
	return "", err
}

// readReference reads the id of what a property refers to.
func readReference(f *drawing, property, v string) (string, error) {
	if v == "none" || property == "filter" && strings.HasSuffix(v, ")") && !strings.HasPrefix(v, "url(") {
		return v, nil
	}
	typ := map[string]string{"filter": "filter", "mask": "mask", "clip-path": "clipPath"}[property]
	if typ == "" {
		typ = "marker"
	}
	id, _ := idOf(v)
	if n := f.ByID(id); n == nil || n.Type != typ {
		return "", noDef(f, v, typ, typ)
	}
	return "url(#" + id + ")", nil
}

// idOf reads url(#id), perhaps with a fallback after it, #id or id.
func idOf(v string) (id, fallback string) {
	if id = css.Reference(v); id != "" {
		_, fallback, _ = strings.Cut(v, ")")
		return id, fallback
	}
	return strings.TrimPrefix(v, "#"), ""
}

func isUnit(u string) bool {
	return u == "" || slices.Contains([]string{"px", "pt", "pc", "mm", "cm", "in", "q", "em", "ex", "ch", "rem", "%"}, u)
}

// defs returns the ids of elements of some types.
func defs(f *drawing, types ...string) (out []string) {
	if !slices.ContainsFunc(types, func(t string) bool { return f.Count(t) > 0 }) {
		return nil
	}
	for n := range f.Root.All() {
		if id := n.ID(); id != "" && slices.Contains(types, n.Type) {
			out = append(out, id)
		}
	}
	return out
}

func noDef(f *drawing, v, what string, types ...string) error {
	id, _ := idOf(v)
	have := defs(f, types...)
	if len(have) == 0 {
		return &value.Invalid{Why: "is no " + what + " of the document, which has none"}
	}
	return &value.Invalid{Why: "is no " + what + " of the document; there are " + strings.Join(have, ", "), Near: pdk.Nearest(id, have)}
}

// property returns the property with the key of an op.
func property(key string) (css.Property, bool) {
	if p, ok := css.PropertyNamed(key); ok && key != "font" {
		return p, true
	}
	return css.PropertyNamed(shorthand[key])
}

// propertyNames lists the keys of properties.
func propertyNames() (out []string) {
	for _, p := range css.Properties() {
		out = append(out, p.Name)
	}
	return out
}

// paintKey sets a property of an element where it is set now: in its style attribute or
// in an attribute. It also uses the style attribute if a rule of a style element would
// override an attribute.
func (o *op) paintKey(n *node, property, v string) {
	if property == "color" && v != "" && !svgdom.Group(n.Type) && o.scene().Value(n, "fill") != "currentColor" && o.scene().Value(n, "stroke") != "currentColor" {
		o.Warn("color: is only what currentColor stands for; fill:%s paints %s", v, o.f.Ref(n))
	}
	style, styled := n.Attr("style")
	_, inStyle := css.Get(style, property)
	_, isAttr := n.Attr(property)
	_, from := o.scene().Own(n, property)
	switch {
	case v == "":
		if isAttr {
			o.DropAttr(n, property)
		}
		if inStyle {
			if rest := css.Drop(style, property); strings.TrimSpace(rest) == "" {
				o.DropAttr(n, "style")
			} else {
				o.SetAttr(n, "style", rest)
			}
		}
	case inStyle, from == svgdom.Sheet, from == svgdom.Inline, !isAttr && styled && hasPaint(style):
		if now, _ := css.Get(style, property); now != v {
			o.SetAttr(n, "style", css.Set(style, property, v))
		}
	default:
		o.SetAttr(n, property, v)
	}
}

// hasPaint reports whether a style attribute sets any of SVG's properties.
func hasPaint(style string) bool {
	for _, d := range css.Declarations(style) {
		if _, ok := css.PropertyNamed(d.Name); ok {
			return true
		}
	}
	return false
}

// setting is a property with its checked value.
type setting struct {
	property css.Property
	value    string
}

// settings reads the keys of an op, other than those in skip, as properties. It refuses
// other keys.
func (o *op) settings(skip ...string) ([]setting, error) {
	var out []setting
	for _, kv := range o.a.Params {
		if slices.Contains(skip, kv.Key) {
			continue
		}
		p, ok := property(kv.Key)
		if !ok {
			return nil, o.noProperty(kv)
		}
		v, err := propertyValue(o.f, p, kv.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, setting{p, v})
	}
	return out, nil
}

func (o *op) noProperty(kv abi.KeyValue) error {
	err := pdk.Errorf("%s: is not a property that SVG has", kv.Key)
	if _, geometric := geometry[kv.Key]; geometric || kv.Key == "id" || kv.Key == "class" || kv.Key == "href" {
		err = pdk.Errorf("%s: is not a property but an attribute; modify sets those", kv.Key)
		if o.a.Verb == "style" {
			return err.Try(o.a.Mended(func(op *abi.Op) { op.Verb = "modify" }))
		}
		return err
	}
	near := pdk.Nearest(kv.Key, propertyNames())
	for _, k := range near {
		err.Try(o.a.Mended(pdk.WithKey(kv.Key, k)))
	}
	if len(near) > 0 {
		err.Message += "; nearest: " + strings.Join(near, ", ")
	}
	return err
}

// flags maps words of style and add to the property and the value that they stand for.
var flags = map[string][2]string{
	"bold": {"font-weight", "bold"}, "italic": {"font-style", "italic"}, "hidden": {"display", "none"}, "shown": {"display", ""},
	"dashed": {"stroke-dasharray", "6,4"}, "dotted": {"stroke-dasharray", "1,3"}, "solid": {"stroke-dasharray", ""},
	"no-fill": {"fill", "none"}, "no-stroke": {"stroke", "none"},
}

// cutFlags returns what the flags at the end of the op stand for. Some words before them are none.
func (o *op) cutFlags(words int) (list [][2]string) {
	for _, w := range slices.Backward(o.a.Positionals[words:]) {
		flag, ok := flags[strings.ToLower(w.Text)]
		if !ok || w.Quoted {
			break
		}
		list = append(list, flag)
	}
	slices.Reverse(list)
	return list
}
