package picture

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// maxMarkers limits the markers of a shape.
const maxMarkers = 20_000

// vertex is a point where a path has a marker, with the directions of the path before and after it.
type vertex struct {
	at      point
	in, out point
}

// markers draws the markers of a shape.
func (v *visit) markers(shape vector.Path, s *style, at *place, ar *area) {
	list := vertices(shape)
	if len(list) < 2 {
		if len(list) == 0 {
			return
		}
	}
	context := &context{fill: s.Fill, stroke: s.Stroke, color: s.Color, at: *at, box: ar.box, up: at.context}
	for i := range list {
		if i == 0 {
			v.marker(s.Markers[0], &list[i], 's', s, at, context)
		}
		if i == len(list)-1 {
			v.marker(s.Markers[2], &list[i], 'e', s, at, context)
		}
		if i > 0 && i < len(list)-1 {
			v.marker(s.Markers[1], &list[i], 'm', s, at, context)
		}
	}
}

// vertices returns the positions of markers along a path.
func vertices(p vector.Path) []vertex {
	var out []vertex
	var start int // index of the first vertex of the subpath
	var from point
	zero := point{}
	for i, s := range p {
		if len(out) >= maxMarkers {
			break
		}
		leave, arrive := ends(p[i], from)
		switch s.Kind {
		case vector.Move:
			start = len(out)
			out = append(out, vertex{at: s.To})
		default:
			if n := len(out) - 1; n >= 0 && out[n].out == zero {
				out[n].out = leave
			}
			out = append(out, vertex{at: s.To, in: arrive})
			if s.Kind == vector.Close {
				n := len(out) - 1
				out[n].out = out[start].out
				if out[start].in == zero {
					out[start].in = arrive
				}
				start = n
			}
		}
		from = s.To
	}
	return out
}

// ends returns the directions of a segment at its start and its end; zero if it has none.
func ends(s vector.Segment, from point) (leave, arrive point) {
	var along []point
	switch s.Kind {
	case vector.Quad:
		along = []point{from, s.C1, s.To}
	case vector.Cubic:
		along = []point{from, s.C1, s.C2, s.To}
	case vector.Arc:
		cubics := vector.Path{{Kind: vector.Move, To: from}, s}.Cubics()
		along = []point{from}
		for _, c := range cubics[1:] {
			if c.Kind == vector.Cubic {
				along = append(along, c.C1, c.C2)
			}
			along = append(along, c.To)
		}
	case vector.Move:
		return
	default:
		along = []point{from, s.To}
	}
	n := len(along)
	for i := 1; i < n && leave == (point{}); i++ {
		leave = toward(along[0], along[i])
	}
	for i := n - 2; i >= 0 && arrive == (point{}); i-- {
		arrive = toward(along[i], along[n-1])
	}
	return leave, arrive
}

// toward returns the unit vector from a to b; zero if they are the same point.
func toward(a, b point) point {
	d := a.Distance(b)
	if d < 1e-9 {
		return point{}
	}
	return point{X: (b.X - a.X) / d, Y: (b.Y - a.Y) / d}
}

// angle returns the angle in degrees of a marker that follows the path: the bisector of both directions.
func (k *vertex) angle() float64 {
	in, out := k.in, k.out
	switch {
	case in == point{}:
		in = out
	case out == point{}:
		out = in
	}
	x, y := in.X+out.X, in.Y+out.Y
	if math.Hypot(x, y) < 1e-9 { // the path reverses
		x, y = -in.Y, in.X
	}
	return math.Atan2(y, x) * 180 / math.Pi
}

// marker draws a marker at a vertex.
func (v *visit) marker(id string, k *vertex, where byte, s *style, at *place, context *context) {
	n := v.doc.ids[id]
	if n == nil || n.Type != "marker" || v.exhausted() || !v.enter(n) {
		return
	}
	defer v.leave()
	*v.canvas.work -= 64
	own := v.ambient(n)
	w, h := svgdom.LengthOf(n.Get("markerWidth"), at.w, own.Size, 3), svgdom.LengthOf(n.Get("markerHeight"), at.h, own.Size, 3)
	if w <= 0 || h <= 0 {
		return
	}
	scale := 1.0
	if n.Get("markerUnits") != "userSpaceOnUse" {
		scale = s.Width.In(at.diagonal(), s.Size)
	}
	turn := 0.0
	switch orient := strings.TrimSpace(n.Get("orient")); orient {
	case "auto":
		turn = k.angle()
	case "auto-start-reverse":
		turn = k.angle()
		if where == 's' {
			turn += 180
		}
	default:
		turn, _ = degrees(orient)
	}
	in := place{m: at.m.Times(vector.Translate(k.at.X, k.at.Y)).Times(vector.Rotate(turn)).Times(vector.Scale(scale, scale)), w: at.w, h: at.h, context: context, depth: at.depth + 4}
	view, ok := viewBox(n)
	if _, given := n.Attr("viewBox"); given && !ok {
		return
	}
	fit := vector.Identity()
	if ok {
		fit = fitted(view, rect{X1: w, Y1: h}, n.Get("preserveAspectRatio"))
		in.w, in.h = view.Width(), view.Height()
	}
	ref := fit.At(point{X: svgdom.LengthOf(n.Get("refX"), in.w, own.Size, 0), Y: svgdom.LengthOf(n.Get("refY"), in.h, own.Size, 0)})
	in.m = in.m.Times(vector.Translate(-ref.X, -ref.Y))
	if in.m.Factor() < 1e-9 {
		return
	}
	if own.Overflow != 'v' {
		defer v.clip(in.m, rect{X1: w, Y1: h})()
	}
	in.m = in.m.Times(fit)
	own.Opacity = 1
	v.group(n, &own, in)
}
