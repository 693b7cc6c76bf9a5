package queries

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// lineOf prints an element on one line: name, type, box and its most visible
// properties.
func lineOf(f *drawing, sc *scene.Scene, n *node) string {
	var b strings.Builder
	b.WriteString(f.Typed(n))
	if box2, ok := sc.Box(n); ok {
		b.WriteString(" " + f.BoxOf(n, box2))
	}
	if f.IsText(n) {
		b.WriteString(" " + model.QuoteText(n.FullText(), 60))
	} else if label := f.Label(n); label != "" {
		b.WriteString(" " + model.QuoteText(label, 60))
	}
	b.WriteString(ownStyle(f, sc, n))
	if !sc.Shown(n) {
		b.WriteString(" hidden")
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if typ := p.Type; typ != "defs" && typ != "symbol" && model.Definition(typ) && !svgdom.Draws(typ) && svgdom.Draws(n.Type) {
			b.WriteString(" in " + typ + " " + f.Ref(p))
			break
		}
	}
	return b.String()
}

// ownStyle prints the properties that an element itself sets.
func ownStyle(f *drawing, sc *scene.Scene, n *node) string {
	var b strings.Builder
	for _, p := range []string{"fill", "stroke", "stroke-width", "opacity", "filter", "clip-path", "mask"} {
		if v, from := sc.Own(n, p); from != svgdom.Nowhere {
			if v == "none" && p != "fill" && (n.Parent == nil || sc.Value(n.Parent, p) == "none") {
				continue
			}
			if k, unit, ok := svgdom.Split(v); ok && (p == "opacity" || p == "stroke-width") {
				if v = model.Short(k) + unit; p == "opacity" && v == "1" {
					continue
				}
			}
			if p == "stroke-width" && sc.Value(n, "stroke") == "none" && !svgdom.Group(n.Type) {
				continue
			}
			if id := css.Reference(v); id != "" {
				v = id
			}
			b.WriteString(" " + p + ":" + strings.NewReplacer("( ", "(", ", ", ",").Replace(model.Line(v, 40)))
		}
	}
	if c := n.Get("class"); c != "" {
		b.WriteString(" ." + strings.Join(strings.Fields(c), "."))
	}
	if href, _ := n.Href(); href != "" {
		b.WriteString(" -> " + model.Line(href, 60))
	}
	return b.String()
}

func mapQuery() query {
	return query{Run: runMap, Query: abi.Query{Syntax: "map", Brief: "map · what is drawn, with boxes", Summary: "what is drawn, by group, with boxes on the canvas, the definitions, and warnings"}}
}

// maxMapDepth is the maximum depth of the map; deeper groups are summarized.
const maxMapDepth = 4

// mapLine is a line of the map: an element, and the unnamed groups around it that
// contain nothing else.
type mapLine struct {
	around []*node
	n      *node
	depth  int
}

// mapOrder yields the lines of the map, without empty unnamed groups.
func mapOrder(f *drawing) iter.Seq[mapLine] {
	return func(yield func(mapLine) bool) {
		var walk func(n *node, depth int) bool
		walk = func(n *node, depth int) bool {
			for c := range n.Kids() {
				at := mapLine{n: c, depth: depth}
				for only, single := wraps(f, at.n); single; only, single = wraps(f, at.n) {
					if only == nil {
						at.n = nil
						break
					}
					at.around, at.n = append(at.around, at.n), only
				}
				if at.n == nil || !svgdom.Draws(at.n.Type) {
					continue
				}
				if !yield(at) || svgdom.Group(at.n.Type) && depth < maxMapDepth && !walk(at.n, depth+1) {
					return false
				}
			}
			return true
		}
		walk(f.Root, 1)
	}
}

// wraps reports whether an element is an unnamed group that draws at most one element,
// and returns that element, or nil.
func wraps(f *drawing, n *node) (only *node, ok bool) {
	if n.Type != "g" || n.ID() != "" {
		return nil, false
	}
	for c := range n.Kids() {
		if !svgdom.Draws(c.Type) {
			if c.Type == "title" {
				return nil, false
			}
			continue
		}
		if only != nil {
			return nil, false
		}
		only = c
	}
	return only, f.Label(n) == ""
}

func runMap(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	sc := f.Scene()
	p := v.Page()
	now := model.State(f)
	p.Line(func(b []byte) []byte {
		b = append(b, "map: "+now.Digest...)
		if t := f.Title(); t != "" {
			b = append(b, " "+model.QuoteText(t, 200)...)
		}
		return b
	})
	whole := true
	for at := range mapOrder(f) {
		whole = p.Line(func(b []byte) []byte {
			b = append(b, strings.Repeat("  ", at.depth)...)
			for _, g := range at.around {
				b = append(b, f.Ref(g)+ownStyle(f, sc, g)+" > "...)
			}
			b = append(b, lineOf(f, sc, at.n)...)
			if svgdom.Group(at.n.Type) && at.depth == maxMapDepth && at.n.First != nil {
				b = fmt.Appendf(b, ": %s inside%s", pdk.Count(at.n.Count()-1, "element"), colorsIn(f, sc, at.n))
			}
			return b
		})
		if !whole {
			break
		}
	}
	if whole {
		if defs := allDefs(f); len(defs) > 0 {
			p.Line(func(b []byte) []byte { return append(b, "defs: "+strings.Join(defs, ", ")...) })
		}
		for _, w := range now.Warnings {
			p.Line(func(b []byte) []byte { return append(b, "warning: "+w...) })
		}
	}
	return p.Answer(mapLines(f) + len(now.Warnings)), nil
}

