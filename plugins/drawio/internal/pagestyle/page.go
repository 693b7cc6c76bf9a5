package pagestyle

import (
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
	r := page.Root()
	if r == nil || r.Wrapper == "" {
		return p, false, false
	}
	v, _ := r.DataValue(paletteData)
	name, by, _ := strings.Cut(v, " ")
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
		return t.WithData(paletteData, palette.Name+map[bool]string{true: " type", false: " group"}[byType])
	})
}

// Follow wraps a verb that adds shapes and edges, so that they get the palette of their page.
func Follow(v verb) verb {
	run := v.Run
	v.Run = func(c *ctx, a pdk.Args) error {
		page := c.Model.Current
		palette, byType, ok := Of(page)
		if !ok {
			return run(c, a)
		}
		had := map[string]bool{}
		for x := page.First(); x != nil; x = x.Next() {
			had[x.Key] = true
		}
		if err := run(c, a); err != nil || c.Model.Current != page {
			return err
		}
		var fresh []*cell
		for x := page.First(); x != nil; x = x.Next() {
			if !had[x.Key] && !x.Badge {
				fresh = append(fresh, x)
			}
		}
		return paintNew(c, fresh, palette, byType)
	}
	return v
}

// paintNew gives new cells the palette of their page.
func paintNew(c *ctx, fresh []*cell, palette style.Palette, byType bool) error {
	if len(fresh) == 0 {
		return nil
	}
	l := New(c.Model, fresh[0].Page)
	l.Palette, l.ByType, l.d = palette, byType, c.Model.Draft()
	l.takeColors(IsDark(l.page))
	l.assignTints(fresh)
	for x := l.page.First(); x != nil; x = x.Next() {
		if x.Shape() && (slices.Contains(fresh, x) || slices.Contains(fresh, l.outerGroup(x))) { // members of a new group, too
			l.draftStyle(x, l.shapeStyle(x))
		}
	}
	for _, x := range fresh {
		if x.Edge {
			l.draftStyle(x, l.edgeStyle(x))
		}
	}
	if e := l.d.Edit(); e != nil {
		return c.Do(e, "look of what is new", model.IDs(fresh)...)
	}
	return nil
}

// assignTints assigns the groups or types the tints that they have on the page, and the next free
// tints to the others.
func (l *Painter) assignTints(fresh []*cell) {
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
		stroke := model.StyleValue(x.Style, "strokeColor")
		if i := slices.IndexFunc(l.Tints, func(t style.Tint) bool { return t.Stroke == stroke }); i >= 0 && !slices.Contains(fresh, x) {
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
