package scene_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

func sceneOf(t *testing.T, text string) *scene.Scene {
	t.Helper()
	d, err := tree.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return scene.New(d, &scene.Styles{})
}

func TestWhereElementsLie(t *testing.T) {
	for _, c := range []struct {
		name, text     string
		shape, strokes [4]float64 // of #x on the canvas: left, top, right, bottom
	}{
		{"a stroke is half outside", `<rect id="x" x="10" y="10" width="20" height="20" stroke="red" stroke-width="4"/>`, [4]float64{10, 10, 30, 30}, [4]float64{8, 8, 32, 32}},
		{"an inherited stroke", `<g stroke="red" stroke-width="2"><circle id="x" cx="10" cy="10" r="5"/></g>`, [4]float64{5, 5, 15, 15}, [4]float64{4, 4, 16, 16}},
		{"nested transforms", `<g transform="translate(10 20)"><g transform="scale(2)"><rect id="x" width="5" height="5"/></g></g>`, [4]float64{10, 20, 20, 30}, [4]float64{10, 20, 20, 30}},
		{"a turned rect", `<rect id="x" width="10" height="10" transform="rotate(45)"/>`, [4]float64{-7.071, 0, 7.071, 14.142}, [4]float64{-7.071, 0, 7.071, 14.142}},
		{"percentages and units", `<rect id="x" x="10%" y="1in" width="50%" height="10mm"/>`, [4]float64{20, 96, 120, 133.795}, [4]float64{20, 96, 120, 133.795}},
		{"a nested viewport", `<svg x="10" y="10" width="100" height="50" viewBox="0 0 10 10"><rect id="x" width="10" height="10"/></svg>`, [4]float64{35, 10, 85, 60}, [4]float64{35, 10, 85, 60}},
		{"a use", `<defs><rect id="r" x="1" width="5" height="5"/></defs><use id="x" href="#r" x="10" y="20" transform="scale(2)"/>`, [4]float64{22, 40, 32, 50}, [4]float64{22, 40, 32, 50}},
		{"a symbol", `<symbol id="s" viewBox="0 0 10 10"><rect width="10" height="10"/></symbol><use id="x" href="#s" x="5" y="5" width="20" height="20"/>`, [4]float64{5, 5, 25, 25}, [4]float64{5, 5, 25, 25}},
		{"a clip", `<clipPath id="c"><rect width="5" height="5"/></clipPath><rect id="x" width="20" height="20" clip-path="url(#c)"/>`, [4]float64{0, 0, 20, 20}, [4]float64{0, 0, 5, 5}},
		{"a marker", `<marker id="m" markerWidth="4" markerHeight="4" refX="2" refY="2" orient="auto"><rect width="4" height="4"/></marker><path id="x" d="M10 10H30" fill="none" stroke="red" stroke-width="2" marker-end="url(#m)"/>`, [4]float64{10, 10, 30, 10}, [4]float64{10, 6, 34, 14}},
		{"what is hidden takes no room", `<g id="x"><rect width="5" height="5"/><rect width="50" height="50" display="none"/></g>`, [4]float64{0, 0, 5, 5}, [4]float64{0, 0, 5, 5}},
		{"a rule of a style element", `<style>#x{r:7px} circle{fill:none;stroke:red}</style><circle id="x" cx="10" cy="10"/>`, [4]float64{3, 3, 17, 17}, [4]float64{2.5, 2.5, 17.5, 17.5}},
	} {
		sc := sceneOf(t, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100">`+c.text+`</svg>`)
		n := sc.Doc.ByID("x")
		b, ok := sc.Box(n)
		if !ok || !near(b, c.shape) {
			t.Errorf("%s: the shape takes %.3f, want %.3f", c.name, b, c.shape)
		}
		if b, ok = sc.Painted(n); !ok || !near(b, c.strokes) {
			t.Errorf("%s: painted is %.3f, want %.3f", c.name, b, c.strokes)
		}
	}
}

func near(b vector.Box, want [4]float64) bool {
	return !far([]float64{b.X0, b.Y0, b.X1, b.Y1}, want[:], 0.01)
}

// Elements that show each other many times must exhaust the budget, not the guest.
func TestUsesOfUsesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg"><g id="g0"><rect width="1" height="1"/></g>`)
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&b, `<g id="g%d" clip-path="url(#c)">%s</g>`, i, strings.Repeat(fmt.Sprintf(`<use href="#g%d"/>`, i-1), 10))
	}
	b.WriteString(`<clipPath id="c" clipPathUnits="objectBoundingBox"><use href="#g29"/></clipPath><g id="self"><use id="loop" href="#self"/></g></svg>`)
	sc := sceneOf(t, b.String())
	for n := range sc.Doc.Root.All() {
		sc.Box(n)
		sc.Painted(n)
	}
	if b, ok := sc.Box(sc.Doc.ByID("loop")); ok {
		t.Errorf("a use that shows itself takes %v", b)
	}
}

func TestValuesCascade(t *testing.T) {
	sc := sceneOf(t, `<svg fill="red" color="blue"><style>.a{fill:green} #x{stroke:lime} g .a{opacity:.5} rect{fill:yellow!important}</style><g font-size="20"><circle id="x" class="a" fill="black" style="stroke:navy" stroke-width="2em"/><rect id="y" style="fill:pink"/></g></svg>`)
	for _, c := range [][3]string{{"x", "fill", "green"}, {"x", "stroke", "navy"}, {"x", "opacity", ".5"}, {"y", "fill", "yellow"}, {"y", "color", "blue"}, {"y", "stroke", "none"}, {"y", "opacity", "1"}, {"y", "font-size", "20"}} {
		if got := sc.Value(sc.Doc.ByID(c[0]), c[1]); got != c[2] {
			t.Errorf("%s of %s is %q, want %q", c[1], c[0], got, c[2])
		}
	}
	if w := sc.Stroke(sc.Doc.ByID("x")).Width; w != 40 {
		t.Errorf("2em of 20 are %v", w)
	}
}
