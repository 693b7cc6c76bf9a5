package picture

// plane holds the pixels of a filter's region, premultiplied: in linear light if linear is set, otherwise in sRGB.
type plane struct {
	w, h   int
	pix    []uint32
	linear bool
	sub    pixels // the primitive's subregion
}

// pixels is a box of whole pixels.
type pixels struct{ x0, y0, x1, y1 int }

func (p *plane) like() *plane {
	return &plane{w: p.w, h: p.h, pix: make([]uint32, len(p.pix)), linear: p.linear, sub: p.sub}
}

// crop clears the pixels outside of a box.
func (p *plane) crop(b pixels) {
	p.sub = b
	for y := range p.h {
		row := p.pix[y*p.w : (y+1)*p.w]
		if y < b.y0 || y >= b.y1 {
			clear(row)
			continue
		}
		clear(row[:b.x0])
		clear(row[b.x1:])
	}
}

// toLinear converts a channel of sRGB to linear light, and toCurved the reverse. Both are from 0 to 255.
var toLinear, toCurved = func() (a, b [256]uint8) {
	for i := range 256 {
		a[i] = uint8(share(linear(float64(i) / 255)))
		b[i] = uint8(share(toSRGB(float64(i) / 255)))
	}
	return
}()

// as returns the plane in linear light or in sRGB.
func (p *plane) as(linear bool) *plane {
	if p.linear == linear {
		return p
	}
	out := p.like()
	out.linear = linear
	table := &toCurved
	if linear {
		table = &toLinear
	}
	for i, q := range p.pix {
		if a := q >> 24; a == 255 {
			out.pix[i] = q&0xff000000 | uint32(table[q>>16&255])<<16 | uint32(table[q>>8&255])<<8 | uint32(table[q&255])
		} else if a > 0 {
			c := unpremultiply(q)
			out.pix[i] = premultiply(a, uint32(table[c[0]]), uint32(table[c[1]]), uint32(table[c[2]]))
		}
	}
	return out
}

// unpremultiply returns red, green and blue of a pixel, not premultiplied.
func unpremultiply(p uint32) [3]uint32 {
	a := p >> 24
	if a == 0 {
		return [3]uint32{}
	}
	f := func(c uint32) uint32 { return min(255, (c*255+a/2)/a) }
	return [3]uint32{f(p >> 16 & 255), f(p >> 8 & 255), f(p & 255)}
}

// premultiply premultiplies channels and returns them as a pixel.
func premultiply(a, r, g, b uint32) uint32 {
	f := func(c uint32) uint32 { return (c*a + 127) / 255 }
	return a<<24 | f(r)<<16 | f(g)<<8 | f(b)
}
