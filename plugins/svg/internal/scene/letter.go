package scene

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// letter is the space that one letter takes on a line, in the coordinates of its text.
type letter struct {
	of   *tree.Node
	at   vector.Point // on the baseline; on a path the distance along it and the distance from it
	wide float64
	size float64 // font size
	turn float64 // degrees, about at
	down bool    // vertical writing, with at in the middle of the line
}

// box returns the box of a letter, from its font's ascent to its descent.
func (l *letter) box() vector.Box {
	if l.down {
		half := (picture.Ascent + picture.Descent) / 2 * l.size
		return vector.Box{X0: l.at.X - half, Y0: l.at.Y, X1: l.at.X + half, Y1: l.at.Y + l.wide}
	}
	b := vector.Box{X0: l.at.X, Y0: l.at.Y - picture.Ascent*l.size, X1: l.at.X + l.wide, Y1: l.at.Y + picture.Descent*l.size}
	if l.turn == 0 {
		return b
	}
	return vector.Rotate(l.turn).About(l.at).Bounds(b)
}

// span returns where a letter begins and ends on its line.
func (l *letter) span() (from, to float64) {
	if l.down {
		return l.at.Y, l.at.Y + l.wide
	}
	return l.at.X, l.at.X + l.wide
}

// on returns the box of a letter whose middle is on a path. ok is false beyond the ends
// of the path.
func (l *letter) on(along *vector.Measure) (vector.Box, bool) {
	at, d, _, ok := along.At(l.at.X + l.wide/2)
	if !ok || math.IsNaN(d.X) {
		return vector.Box{}, false
	}
	stand := vector.Matrix{A: d.X, B: d.Y, C: -d.Y, D: d.X, E: at.X, F: at.Y}
	flat := letter{at: vector.Point{X: -l.wide / 2, Y: l.at.Y}, wide: l.wide, size: l.size, turn: l.turn}
	return stand.Bounds(flat.box()), true
}
