package verbs

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/legend"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pagestyle"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func lookVerb() verb {
	return verb{Run: runLook, Keys: []pdk.Parameter{pagestyle.By, values.Text("title", "TEXT drawn above the page, or none")}, Verb: abi.Verb{
		Syntax: "look [PALETTE] [light|dark] [by:group|type] [title:TEXT|none]", Category: "looks",
		Brief:    "look [PALETTE] [light|dark] [by:group|type title:TEXT|none] | legend [off] · tints, title, legend; what is styled stays",
		Summary:  "make the page presentable: tints for groups or types, label sizes, asynchronous edges, a title and a legend (legend draws only that); it keeps styles that somebody chose",
		Examples: []string{"look", "look muted by:type", "look dark", `look vibrant title:"Order system"`},
	}}
}

func runLook(c *ctx, a pdk.Args) error {
	page := c.Model.Current
	l := pagestyle.New(c.Model, page)
	dark := pdk.Must(l.ReadWords(a))
	var shapes, edges []*cell
	for x := page.First(); x != nil; x = x.Next() {
		if x.Edge {
			edges = append(edges, x)
		} else if x.Shape() {
			shapes = append(shapes, x)
		}
	}
	if len(shapes) == 0 {
		return pdk.Unchanged("there is no shape on this page")
	}
	l.Divide(a, shapes)
	layer := pdk.Must(edit.EnsureLayer(c))
	pdk.Check(edit.EnsureRoot(c, page))
	d := c.Model.Draft()
	l.Draft(d, dark, shapes, edges)
	what := l.Palette.Name + map[bool]string{true: " dark", false: " light"}[dark] + map[bool]string{true: " by type", false: " by group"}[l.ByType]
	parts := 0
	for _, x := range shapes {
		if model.InCompound(x) {
			parts++
		}
	}
	summary := what + ": " + pdk.Count(len(shapes)-parts, "shape") + " and " + pdk.Count(len(edges), "edge")
	b := legend.New(d, page, layer, l.Scheme, l.StyleOf)
	if b.DraftTitle(a, c.Model.Title()) {
		summary += ", title"
	}
	if b.DraftLegend() {
		summary += ", legend"
	}
	if l.Kept > 0 {
		summary += "; kept the colours of " + mxfile.Num(float64(l.Kept))
	}
	pdk.Check(edit.Commit(c, d, "look "+what, "the page already looks like that: "+what, append(shapes, edges...)...))
	c.Bulk("look %s", summary)
	return nil
}
