package picture

import (
	"math"
	"strings"
)

type point struct{ x, y float64 }

type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) cut(o rect) rect {
	return rect{max(r.x0, o.x0), max(r.y0, o.y0), min(r.x1, o.x1), min(r.y1, o.y1)}
}

// matrix maps x,y to a·x+c·y+e, b·x+d·y+f.
type matrix struct{ a, b, c, d, e, f float64 }

func identity() matrix { return matrix{1, 0, 0, 1, 0, 0} }

// times is the map that does o first, then m.
func (m matrix) times(o matrix) matrix {
	return matrix{
		bounded(m.a*o.a + m.c*o.b), bounded(m.b*o.a + m.d*o.b),
		bounded(m.a*o.c + m.c*o.d), bounded(m.b*o.c + m.d*o.d),
		bounded(m.a*o.e + m.c*o.f + m.e), bounded(m.b*o.e + m.d*o.f + m.f),
	}
}

func (m matrix) at(p point) point {
	return point{bounded(m.a*p.x + m.c*p.y + m.e), bounded(m.b*p.x + m.d*p.y + m.f)}
}

// scale is how much longer lines become, about.
func (m matrix) scale() float64 { return math.Sqrt(math.Abs(m.a*m.d - m.b*m.c)) }

// inverse undoes m; ok is false where that is impossible.
func (m matrix) inverse() (matrix, bool) {
	det := m.a*m.d - m.b*m.c
	if math.Abs(det) < 1e-12 {
		return m, false
	}
	return matrix{
		m.d / det, -m.b / det, -m.c / det, m.a / det,
		(m.c*m.f - m.d*m.e) / det, (m.b*m.e - m.a*m.f) / det,
	}, true
}

// bounds is the box around a mapped box.
func (m matrix) bounds(r rect) rect {
	out := rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range []point{{r.x0, r.y0}, {r.x1, r.y0}, {r.x0, r.y1}, {r.x1, r.y1}} {
		p = m.at(p)
		out = rect{min(out.x0, p.x), min(out.y0, p.y), max(out.x1, p.x), max(out.y1, p.y)}
	}
	return out
}

// transform reads a transform attribute.
func transform(s string) matrix {
	m := identity()
	for range 50 {
		name, rest, ok := strings.Cut(s, "(")
		args, next, closed := strings.Cut(rest, ")")
		if !ok || !closed {
			break
		}
		s = next
		n := numbers(args, 6)
		arg := func(i int, def float64) float64 {
			if i < len(n) {
				return n[i]
			}
			return def
		}
		switch strings.Trim(name, " ,\t\r\n") {
		case "translate":
			m = m.times(matrix{1, 0, 0, 1, arg(0, 0), arg(1, 0)})
		case "scale":
			m = m.times(matrix{arg(0, 1), 0, 0, arg(1, arg(0, 1)), 0, 0})
		case "rotate":
			sin, cos := math.Sincos(arg(0, 0) * math.Pi / 180)
			x, y := arg(1, 0), arg(2, 0)
			m = m.times(matrix{1, 0, 0, 1, x, y}).times(matrix{cos, sin, -sin, cos, 0, 0}).times(matrix{1, 0, 0, 1, -x, -y})
		case "skewX":
			m = m.times(matrix{1, 0, math.Tan(arg(0, 0) * math.Pi / 180), 1, 0, 0})
		case "skewY":
			m = m.times(matrix{1, math.Tan(arg(0, 0) * math.Pi / 180), 0, 1, 0, 0})
		case "matrix":
			if len(n) == 6 {
				m = m.times(matrix{n[0], n[1], n[2], n[3], n[4], n[5]})
			}
		}
	}
	return m
}
