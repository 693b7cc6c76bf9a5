package vector_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

func path(t testing.TB, d string) vector.Path {
	t.Helper()
	p, err := vector.Parse(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func near(a, b, by float64) bool { return math.Abs(a-b) <= by }

func boxNear(a, b vector.Box, by float64) bool {
	return near(a.X0, b.X0, by) && near(a.Y0, b.Y0, by) && near(a.X1, b.X1, by) && near(a.Y1, b.Y1, by)
}

func TestBoxesAreTight(t *testing.T) {
	tests := []struct {
		data string
		m    vector.Matrix
		want vector.Box
	}{
		{"M10 20L30 5", vector.Identity(), vector.Box{X0: 10, Y0: 5, X1: 30, Y1: 20}},
		{"M0 0Q50 100 100 0", vector.Identity(), vector.Box{X1: 100, Y1: 50}},
		{"M0 0C0 100 100 100 100 0", vector.Identity(), vector.Box{X1: 100, Y1: 75}},
		{"M10 50A40 40 0 0 1 90 50", vector.Identity(), vector.Box{X0: 10, Y0: 10, X1: 90, Y1: 50}},
		{"M10 50A1 1 0 0 1 90 50", vector.Identity(), vector.Box{X0: 10, Y0: 10, X1: 90, Y1: 50}},
		{"M10 50A0 1 0 0 1 90 50", vector.Identity(), vector.Box{X0: 10, Y0: 50, X1: 90, Y1: 50}},
		{"M10 10L20 20M500 500", vector.Identity(), vector.Box{X0: 10, Y0: 10, X1: 20, Y1: 20}},
		{"M50 0A50 50 0 0 1 50 100A50 50 0 0 1 50 0", vector.Rotate(45), vector.Box{X0: -50, Y0: 20.710678, X1: 50, Y1: 120.710678}},
	}
	for _, tt := range tests {
		if got, ok := path(t, tt.data).Box(tt.m); !ok || !boxNear(got, tt.want, 1e-6) {
			t.Errorf("%s: %v, want %v", tt.data, got, tt.want)
		}
	}
	if _, ok := path(t, "M5 5").Box(vector.Identity()); ok {
		t.Error("a lone move has a box")
	}
}

// A box contains all points of a fine flattening and is not larger than them on any side.
func TestBoxesHoldTheirCurvesAndNothingElse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		p := random(r, 1+r.IntN(6))
		m := vector.Matrix{A: r.NormFloat64(), B: r.NormFloat64(), C: r.NormFloat64(), D: r.NormFloat64(), E: r.NormFloat64(), F: 7}
		got, ok := p.Box(m)
		l := p.Flatten(1e-4)
		want := vector.Empty()
		for _, part := range l.Parts {
			for _, q := range part.Points {
				want = want.Add(m.At(q))
			}
		}
		if !ok {
			if !want.IsEmpty() && want.Width()+want.Height() > 0 {
				t.Fatalf("%s has no box, its lines %v", p, want)
			}
			continue
		}
		by := 1e-3 * max(1, got.Width()+got.Height())
		if !boxNear(got, want, by) {
			t.Fatalf("%s mapped by %v: %v, its lines %v", p, m, got, want)
		}
		// Mapping the path first gives the same box.
		if mapped, _ := p.Transform(m).Box(vector.Identity()); !boxNear(got, mapped, 1e-4*max(1, got.Width()+got.Height())) {
			t.Fatalf("%s mapped by %v: %v, the mapped path %v", p, m, got, mapped)
		}
	}
}

func TestCubicsLieOnTheirArcs(t *testing.T) {
	p := path(t, "M10 50A40 20 30 1 0 70 60")
	for _, part := range p.Cubics().Flatten(1e-3).Parts {
		for _, q := range part.Points {
			best := math.Inf(1)
			for _, other := range p.Flatten(1e-4).Parts[0].Points {
				best = min(best, q.Distance(other))
			}
			if best > 0.4 { // the lines of the other path have lengths, too
				t.Fatalf("%v is %g off", q, best)
			}
		}
	}
	if a, b := p.Length(), p.Cubics().Length(); !near(a, b, 0.05) {
		t.Errorf("%g long, as cubics %g", a, b)
	}
}

