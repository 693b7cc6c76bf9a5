package picture

import "math"

// blur returns a plane blurred by a Gaussian with the given standard deviations in pixels. Large ones are approximated
// by three box blurs, as SVG allows.
func (r *run) blur(in *plane, x, y float64) *plane {
	out := in
	for _, upright := range [2]bool{false, true} {
		std, n := x, in.w
		if upright {
			std, n = y, in.h
		}
		switch std = min(std, 500); {
		case std < 0.05 || r.exhausted():
			continue
		case std < 2:
			kernel := gaussian(std)
			r.spend(2 * len(kernel))
			out = each(out, upright, func(line, into []uint32) { convolveLine(line, into, kernel) })
		default:
			r.spend(24)
			d := int(std*3*math.Sqrt(2*math.Pi)/4 + 0.5)
			a, b := make([]uint32, n), make([]uint32, n)
			out = each(out, upright, func(line, into []uint32) {
				if d%2 == 1 {
					boxBlur(line, a, d, d/2)
					boxBlur(a, b, d, d/2)
					boxBlur(b, into, d, d/2)
				} else {
					boxBlur(line, a, d, d/2)
					boxBlur(a, b, d, d/2-1)
					boxBlur(b, into, d+1, d/2)
				}
			})
		}
	}
	if out == in {
		same := in.like()
		copy(same.pix, in.pix)
		return same
	}
	return out
}

// each calls f with each row or column of a plane and the one to fill.
func each(in *plane, upright bool, f func(line, into []uint32)) *plane {
	out := in.like()
	if !upright {
		for y := range in.h {
			f(in.pix[y*in.w:(y+1)*in.w], out.pix[y*in.w:(y+1)*in.w])
		}
		return out
	}
	line, into := make([]uint32, in.h), make([]uint32, in.h)
	for x := range in.w {
		for y := range in.h {
			line[y] = in.pix[y*in.w+x]
		}
		f(line, into)
		for y := range in.h {
			out.pix[y*in.w+x] = into[y]
		}
	}
	return out
}

// boxBlur writes the mean of the d pixels that start left pixels before each pixel.
func boxBlur(line, out []uint32, d, left int) {
	var even, odd uint64 // sums of two channels each, in 32 bits per channel
	add := func(i int) {
		if i >= 0 && i < len(line) {
			p := uint64(line[i])
			even += p&0xff | p>>16&0xff<<32
			odd += p>>8&0xff | p>>24<<32
		}
	}
	for i := -left; i < d-left-1; i++ {
		add(i)
	}
	half := uint64(d / 2)
	n := uint64(d)
	for i := range line {
		add(i + d - left - 1)
		mean := func(sum uint64) uint32 { return uint32((sum + half) / n) }
		out[i] = mean(even&0xffffffff) | mean(even>>32)<<16 | mean(odd&0xffffffff)<<8 | mean(odd>>32)<<24
		if k := i - left; k >= 0 && k < len(line) {
			p := uint64(line[k])
			even -= p&0xff | p>>16&0xff<<32
			odd -= p>>8&0xff | p>>24<<32
		}
	}
}

// gaussian returns the kernel of a small blur; its weights add up to 65536.
func gaussian(std float64) []uint32 {
	n := int(math.Ceil(3 * std))
	weights := make([]float64, 2*n+1)
	sum := 0.0
	for i := range weights {
		d := float64(i - n)
		weights[i] = math.Exp(-d * d / (2 * std * std))
		sum += weights[i]
	}
	kernel := make([]uint32, len(weights))
	for i, w := range weights {
		kernel[i] = uint32(w/sum*65536 + 0.5)
	}
	return kernel
}

func convolveLine(line, out, kernel []uint32) {
	n := len(kernel) / 2
	for i := range line {
		var a, r, g, b uint32
		for k, w := range kernel {
			if at := i + k - n; at >= 0 && at < len(line) {
				p := line[at]
				a += p >> 24 * w
				r += p >> 16 & 255 * w
				g += p >> 8 & 255 * w
				b += p & 255 * w
			}
		}
		f := func(v uint32) uint32 { return min(255, (v+32768)>>16) }
		out[i] = f(a)<<24 | f(r)<<16 | f(g)<<8 | f(b)
	}
}
