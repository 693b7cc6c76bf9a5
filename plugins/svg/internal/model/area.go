package model

import (
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// Encloses reports whether a point of the canvas is inside a shape.
func (f *Drawing) Encloses(sc *scene.Scene, n *node, at vector.Point) bool {
	p, shape := sc.Path(n)
	inv, ok := sc.CTM(n).Inverse()
	return shape && ok && inside(p.Flatten(0.1), inv.At(at), sc.Value(n, "fill-rule") == "evenodd")
}

// inside reports whether a point is in the area that lines enclose.
func inside(l *vector.Lines, q vector.Point, evenodd bool) bool {
	winding, crossings := 0, 0
	for _, part := range l.Parts {
		k := len(part.Points)
		for i := range part.Points {
			a, b := part.Points[i], part.Points[(i+1)%k]
			if (a.Y > q.Y) == (b.Y > q.Y) {
				continue
			}
			if x := a.X + (q.Y-a.Y)*(b.X-a.X)/(b.Y-a.Y); x > q.X {
				crossings++
				if winding++; b.Y > a.Y {
					winding -= 2
				}
			}
		}
	}
	if evenodd {
		return crossings%2 == 1
	}
	return winding != 0
}

// Boxes returns the box around those of elements.
func Boxes(list []*node, of func(*node) (vector.Box, bool)) (out vector.Box, some bool) {
	out = vector.Empty()
	for _, n := range list {
		if b, ok := of(n); ok {
			out, some = out.Union(b), true
		}
	}
	return out, some
}
