package flow

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/pdk/splice"
	"github.com/fcp-host/fcp-host/pdk/value"
)

var (
	flowDir = value.Key[string]{Name: "dir", Type: value.OneOf("LR", "TB", "RL", "BT"), Default: "LR"}
	spacing = value.Key[float64]{Name: "spacing", Default: 90, Type: value.Number(10, 1000)}
)

func layoutVerb() verb {
	return verb{Run: arrange, Keys: []pdk.Parameter{flowDir, spacing}, Verb: abi.Verb{
		Syntax: "layout [dir:LR|TB|RL|BT] [spacing:N]", Summary: "arrange nodes so that edges point one way, those of an iteration inside it; a sticky note moves with the nearest node", Brief: "layout [dir:LR|TB|RL|BT spacing:N] · so that edges point one way", Category: "nodes",
		Examples: []string{"layout", "layout dir:TB spacing:120"},
	}}
}

// within is the space between the border of an iteration, including its header, and the
// nodes in it.
var within = layout.Pad{Top: 70, Right: 30, Bottom: 30, Left: 30}

func arrange(c *ctx, a pdk.Args) error {
	f := c.Model
	dir := flowDir.Of(a)
	o := layout.Options{Dir: map[string]layout.Dir{"TB": layout.TB, "LR": layout.LR, "BT": layout.BT, "RL": layout.RL}[dir], Spacing: spacing.Of(a)}
	nodes, g := f.graphOf()
	if len(nodes) == 0 {
		return pdk.Unchanged("the flow has no nodes to lay out")
	}
	rects := layout.Layered(g, o).Rects
	var s splice.All
	var ids []string
	put := func(n *Node, moved splice.All) {
		if len(moved) > 0 {
			s, ids = append(s, moved...), append(ids, n.ID)
		}
	}
	for i, n := range nodes {
		x, y, p := rects[i].X, rects[i].Y, g.Nodes[i].Parent
		if p >= 0 {
			x, y = x-rects[p].X, y-rects[p].Y
		}
		moved := n.moveTo(x, y)
		if slices.ContainsFunc(g.Nodes, func(k layout.Node) bool { return k.Parent == i }) {
			moved = append(moved, n.resize(rects[i].W, rects[i].H)...)
		}
		put(n, moved)
	}
	notes, at := f.placeNotes(nodes, rects)
	for i, n := range notes {
		put(n, n.moveTo(at[i].X, at[i].Y))
	}
	what := pdk.Count(len(nodes), "node") + " and " + pdk.Count(len(g.Edges), "edge")
	if len(s) == 0 {
		return pdk.Unchanged("already laid out that way: %s", what)
	}
	if err := change(c, s, "layout "+what, ids...); err != nil {
		return err
	}
	c.Bulk("layout %s: %s", dir, what)
	return nil
}

// graphOf returns the graph to lay out: all nodes but sticky notes, with the nodes of
// an iteration inside it.
func (f *Flow) graphOf() (nodes []*Node, g *layout.Graph) {
	g = &layout.Graph{}
	at := map[string]int{}
	for _, n := range f.nodes {
		if n.note() || f.byID[n.ID] != n {
			continue
		}
		b := n.box()
		at[n.ID] = len(nodes)
		nodes = append(nodes, n)
		g.Nodes = append(g.Nodes, layout.Node{W: b.W, H: b.H, Parent: -1, Pad: within, MinW: 200})
	}
	for i, n := range nodes {
		if p, ok := at[n.Parent]; ok && !f.inside(f.byID[n.Parent], n) {
			g.Nodes[i].Parent = p
		}
	}
	for _, e := range f.edges {
		from, okFrom := at[e.Source]
		to, okTo := at[e.Target]
		if okFrom && okTo {
			g.Edges = append(g.Edges, layout.Edge{From: from, To: to})
		}
	}
	return nodes, g
}

// inside reports whether n is in or inside it, at any depth.
func (f *Flow) inside(n, in *Node) bool {
	for steps := 0; n != nil && steps <= len(f.nodes); n, steps = f.byID[n.Parent], steps+1 {
		if n == in {
			return true
		}
	}
	return false
}

// resize returns the splices that set a node's size.
func (n *Node) resize(w, h float64) (out splice.All) {
	set := func(v *jsontree.Value, key string, x float64) {
		if m := v.Get(key); m == nil || num(m.Float()) != num(x) {
			out = append(out, v.Put(key, num(x))...)
		}
	}
	if n.v.Get("width") != nil {
		set(n.v, "width", w)
	}
	if n.v.Get("height") != nil {
		set(n.v, "height", h)
	}
	if style := n.v.Get("style"); style.Is(jsontree.Object) {
		set(style, "width", w)
		set(style, "height", h)
		return out
	}
	return append(out, n.v.Put("style", (&draft{}).raw("width", num(w)).raw("height", num(h)).String())...)
}

// placeNotes returns the new places of sticky notes. Each note stays beside the node
// that it was nearest to, or goes to the next free place above or below.
func (f *Flow) placeNotes(nodes []*Node, rects []geom.Rect) (notes []*Node, places []geom.Rect) {
	taken := slices.Clone(rects)
	for _, n := range f.nodes {
		if !n.note() || n.Parent != "" || f.byID[n.ID] != n {
			continue
		}
		b := n.box()
		near, least := 0, math.Inf(1)
		for i, k := range nodes {
			if d := distance(b, f.absolute(k)); d < least {
				near, least = i, d
			}
		}
		was := f.absolute(nodes[near])
		b.X, b.Y = b.X+rects[near].X-was.X, b.Y+rects[near].Y-was.Y
		at := b
		for step := 1; step < 2000 && slices.ContainsFunc(taken, at.Overlaps); step++ {
			away := gap / 4 * float64((step+1)/2)
			if step%2 == 1 { // above first
				away = -away
			}
			at.Y = b.Y + away
		}
		taken, notes, places = append(taken, at), append(notes, n), append(places, at)
	}
	return notes, places
}

// distance returns the distance between two boxes, 0 if they touch.
func distance(a, b geom.Rect) float64 {
	dx := max(a.X-b.Right(), b.X-a.Right(), 0)
	dy := max(a.Y-b.Bottom(), b.Y-a.Bottom(), 0)
	return math.Hypot(dx, dy)
}
