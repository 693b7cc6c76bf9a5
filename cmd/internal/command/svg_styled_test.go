package command

import (
	"bytes"
	"fmt"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/csscolor"
)

// squares is a drawing of four squares side by side, which are blue if its style sheet says nothing.
const squares = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10"><style>%s</style><g fill="blue">
<rect id="a" class="x y" width="10" height="10"/><rect id="b" data-k="en-GB" x="10" width="10" height="10"/>
<rect id="c" class="x" x="20" width="10" height="10"/><rect id="d" style="--mine:#f00" x="30" width="10" height="10"/></g></svg>`

// What map says about a drawing, what @fill: selects in it and what export png draws of it are one thing.
func TestTheMapAndThePictureOfADrawingAgree(t *testing.T) {
	c, dir := startSVG(t)
	for i, row := range [][2]string{ // a style sheet, and the colours of the squares: red, green or blue
		{"", "bbbb"},
		{"rect + rect{fill:#f00} rect:nth-child(4){fill:#0f0}", "brrg"},
		{"rect ~ rect{fill:red} #c + rect{fill:lime}", "brrg"},
		{"#b ~ rect{fill:red}", "bbrr"},
		{"g > rect{fill:red} svg > rect{fill:lime}", "rrrr"},
		{"svg .x{fill:red}", "rbrb"},
		{"rect.x.y{fill:red}", "rbbb"},
		{"[data-k|=en]{fill:red} [class~=y]{fill:lime} [x='30']{fill:red}", "grbr"},
		{"rect:not(.x){fill:red}", "brbr"},
		{"rect:first-child{fill:red} rect:last-child{fill:lime}", "rbbg"},
		{"rect:nth-child(odd){fill:red} rect:nth-last-child(-n+1){fill:lime}", "rbrg"},
		{":root rect{fill:red}", "rrrr"},
		{"#a, #d{fill:red}", "rbbr"},
		{"rect:first-child{fill:red} g rect{fill:lime}", "rggg"},
		{"rect:not(#b){fill:red} rect.x{fill:lime}", "rbrr"},
		{"#a{fill:red} rect.x{fill:lime}", "rbgb"},
		{"rect{fill:red !important} #a{fill:lime}", "rrrr"},
		{"rect{fill:red} #a{fill:inherit}", "brrr"},
		{"rect{fill:var(--mine, #0f0)}", "gggr"},
		{"g{--one:var(--two);--two:red} #a{--two:lime} #a, #b{fill:var(--one)} #c{fill:var(--none)}", "rrbb"},
		{"@media print{rect{fill:red}} @media screen{#a{fill:lime}}", "gbbb"},
		{`@import "other.css"; #a{fill:red}`, "rbbb"},
		{"rect:hover{fill:red} #b{fill:lime}", "bgbb"},
		{"/* #a{fill:red} */ #\\62 {fill:red}", "brbb"},
	} {
		name := fmt.Sprintf("squares%d", i)
		put(t, dir, name+".svg", fmt.Sprintf(squares, row[0]))
		c.must("svg_session", map[string]any{"action": "open ./" + name + ".svg"})
		mapped := c.must("svg_query", map[string]any{"q": "map"})
		chosen := map[string]string{}
		for letter, color := range map[string]string{"r": "#ff0000", "g": "#00ff00", "b": "#0000ff"} {
			if list, ok := c.call("svg_query", map[string]any{"q": "list @type:rect @fill:" + color}); !ok {
				for _, m := range regexp.MustCompile(`(?m)^\s*([abcd])\(rect\)`).FindAllStringSubmatch(list, -1) {
					chosen[m[1]] += letter
				}
			}
		}
		c.must("svg_session", map[string]any{"action": "export png ./" + name + ".png width:40"})
		picture, err := png.Decode(bytes.NewReader([]byte(c.file(dir, name+".png"))))
		if err != nil {
			t.Fatal(err)
		}
		for k, id := range []string{"a", "b", "c", "d"} {
			want := row[1][k : k+1]
			shown := "b" // what map does not say is as in the group
			if m := regexp.MustCompile(id + `\(rect\).* fill:(\S+)`).FindStringSubmatch(mapped); m != nil && m[1] != "inherit" {
				shown = letterOf(csscolor.Parse(m[1]))
			}
			r, g, b, _ := picture.At(10*k+5, 5).RGBA()
			drawn := letterOf(csscolor.Color{R: float64(r), G: float64(g), B: float64(b)}, true)
			if shown != want || chosen[id] != want || drawn != want {
				t.Errorf("%s: %s should be %s, but is %s in the map, %s by @fill: and %s in the picture", row[0], id, want, shown, chosen[id], drawn)
			}
		}
		if missing := strings.Contains(c.must("svg_query", map[string]any{"q": "preview"}), "not drawn"); missing != strings.Contains(row[0], ":hover") {
			t.Errorf("%s: the preview names what it does not draw: %v", row[0], missing)
		}
	}
}

// letterOf returns the first letter of the colour that is the strongest channel.
func letterOf(c csscolor.Color, ok bool) string {
	switch {
	case !ok:
		return "?"
	case c.R > c.G && c.R > c.B:
		return "r"
	case c.G > c.B:
		return "g"
	}
	return "b"
}
