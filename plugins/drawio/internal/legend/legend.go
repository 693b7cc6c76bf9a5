// Package legend draws the title and the legend of a page.
package legend

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pagestyle"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

type (
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
	verb = pdk.Verb[*mxfile.File]
)

// Values of mxfile.BadgeKey for the title and the legend of a page: a title that follows
// the document's, one with a text of its own, the legend, and the cells in the legend.
const (
	titleMark   = "title"
	headingMark = "heading"
	legendMark  = "legend"
	partMark    = "part"
)

// Verb returns the verb legend.
func Verb() verb {
	return verb{Run: runLegend, Verb: abi.Verb{
		Syntax: "legend [off]", Category: "looks", Hidden: true, // the reference card lists it with look
		Summary:  "draw a legend of the types of shapes and lines on the page, replacing the old one; off removes it",
		Examples: []string{"legend", "legend off"},
	}}
}

func runLegend(c *ctx, a pdk.Args) error {
	page := c.Model.Current
	off := false
	if len(a.Positionals) > 0 {
		word, ok := pdk.OneOf(a.Text(0), []string{"off", "on"})
		if !ok {
			err := pdk.Errorf("legend takes off, or nothing")
			if cellWithMark(page, legendMark) != nil {
				err.Instead(a.Text(0), pdk.Nearest(a.Text(0), []string{"off"})...)
			}
			return err
		}
		off = word == "off"
	}
	d := c.Model.Draft()
	if off {
		if l := cellWithMark(page, legendMark); l != nil {
			d.Remove(append([]*cell{l}, page.Children(l.ID)...)...)
		}
		pdk.Check(edit.Commit(c, d, "legend off", "the page already has no legend"))
		c.Deleted("the legend")
		return nil
	}
	layer := pdk.Must(edit.EnsureLayer(c))
	b := furnitureOn(d, page, layer)
	b.content = contentOf(page)
	drawn := b.DraftLegend()
	so := pdk.If(!drawn, "one type of shape and one kind of line need no legend", "the legend already says that")
	pdk.Check(edit.Commit(c, d, "legend", so))
	if !drawn {
		c.Deleted("the legend; one type of shape and one kind of line need none")
		return nil
	}
	c.Created("legend %s: %s", values.Box(b.at), strings.Join(b.names, ", "))
	return nil
}

// furniture draws the title and the legend, which lie beside the content of a page.
type furniture struct {
	d       *mxfile.Draft
	page    *mxfile.Page
	layer   string
	scheme  style.Scheme
	look    func(*cell) style.Style // returns the style that a cell will have
	content geom.Rect               // extent of the page without them
	at      geom.Rect               // place of the legend
	names   []string                // of its lines
}

// New prepares to draw title and legend. look returns the style that a cell will have.
func New(d *mxfile.Draft, page *mxfile.Page, layer string, s style.Scheme, look func(*cell) style.Style) *furniture {
	return &furniture{d: d, page: page, layer: layer, scheme: s, look: look, content: contentOf(page)}
}

// contentOf returns the extent of a page's picture without title and legend.
func contentOf(page *mxfile.Page) geom.Rect {
	return svg.Extent(page, func(x *cell) bool { return x.Badge && mark(x) != "1" })
}

// mark returns the value of a cell's badge key.
func mark(x *cell) string { return model.StyleValue(x.Style, mxfile.BadgeKey) }

// cellWithMark returns the first cell of a page with one of the marks, nil if there is none.
func cellWithMark(page *mxfile.Page, marks ...string) *cell {
	for _, x := range page.Badges() {
		if slices.Contains(marks, mark(x)) {
			return x
		}
	}
	return nil
}

