package picture

import "github.com/fcp-host/fcp-host/pdk/vector"

// maxKernel limits the numbers in a feConvolveMatrix.
const maxKernel = 400

// convolve runs feConvolveMatrix.
func (p *primitive) convolve() *plane {
	in := p.in("in")
	order := vector.Numbers(p.node.Get("order"), 3)
	w, h := 3, 3
	switch {
	case p.node.Get("order") == "":
	case len(order) == 1:
		w, h = int(order[0]), int(order[0])
	case len(order) == 2:
		w, h = int(order[0]), int(order[1])
	}
	for _, f := range order {
		if f != float64(int(f)) {
			w = 0
		}
	}
	if w <= 0 || h <= 0 || w > maxKernel || h > maxKernel || w*h > maxKernel {
		return p.source.like()
	}
	kernel := vector.Numbers(p.node.Get("kernelMatrix"), maxKernel+1)
	if len(kernel) != w*h {
		return p.source.like()
	}
	divisor := 0.0
	for _, k := range kernel {
		divisor += k
	}
	divisor = p.number("divisor", divisor)
	if divisor == 0 {
		if p.node.Get("divisor") != "" {
			return p.source.like()
		}
		divisor = 1
	}
	tx, ty := int(p.number("targetX", float64(w/2))), int(p.number("targetY", float64(h/2)))
	if tx < 0 || tx >= w || ty < 0 || ty >= h {
		return p.source.like()
	}
	bias := p.number("bias", 0)
	keep := p.node.Get("preserveAlpha") == "true"
	at := edges(p.node.Get("edgeMode"), in)
	p.spend(4 * w * h)
	out := in.like()
	if p.exhausted() {
		return out
	}
	for y := range in.h {
		for x := range in.w {
			var a, r, g, b float64
			for j := range h {
				for i := range w {
					k := kernel[len(kernel)-1-j*w-i]
					if k == 0 {
						continue
					}
					q := at(x-tx+i, y-ty+j)
					if keep {
						c := unpremultiply(q)
						r, g, b = r+k*float64(c[0]), g+k*float64(c[1]), b+k*float64(c[2])
						continue
					}
					a, r, g, b = a+k*float64(q>>24), r+k*float64(q>>16&255), g+k*float64(q>>8&255), b+k*float64(q&255)
				}
			}
			if keep {
				was := in.pix[y*in.w+x] >> 24
				f := func(v float64) uint32 { return share(v/divisor/255 + bias) }
				out.pix[y*in.w+x] = premultiply(was, f(r), f(g), f(b))
				continue
			}
			whole := share(a/divisor/255 + bias)
			f := func(v float64) uint32 { return min(whole, share(v/divisor/255+bias*float64(whole)/255)) }
			out.pix[y*in.w+x] = whole<<24 | f(r)<<16 | f(g)<<8 | f(b)
		}
	}
	return out
}

// edges returns a function for the pixels of a plane that extends it beyond its edges.
func edges(mode string, in *plane) func(x, y int) uint32 {
	switch mode {
	case "none":
		return func(x, y int) uint32 {
			if x < 0 || y < 0 || x >= in.w || y >= in.h {
				return 0
			}
			return in.pix[y*in.w+x]
		}
	case "wrap":
		return func(x, y int) uint32 { return in.pix[wrap(float64(y), in.h)*in.w+wrap(float64(x), in.w)] }
	}
	return func(x, y int) uint32 { return in.pix[min(in.h-1, max(0, y))*in.w+min(in.w-1, max(0, x))] }
}
