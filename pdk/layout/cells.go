package layout

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// cells finds shapes by position. It is a grid of squares, each with a list of the shapes that overlap it.
type cells struct {
	size []geom.Rect
	gap  float64 // shapes closer to each other than this collide
	side float64 // of a square
	in   map[[2]int][]int
	at   map[int]geom.Point
}

func newCells(size []geom.Rect, gap float64) *cells {
	c := &cells{size: size, gap: gap, in: map[[2]int][]int{}, at: map[int]geom.Point{}}
	for _, s := range size {
		c.side += (s.W + s.H) / 2
	}
	c.side = math.Max(20, c.side/float64(max(1, len(size)))+gap)
	return c
}

func (c *cells) rect(v int, p geom.Point) geom.Rect {
	return geom.Rect{X: p.X, Y: p.Y, W: c.size[v].W, H: c.size[v].H}
}

// each calls f for the squares that a rectangle overlaps, until f returns false.
func (c *cells) each(r geom.Rect, f func(key [2]int) bool) {
	x0, y0 := int(math.Floor(r.X/c.side)), int(math.Floor(r.Y/c.side))
	x1, y1 := int(math.Floor(r.Right()/c.side)), int(math.Floor(r.Bottom()/c.side))
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			if !f([2]int{x, y}) {
				return
			}
		}
	}
}

func (c *cells) put(v int, p geom.Point) {
	c.at[v] = p
	c.each(c.rect(v, p), func(key [2]int) bool {
		c.in[key] = append(c.in[key], v)
		return true
	})
}

// hit reports whether v at p would be closer than gap to a shape that was put.
func (c *cells) hit(v int, p geom.Point) bool {
	r := c.rect(v, p).Grow(c.gap - 0.01)
	found := false
	c.each(r, func(key [2]int) bool {
		for _, w := range c.in[key] {
			if w != v && r.Overlaps(c.rect(w, c.at[w])) {
				found = true
				return false
			}
		}
		return true
	})
	return found
}
