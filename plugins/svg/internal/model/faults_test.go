package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// The contrast of a text is measured against what lies under its middle: the uppermost
// filled shape, with what shows through it, or else the canvas.
func TestContrastIsToWhatLiesBeneath(t *testing.T) {
	const text = `<text id="t" x="50" y="55" text-anchor="middle" font-size="10" fill="white">Text</text>`
	for _, c := range []struct{ name, below, want string }{
		{"nothing", "", "1"},
		{"a rect", `<rect width="100" height="100"/>`, "21"},
		{"the upper of two", `<rect width="100" height="100"/><rect width="100" height="100" fill="#777"/>`, "4.47"},
		{"one beside it", `<rect width="20" height="100"/>`, "1"},
		{"the corner of a circle's box", `<circle cx="10" cy="90" r="60"/>`, "21"},
		{"a circle that does not reach", `<circle cx="0" cy="100" r="60"/>`, "1"},
		{"one that is not filled", `<rect width="100" height="100"/><rect width="100" height="100" fill="none" stroke="red"/>`, "21"},
		{"half a black", `<rect width="100" height="100" fill-opacity="0.5"/>`, "3.97"},
		{"a black that its group makes half", `<g opacity="50%"><rect width="100" height="100"/></g>`, "3.97"},
		{"a hidden one", `<rect width="100" height="100" display="none"/>`, "1"},
		{"a gradient", `<rect width="100" height="100" fill="url(#g)"/>`, ""},
		{"a picture", `<image width="100" height="100" href="data:,"/>`, ""},
		{"a class", `<style>.x{fill:#000}</style><rect class="x" width="100" height="100" fill="white"/>`, "21"},
		{"a background", `<style>svg{background:#000}</style>`, "21"},
		{"a turned one", `<rect width="100" height="10" x="0" y="45" transform="rotate(90 50 50)"/>`, "21"},
		{"a moved one", `<g transform="translate(-80)"><rect width="100" height="100"/></g>`, "1"},
	} {
		doc, err := tree.Parse(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><linearGradient id="g"><stop/></linearGradient>` + c.below + text + `</svg>`)
		if err != nil {
			t.Fatal(err)
		}
		f := &Drawing{Doc: doc}
		sc := f.Scene()
		shown := f.Shown(sc)
		below := shown[:len(shown)-1]
		boxes := slices.Collect(func(yield func(b vector.Box) bool) {
			for _, n := range below {
				b, _ := sc.Box(n)
				yield(b)
			}
		})
		n := shown[len(shown)-1]
		b, _ := sc.Box(n)
		ground, known, _ := f.beneath(sc, b.Center(), below, boxes)
		got := ""
		if k, ok := f.contrast(sc, n, ground); ok && known {
			got = ratio(k)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// However many faults there are, the warnings stay short and name the first ones.
func TestManyFaultsAreFewWarnings(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">`)
	for i := range 45 {
		fmt.Fprintf(&b, `<rect id="a%d" width="0" height="5"/><rect id="b%d" x="200" width="5" height="5"/><rect id="c%d" width="5" height="5" fill="none"/><text id="d%d" y="50" fill="#eee">faint</text><use id="e%d" href="#gone%d"/><g id="twin%d"/><g id="twin%d"/>`, i, i, i, i, i, i, i, i)
	}
	b.WriteString(`</svg>`)
	doc, err := tree.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	f := &Drawing{Doc: doc}
	if f.IsWatched() {
		t.Fatal("the file is not large")
	}
	if got := State(f).Warnings; len(got) != 8 || !strings.Contains(got[3], "42 more ids that several elements have") || !strings.Contains(got[7], "42 more elements with a reference to a missing element") {
		t.Errorf("%q", got)
	}
	list := f.warnings(f.Faults(f.Scene()))
	want := []string{"45 elements without size: a0, a1, a2, …", "45 elements outside the canvas: b0, b1, b2, …", "45 elements that paint nothing: c0, c1, c2, …", "45 texts with weak contrast (below 4.5) to what is beneath: d0 (1.16), d1 (1.16), d2 (1.16), …"}
	if !slices.Equal(list, want) {
		t.Errorf("%q", list)
	}
}
