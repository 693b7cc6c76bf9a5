package pagestyle

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// Painter gives the cells of a page the style of a palette.
type Painter struct {
	f       *file
	page    *mxfile.Page
	d       *mxfile.Draft
	Palette style.Palette
	style.Scheme
	ByType  bool
	tints   map[any]int           // by outer group, or by name of the type
	drafted map[*cell]style.Style // the drafted styles
	bases   map[string]style.Style
	font    string // font size of group labels
	Kept    int    // number of cells whose colours someone chose
}

// New prepares to paint a page.
func New(f *file, page *mxfile.Page) *Painter {
	return &Painter{f: f, page: page, tints: map[any]int{}, drafted: map[*cell]style.Style{}, bases: map[string]style.Style{}}
}

// Draft drafts the background of the page and the styles of its shapes and edges.
func (l *Painter) Draft(d *mxfile.Draft, dark bool, shapes, edges []*cell) {
	l.d = d
	if l.takeColors(dark); dark != IsDark(l.page) {
		l.d.Backdrop(l.page, map[bool]string{true: l.Page}[dark])
	}
	Set(l.d, l.page, l.Palette, l.ByType)
	l.chooseFontSize(shapes)
	for _, x := range shapes {
		l.draftStyle(x, l.shapeStyle(x))
	}
	for _, x := range shapes { // after all groups have their colours
		s := l.StyleOf(x)
		if ground, ok := s.Get("labelBackgroundColor"); ok && ground != "none" && isUnchosen(s, l.baseStyle(x), "labelBackgroundColor", "ground") {
			l.draftStyle(x, s.Set("labelBackgroundColor", l.colorBehind(x.Owner())))
		}
	}
	for _, x := range edges {
		l.draftStyle(x, l.edgeStyle(x))
		for _, k := range l.page.Children(x.ID) {
			if k.Vertex && k.Label() != "" {
				l.draftStyle(k, l.edgeLabelStyle(k.Style, x))
			}
		}
	}
}

// takeColors uses the colours of the palette for a dark or a light page.
func (l *Painter) takeColors(dark bool) {
	l.Scheme = l.Palette.Scheme(dark)
	if v, ok := style.Color(l.page.Background()); ok && v[0] == '#' && dark == IsDark(l.page) {
		l.Page = v
	}
}

// ReadWords reads the palette and whether the page is dark. Anything that the op does not name
// stays as it is on the page.
func (l *Painter) ReadWords(a pdk.Args) (dark bool, err error) {
	dark = IsDark(l.page)
	l.Palette = style.Palettes()[0]
	if p, ok := paletteOn(l.page); ok {
		l.Palette = p
	} else if p, _, ok := Of(l.page); ok {
		l.Palette = p
	}
	kinds := []string{"light", "dark"}
	for i := range a.Positionals {
		word := a.Text(i)
		if kind, ok := pdk.OneOf(word, kinds); ok {
			dark = kind == "dark"
		} else if name, ok := pdk.OneOf(word, style.PaletteNames()); ok {
			l.Palette = style.Palettes()[slices.Index(style.PaletteNames(), name)]
		} else {
			return dark, pdk.Errorf("unknown palette %q; palettes: %s; pages: light dark", word, strings.Join(style.PaletteNames(), " ")).
				Instead(word, pdk.Nearest(word, append(kinds, style.PaletteNames()...))...)
		}
	}
	return dark, nil
}

// IsDark reports whether the background of a page is a dark colour.
func IsDark(p *mxfile.Page) bool {
	v, ok := style.Color(p.Background())
	return ok && v[0] == '#' && style.Luminance(v) < 0.18
}

// paletteOn finds the palette whose colours the shapes of a page have.
func paletteOn(page *mxfile.Page) (style.Palette, bool) {
	for x := page.First(); x != nil; x = x.Next() {
		if name, ok := x.Style.FindPalette(); ok && x.Shape() && name != "" {
			return style.Palettes()[slices.Index(style.PaletteNames(), name)], true
		}
	}
	return style.Palette{}, false
}

// By says what gets a tint of its own.
var By = value.Key[string]{Name: "by", Type: value.OneOf("group", "type"), Default: "group"}

// Divide decides what gets a tint of its own: each outer group, or each type.
func (l *Painter) Divide(a pdk.Args, shapes []*cell) {
	groups := pdk.Filter(shapes, func(x *cell) bool { return model.IsGroup(x) && l.outerGroup(x) == x })
	l.ByType = By.Of(a) == "type" || !a.Has("by") && len(groups) == 0
	if !l.ByType {
		for i, g := range groups {
			l.tints[g] = i
		}
		return
	}
	for _, x := range shapes {
		if kind := model.KindOf(x); !model.IsGroup(x) && !model.InCompound(x) && x.Kind() != "text" && !IsRule(x) {
			if _, ok := l.tints[kind]; !ok {
				l.tints[kind] = len(l.tints)
			}
		}
	}
}