// DraftTitle drafts the title that the op names, or else that of the document, and reports
// whether the page then has one. A title that an earlier op named stays.
func (b *furniture) DraftTitle(a pdk.Args, text string) bool {
	old := cellWithMark(b.page, titleMark, headingMark)
	as := titleMark
	if v, ok := a.Param("title"); ok {
		if text, as = strings.TrimSpace(v), headingMark; strings.EqualFold(text, "none") {
			text = ""
		}
	} else if old != nil && mark(old) == headingMark {
		text, as = old.Label(), headingMark
	}
	if text == "" {
		if old != nil {
			b.d.Remove(old)
		}
		return false
	}
	for x := b.page.First(); x != nil; x = x.Next() {
		if x.Outer() && x.Kind() == "text" && x.Label() == text { // someone drew a title
			return true
		}
	}
	look := "text;html=1;align=left;verticalAlign=middle;whiteSpace=nowrap;fontSize=20;fontStyle=1;strokeColor=none;fillColor=none;connectable=0;" +
		mxfile.BadgeKey + "=" + style.Style(as) + ";fontColor=" + style.Style(b.scheme.Ink) + ";"
	r := geom.Rect{W: math.Ceil(svg.Width(text, 20, true)) + 10, H: titleHeight}
	if old == nil {
		r = b.titlePlace(r)
		id := b.d.NewID()
		b.d.Append(b.page, id, mxfile.NewVertex(id, mxfile.LabelValue(text, true), look, b.layer, r))
		return true
	}
	r.X, r.Y, r.H = old.Geo.X, old.Geo.Y, old.Geo.H
	if !b.isNearContent(r) {
		r = b.titlePlace(r)
	}
	if style.FromPalette("ink", model.StyleValue(old.Style, "fontColor")) {
		look = old.Style.Set("fontColor", b.scheme.Ink).Set(mxfile.BadgeKey, as)
	} else {
		look = old.Style.Set(mxfile.BadgeKey, as)
	}
	b.d.Change(old, func(t mxfile.Text) mxfile.Text {
		if old.Label() != text {
			t = t.WithValue(mxfile.LabelValue(text, true))
		}
		if old.Label() != text || r.X != old.Geo.X || r.Y != old.Geo.Y {
			t = t.WithGeo(r)
		}
		return t.WithStyle(look)
	})
	return true
}

// titleHeight is the height of a title; furnitureGap is the distance of title and legend
// from the content, in units.
const (
	titleHeight  = 30
	furnitureGap = 24
)

// titlePlace returns the place of a title: at the left edge of the content, and on the paper
// if there is room.
func (b *furniture) titlePlace(r geom.Rect) geom.Rect {
	r.X, r.Y = math.Round(b.content.X), math.Round(b.content.Y)-r.H-furnitureGap
	if r.Y < 0 {
		r.Y = min(0, math.Round(b.content.Y)-r.H-6)
	}
	return r
}

// legendPlace returns the place of a legend: below wide content, to the right of other
// content.
func (b *furniture) legendPlace(r geom.Rect) geom.Rect {
	r.X, r.Y = math.Round(b.content.X), math.Round(b.content.Bottom())+furnitureGap
	if b.upright() {
		r.X, r.Y = math.Round(b.content.Right())+furnitureGap, math.Round(b.content.Y)
	}
	return r
}

// upright reports whether the content is taller than it is wide.
func (b *furniture) upright() bool { return b.content.H > b.content.W }

// isNearContent reports whether r is near the content without covering it, so that it may
// stay where someone put it.
func (b *furniture) isNearContent(r geom.Rect) bool {
	return !r.Overlaps(b.content) && r.Overlaps(b.content.Grow(120))
}

// Sizes in a legend, in units.
const (
	legendRow    = 26
	legendPad    = 12
	symbolWide   = 34
	symbolHigh   = 18
	legendLetter = 12 // font size
)

// piece is a cell in a legend.
type piece struct {
	label string
	look  style.Style
	at    geom.Rect
}

// DraftLegend drafts the legend, and reports whether there is anything to explain.
func (b *furniture) DraftLegend() bool {
	old := cellWithMark(b.page, legendMark)
	var had []*cell
	if old != nil {
		had = b.page.Children(old.ID)
	}
	items := b.items()
	if len(items) == 0 {
		if old != nil {
			b.d.Remove(append([]*cell{old}, had...)...)
		}
		return false
	}
	pieces := b.layOut(items)
	look := "rounded=1;absoluteArcSize=1;arcSize=8;whiteSpace=wrap;html=1;connectable=0;" + mxfile.BadgeKey + "=" + legendMark +
		";fillColor=" + style.Style(b.scheme.Page) + ";strokeColor=" + style.Style(b.scheme.Neutral.Stroke) + ";"
	same := old != nil && old.Style == look && old.Geo.W == b.at.W && old.Geo.H == b.at.H && len(had) == len(pieces)
	for i := 0; same && i < len(pieces); i++ {
		p := pieces[i]
		same = had[i].Style == p.look && had[i].Label() == p.label && had[i].Geo == p.at
	}
	b.at = b.legendPlace(b.at)
	if old != nil {
		if r := (geom.Rect{X: old.Geo.X, Y: old.Geo.Y, W: b.at.W, H: b.at.H}); b.isNearContent(r) {
			b.at = r
		}
	}
	if same {
		b.move(old, b.at)
		return true
	}
	id := b.d.NewID()
	b.d.Append(b.page, id, mxfile.NewVertex(id, "", look, b.layer, b.at))
	for _, p := range pieces {
		k := b.d.NewID()
		b.d.Append(b.page, k, mxfile.NewVertex(k, mxfile.LabelValue(p.label, true), p.look, id, p.at))
	}
	if old != nil { // after adding the new cells, which go after the current last cell
		b.d.Remove(append([]*cell{old}, had...)...)
	}
	return true
}

