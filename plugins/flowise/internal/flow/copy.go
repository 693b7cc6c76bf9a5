package flow

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/splice"
	"github.com/fcp-host/fcp-host/pdk/value"
)

func copyVerb() verb {
	return verb{Run: copyNode, Keys: placeKeys, Verb: abi.Verb{
		Syntax: "copy NODE [as:ID] [label:TEXT] [near:NODE] [dir:SIDE | below:NODE] [at:X,Y] [INPUT:VALUE…]", Summary: "copy a node with its inputs, such as its model and settings, without its edges; inputs that differ are given as in modify; an as: with blanks is a label", Brief: "copy NODE [as: label: near: dir: at: INPUT:VALUE…] · without edges", Category: "nodes",
		Examples: []string{"copy reply as:goodbye dir:below", `copy "Sales Agent" label:"German Agent" agentTools:"" agentMessages.0.content:"You answer in German."`},
	}}
}

var copies = value.Key[int]{Name: "count", Type: value.Int(1, 20), Default: 1}

func repeatVerb() verb {
	return verb{Run: repeat, Keys: []pdk.Parameter{copies, side}, Verb: abi.Verb{
		Syntax: "repeat NODE count:N [dir:SIDE]", Summary: "copy a node several times, side by side", Category: "nodes",
		Examples: []string{"repeat reply count:2 dir:below"},
	}}
}

// copyOf returns the JSON of a copy of a node: its handles have the new id, and inputs
// that edges filled are empty.
func (f *Flow) copyOf(n *Node, id, label string, at geom.Point) (string, error) {
	var s splice.All
	came := map[string]bool{}
	for _, e := range f.edges {
		if e.Target == n.ID {
			came[instance(e.Source)] = true
		}
	}
	v, err := jsontree.Parse(n.v.Raw())
	if err != nil {
		return "", err
	}
	var walk func(v *jsontree.Value)
	walk = func(v *jsontree.Value) {
		switch text := v.Text(); {
		case v.Is(jsontree.String) && (text == n.ID || strings.HasPrefix(text, n.ID+"-")):
			s = append(s, v.Set(jsontree.Quote(id+strings.TrimPrefix(text, n.ID)))...)
		case came[text]:
			s = append(s, v.Set(`""`)...)
		}
		var items []int
		for i, item := range v.Items {
			if came[item.Text()] {
				items = append(items, i)
			} else {
				walk(item)
			}
		}
		s = append(s, v.Remove(items...)...)
		for _, m := range v.Members {
			walk(m.Value)
		}
	}
	walk(v)
	text, _ := s.Apply(v.Raw()) // splices of one parsed text fit together
	fresh, err := parse(`{"nodes":[` + text + `],"edges":[]}`)
	if err != nil {
		return "", err
	}
	k := fresh.nodes[0]
	if err := fresh.applySplices(append(k.moveTo(at.X, at.Y), k.data.Put("label", jsontree.Quote(label))...)); err != nil {
		return "", err
	}
	k = fresh.nodes[0]
	if p := k.v.Get("parentNode"); p != nil { // the copy is on the canvas, outside the iteration
		if err := fresh.applySplices(k.v.Drop("parentNode", "extent")); err != nil {
			return "", err
		}
	}
	return fresh.nodes[0].v.Raw(), nil
}

func copyNode(c *ctx, a pdk.Args) error {
	f := c.Model
	n, err := f.copyable(a.Text(0))
	if err != nil {
		return err
	}
	id, given := a.Param("as")
	label := a.String("label", f.unusedLabel(n.Label))
	if strings.Contains(id, " ") && !a.Has("label") {
		label, given = id, false
	}
	if !given {
		id = f.unusedID(n.Name)
	} else if err := f.checkID(id); err != nil {
		return err
	}
	near := a
	if !slices.ContainsFunc(placeNames, func(key string) bool { return key != "dir" && a.Has(key) }) {
		op := *a.Op
		pdk.WithParam("near", n.ID)(&op)
		near = pdk.Args{Op: &op}
	}
	b := n.box()
	at, err := f.spot(near, "", b.W, b.H)
	if err != nil {
		return err
	}
	raw, err := f.copyOf(n, id, label, at)
	if err != nil {
		return err
	}
	if err := change(c, f.root.Get("nodes").Append(raw), "copy "+n.ID+" as "+id, id); err != nil {
		return err
	}
	said := c.Model.byID[id].String()
	inputs := slices.DeleteFunc(slices.Clone(a.Params), func(kv abi.KeyValue) bool {
		return kv.Key == "as" || kv.Key == "label" || slices.Contains(placeNames, kv.Key)
	})
	if len(inputs) > 0 {
		if _, err := setAll(c, a, []*Node{c.Model.byID[id]}, inputs, "copy "+n.ID+" as "+id); err != nil {
			return err
		}
		said += " " + paramText(inputs)
	}
	c.Created("%s", said)
	return nil
}

// copyable returns the node of a reference, or an error if it cannot be copied.
func (f *Flow) copyable(ref string) (*Node, error) {
	n, err := f.node(ref)
	switch {
	case err != nil:
		return nil, err
	case n.Name == "startAgentflow":
		return nil, pdk.Errorf("a flow has one start")
	case !n.data.Is(jsontree.Object):
		return nil, pdk.Errorf("%s has nothing that can be copied", n)
	}
	return n, nil
}

func repeat(c *ctx, a pdk.Args) error {
	n, err := c.Model.copyable(a.Text(0))
	if err != nil {
		return err
	}
	if !a.Has("count") {
		return pdk.Errorf("repeat needs count:N").Try(a.Mended(pdk.WithParam("count", "2")))
	}
	times := copies.Of(a)
	var ids []string
	var made []*Node
	ref := n.ID
	for range times {
		f := c.Model
		if n, err = f.node(ref); err != nil {
			return err
		}
		op := *a.Op
		pdk.Without("count")(&op)
		pdk.WithParam("near", n.ID)(&op)
		b := n.box()
		at, err := f.spot(pdk.Args{Op: &op}, "", b.W, b.H)
		if err != nil {
			return err
		}
		id := f.unusedID(n.Name)
		raw, err := f.copyOf(n, id, f.unusedLabel(n.Label), at)
		if err != nil {
			return err
		}
		if err := change(c, f.root.Get("nodes").Append(raw), "repeat "+n.ID+" as "+id, id); err != nil {
			return err
		}
		ids, ref = append(ids, id), id
		made = append(made, c.Model.byID[id])
	}
	c.Touch(ids...)
	c.Created("%s: %s", pdk.Count(times, "node"), printNodes(made))
	return nil
}
