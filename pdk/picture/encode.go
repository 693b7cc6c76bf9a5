package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// encode writes the canvas as PNG: with a palette where few colours do, since
// that is small and quick.
func (c *canvas) encode() ([]byte, error) {
	pix := c.layers[0].pix
	var img image.Image
	if p := paletted(pix, c.w, c.h); p != nil {
		img = p
	} else {
		full := image.NewNRGBA(image.Rect(0, 0, c.w, c.h))
		for i, p := range pix {
			full.Pix[4*i], full.Pix[4*i+1], full.Pix[4*i+2], full.Pix[4*i+3] = uint8(p>>16), uint8(p>>8), uint8(p), 255
		}
		img = full
	}
	var out bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := e.Encode(&out, img); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// tally counts colours; the slots are found by hash and the next that is free.
type tally struct {
	slots  [1 << 14]int32 // index into colors, from 1
	colors []uint32
	counts []int
}

// slot is a colour's index; -1 when there are too many.
func (t *tally) slot(c uint32) int {
	for h := c * 0x9e3779b1 >> 18; ; h = (h + 1) & (1<<14 - 1) {
		i := t.slots[h]
		if i == 0 {
			if len(t.colors) == 1<<13 {
				return -1
			}
			t.colors, t.counts = append(t.colors, c), append(t.counts, 0)
			t.slots[h] = int32(len(t.colors))
			return len(t.colors) - 1
		}
		if t.colors[i-1] == c {
			return int(i - 1)
		}
	}
}

// paletted is the picture with at most 256 colours; nil where that would show.
// Where there are more, those that agree in their high bits become the most
// frequent of them.
func paletted(pix []uint32, w, h int) *image.Paletted {
	t := &tally{}
	out := image.NewPaletted(image.Rect(0, 0, w, h), nil)
	last, at := ^pix[0], 0
	for _, p := range pix {
		if p != last {
			last = p
			if at = t.slot(p); at < 0 {
				return nil
			}
		}
		t.counts[at]++
	}
	index := make([]uint8, len(t.colors))
	if !t.reduce(index, out) {
		return nil
	}
	last = ^pix[0]
	var i uint8
	for k, p := range pix {
		if p != last {
			last = p
			i = index[t.slot(p)]
		}
		out.Pix[k] = i
	}
	return out
}

// reduce gives each colour its place in the palette.
func (t *tally) reduce(index []uint8, out *image.Paletted) bool {
	for _, mask := range []uint32{0xffffff, 0xfefefe, 0xfcfcfc, 0xf8f8f8, 0xf0f0f0} {
		places := map[uint32]int{}
		var best []int
		for i, c := range t.colors {
			k, ok := places[c&mask]
			if !ok {
				if len(best) == 256 {
					best = nil
					break
				}
				k = len(best)
				places[c&mask] = k
				best = append(best, i)
			}
			index[i] = uint8(k)
			if t.counts[i] > t.counts[best[k]] {
				best[k] = i
			}
		}
		if best == nil {
			continue
		}
		for _, i := range best {
			c := t.colors[i]
			out.Palette = append(out.Palette, color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255})
		}
		return true
	}
	return false
}
