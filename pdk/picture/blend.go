package picture

import "math"

// blend is how a pixel is mixed with the one below it, as named by mix-blend-mode and feBlend. The zero value is
// "normal".
type blend byte

var blends = [...]string{"normal", "multiply", "screen", "overlay", "darken", "lighten", "color-dodge", "color-burn", "hard-light", "soft-light",
	"difference", "exclusion", "hue", "saturation", "color", "luminosity"}

const (
	multiply blend = iota + 1
	screen
	overlay
	darken
	lighten
	dodge
	burn
	hardLight
	softLight
	difference
	exclusion
	hue
	saturation
	colorMode
	luminosity
)

func blendNamed(name string) blend {
	for i, b := range blends {
		if b == name {
			return blend(i)
		}
	}
	return 0
}

// over mixes a pixel with the one below it. Both are premultiplied.
func (b blend) over(p, below uint32) uint32 {
	if b == 0 || p>>24 == 0 || below>>24 == 0 {
		return over(p, below)
	}
	as, ab := float64(p>>24)/255, float64(below>>24)/255
	var s, d, r [3]float64
	for i := range 3 {
		shift := 16 - 8*i
		s[i], d[i] = float64(p>>shift&255)/255/as, float64(below>>shift&255)/255/ab
	}
	if b >= hue {
		r = b.nonSeparable(s, d)
	} else {
		for i := range 3 {
			r[i] = b.channel(s[i], d[i])
		}
	}
	out := share(as+ab-as*ab) << 24
	for i := range 3 {
		out |= share(as*(1-ab)*s[i]+as*ab*r[i]+(1-as)*ab*d[i]) << (16 - 8*i)
	}
	return out
}

// channel mixes one channel of a colour, s, with that of the one below it, d.
func (b blend) channel(s, d float64) float64 {
	switch b {
	case multiply:
		return s * d
	case screen:
		return s + d - s*d
	case overlay:
		return hardLight.channel(d, s)
	case darken:
		return min(s, d)
	case lighten:
		return max(s, d)
	case dodge:
		switch {
		case d == 0:
			return 0
		case s >= 1:
			return 1
		}
		return min(1, d/(1-s))
	case burn:
		switch {
		case d >= 1:
			return 1
		case s <= 0:
			return 0
		}
		return 1 - min(1, (1-d)/s)
	case hardLight:
		if s <= 0.5 {
			return 2 * s * d
		}
		return screen.channel(2*s-1, d)
	case softLight:
		if s <= 0.5 {
			return d - (1-2*s)*d*(1-d)
		}
		root := math.Sqrt(d)
		if d <= 0.25 {
			root = ((16*d-12)*d + 4) * d
		}
		return d + (2*s-1)*(root-d)
	case difference:
		return math.Abs(s - d)
	case exclusion:
		return s + d - 2*s*d
	}
	return s
}

// nonSeparable mixes colours in the modes that depend on all channels.
func (b blend) nonSeparable(s, d [3]float64) [3]float64 {
	switch b {
	case hue:
		return withLum(withSaturation(s, spread(d)), lum(d))
	case saturation:
		return withLum(withSaturation(d, spread(s)), lum(d))
	case colorMode:
		return withLum(s, lum(d))
	}
	return withLum(d, lum(s))
}

func lum(c [3]float64) float64 { return 0.3*c[0] + 0.59*c[1] + 0.11*c[2] }

func spread(c [3]float64) float64 { return max(c[0], c[1], c[2]) - min(c[0], c[1], c[2]) }

// withLum returns a colour with another luminosity.
func withLum(c [3]float64, l float64) [3]float64 {
	d := l - lum(c)
	for i := range c {
		c[i] += d
	}
	low, high := min(c[0], c[1], c[2]), max(c[0], c[1], c[2])
	l = lum(c)
	for i := range c {
		if low < 0 {
			c[i] = l + (c[i]-l)*l/(l-low)
		}
		if high > 1 {
			c[i] = l + (c[i]-l)*(1-l)/(high-l)
		}
	}
	return c
}

// withSaturation returns a colour with another saturation.
func withSaturation(c [3]float64, s float64) [3]float64 {
	low, high := min(c[0], c[1], c[2]), max(c[0], c[1], c[2])
	for i := range c {
		if high > low {
			c[i] = (c[i] - low) * s / (high - low)
		} else {
			c[i] = 0
		}
	}
	return c
}
