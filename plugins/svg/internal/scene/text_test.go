package scene_test

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

func TestTextTakesTheRoomOfItsLetters(t *testing.T) {
	const up, down = 10 * picture.Ascent, 10 * picture.Descent // for font size 10
	w := func(text string) float64 { return scene.Width(text, 10, false) }
	for _, c := range []struct {
		name, text string
		want       [4]float64 // of #x: left, top, right, bottom
	}{
		{"a line", `<text id="x" x="5" y="20">Hm</text>`, [4]float64{5, 20 - up, 5 + w("Hm"), 20 + down}},
		{"bold", `<text id="x" y="20" font-weight="700">Hm</text>`, [4]float64{0, 20 - up, scene.Width("Hm", 10, true), 20 + down}},
		{"its size", `<text id="x" y="20" font-size="20">Hm</text>`, [4]float64{0, 20 - 2*up, 2 * w("Hm"), 20 + 2*down}},
		{"white space", "<text id=\"x\" y=\"20\">\n  H \n m\n</text>", [4]float64{0, 20 - up, w("H m"), 20 + down}},
		{"white space that counts", `<text id="x" y="20" xml:space="preserve"> H  m </text>`, [4]float64{0, 20 - up, w(" H  m "), 20 + down}},
		{"anchored in its middle", `<text id="x" x="50" y="20" text-anchor="middle">Hm</text>`, [4]float64{50 - w("Hm")/2, 20 - up, 50 + w("Hm")/2, 20 + down}},
		{"anchored at its end", `<text id="x" x="50" y="20" style="text-anchor:end">H<tspan dx="3">m</tspan></text>`, [4]float64{50 - w("Hm") - 3, 20 - up, 50, 20 + down}},
		{"letters apart", `<text id="x" y="20" letter-spacing="2">Hm</text>`, [4]float64{0, 20 - up, w("Hm") + 4, 20 + down}},
		{"words apart", `<text id="x" y="20" word-spacing="0.5em">H m</text>`, [4]float64{0, 20 - up, w("H m") + 5, 20 + down}},
		{"lines", `<text id="x" x="5" y="20"><tspan x="5">H</tspan><tspan x="5" dy="1.2em">HHH</tspan></text>`, [4]float64{5, 20 - up, 5 + w("HHH"), 32 + down}},
		{"a part of it", `<text x="5" y="20">Hm <tspan id="x" dy="4">m</tspan></text>`, [4]float64{5 + w("Hm "), 24 - up, 5 + w("Hm m"), 24 + down}},
		{"a part with a place of its own", `<text x="5" y="20">Hm<tspan id="x" x="50" y="60">m</tspan></text>`, [4]float64{50, 60 - up, 50 + w("m"), 60 + down}},
		{"a place for each letter", `<text id="x" x="5 50" y="20 40">HHH</text>`, [4]float64{5, 20 - up, 50 + w("HH"), 40 + down}},
		{"dx for each letter", `<text id="x" y="20" dx="0 5 5">HHH</text>`, [4]float64{0, 20 - up, w("HHH") + 10, 20 + down}},
		{"a turned letter", `<text id="x" x="50" y="50" rotate="90">H</text>`, [4]float64{50 - down, 50, 50 + up, 50 + w("H")}},
		{"a turned text", `<text id="x" x="50" y="50" transform="rotate(90 50 50)">Hm</text>`, [4]float64{50 - down, 50, 50 + up, 50 + w("Hm")}},
		{"a given length", `<text id="x" x="5" y="20" textLength="100">Hm</text>`, [4]float64{5, 20 - up, 105, 20 + down}},
		{"wider letters", `<text id="x" x="5" y="20" textLength="100" lengthAdjust="spacingAndGlyphs">H</text>`, [4]float64{5, 20 - up, 105, 20 + down}},
		{"around its place", `<text id="x" y="20" dominant-baseline="central">H</text>`, [4]float64{0, 20 - (up+down)/2, w("H"), 20 + (up+down)/2}},
		{"below its place", `<text id="x" y="20" dominant-baseline="text-before-edge">H</text>`, [4]float64{0, 20, w("H"), 20 + up + down}},
		{"raised", `<text y="20"><tspan id="x" baseline-shift="5">H</tspan></text>`, [4]float64{0, 15 - up, w("H"), 15 + down}},
		{"downwards", `<text id="x" x="50" y="20" writing-mode="tb">Hm</text>`, [4]float64{50 - (up+down)/2, 20, 50 + (up+down)/2, 20 + w("Hm")}},
		{"on a path", `<path id="p" d="M20 10V90" fill="none"/><text><textPath id="x" href="#p" startOffset="50%">H</textPath></text>`, [4]float64{20 - down, 50, 20 + up, 50 + w("H")}},
		{"without what is hidden", `<text id="x" y="20">H<tspan display="none">mmm</tspan></text>`, [4]float64{0, 20 - up, w("H"), 20 + down}},
	} {
		sc := sceneOf(t, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100" font-size="10">`+c.text+`</svg>`)
		if b, ok := sc.Box(sc.Doc.ByID("x")); !ok || !near(b, c.want) {
			t.Errorf("%s: %.3f, want %.3f", c.name, b, c.want)
		}
	}
	sc := sceneOf(t, `<svg xmlns="http://www.w3.org/2000/svg"><text id="x"> <tspan id="y"/> </text></svg>`)
	for _, id := range []string{"x", "y"} {
		if b, ok := sc.Box(sc.Doc.ByID(id)); ok {
			t.Errorf("nothing takes %v", b)
		}
	}
}
