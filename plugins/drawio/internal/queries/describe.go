package queries

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func describeQuery() query {
	return query{Run: runDescribe, Query: abi.Query{Name: "describe", Syntax: "describe REF | REF ARROW REF | PAGE | *", Brief: "describe REF | REF ARROW REF | PAGE | *", Summary: "everything about a shape, a group, an edge or a page"}}
}

func runDescribe(v *view, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	if len(a.Params) > 0 && (len(a.Selectors) > 0 || a.Text(0) == "*" || len(a.Positionals) == 3) { // otherwise they are a part of a name: see words
		return abi.QueryResponse{}, pdk.Errorf("describe has no %s:", a.Params[0].Key).Try(strings.TrimSpace("describe " + strings.Join(a.Texts(0), " ") + " " + pdk.SelectorText(a.Selectors)))
	}
	if len(a.Selectors) > 0 {
		cells := pdk.Must(selector.Select(f, v.Recent, a.Selectors, false))
		var out []string
		for _, c := range cells {
			out = append(out, describe(c)...)
		}
		return answer(out)
	}
	ref := words(a)
	switch {
	case ref == "":
		return abi.QueryResponse{}, pdk.Errorf("describe needs a name").Try("describe *")
	case a.Text(0) == "*" && len(a.Positionals) == 1:
		var out []string
		for c := f.Current.First(); c != nil; c = c.Next() {
			if c.Shape() || c.Edge {
				out = append(out, describe(c)...)
			}
		}
		if len(out) == 0 {
			out = []string{"the page is empty"}
		}
		return answer(out)
	case a.IsArrow(1) && len(a.Positionals) == 3:
		list := pdk.Must(selector.Edges(f, a, ""))
		var out []string
		for _, e := range list {
			out = append(out, describe(e)...)
		}
		return answer(out)
	}
	c, err := selector.Shape(f, ref, false)
	if err != nil {
		if p, perr := selector.Page(f, ref, false); perr == nil {
			return answer(describePage(f, p))
		}
		return abi.QueryResponse{}, err
	}
	return answer(describe(c))
}

// words returns the words of a query as one reference or text. A query is parsed without
// this domain's rules, so db:Cache arrives as a parameter.
func words(a pdk.Args) string {
	out := a.Texts(0)
	for _, kv := range a.Params {
		out = append(out, kv.Key+":"+kv.Value)
	}
	return strings.Join(out, " ")
}

func describePage(f *file, p *mxfile.Page) []string {
	t := model.Count(p)
	out := []string{
		fmt.Sprintf("page %s id:%s", model.PageTitle(f, p), p.ID),
		fmt.Sprintf("  %s, %s, %s", pdk.Count(t.Shapes, "shape"), pdk.Count(t.Edges, "edge"), pdk.Count(t.Groups, "group")),
		fmt.Sprintf("  paper %sx%s, extent %s", mxfile.Num(p.Width), mxfile.Num(p.Height), values.Box(t.Bounds)),
	}
	if p.Compressed() {
		out = append(out, "  stored compressed")
	}
	for _, l := range p.Layers() {
		line := "  layer " + l.ID
		if l.Label() != "" {
			line += " " + l.Label()
		}
		if l.Hidden {
			line += " hidden"
		}
		if l.Locked {
			line += " locked"
		}
		out = append(out, line)
	}
	return out
}

// describe returns everything about one cell.
func describe(c *cell) []string {
	if c.Edge {
		return describeEdge(c)
	}
	out := []string{fmt.Sprintf("%s id:%s", entry(c), c.Key)}
	if l := c.Label(); strings.Contains(l, "\n") {
		out = append(out, fmt.Sprintf("  label: %q", l))
	}
	if o := model.Home(c); o != nil {
		out = append(out, "  in: "+model.Short(o))
	}
	if l := c.Layer(); l != nil && l.Label() != "" {
		out = append(out, "  layer: "+l.Label())
	}
	out = append(out, properties(c)...)
	if c.ID != "" {
		kids := pdk.Filter(c.Page.Children(c.ID), func(k *cell) bool { return k.Vertex })
		switch {
		case len(kids) == 0:
		case model.HasRows(c):
			out = append(out, "  rows: "+model.RowTexts(c))
		default:
			out = append(out, "  holds: "+model.List(kids, 20))
		}
		for _, e := range c.Page.Out(c.ID) {
			out = append(out, "  out: "+model.EdgeEntry(e))
		}
		for _, e := range c.Page.In(c.ID) {
			if e.Source != e.Target {
				out = append(out, "  in: "+model.EdgeEntry(e))
			}
		}
	}
	return append(out, "  style: "+string(c.Style))
}

func describeEdge(e *cell) []string {
	out := []string{model.EdgeEntry(e)}
	if !model.HasFreeEnd(e) {
		out[0] += " id:" + e.Key
	}
	labels := model.LabelsOf(e)
	for _, k := range e.Page.Children(e.ID) {
		if k.Vertex && k.Label() != "" {
			out = append(out, fmt.Sprintf("  %s: %q id:%s", cmp.Or(labels.Place(k), "label"), k.Label(), k.Key))
		}
	}
	r := e.Route()
	if len(r.Points) > 0 {
		via := pdk.Map(r.Points, func(p geom.Point) string { return mxfile.Num(p.X) + "," + mxfile.Num(p.Y) })
		out = append(out, "  via: "+strings.Join(via, ";"))
	}
	if e.Source == "" && r.Source != nil {
		out = append(out, fmt.Sprintf("  starts at %s,%s", mxfile.Num(r.Source.X), mxfile.Num(r.Source.Y)))
	}
	if e.Target == "" && r.Target != nil {
		out = append(out, fmt.Sprintf("  ends at %s,%s", mxfile.Num(r.Target.X), mxfile.Num(r.Target.Y)))
	}
	out = append(out, properties(e)...)
	return append(out, "  style: "+string(e.Style))
}

// properties lists the properties of a cell.
func properties(c *cell) []string {
	return pdk.Map(c.Data(), func(kv [2]string) string {
		return fmt.Sprintf("  %s: %s", kv[0], values.OneLine(kv[1]))
	})
}

func connectionsQuery() query {
	return query{Run: runConnections, Query: abi.Query{Name: "connections", Syntax: "connections REF | *", Brief: "connections REF | * · edges", Summary: "the edges of a shape, or of the page"}}
}

func runConnections(v *view, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	ref := words(a)
	if len(a.Selectors) > 0 || ref == "" {
		return abi.QueryResponse{}, pdk.Errorf("connections needs one shape").Try("connections *")
	}
	if ref == "*" {
		all := f.Current.Where(func(c *cell) bool { return c.Edge })
		if len(all) == 0 {
			return answer([]string{"no edges"})
		}
		return answer(entries(all))
	}
	c := pdk.Must(selector.Vertex(f, ref))
	outs, ins := c.Page.Out(c.ID), c.Page.In(c.ID)
	if len(outs)+len(ins) == 0 {
		return answer([]string{model.Short(c) + ": no connections"})
	}
	out := []string{fmt.Sprintf("%s: %d out, %d in", model.Short(c), len(outs), len(ins))}
	for _, e := range outs {
		out = append(out, "  out: "+model.EdgeEntry(e))
	}
	for _, e := range ins {
		out = append(out, "  in: "+model.EdgeEntry(e))
	}
	return answer(out)
}
