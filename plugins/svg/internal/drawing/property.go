package drawing

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// shorthand maps other accepted names to properties.
var shorthand = map[string]string{
	"width": "stroke-width", "dash": "stroke-dasharray", "cap": "stroke-linecap", "join": "stroke-linejoin",
	"font": "font-family", "anchor": "text-anchor", "weight": "font-weight", "clip": "clip-path", "blend": "mix-blend-mode",
}

// value checks the value of a property and returns it in the form to write. "" removes
// the property.
func (f *Drawing) value(p css.Property, v string) (string, error) {
	if v == "" || v == "inherit" {
		return v, nil
	}
	if strings.ContainsAny(v, "{};<>\n\r") || strings.Contains(v, "/*") {
		return "", pdk.Errorf("%s: a value cannot hold any of { } ; < > /*", p.Name)
	}
	switch p.Kind {
	case css.Paint:
		switch v {
		case "none", "context-fill", "context-stroke":
			return v, nil
		}
		if id, fallback, ok := f.paint(v); ok {
			return "url(#" + id + ")" + fallback, nil
		}
		if strings.HasPrefix(v, "url(") {
			return "", f.noDef(v, "gradient or pattern", "linearGradient", "radialGradient", "pattern")
		}
		c, err := color(p.Name, v)
		if defs := f.defs("linearGradient", "radialGradient", "pattern"); err != nil && len(defs) > 0 {
			bad := err.(*pdk.Error)
			bad.Message += "; none; or a gradient or pattern: " + strings.Join(defs, ", ")
			if near := pdk.Nearest(v, defs); len(near) > 0 {
				bad.Instead(v, near...)
			}
		}
		return c, err
	case css.Color:
		return color(p.Name, v)
	case css.Opacity:
		n, unit, ok := scene.Split(v)
		if unit == "%" {
			n /= 100
		} else if ok && unit == "" && n > 1 && n <= 100 {
			return "", pdk.Errorf("%s:%s: an opacity is from 0 to 1, or a percentage", p.Name, v).Instead(v, v+"%")
		}
		if !ok || n < 0 || n > 1 || unit != "" && unit != "%" {
			return "", pdk.Errorf("%s:%s: an opacity is from 0 to 1, or a percentage", p.Name, v)
		}
	case css.Length, css.Number:
		n, unit, ok := scene.Split(v)
		if !ok || !isUnit(unit) {
			return "", pdk.Errorf("%s:%s is not a length: a number, with px, mm, em or %% after it if need be", p.Name, v)
		}
		if p.Kind == css.Length && n < 0 {
			return "", pdk.Errorf("%s:%s: it cannot be negative", p.Name, v).Instead(v, strings.TrimPrefix(v, "-"))
		}
	case css.Words:
		w, ok := pdk.OneOf(v, p.Words)
		if !ok {
			return "", pdk.Errorf("%s:%s is not one of %s", p.Name, v, strings.Join(p.Words, " ")).Instead(v, pdk.Nearest(v, p.Words)...)
		}
		return w, nil
	case css.Ref:
		if v == "none" || p.Name == "filter" && strings.HasSuffix(v, ")") && !strings.HasPrefix(v, "url(") {
			return v, nil
		}
		types := holders(p.Name)
		id := reference(v)
		if id == "" {
			id = strings.TrimPrefix(v, "#")
		}
		if n := f.ByID(id); n == nil || !slices.Contains(types, f.Type(n)) {
			return "", f.noDef(v, types[0], types...)
		}
		return "url(#" + id + ")", nil
	case css.Dashes:
		if v == "none" {
			return v, nil
		}
		for _, w := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' }) {
			if n, unit, ok := scene.Split(w); !ok || n < 0 || !isUnit(unit) {
				return "", pdk.Errorf("%s:%s is not a list of lengths, such as 4,2", p.Name, v)
			}
		}
	}
	return v, nil
}

