package drawing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// head prints the name and type of an element.
func (f *Drawing) head(n *node) string { return f.name(n) + "(" + f.Type(n) + ")" }

// lineOf prints an element on one line: name, type, box and its most visible
// properties.
func (f *Drawing) lineOf(sc *scene.Scene, n *node) string {
	var b strings.Builder
	b.WriteString(f.head(n))
	if box2, ok := sc.Box(n); ok {
		b.WriteString(" " + f.boxOf(n, box2))
	}
	if f.isText(n) {
		b.WriteString(" " + quoteText(n.FullText(), 60))
	} else if label := f.label(n); label != "" {
		b.WriteString(" " + quoteText(label, 60))
	}
	b.WriteString(f.ownStyle(sc, n))
	if !sc.Shown(n) {
		b.WriteString(" hidden")
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if typ := f.Type(p); typ != "defs" && typ != "symbol" && definition(typ) && !scene.Draws(typ) && scene.Draws(f.Type(n)) {
			b.WriteString(" in " + typ + " " + f.name(p))
			break
		}
	}
	return b.String()
}

// ownStyle prints the properties that an element itself sets.
func (f *Drawing) ownStyle(sc *scene.Scene, n *node) string {
	var b strings.Builder
	for _, p := range []string{"fill", "stroke", "stroke-width", "opacity", "filter", "clip-path", "mask"} {
		if v, from := sc.Own(n, p); from != scene.Nowhere {
			if v == "none" && p != "fill" && (n.Parent == nil || sc.Value(n.Parent, p) == "none") {
				continue
			}
			if k, unit, ok := scene.Split(v); ok && (p == "opacity" || p == "stroke-width") {
				if v = short(k) + unit; p == "opacity" && v == "1" {
					continue
				}
			}
			if p == "stroke-width" && sc.Value(n, "stroke") == "none" && !scene.Group(f.Type(n)) {
				continue
			}
			if id := css.Reference(v); id != "" {
				v = id
			}
			b.WriteString(" " + p + ":" + strings.NewReplacer("( ", "(", ", ", ",").Replace(line(v, 40)))
		}
	}
	if c := n.Get("class"); c != "" {
		b.WriteString(" ." + strings.Join(strings.Fields(c), "."))
	}
	if href, _ := n.Href(); href != "" {
		b.WriteString(" -> " + line(href, 60))
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

// eachMapLine yields the lines of the map, without empty unnamed groups.
func (f *Drawing) eachMapLine(yield func(mapLine) bool) {
	var walk func(n *node, depth int) bool
	walk = func(n *node, depth int) bool {
		for c := range n.Kids() {
			at := mapLine{n: c, depth: depth}
			for only, wraps := f.wraps(at.n); wraps; only, wraps = f.wraps(at.n) {
				if only == nil {
					at.n = nil
					break
				}
				at.around, at.n = append(at.around, at.n), only
			}
			if at.n == nil || !scene.Draws(f.Type(at.n)) {
				continue
			}
			if !yield(at) || scene.Group(f.Type(at.n)) && depth < maxMapDepth && !walk(at.n, depth+1) {
				return false
			}
		}
		return true
	}
	walk(f.Root, 1)
}

// wraps reports whether an element is an unnamed group that draws at most one element,
// and returns that element, or nil.
func (f *Drawing) wraps(n *node) (only *node, ok bool) {
	if f.Type(n) != "g" || n.ID() != "" {
		return nil, false
	}
	for c := range n.Kids() {
		if !scene.Draws(f.Type(c)) {
			if f.Type(c) == "title" {
				return nil, false
			}
			continue
		}
		if only != nil {
			return nil, false
		}
		only = c
	}
	return only, f.label(n) == ""
}

func runMap(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	sc := f.scene()
	p := v.Page()
	now := state(f)
	p.Line(func(b []byte) []byte {
		b = append(b, "map: "+now.Digest...)
		if t := f.title(); t != "" {
			b = append(b, " "+quoteText(t, 200)...)
		}
		return b
	})
	whole := true
	for at := range f.eachMapLine {
		whole = p.Line(func(b []byte) []byte {
			b = append(b, strings.Repeat("  ", at.depth)...)
			for _, g := range at.around {
				b = append(b, f.name(g)+f.ownStyle(sc, g)+" > "...)
			}
			b = append(b, f.lineOf(sc, at.n)...)
			if scene.Group(f.Type(at.n)) && at.depth == maxMapDepth && at.n.First != nil {
				b = fmt.Appendf(b, ": %s inside%s", pdk.Count(at.n.Count()-1, "element"), f.colorsIn(sc, at.n))
			}
			return b
		})
		if !whole {
			break
		}
	}
	if whole {
		if defs := f.allDefs(); len(defs) > 0 {
			p.Line(func(b []byte) []byte { return append(b, "defs: "+strings.Join(defs, ", ")...) })
		}
		for _, w := range now.Warnings {
			p.Line(func(b []byte) []byte { return append(b, "warning: "+w...) })
		}
	}
	return p.Answer(f.mapLines() + len(now.Warnings)), nil
}

// mapLines returns the number of lines of the map without warnings.
func (f *Drawing) mapLines() int {
	lines := 1
	for range f.eachMapLine {
		lines++
	}
	if len(f.allDefs()) > 0 {
		lines++
	}
	return lines
}

// colorsIn prints the colours of what a group of the map contains.
func (f *Drawing) colorsIn(sc *scene.Scene, group *node) string {
	const most = 6
	var out []string
	for n := range group.All() {
		for _, p := range []string{"fill", "stroke"} {
			v, from := sc.Own(n, p)
			if c, ok := csscolor.Parse(v); ok && from != scene.Nowhere && n != group && !slices.Contains(out, hex(c)) {
				out = append(out, hex(c))
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

// allDefs returns the names of the definitions, paints, clips and the like, and how many there are of a type of which there are many.
func (f *Drawing) allDefs() (out []string) {
	const most = 6
	var types []string
	names := map[string][]string{}
	for n := range f.Root.All() {
		if t := f.Type(n); definition(t) && !scene.Draws(t) {
			if names[t] == nil {
				types = append(types, t)
			}
			names[t] = append(names[t], f.head(n))
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
	list, err := f.listed(a.Texts(0))
	sels := a.Selectors
	if len(list) == 0 && len(sels) == 0 {
		sels = []abi.Select{{Raw: "@all", Type: "all"}}
	}
	if err == nil && len(sels) > 0 {
		var found []*node
		found, err = f.matches(v.Recent, sels, false)
		list = union(list, found)
	}
	if err != nil {
		return abi.QueryResponse{}, err
	}
	if len(list) == 0 {
		return abi.QueryResponse{Text: "nothing"}, nil
	}
	sc := f.scene()
	p := v.Page()
	p.Line(func(b []byte) []byte { return append(b, pdk.Count(len(list), "element")...) })
	for _, n := range list {
		if !p.Line(func(b []byte) []byte { return append(b, f.lineOf(sc, n)...) }) {
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
	sc := f.scene()
	p := v.Page()
	for n := range f.Root.All() {
		hit := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
		if n != f.Root && (hit(n.ID()) || hit(n.Get("class")) || hit(f.label(n))) {
			p.Line(func(b []byte) []byte { return append(b, f.lineOf(sc, n)...) })
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
		sc := f.scene()
		w, h := sc.Size()
		out := fmt.Sprintf("%s\nelements: %s\nshown %sx%s, canvas %s, %d bytes", state(f).Digest, strings.Join(types, ", "), short(w), short(h), box(sc.Canvas()), len(f.Text()))
		if b, ok := sc.Painted(f.Root); ok {
			out += "\ndrawn " + box(b)
		}
		if l := f.layers(); len(l) > 0 {
			var names []string
			for _, n := range l {
				names = append(names, pdk.Quote(f.layerName(n)))
			}
			out += "\nlayers from below: " + strings.Join(names, ", ")
		}
		return abi.QueryResponse{Text: out}, nil
	}}
}
