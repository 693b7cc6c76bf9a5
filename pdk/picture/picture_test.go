package picture_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/picture"
)

// draw makes a picture of the contents of an svg element of 100 by 100, with one
// pixel for each unit.
func draw(t testing.TB, inside string) image.Image {
	t.Helper()
	return decode(t, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">`+inside+`</svg>`, 100)
}

func decode(t testing.TB, svg string, width int) image.Image {
	t.Helper()
	out, err := picture.PNG([]byte(svg), width)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// at returns a pixel as #rrggbb.
func at(img image.Image, x, y int) string {
	c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
	return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
}

// dark counts the pixels of a box that are darker than half.
func dark(img image.Image, x0, y0, x1, y1 int) int {
	n := 0
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			if color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y < 128 {
				n++
			}
		}
	}
	return n
}

type pixel struct {
	x, y int
	want string
}

func TestShapesAreDrawnInTheRightPlace(t *testing.T) {
	const white, red, blue = "#ffffff", "#ff0000", "#0000ff"
	dot := base64.StdEncoding.EncodeToString(solid(color.NRGBA{255, 0, 0, 255}))
	tests := []struct {
		name, inside string
		pixels       []pixel
	}{
		{"a box", `<rect x="20" y="30" width="40" height="20" fill="red"/>`, []pixel{{40, 40, red}, {20, 30, red}, {59, 49, red}, {19, 40, white}, {60, 40, white}, {40, 29, white}, {40, 50, white}}},
		{"a box as large as the picture", `<rect width="100%" height="100%" fill="#00f"/>`, []pixel{{0, 0, blue}, {99, 99, blue}}},
		{"nothing said is black", `<rect width="10" height="10"/>`, []pixel{{5, 5, "#000000"}}},
		{"no fill", `<rect x="20" y="20" width="40" height="40" fill="none" stroke="red" stroke-width="4"/>`, []pixel{{40, 40, white}, {20, 40, red}, {18, 18, red}, {17, 40, white}, {61, 61, red}}},
		{"round corners", `<rect x="10" y="10" width="80" height="80" rx="20" fill="red"/>`, []pixel{{11, 11, white}, {50, 11, red}, {18, 18, red}}},
		{"a circle", `<circle cx="50" cy="50" r="30" fill="red"/>`, []pixel{{50, 50, red}, {21, 50, red}, {19, 50, white}, {27, 27, white}}},
		{"an ellipse", `<ellipse cx="50" cy="50" rx="40" ry="10" fill="red"/>`, []pixel{{12, 50, red}, {50, 42, red}, {50, 38, white}}},
		{"a line", `<line x1="10" y1="50" x2="90" y2="50" stroke="red" stroke-width="4"/>`, []pixel{{50, 48, red}, {50, 51, red}, {50, 53, white}, {9, 50, white}}},
		{"a polyline is not closed", `<polyline points="10,10 90,10 90,90" fill="none" stroke="red" stroke-width="4"/>`, []pixel{{50, 10, red}, {90, 50, red}, {50, 50, white}, {91, 8, red}}},
		{"a polygon is", `<polygon points="10,10 90,10 90,90" fill="none" stroke="red" stroke-width="4"/>`, []pixel{{50, 50, red}}},
		{"a path of all commands", `<path fill="red" d="M10 10h40v20H10zm0 30l40 0 0,10-40.0.0zM10 60q20-10 40 0t40 0v20s-20 10-40 0c-10-5-20-5-40 0z"/>`, []pixel{{30, 20, red}, {30, 45, red}, {30, 65, red}, {70, 75, red}, {60, 20, white}}},
		{"an arc goes the way its flags say", `<path fill="red" d="M10 50A40 40 0 0 1 90 50z"/>`, []pixel{{50, 20, red}, {50, 60, white}}},
		{"flags without spaces", `<path fill="red" d="M10 50A40 40 0 0190 50z"/>`, []pixel{{50, 20, red}}},
		{"a hole by direction", `<path fill="red" d="M10 10H90V90H10zM30 30V70H70V30z"/>`, []pixel{{20, 20, red}, {50, 50, white}}},
		{"no hole in the same direction", `<path fill="red" d="M10 10H90V90H10zM30 30H70V70H30z"/>`, []pixel{{50, 50, red}}},
		{"a hole by even and odd", `<path fill="red" fill-rule="evenodd" d="M10 10H90V90H10zM30 30H70V70H30z"/>`, []pixel{{50, 50, white}}},
		{"a path up to its mistake", `<path fill="red" d="M10 10H90V90H10z L foo"/>`, []pixel{{50, 50, red}}},
		{"dashes", `<path d="M0 50H100" stroke="red" stroke-width="4" stroke-dasharray="20 10"/>`, []pixel{{10, 50, red}, {25, 50, white}, {35, 50, red}}},
		{"dashes that begin later", `<path d="M0 50H100" stroke="red" stroke-width="4" stroke-dasharray="20 10" stroke-dashoffset="20"/>`, []pixel{{5, 50, white}, {15, 50, red}}},
		{"square ends", `<path d="M20 50H80" stroke="red" stroke-width="10" stroke-linecap="square"/>`, []pixel{{16, 46, red}, {84, 54, red}}},
		{"round ends", `<path d="M20 50H80" stroke="red" stroke-width="10" stroke-linecap="round"/>`, []pixel{{16, 50, red}, {15, 45, white}}},
		{"corners are pointed", `<path d="M20 80V20H80" fill="none" stroke="red" stroke-width="10"/>`, []pixel{{16, 16, red}}},
		{"bevelled", `<path d="M20 80V20H80" fill="none" stroke="red" stroke-width="10" stroke-linejoin="bevel"/>`, []pixel{{15, 15, white}}},
		{"opacity", `<rect width="50" height="50" fill="red" opacity="0.5"/>`, []pixel{{20, 20, "#ff7f7f"}}},
		{"opacity of the fill", `<rect width="50" height="50" fill="red" fill-opacity="50%"/>`, []pixel{{20, 20, "#ff7f7f"}}},
		{"a group fades as one", `<g opacity="0.5"><rect width="50" height="50" fill="red"/><rect width="50" height="50" fill="blue"/></g>`, []pixel{{20, 20, "#7f7fff"}}},
		{"groups in groups fade", strings.Repeat(`<g opacity="0.5">`, 8) + `<rect width="50" height="50"/>` + strings.Repeat(`</g>`, 8), []pixel{{20, 20, "#fefefe"}}},
		{"later is above", `<rect width="50" height="50" fill="red"/><rect width="50" height="50" fill="blue"/>`, []pixel{{20, 20, blue}}},
		{"transforms", `<g transform="translate(50 50) rotate(90) scale(2)"><rect x="5" y="-5" width="10" height="10" fill="red"/></g>`, []pixel{{50, 70, red}, {41, 61, red}, {50, 55, white}, {70, 50, white}}},
		{"around a point", `<rect x="10" y="45" width="30" height="10" fill="red" transform="rotate(90,50,50)"/>`, []pixel{{50, 20, red}, {20, 50, white}}},
		{"mirrored lines keep their width", `<g transform="translate(100 0) scale(-1 1)"><path d="M10 10H50V90" fill="none" stroke="red" stroke-width="6"/></g>`, []pixel{{70, 10, red}, {50, 60, red}, {20, 10, white}}},
		{"what a style says", `<style>.a{fill:blue} rect{fill:lime} /* not */ #x{stroke:red;stroke-width:10}</style><rect class="b a" width="30" height="30"/><rect id="x" x="50" y="50" width="30" height="30" style="fill: red !important"/>`, []pixel{{10, 10, blue}, {65, 65, red}, {47, 60, red}}},
		{"styles are inherited", `<g fill="red"><g><rect width="30" height="30"/></g></g>`, []pixel{{10, 10, red}}},
		{"a gradient from left to right", `<defs><linearGradient id="g"><stop offset="0" stop-color="#ff0000"/><stop offset="1" style="stop-color:#0000ff"/></linearGradient></defs><rect width="100" height="50" fill="url(#g)"/>`, []pixel{{0, 20, "#ff0000"}, {99, 20, "#0000ff"}}},
		{"a gradient downwards, defined later", `<rect width="100" height="100" fill="url(#g)"/><linearGradient id="g" x1="0" y1="0" x2="0" y2="1"><stop offset="50%" stop-color="red"/><stop offset="50%" stop-color="blue"/></linearGradient>`, []pixel{{5, 40, red}, {95, 60, blue}}},
		{"a round gradient", `<radialGradient id="g"><stop offset="0.5" stop-color="red"/><stop offset="0.5" stop-color="blue"/></radialGradient><rect width="100" height="100" fill="url(#g)"/>`, []pixel{{50, 50, red}, {2, 50, blue}}},
		{"a gradient that is not there", `<rect width="100" height="100" fill="url(#g)"/>`, []pixel{{5, 40, white}}},
		{"current colour", `<g color="red"><rect width="30" height="30" fill="currentColor"/></g>`, []pixel{{10, 10, red}}},
		{"colours as functions", `<rect width="30" height="30" fill="rgb(255, 0,0)"/><rect x="50" width="30" height="30" fill="hsl(240 100% 50%)"/>`, []pixel{{10, 10, red}, {60, 10, blue}}},
		{"what is hidden", `<rect width="30" height="30" display="none"/><rect x="50" width="30" height="30" visibility="hidden"/>`, []pixel{{10, 10, white}, {60, 10, white}}},
		{"what is defined is not drawn", `<defs><rect id="r" width="30" height="30" fill="red"/></defs><use xlink:href="#r" x="50" y="50"/>`, []pixel{{10, 10, white}, {60, 60, red}}},
		{"unknown elements are left out", `<blink><rect width="30" height="30"/></blink><rect x="50" width="30" height="30" fill="red"/>`, []pixel{{10, 10, white}, {60, 10, red}}},
		{"an svg inside", `<svg x="50" y="50" width="40" height="40" viewBox="0 0 10 10"><rect x="-5" width="10" height="10" fill="red"/></svg>`, []pixel{{60, 60, red}, {45, 60, white}, {75, 60, white}}},
		{"an embedded image", `<image x="10" y="10" width="40" height="40" xlink:href="data:image/png;base64,` + dot + `"/>`, []pixel{{30, 30, red}, {11, 11, red}, {60, 60, white}}},
		{"an embedded svg", `<image x="50" y="50" width="40" height="40" href="data:image/svg+xml,%3Csvg viewBox='0 0 2 2'%3E%3Crect width='9' height='1' fill='red'/%3E%3C/svg%3E"/>`, []pixel{{70, 60, red}, {70, 80, white}, {95, 60, white}}},
		{"an image elsewhere", `<image width="40" height="40" href="https://example.com/x.png"/><rect x="50" width="30" height="30" fill="red"/>`, []pixel{{10, 10, white}, {60, 10, red}}},
		{"comments, declarations and data", `<!-- <rect width="9" height="9"/> --><?x y?><rect x="50" width="30" height="30" fill="red"/>`, []pixel{{5, 5, white}, {60, 10, red}}},
		{"far away", `<rect x="-1e5" y="-1e5" width="1e18" height="1e6" fill="red"/><rect x="1e300" width="NaN" height="5"/>`, []pixel{{50, 50, red}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			img := draw(t, tt.inside)
			for _, p := range tt.pixels {
				got := at(img, p.x, p.y)
				if !near(got, p.want) {
					t.Errorf("%d,%d is %s, not %s", p.x, p.y, got, p.want)
				}
			}
		})
	}
}

