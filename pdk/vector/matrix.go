package vector

import "math"

// Matrix maps X,Y to A·X+C·Y+E, B·X+D·Y+F, as SVG's matrix(a b c d e f) does.
type Matrix struct{ A, B, C, D, E, F float64 }

// Identity maps each point to itself.
func Identity() Matrix { return Matrix{A: 1, D: 1} }

// Translate moves by x and y.
func Translate(x, y float64) Matrix { return Matrix{1, 0, 0, 1, x, y} }

// Scale scales relative to the origin.
func Scale(x, y float64) Matrix { return Matrix{A: x, D: y} }

// Rotate rotates clockwise around the origin by an angle in degrees.
func Rotate(degrees float64) Matrix {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return Matrix{A: cos, B: sin, C: -sin, D: cos}
}

// Times is the map that applies o first, then m.
func (m Matrix) Times(o Matrix) Matrix {
	return Matrix{
		finite(m.A*o.A + m.C*o.B), finite(m.B*o.A + m.D*o.B),
		finite(m.A*o.C + m.C*o.D), finite(m.B*o.C + m.D*o.D),
		finite(m.A*o.E + m.C*o.F + m.E), finite(m.B*o.E + m.D*o.F + m.F),
	}
}

// About is the map that applies m with a point as the origin.
func (m Matrix) About(p Point) Matrix {
	return Translate(p.X, p.Y).Times(m).Times(Translate(-p.X, -p.Y))
}

// At is where m maps a point.
func (m Matrix) At(p Point) Point {
	return Point{m.A*p.X + m.C*p.Y + m.E, m.B*p.X + m.D*p.Y + m.F}
}

// Det is the area of the image of a unit square, negative if m mirrors.
func (m Matrix) Det() float64 { return m.A*m.D - m.B*m.C }

// Factor is how much longer m makes lines, on average.
func (m Matrix) Factor() float64 { return math.Sqrt(math.Abs(m.Det())) }

// Inverse is the inverse of m; ok is false if m maps the plane to a line or a point.
func (m Matrix) Inverse() (inverse Matrix, ok bool) {
	det := m.Det()
	if math.Abs(det) < 1e-12 {
		return m, false
	}
	return Matrix{
		m.D / det, -m.B / det, -m.C / det, m.A / det,
		(m.C*m.F - m.D*m.E) / det, (m.B*m.E - m.A*m.F) / det,
	}, true
}

// Bounds is the box around the image of a box. For the tight box of a mapped path use
// Path.Box.
func (m Matrix) Bounds(b Box) Box {
	if b.IsEmpty() {
		return b
	}
	out := Empty()
	for _, p := range [4]Point{{b.X0, b.Y0}, {b.X1, b.Y0}, {b.X0, b.Y1}, {b.X1, b.Y1}} {
		out = out.Add(m.At(p))
	}
	return out
}
