package flow

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/splice"
)

func disconnectVerb() verb {
	return verb{Run: disconnect, Verb: abi.Verb{
		Name: "disconnect", Syntax: "disconnect A[.OUTPUT] -> B[.INPUT]", Summary: "remove the edges between two nodes", Category: "edges", Min: 3, Max: 3, Examples: []string{"disconnect Start -> reply"},
	}}
}

// clearInputs returns the splices that remove the values of removed edges from the
// inputs of n, at which all these edges end.
func clearInputs(n *Node, gone []*Edge) (out splice.All) {
	inputs := n.data.Get("inputs")
	for _, a := range n.anchors().Each() {
		was := inputs.Get(a.Get("name").Text())
		from := map[string]bool{}
		for _, e := range gone {
			if e.TargetHandle == a.Get("id").Text() {
				from[instance(e.Source)] = true
			}
		}
		switch {
		case was.Is(jsontree.String) && from[was.Text()]:
			out = append(out, was.Set(`""`)...)
		case was.Is(jsontree.Array):
			var items []int
			for i, item := range was.Items {
				if from[item.Text()] {
					items = append(items, i)
				}
			}
			out = append(out, was.Remove(items...)...)
		}
	}
	return out
}

func disconnect(c *ctx, a pdk.Args) error {
	f := c.Model
	from, to, out, in, err := f.ends(a)
	if err != nil {
		return err
	}
	outs := map[string]bool{}
	for _, o := range from.outputs() {
		outs[o.id] = o.name == out || o.id == out || out != "" && strings.EqualFold(o.label, out)
	}
	var gone []*Edge
	var indexes []int
	for i, e := range f.edges {
		anchor := byName(to.anchors(), in)
		if e.Source == from.ID && e.Target == to.ID && (out == "" || outs[e.SourceHandle]) && (in == "" || anchor.Get("id").Text() == e.TargetHandle) {
			gone, indexes = append(gone, e), append(indexes, i)
		}
	}
	said := pdk.Quote(a.Text(0)) + " -> " + pdk.Quote(a.Text(2))
	if a.Text(1) == "<-" {
		said = pdk.Quote(a.Text(2)) + " -> " + pdk.Quote(a.Text(0))
	}
	if len(gone) == 0 {
		return pdk.Errorf("there is no edge %s", said).TryQuery("describe " + pdk.Quote(from.ID))
	}
	if err := change(c, append(f.root.Get("edges").Remove(indexes...), clearInputs(to, gone)...), "disconnect "+said, from.ID, to.ID); err != nil {
		return err
	}
	c.Deleted("%s", said)
	return nil
}
