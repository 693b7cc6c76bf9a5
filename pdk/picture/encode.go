package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
)

// encode encodes the canvas as PNG, with a palette if few colours suffice, because that is small and fast. most is how
// far a rare colour may be from its replacement. A canvas that is not opaque keeps all colours.
func (c *canvas) encode(most int, opaque bool) ([]byte, error) {
	pix := c.layers[0].pix
	var img image.Image
	if !opaque {
		full := image.NewRGBA(image.Rect(0, 0, c.w, c.h)) // premultiplied, as in a layer
		for i, p := range pix {
			full.Pix[4*i], full.Pix[4*i+1], full.Pix[4*i+2], full.Pix[4*i+3] = uint8(p>>16), uint8(p>>8), uint8(p), uint8(p>>24)
		}
		img = full
	} else if p := paletted(pix, c.w, c.h, most); p != nil {
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

// tally counts colours in an open-addressed hash table.
type tally struct {
	slots  [1 << 14]int32 // index into colors plus 1, 0 if free
	colors []uint32
	counts []int
}

// slot returns the index of a colour, -1 if there are too many colours.
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

// paletted returns the picture with at most 256 colours; nil if rare colours would have to change by more than most.
func paletted(pix []uint32, w, h, most int) *image.Paletted {
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
	if !t.reduce(index, out, most) {
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

// flat is the fraction of the pixels from which on a colour is kept exactly: those of backgrounds and areas rather than
// of antialiased edges.
const flat = 1.0 / 4096

// reduce assigns each colour to the palette. If there are more than 256, rare colours are replaced by one that is at
// most off away, with off as small as possible; ok is false if off would exceed most.
func (t *tally) reduce(index []uint8, out *image.Paletted, most int) (ok bool) {
	order := make([]int, len(t.colors)) // frequent colours first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return t.counts[b] - t.counts[a] })
	large := int(flat * float64(len(out.Pix)))
	var palette []uint32
search:
	for _, off := range []int{0, 4, 8, 14, 22, 32, 44} {
		if off > most {
			break
		}
		palette = palette[:0]
		for _, i := range order {
			c := t.colors[i]
			if off > 0 && (t.counts[i] < large || len(palette) >= 200) && within(palette, c, off) {
				continue
			}
			if len(palette) == 256 {
				continue search
			}
			palette = append(palette, c)
		}
		for i, c := range t.colors {
			index[i] = nearest(palette, c)
		}
		for _, c := range palette {
			out.Palette = append(out.Palette, color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255})
		}
		return true
	}
	return false
}

// within reports whether the palette has a colour at most off away.
func within(palette []uint32, c uint32, off int) bool {
	for _, p := range palette {
		if apart(p, c) <= off {
			return true
		}
	}
	return false
}

func nearest(palette []uint32, c uint32) uint8 {
	best, least := 0, 1<<30
	for i, p := range palette {
		if d := apart(p, c); d < least {
			best, least = i, d
			if d == 0 {
				break
			}
		}
	}
	return uint8(best)
}

// apart returns the distance of two colours: the sum of the differences of their channels.
func apart(a, b uint32) int {
	r, g, u := int(a>>16&255)-int(b>>16&255), int(a>>8&255)-int(b>>8&255), int(a&255)-int(b&255)
	return max(r, -r) + max(g, -g) + max(u, -u)
}
