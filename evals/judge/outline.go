package judge

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// matrix is an affine transformation as in SVG: x' = a x + c y + e, y' = b x + d y + f.
type matrix [6]float64

func (m matrix) apply(p point) point {
	return point{m[0]*p.x + m[2]*p.y + m[4], m[1]*p.x + m[3]*p.y + m[5]}
}

// then returns the transformation that n, within m, has on the whole.
func (m matrix) then(n matrix) matrix {
	x, y, o := m.apply(point{n[0], n[1]}), m.apply(point{n[2], n[3]}), m.apply(point{n[4], n[5]})
	return matrix{x.x - m[4], x.y - m[5], y.x - m[4], y.y - m[5], o.x, o.y}
}

type point struct{ x, y float64 }

var (
	transformation = regexp.MustCompile(`(\w+)\s*\(([^)]*)\)`)
	decimal        = regexp.MustCompile(`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`)
)

// numbers returns the numbers in a text.
func numbers(text string) (list []float64) {
	for _, n := range decimal.FindAllString(text, -1) {
		v, _ := strconv.ParseFloat(n, 64)
		list = append(list, v)
	}
	return list
}

// parseTransform reads a transform attribute.
func parseTransform(text string) matrix {
	m := matrix{1, 0, 0, 1, 0, 0}
	for _, t := range transformation.FindAllStringSubmatch(text, -1) {
		v := append(numbers(t[2]), make([]float64, 6)...)
		n := len(v) - 6
		switch t[1] {
		case "matrix":
			m = m.then(matrix(v[:6]))
		case "translate":
			m = m.then(matrix{1, 0, 0, 1, v[0], v[1]})
		case "scale":
			if n == 1 {
				v[1] = v[0]
			}
			m = m.then(matrix{v[0], 0, 0, v[1], 0, 0})
		case "rotate":
			sin, cos := math.Sincos(v[0] * math.Pi / 180)
			m = m.then(matrix{1, 0, 0, 1, v[1], v[2]}).then(matrix{cos, sin, -sin, cos, 0, 0}).then(matrix{1, 0, 0, 1, -v[1], -v[2]})
		case "skewX":
			m = m.then(matrix{1, 0, math.Tan(v[0] * math.Pi / 180), 1, 0, 0})
		case "skewY":
			m = m.then(matrix{1, math.Tan(v[0] * math.Pi / 180), 0, 1, 0, 0})
		}
	}
	return m
}

// outline returns points of a shape, in its own coordinates, whose extent is about that of the shape: corners and ends, and points on curves
// and arcs.
func outline(n node) []point {
	v := func(name string) float64 {
		f, _ := strconv.ParseFloat(decimal.FindString(n.attr(name)), 64)
		return f
	}
	x, y := v("x"), v("y")
	switch n.XMLName.Local {
	case "rect", "image":
		return []point{{x, y}, {x + v("width"), y}, {x + v("width"), y + v("height")}, {x, y + v("height")}}
	case "circle":
		return ring(v("cx"), v("cy"), v("r"), v("r"))
	case "ellipse":
		return ring(v("cx"), v("cy"), v("rx"), v("ry"))
	case "line":
		return []point{{v("x1"), v("y1")}, {v("x2"), v("y2")}}
	case "polyline", "polygon":
		var list []point
		for v := numbers(n.attr("points")); len(v) > 1; v = v[2:] {
			list = append(list, point{v[0], v[1]})
		}
		return list
	case "path":
		return pathPoints(n.attr("d"))
	case "text", "tspan", "use":
		return []point{{x, y}}
	}
	return nil
}

func ring(cx, cy, rx, ry float64) (list []point) {
	for i := range 72 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 36)
		list = append(list, point{cx + rx*cos, cy + ry*sin})
	}
	return list
}

var segment = regexp.MustCompile(`([MmLlHhVvCcSsQqTtAaZz])([^MmLlHhVvCcSsQqTtAaZz]*)`)

