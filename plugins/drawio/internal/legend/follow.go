package legend

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pagestyle"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Used is compared before and after an op to find out whether the legend can have changed: how often the set of the styles of the page's
// shapes changed, and the number of edges.
type Used struct{ changes, edges int }

// InUse returns what a page with a palette uses.
func InUse(page *mxfile.Page) Used {
	if _, _, ok := pagestyle.Of(page); !ok {
		return Used{}
	}
	edges := model.Count(page).Edges
	return Used{page.StyleChanges(), edges}
}

// Update redraws the legend of a page with a palette after an op if it is out of date; had is what was in use before. It moves title and
// legend beside the content if a shape covers one of them.
func Update(c *ctx, a pdk.Args, page *mxfile.Page, had Used) error {
	if _, _, ok := pagestyle.Of(page); !ok || !slices.Contains(c.Model.Pages, page) {
		return nil
	}
	if (InUse(page) != had || a.Verb == "style" || a.Verb == "modify") && outOfDate(page) {
		if err := redrawLegend(c, page); err != nil {
			return err
		}
	}
	for _, x := range page.Badges() {
		if x.Owner() == nil && isCovered(x) {
			return replaceFurniture(c, page)
		}
	}
	return nil
}

// outOfDate reports whether the legend of a page differs from the content of the page.
func outOfDate(page *mxfile.Page) bool {
	legend := cellWithMark(page, legendMark)
	if legend == nil {
		return false
	}
	b := furnitureOn(nil, page, legend.Parent)
	pieces := b.layOut(b.items())
	return !slices.EqualFunc(page.Children(legend.ID), pieces, func(x *cell, p piece) bool { return x.Style == p.look && x.Label() == p.label })
}

// isCovered reports whether a shape lies on a title or a legend.
func isCovered(x *cell) bool {
	found := false
	x.Page.Space("").Each(x.Geo, func(o *cell, _ geom.Rect) bool {
		found = found || !o.Badge
		return !found
	})
	return found
}

// furnitureOn returns the furniture of a page, in the colours of its palette or of the
// first palette.
func furnitureOn(d *mxfile.Draft, page *mxfile.Page, layer string) *furniture {
	return &furniture{d: d, page: page, layer: layer, scheme: pagestyle.SchemeOf(page), look: func(x *cell) style.Style { return x.Style }}
}

// Inherit gives a page that was split off another one the background, the palette and the
// legend of that page.
func Inherit(c *ctx, page, from *mxfile.Page) error {
	d := c.Model.Draft()
	if v := from.Background(); v != "" {
		d.Backdrop(page, v)
	}
	if palette, byType, ok := pagestyle.Of(from); ok {
		pagestyle.Set(d, page, palette, byType)
	}
	pdk.Check(d.Do(c, "look of page "+page.Name))
	if cellWithMark(from, legendMark) == nil {
		return nil
	}
	b := furnitureOn(c.Model.Draft(), page, page.DefaultLayer().ID)
	b.content = contentOf(page)
	b.DraftLegend()
	return b.d.Do(c, "legend of page "+page.Name)
}
