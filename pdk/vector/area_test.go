package vector_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

// operations are the four operations of drawing programs.
var operations = []struct {
	name string
	in   func(i []bool) bool
}{
	{"union", func(i []bool) bool { return i[0] || i[1] }},
	{"difference", func(i []bool) bool { return i[0] && !i[1] }},
	{"intersection", func(i []bool) bool { return i[0] && i[1] }},
	{"exclusion", func(i []bool) bool { return i[0] != i[1] }},
}

func ExampleCombine() {
	plate, hole := vector.Rect(0, 0, 40, 20, 0, 0), vector.Circle(40, 10, 5)
	fmt.Println(vector.Combine([]vector.Region{{Path: plate}, {Path: hole}}, func(inside []bool) bool { return inside[0] && !inside[1] }))
	// Output:
	// M0 0 40 0 40 5A5 5 0 0035 10 5 5 0 0040 15L40 20 0 20Z <nil>
}

// combined returns the result of Combine, which must succeed.
func combined(t testing.TB, regions []vector.Region, in func([]bool) bool) vector.Path {
	t.Helper()
	p, err := vector.Combine(regions, in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// outlined returns the result of Outline, which must succeed.
func outlined(t testing.TB, s vector.Stroke, p vector.Path) vector.Path {
	t.Helper()
	out, err := s.Outline(p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func parsed(t testing.TB, d string) vector.Path {
	t.Helper()
	p, err := vector.Parse(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// area is the area that a path without overlaps encloses: all of its contours have their
// inside on the same side.
func area(p vector.Path) float64 {
	sum := 0.0
	for _, part := range p.Flatten(1e-5).Parts {
		a := part.Points[len(part.Points)-1]
		for _, b := range part.Points {
			sum += a.X*b.Y - a.Y*b.X
			a = b
		}
	}
	return sum / 2
}

// around is the winding number of a path around a point, and the least distance from it.
func around(l *vector.Lines, q vector.Point) (n int, near float64) {
	near = math.Inf(1)
	for _, part := range l.Parts {
		a := part.Points[len(part.Points)-1]
		for _, b := range part.Points {
			if (a.Y <= q.Y) != (b.Y <= q.Y) {
				if x := a.X + (q.Y-a.Y)/(b.Y-a.Y)*(b.X-a.X); x > q.X {
					if b.Y > a.Y {
						n++
					} else {
						n--
					}
				}
			}
			dx, dy := b.X-a.X, b.Y-a.Y
			t := 0.0
			if l := dx*dx + dy*dy; l > 0 {
				t = min(1, max(0, ((q.X-a.X)*dx+(q.Y-a.Y)*dy)/l))
			}
			near = min(near, math.Hypot(a.X+t*dx-q.X, a.Y+t*dy-q.Y))
			a = b
		}
	}
	return n, near
}

// blob is a random path that is difficult in one of these ways: it has few coordinates, so
// that much of it coincides; it has curves; it crosses itself.
func blob(r *rand.Rand) vector.Path {
	coarse := r.IntN(3) > 0
	at := func() vector.Point {
		if coarse {
			return vector.Point{X: float64(r.IntN(7)) * 10, Y: float64(r.IntN(7)) * 10}
		}
		return vector.Point{X: r.Float64() * 60, Y: r.Float64() * 60}
	}
	var p vector.Path
	switch r.IntN(6) {
	case 0:
		q := at()
		return vector.Rect(q.X, q.Y, float64(1+r.IntN(4))*10, float64(1+r.IntN(4))*10, float64(r.IntN(2)*5), -1)
	case 1:
		q := at()
		return vector.Ellipse(q.X, q.Y, float64(1+r.IntN(3))*10, float64(1+r.IntN(3))*10)
	case 2:
		q := at()
		return vector.Circle(q.X, q.Y, 20).Transform(vector.Translate(q.X, q.Y).Times(vector.Rotate(float64(r.IntN(24) * 15))).Times(vector.Translate(-q.X, -q.Y)))
	}
	for range 1 + r.IntN(2) {
		p.MoveTo(at())
		for range 2 + r.IntN(5) {
			switch r.IntN(5) {
			case 0:
				p.CubicTo(at(), at(), at())
			case 1:
				p.QuadTo(at(), at())
			case 2:
				p.ArcTo(float64(r.IntN(4))*10, 20, 30*float64(r.IntN(3)), r.IntN(2) == 0, r.IntN(2) == 0, at())
			default:
				p.LineTo(at())
			}
		}
		if r.IntN(2) == 0 {
			p.ClosePath()
		}
	}
	return p
}

// trials is the number of random cases in a test: FCP_TRIALS, or def if that is not set.
func trials(def int) uint64 {
	if n, err := strconv.ParseUint(os.Getenv("FCP_TRIALS"), 10, 64); err == nil {
		return n
	}
	return uint64(def)
}

func TestACombinedAreaContainsTheRightPoints(t *testing.T) {
	for seed := range trials(25) {
		r := rand.New(rand.NewPCG(seed, 1))
		regions := []vector.Region{{Path: blob(r), EvenOdd: r.IntN(2) == 0}, {Path: blob(r), EvenOdd: r.IntN(2) == 0}}
		if r.IntN(8) == 0 {
			regions[1].Path = regions[0].Path.Transform(vector.Translate(float64(r.IntN(2)*10), 0))
		}
		lines := [2]*vector.Lines{regions[0].Path.Flatten(1e-3), regions[1].Path.Flatten(1e-3)}
		for _, op := range operations {
			p := combined(t, regions, op.in)
			again, err := vector.Parse(p.String())
			if err != nil {
				t.Fatal(err)
			}
			got := again.Flatten(1e-3)
			for range 40 {
				q := vector.Point{X: r.Float64()*80 - 10, Y: r.Float64()*80 - 10}
				in := make([]bool, 2)
				near := math.Inf(1)
				for i := range in {
					n, d := around(lines[i], q)
					in[i], near = n != 0 && (!regions[i].EvenOdd || n%2 != 0), min(near, d)
				}
				if near < 0.01 {
					continue
				}
				if n, _ := around(got, q); n != 0 && n != 1 || (n != 0) != op.in(in) {
					t.Fatalf("seed %d: %s of %s (even-odd %v) and %s (%v) goes around %v %d times; the point is inside of them: %v\n%s", seed, op.name, regions[0].Path, regions[0].EvenOdd, regions[1].Path, regions[1].EvenOdd, q, n, in, p)
				}
			}
		}
	}
}

func TestCombinedAreasAddUp(t *testing.T) {
	for seed := range trials(25) {
		r := rand.New(rand.NewPCG(seed, 2))
		a, b := vector.Region{Path: blob(r)}, vector.Region{Path: blob(r)}
		ab, ba := []vector.Region{a, b}, []vector.Region{b, a}
		var of, back [4]float64
		for i, op := range operations {
			of[i], back[i] = area(combined(t, ab, op.in)), area(combined(t, ba, op.in))
		}
		one := func(r vector.Region) float64 {
			return area(combined(t, []vector.Region{r}, func(i []bool) bool { return i[0] }))
		}
		sizeA, sizeB := one(a), one(b)
		for _, law := range []struct {
			name      string
			got, want float64
		}{
			{"A∪B + A∩B = A + B", of[0] + of[2], sizeA + sizeB},
			{"A−B + A∩B = A", of[1] + of[2], sizeA},
			{"A∪B = B∪A", of[0], back[0]},
			{"A∩B = B∩A", of[2], back[2]},
			{"A⊕B = B⊕A", of[3], back[3]},
			{"A⊕B = A−B + B−A", of[3], of[1] + back[1]},
		} {
			if math.Abs(law.got-law.want) > 0.05 {
				t.Errorf("seed %d: %s: %v and %v of\n%s\n%s", seed, law.name, law.got, law.want, a.Path, b.Path)
			}
		}
	}
}

// deviation is the greatest distance of the points of one path from another one.
func deviation(p, q vector.Path) (far float64) {
	lines := q.Flatten(1e-4)
	for _, part := range p.Flatten(1e-3).Parts {
		for _, a := range part.Points {
			far = max(far, apart(lines, a))
		}
	}
	return far
}

func TestASimplifiedPathHasFewerPointsAndStaysClose(t *testing.T) {
	wave := vector.Path{{Kind: vector.Move}}
	for i := range 60 {
		at := func(t float64) vector.Point { return vector.Point{X: t * 2, Y: 20 * math.Sin(t/8)} }
		x := float64(i)
		a, b := at(x), at(x+1)
		s, e := 2.5*math.Cos(x/8), 2.5*math.Cos((x+1)/8)
		wave.CubicTo(vector.Point{X: a.X + 2.0/3, Y: a.Y + s/3}, vector.Point{X: b.X - 2.0/3, Y: b.Y - e/3}, b)
	}
	for _, tt := range []struct {
		name      string
		p         vector.Path
		tolerance float64
		most      int
	}{
		{"a wave of 60 curves", wave, 0.05, 9},
		{"a wave, exactly", wave, 0.001, 30},
		{"a circle of 4 arcs", vector.Circle(50, 50, 40), 0.1, 6},
		{"a polyline", parsed(t, "M0 0L10 .1L20 0L30 .1L40 0V40"), 0.2, 3},
		{"corners", parsed(t, "M0 0Q10 10 20 0Q30 -10 40 0Q50 10 40 20"), 0.01, 4},
		{"a line and curves", parsed(t, "M0 0H10C15 0 20 5 20 10C20 15 25 20 30 20H40"), 5, 5},
		{"two parts", parsed(t, "M0 0L5 0L10 0zM0 20C5 25 5 25 10 20"), 1, 5},
	} {
		got := tt.p.Simplify(tt.tolerance)
		if len(got) > tt.most {
			t.Errorf("%s: %d segments: %s", tt.name, len(got), got)
		}
		if d := max(deviation(tt.p, got), deviation(got, tt.p)); d > tt.tolerance*1.05+1e-3 {
			t.Errorf("%s: deviates from the path by %v: %s", tt.name, d, got)
		}
	}
	for seed := range trials(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := blob(r)
		got := p.Simplify(0.5)
		if d := max(deviation(p, got), deviation(got, p)); d > 0.6 || len(got) > len(p) {
			t.Errorf("seed %d: %s is simplified to %s, which deviates from it by %v", seed, p, got, d)
		}
	}
}

func TestTheShortestDataDrawsTheSame(t *testing.T) {
	for _, tt := range [][2]string{
		{"M 100 100 L 110 100 L 110 120 L 100 120 Z", "M100 100h10v20h-10z"},
		{"M0 0C0 1 1 2 2 2C3 2 4 1 4 0", "M0 0c0 1 1 2 2 2s2-1 2-2"},
		{"m10 10l5 5l-15-15", "M10 10l5 5L0 0"},
		{"", ""},
	} {
		if got := parsed(t, tt[0]).Shortest().String(); got != tt[1] {
			t.Errorf("%s is %s, want %s", tt[0], got, tt[1])
		}
	}
	for seed := range trials(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		p := blob(r).Round(r.IntN(4))
		got := p.Shortest()
		again := parsed(t, got.String())
		if len(got.String()) > len(p.String()) || len(again) != len(p) {
			t.Errorf("seed %d: %s is longer than %s", seed, got, p)
		}
		for i := range again {
			if d := again[i].To.Distance(p[i].To); d > 1e-9 || again[i].Kind != p[i].Kind {
				t.Fatalf("seed %d: segment %d of %s differs from that of %s", seed, i, got, p)
			}
		}
	}
}

// drawnByHand is a path of many short, smooth curves.
func drawnByHand(kind string) (p vector.Path) {
	r := rand.New(rand.NewPCG(1, 6))
	noise := 0.0
	at := func(t float64) vector.Point {
		switch kind {
		case "spiral":
			return vector.Point{X: t * 3 * math.Cos(t/4), Y: t * 3 * math.Sin(t/4)}
		}
		return vector.Point{X: t * 5, Y: 40 * math.Sin(t/6)}
	}
	var last vector.Point
	slope := func(t float64) vector.Point {
		a, b := at(t-1e-4), at(t+1e-4)
		return vector.Point{X: (b.X - a.X) / 2e-4, Y: (b.Y - a.Y) / 2e-4}
	}
	for i := range 60 {
		t := float64(i)
		q := at(t)
		if kind == "noise" {
			noise = r.Float64()*0.3 - 0.15
			q.Y += noise
		}
		if i == 0 {
			p.MoveTo(q)
		} else {
			d, e := slope(t-1), slope(t)
			p.CubicTo(vector.Point{X: last.X + d.X/3, Y: last.Y + d.Y/3}, vector.Point{X: q.X - e.X/3, Y: q.Y - e.Y/3}, q)
		}
		last = q
	}
	return p.Round(2)
}

func TestTangledLinesAreRefusedQuickly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	var p vector.Path
	p.MoveTo(vector.Point{})
	for range 3000 {
		p.LineTo(vector.Point{X: r.Float64() * 100, Y: r.Float64() * 100})
	}
	if _, err := vector.Combine([]vector.Region{{Path: p}}, func(in []bool) bool { return in[0] }); err != vector.ErrTangled {
		t.Errorf("3,000 crossing lines: %v", err)
	}
	if _, err := (&vector.Stroke{Width: 1}).Outline(p); err != vector.ErrTangled {
		t.Errorf("3,000 crossing strokes: %v", err)
	}
}

// A stroke of a path that only moves paints nothing.
func TestAPathThatOnlyMovesHasNoOutline(t *testing.T) {
	for _, d := range []string{"M10 10m5 5L50 50", "M10 10", "M1 1m2 2m3 3"} {
		p, err := vector.Parse(d)
		if err != nil {
			t.Fatal(err)
		}
		area, err := (&vector.Stroke{Width: 3}).Outline(p)
		if err != nil || (len(area) > 0) != (len(d) > 14) {
			t.Errorf("%s: %v %v", d, area, err)
		}
	}
}
