// Package picture draws SVG as PNG, for models and programs that do not read SVG. It is plain Go, runs in the sandbox, loads
// nothing, and returns the same bytes for the same picture.
//
// It draws what the domains of this repository write, and what icons, charts and
// drawings commonly contain: shapes, paths, text (also on paths, letter by letter and with
// a given length), use, symbol, nested viewports, switch, and images in data: URLs;
// fills, strokes, dashes, linear and radial gradients, patterns, markers, context-fill
// and context-stroke, paint-order; opacities, clip paths, masks, blending, and for Draw
// filters; transforms with their origin; and style elements with the selectors, the
// cascade and the variables of pdk/svgdom.
//
// Draw lists what it does not draw: foreign objects, animations, anything outside of the document, filters, images and
// selectors of other kinds, characters that its fonts lack, and text in directions other than from left to right. Entities
// that a document declares are not expanded; Draw does not list those.
//
// # Notes
//
// Text is set in Go Regular and Go Bold, whose letters are nearly as wide as Helvetica's. Other families are ignored, and
// italics are slanted. Characters that these fonts lack, such as Chinese ones, are drawn as boxes of the same width.
//
// The steps of drawing and the pixels of layers, tiles and filters are counted, however a document refers to itself. A
// document that would take too long is an error.
package picture

import (
	"errors"
	"fmt"
	"math"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

// Limits of a picture.
const (
	// Side is the length limit of a side of a preview, in pixels. Models scale down larger pictures.
	Side = 1568
	// MaxWidth limits the width of a picture, in pixels.
	MaxWidth = 4096
	// MaxPixels limits width times height of a picture.
	MaxPixels = 8 << 20

	usual = 1000 // pixels of width that a small picture is enlarged towards
)

// PNG draws an SVG document on white and returns it as a PNG, width pixels wide. Width 0 stands for a legible width: that of
// the document, up to twice that for small documents, with no side longer than Side. An error says what is wrong with the
// document or the width. Filters are left out.
func PNG(svg []byte, width int) ([]byte, error) {
	d, err := exact(svg, width, white, nil)
	return d.PNG, err
}

// Clear is PNG with a transparent background.
func Clear(svg []byte, width int) ([]byte, error) {
	d, err := exact(svg, width, 0, nil)
	return d.PNG, err
}

// Preview is PNG for a model. If a side would be longer than Side, the picture is smaller than width. It may have a palette
// of 256 colours, which is faster to encode, so gradients may show bands.
func Preview(svg []byte, width int) ([]byte, error) {
	d, err := preview(svg, width, nil)
	return d.PNG, err
}

// Options of Draw. The zero value stands for a legible preview.
type Options struct {
	Width int  // in pixels; 0 stands for a legible width
	Exact bool // exactly Width wide and with all colours, as PNG; otherwise as Preview
}

// Drawing is a picture with a list of what could not be drawn.
type Drawing struct {
	PNG []byte
	// Missing lists what was not drawn, in alphabetical order:
	// "foreignObject", "filter feTurbulence", "image chart.png, which is not part of the
	// document". It has at most 100 entries.
	Missing []string
}

// Draw draws like PNG or Preview, but with filters, and lists what it left out. Only programs that call it contain the code
// of filters, about 200 KB.
func Draw(svg []byte, o Options) (Drawing, error) {
	f := &filtering{read: (*visit).filters, run: (*visit).filter}
	if o.Exact {
		return exact(svg, o.Width, white, f)
	}
	return preview(svg, o.Width, f)
}

func exact(svg []byte, width int, behind uint32, f *filtering) (Drawing, error) {
	d, err := parse(svg)
	if err != nil {
		return Drawing{}, err
	}
	w, h := d.size()
	if width == 0 {
		width, high := fit(w, h, legible(w))
		return d.draw(width, high, fine, behind, f)
	}
	if width < 1 || width > MaxWidth {
		return Drawing{}, fmt.Errorf("width:%d is out of range 1-%d", width, MaxWidth)
	}
	high := max(1, int(math.Round(float64(width)*h/w)))
	if high > MaxPixels/width {
		return Drawing{}, fmt.Errorf("the picture would be %d by %d pixels: give at most width:%d", width, high, max(1, int(math.Sqrt(MaxPixels*w/h))))
	}
	return d.draw(width, high, fine, behind, f)
}

func preview(svg []byte, width int, f *filtering) (Drawing, error) {
	if width < 0 || width > MaxWidth {
		return Drawing{}, fmt.Errorf("width:%d is out of range 1-%d", width, MaxWidth)
	}
	d, err := parse(svg)
	if err != nil {
		return Drawing{}, err
	}
	w, h := d.size()
	want := float64(width)
	if width == 0 {
		want = legible(w)
	}
	wide, high := fit(w, h, want)
	return d.draw(wide, high, fair, white, f)
}

// legible returns the width in which to draw a document whose own width is w.
func legible(w float64) float64 { return max(w, min(2*w, usual)) }

// fit scales a document of w by h to a width, or to less if a side would be too long.
func fit(w, h, width float64) (int, int) {
	scale := min(width/w, Side/w, Side/h)
	return max(1, int(math.Round(w*scale))), max(1, int(math.Round(h*scale)))
}

// errWork refuses a picture that would take too long to draw.
var errWork = errors.New("the picture contains too much to draw: export svg draws it elsewhere, or show a part of it")

// How far a rare colour may be from its replacement in a palette of 256: the sum of the differences of the channels.
const (
	fine = 14 // invisible
	fair = 44 // gradients show bands, but a model reads the same
)

// white is the background of a picture, 0xAARRGGBB.
const white = 0xffffffff

// draw draws the document at w by h pixels on a background colour.
func (d *document) draw(w, h, most int, behind uint32, f *filtering) (Drawing, error) {
	work, pixels := maxWork, 0
	c := newCanvas(w, h, behind, &work, &pixels)
	p := &painter{canvas: c, faces: newFaces(), filtering: f}
	p.document(d, vector.Identity(), rect{X1: float64(w), Y1: float64(h)}, 0)
	if work < 0 {
		return Drawing{}, errWork
	}
	out, err := c.encode(most, behind == white)
	return Drawing{PNG: out, Missing: p.missing()}, err
}
