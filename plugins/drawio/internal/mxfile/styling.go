package mxfile

import "github.com/fcp-host/fcp-host/plugins/drawio/internal/style"

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
