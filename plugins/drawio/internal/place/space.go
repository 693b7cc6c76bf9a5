// Package place finds free space on a page. The time for one shape does not depend on the number of shapes.
package place

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Space is a set of rectangles with keys that can be searched by position. Rectangles are stored in grids whose cell
// size doubles from level to level, each in the finest grid whose cells are not smaller than the rectangle, so that it
// overlaps at most four cells. The zero value is empty and ready to use.
type Space[K comparable] struct {
	rects  map[K]geom.Rect
	levels [32]grid[K]  // by the logarithm of the cell size
	used   []int        // the levels in use, in order
	pairs  int          // number of overlapping pairs
	starts map[Walk]int // see Free
}

type grid[K comparable] struct {
	cells map[mesh][]K
	n     int // rectangles
}

type mesh struct{ x, y int32 }

const finest = 5 // 32 units

func level(r geom.Rect) int {
	return min(31, max(finest, int(math.Ceil(math.Log2(math.Max(math.Max(r.W, r.H), 1))))))
}

func meshes(r geom.Rect, lvl int) (from, to mesh) {
	size := math.Ldexp(1, lvl)
	at := func(v float64) int32 {
		return int32(math.Max(-1<<30, math.Min(1<<30, math.Floor(v/size))))
	}
	return mesh{at(r.X), at(r.Y)}, mesh{at(r.X + r.W), at(r.Y + r.H)}
}

// Put adds a rectangle, or replaces the one with the same key.
func (s *Space[K]) Put(k K, r geom.Rect) {
	if old, ok := s.rects[k]; ok {
		if old == r {
			return
		}
		s.Delete(k)
	}
	if s.rects == nil {
		s.rects = map[K]geom.Rect{}
	}
	s.pairs += s.count(r)
	s.rects[k] = r
	lvl := level(r)
	g := &s.levels[lvl]
	if g.cells == nil {
		g.cells = map[mesh][]K{}
	}
	if g.n++; g.n == 1 {
		s.used = append(s.used, lvl)
		slices.Sort(s.used)
	}
	grid := g.cells
	from, to := meshes(r, lvl)
	for x := from.x; x <= to.x; x++ {
		for y := from.y; y <= to.y; y++ {
			grid[mesh{x, y}] = append(grid[mesh{x, y}], k)
		}
	}
}

// Delete removes a rectangle.
func (s *Space[K]) Delete(k K) {
	r, ok := s.rects[k]
	if !ok {
		return
	}
	delete(s.rects, k)
	lvl := level(r)
	g := &s.levels[lvl]
	if g.n--; g.n == 0 {
		s.used = slices.DeleteFunc(s.used, func(l int) bool { return l == lvl })
	}
	grid := g.cells
	from, to := meshes(r, lvl)
	for x := from.x; x <= to.x; x++ {
		for y := from.y; y <= to.y; y++ {
			list := grid[mesh{x, y}]
			for i := range list {
				if list[i] == k {
					list[i] = list[len(list)-1]
					list = list[:len(list)-1]
					break
				}
			}
			if len(list) == 0 {
				delete(grid, mesh{x, y})
			} else {
				grid[mesh{x, y}] = list
			}
		}
	}
	s.pairs -= s.count(r)
	// A position that was taken may be free now: restart the walks that could have passed it.
	for w, n := range s.starts {
		if first := w.reaches(r); first < n {
			s.starts[w] = first
		}
	}
}

// Len returns the number of rectangles.
func (s *Space[K]) Len() int { return len(s.rects) }

// Rect returns the rectangle with a key.
func (s *Space[K]) Rect(k K) (geom.Rect, bool) {
	r, ok := s.rects[k]
	return r, ok
}

// Pairs returns the number of pairs of rectangles that overlap.
func (s *Space[K]) Pairs() int { return s.pairs }

func (s *Space[K]) count(r geom.Rect) int {
	n := 0
	s.Each(r, func(K, geom.Rect) bool { n++; return true })
	return n
}

// Each calls visit for every rectangle that overlaps r, in no particular
// order, until visit returns false.
func (s *Space[K]) Each(r geom.Rect, visit func(k K, at geom.Rect) bool) {
	for _, lvl := range s.used {
		grid := s.levels[lvl].cells
		from, to := meshes(r, lvl)
		if area := (float64(to.x) - float64(from.x) + 1) * (float64(to.y) - float64(from.y) + 1); area > float64(len(grid)) {
			for m, list := range grid {
				if !eachIn(s, r, m, from, lvl, list, visit) {
					return
				}
			}
			continue
		}
		for x := from.x; x <= to.x; x++ {
			for y := from.y; y <= to.y; y++ {
				if !eachIn(s, r, mesh{x, y}, from, lvl, grid[mesh{x, y}], visit) {
					return
				}
			}
		}
	}
}

// eachIn visits the rectangles in one grid cell. It visits each rectangle only in the first cell that it shares with the
// query, which starts at from.
func eachIn[K comparable](s *Space[K], r geom.Rect, m, from mesh, lvl int, list []K, visit func(K, geom.Rect) bool) bool {
	for _, k := range list {
		at := s.rects[k]
		if !at.Overlaps(r) {
			continue
		}
		begin, _ := meshes(at, lvl)
		if m.x != max(begin.x, from.x) || m.y != max(begin.y, from.y) {
			continue
		}
		if !visit(k, at) {
			return false
		}
	}
	return true
}

// Empty reports whether nothing but except overlaps r.
func (s *Space[K]) Empty(r geom.Rect, except func(K) bool) bool {
	empty := true
	s.Each(r, func(k K, _ geom.Rect) bool {
		if except != nil && except(k) {
			return true
		}
		empty = false
		return false
	})
	return empty
}
