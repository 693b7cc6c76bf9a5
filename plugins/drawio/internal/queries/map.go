package queries

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// answer returns the reply of a query that consists of text only.
func answer(lines []string) (abi.QueryResponse, error) {
	return abi.QueryResponse{Text: strings.Join(lines, "\n")}, nil
}

func mapQuery() query {
	return query{Run: runMap, Query: abi.Query{Syntax: "map", Brief: "map · shapes by group, edges", Summary: "the current page: shapes by group with their places, and edges"}}
}

func runMap(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	p := f.Current
	t := model.Count(p)
	out := v.Page()
	out.Line(func(b []byte) []byte {
		return fmt.Appendf(b, "map: %.0fx%.0f | %ds %de %dg | page %s of %d", math.Ceil(t.Bounds.W), math.Ceil(t.Bounds.H),
			t.Shapes, t.Edges, t.Groups, model.PageTitle(f, p), len(f.Pages))
	})
	total := 1 + t.Listed
	if len(f.Pages) > 1 {
		out.Line(func(b []byte) []byte { return append(b, pagesLine(f)...) })
		total++
	}
	if line := regionsLine(p); line != "" {
		out.Line(func(b []byte) []byte { return append(b, line...) })
		total++
	}
	if t.Edges > 0 {
		total += 1 + t.Edges
	}
	if !p.Doubled() {
		mapLines(p, t.Edges > 0, out.Line)
		return out.Answer(total), nil
	}
	// Count lines: with duplicate ids a shape is listed more than once.
	mapLines(p, t.Edges > 0, func(add func([]byte) []byte) bool { out.Line(add); return true })
	return out.Answer(0), nil
}

// mapLines lists the shapes, each with its content, and the edges. It stops when line
// returns false.
func mapLines(p *mxfile.Page, edges bool, line func(add func([]byte) []byte) bool) {
	deep := strings.Repeat("  ", model.MaxListed+1)
	said := names{}
	var walk func(c *cell, depth int) bool
	walk = func(c *cell, depth int) bool {
		if model.IsBare(c) || model.IsFolded(c) {
			depth--
		} else if !line(func(b []byte) []byte { return appendRows(appendEntry(append(b, deep[:2*depth]...), c, said.of(c)), c) }) {
			return false
		} else {
			said.add(model.Short(c))
		}
		if c.ID == "" || depth > model.MaxListed {
			return true
		}
		return !slices.ContainsFunc(p.Children(c.ID), func(k *cell) bool { return k.Vertex && !walk(k, depth+1) })
	}
	for c := p.First(); c != nil; c = c.Next() {
		if c.Outer() && !walk(c, 1) {
			return
		}
	}
	if !edges || !line(func(b []byte) []byte { return append(b, "edges:"...) }) {
		return
	}
	for c := p.First(); c != nil; c = c.Next() {
		if !c.Edge {
			continue
		}
		if !line(func(b []byte) []byte { return append(append(b, "  "...), said.edge(c)...) }) {
			return
		}
		from, to := model.Ends(c)
		for _, x := range []*cell{from, to} {
			if x != nil {
				said.add(model.EndName(x))
			}
		}
	}
}

// entry prints a shape in a list: Auth(svc) @(200,200 140x60) blue.
func entry(c *cell) string { return string(appendEntry(nil, c, model.Short(c))) }

// appendEntry appends an entry with that name, and the id if another shape has the label, too.
func appendEntry(b []byte, c *cell, name string) []byte {
	b = append(append(b, name...), '(')
	b = append(append(b, model.KindOf(c)...), ") "...)
	b = append(mxfile.AppendBox(b, c.Abs()), model.ThemeSuffix(c)...)
	b = append(b, model.Marker(c)...)
	if len(namesakes(c)) > 1 {
		b = append(append(b, " id:"...), c.Key...)
	}
	return b
}

// namesakes lists the shapes with the label of c.
func namesakes(c *cell) []*cell {
	if c.Name() == "" {
		return nil
	}
	hits, _ := c.Page.Names().Find(c.Name(), true)
	return hits
}

// names prints labels, each long one as a whole only the first time.
type names map[string]bool

