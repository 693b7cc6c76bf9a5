// Package pagestyle gives the shapes and edges of a page the colours of a palette.
package pagestyle

import (
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// paletteData is the property of a page's root cell that stores the palette of the page and what
// gets a tint of its own: "muted type".
const paletteData = "fcpLook"

// Of returns the palette of a page. byType says that types have tints, not groups.
func Of(page *mxfile.Page) (p style.Palette, byType, ok bool) {
	name, by, _ := strings.Cut(page.Property(paletteData), " ")
	if name == "" {
		return p, false, false
	}
	i := slices.Index(style.PaletteNames(), name)
	if i < 0 {
		return p, false, false
	}
	return style.Palettes()[i], by == "type", true
}

// SchemeOf returns the colours of a page's palette, or those of the first palette if the
// page has none.
func SchemeOf(page *mxfile.Page) style.Scheme {
	l := &Painter{page: page, Palette: style.Palettes()[0]}
	if palette, _, ok := Of(page); ok {
		l.Palette = palette
	}
	l.takeColors(IsDark(page))
	return l.Scheme
}

// Set drafts the palette of a page.
func Set(d *mxfile.Draft, page *mxfile.Page, palette style.Palette, byType bool) {
	d.Change(page.Root(), func(t mxfile.Text) mxfile.Text {
		return t.WithData(paletteData, palette.Name+pdk.If(byType, " type", " group"))
	})
}

// PaintNew gives what an op added to a page with a palette the colours of that palette.
func PaintNew(c *ctx, page *mxfile.Page) error {
	palette, byType, ok := Of(page)
	if !ok || c.Model.Current != page {
		return nil
	}
	fresh := map[*cell]bool{}
	for _, e := range c.Edits() {
		for _, s := range e.(*mxfile.Edit).Steps {
			if x := page.Cell(s.Cell); s.Action == mxfile.InsertCell && s.Page == page.Key && x != nil && !x.Badge {
				fresh[x] = true
			}
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	l := New(c.Model, page)
	l.Palette, l.ByType, l.d = palette, byType, c.Model.Draft()
	l.takeColors(IsDark(page))
	list := slices.Collect(maps.Keys(fresh))
	page.Sort(list)
	if !l.takeTints(list, fresh) {
		l.assignTints(fresh)
	}
	shapes := list
	if slices.ContainsFunc(list, model.IsGroup) { // members of a new group, too
		shapes = page.Where(func(x *cell) bool { return fresh[x] || fresh[l.outerGroup(x)] })
	}
	for _, x := range shapes {
		if x.Shape() {
			l.draftStyle(x, l.shapeStyle(x))
		}
	}
	for _, x := range list {
		if x.Edge {
			l.draftStyle(x, l.edgeStyle(x))
		}
	}
	return l.d.Do(c, "look of what is new", model.IDs(list)...)
}

// tintOf returns the number of the tint that a style has, -1 for none.
func (l *Painter) tintOf(s style.Style) int {
	stroke := model.StyleValue(s, "strokeColor")
	return slices.IndexFunc(l.Tints, func(t style.Tint) bool { return t.Stroke == stroke })
}

// takeTints finds the tints of the groups or types of new shapes without going through the page. It reports false if one of them is new
// itself or has none.
func (l *Painter) takeTints(list []*cell, fresh map[*cell]bool) bool {
	if l.ByType {
		own := map[style.Style]int{}
		for _, x := range list {
			own[x.Style]++
		}
		model.Count(l.page)
		kinds := pdk.Map(list, model.KindOf)
		l.page.Styles(func(like *cell, shapes int) {
			kind := model.KindOf(like)
			if !slices.Contains(kinds, kind) || shapes <= own[like.Style] {
				return
			}
			tint := l.tintOf(like.Style)
			if was, ok := l.tints[kind]; tint >= 0 && (!ok || tint < was) {
				l.tints[kind] = tint
			}
		})
	}
	for _, x := range list {
		var of any = model.KindOf(x)
		if !l.ByType {
			g := l.outerGroup(x)
			if g == nil {
				continue
			}
			if of = g; !fresh[g] && l.tintOf(g.Style) >= 0 {
				l.tints[of] = l.tintOf(g.Style)
			}
		}
		if _, known := l.tints[of]; !known && x.Shape() {
			return false
		}
	}
	return true
}

// assignTints assigns the groups or types the tints that they have on the page, and the next free
// tints to the others.
func (l *Painter) assignTints(fresh map[*cell]bool) {
	next := 0
	var rest []any
	for x := l.page.First(); x != nil; x = x.Next() {
		var of any = x
		if l.ByType {
			of = model.KindOf(x)
		}
		if !x.Shape() || l.ByType == model.IsGroup(x) || !l.ByType && l.outerGroup(x) != x || l.ByType && (model.InCompound(x) || x.Kind() == "text" || IsRule(x)) {
			continue
		}
		if _, known := l.tints[of]; known {
			continue
		}
		if i := l.tintOf(x.Style); i >= 0 && !fresh[x] {
			l.tints[of], next = i, max(next, i+1)
		} else if !slices.Contains(rest, of) {
			rest = append(rest, of)
		}
		if size, ok := x.Style.Get("fontSize"); ok && x.Kind() == "group" && l.font == "" {
			l.font = size
		}
	}
	for _, of := range rest {
		if _, known := l.tints[of]; !known {
			l.tints[of] = next
			next++
		}
	}
}

type (
	file = mxfile.File
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
)
