package flow

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/splice"
)

func removeVerb() verb {
	return verb{Run: remove, Verb: abi.Verb{
		Syntax: "remove NODE…|SEL", Summary: "remove nodes with their edges and the nodes in them", Category: "nodes", Examples: []string{"remove reply", "remove @orphan"},
	}}
}

func remove(c *ctx, a pdk.Args) error {
	f := c.Model
	nodes, err := targets(c, a)
	if err != nil {
		return err
	}
	gone, named := map[string]bool{}, len(nodes)
	for _, n := range nodes {
		gone[n.ID] = true
	}
	for more := true; more; {
		more = false
		for _, n := range f.nodes {
			if n.Parent != "" && gone[n.Parent] && !gone[n.ID] {
				gone[n.ID], more = true, true
				nodes = append(nodes, n)
			}
		}
	}
	var indexes, lines []int
	var ids, ends []string
	for _, n := range nodes {
		indexes, ids = append(indexes, n.index), append(ids, n.ID)
	}
	var s splice.All
	left := map[string][]*Edge{} // edges that end at nodes that stay
	for i, e := range f.edges {
		if gone[e.Source] || gone[e.Target] {
			lines, ends = append(lines, i), append(ends, pdk.Quote(e.Source)+" -> "+pdk.Quote(e.Target))
			if !gone[e.Target] {
				left[e.Target] = append(left[e.Target], e)
			}
		}
	}
	for _, n := range f.nodes {
		if list := left[n.ID]; len(list) > 0 && f.byID[n.ID] == n {
			s = append(s, clearInputs(n, list)...)
		}
	}
	s = append(append(s, f.root.Get("nodes").Remove(indexes...)...), f.root.Get("edges").Remove(lines...)...)
	said := printNodes(nodes[:named])
	if len(lines) > 0 {
		said += " with " + pdk.Count(len(lines), "edge") + ": " + strings.Join(ends, ", ")
	}
	if named < len(nodes) {
		inside := make([]string, 0, len(nodes)-named)
		for _, n := range nodes[named:] {
			inside = append(inside, pdk.Quote(n.ID))
		}
		c.Also("and what was in them: %s", strings.Join(inside, ", "))
	}
	if err := change(c, s, "remove "+said, ids...); err != nil {
		return err
	}
	c.Deleted("%s", said)
	return nil
}
