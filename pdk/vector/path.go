package vector

import "math"

// Kind says what a segment is.
type Kind byte

// The kinds.
const (
	Move Kind = iota
	Line
	Quad
	Cubic
	Arc
	Close
)

// Segment is one command of a path with one set of arguments. All points are absolute.
type Segment struct {
	Kind Kind
	// Letter is the command as read ('M', 'h', 's', …). String writes it again if it still
	// describes the segment. 0 stands for the absolute letter of the kind.
	Letter byte
	// Large and Sweep are the flags of an arc.
	Large, Sweep bool
	// To is the end of the segment; of Close, the start of its subpath.
	To Point
	// C1 is the control point of Quad and the first one of Cubic, C2 the second one.
	C1, C2 Point
	// RX, RY and Turn are an arc's radii as given, and the angle of its first axis in
	// degrees.
	RX, RY, Turn float64
}

// Path is a list of segments. A path that draws begins with Move.
type Path []Segment

// MoveTo begins a subpath.
func (p *Path) MoveTo(to Point) { *p = append(*p, Segment{Kind: Move, To: to}) }

// LineTo draws a line.
func (p *Path) LineTo(to Point) { *p = append(*p, Segment{Kind: Line, To: to}) }

// QuadTo draws a quadratic Bézier curve.
func (p *Path) QuadTo(c, to Point) { *p = append(*p, Segment{Kind: Quad, C1: c, To: to}) }

// CubicTo draws a cubic Bézier curve.
func (p *Path) CubicTo(c1, c2, to Point) {
	*p = append(*p, Segment{Kind: Cubic, C1: c1, C2: c2, To: to})
}

// ArcTo draws a part of an ellipse whose first axis is rotated by turn degrees.
func (p *Path) ArcTo(rx, ry, turn float64, large, sweep bool, to Point) {
	*p = append(*p, Segment{Kind: Arc, RX: rx, RY: ry, Turn: turn, Large: large, Sweep: sweep, To: to})
}

// ClosePath draws a line to the start of the subpath and ends the subpath there.
func (p *Path) ClosePath() {
	for i := len(*p) - 1; i >= 0; i-- {
		if (*p)[i].Kind == Move || (*p)[i].Kind == Close {
			*p = append(*p, Segment{Kind: Close, To: (*p)[i].To})
			return
		}
	}
}

// Transform is the path mapped by m. Arcs become the arcs of the mapped ellipse.
func (p Path) Transform(m Matrix) Path {
	out := make(Path, len(p))
	var from Point
	for i, s := range p {
		o := s
		o.To, o.C1, o.C2 = m.At(s.To), m.At(s.C1), m.At(s.C2)
		switch s.Kind {
		case Arc:
			o = s.mapped(from, m)
		case Quad:
			o.C2 = Point{}
		case Cubic:
		default:
			o.C1, o.C2 = Point{}, Point{}
		}
		out[i] = o
		from = s.To
	}
	return out
}

// Round is the path with its numbers rounded to a number of decimal places.
func (p Path) Round(digits int) Path {
	scale := math.Pow(10, float64(digits))
	r := func(f float64) float64 { return math.Round(f*scale) / scale }
	pt := func(q Point) Point { return Point{r(q.X), r(q.Y)} }
	out := make(Path, len(p))
	for i, s := range p {
		s.To, s.C1, s.C2 = pt(s.To), pt(s.C1), pt(s.C2)
		s.RX, s.RY, s.Turn = r(s.RX), r(s.RY), r(s.Turn)
		out[i] = s
	}
	return out
}

// Subpaths are the parts of p that begin with a Move, as paths that share p's segments.
// If no Move follows a Close, the next part gets one to the point of the Close, so that
// each part is a complete path.
func (p Path) Subpaths() []Path {
	var out []Path
	start := 0
	cut := func(end int) {
		if end > start {
			part := p[start:end:end]
			if part[0].Kind != Move && start > 0 {
				part = append(Path{{Kind: Move, To: p[start-1].To}}, part...)
			}
			out = append(out, part)
		}
		start = end
	}
	for i, s := range p {
		if s.Kind == Move || i > 0 && p[i-1].Kind == Close {
			cut(i)
		}
	}
	cut(len(p))
	return out
}
