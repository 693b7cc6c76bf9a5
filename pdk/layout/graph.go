// Package layout arranges graphs with nested containers: it finds a rectangle for each node and a route for each edge.
// It is pure and deterministic.
package layout

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Graph is what to arrange.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// Node is a shape, or a container when it is the Parent of another node.
type Node struct {
	W, H   float64 // ignored for a container that holds something
	Parent int     // index of the container it lies in, -1 for none
	Pad    Pad     // distance between a container's border and its contents
	MinW   float64 // least width of a container, for its label
	MinH   float64 // least height of a lane that is a row, for its label
	Lanes  Stack   // how the lanes of a pool lie; NoLanes if the node is no pool
	Face   float64 // fraction of each side, around its middle, on which edges may end; 0 for all of it
}

// Stack is how a pool's lanes lie. They touch, keep their order, and are as long as the pool.
type Stack int

// No lanes, lanes as rows below each other, or lanes as columns side by side.
const (
	NoLanes Stack = iota
	Rows
	Columns
)

// face is Face with its default.
func (n Node) face() float64 {
	if n.Face <= 0 || n.Face > 1 {
		return 1
	}
	return n.Face
}

// Pad is the distance between each side of a container and its contents.
type Pad struct{ Top, Right, Bottom, Left float64 }

// Edge runs between two nodes, which may be containers.
type Edge struct {
	From, To int
	LabelW   float64 // size of its label, 0 for none
	LabelH   float64
}

// Options configure a layout. The zero value has sensible defaults.
type Options struct {
	Dir     Dir
	Spacing float64 // distance between shapes, 0 for 60
}

func (o Options) spacing() float64 {
	if o.Spacing <= 0 {
		return 60
	}
	return o.Spacing
}

// gap is the least distance between adjacent shapes.
func (o Options) gap() float64 { return math.Max(10, math.Round(o.spacing()*0.7)) }

// Result is a layout with its upper left corner at 0,0.
type Result struct {
	Rects  []geom.Rect // of each node, on the page
	Routes []Route     // of each edge
	// Straight is set if edges are straight lines between shapes, without routes.
	Straight bool
}

// Route is the course of an edge. With the zero value the renderer chooses one.
type Route struct {
	Set         bool
	Exit, Entry geom.Point   // where it leaves From and enters To, in fractions of the shape's size
	Points      []geom.Point // its corners
}

// tree is the containment hierarchy of a graph. Nodes with an invalid parent, or one in a cycle of parents, are at the
// top.
type tree struct {
	parent   []int
	children [][]int
	paths    [][]int // the containers around a node, outermost first
	pool     []bool  // whether the node's children are lanes
	lane     []bool
}

func newTree(g *Graph) *tree {
	n := len(g.Nodes)
	t := &tree{parent: make([]int, n), children: make([][]int, n), paths: make([][]int, n), pool: make([]bool, n), lane: make([]bool, n)}
	for i := range g.Nodes {
		p, steps := g.Nodes[i].Parent, 0
		for q := p; q >= 0 && q < n && steps <= n; q = g.Nodes[q].Parent {
			steps++
		}
		if p < 0 || p >= n || steps > n {
			p = -1
		}
		t.parent[i] = p
	}
	for i, p := range t.parent {
		if p >= 0 {
			t.children[p] = append(t.children[p], i)
		}
	}
	var walk func(i int, path []int)
	walk = func(i int, path []int) {
		t.paths[i] = path
		if len(t.children[i]) > 0 {
			inner := append(path[:len(path):len(path)], i)
			for _, c := range t.children[i] {
				walk(c, inner)
			}
		}
	}
	for i, p := range t.parent {
		if p < 0 {
			walk(i, nil)
		}
	}
	for i := range g.Nodes {
		// A pool whose lanes are all empty is treated as an ordinary container.
		if g.Nodes[i].Lanes != NoLanes && t.shapes(g, i) > 0 {
			t.pool[i] = true
			for _, k := range t.children[i] {
				t.lane[k] = true
			}
		}
	}
	return t
}

// shapes counts the nodes inside i that are neither containers nor lanes.
func (t *tree) shapes(g *Graph, i int) int {
	n := 0
	for _, k := range t.children[i] {
		if len(t.children[k]) > 0 {
			n += t.shapes(g, k)
		} else if g.Nodes[i].Lanes == NoLanes {
			n++
		}
	}
	return n
}

// leaf reports whether i is a shape: neither a container nor a lane.
func (t *tree) leaf(i int) bool { return len(t.children[i]) == 0 && !t.lane[i] }

// inside reports whether i is g or lies in it.
func (t *tree) inside(i, g int) bool {
	if i == g {
		return true
	}
	for _, p := range t.paths[i] {
		if p == g {
			return true
		}
	}
	return false
}

// leaves appends the leaves inside i, or i itself if it is one.
func (t *tree) leaves(i int, out []int) []int {
	if t.leaf(i) {
		return append(out, i)
	}
	for _, c := range t.children[i] {
		out = t.leaves(c, out)
	}
	return out
}

// shelf packs boxes in order into rows whose total has about the proportions of a screen, and returns each box's top
// left corner.
func shelf(boxes []geom.Rect, gap float64) []geom.Point {
	area, widest := 0.0, 0.0
	for _, b := range boxes {
		area += (b.W + gap) * (b.H + gap)
		widest = math.Max(widest, b.W)
	}
	limit := math.Max(widest, math.Sqrt(area)*1.25)
	out := make([]geom.Point, len(boxes))
	x, y, row := 0.0, 0.0, 0.0
	for i, b := range boxes {
		if x > 0 && x+b.W > limit {
			x, y, row = 0, y+row+gap, 0
		}
		out[i] = geom.Point{X: x, Y: y}
		x += b.W + gap
		row = math.Max(row, b.H)
	}
	return out
}
