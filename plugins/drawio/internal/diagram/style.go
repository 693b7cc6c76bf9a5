package diagram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

func styleParams() []abi.Param {
	heads := strings.Join(style.HeadNames(), "|")
	return []abi.Param{
		{Key: "theme", Value: "THEME"}, {Key: "fill", Value: "COLOUR"}, {Key: "stroke", Value: "COLOUR"}, {Key: "font-color", Value: "COLOUR"},
		{Key: "font", Value: "FAMILY"}, {Key: "font-size", Value: "1-400"}, {Key: "opacity", Value: "0-100"},
		{Key: "align", Value: "left|center|right"}, {Key: "valign", Value: "top|middle|bottom"}, {Key: "stroke-width", Value: "N"},
		{Key: "source-arrow", Value: heads}, {Key: "target-arrow", Value: heads},
		{Key: "exit", Value: "FACE[@0-1]|auto"}, {Key: "entry", Value: "FACE[@0-1]|auto"},
		{Key: "KEY", Value: "any style key of draw.io"},
	}
}

func styleVerb() verb {
	return verb{Run: runStyle, Verb: abi.Verb{
		Name: "style", Syntax: "style REF|SEL|REF ARROW REF [FLAG…] [key:value…]", Summary: "change how shapes, groups and edges look", Category: "looks",
		Brief:  "style REF|REF ARROW REF|SEL [FLAG…] [theme: fill: stroke: font-color: font: font-size: opacity:0-100 align: valign: stroke-width: source-arrow: target-arrow: exit: entry:, or any style key of draw.io]",
		Params: styleParams(), AnyParam: true, Select: true, Min: 0, Max: -1,
		Examples: []string{"style AuthService fill:#dae8fc bold", "style @type:db theme:green", "style A -> B dashed stroke:red", "style @edges curved no-shadow"},
	}}
}

func runStyle(c *ctx, a pdk.Args) error {
	cells, used, err := target(c, a, false)
	if err != nil {
		return err
	}
	changes, err := readChanges(c.Model, a, used, nil)
	if err != nil {
		return err
	}
	if changes.Len() == 0 {
		return pdk.Errorf("style needs something to change, such as theme:blue or bold").Tryf("style @all theme:blue")
	}
	d := c.Model.Draft()
	if err := restyle(d, cells, changes); err != nil {
		return err
	}
	what := list(cells, 1)
	if err := commit(c, d, "style "+what+" "+changes.Words(), cells...); err != nil {
		return err
	}
	say(c, cells, "%s: %s", what, changes.Words())
	return nil
}

// say reports a change of one cell, or of many in bulk.
func say(c *ctx, cells []*cell, format string, args ...any) {
	if len(cells) > 1 {
		c.Bulk(format, args...)
		return
	}
	c.Changed(format, args...)
}

// list names a few cells, or counts many.
func list(cells []*cell, most int) string {
	if len(cells) > most {
		edges := 0
		for _, c := range cells {
			if c.Edge {
				edges++
			}
		}
		switch edges {
		case 0:
			return plural(len(cells), "shape")
		case len(cells):
			return plural(len(cells), "edge")
		}
		return plural(len(cells)-edges, "shape") + " and " + plural(edges, "edge")
	}
	var out []string
	for _, c := range cells {
		if c.Edge {
			out = append(out, arrowText(c))
		} else {
			out = append(out, short(c))
		}
	}
	return strings.Join(out, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// readChanges checks the flags from positional `from` on, and every key that
// is not in skip.
func readChanges(f *file, a pdk.Args, from int, skip map[string]bool) (*style.Changes, error) {
	changes := style.Changes{More: themesOf(f)}
	for _, p := range a.Positionals[min(from, len(a.Positionals)):] {
		if err := changes.Flag(p.Text); err != nil {
			bad := pdk.Errorf("%s", err.Error()).Instead(p.Text, pdk.Nearest(p.Text, style.Flags())...)
			if x, none := shape(f, p.Text, true); none == nil && len(a.Selectors) == 0 {
				return nil, pdk.Errorf("%s takes one reference or a selector; %s is one too many", a.Verb, short(x)).Tryf("%s", without(a, p.Text))
			}
			if _, ok := style.Color(p.Text); ok {
				return nil, pdk.Errorf("%s; a colour goes behind fill: or stroke:", err.Error()).Tryf("%s fill:%s", without(a, p.Text), pdk.Quote(p.Text))
			}
			if len(pdk.Nearest(p.Text, style.Flags())) == 0 {
				bad.Message += "; styles: " + strings.Join(append(style.LineFlags(), "underline"), " ")
				bad.Tryf("%s bold", without(a, p.Text))
			}
			return nil, bad
		}
	}
	for _, kv := range a.Params {
		if skip[kv.Key] {
			continue
		}
		if key := calledHere(kv.Key, kv.Value); key != "" {
			return nil, pdk.Errorf("unknown style key %q; it is called %s here", kv.Key, key).Tryf("%s", respelled(a, kv.Key, key))
		}
		if err := setting(f, &changes, kv.Key, kv.Value); err != nil {
			if slices.Contains(style.KeyNames(), kv.Key) {
				return nil, err
			}
			for _, near := range pdk.Nearest(kv.Key, style.KeyNames()) {
				if setting(f, &style.Changes{}, near, kv.Value) == nil {
					return nil, pdk.Errorf("%s", err.Error()).Tryf("%s", respelled(a, kv.Key, near))
				}
			}
			return nil, err
		}
	}
	return &changes, nil
}

// calledHere is the key that others spell so, "" where this domain or draw.io
// has the key itself.
func calledHere(key, value string) string {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key)) {
	case "color", "colour", "backgroundcolor", "bg", "bgcolor":
		return "fill"
	case "background": // of BPMN symbols, a word
		if _, ok := style.Color(value); ok {
			return "fill"
		}
	case "border", "bordercolor", "linecolor", "line":
		return "stroke"
	case "textcolor", "textcolour":
		return "font-color"
	case "textsize":
		return "font-size"
	case "linewidth", "borderwidth", "thickness":
		return "stroke-width"
	case "alpha", "transparency":
		return "opacity"
	}
	return ""
}

