// Package picture draws SVG as PNG, so that a domain's pictures reach models
// and programs that read no SVG. It is plain Go, runs in the sandbox, loads
// nothing, and gives the same bytes for the same picture.
//
// It draws what the domains of this repository write, and what icons inside of
// diagrams commonly hold: svg, g, a, switch, rect, circle, ellipse, line, polyline,
// polygon, path, text, tspan, use and image (of data: addresses); fills, strokes,
// dashes, linear and radial gradients, opacities, transforms, nested viewports,
// classes of a style element. What it does not know it leaves out: filters, masks,
// clip paths, patterns, markers, text on paths, foreign objects.
//
// # Notes
//
// Text is set in Go Regular and Go Bold, whose letters are nearly as wide as
// Helvetica's; other families are not looked at, and italics are slanted. Letters
// that these fonts lack, such as Chinese ones, are boxes of the same room.
package picture

import (
	"errors"
	"fmt"
	"math"
)

// Bounds of a picture.
const (
	// Side is how long a side of a preview is at most, in pixels: models scale
	// down what is larger.
	Side = 1568
	// MaxWidth is how wide a picture may be, in pixels.
	MaxWidth = 4096
	// MaxPixels is how large a picture may be, width times height.
	MaxPixels = 8 << 20

	usual = 1000 // pixels of width that a small picture is enlarged towards
)

// PNG draws an SVG document width pixels wide, on white where it has no
// background. Width 0 stands for a legible one: the document's own, up to twice
// that for small ones, and no side longer than Side. An error says what is wrong
// with the document or the width.
func PNG(svg []byte, width int) ([]byte, error) {
	d, err := parse(svg)
	if err != nil {
		return nil, err
	}
	w, h := d.size()
	if width == 0 {
		width, high := fit(w, h, legible(w))
		return d.png(width, high, fine)
	}
	if width < 1 || width > MaxWidth {
		return nil, fmt.Errorf("width:%d is out of range 1-%d", width, MaxWidth)
	}
	high := max(1, int(math.Round(float64(width)*h/w)))
	if high > MaxPixels/width {
		return nil, fmt.Errorf("the picture would be %d by %d pixels: give at most width:%d", width, high, max(1, int(math.Sqrt(MaxPixels*w/h))))
	}
	return d.png(width, high, fine)
}

// Preview is PNG for a model to look at: where a side would be longer than
// Side, the picture is smaller than width, and its gradients may show bands,
// since a palette is drawn sooner than millions of colours.
func Preview(svg []byte, width int) ([]byte, error) {
	if width < 0 || width > MaxWidth {
		return nil, fmt.Errorf("width:%d is out of range 1-%d", width, MaxWidth)
	}
	d, err := parse(svg)
	if err != nil {
		return nil, err
	}
	w, h := d.size()
	want := float64(width)
	if width == 0 {
		want = legible(w)
	}
	wide, high := fit(w, h, want)
	return d.png(wide, high, fair)
}

// legible is the width to draw a document in whose own is w.
func legible(w float64) float64 { return max(w, min(2*w, usual)) }

// fit scales w by h to a width, or less where a side would be too long.
func fit(w, h, width float64) (int, int) {
	scale := min(width/w, Side/w, Side/h)
	return max(1, int(math.Round(w*scale))), max(1, int(math.Round(h*scale)))
}

// errWork refuses a picture that would take too long to draw.
var errWork = errors.New("the picture holds too much to draw: export svg draws it elsewhere, or show a part of it")

// How far rare colours may be off, so that a palette of 256 holds the others:
// the sum of what the channels differ.
const (
	fine = 14 // nobody sees it
	fair = 44 // gradients show bands; what a model reads is the same
)

// png draws the document w by h pixels large.
func (d *document) png(w, h, most int) ([]byte, error) {
	c := newCanvas(w, h)
	p := &painter{canvas: c, faces: newFaces()}
	p.document(d, identity(), rect{0, 0, float64(w), float64(h)}, 0)
	if c.work < 0 {
		return nil, errWork
	}
	return c.encode(most)
}
