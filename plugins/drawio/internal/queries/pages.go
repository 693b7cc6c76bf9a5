// Package queries holds the queries of the domain and the state of a document.
package queries

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

func PagesText(f *file) string {
	var lines []string
	for _, p := range f.Pages {
		t := model.Count(p)
		mark := pdk.If(p == f.Current, " (current)", "")
		if p.Compressed() {
			mark += " compressed"
		}
		lines = append(lines, fmt.Sprintf("%s: %ds %de %dg%s", model.PageTitle(f, p), t.Shapes, t.Edges, t.Groups, mark))
	}
	return strings.Join(lines, "\n")
}

func LayerMarks(l *cell) string {
	out := ""
	if l.Page.DefaultLayer() == l {
		out += " (current)"
	}
	if l.Hidden {
		out += " hidden"
	}
	if l.Locked {
		out += " locked"
	}
	return out
}

func LayersText(p *mxfile.Page) string {
	shapes, edges := map[*cell]int{}, map[*cell]int{}
	for x := p.First(); x != nil; x = x.Next() {
		switch {
		case x.Edge:
			edges[x.Layer()]++
		case x.Shape():
			shapes[x.Layer()]++
		}
	}
	lines := pdk.Map(p.Layers(), func(l *cell) string {
		return fmt.Sprintf("%s: %ds %de%s", model.LayerTitle(l), shapes[l], edges[l], LayerMarks(l))
	})
	if len(lines) == 0 {
		return "the page has no layers"
	}
	return strings.Join(lines, "\n")
}

func layersQuery() query {
	return query{Query: abi.Query{Syntax: "layers", Brief: "layers", Summary: "the page's layers, the lowest first"},
		Run: func(v *view, _ pdk.Args) (abi.QueryResponse, error) {
			return answer([]string{LayersText(v.Model.Current)})
		}}
}

type (
	file  = mxfile.File
	cell  = mxfile.Cell
	view  = pdk.View[*mxfile.File]
	query = pdk.Query[*mxfile.File]
)

// All lists the queries of the domain. preview is the query that draws a page.
func All(preview query) []query {
	words := []query{listQuery(), describeQuery(), connectionsQuery()} // their words may have colons, db:Cache, which keeps the host from checking them
	return pdk.Folding(slices.Concat(pdk.DeclareQueries(mapQuery()), words,
		pdk.DeclareQueries(findQuery(), statsQuery(), pagesQuery(), layersQuery(), typesQuery(), preview, lintQuery())), nil, []string{"find", "types"})
}

// Help lists the types and themes that a document defines.
func Help(f *file) []abi.Section {
	if f == nil {
		return nil
	}
	var types, themes []string
	for _, kv := range catalog.Remembered(f, catalog.TypeKey) {
		if d, ok := catalog.ReadDefinition(kv[0], kv[1]); ok {
			types = append(types, d.Name+": "+d.Brief())
		}
	}
	for _, t := range catalog.Themes(f) {
		themes = append(themes, strings.TrimSpace(fmt.Sprintf("%s: fill %s stroke %s %s", t.Name, t.Fill, t.Stroke, t.Font)))
	}
	var out []abi.Section
	if packs := catalog.LoadedPacks(f); len(packs) > 0 {
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
