package style

import (
	"fmt"
	"math"
	"testing"
)

func eachScheme(do func(name string, s Scheme)) {
	for _, p := range Palettes() {
		do(p.Name+" light", p.Light)
		do(p.Name+" dark", p.Dark)
	}
}

func TestPalettesKeepContrast(t *testing.T) {
	eachScheme(func(name string, s Scheme) {
		least := func(what, a, b string, want float64) {
			if got := Contrast(a, b); got < want {
				t.Errorf("%s: %s: %s on %s has %.2f:1, want %g:1", name, what, a, b, got, want)
			}
		}
		least("text on the page", s.Ink, s.Page, 4.5)
		least("edges on the page", s.Line, s.Page, 3)
		least("asynchronous edges on the page", s.Async, s.Page, 3)
		for _, tint := range append(s.Tints[:len(s.Tints):len(s.Tints)], s.Neutral) {
			least("text in a shape", s.Ink, tint.Fill, 4.5)
			least("text in a group", s.Ink, tint.Panel, 4.5)
			least("a border on its fill", tint.Stroke, tint.Fill, 3)
			least("a border on its group", tint.Stroke, tint.Panel, 3)
			least("edges in a group", s.Line, tint.Panel, 3)
			least("asynchronous edges in a group", s.Async, tint.Panel, 3)
		}
	})
}

// sights returns how linear red, green and blue are perceived: by most people, and by
// people who lack one kind of cones (Machado, Oliveira and Fernandes 2009).
func sights() map[string][3][3]float64 {
	return map[string][3][3]float64{
		"trichromat":  {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanope":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
		"deuteranope": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
		"tritanope":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	}
}

// lab returns a colour in CIELAB, as a person with the given sight perceives it.
func lab(colour string, sight [3][3]float64) [3]float64 {
	var linear, seen [3]float64
	for i, v := range channels(colour) {
		linear[i] = Luminance(fmt.Sprintf("#%02x%02x%02x", v, v, v))
	}
	for i := range seen {
		for j := range linear {
			seen[i] += sight[i][j] * linear[j]
		}
		seen[i] = min(1, max(0, seen[i]))
	}
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	r, g, b := seen[0], seen[1], seen[2]
	x, y, z := f((0.4124*r+0.3576*g+0.1805*b)/0.9505), f(0.2126*r+0.7152*g+0.0722*b), f((0.0193*r+0.1192*g+0.9505*b)/1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func TestTintsStayApartForTheColourBlind(t *testing.T) {
	// A difference of 2.3 is just visible side by side.
	const fills, strokes = 3, 6
	eachScheme(func(name string, s Scheme) {
		for who, sight := range sights() {
			apart := func(what, a, b string, want float64) {
				x, y := lab(a, sight), lab(b, sight)
				if got := math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2])); got < want {
					t.Errorf("%s: a %s sees the %ss %s and %s %.1f apart, want %g", name, who, what, a, b, got, want)
				}
			}
			for i, a := range s.Tints {
				for _, b := range s.Tints[:i] {
					apart("fill", a.Fill, b.Fill, fills)
					apart("border", a.Stroke, b.Stroke, strokes)
				}
				apart("line", a.Stroke, s.Async, strokes)
			}
		}
	})
}

func TestAPaletteKnowsItsColours(t *testing.T) {
	themed := map[[2]string]bool{}
	for _, theme := range Themes() {
		themed[[2]string{theme.Fill, theme.Stroke}] = true
	}
	for _, p := range Palettes() {
		for _, s := range []Scheme{p.Light, p.Dark} {
			if n := len(s.Tints); n < 4 {
				t.Errorf("%s has %d tints", p.Name, n)
			}
			for _, tint := range s.Tints {
				for _, fill := range []string{tint.Fill, tint.Panel} {
					cell := Style("rounded=1;").Set("fillColor", fill).Set("strokeColor", tint.Stroke)
					if name, ok := cell.FindPalette(); !ok || name != p.Name {
						t.Errorf("%s is told to be of %q", cell, name)
					}
					if themed[[2]string{fill, tint.Stroke}] {
						t.Errorf("%s is a theme's, which somebody chose", cell)
					}
				}
			}
		}
	}
	if _, ok := Style("fillColor=#ff0000;strokeColor=#000000;").FindPalette(); ok {
		t.Error("red is told to be of a palette")
	}
}
