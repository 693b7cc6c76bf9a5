package vector_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

func ExampleParse() {
	p, err := vector.Parse("M 10,10 l 20,0 L 30,40 z")
	fmt.Println(p, err)
	box, _ := p.Box(vector.Identity())
	fmt.Println(box)
	// Output:
	// M10 10l20 0L30 40z <nil>
	// {10 10 30 40}
}

func TestPathDataIsParsedAndPrinted(t *testing.T) {
	tests := []struct{ data, want, err string }{
		{"M10 20L30 40", "M10 20 30 40", ""},
		{" m 10,20 30 , 40 ", "m10 20 30 40", ""},
		{"M10-20.5.5.5L-.5-0.25", "M10-20.5.5.5-.5-.25", ""},
		{"M10 10h40v20H10V5z", "M10 10h40v20H10V5z", ""},
		{"M0 0h10 20 30", "M0 0h10 20 30", ""},
		{"M0 0c1 2 3 4 5 6s7 8 9 10S1 1 2 2", "M0 0c1 2 3 4 5 6s7 8 9 10S1 1 2 2", ""},
		{"M0 0q1 2 3 4t5 6T1 1", "M0 0q1 2 3 4t5 6T1 1", ""},
		{"M10 50A40 40 0 0190 50", "M10 50A40 40 0 0190 50", ""},
		{"M10 50a40 40 0 1 1 .5 0zm1 1", "M10 50a40 40 0 11.5 0zm1 1", ""},
		{"M0 0L1e2 1E-1", "M0 0 100 .1", ""},
		{"M1000000 .0000001", "M1e6 1e-7", ""},
		{"M0 0M1 1 2 2", "M0 0M1 1 2 2", ""},
		{"M0 0zl5 5", "M0 0zl5 5", ""},
		{"", "", ""},
		{"  ", "", ""},
		{"L10 10", "", "begin with M"},
		{"M", "", "want M x y"},
		{"M10", "", "want M x y"},
		{"M10 20 30", "M10 20", "byte 7: want L x y"},
		{"M10 20L30 40 foo", "M10 20 30 40", "byte 13"},
		{"M10 20 X 5", "M10 20", "one of the commands"},
		{"M10 20zz 5", "M10 20zz", "want a command"},
		{"M0 0A5 5 0 2 0 10 10L5 5", "M0 0", "0|1"},
		{"M0 0L,5 5", "M0 0", "want L"},
		{"M0 0L5,,5", "M0 0", "want L"},
		{"M0 0 nan", "M0 0", "byte 5"},
		{"M0 0L1e999 5", "M0 0 1e30 5", ""},
	}
	for _, tt := range tests {
		p, err := vector.Parse(tt.data)
		switch {
		case tt.err == "" && err != nil:
			t.Errorf("%q: %v", tt.data, err)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%q: %v, want %s", tt.data, err, tt.err)
		}
		if got := p.String(); got != tt.want {
			t.Errorf("%q is written %q, want %q", tt.data, got, tt.want)
		}
	}
}

func TestALetterThatNoLongerFitsIsReplaced(t *testing.T) {
	p, _ := vector.Parse("M0 0h10v10s1 1 2 2t5 5")
	turned := p.Transform(vector.Rotate(30))
	again, err := vector.Parse(turned.String())
	if err != nil {
		t.Fatalf("%v in %s", err, turned)
	}
	for i := range turned {
		if again[i].To != turned[i].To {
			t.Errorf("segment %d of %s ends at %v, want %v", i, turned, again[i].To, turned[i].To)
		}
	}
	if s := turned.String(); strings.ContainsAny(s, "hv") {
		t.Errorf("%s", s)
	}
}

// random is a path of all commands, with numbers of few or of many digits.
func random(r *rand.Rand, segments int) vector.Path {
	number := func() string {
		switch r.IntN(4) {
		case 0:
			return fmt.Sprint(r.IntN(200) - 100)
		case 1:
			return fmt.Sprintf("%.2f", r.Float64()*200-100)
		case 2:
			return fmt.Sprint(r.Float64() * 10)
		}
		return fmt.Sprintf("%e", r.NormFloat64()*math.Pow(10, float64(r.IntN(8)-4)))
	}
	var b strings.Builder
	b.WriteString("M" + number() + " " + number())
	for range segments {
		letter := "mlhvcsqtazMLHVCSQTAZ"[r.IntN(20)]
		b.WriteByte(letter)
		if letter|32 == 'a' {
			fmt.Fprintf(&b, "%v %v %s %d %d %s %s", r.Float64()*100, r.Float64()*100, number(), r.IntN(2), r.IntN(2), number(), number())
			continue
		}
		for range map[byte]int{'m': 2, 'l': 2, 'h': 1, 'v': 1, 'c': 6, 's': 4, 'q': 4, 't': 2}[letter|32] {
			b.WriteString(number() + ",")
		}
		s := strings.TrimSuffix(b.String(), ",")
		b.Reset()
		b.WriteString(s)
	}
	p, err := vector.Parse(b.String())
	if err != nil {
		panic(fmt.Sprintf("%v in %s", err, b.String()))
	}
	return p
}