// maxDepth limits loops over enclosing containers: a file may have cells that contain each other.
const maxDepth = 100

// outerGroup returns the outermost group that x is or lies in. In a pool that is the lane; frames
// around messages do not count.
func (l *Painter) outerGroup(x *cell) *cell {
	var out *cell
	for o, n := x, 0; o != nil && n < maxDepth; o, n = o.Owner(), n+1 {
		if model.IsGroup(o) && o.Kind() != "pool" && (o.Kind() != "frame" || model.IsSolid(o)) {
			out = o
		}
	}
	return out
}

// tint returns the colours of x.
func (l *Painter) tint(x *cell) style.Tint {
	var of any = l.outerGroup(x)
	if l.ByType {
		of = model.KindOf(x)
		if model.IsGroup(x) {
			return l.Neutral
		}
	}
	if i, ok := l.tints[of]; ok {
		return l.Tints[i%len(l.Tints)]
	}
	return l.Neutral
}

// IsRule reports whether x is a line that connects nothing.
func IsRule(x *cell) bool { return x.Kind() == "line" || x.Style.Bare("line") }

// baseStyle returns the style that x was created with.
func (l *Painter) baseStyle(x *cell) style.Style {
	kind := model.KindOf(x)
	s, ok := l.bases[kind]
	if !ok {
		switch t, _, known := catalog.TypeNamed(l.f, kind); {
		case kind == "group":
			s = edit.GroupStyle
		case known:
			s = t.Style
		}
		l.bases[kind] = s
	}
	return s
}

// StyleOf returns the style of x, the drafted one if there is one.
func (l *Painter) StyleOf(x *cell) style.Style {
	if s, ok := l.drafted[x]; ok {
		return s
	}
	return x.Style
}

// draftStyle drafts a style.
func (l *Painter) draftStyle(x *cell, s style.Style) {
	if s != l.StyleOf(x) {
		l.drafted[x] = s
		l.d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithStyle(s) })
	}
}

// isUnchanged reports whether a key of s has the value of base, or draw.io's default.
func isUnchanged(s, base style.Style, key string) bool {
	v, ok := s.Get(key)
	was, has := base.Get(key)
	return !ok && !has || v == was || !has && v == "default"
}

// isUnchosen reports whether nobody chose a colour of s: the colour is that of base, or from a
// palette.
func isUnchosen(s, base style.Style, key, use string) bool {
	return isUnchanged(s, base, key) || style.FromPalette(use, model.StyleValue(s, key))
}

// shapeStyle returns the style that x gets.
func (l *Painter) shapeStyle(x *cell) style.Style {
	s, base := x.Style, l.baseStyle(x)
	_, tinted := s.FindPalette()
	switch {
	case (x.Kind() == "initial" || x.Kind() == "final") && isUnchosen(s, base, "fillColor", "ink") && isUnchosen(s, base, "strokeColor", "ink"):
		return s.Set("fillColor", l.Ink).Set("strokeColor", l.Ink).Set("fontColor", l.Ink)
	case IsRule(x) && !model.InCompound(x) && isUnchosen(s, base, "strokeColor", "line"):
		return s.Set("strokeColor", l.Line)
	case model.InCompound(x) && model.Outermost(x).Kind() != "participant" || x.Kind() == "text" || IsRule(x) || x.Kind() == "image":
		if isUnchosen(s, base, "fontColor", "ink") && x.Label() != "" {
			s = s.Set("fontColor", l.Ink)
		}
		return s
	case !tinted && !(isUnchanged(s, base, "fillColor") && isUnchanged(s, base, "strokeColor")) || !isUnchanged(s, base, "gradientColor") || !isUnchosen(s, base, "fontColor", "ink"):
		l.Kept++
		if isUnchosen(s, base, "fontColor", "ink") {
			s = legible(s)
		}
		return s
	}
	if fill, own := base.Get("fillColor"); own && fill != "none" { // such as an icon with colours of its own
		font := "#000000"
		if v, ok := style.Color(model.StyleValue(s, "fontColor")); ok && v[0] == '#' {
			font = v
		}
		if at, _ := s.Get("verticalLabelPosition"); at == "bottom" && style.Contrast(font, l.Page) < 4.5 {
			s = s.Set("fontColor", l.Ink)
		}
		return s
	}
	return l.paint(x, s, tinted)
}

