package mxfile

import (
	"html"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// deepest is how many cells around one are asked for a custom property.
const deepest = 20

// properties are a cell's custom properties by name.
type properties struct{ values map[string]string }

// ownData reads a wrapper's attributes where the cell asks to have the %names% of
// its label replaced by them.
func (c *Cell) ownData(outer *xmltree.Element) {
	if on, _ := outer.Attr("placeholders"); on != "1" {
		return
	}
	c.data = &properties{make(map[string]string, len(outer.Attrs))}
	for _, a := range outer.Attrs {
		c.data.values[a.Name], _ = outer.Attr(a.Name)
	}
}

// Filled is the stored label with the %names% in it replaced by custom
// properties, the cell's own or those of what it lies in, where the cell asks for
// that. Names that nothing has stay.
func (c *Cell) Filled() string { return c.fill(c.property) }

func (c *Cell) fill(property func(string) (string, bool)) string {
	if c.data == nil || !strings.Contains(c.Value, "%") {
		return c.Value
	}
	var b strings.Builder
	rest := c.Value
	for {
		before, after, ok := strings.Cut(rest, "%")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, behind, ok := strings.Cut(after, "%")
		if value, has := property(name); ok && has {
			if c.HTML() {
				value = html.EscapeString(value)
			}
			b.WriteString(value)
			rest = behind
			continue
		}
		b.WriteString("%")
		rest = after
	}
}

// property is a custom property of c, or of the nearest cell around it that has it.
func (c *Cell) property(name string) (string, bool) {
	if name == "" || strings.ContainsAny(name, " <>\"'=;{}") {
		return "", false
	}
	for n := 0; c != nil && n < deepest; c, n = c.Owner(), n+1 {
		if v, ok := c.DataValue(name); ok {
			return v, true
		}
	}
	return "", false
}

// own is a custom property of the cell alone, which has some.
func (c *Cell) own(name string) (string, bool) {
	v, ok := c.data.values[name]
	return v, ok
}

// Shown are the cell's custom properties that its label shows, in the label's order.
func (c *Cell) Shown() []string {
	var out []string
	c.fill(func(name string) (string, bool) {
		v, ok := c.own(name)
		if ok {
			out = append(out, name)
		}
		return v, ok
	})
	return out
}
