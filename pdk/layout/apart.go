package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
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

// push parts each pair that is too close, from left to right, and counts them.
func push(at []geom.Point, size []geom.Rect, gap float64) int {
	order := make([]int, len(at))
	for v := range order {
		order[v] = v
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[a].X, at[b].X) })
	hits := 0
	for i, v := range order {
		for _, w := range order[i+1:] {
			if at[w].X >= at[v].X+size[v].W+gap {
				break
			}
			dx, dy := at[w].X-at[v].X+(size[w].W-size[v].W)/2, at[w].Y-at[v].Y+(size[w].H-size[v].H)/2
			x, y := (size[v].W+size[w].W)/2+gap-math.Abs(dx), (size[v].H+size[w].H)/2+gap-math.Abs(dy)
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
	}
	return hits
}
