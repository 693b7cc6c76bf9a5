package queries

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

func defsQuery() query {
	return query{Run: runDefs, Query: abi.Query{Syntax: "defs", Summary: "definitions with their content and how often they are used, and classes"}}
}

func runDefs(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	uses := map[string]int{}
	for n := range f.Root.All() {
		model.Refers(n, func(id string) { uses[id]++ })
	}
	p := v.Page()
	for n := range f.Root.All() {
		if t := n.Type; model.Definition(t) && (!svgdom.Draws(t) || n.Parent != nil && n.Parent.Type == "defs") {
			p.Line(func(b []byte) []byte {
				return fmt.Appendf(b, "%s%s, used %s", f.Typed(n), definitionText(f, n), model.Times(uses[n.ID()]))
			})
		}
	}
	for r := range rules(f) {
		p.Line(func(b []byte) []byte {
			var body []string
			for _, d := range r.Body {
				body = append(body, d.Name+":"+d.Value)
			}
			return append(b, "rule "+model.Line(r.Text, 100)+" { "+model.Line(strings.Join(body, "; "), 300)+" }"...)
		})
	}
	return p.AnswerOr("no definitions"), nil
}

// rules yields the rules of the style elements.
func rules(f *drawing) iter.Seq[css.Rule] {
	return func(yield func(css.Rule) bool) {
		sheets, _ := f.Sheets()
		for _, s := range sheets {
			for _, r := range css.Parse(s.Text()).Rules {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// definitionText prints what a definition contains.
func definitionText(f *drawing, n *node) string {
	var parts []string
	for c := range n.Kids() {
		if c.Type == "stop" {
			color := c.Get("stop-color")
			if v, ok := css.Get(c.Get("style"), "stop-color"); ok {
				color = v
			}
			parts = append(parts, color+" "+c.Get("offset"))
		} else {
			parts = append(parts, c.Type)
		}
		if len(parts) == 8 {
			parts = append(parts, "…")
			break
		}
	}
	if href, _ := n.Href(); href != "" {
		parts = append(parts, "as "+model.Line(href, 60))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

func unusedQuery() query {
	return query{Run: runUnused, Query: abi.Query{Syntax: "unused", Summary: "definitions that nothing refers to, empty groups, classes that nothing has"}}
}

func runUnused(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	if n := f.Count("script"); n > 0 {
		return abi.QueryResponse{Text: "there is " + pdk.Count(n, "script") + ", which may use anything"}, nil
	}
	p := v.Page()
	for _, n := range f.Unused(true, true) {
		why := " empty"
		if n.Parent.Type == "defs" {
			why = " never referred to"
		}
		p.Line(func(b []byte) []byte { return append(b, f.Typed(n)+why...) })
	}
	var m svgdom.Matcher
	for r := range rules(f) {
		if !model.AnyWithin(f.Root, func(n *node) bool { return m.Any(r.Selectors, n) }) {
			p.Line(func(b []byte) []byte { return append(b, "rule "+model.Line(r.Text, 100)+" matches nothing"...) })
		}
	}
	return p.AnswerOr("nothing is unused"), nil
}

func answer(t *model.Tally, v *view, none string) (abi.QueryResponse, error) {
	slices.SortStableFunc(t.Keys, func(a, b string) int { return t.Count[b] - t.Count[a] })
	p := v.Page()
	for _, k := range t.Keys {
		p.Line(func(b []byte) []byte {
			b = append(b, k+" "+model.Times(t.Count[k])+": "+v.Model.Refs(t.Who[k])...)
			if t.Count[k] > len(t.Who[k]) {
				b = append(b, " …"...)
			}
			return b
		})
	}
	return p.AnswerOr(none), nil
}

func colorsQuery() query {
	return query{Query: abi.Query{Syntax: "colors", Summary: "colours that elements set, in any notation, with how often and where"}, Run: func(v *view, _ pdk.Args) (abi.QueryResponse, error) {
		return answer(v.Model.Palette(), v, "no colours are set: everything is black")
	}}
}

func fontsQuery() query {
	return query{Run: runFonts, Query: abi.Query{Syntax: "fonts", Summary: "fonts of the texts, with sizes"}}
}

func runFonts(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	sc := f.Scene()
	t := &model.Tally{}
	for n := range f.Root.All() {
		if typ := n.Type; typ != "text" && typ != "tspan" || strings.TrimSpace(n.Text()) == "" {
			continue
		}
		weight := ""
		if svgdom.Bold(sc.Value(n, "font-weight")) {
			weight = " bold"
		}
		t.Add(model.Line(cmp.Or(sc.Value(n, "font-family"), "(default)"), 80)+" "+model.Short(sc.FontSize(n))+weight, n)
	}
	return answer(t, v, "no texts")
}
