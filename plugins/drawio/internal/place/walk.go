package place

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Gap is the space that Free leaves around a shape.
const Gap = 20

// Walk is an endless sequence of positions for a rectangle of one size. It is a value, so that a Space can remember how
// far each walk got.
type Walk struct {
	Kind             Kind
	X, Y             float64 // the first position
	W, H             float64 // size of the rectangle
	StepX, StepY     float64 // distance between positions, greater than 0
	Columns          int     // Rows only
	TowardX, TowardY int     // Away only: -1, 0 or 1 each
	MinX, MinY       float64 // Away only: limits for positions to either side
}

// Kind is the order of the positions of a walk.
type Kind int

// The kinds of walk.
const (
	Rows  Kind = iota // left to right in Columns columns, then the next row
	Rings             // in growing rings around the first position
	Away              // in a direction, with a few positions to either side at each distance
)

// aside is the number of positions to either side that Away tries at each distance.
const aside = 4

// maxAside is the largest distance, in units, of such a position from the straight line. Without it, copies of a tall
// shape would be placed far above and below.
const maxAside = 500

// allows reports whether a position to either side is close enough, and on the page.
func (w Walk) allows(r geom.Rect) bool {
	switch {
	case w.Kind != Away:
		return true
	case w.TowardX != 0 && w.TowardY == 0:
		return r.Y == w.Y || r.Y >= w.MinY && math.Abs(r.Y-w.Y) <= maxAside
	}
	straight := w.X + math.Abs(r.Y-w.Y)/w.StepY*float64(w.TowardX)*w.StepX
	return r.X == straight || r.X >= w.MinX && math.Abs(r.X-straight) <= maxAside
}

// At is position n, counted from 0.
func (w Walk) At(n int) geom.Rect {
	dx, dy := 0, 0
	switch w.Kind {
	case Rows:
		dx, dy = n%w.Columns, n/w.Columns
	case Rings:
		dx, dy = ring(n)
	case Away:
		out, side := n/(2*aside+1), n%(2*aside+1)
		if side%2 == 1 {
			side = (side + 1) / 2
		} else {
			side = -side / 2
		}
		dx, dy = w.TowardX*out, w.TowardY*out
		if w.TowardX != 0 && w.TowardY == 0 {
			dy = side
		} else {
			dx += side
		}
	}
	return geom.Rect{X: w.X + float64(dx)*w.StepX, Y: w.Y + float64(dy)*w.StepY, W: w.W, H: w.H}
}

// ring returns position n of a walk around 0,0, ring after ring.
func ring(n int) (x, y int) {
	if n == 0 {
		return 0, 0
	}
	r := int(math.Ceil((math.Sqrt(float64(n)+1) - 1) / 2))
	for (2*r+1)*(2*r+1) <= n {
		r++
	}
	for (2*r-1)*(2*r-1) > n {
		r--
	}
	n -= (2*r - 1) * (2*r - 1)
	side, at := n/(2*r), n%(2*r)
	switch side {
	case 0:
		return r, -r + 1 + at
	case 1:
		return r - 1 - at, r
	case 2:
		return -r, r - 1 - at
	}
	return -r + 1 + at, -r
}

// reaches returns an index before which no position of the walk touches r.
func (w Walk) reaches(r geom.Rect) int {
	if w.Kind != Rows {
		return 0
	}
	row := math.Floor((r.Y-Gap-w.H-w.Y)/w.StepY) - 1
	if row < 0 || math.IsNaN(row) {
		return 0
	}
	return int(math.Min(row, 1<<30)) * w.Columns
}

// Free returns the first position of the walk with Gap of free space around it. It continues where the last call with
// the same walk stopped, unless Delete reset that. The result is the same as that of a walk from the start.
func (s *Space[K]) Free(w Walk) geom.Rect {
	n := s.starts[w]
	for ; ; n++ {
		r := w.At(n)
		if w.allows(r) && s.Empty(r.Grow(Gap-0.5), nil) {
			if s.starts == nil {
				s.starts = map[Walk]int{}
			}
			s.starts[w] = n
			return r
		}
	}
}

// FreeExcept is Free for a rectangle that is being moved; except says which keys to ignore. It does not store how far
// the walk got.
func (s *Space[K]) FreeExcept(w Walk, except func(K) bool) geom.Rect {
	for n := 0; ; n++ {
		if r := w.At(n); w.allows(r) && s.Empty(r.Grow(Gap-0.5), except) {
			return r
		}
	}
}
