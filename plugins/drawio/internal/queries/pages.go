package queries

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

func PagesText(f *file) string {
	var lines []string
	for _, p := range f.Pages {
		t := model.Count(p)
		mark := ""
		if p == f.Current {
			mark = " (current)"
		}
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
