package style

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/pdk"
)

// Palette is a list of tints that people with weak perception of red, green or blue can tell
// apart, on light and on dark pages.
type Palette struct {
	Name        string
	Light, Dark Scheme
}

// Scheme holds a palette's colours for light or for dark pages. Ink has a contrast of at
// least 4.5:1 to the page, to every fill and to every panel; lines have at least 3:1.
type Scheme struct {
	Page, Ink   string
	Line, Async string // of edges, and of asynchronous ones
	Tints       []Tint
	Neutral     Tint // of shapes without a hue
}

// Tint is one hue of a palette, as the fill of shapes, the fill of containers and the
// border of both.
type Tint struct{ Fill, Panel, Stroke string }

// paletteHues holds the name of each palette and its hues, the default first. The last hue is that of asynchronous edges. The
// first four palettes are those of Okabe and Ito and of Paul Tol, without hues that are too similar once they are as pale as a
// fill.
var paletteHues = [][]string{
	{"okabe", "#0072b2", "#009e73", "#56b4e9", "#f0e442", "#cc79a7", "#d55e00"},
	{"bright", "#4477aa", "#ccbb44", "#66ccee", "#ee6677", "#222222", "#aa3377"},
	{"muted", "#332288", "#117733", "#88ccee", "#ddcc77", "#cc6677", "#882255"},
	{"vibrant", "#0077bb", "#ee7733", "#009988", "#33bbee", "#ee3377", "#cc3311"},
	{"mono", "#2f6db5", "#8fc3f0", "#0f2a4a", "#64748b", "#3b82f6"},
}

// Palettes lists the palettes, the default first. They are computed when first needed and never written to.
var Palettes = sync.OnceValue(func() []Palette {
	return pdk.Map(paletteHues, func(p []string) Palette { return newPalette(p[0], p[1:]...) })
})

// PaletteNames lists the palettes' names.
func PaletteNames() []string {
	return pdk.Map(paletteHues, func(p []string) string { return p[0] })
}

func newPalette(name string, hues ...string) Palette {
	p := Palette{
		Name:  name,
		Light: Scheme{Page: "#ffffff", Ink: "#1f2937", Line: "#4b5563"},
		Dark:  Scheme{Page: "#111827", Ink: "#f3f4f6", Line: "#9ca3af"},
	}
	p.Light.mix(hues, 28, 9, "#000000")
	p.Dark.mix(hues, 38, 14, "#ffffff")
	return p
}

// mix computes the tints. fill and panel are the percentages of a hue in a fill and in a
// panel; borders are moved towards a colour until their contrast suffices.
func (s *Scheme) mix(hues []string, fill, panel int, towards string) {
	tint := func(hue string) Tint {
		t := Tint{Fill: mixColors(hue, s.Page, fill), Panel: mixColors(hue, s.Page, panel)}
		t.Stroke = withContrast(hue, towards, t.Fill, t.Panel)
		return t
	}
	s.Neutral = tint("#8a94a3")
	grounds := []string{s.Page, s.Neutral.Panel}
	last := len(hues) - 1
	for _, hue := range hues[:last] {
		t := tint(hue)
		s.Tints, grounds = append(s.Tints, t), append(grounds, t.Panel)
	}
	s.Async = withContrast(hues[last], towards, grounds...)
}

// withContrast returns a hue, moved towards a colour by the smallest amount that gives it a
// contrast of 3:1 to all grounds.
func withContrast(hue, towards string, grounds ...string) string {
	for share := 100; ; share -= 2 {
		out := mixColors(hue, towards, share)
		dim := func(ground string) bool { return Contrast(out, ground) < 3 }
		if share == 0 || !slices.ContainsFunc(grounds, dim) {
			return out
		}
	}
}

// mixColors mixes two colours: share per cent of a, the rest of b.
func mixColors(a, b string, share int) string {
	x, y := channels(a), channels(b)
	for i := range x {
		x[i] = (x[i]*share + y[i]*(100-share) + 50) / 100
	}
	return fmt.Sprintf("#%02x%02x%02x", x[0], x[1], x[2])
}

// channels returns red, green and blue of #rrggbb, from 0 to 255 each; zeros for an
// invalid colour.
func channels(colour string) [3]int {
	n, _ := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 24)
	return [3]int{int(n >> 16), int(n >> 8 & 255), int(n & 255)}
}

// Contrast returns the WCAG contrast ratio of two colours, #rrggbb, from 1 to 21.
func Contrast(a, b string) float64 {
	x, y := Luminance(a), Luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

// Luminance returns the relative luminance of a colour, #rrggbb, from 0 to 1.
func Luminance(colour string) float64 {
	c := channels(colour)
	var linear [3]float64
	for i, v := range c {
		if f := float64(v) / 255; f <= 0.04045 {
			linear[i] = f / 12.92
		} else {
			linear[i] = math.Pow((f+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*linear[0] + 0.7152*linear[1] + 0.0722*linear[2]
}

// Scheme returns the palette's colours for dark or light pages.
func (p Palette) Scheme(dark bool) Scheme {
	if dark {
		return p.Dark
	}
	return p.Light
}

// paletteTables returns two tables. The first maps each pair of fill and stroke to its palette. The second holds, by
// use, the colours of lines, labels and backgrounds of all palettes. They are built when
// first needed and never written to.
var paletteTables = sync.OnceValues(func() (map[[2]string]string, map[string]map[string]bool) {
	pairs := map[[2]string]string{}
	colours := map[string]map[string]bool{"line": {}, "async": {}, "ink": {}, "ground": {}}
	for _, p := range Palettes() {
		for _, s := range []Scheme{p.Light, p.Dark} {
			for i, t := range append(s.Tints[:len(s.Tints):len(s.Tints)], s.Neutral) {
				name := p.Name
				if i == len(s.Tints) {
					name = "" // all have it
				}
				pairs[[2]string{t.Fill, t.Stroke}], pairs[[2]string{t.Panel, t.Stroke}] = name, name
				colours["ground"][t.Panel] = true
			}
			colours["line"][s.Line], colours["async"][s.Async] = true, true
			colours["ink"][s.Ink], colours["ground"][s.Page] = true, true
		}
	}
	return pairs, colours
})

// FindPalette reports whether fill and stroke of s are from a palette, and returns its name: ""
// for the neutral tint, which all palettes share.
func (s Style) FindPalette() (palette string, ok bool) {
	fill, _ := s.Get("fillColor")
	stroke, _ := s.Get("strokeColor")
	pairs, _ := paletteTables()
	palette, ok = pairs[[2]string{fill, stroke}]
	return palette, ok
}

// FromPalette reports whether a palette has the colour for a use: "line", "async", "ink" or
// "ground" (a page or a panel).
func FromPalette(use, colour string) bool {
	_, colours := paletteTables()
	return colours[use][colour]
}
