package mxfile

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// DataName reports whether name can be the name of a custom property: an XML name without a prefix that draw.io does not
// use for the label or the id.
func DataName(name string) bool {
	if name == "" || len(name) > 100 || name == "label" || name == "id" || strings.HasPrefix(strings.ToLower(name), "xml") {
		return false
	}
	for i, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r > 0xBF && r != 0xD7 && r != 0xF7 && r < 0x2000:
		case i > 0 && (r >= '0' && r <= '9' || r == '-' || r == '.'):
		default:
			return false
		}
	}
	return true
}

// DataValue returns one of the values that Data lists.
func (c *Cell) DataValue(name string) (string, bool) {
	if c.Wrapper == "" {
		return "", false
	}
	outer, _, _ := c.element()
	return outer.Attr(name)
}

// WithData sets a property of the cell in its UserObject, and adds a UserObject if there is none.
func (t Text) WithData(name, value string) Text {
	outer, cell, _ := t.tree()
	if outer == cell {
		t = t.wrapped()
		outer, _, _ = t.tree()
	}
	return t.splice(outer.SetAttr(name, value))
}

// WithoutData removes a property. It also removes a UserObject that has only label and id left.
func (t Text) WithoutData(name string) Text {
	outer, cell, _ := t.tree()
	if outer == cell {
		return t
	}
	t = t.splice(outer.DropAttr(name))
	outer, _, _ = t.tree()
	for _, a := range outer.Attrs {
		if a.Name != "label" && a.Name != "id" {
			return t
		}
	}
	if outer.Name != "UserObject" && outer.Name != "object" || len(outer.Children) != 1 {
		return t
	}
	return t.unwrapped()
}

// wrapped moves id and value to a new UserObject around the cell, as draw.io
// does.
func (t Text) wrapped() Text {
	_, cell, _ := t.tree()
	var tag strings.Builder
	tag.WriteString("<UserObject")
	value, _ := cell.Attr("value")
	tag.WriteString(` label="` + xmltree.Escape(value, '"') + `"`)
	if id, ok := cell.Attr("id"); ok {
		tag.WriteString(` id="` + xmltree.Escape(id, '"') + `"`)
	}
	tag.WriteString(">")
	for _, name := range []string{"value", "id"} {
		_, cell, _ = t.tree()
		t = t.splice(cell.DropAttr(name))
	}
	return Text(tag.String()) + t + "</UserObject>"
}

// unwrapped is the inverse of wrapped.
func (t Text) unwrapped() Text {
	outer, cell, _ := t.tree()
	label, hasLabel := outer.Attr("label")
	id, hasID := outer.Attr("id")
	attrs := ""
	if _, own := cell.Attr("id"); hasID && !own {
		attrs += ` id="` + xmltree.Escape(id, '"') + `"`
	}
	if _, own := cell.Attr("value"); hasLabel && !own && (label != "" || !cell.SelfClosing()) {
		attrs += ` value="` + xmltree.Escape(label, '"') + `"`
	}
	raw := cell.Raw()
	return Text("<mxCell" + attrs + raw[len("<mxCell"):])
}

// WithOptionalStyle sets the style attribute, or removes it if s is empty.
func (t Text) WithOptionalStyle(s string) Text {
	if s == "" {
		return t.WithoutAttr("style")
	}
	return t.WithAttr("style", s)
}

// Fasten makes the position of a vertex relative to its parent's size, with an offset in units.
func (t Text) Fasten(offset geom.Point) Text {
	_, _, geo := t.tree()
	t = t.splice(geo.SetAttr("relative", "1"))
	_, _, geo = t.tree()
	return t.splice(geo.Append(`<mxPoint x="` + Num(offset.X) + `" y="` + Num(offset.Y) + `" as="offset"/>`))
}

// WithOffset moves a cell that Fasten fastened.
func (t Text) WithOffset(offset geom.Point) Text {
	_, _, geo := t.tree()
	for _, k := range geo.Children {
		if as, _ := k.Attr("as"); as != "offset" {
			continue
		}
		if offset == (geom.Point{X: attrNumber(k, "x"), Y: attrNumber(k, "y")}) {
			return t
		}
		return t.splice(k.Replace(`<mxPoint x="` + Num(offset.X) + `" y="` + Num(offset.Y) + `" as="offset"/>`))
	}
	if offset == (geom.Point{}) {
		return t
	}
	return t.splice(geo.Append(`<mxPoint x="` + Num(offset.X) + `" y="` + Num(offset.Y) + `" as="offset"/>`))
}