// move drafts a new place of a cell.
func (b *furniture) move(x *cell, r geom.Rect) {
	if x != nil && x.Geo != r {
		b.d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
	}
}

// layOut places the lines of a legend, in rows as wide as the content or one below the other,
// and sets its size.
func (b *furniture) layOut(items []item) (out []piece) {
	text := "text;html=1;align=left;verticalAlign=middle;whiteSpace=nowrap;strokeColor=none;fillColor=none;connectable=0;" + mxfile.BadgeKey + "=" + partMark +
		";fontSize=" + style.Style(mxfile.Num(legendLetter)) + ";fontColor=" + style.Style(b.scheme.Ink) + ";"
	x, y, widest := float64(legendPad), float64(legendPad)/2, 0.0
	name := func(label string, look style.Style, bold bool) {
		w := math.Ceil(svg.Width(label, legendLetter, bold)) + 6
		out = append(out, piece{label, look, geom.Rect{X: x, Y: y, W: w, H: legendRow}})
		x += w
		widest = max(widest, x)
	}
	name("Legend", text.Set("fontStyle", "1"), true)
	from := x + legendPad
	x = from
	for i, it := range items {
		w := symbolWide + 8 + math.Ceil(svg.Width(it.name, legendLetter, false)) + 6
		switch {
		case b.upright():
			x, y = legendPad, y+legendRow
		case i > 0 && x+w+legendPad > max(b.content.W, 320):
			x, y = from, y+legendRow
		}
		at := geom.Rect{X: x + (symbolWide-it.w)/2, Y: y + (legendRow-it.h)/2, W: it.w, H: it.h}
		if it.head {
			at.W -= 6
		}
		out = append(out, piece{"", it.look, at})
		if it.head {
			stroke := model.StyleValue(it.look, "strokeColor")
			out = append(out, piece{"", style.Style("triangle;html=1;connectable=0;"+mxfile.BadgeKey+"="+partMark+";").Set("fillColor", stroke).Set("strokeColor", stroke),
				geom.Rect{X: x + symbolWide - 8, Y: y + legendRow/2 - 4, W: 8, H: 8}})
		}
		b.names = append(b.names, it.name)
		x += symbolWide + 8
		name(it.name, text, false)
		x += legendPad
	}
	b.at.W, b.at.H = widest+legendPad, y+legendRow+float64(legendPad)/2
	return out
}

// Place moves title and legend beside the content again after the content has moved. On a
// page with a palette it also updates the legend.
func Place(c *ctx) error {
	page := c.Model.Current
	if cellWithMark(page, titleMark, headingMark, legendMark) == nil {
		return nil
	}
	if _, _, ok := pagestyle.Of(page); ok {
		pdk.Check(redrawLegend(c, page))
	}
	return replaceFurniture(c, page)
}

// redrawLegend redraws the legend of a page, if it has one.
func redrawLegend(c *ctx, page *mxfile.Page) error {
	legend := cellWithMark(page, legendMark)
	if legend == nil {
		return nil
	}
	b := furnitureOn(c.Model.Draft(), page, legend.Parent)
	b.content = contentOf(page)
	b.DraftLegend()
	if e := b.d.Edit(); e != nil {
		c.Also("legend drawn again")
		return c.Do(e, "legend of what there is")
	}
	return nil
}

// replaceFurniture moves the title and the legend of a page beside its content.
func replaceFurniture(c *ctx, page *mxfile.Page) error {
	b := &furniture{d: c.Model.Draft(), page: page, content: contentOf(page)}
	if head := cellWithMark(page, titleMark, headingMark); head != nil {
		b.move(head, b.titlePlace(head.Geo))
	}
	if legend := cellWithMark(page, legendMark); legend != nil {
		b.move(legend, b.legendPlace(legend.Geo))
	}
	if e := b.d.Edit(); e != nil {
		c.Also("title and legend placed beside the content")
		return c.Do(e, "place title and legend")
	}
	return nil
}
