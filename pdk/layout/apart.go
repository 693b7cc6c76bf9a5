package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// pushApart moves shapes until no two are closer to each other than gap. It separates each such pair along the axis that
// needs the shorter move. If that does not converge, it spreads all shapes a little. The resulting corners are whole
// numbers.
func pushApart(at []geom.Point, size []geom.Rect, gap float64) {
	const patience = 24
	for round := 1; ; round++ {
		if round%4 == 0 { // only rounded positions are accepted below
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

// push separates each pair of shapes that is too close, from left to right, and returns the number of such pairs.
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
