package diagram

import (
	"math"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// fixPort fixes where an edge meets a shape: at is a place on a side of its
// box. On a slanted or round outline that is where the edge's last piece,
// upright or level, meets the outline; draw.io by itself would turn the port
// towards the shape's middle. Under a shape whose label stands below it, it is
// below the label.
func fixPort(s style.Style, which string, x *cell, at geom.Point) style.Style {
	below := at.Y == 1 && labelHangs(x)
	depth := 0.0
	if !below {
		depth = hem(x, at)
	}
	switch {
	case at.Y == 0:
		at.Y = depth
	case at.Y == 1:
		at.Y = 1 - depth
	case at.X == 0:
		at.X = depth
	default:
		at.X = 1 - depth
	}
	if x.Style.Is("flipH", "1") {
		at.X = 1 - at.X
	}
	if x.Style.Is("flipV", "1") {
		at.Y = 1 - at.Y
	}
	s = style.Port(s, which, fine(at.X), fine(at.Y))
	if below {
		s = s.Set(which+"Dy", mxfile.Num(labelBelow))
	}
	if middle := at.X == 0.5 || at.Y == 0.5; below || depth > 0 || slanted(x) && !middle {
		s = s.Set(which+"Perimeter", "0")
	}
	return s
}

// fine rounds a fraction so that on no side it is off by more than a quarter
// of a unit.
func fine(f float64) float64 { return math.Round(f*1e4) / 1e4 }

// slanted reports whether draw.io turns the ports of a shape to its middle.
func slanted(x *cell) bool {
	p, ok := x.Style.Get("perimeter")
	return ok && p != "rectanglePerimeter"
}

// hem is how deep below a place on a side of its box the outline of x lies, in
// fractions of its size.
func hem(x *cell, at geom.Point) float64 {
	upright := at.Y == 0 || at.Y == 1
	deepest := math.Inf(1)
	outline := outlineOf(x)
	for i, a := range outline {
		b := outline[(i+1)%len(outline)]
		// Seen along the line that the edge comes by: f across it, d behind the side.
		fa, fb, da, db, f := a.X, b.X, math.Abs(a.Y-at.Y), math.Abs(b.Y-at.Y), at.X
		if !upright {
			fa, fb, da, db, f = a.Y, b.Y, math.Abs(a.X-at.X), math.Abs(b.X-at.X), at.Y
		}
		switch {
		case f < math.Min(fa, fb) || f > math.Max(fa, fb):
		case fa == fb:
			deepest = math.Min(deepest, math.Min(da, db))
		default:
			deepest = math.Min(deepest, da+(db-da)*(f-fa)/(fb-fa))
		}
	}
	if math.IsInf(deepest, 1) {
		return 0
	}
	return fine(math.Max(0, deepest))
}

// face is the share of a shape's sides that edges end on: where the outline
// falls off towards the corners, an edge would meet it from another side.
func face(x *cell) float64 {
	if outlineOf(x) == nil {
		return 1
	}
	for half := 0.45; half > 0.1; half -= 0.05 {
		lo, hi := 0.5-half, 0.5+half
		worst := 0.0
		for _, at := range polygon(lo, 0, hi, 0, lo, 1, hi, 1, 0, lo, 0, hi, 1, lo, 1, hi) {
			worst = math.Max(worst, hem(x, at))
		}
		if worst < 0.9*lo {
			return 2 * half
		}
	}
	return 0.2
}

// outlineOf is the outline of x in fractions of its size, nil for its box.
func outlineOf(x *cell) []geom.Point {
	name, _ := x.Style.Get("shape")
	perimeter, _ := x.Style.Get("perimeter")
	is := func(token string) bool {
		return name == "" && x.Style.Bare(token) || name == token || perimeter == token+"Perimeter"
	}
	w, h := math.Max(1, x.Geo.W), math.Max(1, x.Geo.H)
	way, _ := x.Style.Get("direction")
	if way == "north" || way == "south" {
		w, h = h, w
	}
	// inset is a size in units, or a fraction of the width.
	inset := func(fraction, units float64) float64 {
		v, ok := x.Style.Get("size")
		n, number := parseNumber(v)
		fixed := x.Style.Is("fixedSize", "1")
		switch {
		case fixed && ok && number:
			return math.Min(0.5, math.Max(0, n/w))
		case fixed:
			return math.Min(0.5, units/w)
		case ok && number:
			return math.Min(1, math.Max(0, n))
		}
		return fraction
	}
	var out []geom.Point
	switch {
	case is("rhombus"):
		return polygon(0.5, 0, 1, 0.5, 0.5, 1, 0, 0.5)
	case x.Style.Bare("ellipse") || name == "ellipse" || name == "doubleEllipse" || perimeter == "ellipsePerimeter":
		const n = 64
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
			out = append(out, geom.Point{X: 0.5 + cos/2, Y: 0.5 + sin/2})
		}
		return out
	case is("triangle"):
		out = polygon(0, 0, 1, 0.5, 0, 1)
	case is("hexagon") || perimeter == "hexagonPerimeter2":
		s := math.Min(0.5, inset(0.25, 20))
		out = polygon(s, 0, 1-s, 0, 1, 0.5, 1-s, 1, s, 1, 0, 0.5)
	case is("parallelogram"):
		s := inset(0.2, 20)
		out = polygon(s, 0, 1, 0, 1-s, 1, 0, 1)
	case is("trapezoid"):
		s := math.Min(0.5, inset(0.2, 20))
		out = polygon(s, 0, 1-s, 0, 1, 1, 0, 1)
	case is("step"):
		s := inset(0.2, 20)
		out = polygon(0, 0, 1-s, 0, 1, 0.5, 1-s, 1, 0, 1, s, 0.5)
	case name == "cylinder3" || name == "cylinder2":
		depth := 15.0
		if v, ok := x.Style.Get("size"); ok {
			if n, ok := parseNumber(v); ok {
				depth = n
			}
		}
		depth = math.Min(0.5, math.Max(0, depth/h))
		const n = 16
		for i := range n + 1 {
			sin, cos := math.Sincos(math.Pi * float64(i) / n)
			out = append(out, geom.Point{X: 0.5 - cos/2, Y: depth * (1 - sin)})
		}
		for i := range n + 1 {
			sin, cos := math.Sincos(math.Pi * float64(i) / n)
			out = append(out, geom.Point{X: 0.5 + cos/2, Y: 1 - depth*(1-sin)})
		}
	case name == "document":
		size := 0.3
		if v, ok := x.Style.Get("size"); ok {
			if n, ok := parseNumber(v); ok {
				size = math.Min(1, math.Max(0, n))
			}
		}
		// Two arcs of a wave along the lower side.
		out = polygon(0, 0, 1, 0)
		const n = 8
		for _, arc := range [][2]float64{{1, 1 - 1.4*size}, {0.5, 1 + 0.4*size}} {
			for i := range n + 1 {
				t := float64(i) / n
				out = append(out, geom.Point{X: arc[0] - t/2, Y: ((1-t)*(1-t)+t*t)*(1-size/2) + 2*t*(1-t)*arc[1]})
			}
		}
	}
	for i, p := range out { // draw.io turns what points east
		switch way {
		case "south":
			out[i] = geom.Point{X: 1 - p.Y, Y: p.X}
		case "west":
			out[i] = geom.Point{X: 1 - p.X, Y: 1 - p.Y}
		case "north":
			out[i] = geom.Point{X: p.Y, Y: 1 - p.X}
		}
	}
	return out
}

func polygon(xy ...float64) []geom.Point {
	out := make([]geom.Point, 0, len(xy)/2)
	for i := 0; i+1 < len(xy); i += 2 {
		out = append(out, geom.Point{X: xy[i], Y: xy[i+1]})
	}
	return out
}
