package picture_test

import (
	"bytes"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/picture"
)

func TestEffectsOnWholeElements(t *testing.T) {
	const white, red, blue, green, black = "#ffffff", "#ff0000", "#0000ff", "#008000", "#000000"
	const box = `<rect width="100" height="100" fill="red" `
	tests := []struct {
		name, inside string
		pixels       []pixel
	}{
		{"a clip path", `<clipPath id="c"><circle cx="50" cy="50" r="30"/></clipPath>` + box + `clip-path="url(#c)"/>`, []pixel{{50, 50, red}, {10, 10, white}}},
		{"a clip path in shares of the box", `<clipPath id="c" clipPathUnits="objectBoundingBox"><rect width=".5" height="1"/></clipPath><rect x="20" width="40" height="50" fill="red" clip-path="url(#c)"/>`, []pixel{{30, 20, red}, {50, 20, white}}},
		{"a clip path of a clip path", `<clipPath id="a"><rect width="50" height="100"/></clipPath><clipPath id="b" clip-path="url(#a)"><rect width="100" height="50"/></clipPath>` + box + `clip-path="url(#b)"/>`, []pixel{{20, 20, red}, {70, 20, white}, {20, 70, white}}},
		{"a clip path by even and odd", `<clipPath id="c"><path clip-rule="evenodd" d="M0 0H100V100H0zM30 30H70V70H30z"/></clipPath>` + box + `clip-path="url(#c)"/>`, []pixel{{10, 10, red}, {50, 50, white}}},
		{"a clip path of text", `<clipPath id="c"><text x="10" y="80" font-size="90" font-weight="bold">H</text></clipPath>` + box + `clip-path="url(#c)"/>`, []pixel{{21, 50, red}, {45, 30, white}}},
		{"no clip path", box + `clip-path="url(#none)"/>`, []pixel{{50, 50, red}}},
		{"a mask by brightness", `<mask id="m"><rect width="50" height="100" fill="white"/><rect x="50" width="50" height="100" fill="black"/></mask>` + box + `mask="url(#m)"/>`, []pixel{{20, 20, red}, {70, 20, white}}},
		{"a mask by opacity", `<mask id="m" style="mask-type:alpha"><rect width="50" height="100"/></mask>` + box + `mask="url(#m)"/>`, []pixel{{20, 20, red}, {70, 20, white}}},
		{"a grey mask", `<mask id="m"><rect width="100" height="100" fill="#808080"/></mask>` + box + `mask="url(#m)"/>`, []pixel{{20, 20, "#ff7f7f"}}},
		{"a mask that masks itself", `<mask id="m" mask="url(#m)"><rect width="50" height="100" fill="white"/></mask>` + box + `mask="url(#m)"/>`, []pixel{{20, 20, red}, {70, 20, white}}},
		{"a pattern", `<pattern id="p" width="20" height="20" patternUnits="userSpaceOnUse"><rect width="10" height="20" fill="red"/></pattern><rect width="100" height="100" fill="url(#p)"/>`, []pixel{{5, 50, red}, {15, 50, white}, {45, 50, red}, {55, 50, white}}},
		{"a pattern that is turned", `<pattern id="p" width="20" height="20" patternUnits="userSpaceOnUse" patternTransform="rotate(90)"><rect width="10" height="20" fill="red"/></pattern><rect width="100" height="100" fill="url(#p)"/>`, []pixel{{50, 5, red}, {50, 15, white}}},
		{"a pattern in shares of the box", `<pattern id="p" width=".5" height=".5" viewBox="0 0 2 2"><rect width="1" height="1" fill="red"/></pattern><rect width="80" height="80" fill="url(#p)"/>`, []pixel{{10, 10, red}, {30, 10, white}, {50, 50, red}}},
		{"markers", `<marker id="m" markerWidth="10" markerHeight="10" refX="5" refY="5" markerUnits="userSpaceOnUse"><rect width="10" height="10" fill="red"/></marker><path d="M20 50H50H80" stroke="blue" marker-start="url(#m)" marker-end="url(#m)"/>`, []pixel{{17, 47, red}, {83, 53, red}, {50, 47, white}}},
		{"a marker that follows the path", `<marker id="m" orient="auto" markerWidth="30" markerHeight="4" refY="2" markerUnits="userSpaceOnUse"><rect width="30" height="4" fill="red"/></marker><path d="M50 10V50" marker-end="url(#m)"/>`, []pixel{{50, 70, red}, {70, 50, white}}},
		{"a marker in the colour of the line", `<marker id="m" markerWidth="9" markerHeight="9"><rect width="9" height="9" fill="context-stroke"/></marker><path d="M20 20H60" stroke="blue" stroke-width="2" marker-end="url(#m)"/>`, []pixel{{70, 30, blue}}},
		{"a symbol in its box", `<symbol id="s" viewBox="0 0 10 10"><rect width="20" height="10" fill="red"/></symbol><use href="#s" x="20" y="20" width="40" height="40"/>`, []pixel{{30, 30, red}, {58, 58, red}, {70, 30, white}}},
		{"an element inside of itself", `<g id="g"><rect width="20" height="20" fill="red"/><use href="#g" x="50"/></g>`, []pixel{{10, 10, red}, {60, 10, white}}},
		{"the line below the fill", `<rect x="20" y="20" width="60" height="60" fill="red" stroke="blue" stroke-width="20" paint-order="stroke"/>`, []pixel{{25, 50, red}, {15, 50, blue}}},
		{"multiplied", `<rect width="100" height="100" fill="#ffff00"/><rect width="50" height="100" fill="#00ffff" style="mix-blend-mode:multiply"/>`, []pixel{{20, 20, "#00ff00"}, {70, 20, "#ffff00"}}},
		{"blending knows nothing of the paper", `<rect width="50" height="100" fill="#00ffff" style="mix-blend-mode:difference"/>`, []pixel{{20, 20, "#00ffff"}}},
		{"isolation", `<rect width="100" height="100" fill="#ffff00"/><g style="isolation:isolate"><rect width="50" height="100" fill="#00ffff" style="mix-blend-mode:multiply"/></g>`, []pixel{{20, 20, "#00ffff"}}},
		{"another origin", `<rect x="40" y="40" width="20" height="20" fill="red" transform="scale(2)" transform-origin="50 50"/>`, []pixel{{32, 32, red}, {68, 68, red}, {75, 75, white}}},
		{"gradients repeat", `<linearGradient id="g" x2="20" gradientUnits="userSpaceOnUse" spreadMethod="repeat"><stop offset=".5" stop-color="red"/><stop offset=".5" stop-color="blue"/></linearGradient><rect width="100" height="100" fill="url(#g)"/>`, []pixel{{45, 9, red}, {55, 9, blue}}},
		{"gradients inherit from others", `<linearGradient id="a"><stop stop-color="red"/></linearGradient><linearGradient id="b" href="#a" x1="5"/><rect width="100" height="100" fill="url(#b)"/>`, []pixel{{5, 5, red}}},
		{"a fallback where there is no gradient", `<rect width="100" height="100" fill="url(#g) green"/>`, []pixel{{5, 5, green}}},
		{"currentColor is that of the element", `<g fill="currentColor" color="red"><rect width="100" height="100" color="blue"/></g>`, []pixel{{5, 5, blue}}},
		{"a switch takes the first that fits", `<switch><rect width="100" height="100" fill="red" systemLanguage="tlh"/><rect width="100" height="100" fill="green"/><rect width="100" height="100" fill="blue"/></switch>`, []pixel{{5, 5, green}}},
		{"selectors", `<style>@media print { rect { fill: red } } g > rect { fill: blue } g rect.a { fill: green } #x:first-child, nothing { fill: red !important } [width="3"] { fill: black }</style><g><rect id="x" width="30" height="30" style="fill:blue"/><rect x="40" class="b a" width="30" height="30"/><g><rect y="40" width="30" height="30"/></g></g><rect x="40" y="40" width="3" height="30"/>`, []pixel{{10, 10, red}, {50, 10, green}, {10, 50, blue}, {41, 50, black}}},
		{"a place in the group counts like a class", `<style>rect:first-child { fill: red } g rect { fill: blue }</style><g><rect width="30" height="30"/><rect x="40" width="30" height="30"/></g>`, []pixel{{10, 10, red}, {50, 10, blue}}},
		{"selectors by siblings", `<style>rect + rect { fill: red } rect:nth-child(4) { fill: green } rect:not(.a):last-child { fill: blue }</style><rect class="a" width="20" height="20"/><rect x="20" width="20" height="20"/><rect x="40" width="20" height="20"/><rect x="60" width="20" height="20"/>`, []pixel{{10, 10, black}, {30, 10, red}, {50, 10, green}, {70, 10, blue}}},
		{"geometry, transforms and variables of a style sheet", `<style>svg { --mine: red } rect { width: 20px; height: 2em; fill: var(--mine) } #b { x: 50px; transform: translate(10px, 20px); fill: initial }</style><rect/><rect id="b"/>`, []pixel{{10, 10, red}, {70, 30, black}, {55, 10, white}}},
		{"letters with places of their own", `<text x="10 60" y="40,90" font-size="30" font-weight="bold">HH</text>`, []pixel{{14, 30, black}, {64, 80, black}, {40, 30, white}}},
		{"letters moved one by one", `<text x="10" y="40" dx="0 30" dy="0 40" font-size="30" font-weight="bold">HH</text>`, []pixel{{14, 30, black}, {66, 70, black}, {40, 30, white}}},
		{"turned letters", `<text x="50" y="50" rotate="90" font-size="30" font-weight="bold">H</text>`, []pixel{{60, 54, black}, {54, 40, white}}},
		{"text as wide as asked", `<text y="40" font-size="30" font-weight="bold" textLength="90">HH</text>`, []pixel{{4, 30, black}, {86, 30, black}, {45, 30, white}}},
		{"text with wider letters", `<text y="40" font-size="30" font-weight="bold" textLength="90" lengthAdjust="spacingAndGlyphs">H</text>`, []pixel{{12, 30, black}, {78, 30, black}}},
		{"text on a path", `<path id="t" d="M50 10V90" fill="none"/><text font-size="30" font-weight="bold"><textPath href="#t">HH</textPath></text>`, []pixel{{61, 13, black}, {40, 13, white}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { compare(t, tt.inside, tt.pixels) })
	}
}

// compare draws the contents of an svg element of 100 by 100 with filters, and checks some pixels.
func compare(t *testing.T, inside string, pixels []pixel) {
	t.Helper()
	d, err := picture.Draw([]byte(`<svg viewBox="0 0 100 100">`+inside+`</svg>`), picture.Options{Width: 100, Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(d.PNG))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pixels {
		if got := at(img, p.x, p.y); !near(got, p.want) {
			t.Errorf("%d,%d is %s, not %s", p.x, p.y, got, p.want)
		}
	}
}

func TestFilters(t *testing.T) {
	const white, red, blue, lime = "#ffffff", "#ff0000", "#0000ff", "#00ff00"
	tests := []struct {
		name, filter string
		pixels       []pixel // of a red box from 20,20 to 60,60
	}{
		{"blurred", `<feGaussianBlur stdDeviation="6"/>`, []pixel{{40, 40, "#ff0404"}, {20, 40, "#ff7f7f"}, {79, 40, white}}},
		{"moved", `<feOffset dx="10" dy="10"/>`, []pixel{{22, 22, white}, {63, 63, red}}},
		{"flooded in a part", `<feFlood flood-color="blue" x="20" y="20" width="20" height="20"/>`, []pixel{{25, 25, blue}, {45, 45, white}}},
		{"merged", `<feFlood flood-color="blue"/><feMerge><feMergeNode/><feMergeNode in="SourceGraphic"/></feMerge>`, []pixel{{40, 40, red}, {18, 40, blue}, {5, 5, white}}},
		{"blended", `<feFlood flood-color="#00f"/><feBlend in2="SourceGraphic" mode="screen"/>`, []pixel{{40, 40, "#ff00ff"}}},
		{"cut out", `<feFlood flood-color="blue"/><feComposite in2="SourceAlpha" operator="out"/>`, []pixel{{40, 40, white}, {18, 40, blue}}},
		{"in other colours", `<feColorMatrix values="0 0 0 0 0  1 0 0 0 0  0 0 0 0 0  0 0 0 1 0"/>`, []pixel{{40, 40, lime}}},
		{"without colours", `<feColorMatrix type="saturate" values="0" color-interpolation-filters="sRGB"/>`, []pixel{{40, 40, "#363636"}}},
		{"a shadow", `<feDropShadow dx="10" dy="10" stdDeviation="0" flood-color="blue"/>`, []pixel{{40, 40, red}, {62, 62, blue}}},
		{"by functions of channels", `<feComponentTransfer><feFuncR type="table" tableValues="1 0"/><feFuncB type="linear" intercept="1"/></feComponentTransfer>`, []pixel{{40, 40, blue}}},
		{"thicker", `<feMorphology operator="dilate" radius="3"/>`, []pixel{{18, 40, red}, {62, 40, red}, {15, 40, white}}},
		{"thinner", `<feMorphology radius="3"/>`, []pixel{{22, 40, white}, {24, 40, red}}},
		{"lit", `<feDiffuseLighting lighting-color="red"><feDistantLight elevation="90"/></feDiffuseLighting>`, []pixel{{40, 40, red}}},
		{"none", ``, []pixel{{40, 40, white}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			compare(t, `<filter id="f">`+tt.filter+`</filter><rect x="20" y="20" width="40" height="40" fill="red" filter="url(#f)"/>`, tt.pixels)
		})
	}
	t.Run("functions", func(t *testing.T) {
		compare(t, `<rect x="20" y="20" width="40" height="40" fill="red" filter="drop-shadow(10 10 blue) opacity(50%)"/>`, []pixel{{40, 40, "#ff7f7f"}, {65, 65, "#7f7fff"}})
	})
	t.Run("turned", func(t *testing.T) {
		compare(t, `<filter id="f" x="0" y="0" width="1" height="1"><feFlood flood-color="blue"/></filter><rect x="50" y="50" width="20" height="20" filter="url(#f)" transform="rotate(45 50 50)"/>`, []pixel{{50, 70, blue}, {65, 55, white}, {50, 45, white}})
	})
}

// PNG draws a document without its filters. A mask with filters does not hide anything.
func TestOnlyDrawDrawsFilters(t *testing.T) {
	img := draw(t, `<filter id="f"><feFlood flood-color="white"/></filter><mask id="m"><circle cx="30" cy="30" r="30" filter="url(#f)"/></mask><rect width="60" height="60" fill="red" mask="url(#m)" filter="blur(9px)"/>`)
	if got := at(img, 30, 30); !near(got, "#ff0000") {
		t.Errorf("the middle is %s", got)
	}
}

func TestMissingListsWhatIsNotDrawn(t *testing.T) {
	tests := []struct {
		inside string
		want   []string
	}{
		{`<rect width="9" height="9"/>`, nil},
		{`<foreignObject/><foreignObject/>`, []string{"foreignObject"}},
		{`<image href="https://example.com/x.png" width="9" height="9"/>`, []string{"image https://example.com/x.png, which is not part of the document"}},
		{`<filter id="f"><feNothing/></filter><rect width="9" height="9" filter="url(#f)"/>`, []string{"filter feNothing"}},
		{`<rect width="9" height="9" filter="url(#g) wobble(3)"/>`, []string{"filter url(#g)", "filter wobble()"}},
		{`<rect width="9" height="9" clip-path="circle(5px)"/>`, []string{"clip-path: circle(5px)"}},
		{`<rect width="9" height="9" transform="wobble(3)"/>`, []string{`transform "wobble": want translate, scale, rotate, skewX, skewY or matrix`}},
		{`<rect width="9" height="9"><animate attributeName="x" to="9"/></rect>`, []string{"animation: the picture shows the beginning"}},
		{`<style>rect:hover { fill: red } a, b { fill: red }</style>`, []string{"rules of a style sheet with selectors of other kinds"}},
		{`<text writing-mode="tb" direction="rtl">漢字</text>`, []string{"letters that no font here has", "text from right to left", "text from top to bottom"}},
		{`<image width="9" height="9" href="data:image/webp;base64,UklGRg=="/>`, []string{"an image of 4 bytes that is not a PNG, JPEG or GIF"}},
	}
	for _, tt := range tests {
		d, err := picture.Draw([]byte(`<svg viewBox="0 0 100 100">`+tt.inside+`</svg>`), picture.Options{})
		if err != nil || !slices.Equal(d.Missing, tt.want) {
			t.Errorf("%s: %q, want %q (%v)", tt.inside, d.Missing, tt.want, err)
		}
	}
	many := strings.Builder{}
	for i := range 500 {
		many.WriteString(`<image href="` + strings.Repeat("x", i+1) + `"/>`)
	}
	if d, err := picture.Draw([]byte(`<svg>`+many.String()+`</svg>`), picture.Options{}); err != nil || len(d.Missing) > 100 {
		t.Errorf("%d things are missing, %v", len(d.Missing), err)
	}
}