func TestLengths(t *testing.T) {
	tests := []struct {
		data string
		want float64
	}{
		{"M0 0L30 40", 50}, {"M0 0h10v10h-10z", 40}, {"M0 0h10M50 50h10", 20},
		{"M10 50A40 40 0 0 1 90 50", 40 * math.Pi}, {"M0 0Q50 0 100 0", 100}, {"M0 0C10 0 20 0 30 0", 30},
		{"M0 0Q50 100 100 0", 147.89428575}, {"M5 5", 0},
	}
	for _, tt := range tests {
		if got := path(t, tt.data).Length(); !near(got, tt.want, 1e-4) {
			t.Errorf("%s is %.8f long, want %g", tt.data, got, tt.want)
		}
	}
}

func TestPlacesAlongAPath(t *testing.T) {
	m := path(t, "M0 0h10v10M50 50a10 10 0 0 1 20 0").Measure()
	for _, tt := range []struct {
		distance      float64
		at, direction vector.Point
		segment       int
	}{
		{0, vector.Point{}, vector.Point{X: 1}, 1},
		{5, vector.Point{X: 5}, vector.Point{X: 1}, 1},
		{15, vector.Point{X: 10, Y: 5}, vector.Point{Y: 1}, 2},
		{20 + 5*math.Pi, vector.Point{X: 60, Y: 40}, vector.Point{X: 1}, 4},
		{m.Length(), vector.Point{X: 70, Y: 50}, vector.Point{Y: 1}, 4},
	} {
		at, direction, segment, ok := m.At(tt.distance)
		if !ok || at.Distance(tt.at) > 1e-5 || direction.Distance(tt.direction) > 1e-5 || segment != tt.segment {
			t.Errorf("at %g: %v %v in %d, want %v %v in %d", tt.distance, at, direction, segment, tt.at, tt.direction, tt.segment)
		}
	}
	for _, d := range []float64{-1, m.Length() + 1, math.NaN()} {
		if _, _, _, ok := m.At(d); ok {
			t.Errorf("there is a place at %g", d)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    vector.Path
		want string
	}{
		{"a box", vector.Rect(1, 2, 3, 4, -1, -1), "M1 2 4 2 4 6 1 6Z"},
		{"round with one radius", vector.Rect(0, 0, 10, 10, 2, -1), "M2 0 8 0A2 2 0 0110 2L10 8A2 2 0 018 10L2 10A2 2 0 010 8L0 2A2 2 0 012 0Z"},
		{"radii are cut", vector.Rect(0, 0, 10, 4, 20, 20), "M5 0 5 0A5 2 0 0110 2L10 2A5 2 0 015 4L5 4A5 2 0 010 2L0 2A5 2 0 015 0Z"},
		{"one radius of nothing", vector.Rect(0, 0, 10, 4, 0, 3), "M0 0 10 0 10 4 0 4Z"},
		{"no width", vector.Rect(0, 0, 0, 4, 0, 0), ""},
		{"a circle", vector.Circle(5, 5, 5), "M10 5A5 5 0 015 10 5 5 0 010 5 5 5 0 015 0 5 5 0 0110 5Z"},
		{"a line", vector.Straight(1, 2, 3, 4), "M1 2 3 4"},
		{"a polyline with a number too much", vector.Polygon([]float64{1, 2, 3, 4, 5}, false), "M1 2 3 4"},
		{"a polygon", vector.Polygon([]float64{1, 2, 3, 4, 5, 6}, true), "M1 2 3 4 5 6Z"},
	} {
		if got := tt.p.String(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestSubpaths(t *testing.T) {
	parts := path(t, "M0 0h1zl5 5M9 9h1").Subpaths()
	want := []string{"M0 0h1z", "M0 0l5 5", "M9 9h1"}
	if len(parts) != len(want) {
		t.Fatalf("%d parts", len(parts))
	}
	for i, p := range parts {
		if p.String() != want[i] {
			t.Errorf("part %d is %s, want %s", i, p, want[i])
		}
	}
}

// winding is the winding number of the lines around a point.
func winding(l *vector.Lines, p vector.Point) int {
	n := 0
	for _, part := range l.Parts {
		a := part.Points[len(part.Points)-1]
		for _, b := range part.Points {
			if (a.Y <= p.Y) != (b.Y <= p.Y) {
				side := (b.X-a.X)*(p.Y-a.Y) - (p.X-a.X)*(b.Y-a.Y)
				if b.Y > a.Y && side > 0 {
					n++
				} else if b.Y < a.Y && side < 0 {
					n--
				}
			}
			a = b
		}
	}
	return n
}

// apart is the distance of a point from lines.
func apart(l *vector.Lines, p vector.Point) float64 {
	best := math.Inf(1)
	for _, part := range l.Parts {
		points := part.Points
		if part.Closed {
			points = append(points[:len(points):len(points)], points[0])
		}
		best = min(best, p.Distance(points[0]))
		for i := 1; i < len(points); i++ {
			a, b := points[i-1], points[i]
			d := (b.X-a.X)*(b.X-a.X) + (b.Y-a.Y)*(b.Y-a.Y)
			t := 0.0
			if d > 0 {
				t = min(1, max(0, ((p.X-a.X)*(b.X-a.X)+(p.Y-a.Y)*(b.Y-a.Y))/d))
			}
			best = min(best, p.Distance(a.Lerp(b, t)))
		}
	}
	return best
}

// With round joins and caps, a stroke covers the points within half its width of the path.
func TestARoundOutlineCoversThePointsNearThePath(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, d := range []string{
		"M20 20L80 20L80 80", "M20 20L80 20L20 25", "M20 20L80 20L20 20", "M20 20H80V80H20Z", "M20 20L50 22L80 20L80 80L75 20Z",
		"M20 80C20 0 80 0 80 80", "M20 80C90 0 10 0 80 80", "M50 20A30 30 0 1 1 49 20Z", "M20 20L21 20L21 21L80 80", "M50 50Z",
		"M30 50A20 20 0 0 1 70 50A20 20 0 0 1 30 50Z", "M50 50L52 50L50 52L50 49L55 55",
	} {
		for _, width := range []float64{2, 50} {
			p := path(t, d)
			s := &vector.Stroke{Width: width, Cap: vector.RoundCap, Join: vector.RoundJoin}
			outline := outlined(t, *s, p)
			area, lines := outline.Flatten(0.01), p.Flatten(0.01)
			for range 500 {
				q := vector.Point{X: r.Float64()*160 - 30, Y: r.Float64()*160 - 30}
				far := apart(lines, q)
				if near(far, width/2, 0.1) {
					continue
				}
				if in := winding(area, q) != 0; in != (far < width/2) {
					t.Errorf("%s, %g wide: %v is %g away, inside is %v of %s", d, width, q, far, in, outline)
					break
				}
			}
		}
	}
}

// With any caps and dashes, an outline is the union of the pieces. (Pieces have a disc for
// a round join wherever a curve was cut, which may reach beyond a butt end.)
func TestAnOutlineIsTheAreaOfTheStrokesPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range trials(25) {
		var p vector.Path
		p.MoveTo(vector.Point{X: r.Float64() * 100, Y: r.Float64() * 100})
		point := func() vector.Point { return vector.Point{X: r.Float64() * 100, Y: r.Float64() * 100} }
		for range 1 + r.IntN(4) {
			if r.IntN(2) == 0 {
				p.LineTo(point())
			} else {
				p.CubicTo(point(), point(), point())
			}
		}
		// For a line to a point and back, our pieces have caps where the outline has joins.
		if r.IntN(2) == 0 && len(p) > 2 {
			p.ClosePath()
		}
		s := &vector.Stroke{Width: 1 + r.Float64()*15, Cap: vector.Cap(r.IntN(3)), Join: []vector.Join{vector.Miter, vector.Bevel}[r.IntN(2)]}
		// A round end of a piece is a whole disc, which reaches beyond a bend just before the end.
		if r.IntN(2) == 0 && s.Cap != vector.RoundCap {
			s.Dashes = []float64{10 + r.Float64()*40, 5 + r.Float64()*20}
		}
		lines := p.Flatten(0.001)
		pieces := &vector.Lines{}
		s.Cover(lines, 1000, func(points []vector.Point, turned bool) {
			part := vector.Polyline{Points: slices.Clone(points), Closed: true}
			if turned {
				slices.Reverse(part.Points)
			}
			pieces.Parts = append(pieces.Parts, part)
		})
		area := outlined(t, *s, p).Flatten(0.01)
		for range 300 {
			q := vector.Point{X: r.Float64()*140 - 20, Y: r.Float64()*140 - 20}
			a, b := winding(pieces, q) != 0, winding(area, q) != 0
			if a != b && apart(area, q) > 0.1 {
				t.Fatalf("%s %+v: %v is in the pieces: %v, in the outline: %v", p, s, q, a, b)
			}
		}
	}
}

func TestOutlinesOfLines(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		s          vector.Stroke
		want       string
	}{
		{"butt", "M0 0H10", vector.Stroke{Width: 2}, "M0-1 10-1 10 1 0 1Z"},
		{"square", "M0 0H10", vector.Stroke{Width: 2, Cap: vector.Square}, "M-1-1 11-1 11 1-1 1Z"},
		{"round", "M0 0H10", vector.Stroke{Width: 2, Cap: vector.RoundCap}, "M0-1 10-1A1 1 0 0111 0 1 1 0 0110 1L0 1A1 1 0 01-1 0 1 1 0 010-1Z"},
		{"a corner", "M0 0H10V10", vector.Stroke{Width: 2}, "M0-1 11-1 11 10 9 10 9 1 0 1Z"},
		{"bevelled", "M0 0H10V10", vector.Stroke{Width: 2, Join: vector.Bevel}, "M0-1 10-1 11 0 11 10 9 10 9 1 0 1Z"},
		{"over the limit", "M0 0H10V10", vector.Stroke{Width: 2, Miter: 1}, "M0-1 10-1 11 0 11 10 9 10 9 1 0 1Z"},
		{"dashes", "M0 0H10", vector.Stroke{Width: 2, Dashes: []float64{4, 2}}, "M0-1 4-1 4 1 0 1ZM6-1 10-1 10 1 6 1Z"},
		{"a dot", "M5 5Z", vector.Stroke{Width: 2, Cap: vector.Square}, "M4 4 6 4 6 6 4 6Z"},
		{"no width", "M0 0H10", vector.Stroke{}, ""},
	} {
		if got := outlined(t, tt.s, path(t, tt.data)).Round(6).String(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestBoxesOfStrokes(t *testing.T) {
	for _, tt := range []struct {
		data string
		s    vector.Stroke
		want vector.Box
	}{
		{"M10 10H50", vector.Stroke{Width: 4}, vector.Box{X0: 10, Y0: 8, X1: 50, Y1: 12}},
		{"M10 10H50", vector.Stroke{Width: 4, Cap: vector.Square}, vector.Box{X0: 8, Y0: 8, X1: 52, Y1: 12}},
		{"M10 10H50V50", vector.Stroke{Width: 4}, vector.Box{X0: 10, Y0: 8, X1: 52, Y1: 50}},
		{"M10 10H50V50H10Z", vector.Stroke{Width: 4, Join: vector.RoundJoin}, vector.Box{X0: 8, Y0: 8, X1: 52, Y1: 52}},
	} {
		if got, ok := tt.s.Box(path(t, tt.data), vector.Identity()); !ok || !boxNear(got, tt.want, 0.02) {
			t.Errorf("%s: %v, want %v", tt.data, got, tt.want)
		}
	}
}

// The work is bounded, whatever the number of dashes.
func TestDashesAreBounded(t *testing.T) {
	n := 0
	s := vector.Stroke{Width: 1, Dashes: []float64{1e-9}}
	s.Cover(path(t, "M0 0H1e9").Flatten(1), 1, func([]vector.Point, bool) { n++ })
	if n != 1 {
		t.Errorf("%d pieces", n)
	}
	s = vector.Stroke{Width: 1, Dashes: []float64{0, 0.0001}, Offset: 1e20}
	s.Cover(path(t, "M0 0H1").Flatten(1), 1, func([]vector.Point, bool) { n++ })
	if n > 50_000 {
		t.Errorf("%d pieces", n)
	}
}
