package verbs

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/legend"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pagestyle"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func styleVerb() verb {
	return verb{Run: runStyle, Keys: edit.StyleKeys(), Verb: abi.Verb{
		Syntax: "style REF|SEL|REF ARROW REF [FLAG…] [key:value…]", Summary: "change how shapes, groups and edges look", Category: "looks",
		Brief:    "style REF|REF ARROW REF|SEL [FLAG…] [theme: fill: stroke: font-color: font-size: opacity: align: or any style key of draw.io]",
		Examples: []string{"style AuthService fill:#dae8fc bold", "style @type:db theme:green", "style A -> B dashed stroke:red", "style @edges curved no-shadow"},
	}}
}

func runStyle(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
	changes := pdk.Must(edit.ReadChanges(c.Model, a, used, nil))
	if changes.Len() == 0 {
		return pdk.Errorf("style needs something to change, such as theme:blue or bold")
	}
	d := c.Model.Draft()
	pdk.Check(restyle(d, a, cells, changes))
	what := model.List(cells, 1)
	pdk.Check(edit.Commit(c, d, "style "+what+" "+changes.Words(), model.Already(cells, "in that style", changes.Words()), cells...))
	edit.Report(c, cells, "%s: %s", what, changes.Words())
	return nil
}

// restyle drafts the changes for each cell.
func restyle(d *mxfile.Draft, a pdk.Args, cells []*cell, changes *style.Changes) error {
	type look struct {
		style style.Style
		edge  bool
	}
	done := map[look]style.Style{} // many cells share few styles
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
				return pdk.Errorf("%s: %s", model.List([]*cell{x}, 1), err.Error())
			}
			done[was] = s
		}
		if x.Edge {
			from, to := model.Ends(x)
			s = edit.WithPorts(a, s, from, to)
		}
		d.Restyle(x, s)
	}
	return nil
}

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
	what := l.Palette.Name + pdk.If(dark, " dark", " light") + pdk.If(l.ByType, " by type", " by group")
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
