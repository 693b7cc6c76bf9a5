package drawing

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

func defsQuery() query {
	return query{Run: runDefs, Query: abi.Query{Syntax: "defs", Summary: "definitions with their content and how often they are used, and classes"}}
}

func runDefs(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	uses := map[string]int{}
	for n := range f.Root.All() {
		refers(n, func(id string) { uses[id]++ })
	}
	p := v.Page()
	for n := range f.Root.All() {
		if t := f.Type(n); definition(t) && (!scene.Draws(t) || n.Parent != nil && f.Type(n.Parent) == "defs") {
			p.Line(func(b []byte) []byte {
				return fmt.Appendf(b, "%s%s, used %s", f.head(n), f.definitionText(n), times(uses[n.ID()]))
			})
		}
	}
	for r := range f.rules() {
		p.Line(func(b []byte) []byte {
			var body []string
			for _, d := range r.Body {
				body = append(body, d.Name+":"+d.Value)
			}
			return append(b, "rule "+line(r.Text, 100)+" { "+line(strings.Join(body, "; "), 300)+" }"...)
		})
	}
	return p.AnswerOr("no definitions"), nil
}

// rules yields the rules of the style elements.
func (f *Drawing) rules() iter.Seq[css.Rule] {
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
func (f *Drawing) definitionText(n *node) string {
	var parts []string
	for c := range n.Kids() {
		if f.Type(c) == "stop" {
			color := c.Get("stop-color")
			if v, ok := css.Get(c.Get("style"), "stop-color"); ok {
				color = v
			}
			parts = append(parts, color+" "+c.Get("offset"))
		} else {
			parts = append(parts, f.Type(c))
		}
		if len(parts) == 8 {
			parts = append(parts, "…")
			break
		}
	}
	if href, _ := n.Href(); href != "" {
		parts = append(parts, "as "+line(href, 60))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
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
	for _, n := range f.unused(true, true) {
		why := " empty"
		if f.Type(n.Parent) == "defs" {
			why = " never referred to"
		}
		p.Line(func(b []byte) []byte { return append(b, f.head(n)+why...) })
	}
	for r := range f.rules() {
		if !anyWithin(f.Root, func(n *node) bool { return r.Matches(f.Doc, n) }) {
			p.Line(func(b []byte) []byte { return append(b, "rule "+line(r.Text, 100)+" matches nothing"...) })
		}
	}
	return p.AnswerOr("nothing is unused"), nil
}

// tally counts values and keeps the first elements that have each value.
type tally struct {
	keys  []string
	count map[string]int
	who   map[string][]*node
}

func (t *tally) add(key string, n *node) {
	if t.count == nil {
		t.count, t.who = map[string]int{}, map[string][]*node{}
	}
	if t.count[key]++; t.count[key] == 1 {
		t.keys = append(t.keys, key)
	}
	if len(t.who[key]) < 4 {
		t.who[key] = append(t.who[key], n)
	}
}

func (t *tally) answer(v *view, none string) (abi.QueryResponse, error) {
	slices.SortStableFunc(t.keys, func(a, b string) int { return t.count[b] - t.count[a] })
	p := v.Page()
	for _, k := range t.keys {
		p.Line(func(b []byte) []byte {
			b = append(b, k+" "+times(t.count[k])+": "+v.Model.names(t.who[k])...)
			if t.count[k] > len(t.who[k]) {
				b = append(b, " …"...)
			}
			return b
		})
	}
	return p.AnswerOr(none), nil
}

func colorsQuery() query {
	return query{Query: abi.Query{Syntax: "colors", Summary: "colours that elements set, in any notation, with how often and where"}, Run: func(v *view, _ pdk.Args) (abi.QueryResponse, error) {
		return v.Model.palette().answer(v, "no colours are set: everything is black")
	}}
}

// palette counts the colours that elements set.
func (f *Drawing) palette() *tally {
	sc := f.scene()
	t := &tally{}
	for n := range f.Root.All() {
		for _, p := range colorProperties {
			value, from := sc.Own(n, p)
			if c, ok := csscolor.Parse(value); ok && from != scene.Nowhere {
				t.add(hex(c)+" "+p, n)
			}
		}
	}
	return t
}

// hex prints a colour as #rrggbb, with two more digits if it is not opaque.
func hex(c csscolor.Color) string {
	b := func(f float64) int { return int(f*255 + 0.5) }
	s := fmt.Sprintf("#%02x%02x%02x", b(c.R), b(c.G), b(c.B))
	if c.A < 1 {
		s += fmt.Sprintf("%02x", b(c.A))
	}
	return s
}

func fontsQuery() query {
	return query{Run: runFonts, Query: abi.Query{Syntax: "fonts", Summary: "fonts of the texts, with sizes"}}
}

func runFonts(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	sc := f.scene()
	var t tally
	for n := range f.Root.All() {
		if typ := f.Type(n); typ != "text" && typ != "tspan" || strings.TrimSpace(n.Text()) == "" {
			continue
		}
		weight := ""
		if scene.Bold(sc.Value(n, "font-weight")) {
			weight = " bold"
		}
		t.add(line(cmp.Or(sc.Value(n, "font-family"), "(default)"), 80)+" "+short(sc.FontSize(n))+weight, n)
	}
	return t.answer(v, "no texts")
}
