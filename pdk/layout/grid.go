package layout

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Grid places nodes in order in rows and columns, and the members of a container inside it. It makes no routes.
func Grid(g *Graph, o Options) Result {
	return withPools(g, o, NoLanes, func(g *Graph) Result { return layoutGrid(g, o) })
}

// layoutGrid is Grid for a graph whose pools are all laid out already.
func layoutGrid(g *Graph, o Options) Result {
	t := newTree(g)
	res := Result{Rects: make([]geom.Rect, len(g.Nodes)), Routes: make([]Route, len(g.Edges))}
	var top []int
	for i, p := range t.parent {
		if p < 0 {
			top = append(top, i)
		}
	}
	placeGrid(g, t, top, geom.Point{}, o.gap(), &res)
	return res
}

// placeGrid arranges nodes with their contents from the corner `at`, and returns the size of the whole.
func placeGrid(g *Graph, t *tree, nodes []int, at geom.Point, gap float64, res *Result) (w, h float64) {
	columns := max(1, int(math.Ceil(math.Sqrt(float64(len(nodes))))))
	for _, i := range nodes {
		r := geom.Rect{W: g.Nodes[i].W, H: g.Nodes[i].H}
		if !t.leaf(i) {
			pad := g.Nodes[i].Pad
			w, h := placeGrid(g, t, t.children[i], geom.Point{X: pad.Left, Y: pad.Top}, gap, res)
			r.W, r.H = math.Max(w+pad.Left+pad.Right, g.Nodes[i].MinW), h+pad.Top+pad.Bottom
		}
		res.Rects[i] = r
	}
	widths, heights := make([]float64, columns), make([]float64, (len(nodes)+columns-1)/columns)
	for n, i := range nodes {
		widths[n%columns] = math.Max(widths[n%columns], res.Rects[i].W)
		heights[n/columns] = math.Max(heights[n/columns], res.Rects[i].H)
	}
	y := 0.0
	for n, i := range nodes {
		if n%columns == 0 {
			w = 0
			if n > 0 {
				y += heights[n/columns-1] + gap
			}
		}
		r := res.Rects[i]
		move(t, i, geom.Point{X: at.X + w + (widths[n%columns]-r.W)/2, Y: at.Y + y + (heights[n/columns]-r.H)/2}, res)
		w += widths[n%columns] + gap
	}
	w, h = -gap, 0
	for _, c := range widths {
		w += c + gap
	}
	for _, r := range heights {
		h += r + gap
	}
	return math.Max(0, w), math.Max(0, h-gap)
}

// move shifts a node and its contents.
func move(t *tree, i int, by geom.Point, res *Result) {
	res.Rects[i].X += by.X
	res.Rects[i].Y += by.Y
	for _, c := range t.children[i] {
		move(t, c, by, res)
	}
}
