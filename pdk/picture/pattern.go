package picture

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// tilePixels limits the pixels of a pattern's tile. A larger tile is drawn at a lower resolution.
const tilePixels = 1 << 20

// pattern makes a brush from a pattern element: it draws one tile and repeats it.
func (v *visit) pattern(n *node, opacity float64, ar *area) *brush {
	all := v.doc.chained(n, func(name string) bool { return name == "pattern" })
	holder := all.holder(func(string) bool { return true })
	if holder == nil || !v.enter(holder) {
		return nil
	}
	defer v.leave()
	space := ar.m
	space = space.Times(v.placing(all, "patternTransform", ar))
	var box rect
	length := func(key string, of, scale float64) float64 { return svgdom.LengthOf(all.attr(key), of, 16, 0) * scale }
	tile := rect{}
	if all.attr("patternUnits") == "userSpaceOnUse" {
		w, h := ar.at.w, ar.at.h
		tile = rect{X0: length("x", w, 1), Y0: length("y", h, 1), X1: length("width", w, 1), Y1: length("height", h, 1)}
	} else {
		if box = ar.box(); box.IsEmpty() {
			return nil
		}
		w, h := box.Width(), box.Height()
		tile = rect{X0: box.X0 + length("x", 1, w), Y0: box.Y0 + length("y", 1, h), X1: length("width", 1, w), Y1: length("height", 1, h)}
	}
	if !(tile.X1 > 0 && tile.Y1 > 0) {
		return nil
	}
	tile.X1 += tile.X0
	tile.Y1 += tile.Y0
	// The tile has the resolution that it has on the canvas.
	sx, sy := math.Hypot(space.A, space.B), math.Hypot(space.C, space.D)
	w, h := math.Ceil(tile.Width()*sx-1e-3), math.Ceil(tile.Height()*sy-1e-3)
	if over := math.Sqrt(w * h / tilePixels); over > 1 {
		w, h = math.Ceil(w/over), math.Ceil(h/over)
	}
	w, h = min(max(w, 1), tilePixels), min(max(h, 1), tilePixels)
	if w*h > 2*tilePixels {
		return nil
	}
	full := vector.Scale(w/tile.Width(), h/tile.Height()).Times(vector.Translate(-tile.X0, -tile.Y0))
	back, ok := space.Inverse()
	if !ok {
		return nil
	}
	back = full.Times(back)
	at := place{w: ar.at.w, h: ar.at.h, depth: 1}
	m := full.Times(vector.Translate(tile.X0, tile.Y0)) // the contents start at the corner of the tile
	if view, ok := chainBox(all); ok {
		m = full.Times(svgdom.Fit(view, tile, all.attr("preserveAspectRatio")))
		at.w, at.h = view.Width(), view.Height()
	} else if all.attr("patternContentUnits") == "objectBoundingBox" {
		b := ar.box()
		if _, ok := unit(b); !ok {
			return nil
		}
		m = m.Times(vector.Scale(b.Width(), b.Height()))
	}
	at.m = m
	was := v.canvas
	if v.canvas = was.newPart(int(w), int(h)); v.canvas == nil {
		v.canvas = was
		v.addMissing("patterns inside patterns")
		return nil
	}
	s := v.ambient(holder)
	s.Own = own{Opacity: 1}
	v.group(holder, &s, at)
	pix := v.canvas.close()
	v.canvas = was
	a := share(opacity)
	iw, ih := int(w), int(h)
	return &brush{at: func(x, y int) uint32 {
		q := back.At(point{X: float64(x) + 0.5, Y: float64(y) + 0.5})
		return fade(tiled(pix, iw, ih, q.X-0.5, q.Y-0.5), a)
	}}
}

// chainBox returns the first viewBox of a chain.
func chainBox(c chain) (rect, bool) {
	for _, n := range c {
		if _, ok := n.Attr("viewBox"); ok {
			return svgdom.ViewBox(n)
		}
	}
	return rect{}, false
}

// tiled returns the bilinearly interpolated colour of a tile that repeats in all directions.
func tiled(pix []uint32, w, h int, x, y float64) uint32 {
	fx, fy := math.Floor(x), math.Floor(y)
	ax, ay := uint32((x-fx)*256+0.5), uint32((y-fy)*256+0.5)
	x0, y0 := wrap(fx, w), wrap(fy, h)
	x1, y1 := x0+1, y0+1
	if x1 == w {
		x1 = 0
	}
	if y1 == h {
		y1 = 0
	}
	if ax < 4 && ay < 4 {
		return pix[y0*w+x0]
	}
	return blended(blended(pix[y0*w+x0], pix[y0*w+x1], ax), blended(pix[y1*w+x0], pix[y1*w+x1], ax), ay)
}

// blended mixes f/256 of q into p.
func blended(p, q, f uint32) uint32 {
	even := (p&0x00ff00ff*(256-f) + q&0x00ff00ff*f + 0x00800080) >> 8 & 0x00ff00ff
	odd := (p>>8&0x00ff00ff*(256-f) + q>>8&0x00ff00ff*f + 0x00800080) & 0xff00ff00
	return even | odd
}

// wrap returns the integer part of f modulo n.
func wrap(f float64, n int) int {
	i := int(math.Mod(f, float64(n)))
	if i < 0 {
		i += n
	}
	return i
}

// ambient returns the style that an element inherits where it is in the document, for drawing it elsewhere.
func (v *visit) ambient(n *node) style {
	around := svgdom.FirstStyle()
	if n.Parent != nil {
		around = v.ambient(n.Parent)
	}
	return v.doc.styled(&around, n)
}
