package layout

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// flipContainers mirrors the contents of each container horizontally, vertically or both, where that shortens the edges
// to nodes outside.
func flipContainers(g *Graph, res *Result) {
	t := newTree(g)
	type out struct{ inner, child, outer int } // an edge that leaves a container: its end inside, the member that holds it, its end outside
	leaving := make([][]out, len(g.Nodes))
	for _, e := range g.Edges {
		if e.From < 0 || e.To < 0 || e.From >= len(g.Nodes) || e.To >= len(g.Nodes) {
			continue
		}
		for _, ends := range [2][2]int{{e.From, e.To}, {e.To, e.From}} {
			child := ends[0]
			for k := len(t.paths[ends[0]]) - 1; k >= 0; k-- {
				c := t.paths[ends[0]][k]
				if t.inside(ends[1], c) {
					break
				}
				leaving[c] = append(leaving[c], out{ends[0], child, ends[1]})
				child = c
			}
		}
	}
	for range 2 {
		for c := range g.Nodes {
			if len(leaving[c]) == 0 {
				continue
			}
			var all geom.Rect
			for _, k := range t.children[c] {
				all = all.Union(res.Rects[k])
			}
			by := func(k int, x, y bool) (d geom.Point) {
				r := res.Rects[k]
				if x {
					d.X = all.X + all.Right() - r.Right() - r.X
				}
				if y {
					d.Y = all.Y + all.Bottom() - r.Bottom() - r.Y
				}
				return d
			}
			bestX, bestY, least := false, false, math.Inf(1)
			for way := range 4 {
				x, y := way&1 != 0, way&2 != 0
				sum := 0.0
				for _, o := range leaving[c] {
					a, b, d := res.Rects[o.inner].Center(), res.Rects[o.outer].Center(), by(o.child, x, y)
					sum += math.Hypot(a.X+d.X-b.X, a.Y+d.Y-b.Y)
				}
				if sum < least-1e-6 {
					bestX, bestY, least = x, y, sum
				}
			}
			for _, k := range t.children[c] {
				move(t, k, by(k, bestX, bestY), res)
			}
		}
	}
}