// arity is how many numbers a segment of a path takes.
var arity = map[string]int{"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7}

// pathPoints returns points on a path.
func pathPoints(d string) (list []point) {
	var at, begin, control point
	for _, s := range segment.FindAllStringSubmatch(d, -1) {
		kind := strings.ToUpper(s[1])
		if kind == "Z" {
			at = begin
			continue
		}
		n := arity[kind]
		v := numbers(s[2])
		if kind == "A" {
			v = arcNumbers(s[2])
		}
		for ; len(v) >= n; v = v[n:] {
			from := point{}
			if s[1] != kind {
				from = at
			}
			to := func(i int) point { return point{from.x + v[i], from.y + v[i+1]} }
			next := at
			mirrored := point{2*at.x - control.x, 2*at.y - control.y}
			switch kind {
			case "M", "L":
				next = to(0)
				list, control = append(list, next), next
			case "H":
				next.x = from.x + v[0]
				list, control = append(list, next), next
			case "V":
				next.y = from.y + v[0]
				list, control = append(list, next), next
			case "C":
				next, control = to(4), to(2)
				list = append(list, cubic(at, to(0), control, next)...)
			case "S":
				next, control = to(2), to(0)
				list = append(list, cubic(at, mirrored, control, next)...)
			case "Q", "T":
				if control = mirrored; kind == "Q" {
					control = to(0)
				}
				next = to(n - 2)
				list = append(list, cubic(at, towards(at, control), towards(next, control), next)...)
			case "A":
				next = to(5)
				list, control = append(list, arc(at, next, v)...), next
			}
			if at = next; kind == "M" {
				begin, kind, n = next, "L", 2
			}
		}
	}
	return list
}

// towards is two thirds of the way from a to b.
func towards(a, b point) point { return point{a.x + (b.x-a.x)*2/3, a.y + (b.y-a.y)*2/3} }

func cubic(a, b, c, d point) (list []point) {
	for i := 1; i <= 16; i++ {
		t := float64(i) / 16
		u := 1 - t
		wa, wb, wc, wd := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		list = append(list, point{wa*a.x + wb*b.x + wc*c.x + wd*d.x, wa*a.y + wb*b.y + wc*c.y + wd*d.y})
	}
	return list
}

// arcNumbers returns the numbers of arcs, whose flags need no separator.
func arcNumbers(text string) (list []float64) {
	for i := 0; ; i++ {
		text = strings.TrimLeft(text, " ,\t\r\n")
		if text == "" {
			return list
		}
		word := decimal.FindString(text)
		if k := i % 7; k == 3 || k == 4 {
			word = text[:1]
		}
		if word == "" {
			return list
		}
		v, _ := strconv.ParseFloat(word, 64)
		list, text = append(list, v), strings.TrimPrefix(text, word)
	}
}

// arc returns points on an elliptical arc from a to b with these radii, rotation and flags (SVG 1.1, F.6.5).
func arc(a, b point, v []float64) (list []point) {
	rx, ry := math.Abs(v[0]), math.Abs(v[1])
	if rx == 0 || ry == 0 || a == b {
		return []point{b}
	}
	sin, cos := math.Sincos(v[2] * math.Pi / 180)
	hx, hy := (a.x-b.x)/2, (a.y-b.y)/2
	x, y := cos*hx+sin*hy, cos*hy-sin*hx
	if s := x*x/(rx*rx) + y*y/(ry*ry); s > 1 {
		rx, ry = rx*math.Sqrt(s), ry*math.Sqrt(s)
	}
	k := math.Sqrt(max(0, (rx*rx*ry*ry-rx*rx*y*y-ry*ry*x*x)/(rx*rx*y*y+ry*ry*x*x)))
	if (v[3] != 0) == (v[4] != 0) {
		k = -k
	}
	cx, cy := k*rx*y/ry, -k*ry*x/rx
	begin := math.Atan2((y-cy)/ry, (x-cx)/rx)
	sweep := math.Atan2((-y-cy)/ry, (-x-cx)/rx) - begin
	if v[4] != 0 && sweep < 0 {
		sweep += 2 * math.Pi
	} else if v[4] == 0 && sweep > 0 {
		sweep -= 2 * math.Pi
	}
	for i := 1; i <= 32; i++ {
		s, c := math.Sincos(begin + sweep*float64(i)/32)
		px, py := cx+rx*c, cy+ry*s
		list = append(list, point{cos*px - sin*py + (a.x+b.x)/2, sin*px + cos*py + (a.y+b.y)/2})
	}
	return list
}
