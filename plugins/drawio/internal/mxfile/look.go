package mxfile

import "github.com/fcp-host/fcp-host/plugins/drawio/internal/style"

// DefinedKey is the style key that names the document's own type a shape is of.
// draw.io keeps it and does not use it.
const DefinedKey = "fcpType"

// BadgeKey is the style key of what is drawn on a page and is no shape of its own:
// badges, the page's title, its legend. draw.io keeps it and does not use it.
const BadgeKey = "fcpBadge"

// look is what a style says. A page has few styles and many cells, so each
// style is read once.
type look struct {
	style               style.Style
	html, locked, badge bool
	defined             string // under DefinedKey
	kind, theme, line   string // as far as they were asked for
	themed              bool   // whether theme was
	shapes              int    // that have it, by the last Tally
}

// lookOf is the look of a style.
func (p *Page) lookOf(s style.Style) *look {
	if l := p.last.lookIf(s); l != nil { // neighbours are often alike
		return l
	}
	if l := p.looks[s]; l != nil {
		return l
	}
	if p.looks == nil || len(p.looks) > 2*p.count+1000 { // styles that no cell has any more
		p.looks = map[style.Style]*look{}
	}
	l := &look{style: s, html: s.Is("html", "1"), locked: s.Is("locked", "1")}
	_, l.badge = s.Get(BadgeKey)
	l.defined, _ = s.Get(DefinedKey)
	p.looks[s] = l
	return l
}

func (c *Cell) lookIf(s style.Style) *look {
	if c != nil && c.look != nil && c.look.style == s {
		return c.look
	}
	return nil
}
