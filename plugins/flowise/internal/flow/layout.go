package flow

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/pdk/splice"
)

func layoutDirs() []string { return []string{"LR", "TB", "RL", "BT"} }

func layoutVerb() verb {
	return verb{Run: arrange, Verb: abi.Verb{
		Name: "layout", Syntax: "layout [dir:LR|TB|RL|BT] [spacing:N]", Summary: "arrange the nodes so that edges lead one way; sticky notes and what lies in iterations stay", Category: "nodes",
		Params: []abi.Param{{Key: "dir", Value: "LR|TB|RL|BT"}, {Key: "spacing", Value: "10-1000"}}, Min: 0, Max: 0, Examples: []string{"layout", "layout dir:TB spacing:120"},
	}}
}

func arrange(c *ctx, a pdk.Args) error {
	f := c.Model
	word := a.String("dir", "LR")
	dir, ok := pdk.OneOf(word, layoutDirs())
	if !ok {
		return pdk.Errorf("dir:%s is not one of %s", word, strings.Join(layoutDirs(), " ")).Instead(word, pdk.Nearest(strings.ToUpper(word), layoutDirs())...)
	}
	spacing, err := a.Float("spacing", 90, 10, 1000)
	if err != nil {
		return err
	}
	o := layout.Options{Dir: map[string]layout.Dir{"TB": layout.TB, "LR": layout.LR, "BT": layout.BT, "RL": layout.RL}[dir], Spacing: spacing}
	var g layout.Graph
	var nodes []*Node
	at := map[string]int{}
	for _, n := range f.nodes {
		if n.note() || n.Parent != "" || f.byID[n.ID] != n {
			continue
		}
		b := n.box()
		at[n.ID] = len(nodes)
		nodes = append(nodes, n)
		g.Nodes = append(g.Nodes, layout.Node{W: b.W, H: b.H, Parent: -1})
	}
	if len(nodes) == 0 {
		return pdk.Unchanged("there is nothing to lay out")
	}
	for _, e := range f.edges {
		from, okFrom := at[e.Source]
		to, okTo := at[e.Target]
		if okFrom && okTo {
			g.Edges = append(g.Edges, layout.Edge{From: from, To: to})
		}
	}
	var s splice.All
	var ids []string
	for i, r := range layout.Layered(&g, o).Rects {
		if moved := nodes[i].moved(r.X, r.Y); len(moved) > 0 {
			s = append(s, moved...)
			ids = append(ids, nodes[i].ID)
		}
	}
	what := count(len(nodes), "node") + " and " + count(len(g.Edges), "edge")
	if len(s) == 0 {
		return pdk.Unchanged("laid out like that already: %s", what)
	}
	if err := change(c, s, "layout "+what, ids...); err != nil {
		return err
	}
	c.Bulk("layout %s: %s", dir, what)
	return nil
}
