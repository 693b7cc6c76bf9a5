package picture

import "strings"

// rgba is a colour whose channels go from 0 to 1, not premultiplied.
type rgba struct{ r, g, b, a float64 }

// pixel is the colour as a layer holds it.
func (c rgba) pixel(opacity float64) uint32 {
	a := min(1, max(0, c.a*opacity))
	return share(a)<<24 | share(c.r*a)<<16 | share(c.g*a)<<8 | share(c.b*a)
}

func hex(v uint32) rgba {
	return rgba{float64(v>>16&255) / 255, float64(v>>8&255) / 255, float64(v&255) / 255, 1}
}

// parseColor reads a colour: #rgb, #rrggbb, both with alpha, rgb(), rgba(), hsl() and
// names.
func parseColor(s string) (rgba, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if digits, ok := strings.CutPrefix(s, "#"); ok {
		var v [8]uint32
		n := len(digits)
		if n != 3 && n != 4 && n != 6 && n != 8 {
			return rgba{}, false
		}
		for i := range n {
			d := strings.IndexByte("0123456789abcdef", digits[i])
			if d < 0 {
				return rgba{}, false
			}
			v[i] = uint32(d)
		}
		if n <= 4 {
			c := hex(v[0]*17<<16 | v[1]*17<<8 | v[2]*17)
			if n == 4 {
				c.a = float64(v[3]) / 15
			}
			return c, true
		}
		c := hex((v[0]*16+v[1])<<16 | (v[2]*16+v[3])<<8 | v[4]*16 + v[5])
		if n == 8 {
			c.a = float64(v[6]*16+v[7]) / 255
		}
		return c, true
	}
	if name, args, ok := strings.Cut(s, "("); ok {
		return function(name, strings.FieldsFunc(strings.TrimSuffix(args, ")"), func(r rune) bool { return r == ',' || r == ' ' || r == '/' }))
	}
	v, ok := named(s)
	return hex(v), ok
}

// function reads a colour that is written as a function.
func function(name string, args []string) (rgba, bool) {
	if len(args) < 3 {
		return rgba{}, false
	}
	a := 1.0
	if len(args) > 3 {
		a = number(args[3], 1, 1)
	}
	switch name {
	case "rgb", "rgba":
		part := func(s string) float64 { return min(1, max(0, number(s, 255, 0)/255)) }
		return rgba{part(args[0]), part(args[1]), part(args[2]), a}, true
	case "hsl", "hsla":
		h := number(strings.TrimSuffix(args[0], "deg"), 360, 0)
		s, l := min(1, max(0, number(args[1], 1, 0))), min(1, max(0, number(args[2], 1, 0)))
		part := func(n int) float64 {
			k := (int(h) + n*30) % 360
			if k < 0 {
				k += 360
			}
			t := float64(k) / 30
			return l - s*min(l, 1-l)*max(-1, min(t-3, 9-t, 1))
		}
		return rgba{part(0), part(8), part(4), a}, true
	}
	return rgba{}, false
}

// named is the value of the names that drawings use.
func named(s string) (uint32, bool) {
	switch s {
	case "black":
		return 0x000000, true
	case "white":
		return 0xffffff, true
	case "red":
		return 0xff0000, true
	case "lime":
		return 0x00ff00, true
	case "green":
		return 0x008000, true
	case "blue":
		return 0x0000ff, true
	case "yellow":
		return 0xffff00, true
	case "cyan", "aqua":
		return 0x00ffff, true
	case "magenta", "fuchsia":
		return 0xff00ff, true
	case "gray", "grey":
		return 0x808080, true
	case "silver":
		return 0xc0c0c0, true
	case "lightgray", "lightgrey":
		return 0xd3d3d3, true
	case "darkgray", "darkgrey":
		return 0xa9a9a9, true
	case "dimgray", "dimgrey":
		return 0x696969, true
	case "whitesmoke":
		return 0xf5f5f5, true
	case "maroon":
		return 0x800000, true
	case "darkred":
		return 0x8b0000, true
	case "crimson":
		return 0xdc143c, true
	case "tomato":
		return 0xff6347, true
	case "orange":
		return 0xffa500, true
	case "darkorange":
		return 0xff8c00, true
	case "gold":
		return 0xffd700, true
	case "brown":
		return 0xa52a2a, true
	case "pink":
		return 0xffc0cb, true
	case "purple":
		return 0x800080, true
	case "violet":
		return 0xee82ee, true
	case "indigo":
		return 0x4b0082, true
	case "navy":
		return 0x000080, true
	case "darkblue":
		return 0x00008b, true
	case "steelblue":
		return 0x4682b4, true
	case "skyblue":
		return 0x87ceeb, true
	case "lightblue":
		return 0xadd8e6, true
	case "teal":
		return 0x008080, true
	case "olive":
		return 0x808000, true
	case "darkgreen":
		return 0x006400, true
	case "lightgreen":
		return 0x90ee90, true
	}
	return 0, false
}