// printed prints an op without its block, with keep deciding on its words and
// key on its keys.
func printed(a pdk.Args, keep func(text string) bool, key func(string) string) string {
	var b strings.Builder
	b.WriteString(a.Verb)
	for i, p := range a.Positionals {
		switch {
		case a.IsArrow(i):
			b.WriteString(" " + p.Text)
		case keep(p.Text):
			b.WriteString(" " + pdk.Quote(p.Text))
		}
	}
	if len(a.Selectors) > 0 {
		b.WriteString(" " + selectorText(a.Selectors))
	}
	for _, kv := range a.Params {
		b.WriteString(" " + key(kv.Key) + ":" + pdk.Quote(kv.Value))
	}
	return b.String()
}

// without prints an op without one of its words.
func without(a pdk.Args, word string) string {
	return printed(a, func(t string) bool { return t != word }, func(k string) string { return k })
}

// respelled prints an op with another key in the place of one of its own.
func respelled(a pdk.Args, from, to string) string {
	return printed(a, func(string) bool { return true }, func(k string) string {
		if k == from {
			return to
		}
		return k
	})
}

// setting adds a change by key and value.
func setting(f *file, changes *style.Changes, key, value string) error {
	if _, ok := themeNamed(f, value); key == "theme" && !ok {
		return unknownTheme(f, value)
	}
	if err := changes.Set(key, value); err != nil {
		return pdk.Errorf("%s", err.Error()).Instead(value, meant(key, value)...)
	}
	return nil
}

// meant are values for a style's key that somebody may have meant who wrote
// value, nothing where the key takes many.
func meant(key, value string) []string {
	nearest := func(words []string, usual string) []string {
		if near := pdk.Nearest(value, words); len(near) > 0 {
			return near[:1]
		}
		return []string{usual}
	}
	switch key {
	case "fill", "stroke", "font-color", "fillColor", "strokeColor", "fontColor":
		return nearest(style.ColorNames(), "#dae8fc")
	case "source-arrow", "target-arrow", "startArrow", "endArrow":
		return nearest(style.HeadNames(), "open")
	case "align":
		return nearest([]string{"left", "center", "right"}, "center")
	case "valign":
		return nearest([]string{"top", "middle", "bottom"}, "middle")
	case "exit", "entry":
		return nearest([]string{"left", "right", "top", "bottom", "auto"}, "right")
	case "font", "fontFamily":
		return []string{"Helvetica"}
	case "font-size", "fontSize":
		return []string{"14"}
	case "opacity", "fillOpacity", "strokeOpacity", "textOpacity", "shadowOpacity":
		return []string{"50"}
	case "stroke-width", "strokeWidth":
		return []string{"2"}
	}
	takes := func(v string) bool { return new(style.Changes).Set(key, v) == nil }
	for _, usual := range []string{"1", "#dae8fc"} {
		if takes(usual) && !takes("any words") {
			return []string{usual}
		}
	}
	return nil
}

// restyle drafts the changes for each cell.
func restyle(d *mxfile.Draft, cells []*cell, changes *style.Changes) error {
	type look struct {
		style style.Style
		edge  bool
	}
	done := map[look]style.Style{} // many cells have few styles
	for _, x := range cells {
		was := look{x.Style, x.Edge}
		s, ok := done[was]
		if !ok {
			kind := style.Vertex
			if x.Edge {
				kind = style.Edge
			}
			var err error
			if s, err = changes.Apply(x.Style, kind); err != nil {
				return pdk.Errorf("%s: %s", list([]*cell{x}, 1), err.Error())
			}
			done[was] = s
		}
		if s != x.Style {
			d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithStyle(s) })
		}
	}
	return nil
}
