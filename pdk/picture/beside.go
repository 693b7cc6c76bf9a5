package picture

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

// upright reports whether a matrix only translates and scales by positive factors.
func upright(m matrix) bool { return m.B == 0 && m.C == 0 && m.A > 0 && m.D > 0 }

// besidePixels limits the canvas for an element with a filter that is rotated.
const besidePixels = 1 << 21

// drawUnrotated draws on a separate canvas without rotation, and draws that canvas here as an image, because filters work
// only along the axes of the pixels. draw returns false if nothing is left.
func (v *visit) drawUnrotated(at place, bounds func() rect, draw func(at place) (ok bool)) {
	box := v.everything(&at).Intersect(grown(bounds()))
	sx, sy := math.Hypot(at.m.A, at.m.B), math.Hypot(at.m.C, at.m.D)
	if box.IsEmpty() || sx == 0 || sy == 0 {
		return
	}
	if over := math.Sqrt(box.Width() * sx * box.Height() * sy / besidePixels); over > 1 {
		sx, sy = sx/over, sy/over
	}
	w, h := math.Ceil(box.Width()*sx), math.Ceil(box.Height()*sy)
	if !(w >= 1 && h >= 1 && w*h <= 2*besidePixels) {
		return
	}
	was := v.canvas
	if v.canvas = was.newPart(int(w), int(h)); v.canvas == nil {
		v.canvas = was
		v.addMissing("rotated filters inside filters")
		return
	}
	there := at
	there.m = vector.Scale(sx, sy).Times(vector.Translate(-box.X0, -box.Y0))
	ok := draw(there)
	made := v.canvas
	pix := made.close()
	v.canvas = was
	back, invertible := at.m.Times(vector.Translate(box.X0, box.Y0)).Times(vector.Scale(1/sx, 1/sy)).Inverse()
	if !ok || !invertible {
		return
	}
	v.quad(at.m, box, &brush{at: func(x, y int) uint32 {
		q := back.At(point{X: float64(x) + 0.5, Y: float64(y) + 0.5})
		return tiled(pix, made.w, made.h, q.X-0.5, q.Y-0.5)
	}})
}

// grown returns a box enlarged on all sides as much as filters may need.
func grown(b rect) rect {
	w, h := max(b.Width(), 100), max(b.Height(), 100)
	return rect{X0: b.X0 - w, Y0: b.Y0 - h, X1: b.X1 + w, Y1: b.Y1 + h}
}
