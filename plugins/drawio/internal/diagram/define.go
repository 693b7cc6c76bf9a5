package diagram

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Definitions live where draw.io's own Edit Data puts what belongs to a page
// and no shape: as properties of the root cell, here of the first page.
// draw.io keeps them when it saves the file, and shows them in that dialog.
const (
	typeData  = "fcpType-"
	themeData = "fcpTheme-"
)

// definition is a type that a document adds.
type definition struct {
	name, base, theme, badge string
	w, h                     float64     // 0: as the base
	look                     style.Style // in place of the base's, "" for that
}

func defineVerb() verb {
	return verb{Run: runDefine, Verb: abi.Verb{
		Name: "define", Syntax: "define NAME base:TYPE [theme:] [badge:] [size:WxH] | define theme NAME fill:COLOUR stroke:COLOUR [font-color:COLOUR]",
		Brief:   "define NAME base:TYPE [theme: badge: size:] | define theme NAME fill: stroke: [font-color:] · a type or theme of this document",
		Summary: "add a type or a theme to this document; it is saved with it", Category: "looks",
		Params: []abi.Param{
			{Key: "base", Value: "TYPE"}, {Key: "theme", Value: "THEME"}, {Key: "badge", Value: "TEXT on each such shape"}, {Key: "size", Value: "WxH"},
			{Key: "fill", Value: "COLOUR"}, {Key: "stroke", Value: "COLOUR"}, {Key: "font-color", Value: "COLOUR"},
		},
		Min: 1, Max: 2,
		Examples: []string{"define job base:svc theme:orange badge:fn size:100x50", "define theme brand fill:#e0f0ff stroke:#004080 font-color:navy"},
	}}
}

func definedName(s string) error {
	ok := s != "" && len(s) <= 40 && s[0] >= 'a' && s[0] <= 'z'
	for i := 0; i < len(s); i++ {
		ok = ok && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= '0' && s[i] <= '9' || s[i] == '-' || s[i] == '_')
	}
	if !ok {
		return pdk.Errorf("%q cannot be a name here: a small letter first, then small letters, digits, - and _, 40 at most", s)
	}
	return nil
}

func runDefine(c *ctx, a pdk.Args) error {
	theme := strings.EqualFold(a.Text(0), "theme")
	switch {
	case len(a.Positionals) == 2 && !theme:
		return pdk.Errorf("define takes a NAME, or theme NAME").Instead(a.Text(0), pdk.Nearest(a.Text(0), []string{"theme"})...)
	case len(a.Positionals) == 2:
		return defineTheme(c, a)
	case theme:
		return pdk.Errorf("define theme needs a name")
	}
	return defineType(c, a)
}

func defineTheme(c *ctx, a pdk.Args) error {
	name := strings.ToLower(a.Text(1))
	if err := definedName(name); err != nil {
		return err
	}
	if _, ok := style.ThemeNamed(name); ok {
		return pdk.Errorf("%s is a theme of every document; give yours another name", name)
	}
	for _, key := range []string{"base", "theme", "badge", "size"} {
		if a.Has(key) {
			return pdk.Errorf("%s: is for types; a theme has fill: stroke: font-color:", key).Try(a.Mended(pdk.Without(key)))
		}
	}
	var values []string
	for _, key := range []string{"fill", "stroke", "font-color"} {
		v, ok := a.Param(key)
		if !ok && key == "font-color" {
			continue
		}
		if !ok {
			return pdk.Errorf("a theme needs fill: and stroke:")
		}
		colour, ok := style.Color(v)
		if !ok {
			return pdk.Errorf("%s:%s is not a colour: #rgb, #rrggbb, a CSS name or none", key, v).Instead(v, pdk.Nearest(v, style.ColorNames())...)
		}
		values = append(values, colour)
	}
	return remember(c, themeData+name, strings.Join(values, " "), "theme "+name)
}

func defineType(c *ctx, a pdk.Args) error {
	d := definition{name: strings.ToLower(a.Text(0)), badge: a.String("badge", "")}
	if err := definedName(d.name); err != nil {
		return err
	}
	if isType(d.name) || d.name == "group" {
		return pdk.Errorf("%s is a type of every document; give yours another name", d.name)
	}
	for _, key := range []string{"fill", "stroke", "font-color"} {
		if a.Has(key) {
			return pdk.Errorf("%s: is for themes", key).Try(a.Mended(pdk.Without("fill", "stroke", "font-color")))
		}
	}
	base, ok := a.Param("base")
	if !ok {
		return pdk.Errorf("define needs base:TYPE")
	}
	if d.base, ok = plainType(base); !ok {
		err := pdk.Errorf("unknown type %q; types: %s", base, strings.Join(style.Order(), " "))
		if kind := style.Synonym(base); kind != "" {
			return err.Instead(base, kind)
		}
		return err.Instead(base, pdk.Nearest(base, style.Order())...)
	}
	if style.Built(d.base) {
		return pdk.Errorf("%s is more than a style; base: takes the simple types", article(d.base))
	}
	if v, ok := a.Param("theme"); ok && v != "" {
		t, ok := themeNamed(c.Model, v)
		if !ok {
			return unknownTheme(c.Model, v)
		}
		d.theme = t.Name
	}
	if len([]rune(d.badge)) > 20 {
		return pdk.Errorf("a badge holds at most 20 letters")
	}
	if v, ok := a.Param("size"); ok {
		var err error
		if d.w, d.h, err = parseSize(v); err != nil {
			return err
		}
	}
	return remember(c, typeData+d.name, d.text(), "type "+d.name)
}

