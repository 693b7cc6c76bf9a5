package csscolor

import (
	"fmt"
	"math"
	"testing"
)

func ExampleParse() {
	c, ok := Parse("hsl(240 100% 50% / 0.5)")
	fmt.Println(c, ok)
	// Output: {0 0 1 0.5} true
}

func TestColoursAreParsed(t *testing.T) {
	for s, want := range map[string]Color{
		"#f00": {1, 0, 0, 1}, "#F008": {1, 0, 0, 136.0 / 255}, "#0000ff": {0, 0, 1, 1}, "#00ff0080": {0, 1, 0, 128.0 / 255},
		"rgb(255, 0,0)": {1, 0, 0, 1}, "rgba(0 255 0 / 25%)": {0, 1, 0, 0.25}, "rgb(100%,50%,0%)": {1, 0.5, 0, 1}, "rgb(900,-5,x)": {1, 0, 0, 1},
		"hsl(120,100%,50%)": {0, 1, 0, 1}, "hsl(-120deg 100% 50%)": {0, 0, 1, 1}, " Red ": {1, 0, 0, 1}, "RebeccaPurple": {0.4, 0.2, 0.6, 1}, "lightgrey": {211.0 / 255, 211.0 / 255, 211.0 / 255, 1},
	} {
		got, ok := Parse(s)
		if !ok || math.Abs(got.R-want.R)+math.Abs(got.G-want.G)+math.Abs(got.B-want.B)+math.Abs(got.A-want.A) > 1e-9 {
			t.Errorf("%q is %v %v, want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "#", "#12", "#12345", "#ggg", "#+12", "#-12", "#0x1", "#1_0", "blurple", "rgb(1,2)", "cmyk(1,2,3)", "none", "currentColor"} {
		if got, ok := Parse(s); ok {
			t.Errorf("%q is read as %v", s, got)
		}
	}
}

func TestAColourIsPrintedAsHex(t *testing.T) {
	for s, want := range map[string]string{"orange": "#ffa500", "#abc": "#aabbcc", "rgb(128,0,0)": "#800000", "#00ff0080": "#00ff00"} {
		if c, _ := Parse(s); c.Hex() != want {
			t.Errorf("%s is printed as %s, want %s", s, c.Hex(), want)
		}
	}
}

func TestEveryNameIsAColour(t *testing.T) {
	names := Names()
	if len(names) != 148 {
		t.Errorf("%d names, CSS has 148", len(names))
	}
	for i, n := range names {
		if _, ok := Named(n); !ok || i > 0 && names[i-1] >= n {
			t.Errorf("%s is no colour, or out of order", n)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"#fff", "rgb(1e9,2,3)", "hsl(nan,1,2)", "red"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, _ := Parse(s)
		for _, v := range []float64{c.R, c.G, c.B, c.A} {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("%q: %v", s, c)
			}
		}
	})
}
