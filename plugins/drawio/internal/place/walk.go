package place

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Gap is the room that Free leaves around a shape.
const Gap = 20

// Walk is an endless list of places for a rectangle of one size, tried in
// order. It is a value, so that a Space can remember how far each one got.
type Walk struct {
	Kind             Kind
	X, Y             float64 // of the first place
	W, H             float64 // of the rectangle
	StepX, StepY     float64 // between places, greater than 0
	Columns          int     // Rows only
	TowardX, TowardY int     // Away only: -1, 0 or 1 each
	MinX, MinY       float64 // Away only: how far up or left places to either side may lie
}

// Kind is how a walk goes on.
type Kind int

// The kinds of walk.
const (
	Rows  Kind = iota // left to right in Columns columns, then the next row
	Rings             // around the first place, ever wider
	Away              // in a direction, at each distance also a few places to either side
)

// aside is how many places to either side Away tries at each distance.
const aside = 4

// mostAside is how far, in units, such a place is from the straight way. Copies of
// something tall would stand far above and below it.
const mostAside = 500

// allows reports whether a place to either side is near enough, and on the page.
func (w Walk) allows(r geom.Rect) bool {
	switch {
	case w.Kind != Away:
		return true
	case w.TowardX != 0 && w.TowardY == 0:
		return r.Y == w.Y || r.Y >= w.MinY && math.Abs(r.Y-w.Y) <= mostAside
	}
	straight := w.X + math.Abs(r.Y-w.Y)/w.StepY*float64(w.TowardX)*w.StepX
	return r.X == straight || r.X >= w.MinX && math.Abs(r.X-straight) <= mostAside
}

// At is place n, from 0.
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

// ring walks the squares around 0,0, ring after ring.
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

// reaches is a place before which no place touches r.
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

// Free is the first place of the walk with Gap of empty room around it. It
// remembers how far it got, and Delete winds it back, so the answer is that of
// a walk from the start while its cost is that of the steps not yet taken.
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

// FreeExcept is Free for a rectangle that is moved: except says which keys do
// not stand in the way. It remembers nothing.
func (s *Space[K]) FreeExcept(w Walk, except func(K) bool) geom.Rect {
	for n := 0; ; n++ {
		if r := w.At(n); w.allows(r) && s.Empty(r.Grow(Gap-0.5), except) {
			return r
		}
	}
}
