package svgdom

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

// Outline returns the outline of a shape in its own space. ok is false for an element that is not a shape.
func (c *Cascade) Outline(n *Node, measure Measure) (p vector.Path, ok bool) {
	switch n.Type {
	case "rect":
		return vector.Rect(measure("x", X, 0), measure("y", Y, 0), measure("width", X, 0), measure("height", Y, 0), measure("rx", X, -1), measure("ry", Y, -1)), true
	case "circle":
		return vector.Circle(measure("cx", X, 0), measure("cy", Y, 0), measure("r", Other, 0)), true
	case "ellipse":
		rx, ry := measure("rx", X, -1), measure("ry", Y, -1)
		if rx < 0 {
			rx = ry
		}
		if ry < 0 {
			ry = rx
		}
		return vector.Ellipse(measure("cx", X, 0), measure("cy", Y, 0), rx, ry), true
	case "line":
		return vector.Straight(measure("x1", X, 0), measure("y1", Y, 0), measure("x2", X, 0), measure("y2", Y, 0)), true
	case "polyline", "polygon":
		return vector.Polygon(vector.Numbers(n.Get("points"), math.MaxInt), n.Type == "polygon"), true
	case "path":
		d, from := c.Own(n, "d")
		if from > Attribute {
			inside, isPath := strings.CutPrefix(d, "path(")
			if d = strings.Trim(strings.TrimSuffix(inside, ")"), `"'`); !isPath {
				d = n.Get("d")
			}
		}
		p, _ := vector.Parse(d) // up to the first mistake
		return p, true
	}
	return nil, false
}

// Vertex is a point of a path where it has a marker.
type Vertex struct {
	At      vector.Point
	in, out vector.Point // the directions of the path before and after it, zero if there is none
	Kind    int          // which marker it has: 0 for that of the start, 1 for that of the middle, 2 for that of the end
}

// maxVertices limits the markers of a path.
const maxVertices = 20_000

// Vertices returns the points of a path that have markers. A path of one point has two of them there.
func Vertices(p vector.Path) []Vertex {
	var out []Vertex
	var start int // index of the first vertex of the subpath
	var from vector.Point
	for i, s := range p {
		if len(out) >= maxVertices {
			break
		}
		leave, arrive := ends(p[i], from)
		if s.Kind == vector.Move {
			start = len(out)
			out = append(out, Vertex{At: s.To, Kind: 1})
		} else {
			if n := len(out) - 1; n >= 0 && out[n].out == (vector.Point{}) {
				out[n].out = leave
			}
			out = append(out, Vertex{At: s.To, in: arrive, Kind: 1})
		}
		if s.Kind == vector.Close {
			n := len(out) - 1
			out[n].out = out[start].out
			if out[start].in == (vector.Point{}) {
				out[start].in = arrive
			}
			start = n
		}
		from = s.To
	}
	if len(out) == 1 {
		out = append(out, out[0])
	}
	if n := len(out); n > 0 {
		out[0].Kind, out[n-1].Kind = 0, 2
	}
	return out
}

// ends returns the directions of a segment at its start and its end; zero if it has none.
func ends(s vector.Segment, from vector.Point) (leave, arrive vector.Point) {
	along := []vector.Point{from}
	switch s.Kind {
	case vector.Move:
		return
	case vector.Quad:
		along = append(along, s.C1)
	case vector.Cubic:
		along = append(along, s.C1, s.C2)
	case vector.Arc:
		for _, c := range (vector.Path{{Kind: vector.Move, To: from}, s}).Cubics()[1:] {
			if c.Kind == vector.Cubic {
				along = append(along, c.C1, c.C2)
			}
			along = append(along, c.To)
		}
	}
	along = append(along, s.To)
	n := len(along)
	for i := 1; i < n && leave == (vector.Point{}); i++ {
		leave = toward(along[0], along[i])
	}
	for i := n - 2; i >= 0 && arrive == (vector.Point{}); i-- {
		arrive = toward(along[i], along[n-1])
	}
	return leave, arrive
}

// toward returns the unit vector from a to b; zero if they are the same point.
func toward(a, b vector.Point) vector.Point {
	d := a.Distance(b)
	if d < 1e-9 {
		return vector.Point{}
	}
	return vector.Point{X: (b.X - a.X) / d, Y: (b.Y - a.Y) / d}
}

// angle returns the angle in degrees of a marker that follows the path: the bisector of both directions.
func (v *Vertex) angle() float64 {
	in, out := v.in, v.out
	switch {
	case in == vector.Point{}:
		in = out
	case out == vector.Point{}:
		out = in
	}
	x, y := in.X+out.X, in.Y+out.Y
	if math.Hypot(x, y) < 1e-9 { // the path reverses
		x, y = -in.Y, in.X
	}
	return math.Atan2(y, x) * 180 / math.Pi
}

// Marker returns where a marker element is drawn at the vertex of a shape whose stroke has a width: place maps its box
// to the space of the shape, fit its content into that box. measure measures the marker; ok is false if it draws nothing.
func (v *Vertex) Marker(mk *Node, width float64, measure Measure) (place, fit vector.Matrix, box vector.Box, ok bool) {
	box = vector.Box{X1: measure("markerWidth", X, 3), Y1: measure("markerHeight", Y, 3)}
	view, viewed := ViewBox(mk)
	if _, given := mk.Attr("viewBox"); box.X1 <= 0 || box.Y1 <= 0 || given && !viewed {
		return place, fit, box, false
	}
	turn := 0.0
	switch orient := strings.TrimSpace(mk.Get("orient")); orient {
	case "auto", "auto-start-reverse":
		if turn = v.angle(); orient != "auto" && v.Kind == 0 {
			turn += 180
		}
	default:
		turn, _ = Degrees(orient)
	}
	if mk.Get("markerUnits") == "userSpaceOnUse" {
		width = 1
	}
	fit = vector.Identity()
	if viewed {
		fit = Fit(view, box, mk.Get("preserveAspectRatio"))
	}
	ref := fit.At(vector.Point{X: measure("refX", X, 0), Y: measure("refY", Y, 0)})
	place = vector.Translate(v.At.X, v.At.Y).Times(vector.Rotate(turn)).Times(vector.Scale(width, width)).Times(vector.Translate(-ref.X, -ref.Y))
	return place, fit, box, true
}