// plainType finds a type of this domain by its name or by a beginning that no
// other has.
func plainType(word string) (string, bool) {
	if kind, ok := pdk.OneOf(word, style.Order()); ok {
		return kind, true
	}
	kinds := beginnings(nil, word)
	if len(kinds) != 1 {
		return "", false
	}
	return kinds[0], true
}

// text writes a definition as a property: its base, then what differs.
func (d definition) text() string {
	out := "base=" + d.base
	if d.theme != "" {
		out += " theme=" + d.theme
	}
	if d.w > 0 {
		out += " size=" + mxfile.Num(d.w) + "x" + mxfile.Num(d.h)
	}
	if d.badge != "" {
		out += " badge=" + strconv.Quote(d.badge)
	}
	if d.look != "" {
		out += " style=" + strconv.Quote(string(d.look))
	}
	return out
}

// brief is text for people, without a style, which may hold a picture.
func (d definition) brief() string {
	if d.look == "" {
		return oneLine(d.text())
	}
	d.look = ""
	return oneLine(d.text()) + " with a style of its own"
}

// readDefinition reads text; a file may say anything, so what does not fit is
// no definition.
func readDefinition(name, text string) (definition, bool) {
	d := definition{name: name}
	if fields, look, ok := strings.Cut(text, ` style="`); ok { // in what is quoted every quote has a \ before it
		plain, err := strconv.Unquote(`"` + look)
		if err != nil {
			return d, false
		}
		d.look, text = style.Style(plain), fields
	}
	if text, badge, ok := strings.Cut(text, " badge="); ok {
		b, err := strconv.Unquote(badge)
		if err != nil {
			return d, false
		}
		d.badge = b
		return d.rest(text)
	}
	return d.rest(text)
}

func (d definition) rest(text string) (definition, bool) {
	for _, field := range strings.Fields(text) {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "base":
			d.base = value
		case "theme":
			d.theme = value
		case "size":
			w, h, err := parseSize(value)
			if err != nil {
				return d, false
			}
			d.w, d.h = w, h
		}
	}
	_, ok := style.ShapeNamed(d.base)
	return d, ok && !style.Built(d.base) && definedName(d.name) == nil
}

// remember saves a definition as one event.
func remember(c *ctx, key, value, what string) error {
	p := c.Model.Pages[0]
	if err := ensureRoot(c, p); err != nil {
		return err
	}
	was := ""
	for _, kv := range remembered(c.Model, key) {
		if kv[0] == "" {
			was = kv[1]
		}
	}
	d := c.Model.Draft()
	d.Change(p.Root(), func(t mxfile.Text) mxfile.Text { return t.WithData(key, value) })
	if err := commit(c, d, "define "+what, fmt.Sprintf("%s is already defined so: %s", what, value)); err != nil {
		return err
	}
	if was != "" {
		c.Changed("%s: %s (was %s); shapes that have it already stay as they are", what, value, was)
		return nil
	}
	c.Created("%s: %s", what, value)
	return nil
}

// ensureRoot founds a page that cannot hold cells yet.
func ensureRoot(c *ctx, p *mxfile.Page) error {
	if p.Root() != nil {
		return nil
	}
	d := c.Model.Draft()
	d.EnsureRoot(p)
	if err := c.Do(d.Edit(), "start the page"); err != nil {
		return err
	}
	if p.Root() == nil {
		return pdk.Errorf("page %s cannot hold cells", pageTitle(c.Model, p))
	}
	return nil
}

// remembered lists the properties of the pages' roots that start with prefix,
// without it; the first of a name counts.
func remembered(f *file, prefix string) [][2]string {
	if f == nil {
		return nil
	}
	var out [][2]string
	seen := map[string]bool{}
	for _, p := range f.Pages {
		r := p.Root()
		if r == nil || r.Wrapper == "" {
			continue
		}
		for _, kv := range r.Data() {
			if name, ok := strings.CutPrefix(kv[0], prefix); ok && !seen[name] {
				seen[name] = true
				out = append(out, [2]string{name, kv[1]})
			}
		}
	}
	return out
}

