package drawing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

func defsQuery() query {
	return query{Query: abi.Query{Name: "defs", Takes: &abi.Takes{}, Syntax: "defs", Brief: "defs", Summary: "definitions with their content and how often they are used, and classes"}, Run: func(v *view, _ pdk.Args) (abi.QueryResponse, error) {
		f := v.Model
		uses := map[string]int{}
		for n := range f.Root.All() {
			refers(n, func(id string) { uses[id]++ })
		}
		p := v.Page()
		some := false
		for n := range f.Root.All() {
			t := f.Type(n)
			if !definition(t) || scene.Draws(t) && (n.Parent == nil || f.Type(n.Parent) != "defs") {
				continue
			}
			some = true
			p.Line(func(b []byte) []byte {
				return fmt.Appendf(b, "%s%s, used %s", f.head(n), f.definitionText(n), times(uses[n.ID()]))
			})
		}
		sheets, _ := f.Sheets()
		for _, s := range sheets {
			for _, r := range css.Parse(s.Text()).Rules {
				some = true
				p.Line(func(b []byte) []byte {
					var body []string
					for _, d := range r.Body {
						body = append(body, d.Name+":"+d.Value)
					}
					return append(b, "rule "+line(r.Text, 100)+" { "+line(strings.Join(body, "; "), 300)+" }"...)
				})
			}
		}
		if !some {
			return abi.QueryResponse{Text: "no definitions"}, nil
		}
		return p.Answer(0), nil
	}}
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
	return query{Query: abi.Query{Name: "unused", Takes: &abi.Takes{}, Syntax: "unused", Brief: "unused", Summary: "definitions that nothing refers to, empty groups, classes that nothing has"}, Run: func(v *view, _ pdk.Args) (abi.QueryResponse, error) {
		f := v.Model
		if n := f.Count("script"); n > 0 {
			return abi.QueryResponse{Text: "there is " + plural(n, "script") + ", which may use anything"}, nil
		}
		var out []string
		for _, n := range f.unused(true, true) {
			if f.Type(n.Parent) == "defs" {
				out = append(out, f.head(n)+" never referred to")
			} else {
				out = append(out, f.head(n)+" empty")
			}
		}
		sheets, _ := f.Sheets()
		for _, s := range sheets {
			for _, r := range css.Parse(s.Text()).Rules {
				used := false
				for n := range f.Root.All() {
					used = used || slices.ContainsFunc(r.Selectors, func(sel css.Selector) bool { return sel.Matches(f.Doc, n) })
				}
				if !used {
					out = append(out, "rule "+line(r.Text, 100)+" matches nothing")
				}
			}
		}
		if len(out) == 0 {
			return abi.QueryResponse{Text: "nothing is unused"}, nil
		}
		return abi.QueryResponse{Text: strings.Join(out, "\n")}, nil
	}}
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

func (t *tally) answer(f *Drawing, none string) abi.QueryResponse {
	slices.SortStableFunc(t.keys, func(a, b string) int { return t.count[b] - t.count[a] })
	var out []string
	for _, k := range t.keys {
		text := k + " " + times(t.count[k]) + ": " + f.names(t.who[k])
		if t.count[k] > len(t.who[k]) {
			text += " …"
		}
		out = append(out, text)
	}
	if len(out) == 0 {
		return abi.QueryResponse{Text: none}
	}
	return abi.QueryResponse{Text: strings.Join(out, "\n")}
}

func colorsQuery() query {
	return query{Query: abi.Query{Name: "colors", Takes: &abi.Takes{}, Syntax: "colors", Brief: "colors", Summary: "colours that elements set, in any notation, with how often and where"}, Run: func(v *view, _ pdk.Args) (abi.QueryResponse, error) {
		return v.Model.palette().answer(v.Model, "no colours are set: everything is black"), nil
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
	return query{Query: abi.Query{Name: "fonts", Takes: &abi.Takes{}, Syntax: "fonts", Brief: "fonts", Summary: "fonts of the texts, with sizes"}, Run: func(v *view, _ pdk.Args) (abi.QueryResponse, error) {
		f := v.Model
		sc := f.scene()
		var t tally
		for n := range f.Root.All() {
			if typ := f.Type(n); typ != "text" && typ != "tspan" || strings.TrimSpace(n.Text()) == "" {
				continue
			}
			family := sc.Value(n, "font-family")
			if family == "" {
				family = "(default)"
			}
			weight := ""
			if scene.Bold(sc.Value(n, "font-weight")) {
				weight = " bold"
			}
			t.add(line(family, 80)+" "+short(sc.FontSize(n))+weight, n)
		}
		return t.answer(f, "no texts"), nil
	}}
}