// near compares colours, with a tolerance for rounding.
func near(a, b string) bool {
	var x, y [3]int
	fmt.Sscanf(a, "#%02x%02x%02x", &x[0], &x[1], &x[2])
	fmt.Sscanf(b, "#%02x%02x%02x", &y[0], &y[1], &y[2])
	for i := range 3 {
		if d := x[i] - y[i]; d > 4 || d < -4 {
			return false
		}
	}
	return true
}

// solid returns a PNG of one colour.
func solid(c color.Color) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		img.Set(i%8, i/8, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestTextIsDrawnInTheRightPlace(t *testing.T) {
	tests := []struct {
		name, inside    string
		inked           image.Rectangle
		blank           image.Rectangle
		atLeast, atMost int
	}{
		{"from its start", `<text x="20" y="50" font-size="20">Hm</text>`, image.Rect(20, 30, 55, 52), image.Rect(0, 0, 20, 100), 80, 300},
		{"around its middle", `<text x="50" y="50" font-size="20" text-anchor="middle">Hm</text>`, image.Rect(32, 30, 68, 52), image.Rect(0, 0, 30, 100), 80, 300},
		{"before its end", `<text x="80" y="50" font-size="20" text-anchor="end">Hm</text>`, image.Rect(45, 30, 80, 52), image.Rect(81, 0, 100, 100), 80, 300},
		{"bold has more of it", `<text x="20" y="50" font-size="20" font-weight="bold">Hm</text>`, image.Rect(20, 30, 60, 52), image.Rect(0, 0, 20, 100), 130, 400},
		{"spans stand side by side", `<text x="10" y="50" font-size="20"><tspan font-weight="bold">H</tspan><tspan font-style="italic">H</tspan></text>`, image.Rect(26, 30, 46, 52), image.Rect(50, 0, 100, 100), 20, 200},
		{"spans with places of their own", `<text font-size="20"><tspan x="10" y="30">H</tspan><tspan x="60" y="90">H</tspan></text>`, image.Rect(60, 70, 80, 92), image.Rect(10, 40, 50, 100), 20, 200},
		{"underlined", `<text x="10" y="50" font-size="40" text-decoration="underline">i</text>`, image.Rect(10, 52, 19, 58), image.Rect(40, 0, 100, 100), 12, 60},
		{"letters that no font here has are boxes", `<text x="10" y="50" font-size="40">漢</text>`, image.Rect(10, 20, 52, 52), image.Rect(60, 0, 100, 100), 100, 600},
		{"entities", `<text x="10" y="50" font-size="40">&#72;&amp;</text>`, image.Rect(10, 15, 70, 52), image.Rect(80, 0, 100, 100), 150, 900},
		{"space is one space", "<text x=\"10\" y=\"50\" font-size=\"20\">\n  H \n\t H\n</text>", image.Rect(30, 30, 46, 52), image.Rect(60, 0, 100, 100), 30, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			img := draw(t, tt.inside)
			r := tt.inked
			if n := dark(img, r.Min.X, r.Min.Y, r.Max.X, r.Max.Y); n < tt.atLeast || n > tt.atMost {
				t.Errorf("%d dark pixels in %v, not %d to %d", n, r, tt.atLeast, tt.atMost)
			}
			r = tt.blank
			if n := dark(img, r.Min.X, r.Min.Y, r.Max.X, r.Max.Y); n > 0 {
				t.Errorf("%d dark pixels in %v", n, r)
			}
		})
	}
}