func isUnit(u string) bool {
	return u == "" || slices.Contains([]string{"px", "pt", "pc", "mm", "cm", "in", "q", "em", "ex", "ch", "rem", "%"}, u)
}

// holders returns the types of elements that a property refers to.
func holders(property string) []string {
	switch property {
	case "filter", "mask":
		return []string{property}
	case "clip-path":
		return []string{"clipPath"}
	}
	return []string{"marker"}
}

// paint reads the id of a gradient or pattern: url(#id), #id, or id alone if it is not
// a colour.
func (f *Drawing) paint(v string) (id, fallback string, ok bool) {
	if id = reference(v); id != "" {
		_, fallback, _ = strings.Cut(v, ")")
	} else {
		id = strings.TrimPrefix(v, "#")
	}
	n := f.ByID(id)
	if n == nil {
		return "", "", false
	}
	switch f.Type(n) {
	case "linearGradient", "radialGradient", "pattern":
		return id, fallback, true
	}
	return "", "", false
}

// defs returns the ids of elements of some types.
func (f *Drawing) defs(types ...string) (out []string) {
	total := 0
	for _, t := range types {
		total += f.Count(t)
	}
	if total == 0 {
		return nil
	}
	for n := range f.Root.All() {
		if id := n.ID(); id != "" && slices.Contains(types, f.Type(n)) {
			out = append(out, id)
		}
	}
	return out
}

func (f *Drawing) noDef(v, what string, types ...string) error {
	id := reference(v)
	if id == "" {
		id = strings.TrimPrefix(v, "#")
	}
	have := f.defs(types...)
	if len(have) == 0 {
		return pdk.Errorf("there is no %s %s; the document has none", what, pdk.Quote(id))
	}
	return pdk.Errorf("there is no %s %s; there are %s", what, pdk.Quote(id), strings.Join(have, ", ")).Instead(v, pdk.Nearest(id, have)...)
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
func (o *op) paintKey(n *node, p css.Property, v string) {
	if p.Name == "color" && v != "" && !scene.Group(o.f.Type(n)) && o.scene().Value(n, "fill") != "currentColor" && o.scene().Value(n, "stroke") != "currentColor" {
		o.Warn("color: is only what currentColor stands for; fill:%s paints %s", v, o.f.name(n))
	}
	style, styled := n.Attr("style")
	_, inStyle := css.Get(style, p.Name)
	_, isAttr := n.Attr(p.Name)
	_, from := o.scene().Own(n, p.Name)
	switch {
	case v == "":
		if isAttr {
			o.DropAttr(n, p.Name)
		}
		if inStyle {
			if rest := css.Drop(style, p.Name); strings.TrimSpace(rest) == "" {
				o.DropAttr(n, "style")
			} else {
				o.SetAttr(n, "style", rest)
			}
		}
	case inStyle, from == scene.Sheet, from == scene.Inline:
		if now, _ := css.Get(style, p.Name); now != v {
			o.SetAttr(n, "style", css.Set(style, p.Name, v))
		}
	case isAttr:
		o.SetAttr(n, p.Name, v)
	case styled && hasPaint(style):
		o.SetAttr(n, "style", css.Set(style, p.Name, v))
	default:
		o.SetAttr(n, p.Name, v)
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
		v, err := o.f.value(p, kv.Value)
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

// flag returns the property that a word stands for in style and add.
func flag(word string) (key, value string, ok bool) {
	switch strings.ToLower(word) {
	case "bold":
		return "font-weight", "bold", true
	case "italic":
		return "font-style", "italic", true
	case "hidden":
		return "display", "none", true
	case "shown":
		return "display", "", true
	case "dashed":
		return "stroke-dasharray", "6,4", true
	case "dotted":
		return "stroke-dasharray", "1,3", true
	case "solid":
		return "stroke-dasharray", "", true
	case "no-fill":
		return "fill", "none", true
	case "no-stroke":
		return "stroke", "none", true
	}
	return "", "", false
}