func TestAPrintedPathParsesToTheSamePath(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		p := random(r, 1+r.IntN(12))
		again(t, p)
		again(t, p.Transform(vector.Matrix{A: r.NormFloat64(), B: r.NormFloat64(), C: r.NormFloat64(), D: r.NormFloat64(), E: 3}))
	}
}

// again fails if the printed p is parsed as another path.
func again(t *testing.T, p vector.Path) {
	t.Helper()
	s := p.String()
	q, err := vector.Parse(s)
	if err != nil || len(q) != len(p) {
		t.Fatalf("%s: %d segments, want %d: %v", s, len(q), len(p), err)
	}
	for i := range p {
		a, b := p[i], q[i]
		a.Letter, b.Letter = 0, 0
		if a != b {
			t.Fatalf("%s: segment %d is %+v, want %+v", s, i, b, a)
		}
	}
	if q.String() != s {
		t.Fatalf("%s is written %s the next time", s, q)
	}
}

func FuzzParse(f *testing.F) {
	for _, d := range []string{"M10 10h40v20z", "m1e5.5-.5a1 1 0 011 1s1 2 3 4t5 6q1 2 3 4", "M0 0L1e999 1e-999zzl1 1", "M.1.2.3.4"} {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, d string) {
		p, _ := vector.Parse(d)
		again(t, p)
		if b, ok := p.Box(vector.Identity()); ok && (b.IsEmpty() || math.IsNaN(b.Width()+b.Height())) {
			t.Fatalf("box %v", b)
		}
		p.Flatten(0.1)
		(&vector.Stroke{Width: 3, Dashes: []float64{1, 2}}).Outline(p)
		p.Length()
	})
}

func TestTransformsAreRead(t *testing.T) {
	tests := []struct {
		text string
		at   vector.Point // where 1,2 is mapped to
		err  string
	}{
		{"", vector.Point{X: 1, Y: 2}, ""},
		{"none", vector.Point{X: 1, Y: 2}, ""},
		{"translate(10)", vector.Point{X: 11, Y: 2}, ""},
		{"translate(10, 20) scale(2)", vector.Point{X: 12, Y: 24}, ""},
		{"scale(2 3),translate(1 1)", vector.Point{X: 4, Y: 9}, ""},
		{"rotate(90)", vector.Point{X: -2, Y: 1}, ""},
		{"rotate(180 1 2)", vector.Point{X: 1, Y: 2}, ""},
		{"skewX(45)", vector.Point{X: 3, Y: 2}, ""},
		{"skewY(45)", vector.Point{X: 1, Y: 3}, ""},
		{"matrix(1 2 3 4 5 6)", vector.Point{X: 12, Y: 16}, ""},
		{"translate(10px, 20px) rotate(0deg)", vector.Point{X: 11, Y: 22}, ""},
		{"translate(10", vector.Point{X: 1, Y: 2}, "want name(numbers)"},
		{"rotate(1 2)", vector.Point{X: 1, Y: 2}, "want degrees"},
		{"scale(2) wobble(3)", vector.Point{X: 1, Y: 2}, "wobble"},
		{"scale(a)", vector.Point{X: 1, Y: 2}, "want numbers"},
	}
	for _, tt := range tests {
		m, err := vector.ParseTransform(tt.text)
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.err)
		}
		if got := m.At(vector.Point{X: 1, Y: 2}); got.Distance(tt.at) > 1e-9 {
			t.Errorf("%q maps 1,2 to %v, want %v", tt.text, got, tt.at)
		}
	}
}

func TestAMatrixIsPrintedAsItWasParsed(t *testing.T) {
	for _, m := range []vector.Matrix{vector.Identity(), vector.Translate(1, 0), vector.Translate(.5, -2), vector.Scale(2, 2), vector.Scale(-1, 1), vector.Rotate(30).Times(vector.Translate(1e-7, 1e9))} {
		if again, err := vector.ParseTransform(m.String()); err != nil || again != m {
			t.Errorf("%q is read as %v, want %v (%v)", m.String(), again, m, err)
		}
	}
}

func TestNumbersAreShort(t *testing.T) {
	for f, want := range map[float64]string{0: "0", 0.5: ".5", -0.5: "-.5", 100: "100", 1e6: "1e6", 1234567: "1234567", 1.25e-7: "125e-9", 0.001: ".001", -1e-5: "-1e-5", 1e30: "1e30", math.NaN(): "0"} {
		if got := string(vector.AppendNumber(nil, f)); got != want {
			t.Errorf("%v is %s, want %s", f, got, want)
		}
	}
}
