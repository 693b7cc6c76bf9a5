// Package arrange lays out diagrams with nested groups so that they need no
// touch-up: groups become columns in the order of the flow, and every line
// gets its ends, corners and the place of its label.
//
// An arrangement is little: the column of every shape, and how much room lies
// between shapes. Order, positions, lines and labels follow from it. Arrange
// computes some arrangements, scores each by its geometry, and takes the
// best. It is pure and deterministic: the same graph gives the same result on
// every machine.
package arrange

// Dir is where lines lead.
type Dir int

// The directions: left to right, top to bottom, and their opposites.
const (
	LR Dir = iota
	TB
	RL
	BT
)

// By is what decides the columns.
type By int

// Groups become columns one by one, or the flow runs through them; Both tries
// each.
const (
	Both By = iota
	Groups
	Flow
)

// Kind is the form of a box, as far as it says where lines may end.
type Kind int

// A Rect takes lines anywhere on its sides, a Diamond and an Ellipse in the
// middle of a side only, a Hexagon and a Cylinder in the middle part of it.
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
	Parent int // index of the frame it lies in, -1 for none
	Kind   Kind
	Face   int  // the share of a side, in its middle, that lines may end on, in per cent; 0 as Kind says
	Title  int  // of a frame: height of its title
	TitleW int  // of a frame: width of its title
	Pad    Pad  // of a frame; the zero value is 20, and what the title needs
	Hidden bool // a frame that is not drawn, and holds a shape and what stays beside it
}

// Pad is the room between a frame's border and what lies in it.
type Pad struct{ Top, Right, Bottom, Left int }

// Edge is a line between two boxes, which may be frames.
type Edge struct {
	From, To       int
	LabelW, LabelH int  // extent of its label, 0 for none
	Class          int  // lines of one class may share a trunk
	Loose          bool // has no direction of its own: an association
}

// Graph is what to arrange.
type Graph struct {
	Boxes []Box
	Edges []Edge
	// Rims are the borders of what is no box, such as of lanes, where a drawing that is
	// there has them. No line runs along one.
	Rims []Area
}

// Options of an arrangement. The zero value is sensible.
type Options struct {
	Dir Dir
	By  By
	// Spacing is the least room between columns, and half of it that between
	// the shapes of a column; 0 for 60. Lines and frames take what they need.
	Spacing int
	Budget  int // drawings to try, 0 for the usual: fewer of larger graphs
}

// Point is a place, y downwards.
type Point struct{ X, Y int }

// Area is a place with an extent.
type Area struct{ X, Y, W, H int }

// Route is how a line runs: from its exit to its entry over its corners. A
// line that was not laid out, as one from a frame to what lies in it, has no
// points.
type Route struct {
	Points []Point
	Label  Point // the middle of the label
}

// Result is an arrangement. Its top left corner is 0,0.
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
