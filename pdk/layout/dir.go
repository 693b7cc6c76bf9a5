package layout

import "github.com/fcp-host/fcp-host/pdk/geom"

// Dir is the direction in which edges point.
type Dir int

// The directions: top to bottom, left to right, and their opposites.
const (
	TB Dir = iota
	LR
	BT
	RL
)

// sideways reports whether edges run horizontally, so that rows are vertical: LR and RL.
func (d Dir) sideways() bool { return d == LR || d == RL }

// turn converts a rectangle from the layout's coordinates, in which edges run downwards over a height of depth, to the
// page's.
func (d Dir) turn(x, y, w, h, depth float64) geom.Rect {
	switch d {
	case LR:
		return geom.Rect{X: y, Y: x, W: h, H: w}
	case BT:
		return geom.Rect{X: x, Y: depth - y - h, W: w, H: h}
	case RL:
		return geom.Rect{X: depth - y - h, Y: x, W: h, H: w}
	}
	return geom.Rect{X: x, Y: y, W: w, H: h}
}

// port is a point on a shape, in fractions of its size: at f along the side that edges leave from, or along the side
// that they enter.
func (d Dir) port(f float64, leaves bool) geom.Point {
	side := 0.0
	if leaves {
		side = 1
	}
	if d == BT || d == RL {
		side = 1 - side
	}
	if d.sideways() {
		return geom.Point{X: side, Y: f}
	}
	return geom.Point{X: f, Y: side}
}

// opposite is the reverse direction.
func (d Dir) opposite() Dir { return (d + 2) % 4 }
