package svgdom

import (
	"math"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

func TestLengthsAreReadWithTheirUnits(t *testing.T) {
	for text, want := range map[string]float64{"3": 3, " 3px ": 3, "3pt": 4, "1in": 96, "2.54cm": 96, "1q": 96 / 101.6, "1Q": 96 / 101.6, "50%": 100, "2em": 20, "2ex": 10, "2ch": 10, "2rem": 32, "-1e1": -10, "1e12": 1e9, "x": -1, "3 px": -1, "3furlongs": -1, "": -1, "NaN": -1, "1e999": -1} {
		if got := LengthOf(text, 200, 10, -1); math.Abs(got-want) > 1e-9 {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]float64{"12": 12, "50%": 10, "1.5em": 30, "larger": 24, "smaller": 20 / 1.2, "large": 18} {
		if got, ok := FontSize(text, 20); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("font-size:%s in 20 is %v, want %v", text, got, want)
		}
	}
	if _, ok := FontSize("huge", 20); ok {
		t.Error("huge is a font size")
	}
	for text, want := range map[string]float64{"90": 90, "0.5turn": 180, "100grad": 90, "3.14159265358979rad": 180} {
		if got, ok := Degrees(text); !ok || math.Abs(got-want) > 1e-6 {
			t.Errorf("%s is %v degrees, want %v", text, got, want)
		}
	}
}

func TestADocumentHasASize(t *testing.T) {
	for attributes, want := range map[string][2]float64{
		``: {300, 150}, `width="50"`: {50, 150}, `viewBox="0 0 40 20"`: {40, 20}, `viewBox="0 0 40 20" width="100"`: {100, 50},
		`viewBox="0 0 40 20" height="1in"`: {192, 96}, `viewBox="0 0 40 20" width="50%" height="100%"`: {20, 20}, `viewBox="0 0 0 9" width="-1"`: {300, 150},
	} {
		if w, h := DocumentSize(parse(t, "<svg "+attributes+"/>")); w != want[0] || h != want[1] {
			t.Errorf("%s: %v by %v, want %v", attributes, w, h, want)
		}
	}
}

func TestAViewBoxIsFitted(t *testing.T) {
	box, view := vector.Box{X0: 10, Y0: 0, X1: 20, Y1: 10}, vector.Box{X1: 40, Y1: 20}
	for ratio, want := range map[string]vector.Point{"": {X: 20, Y: 10}, "none": {X: 20, Y: 10}, "xMinYMin": {X: 10, Y: 10}, "xMaxYMid meet": {X: 30, Y: 10}, "xMidYMax slice": {X: 20, Y: 0}} {
		if got := Fit(box, view, ratio).At(vector.Point{X: 15, Y: 5}); got != want {
			t.Errorf("%q: its middle is at %v, want %v", ratio, got, want)
		}
	}
	for text, want := range map[string]vector.Point{"": {}, "5 6": {X: 15, Y: 6}, "right": {X: 20, Y: 5}, "top left": {X: 10}, "50% bottom": {X: 15, Y: 10}} {
		if got := TransformOrigin(text, box, 16); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
	get := func(values map[string]string) func(string) string {
		return func(name string) string { return values[name] }
	}
	for units, want := range map[string]vector.Box{"": {X0: 15, Y0: -1, X1: 17, Y1: 11}, "userSpaceOnUse": {X0: 0.5, Y0: -20, X1: 0.7, Y1: 220}} {
		got, ok := Region(get(map[string]string{"x": "0.5", "width": "20%"}), units, box, 1, 200, 16)
		if !ok || math.Abs(got.X0-want.X0)+math.Abs(got.X1-want.X1)+math.Abs(got.Y0-want.Y0)+math.Abs(got.Y1-want.Y1) > 1e-9 {
			t.Errorf("units %q: %v, want %v", units, got, want)
		}
	}
	if _, ok := Region(get(nil), "", vector.Box{X1: 5}, 1, 1, 16); ok {
		t.Error("a line has a region")
	}
}

func TestMarkersStandOnTheVerticesOfAPath(t *testing.T) {
	mk := parse(t, `<marker orient="auto-start-reverse" markerWidth="4" markerHeight="2" refX="2" refY="1" viewBox="0 0 8 4"/>`)
	measure := func(name string, _ Axis, def float64) float64 { return LengthOf(mk.Get(name), 1, 16, def) }
	p, _ := vector.Parse("M0 0H10V10")
	var tips []vector.Point
	for _, v := range Vertices(p) {
		place, fit, box, ok := v.Marker(mk, 3, measure)
		if !ok || box.X1 != 4 {
			t.Fatal("no marker", box)
		}
		q := place.Times(fit).At(vector.Point{X: 4, Y: 1}) // one unit of the marker behind its reference point
		tips = append(tips, vector.Point{X: math.Round(q.X*100) / 100, Y: math.Round(q.Y*100) / 100})
	}
	if want := [3]vector.Point{{X: -3, Y: 0}, {X: 12.12, Y: 2.12}, {X: 10, Y: 13}}; len(tips) != 3 || [3]vector.Point(tips) != want {
		t.Errorf("%v, want %v", tips, want)
	}
	kinds := ""
	for _, d := range []string{"M0 0", "M0 0H1", "M0 0H1V1Z"} {
		p, _ := vector.Parse(d)
		for _, v := range Vertices(p) {
			kinds += string(rune('0' + v.Kind))
		}
		kinds += " "
	}
	if kinds != "02 02 0112 " {
		t.Error(kinds)
	}
}

// Shapes have the geometry of their attributes, and of CSS.
func TestShapesHaveOutlines(t *testing.T) {
	for text, want := range map[string]vector.Box{
		`<rect x="1" y="2" width="3" height="4"/>`: {X0: 1, Y0: 2, X1: 4, Y1: 6}, `<rect width="9" height="1" style="width:5px;x:2px"/>`: {X0: 2, X1: 7, Y1: 1},
		`<circle cx="5" cy="5" r="2"/>`: {X0: 3, Y0: 3, X1: 7, Y1: 7}, `<ellipse rx="3"/>`: {X0: -3, Y0: -3, X1: 3, Y1: 3}, `<line x2="3" y2="1"/>`: {X1: 3, Y1: 1},
		`<polygon points="0,0 5,0 5 6"/>`: {X1: 5, Y1: 6}, `<path d="M1 1h2v3"/>`: {X0: 1, Y0: 1, X1: 3, Y1: 4}, `<path d="M1 1h2" style="d:path('M0 0V7')"/>`: {Y1: 7},
	} {
		n, c := styled(t, text)
		p, ok := c.Outline(n, func(name string, _ Axis, def float64) float64 {
			v, _ := c.Own(n, name)
			return LengthOf(v, 1, 16, def)
		})
		if b, some := p.Box(vector.Identity()); !ok || !some || b != want {
			t.Errorf("%s: %v, want %v", text, b, want)
		}
	}
	if _, ok := NewCascade(ReadRules(nil)).Outline(parse(t, "<g/>"), nil); ok {
		t.Error("a group is a shape")
	}
}