// legible makes the text of a style black or white if it is hard to read on its fill.
func legible(s style.Style) style.Style {
	fill, ok := style.Color(model.StyleValue(s, "fillColor"))
	if at, _ := s.Get("verticalLabelPosition"); !ok || fill[0] != '#' || at == "bottom" || at == "top" {
		return s
	}
	font, ok := style.Color(model.StyleValue(s, "fontColor"))
	if !ok || font[0] != '#' {
		font = "#000000"
	}
	best := font
	for _, c := range [2]string{"#000000", "#ffffff"} {
		if style.Contrast(font, fill) < 4.5 && style.Contrast(c, fill) > style.Contrast(best, fill) {
			best = c
		}
	}
	if best == font {
		return s
	}
	return s.Set("fontColor", best)
}

// paint gives a style of x its tint. Keys that x already had are set only the first time.
func (l *Painter) paint(x *cell, s style.Style, tinted bool) style.Style {
	t := l.tint(x)
	fill := t.Fill
	if kind := x.Kind(); model.IsGroup(x) && kind != "lane" && kind != "pool" {
		fill = t.Panel
		if kind == "group" && !tinted {
			s = s.Drop("dashed")
			if s.Is("arcSize", "4") { // relative to the height, which would differ between groups
				s = s.Set("absoluteArcSize", "1").Set("arcSize", "16")
			}
		}
		if _, sized := s.Get("fontSize"); kind == "group" && !sized && l.font != "" {
			s = s.Set("fontSize", l.font)
		}
	}
	if model.IsCompound(x) && x.Kind() != "participant" && isUnchosen(s, "", "swimlaneFillColor", "ground") {
		s = s.Set("swimlaneFillColor", l.Page)
	}
	return s.Set("fillColor", fill).Set("strokeColor", t.Stroke).Set("fontColor", l.Ink)
}

// chooseFontSize chooses one font size for the labels of all groups: larger than that of shapes, if
// every group has room for it.
func (l *Painter) chooseFontSize(shapes []*cell) {
	for _, size := range []float64{14, 13} {
		tight := func(x *cell) bool {
			return x.Kind() == "group" && svg.Width(x.Label(), size, true) > x.Geo.W-20
		}
		if !slices.ContainsFunc(shapes, tight) {
			l.font = mxfile.Num(size)
			return
		}
	}
}

// edgeStyle returns the style that an edge gets: colours, never another line or weight.
func (l *Painter) edgeStyle(e *cell) style.Style {
	s := e.Style
	if !style.FromPalette("async", model.StyleValue(s, "strokeColor")) && !isUnchosen(s, "", "strokeColor", "line") || !isUnchosen(s, "", "fontColor", "ink") {
		l.Kept++
		return s
	}
	line := l.Line
	if IsAsync(e) {
		line = l.Async
	}
	return l.edgeLabelStyle(s.Set("strokeColor", line), e)
}

// edgeLabelStyle gives the style of a label of e its colours.
func (l *Painter) edgeLabelStyle(s style.Style, e *cell) style.Style {
	if !isUnchosen(s, "", "fontColor", "ink") {
		return s
	}
	if isUnchosen(s, "", "labelBackgroundColor", "ground") {
		s = s.Set("labelBackgroundColor", l.colorUnder(e))
	}
	return s.Set("fontColor", l.Ink)
}

// colorUnder returns the colour under an edge: that of the container of both its ends, or that of
// the page.
func (l *Painter) colorUnder(e *cell) string {
	from, to := model.Ends(e)
	if from == nil || to == nil {
		return l.Page
	}
	o := from.Owner()
	for n := 0; o != nil && (o == to || !to.Within(o)); n++ {
		if o = o.Owner(); n == maxDepth {
			o = nil
		}
	}
	return l.colorBehind(o)
}

// colorBehind returns the colour behind the content of o, that of the page for nil.
func (l *Painter) colorBehind(o *cell) string {
	for n := 0; o != nil && n < maxDepth; o, n = o.Owner(), n+1 {
		if fill, ok := l.StyleOf(o).Get("fillColor"); ok && o.Kind() == "group" && style.FromPalette("ground", fill) {
			return fill
		}
	}
	return l.Page
}

// IsAsync reports whether an edge stands for a call that does not wait for an answer: it starts or
// ends at a queue. How a line is drawn says nothing about that.
func IsAsync(e *cell) bool {
	from, to := model.Ends(e)
	for _, x := range []*cell{from, to} {
		if x == nil {
			continue
		}
		if model.Outermost(x).Kind() == "participant" {
			return false
		}
	}
	if e.Style.Relation() != "" {
		return false
	}
	return from != nil && isQueue(from) || to != nil && isQueue(to)
}

// isQueue reports whether x receives messages and passes them on.
func isQueue(x *cell) bool {
	for _, word := range style.Words(x.Kind()) {
		switch word {
		case "queue", "queues", "sqs", "sns", "eventbridge", "kinesis", "kafka", "pubsub", "topic":
			return true
		}
	}
	return false
}
