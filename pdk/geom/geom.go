// Package geom defines points and rectangles in the units of a drawing; y grows downwards.
package geom

import "math"

// Point is a position.
type Point struct{ X, Y float64 }

// Rect is a rectangle: its upper left corner and its size.
type Rect struct{ X, Y, W, H float64 }

// Right is the x of the right edge.
func (r Rect) Right() float64 { return r.X + r.W }

// Bottom is the y of the lower edge.
func (r Rect) Bottom() float64 { return r.Y + r.H }

// Center is the middle.
func (r Rect) Center() Point { return Point{r.X + r.W/2, r.Y + r.H/2} }

// Overlaps reports whether the interiors of r and o overlap.
func (r Rect) Overlaps(o Rect) bool {
	return r.X < o.X+o.W && o.X < r.X+r.W && r.Y < o.Y+o.H && o.Y < r.Y+r.H
}

// Contains reports whether o lies within r.
func (r Rect) Contains(o Rect) bool {
	return r.X <= o.X && r.Y <= o.Y && r.Right() >= o.Right() && r.Bottom() >= o.Bottom()
}

// Grow is r extended by d on every side.
func (r Rect) Grow(d float64) Rect { return Rect{r.X - d, r.Y - d, r.W + 2*d, r.H + 2*d} }

// Union is the smallest rectangle that contains both, or o if r is empty.
func (r Rect) Union(o Rect) Rect {
	if r.W == 0 && r.H == 0 {
		return o
	}
	x, y := math.Min(r.X, o.X), math.Min(r.Y, o.Y)
	return Rect{x, y, math.Max(r.Right(), o.Right()) - x, math.Max(r.Bottom(), o.Bottom()) - y}
}
