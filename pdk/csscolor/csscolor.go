// Package csscolor parses colours in the notation of CSS and SVG.
package csscolor

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
)

// Color is a colour whose channels go from 0 to 1, not premultiplied.
type Color struct{ R, G, B, A float64 }

// Hex prints a colour as #rrggbb, without its alpha.
func (c Color) Hex() string {
	v := func(f float64) int { return int(math.Round(255 * clamp(f))) }
	return fmt.Sprintf("#%02x%02x%02x", v(c.R), v(c.G), v(c.B))
}

// Parse parses a colour, ignoring case: #rgb, #rrggbb, both also with alpha, rgb(),
// rgba(), hsl(), hsla() and names. Channels out of range are clamped.
func Parse(s string) (Color, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if digits, ok := strings.CutPrefix(s, "#"); ok {
		return hex(digits)
	}
	if name, args, ok := strings.Cut(s, "("); ok {
		return function(name, strings.FieldsFunc(strings.TrimSuffix(args, ")"), func(r rune) bool { return r == ',' || r == ' ' || r == '/' }))
	}
	v, ok := Named(s)
	return opaque(v), ok
}

// Named is the value 0xRRGGBB of a colour name of CSS Color Module Level 4,
// ignoring case.
func Named(name string) (rgb uint32, ok bool) {
	name = strings.ToLower(name)
	if name == rebecca {
		return 0x663399, true
	}
	c, ok := colornames.Map[name]
	return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B), ok
}

// Names lists the names in alphabetical order. The caller may change the list.
func Names() []string {
	out := append(slices.Clone(colornames.Names), rebecca)
	slices.Sort(out)
	return out
}

// rebecca is the only name that is in CSS but not in SVG 1.1.
const rebecca = "rebeccapurple"

func opaque(v uint32) Color {
	return Color{float64(v>>16&255) / 255, float64(v>>8&255) / 255, float64(v&255) / 255, 1}
}

func hex(digits string) (Color, bool) {
	n := len(digits)
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || n != 3 && n != 4 && n != 6 && n != 8 {
		return Color{}, false
	}
	alpha := uint64(255)
	switch n {
	case 4, 8:
		bits := n // 4 or 8 bits for alpha
		if alpha = v & (1<<bits - 1); n == 4 {
			alpha *= 17
		}
		v >>= bits
	}
	if n <= 4 {
		v = (v>>8&15)*17<<16 | (v>>4&15)*17<<8 | (v&15)*17
	}
	c := opaque(uint32(v))
	c.A = float64(alpha) / 255
	return c, true
}

// function parses a colour that is written as a function.
func function(name string, args []string) (Color, bool) {
	if len(args) < 3 {
		return Color{}, false
	}
	a := 1.0
	if len(args) > 3 {
		a = clamp(number(args[3], 1, 1))
	}
	switch name {
	case "rgb", "rgba":
		part := func(s string) float64 { return clamp(number(s, 255, 0) / 255) }
		return Color{part(args[0]), part(args[1]), part(args[2]), a}, true
	case "hsl", "hsla":
		h := number(strings.TrimSuffix(args[0], "deg"), 360, 0)
		s, l := clamp(number(args[1], 1, 0)), clamp(number(args[2], 1, 0))
		part := func(n int) float64 {
			k := (int(h) + n*30) % 360
			if k < 0 {
				k += 360
			}
			t := float64(k) / 30
			return l - s*min(l, 1-l)*max(-1, min(t-3, 9-t, 1))
		}
		return Color{part(0), part(8), part(4), a}, true
	}
	return Color{}, false
}

func clamp(f float64) float64 { return min(1, max(0, f)) }

// number parses a number, or with % a percentage of whole. It returns def for
// anything else, and for very large numbers.
func number(s string, whole, def float64) float64 {
	scale := 1.0
	if share, ok := strings.CutSuffix(s, "%"); ok {
		s, scale = share, whole/100
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > -1e6 && f < 1e6) {
		return def
	}
	return f * scale
}