// longLabel is the length, in bytes, from which on a label is long, and shortLabel what it is shortened to at least.
const (
	longLabel  = 36
	shortLabel = 16
)

// add notes a name of a line, which may be one that is not printed since only later ones were asked for.
func (n names) add(name string) {
	if len(name) >= longLabel {
		n[name] = true
	}
}

func (n names) of(c *cell) string { return n.brief(c, model.Short(c)) }

// brief returns a name, or how it begins if it is long and was said before; that is a reference if the name is one.
func (n names) brief(c *cell, name string) string {
	if len(name) < longLabel {
		return name
	}
	if !n[name] {
		n.add(name)
		return name
	}
	same := len(namesakes(c))
	for i, r := range name {
		if r != ' ' || i < shortLabel {
			continue
		}
		if hits, _ := c.Page.Names().Find(name[:i], false); len(hits) <= max(1, same) {
			return name[:i] + "…"
		}
	}
	return name
}

// edge prints an edge.
func (n names) edge(e *cell) string {
	line := model.EdgeEntry(e)
	from, to := model.Ends(e)
	for _, x := range []*cell{from, to} {
		if x != nil {
			name := model.EndName(x)
			line = strings.Replace(line, name, n.brief(x, name), 1)
		}
	}
	return line
}

// pagesLine lists the pages: pages: 1 Overview, 2 Details.
func pagesLine(f *file) string {
	var list []string
	for i, p := range f.Pages {
		if i == maxListed {
			list = append(list, fmt.Sprintf("… %d more", len(f.Pages)-i))
			break
		}
		list = append(list, model.PageTitle(f, p))
	}
	return "pages: " + strings.Join(list, ", ")
}

// appendRows prints the rows of a class, a table or an entity after its entry.
func appendRows(b []byte, c *cell) []byte {
	if !model.HasRows(c) {
		return b
	}
	if rows := model.RowTexts(c); rows != "" {
		b = append(append(b, ": "...), rows...)
	}
	return b
}

// regionsLine counts the outer shapes in each ninth of the drawing.
func regionsLine(p *mxfile.Page) string {
	t := model.Count(p)
	if t.Shapes+t.Groups < 10 {
		return ""
	}
	n := p.Ninths()
	var parts []string
	for i, r := range value.Regions() {
		if n[i] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", r, n[i]))
		}
	}
	return "regions: " + strings.Join(parts, ", ")
}

func listQuery() query {
	return query{Run: runList, Query: abi.Query{Name: "list", Syntax: "list [SEL]", Brief: "list [SEL]", Summary: "shapes, or what a selector selects"}}
}

func runList(v *view, a pdk.Args) (abi.QueryResponse, error) {
	if len(a.Positionals) > 0 || len(a.Params) > 0 {
		return abi.QueryResponse{}, noList(v.Model, a)
	}
	sels := a.Selectors
	if len(sels) == 0 {
		sels = []abi.Select{{Raw: "@all", Type: "all"}}
	}
	cells := pdk.Must(selector.Matches(v.Model, v.Recent, sels, false))
	if len(cells) == 0 {
		return answer([]string{"nothing"})
	}
	return answer(entries(cells))
}

// noList refuses words after list. They may be meant as a selector or as a name.
func noList(f *file, a pdk.Args) error {
	err := pdk.Errorf("list takes selectors")
	for _, kv := range a.Params {
		if slices.ContainsFunc(selector.Types(), func(s abi.Selector) bool { return s.Type == kv.Key }) {
			err.Try(a.Mended(pdk.Without(kv.Key), func(op *abi.Op) {
				op.Selectors = append(slices.Clone(op.Selectors), abi.Select{Type: kv.Key, Value: kv.Value})
			}))
		}
	}
	if word := words(a); len(err.Tries) == 0 && len(a.Params) == 0 {
		if _, none := selector.OfType(f, f.Current, word, false); none == nil {
			return err.Tryf("list @type:%s", pdk.Quote(word))
		}
		if x, none := selector.Shape(f, word, false); none == nil {
			if model.IsGroup(x) {
				err.Tryf("list @group:%s", model.Reference(x))
			}
			return err.Tryf("describe %s", model.Reference(x))
		}
	}
	if len(err.Tries) == 0 {
		err.Try("list")
	}
	return err
}

