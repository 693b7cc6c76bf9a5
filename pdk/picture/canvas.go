package picture

// canvas is a stack of layers to paint on.
type canvas struct {
	w, h    int
	layers  []*layer
	free    []*layer
	raster  *raster
	work    *int // steps left; below 0 the picture is refused
	pixels  *int // pixels of the layers of all canvases of the picture
	own     int  // pixels of the layers of this canvas
	deepest int  // how many layers may lie on the first one; the opacity of deeper groups is applied to each of their shapes
}

// maxWork limits the work for a picture. It takes some seconds in the sandbox.
const maxWork = 1 << 28

const (
	// layersPixels limits the pixels of all layers of a canvas, apart from the first few layers.
	layersPixels = 16 << 20
	// allPixels limits the pixels of all canvases that are open at a time.
	allPixels = 40 << 20
)

// layer is a picture whose pixels are 0xAARRGGBB, premultiplied.
type layer struct {
	pix            []uint32
	x0, y0, x1, y1 int // the part that was painted
}

// newCanvas returns a canvas of one colour.
func newCanvas(w, h int, color uint32, work, pixels *int) *canvas {
	c := &canvas{w: w, h: h, work: work, pixels: pixels, deepest: max(3, min(40, layersPixels/(w*h)))}
	c.raster = newRaster(w, h, work)
	base := c.layer()
	if color != 0 {
		for i := range base.pix {
			base.pix[i] = color
		}
	}
	c.layers = []*layer{base}
	return c
}

func (c *canvas) layer() *layer {
	if n := len(c.free); n > 0 {
		l := c.free[n-1]
		c.free = c.free[:n-1]
		return l
	}
	c.own += c.w * c.h
	*c.pixels += c.w * c.h
	return &layer{pix: make([]uint32, c.w*c.h), x0: c.w, y0: c.h}
}

// room reports whether another layer is allowed.
func (c *canvas) room() bool {
	return len(c.layers) <= c.deepest && (len(c.layers) <= 3 || len(c.free) > 0 || *c.pixels+c.w*c.h <= allPixels)
}

// newPart returns another canvas for a part of this picture, or nil if that would exceed the limits. Its pixels count until
// it is closed.
func (c *canvas) newPart(w, h int) *canvas {
	if 2*w*h > allPixels-*c.pixels {
		return nil
	}
	*c.work -= w * h
	out := newCanvas(w, h, 0, c.work, c.pixels)
	out.own += w * h // of the raster
	*c.pixels += w * h
	return out
}

// close closes a canvas made by newPart and returns its pixels.
func (c *canvas) close() []uint32 {
	*c.pixels -= c.own
	return c.layers[0].pix
}

// top returns the layer that is painted.
func (c *canvas) top() *layer { return c.layers[len(c.layers)-1] }

// push starts a group.
func (c *canvas) push() { c.layers = append(c.layers, c.layer()) }

// pop paints the group onto the layer below.
func (c *canvas) pop(opacity float64, mode blend) {
	n := len(c.layers)
	l, below := c.layers[n-1], c.layers[n-2]
	c.layers = c.layers[:n-1]
	a := share(opacity)
	for y := l.y0; y < l.y1; y++ {
		*c.work -= l.x1 - l.x0
		from, to := l.pix[y*c.w+l.x0:y*c.w+l.x1], below.pix[y*c.w+l.x0:y*c.w+l.x1]
		if mode != 0 {
			*c.work -= 4 * (l.x1 - l.x0)
			for i, p := range from {
				if p != 0 {
					to[i] = mode.over(fade(p, a), to[i])
					from[i] = 0
				}
			}
			continue
		}
		for i, p := range from {
			if p != 0 {
				to[i] = over(fade(p, a), to[i])
				from[i] = 0
			}
		}
	}
	if l.y0 < l.y1 {
		below.touch(l.x0, l.y0, l.x1, l.y1)
	}
	c.done(l)
}

// done releases a layer whose pixels are cleared.
func (c *canvas) done(l *layer) {
	l.x0, l.y0, l.x1, l.y1 = c.w, c.h, 0, 0
	c.free = append(c.free, l)
}

// mask removes the top layer and masks the one below with it: value returns how much a pixel of the top layer lets
// through, from 0 to 255.
func (c *canvas) mask(value func(p uint32) uint32) {
	n := len(c.layers)
	l, below := c.layers[n-1], c.layers[n-2]
	c.layers = c.layers[:n-1]
	for y := below.y0; y < below.y1; y++ {
		*c.work -= 2 * (below.x1 - below.x0)
		from, to := l.pix[y*c.w:(y+1)*c.w], below.pix[y*c.w:(y+1)*c.w]
		for x := below.x0; x < below.x1; x++ {
			if to[x] == 0 {
				continue
			}
			if from[x] == 0 {
				to[x] = 0
			} else {
				to[x] = fade(to[x], value(from[x]))
			}
		}
	}
	l.clear(c.w)
	c.done(l)
}

// clear empties the layer.
func (l *layer) clear(w int) {
	for y := l.y0; y < l.y1; y++ {
		clear(l.pix[y*w+l.x0 : y*w+l.x1])
	}
}

func (l *layer) touch(x0, y0, x1, y1 int) {
	l.x0, l.y0, l.x1, l.y1 = min(l.x0, x0), min(l.y0, y0), max(l.x1, x1), max(l.y1, y1)
}

// share converts a number from 0 to 1 to one from 0 to 255.
func share(f float64) uint32 { return uint32(min(1, max(0, f))*255 + 0.5) }

// fade multiplies all channels by a/255.
func fade(p, a uint32) uint32 {
	if a == 255 {
		return p
	}
	even, odd := p&0x00ff00ff*a+0x00800080, p>>8&0x00ff00ff*a+0x00800080
	even = (even + even>>8&0x00ff00ff) >> 8 & 0x00ff00ff
	odd = (odd + odd>>8&0x00ff00ff) & 0xff00ff00
	return even | odd
}

// over paints a pixel over another.
func over(p, below uint32) uint32 {
	a := p >> 24
	if a == 255 {
		return p
	}
	return p + fade(below, 255-a)
}

// alpha returns the opacity of a pixel.
func alpha(p uint32) uint32 { return p >> 24 }

// luminance returns the luminance of a pixel times its opacity.
func luminance(p uint32) uint32 {
	return (54*(p>>16&255) + 183*(p>>8&255) + 18*(p&255) + 127) / 255
}

// fill paints the contents of the raster. With sharp, pixels are either painted fully or not at all.
func (c *canvas) fill(evenodd, sharp bool, p *brush) {
	l := c.top()
	if *c.work < 0 {
		p = &brush{} // out of work: only clear the raster
	}
	solid := p.color
	c.raster.sweep(evenodd, func(y, x0, x1 int, cover uint32) {
		if p.at == nil && solid == 0 {
			return
		}
		if sharp {
			if cover < 128 {
				return
			}
			cover = 255
		}
		l.touch(x0, y, x1, y+1)
		*c.work -= x1 - x0
		row := l.pix[y*c.w+x0 : y*c.w+x1]
		if p.at != nil {
			for i := range row {
				row[i] = over(fade(p.at(x0+i, y), cover), row[i])
			}
			return
		}
		src := fade(solid, cover)
		if src>>24 == 255 {
			for i := range row {
				row[i] = src
			}
			return
		}
		for i := range row {
			row[i] = src + fade(row[i], 255-src>>24)
		}
	})
}

// brush is what to paint with: one colour, or a colour for each pixel, premultiplied.
type brush struct {
	color uint32
	at    func(x, y int) uint32
}
