package mxfile

import (
	"html"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// maxEnclosing is how many enclosing cells are searched for a custom property.
const maxEnclosing = 20

// properties holds a cell's custom properties by name.
type properties struct{ values map[string]string }

// ownData reads the attributes of a wrapper if the cell has placeholders: %names% in its label to be replaced by them.
func (c *Cell) ownData(outer *xmltree.Element) {
	if on, _ := outer.Attr("placeholders"); on != "1" {
		return
	}
	c.data = &properties{make(map[string]string, len(outer.Attrs))}
	for _, a := range outer.Attrs {
		c.data.values[a.Name], _ = outer.Attr(a.Name)
	}
}

// Filled returns the stored label. If the cell has placeholders, its %names% are replaced by custom properties of the
// cell or of enclosing cells. Unknown names stay.
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

// property returns a custom property of c, or of the nearest enclosing cell that has it.
func (c *Cell) property(name string) (string, bool) {
	if !isPropertyName(name) {
		return "", false
	}
	for n := 0; c != nil && n < maxEnclosing; c, n = c.Owner(), n+1 {
		if v, ok := c.DataValue(name); ok {
			return v, true
		}
	}
	return "", false
}

// isPropertyName reports whether draw.io takes the text between two percent signs for the name of a property.
func isPropertyName(s string) bool { return s != "" && !strings.ContainsAny(s, " <>\"'=;{}") }

// own returns a custom property of the cell itself. The cell must have data.
func (c *Cell) own(name string) (string, bool) {
	v, ok := c.data.values[name]
	return v, ok
}

// Shown lists the custom properties that the cell's label shows, in the order in which they appear in it.
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

// DefinedKey is the style key that holds a shape type that the document defines. draw.io keeps it and ignores it.
const DefinedKey = "fcpType"

// BadgeKey is the style key of cells that are not shapes of their own: badges, the page's title, its legend.
// draw.io keeps it and ignores it.
const BadgeKey = "fcpBadge"

// styling holds the properties of a style. A page has few styles and many cells, so each style is read only once.
type styling struct {
	style               style.Style
	html, locked, badge bool
	defined             string // value of DefinedKey
	kind, theme, line   string // computed on demand
	themed              bool   // theme was computed
	shapes              int    // shapes with it in the last Tally
	like                *Cell  // a cell that has it, made on demand
}

// stylingOf returns the styling of a style.
func (p *Page) stylingOf(s style.Style) *styling {
	if l := p.last.stylingIf(s); l != nil { // neighbours often have the same style
		return l
	}
	if l := p.stylings[s]; l != nil {
		return l
	}
	if p.stylings == nil || len(p.stylings) > 2*p.count+1000 { // drop styles that no cell has any more
		p.stylings = map[style.Style]*styling{}
	}
	l := &styling{style: s, html: s.Is("html", "1"), locked: s.Is("locked", "1")}
	_, l.badge = s.Get(BadgeKey)
	l.defined, _ = s.Get(DefinedKey)
	p.stylings[s] = l
	return l
}

func (c *Cell) stylingIf(s style.Style) *styling {
	if c != nil && c.styling != nil && c.styling.style == s {
		return c.styling
	}
	return nil
}