// defined finds a type that the document adds.
func defined(f *file, name string) (definition, bool) {
	for _, kv := range remembered(f, typeData) {
		if strings.EqualFold(kv[0], name) {
			return readDefinition(kv[0], kv[1])
		}
	}
	return definition{}, false
}

// themesOf lists the themes that the document adds.
func themesOf(f *file) []style.Theme {
	var out []style.Theme
	for _, kv := range remembered(f, themeData) {
		v := strings.Fields(kv[1])
		if len(v) < 2 || len(v) > 3 || definedName(kv[0]) != nil {
			continue
		}
		t := style.Theme{Name: kv[0], Fill: v[0], Stroke: v[1]}
		if len(v) == 3 {
			t.Font = v[2]
		}
		good := true
		for _, colour := range v {
			_, ok := style.Color(colour)
			good = good && ok
		}
		if good {
			out = append(out, t)
		}
	}
	return out
}

// themeNamed finds a theme, of this domain or of the document.
func themeNamed(f *file, name string) (style.Theme, bool) {
	if t, ok := style.ThemeNamed(name); ok {
		return t, true
	}
	for _, t := range themesOf(f) {
		if strings.EqualFold(t.Name, name) {
			return t, true
		}
	}
	return style.Theme{}, false
}

// help lists what a document adds.
func help(f *file) []abi.Section {
	if f == nil {
		return nil
	}
	var types, themes []string
	for _, kv := range remembered(f, typeData) {
		if d, ok := readDefinition(kv[0], kv[1]); ok {
			types = append(types, d.name+": "+d.brief())
		}
	}
	for _, t := range themesOf(f) {
		themes = append(themes, strings.TrimSpace(fmt.Sprintf("%s: fill %s stroke %s %s", t.Name, t.Fill, t.Stroke, t.Font)))
	}
	var out []abi.Section
	if packs := loaded(f); len(packs) > 0 {
		out = append(out, abi.Section{Title: "Packs loaded", Lines: packs})
	}
	if len(types) > 0 {
		out = append(out, abi.Section{Title: "Types of this document", Lines: types})
	}
	if len(themes) > 0 {
		out = append(out, abi.Section{Title: "Themes of this document", Lines: themes})
	}
	return out
}

// typeNamed finds a type as a user names it, of this domain, of the document or
// of a pack that it has loaded. Of the document it comes with its definition,
// whose theme, size and name are in the shape.
func typeNamed(f *file, word string) (style.Shape, definition, bool) {
	name := strings.ToLower(word)
	if t, ok := style.ShapeNamed(name); ok { // first, since most are
		return t, definition{}, true
	}
	d, ok := defined(f, name)
	if kinds := beginnings(f, name); !ok && len(kinds) == 1 {
		return typeNamed(f, kinds[0])
	}
	if !ok {
		if hits := stencils(f, name, false); len(hits) == 1 {
			s := hits[0]
			return style.Shape{Name: stencilKind(s), W: s.W, H: s.H, Style: s.Style}, d, true
		}
		if s, ok := libraryShape(word); ok {
			return s, d, true
		}
		return style.Shape{}, d, false
	}
	t, _ := style.ShapeNamed(d.base)
	if d.look != "" {
		t.Style = d.look
	}
	if theme, ok := themeNamed(f, d.theme); ok {
		t.Style = theme.Paint(t.Style)
	}
	if d.w > 0 {
		t.W, t.H = d.w, d.h
	}
	t.Name, t.Style = d.name, t.Style.Set(mxfile.DefinedKey, d.name)
	return t, d, true
}

// isType reports whether add makes shapes of that type in every document.
func isType(name string) bool {
	_, ok := style.ShapeNamed(name)
	return ok
}

func titleVerb() verb {
	return verb{Run: runTitle, Verb: abi.Verb{
		Name: "title", Syntax: "title TEXT", Summary: `name the document; "" removes the name`, Category: "pages",
		Brief: "title TEXT",
		Min:   1, Max: 1,
		Examples: []string{`title "Order system"`},
	}}
}

func runTitle(c *ctx, a pdk.Args) error {
	text := strings.TrimSpace(a.Text(0))
	if len(text) > 200 {
		return pdk.Errorf("the title is longer than 200 bytes")
	}
	p := c.Model.Pages[0]
	if err := ensureRoot(c, p); err != nil {
		return err
	}
	d := c.Model.Draft()
	d.Change(p.Root(), func(t mxfile.Text) mxfile.Text {
		if text == "" {
			return t.WithoutData(mxfile.TitleData)
		}
		return t.WithData(mxfile.TitleData, text)
	})
	was := fmt.Sprintf("title %s is set already", pdk.Quote(oneLine(text)))
	if text == "" {
		was = "the document has no title already"
	}
	if err := commit(c, d, "title "+text, was); err != nil {
		return err
	}
	c.Changed("title: %s", pdk.Quote(oneLine(text)))
	return nil
}
