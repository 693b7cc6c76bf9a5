// Package arrange lays out diagrams with nested groups so that they need no manual correction: groups become columns in
// the order of the flow, and every line gets its ends, its corners and the position of its label.
//
// An arrangement consists of the column of every shape and the distances between shapes. Order, positions, lines and
// labels follow from it. Arrange computes several arrangements, scores each by its geometry, and returns the best. It is
// pure and deterministic: the same graph gives the same result on every machine.
package arrange

// Dir is the direction in which lines lead.
type Dir int

// The directions: left to right, top to bottom, and their opposites.
const (
	LR Dir = iota
	TB
	RL
	BT
)

// ColumnsBy says what determines the columns.
type ColumnsBy int

// With Groups, groups become columns one by one; with Flow, the flow of lines determines the columns of all shapes, and
// groups span them. Both tries each.
const (
	Both ColumnsBy = iota
	Groups
	Flow
)

// Kind is the form of a box, as far as it determines where lines may end.
type Kind int

// Lines may end anywhere on the sides of a Rect, only in the middle of the sides of a Diamond or an Ellipse, and in the
// middle part of the sides of a Hexagon or a Cylinder.
const (
	Rect Kind = iota
	Diamond
	Ellipse
	Hexagon
	Cylinder
)

// Box is a shape, or a frame when it is the Parent of another box.
type Box struct {
	W, H   int // ignored for a frame
	Parent int // index of the frame that holds it, -1 for none
	Kind   Kind
	Face   int  // percentage of each side, around its middle, on which lines may end; 0 for that of Kind
	Title  int  // of a frame: the height of its title
	TitleW int  // of a frame: the width of its title
	Pad    Pad  // of a frame; the zero value stands for 20 on each side and the room of the title
	Hidden bool // a frame that is not drawn; it holds a shape and the boxes that stay beside it
}

// Pad is the distance between each side of a frame and its contents.
type Pad struct{ Top, Right, Bottom, Left int }

// Edge is a line between two boxes, which may be frames.
type Edge struct {
	From, To       int
	LabelW, LabelH int  // size of its label, 0 for none
	Class          int  // its style: lines of one class may share a trunk
	Undirected     bool // has no direction, such as an association
	LabelFixed     bool // Reroute of other edges leaves its label where it is
}

// Graph is what to arrange.
type Graph struct {
	Boxes []Box
	Edges []Edge
	// Borders are the outlines of other things than boxes in an existing drawing, such as lanes. No line runs along one.
	Borders []Area
}

// Options configure an arrangement. The zero value is sensible.
type Options struct {
	Dir       Dir
	ColumnsBy ColumnsBy
	// Spacing is the least distance between columns, and twice the least distance between the shapes of a column; 0 for
	// 60. Lines and frames take what they need in addition.
	Spacing int
	Budget  int // drawings to try; 0 for a default that shrinks with the size of the graph
}

// Point is a position; y grows downwards.
type Point struct{ X, Y int }

// Area is a rectangle: its top left corner and its size.
type Area struct{ X, Y, W, H int }

// Route is the course of a line: its exit, its corners and its entry. A line that is not laid out, such as one from a
// frame to a box inside it, has no points.
type Route struct {
	Points []Point
	Label  Point // middle of the label
}

// Result is an arrangement with its top left corner at 0,0.
type Result struct {
	Boxes  []Area
	Routes []Route
	Score  Score
}

// Arrange lays out g.
func Arrange(g *Graph, o Options) Result {
	if len(g.Boxes) == 0 {
		return Result{}
	}
	p := newProblem(g, o.Dir)
	if o.Spacing > 0 {
		p.spacing = o.Spacing
	}
	return p.restore(p.search(o))
}
