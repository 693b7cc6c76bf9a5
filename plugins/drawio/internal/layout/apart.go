package layout

import (
	"math"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/geom"
)

// pushApart moves shapes until none is closer to another than gap: each pair
// that is goes apart the shorter way. Where that does not come to an end, all
// of them spread a little. Corners are whole numbers then.
func pushApart(at []geom.Point, size []geom.Rect, gap float64) {
	const patience = 24
	for round := 1; ; round++ {
		if round%4 == 0 { // what is whole stays whole
			for i := range at {
				at[i].X, at[i].Y = math.Round(at[i].X), math.Round(at[i].Y)
			}
		}
		hits := push(at, size, gap)
		if hits == 0 && round%4 == 0 {
			return
		}
		if round%patience == 0 {
			var mx, my float64
			for _, p := range at {
				mx, my = mx+p.X/float64(len(at)), my+p.Y/float64(len(at))
			}
			for i, p := range at {
				at[i] = geom.Point{X: mx + (p.X-mx)*1.06, Y: my + (p.Y-my)*1.06}
			}
		}
	}
}

// push parts each pair that is too close, and counts them.
func push(at []geom.Point, size []geom.Rect, gap float64) int {
	c := newCells(size, 0)
	for v, p := range at {
		c.put(v, p)
	}
	hits := 0
	for v := range at {
		seen := map[int]bool{}
		c.each(c.rect(v, c.at[v]).Grow(gap), func(key [2]int) bool {
			for _, w := range c.in[key] {
				if w <= v || seen[w] {
					continue
				}
				seen[w] = true
				a, b := c.rect(v, at[v]), c.rect(w, at[w])
				dx, dy := b.Center().X-a.Center().X, b.Center().Y-a.Center().Y
				x, y := (a.W+b.W)/2+gap-math.Abs(dx), (a.H+b.H)/2+gap-math.Abs(dy)
				if x < 1e-3 || y < 1e-3 {
					continue
				}
				hits++
				if x < y {
					x = math.Copysign(x/2+0.1, dx)
					at[v].X, at[w].X = at[v].X-x, at[w].X+x
				} else {
					y = math.Copysign(y/2+0.1, dy)
					at[v].Y, at[w].Y = at[v].Y-y, at[w].Y+y
				}
			}
			return true
		})
	}
	return hits
}