// mapLines returns the number of lines of the map without warnings.
func mapLines(f *drawing) int {
	lines := 1
	for range mapOrder(f) {
		lines++
	}
	if len(allDefs(f)) > 0 {
		lines++
	}
	return lines
}

// colorsIn prints the colours of what a group of the map contains.
func colorsIn(f *drawing, sc *scene.Scene, group *node) string {
	const most = 6
	var out []string
	for n := range group.All() {
		for _, p := range []string{"fill", "stroke"} {
			v, from := sc.Own(n, p)
			if c, ok := csscolor.Parse(v); ok && from != svgdom.Nowhere && n != group && !slices.Contains(out, model.Hex(c)) {
				out = append(out, model.Hex(c))
			}
		}
	}
	if len(out) > most {
		out = append(out[:most], "…")
	}
	if len(out) == 0 {
		return ""
	}
	return ", " + strings.Join(out, " ")
}

// allDefs returns the names of the definitions, paints, clips and the like, and how many there are of a type of which
// there are many.
func allDefs(f *drawing) (out []string) {
	const most = 6
	var types []string
	names := map[string][]string{}
	for n := range f.Root.All() {
		if t := n.Type; model.Definition(t) && !svgdom.Draws(t) {
			if names[t] == nil {
				types = append(types, t)
			}
			names[t] = append(names[t], f.Typed(n))
		}
	}
	for _, t := range types {
		list := names[t]
		if len(list) > most {
			list = []string{pdk.Count(len(list), t)}
		}
		out = append(out, list...)
	}
	return out
}

func listQuery() query {
	return query{Run: runList, Query: abi.Query{Syntax: "list [REF…|SEL]", Summary: "elements that draw, or those named or what selectors match"}}
}

func runList(v *view, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	list, err := f.Resolve(a.Texts(0))
	sels := a.Selectors
	if len(list) == 0 && len(sels) == 0 {
		sels = []abi.Select{{Raw: "@all", Type: "all"}}
	}
	if err == nil && len(sels) > 0 {
		var found []*node
		found, err = f.Matches(v.Recent, sels, false)
		list = model.Union(list, found)
	}
	if err != nil {
		return abi.QueryResponse{}, err
	}
	if len(list) == 0 {
		return abi.QueryResponse{Text: "nothing"}, nil
	}
	sc := f.Scene()
	p := v.Page()
	p.Line(func(b []byte) []byte { return append(b, pdk.Count(len(list), "element")...) })
	for _, n := range list {
		if !p.Line(func(b []byte) []byte { return append(b, lineOf(f, sc, n)...) }) {
			break
		}
	}
	return p.Answer(len(list) + 1), nil
}

func findQuery() query {
	return query{Run: runFind, Query: abi.Query{Syntax: "find TEXT…", Brief: "find TEXT", Summary: "elements whose id, class, label, title or text contains it"}}
}

func runFind(v *view, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	text := strings.ToLower(strings.Join(a.Texts(0), " "))
	if text == "" {
		return abi.QueryResponse{}, pdk.Errorf("find needs a text")
	}
	sc := f.Scene()
	p := v.Page()
	for n := range f.Root.All() {
		hit := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
		if n != f.Root && (hit(n.ID()) || hit(n.Get("class")) || hit(f.Label(n))) {
			p.Line(func(b []byte) []byte { return append(b, lineOf(f, sc, n)...) })
		}
	}
	return p.AnswerOr("nothing has " + pdk.Quote(text)), nil
}

func statsQuery() query {
	return query{Query: abi.Query{Syntax: "stats", Summary: "counts of elements by type, bytes, canvas"}, Run: func(v *view, _ pdk.Args) (abi.QueryResponse, error) {
		f := v.Model
		var types []string
		for t, n := range f.Counts() {
			if n > 0 {
				types = append(types, t)
			}
		}
		slices.SortFunc(types, func(a, b string) int { return cmp.Or(f.Count(b)-f.Count(a), strings.Compare(a, b)) })
		for i, t := range types {
			types[i] = fmt.Sprintf("%d %s", f.Count(t), t)
		}
		sc := f.Scene()
		w, h := sc.Size()
		out := fmt.Sprintf("%s\nelements: %s\nshown %sx%s, canvas %s, %d bytes", model.State(f).Digest, strings.Join(types, ", "), model.Short(w), model.Short(h), model.Box(sc.Canvas()), len(f.Text()))
		if b, ok := sc.Painted(f.Root); ok {
			out += "\ndrawn " + model.Box(b)
		}
		if l := f.Layers(); len(l) > 0 {
			var names []string
			for _, n := range l {
				names = append(names, pdk.Quote(f.LayerName(n)))
			}
			out += "\nlayers from below: " + strings.Join(names, ", ")
		}
		return abi.QueryResponse{Text: out}, nil
	}}
}
