// Package vector is the geometry of 2D vector graphics as SVG defines it: paths,
// transforms, basic shapes, exact boxes, lengths and strokes. It is plain Go
// without dependencies and gives the same results for the same input.
//
//	p, err := vector.Parse("M10 10h40v20z")
//	box, ok := p.Box(vector.Identity())
//	fmt.Println(p.Transform(vector.Scale(2, 2)))
//
// # Notes
//
// Parse returns both a path and an error if the data contains a mistake: as SVG
// requires, everything before the first wrong command is kept and drawn.
//
// A path keeps the letters with which it was read. String writes them again if
// they still describe the segment, with numbers as short as possible without
// moving a point: Parse(p.String()) is p.
//
// Arcs stay arcs, with the radii that were given. Where the radii are too small
// for the distance, the geometry (boxes, lengths, flattening) uses the larger ones
// that SVG prescribes.
//
// Coordinates are finite: larger ones are limited to ±1e30.
package vector

import "math"

// Point is a place in a plane whose y axis points downwards.
type Point struct{ X, Y float64 }

// Lerp is the point at t between p (0) and q (1).
func (p Point) Lerp(q Point, t float64) Point {
	return Point{p.X + (q.X-p.X)*t, p.Y + (q.Y-p.Y)*t}
}

// Plus is p moved by a vector.
func (p Point) Plus(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

// Minus is the vector from q to p.
func (p Point) Minus(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// Distance is the length of the line from p to q.
func (p Point) Distance(q Point) float64 { return math.Hypot(q.X-p.X, q.Y-p.Y) }

// OffLine is the distance of p from the line that ends at a and b.
func (p Point) OffLine(a, b Point) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	l := dx*dx + dy*dy
	if l == 0 {
		return p.Distance(a)
	}
	t := min(1, max(0, ((p.X-a.X)*dx+(p.Y-a.Y)*dy)/l))
	return p.Distance(a.Lerp(b, t))
}

// Box is an axis-parallel rectangle, from its smallest to its largest corner.
type Box struct{ X0, Y0, X1, Y1 float64 }

// Empty is the box of nothing: X0 and Y0 are infinite, X1 and Y1 minus infinite.
func Empty() Box {
	return Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
}

// IsEmpty reports whether b holds no point. A box without width or height holds some.
func (b Box) IsEmpty() bool { return b.X0 > b.X1 || b.Y0 > b.Y1 }

// Width is how wide the box is.
func (b Box) Width() float64 { return b.X1 - b.X0 }

// Height is how high the box is.
func (b Box) Height() float64 { return b.Y1 - b.Y0 }

// Union is the smallest box around b and o.
func (b Box) Union(o Box) Box {
	return Box{min(b.X0, o.X0), min(b.Y0, o.Y0), max(b.X1, o.X1), max(b.Y1, o.Y1)}
}

// Intersect is the intersection of b and o; it may be empty.
func (b Box) Intersect(o Box) Box {
	return Box{max(b.X0, o.X0), max(b.Y0, o.Y0), min(b.X1, o.X1), min(b.Y1, o.Y1)}
}

// Add is the smallest box around b and a point.
func (b Box) Add(p Point) Box {
	return Box{min(b.X0, p.X), min(b.Y0, p.Y), max(b.X1, p.X), max(b.Y1, p.Y)}
}

// Center is the middle of the box.
func (b Box) Center() Point { return Point{(b.X0 + b.X1) / 2, (b.Y0 + b.Y1) / 2} }

// Grow is the box with x more at its left and right, and y above and below.
func (b Box) Grow(x, y float64) Box { return Box{b.X0 - x, b.Y0 - y, b.X1 + x, b.Y1 + y} }

// Moved is the box at another place.
func (b Box) Moved(dx, dy float64) Box { return Box{b.X0 + dx, b.Y0 + dy, b.X1 + dx, b.Y1 + dy} }

// Has reports whether a point is in the box or on its border.
func (b Box) Has(p Point) bool { return p.X >= b.X0 && p.X <= b.X1 && p.Y >= b.Y0 && p.Y <= b.Y1 }

// Holds reports whether all of another box is in the box.
func (b Box) Holds(o Box) bool { return b.X0 <= o.X0 && b.Y0 <= o.Y0 && b.X1 >= o.X1 && b.Y1 >= o.Y1 }

// farthest limits coordinates, so that sums and products of a few stay finite.
const farthest = 1e30

// finite limits a number to that range, and replaces NaN. It must not be inlined: all code
// that multiplies matrices would become much larger.
//
//go:noinline
func finite(f float64) float64 {
	if f != f {
		return 0
	}
	return min(farthest, max(-farthest, f))
}