func entries(cells []*cell) []string {
	out := []string{model.List(cells, 0) + ":"}
	for _, c := range cells {
		if c.Edge {
			out = append(out, "  "+model.EdgeEntry(c))
			continue
		}
		if e := model.LabelEdge(c); e != nil {
			out = append(out, fmt.Sprintf("  %q id:%s, the %s of %s", values.OneLine(c.Label()), c.Key, cmp.Or(model.LabelsOf(e).Place(c), "label"), model.EdgeEntry(e)))
			continue
		}
		line := "  " + entry(c)
		if o := model.Home(c); o != nil {
			line += " in " + model.Short(o)
		}
		out = append(out, line)
	}
	return out
}

func findQuery() query {
	return query{Run: runFind, Query: abi.Query{Takes: &abi.Takes{Min: 1, Max: -1}, Syntax: "find TEXT", Brief: "find TEXT", Summary: "shapes and edges on any page whose label contains it"}}
}

func runFind(v *view, a pdk.Args) (abi.QueryResponse, error) {
	text := strings.ToLower(words(a))
	if text == "" {
		return abi.QueryResponse{}, pdk.Errorf("find needs a text").Try("map")
	}
	var out []string
	for _, p := range v.Model.Pages {
		hits := p.Where(func(c *cell) bool { return (c.Vertex || c.Edge) && strings.Contains(strings.ToLower(oneText(c)), text) })
		if len(hits) == 0 {
			continue
		}
		lines := entries(hits)
		if len(v.Model.Pages) > 1 {
			lines[0] = "page " + model.PageTitle(v.Model, p) + ": " + lines[0]
		}
		out = append(out, lines...)
	}
	if len(out) == 0 {
		return answer([]string{fmt.Sprintf("no label contains %q", text)})
	}
	return answer(out)
}

// oneText returns a label on one line, for searching.
func oneText(c *cell) string { return strings.Join(strings.Fields(c.Label()), " ") }

func statsQuery() query {
	return query{Run: runStats, Query: abi.Query{Syntax: "stats", Brief: "stats", Summary: "counts of the file and of the current page"}}
}

func runStats(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	t := model.Count(f.Current)
	out := []string{
		fmt.Sprintf("page %s of %d", model.PageTitle(f, f.Current), len(f.Pages)),
		fmt.Sprintf("shapes: %d  edges: %d  groups: %d  layers: %d", t.Shapes, t.Edges, t.Groups, len(f.Current.Layers())),
		fmt.Sprintf("extent: %s", values.Box(t.Bounds)),
	}
	types, themes := map[string]int{}, map[string]int{}
	f.Current.Styles(func(like *mxfile.Cell, shapes int) {
		types[model.KindOf(like)] += shapes
		themes[like.Theme()] += shapes
	})
	if line := tallyLine(types); line != "" {
		out = append(out, "types: "+line)
	}
	if line := tallyLine(themes); line != "" {
		out = append(out, "themes: "+line)
	}
	if len(f.Pages) > 1 {
		var all model.Tally
		for _, p := range f.Pages {
			t := model.Count(p)
			all.Shapes, all.Edges, all.Groups = all.Shapes+t.Shapes, all.Edges+t.Edges, all.Groups+t.Groups
		}
		out = append(out, fmt.Sprintf("file: %s, %s, %s on %d pages", pdk.Count(all.Shapes, "shape"), pdk.Count(all.Edges, "edge"), pdk.Count(all.Groups, "group"), len(f.Pages)))
	}
	said, _ := warnings(f.Current, t)
	for _, w := range said {
		out = append(out, "warning: "+w)
	}
	return answer(out)
}

// tallyLine prints counts by kind, the largest first.
func tallyLine(n map[string]int) string {
	delete(n, "")
	names := slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
	parts := pdk.Map(names, func(name string) string { return fmt.Sprintf("%s %d", name, n[name]) })
	return strings.Join(parts, ", ")
}

func pagesQuery() query {
	return query{Query: abi.Query{Syntax: "pages", Brief: "pages", Summary: "the file's pages"},
		Run: func(v *view, _ pdk.Args) (abi.QueryResponse, error) { return answer([]string{PagesText(v.Model)}) }}
}
