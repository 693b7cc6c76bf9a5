package diagram

import (
	"fmt"
	"maps"
	"math"
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
		{Key: "exit", Value: "FACE[@0-1]|none"}, {Key: "entry", Value: "FACE[@0-1]|none"},
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
		return pdk.Errorf("style needs something to change, such as theme:blue or bold")
	}
	d := c.Model.Draft()
	if err := restyle(d, a, cells, changes); err != nil {
		return err
	}
	what := list(cells, 1)
	if err := commit(c, d, "style "+what+" "+changes.Words(), already(cells, "in that style", changes.Words()), cells...); err != nil {
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
	for i := min(from, len(a.Positionals)); i < len(a.Positionals); i++ {
		if err := changes.Flag(a.Text(i)); err != nil {
			return nil, noFlag(f, a, from, i, err)
		}
	}
	for _, kv := range a.Params {
		if skip[kv.Key] {
			continue
		}
		key := calledHere(kv.Key, kv.Value)
		if err := setting(f, &changes, key, kv.Value); err != nil {
			if slices.Contains(style.KeyNames(), style.Key(key)) || slices.Contains(style.Flags(), style.Key(key)) {
				return nil, err
			}
			return nil, noKey(f, a, kv, skip, err.Error())
		}
	}
	return &changes, nil
}

// noFlag refuses word i, which is no flag though it stands behind what the op
// is about, which takes the words before from.
func noFlag(f *file, a pdk.Args, from, i int, why error) error {
	word := a.Text(i)
	if a.IsArrow(i) {
		err := pdk.Errorf("%s takes one of: a reference, REF ARROW REF, a selector", a.Verb)
		if _, none := shape(f, a.Text(i+1), true); none == nil {
			err.TryQuery("connections " + pdk.Quote(a.Text(i+1)))
		}
		return err
	}
	if x, none := shape(f, word, true); none == nil {
		err := pdk.Errorf("%s takes one reference or a selector; %s is one too many", a.Verb, short(x))
		if from == 1 {
			err.Try(a.Mended(pdk.WithoutWord(i)), a.Mended(pdk.WithWords(0, 1, word), pdk.WithoutWord(i)))
		}
		return err
	}
	if _, ok := style.Color(word); ok {
		return pdk.Errorf("%s; a colour goes after fill: or stroke:", why.Error()).Try(a.Mended(pdk.WithoutWord(i), pdk.WithParam("fill", word)))
	}
	err := pdk.Errorf("%s", why.Error())
	if key, value, ok := strings.Cut(word, ":"); ok && key == "text" && a.Verb == "modify" { // which reads as a shape's name
		return err.Try(a.Mended(pdk.WithoutWord(i), pdk.WithParam("label", value)))
	}
	near := pdk.Nearest(word, style.Flags())
	if len(near) == 0 {
		err.Message += "; styles: " + strings.Join(append(style.LineFlags(), "underline"), " ")
	}
	for _, n := range near {
		err.Try(a.Mended(pdk.WithWords(i, 1, n)))
	}
	return err
}

// noKey refuses a key that is none of the verb's own, nor one of a style. The
// nearest of those that take the value may have been meant.
func noKey(f *file, a pdk.Args, kv abi.KeyValue, own map[string]bool, why string) error {
	err := pdk.Errorf("%s", why)
	if _, _, none := direction(strings.TrimSuffix(kv.Key, "-of")); none == nil && own["near"] && !a.Has("near") && !a.Has("dir") {
		return err.Try(a.Mended(pdk.Without(kv.Key), pdk.WithParam("near", kv.Value), pdk.WithParam("dir", strings.TrimSuffix(kv.Key, "-of"))))
	}
	if slices.Contains(style.Flags(), strings.ToLower(kv.Value)) { // fontWeight:bold
		return err.Try(a.Mended(pdk.Without(kv.Key), pdk.WithWords(len(a.Positionals), 0, strings.ToLower(kv.Value))))
	}
	for _, near := range pdk.Nearest(kv.Key, slices.Sorted(maps.Keys(own))) {
		if !a.Has(near) && builtWith(a, near) {
			err.Try(a.Mended(pdk.WithKey(kv.Key, near)))
		}
	}
	if len(kv.Key) < 2 { // near to anything
		return err
	}
	for _, near := range pdk.Nearest(kv.Key, append(style.KeyNames(), "color", "colour", "background", "border")) {
		if !a.Has(near) && !own[near] && setting(f, &style.Changes{More: themesOf(f)}, calledHere(near, kv.Value), kv.Value) == nil {
			err.Try(a.Mended(pdk.WithKey(kv.Key, near))) // several are often one key under two names
			break
		}
	}
	if len(err.Tries) == 0 {
		err.Try(a.Mended(pdk.Without(kv.Key)))
	}
	return err
}

var plainKey = strings.NewReplacer("-", "", "_", "")

// calledHere is the key that others spell so, and the key itself where this
// domain or draw.io has it.
func calledHere(key, value string) string {
	switch plainKey.Replace(strings.ToLower(key)) {
	case "color", "colour", "backgroundcolor", "backgroundcolour", "bg", "bgcolor", "fillcolour":
		return "fill"
	case "background": // of BPMN symbols, a word
		if _, ok := style.Color(value); ok {
			return "fill"
		}
	case "border", "bordercolor", "bordercolour", "linecolor", "linecolour", "line", "strokecolour":
		return "stroke"
	case "textcolor", "textcolour", "fontcolour":
		return "font-color"
	case "textsize":
		return "font-size"
	case "linewidth", "borderwidth", "thickness":
		return "stroke-width"
	case "alpha", "transparency":
		return "opacity"
	}
	return style.Key(key)
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
// value: the nearest word that it takes, the nearest number.
func meant(key, value string) []string {
	if lo, hi, ok := style.NumberRange(key); ok {
		if n, ok := parseNumber(value); ok {
			return []string{mxfile.Num(math.Max(lo, math.Min(hi, n)))}
		}
		return nil
	}
	word, place, placed := strings.Cut(value, "@")
	var out []string
	words := slices.Concat(style.ColorNames(), style.HeadNames(), sides(), []string{"auto", "true", "false"})
	for _, w := range pdk.Nearest(word, words) {
		if placed {
			w += "@" + place
		}
		if new(style.Changes).Set(key, w) == nil && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// restyle drafts the changes for each cell.
func restyle(d *mxfile.Draft, a pdk.Args, cells []*cell, changes *style.Changes) error {
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
		if x.Edge {
			from, to := ends(x)
			s = seatPorts(a, s, from, to)
		}
		if s != x.Style {
			d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithStyle(s) })
		}
	}
	return nil
}