func TestCommonSymbolsHaveDifferentGlyphs(t *testing.T) {
	seen := map[string]rune{}
	for _, r := range "-–←→↑↓↔⇒⇐⇔✓✗★☆●○■□▲▼►◄◆•…×÷±≤≥≠≈∞√∑µπΩ°²€£©®™♩♪♫♭♯♮♥⚠☑⊕àéîöüñçßøåšžłĞЖяαβ" {
		img := draw(t, fmt.Sprintf(`<text x="10" y="80" font-size="80">%c</text>`, r))
		if dark(img, 0, 0, 100, 100) < 20 {
			t.Errorf("%c leaves no ink", r)
		}
		var key strings.Builder
		for y := range 100 {
			for x := range 100 {
				key.WriteByte(at(img, x, y)[1])
			}
		}
		if other, ok := seen[key.String()]; ok {
			t.Errorf("%c looks like %c", r, other)
		}
		seen[key.String()] = r
	}
	box := draw(t, `<text x="10" y="80" font-size="80">漢</text>`)
	if dark(box, 30, 30, 70, 70) > 0 {
		t.Error("a missing letter is not an empty box")
	}
}

func TestSizes(t *testing.T) {
	svg := func(w, h int) string { return fmt.Sprintf(`<svg width="%d" height="%d"/>`, w, h) }
	tests := []struct {
		name    string
		svg     string
		width   int
		preview bool
		w, h    int
	}{
		{"its own, where that is legible", svg(1200, 600), 0, false, 1200, 600},
		{"small ones twice as large", svg(200, 100), 0, false, 400, 200},
		{"up to a usual width", svg(800, 100), 0, false, 1000, 125},
		{"wide ones within the largest side", svg(3136, 200), 0, false, 1568, 100},
		{"high ones, too", svg(400, 3136), 0, false, 200, 1568},
		{"as asked", svg(200, 100), 50, false, 50, 25},
		{"larger, where asked", svg(200, 100), 3000, false, 3000, 1500},
		{"a preview as asked", svg(200, 100), 600, true, 600, 300},
		{"a preview within the largest side", svg(200, 100), 3000, true, 1568, 784},
		{"by viewBox", `<svg viewBox="0 0 300 600"/>`, 100, false, 100, 200},
		{"nothing told", `<svg/>`, 0, false, 600, 300},
		{"thin", svg(10000, 1), 0, false, 1568, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			make := picture.PNG
			if tt.preview {
				make = picture.Preview
			}
			out, err := make([]byte(tt.svg), tt.width)
			if err != nil {
				t.Fatal(err)
			}
			c, err := png.DecodeConfig(bytes.NewReader(out))
			if err != nil || c.Width != tt.w || c.Height != tt.h {
				t.Errorf("%d by %d, %v", c.Width, c.Height, err)
			}
		})
	}
}

func TestInvalidDocumentsAndWidthsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, svg string
		width     int
		want      string
	}{
		{"no svg", "<html/>", 0, "no svg element"},
		{"nothing", "", 0, "no element"},
		{"what is not well-formed", "<svg><g></svg>", 0, "byte 8: </svg> where </g> is expected"},
		{"negative width", "<svg/>", -1, "range"},
		{"absurd width", "<svg/>", 5000, "range"},
		{"too many pixels", `<svg width="10" height="1000"/>`, 1000, "at most width:289"},
		{"too much to draw", `<svg width="1000" height="1000">` + strings.Repeat(`<rect width="1000" height="1000" opacity=".5"/>`, 2000) + `</svg>`, 0, "too much"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := picture.PNG([]byte(tt.svg), tt.width)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestTheSamePictureHasTheSameBytes(t *testing.T) {
	for _, inside := range rich {
		svg := []byte(`<svg viewBox="0 0 100 100">` + inside + `</svg>`)
		first, err := picture.PNG(svg, 300)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if again, _ := picture.PNG(svg, 300); !bytes.Equal(first, again) {
				t.Fatalf("another picture of %s", inside)
			}
		}
	}
}

// rich are drawings with few colours, with many, and with too many for a palette.
var rich = []string{
	`<circle cx="50" cy="50" r="40" fill="#dae8fc" stroke="#6c8ebf"/><text x="50" y="55" text-anchor="middle">Hello ✓</text>`,
	`<linearGradient id="g"><stop offset="0" stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient><circle cx="50" cy="50" r="40" fill="url(#g)"/>`,
	`<linearGradient id="g"><stop offset="0" stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient><linearGradient id="h" x2="0" y2="1"><stop offset="0" stop-color="lime" stop-opacity="0"/><stop offset="1" stop-color="lime"/></linearGradient><rect width="100" height="100" fill="url(#g)"/><rect width="100" height="100" fill="url(#h)"/>`,
}

func FuzzPNG(f *testing.F) {
	for _, inside := range rich {
		f.Add([]byte(`<svg viewBox="0 0 100 100">` + inside + `</svg>`))
	}
	f.Add([]byte(`<svg width="100" height="60"><style>.a{fill:red}</style><g transform="rotate(20) scale(2 -1)" opacity=".4"><path class="a" d="M1 2l3 4h5v6q1 2 3 4t5 6c1 2 3 4 5 6s7 8 9 0a5 6 7 0 1 8 9z" stroke="#123" stroke-width="3" stroke-dasharray="3 1 0" stroke-linejoin="round" stroke-linecap="round"/></g></svg>`))
	f.Add([]byte(`<svg><defs><g id="a"><use href="#a"/><use href="#a"/></g></defs><use href="#a"/><image width="9" height="9" href="data:image/svg+xml,%3Csvg/%3E"/><image width="5" height="5" href="data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs="/></svg>`))
	f.Add([]byte(`<svg><text x="1em" y="5" dx="2" style="font-size:2em;text-decoration:underline">a<tspan dy="3" x="4">b</tspan>&#x4e2d;</text><polygon points="1,2 3,4 5"/></svg>`))
	f.Fuzz(func(t *testing.T, svg []byte) {
		out, err := picture.Preview(svg, 64)
		if err != nil {
			return
		}
		c, err := png.DecodeConfig(bytes.NewReader(out))
		if err != nil || c.Width > 64 || c.Height > picture.Side {
			t.Fatalf("%d by %d, %v", c.Width, c.Height, err)
		}
	})
}

func FuzzDraw(f *testing.F) {
	for _, inside := range rich {
		f.Add([]byte(`<svg viewBox="0 0 100 100">` + inside + `</svg>`))
	}
	for _, inside := range []string{
		`<clipPath id="c" clip-path="url(#c)"><circle r="9"/><use href="#r"/></clipPath><mask id="m" mask="url(#m)"><rect id="r" width="9" height="9" fill="#888"/></mask><g clip-path="url(#c)" mask="url(#m)"><rect width="50" height="50"/></g>`,
		`<pattern id="p" width=".1" height="9" patternUnits="userSpaceOnUse" patternTransform="rotate(9)"><circle r="3" fill="url(#p)"/></pattern><rect width="90" height="90" fill="url(#p)" stroke="url(#p)"/>`,
		`<marker id="m" orient="auto" viewBox="0 0 9 9" markerWidth="4"><path d="M0 0h9" marker-end="url(#m)" stroke="context-stroke"/></marker><path d="M1 1c5 5 9 9 20 0a4 4 0 0 1 9 9z" marker-mid="url(#m)" marker-start="url(#m)"/>`,
		`<filter id="f"><feGaussianBlur stdDeviation="3 1"/><feOffset dx="3"/><feFlood flood-color="red" result="a"/><feComposite in2="a" operator="arithmetic" k1="1"/><feTile/><feMorphology radius="3"/><feTurbulence baseFrequency=".1" stitchTiles="stitch"/><feDisplacementMap scale="9" in2="a"/><feConvolveMatrix kernelMatrix="1 2 3 4 5 6 7 8 9"/><feSpecularLighting><feSpotLight x="9" z="9" pointsAtX="3"/></feSpecularLighting><feImage href="#x"/><feMerge><feMergeNode in="a"/></feMerge></filter><circle id="x" r="40" filter="url(#f)"/><circle r="40" filter="blur(3px) drop-shadow(2 2 red) hue-rotate(9deg)"/>`,
		`<style>g > .a:first-child, [x^="1"] b { fill: red !important } @media x { a { b: c } }</style><g><rect class="a" width="9" height="9" style="mix-blend-mode:hue" transform-origin="right top" transform="scale(2)"/></g><path id="t" d="M0 0h99"/><text letter-spacing="2">a<textPath href="#t" startOffset="10%">bc</textPath></text>`,
	} {
		f.Add([]byte(`<svg viewBox="0 0 100 100">` + inside + `</svg>`))
	}
	f.Fuzz(func(t *testing.T, svg []byte) {
		d, err := picture.Draw(svg, picture.Options{Width: 64})
		if err != nil {
			return
		}
		if c, err := png.DecodeConfig(bytes.NewReader(d.PNG)); err != nil || c.Width > 64 || c.Height > picture.Side {
			t.Fatalf("%d by %d, %v", c.Width, c.Height, err)
		}
	})
}

func TestTransparentPixelsKeepTheirColours(t *testing.T) {
	const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="10"><rect width="10" height="10" fill="#ff0000"/><rect x="10" width="10" height="10" fill="#00ff00" opacity="0.5"/></svg>`
	data, err := picture.Clear([]byte(drawing), 30)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[int]color.NRGBA{5: {R: 255, A: 255}, 15: {G: 255, A: 128}, 25: {}} {
		got := color.NRGBAModel.Convert(img.At(x, 5)).(color.NRGBA)
		if d := int(got.A) - int(want.A); d < -1 || d > 1 || got.A > 0 && (got.R != want.R || int(got.G) < int(want.G)-3 || got.B != want.B) {
			t.Errorf("at %d there is %v, not %v", x, got, want)
		}
	}
}
