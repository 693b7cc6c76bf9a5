// Package arranger lays out pages and routes edges.
package arranger

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

type (
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
)

// Order says how to lay out shapes.
type Order struct {
	Algo      string // layered, tree, mind, force, grid or radial
	Options   layout.Options
	ColumnsBy arrange.ColumnsBy
	Partial   bool // lay out a selection: it starts where it did, or in free room
	Method    Method
}

// Outcome describes a layout that was drafted.
type Outcome struct {
	Touched       []*cell
	Shapes, Edges int
	Again         []*cell // edges to route again once all shapes have their places
	Aligned       []*cell // edges of shapes in lanes, which may have simpler routes then
}

// Arrange drafts the layout of sets of shapes. The shapes of a set lie in one container.
func (o Order) Arrange(d *mxfile.Draft, sets ...[]*cell) Outcome {
	l := &arranger{Order: o, d: d, grown: map[*cell]geom.Rect{}}
	for _, set := range sets {
		l.layOut(set)
	}
	return l.Outcome
}

// arranger drafts layouts.
type arranger struct {
	Order
	Outcome
	d     *mxfile.Draft
	grown map[*cell]geom.Rect

	g      layout.Graph
	cells  []*cell           // by node
	node   map[*cell]int     // by cell; parts and riders have the node of their shape
	homes  []int             // by node: the node of the parent cell, -1 for none
	inside map[*cell][]*cell // by frame: the shapes in it that are not its children
	rooms  []geom.Rect       // by node: its room; X and Y are the position of its box in the room
	lines  []*cell           // by edge
	onGrid bool              // the result lies on draw.io's grid
	spots  []*geom.Point     // by edge: the middle of its label, nil to leave it
	half   []*cell           // edges with only one end among the nodes
	rides  []ride
	looks  map[likeness]*form

	routesOnly bool // shapes stay, and so do labels that someone moved
}

// ride is a shape that lies on another one and moves with it: an icon or a line of text on
// a card, drawn without grouping them.
type ride struct{ rider, on *cell }

// layOut lays out shapes of one container, with everything in them.
func (l *arranger) layOut(set []*cell) {
	set = l.gather(set)
	for _, e := range l.half { // their routes are out of date
		if e.ByHand() {
			continue
		}
		from, _ := model.Ends(e)
		if _, ok := l.node[from]; ok && from != nil {
			l.redraw(e, WithoutPorts(e.Style, "exit"), nil)
		} else {
			l.redraw(e, WithoutPorts(e.Style, "entry"), nil)
		}
	}
	switch l.Algo {
	case "tree":
		l.apply(set, layout.Tree(&l.g, l.Options))
	case "mind":
		l.apply(set, layout.Mind(&l.g, mindMapOptions(l.Options)))
	case "force":
		l.apply(set, layout.Force(&l.g, l.Options))
	case "grid":
		l.apply(set, layout.Grid(&l.g, l.Options))
	case "radial":
		l.apply(set, layout.Radial(&l.g, l.Options))
	default:
		most := maxComposed
		if l.Method == Usual && !slices.ContainsFunc(l.g.Nodes, func(n layout.Node) bool { return n.Parent >= 0 }) {
			most = ComposedPlain
		}
		if l.Method == Rowwise || len(l.cells) > most || slices.ContainsFunc(l.g.Nodes, func(n layout.Node) bool { return n.Lanes != layout.NoLanes }) {
			res := layout.Layered(&l.g, l.Options)
			if len(l.cells)+len(l.lines) <= MaxRerouted {
				l.align(&res)
				l.Aligned = append(l.Aligned, l.lines...)
			}
			l.apply(set, res)
		} else {
			l.onGrid = true
			l.apply(set, l.compose())
		}
	}
}

// align moves shapes of a lane that edges connect onto one line if they nearly lie on it.
func (l *arranger) align(res *layout.Result) {
	const near = 16
	middle := func(i int) float64 {
		if l.upright() {
			return res.Rects[i].X + res.Rects[i].W/2
		}
		return res.Rects[i].Y + res.Rects[i].H/2
	}
	line := make([]int, len(l.cells)) // by node: the first node of its line
	least, most := make([]float64, len(l.cells)), make([]float64, len(l.cells))
	for i := range line {
		line[i], least[i], most[i] = i, middle(i), middle(i)
	}
	for _, e := range l.g.Edges {
		a, b := line[e.From], line[e.To]
		lo, hi := math.Min(least[a], least[b]), math.Max(most[a], most[b])
		if a == b || hi-lo > near || l.g.Nodes[e.From].Parent != l.g.Nodes[e.To].Parent || l.holds(e.From) || l.holds(e.To) {
			continue
		}
		least[a], most[a] = lo, hi
		for i := range line {
			if line[i] == b {
				line[i] = a
			}
		}
	}
	for i := range line {
		if least[line[i]] == most[line[i]] {
			continue
		}
		at := math.Round((least[line[i]]+most[line[i]])/2) - middle(i)
		if l.upright() {
			res.Rects[i].X += at
		} else {
			res.Rects[i].Y += at
		}
	}
}

// maxComposed is the greatest number of shapes for which several arrangements are tried.
// The time for that grows faster than the number of shapes.
const maxComposed = 600

// Method says how a layered layout forms its columns. Usual chooses by the number of
// shapes.
type Method int

const (
	Usual Method = iota
	Columnwise
	Rowwise // compares rows alone
)

// From ComposedPlain shapes without groups upwards, Rowwise may cross fewer edges than
// Columnwise. Up to TriedPlain shapes, layout tries both.
const (
	ComposedPlain = 40
	TriedPlain    = 150
)

// upright reports whether edges run vertically.
func (l *arranger) upright() bool { return l.Options.Dir == layout.TB || l.Options.Dir == layout.BT }

// holds reports whether a node is a container of other nodes, or a lane.
func (l *arranger) holds(i int) bool {
	if p := l.g.Nodes[i].Parent; p >= 0 && l.g.Nodes[p].Lanes != layout.NoLanes {
		return true
	}
	return i+1 < len(l.g.Nodes) && l.g.Nodes[i+1].Parent == i
}
