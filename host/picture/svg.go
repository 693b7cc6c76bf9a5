package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/printable"
)

// SVG is the MIME type of an SVG.
const SVG = "image/svg+xml"

// Info describes a picture for people: its type, and the part of the plane that it shows, in the picture's own units.
type Info struct {
	MIME                string
	X, Y, Width, Height float64
}

// Inspect checks a picture for people: one that Type accepts, or an SVG. Of an SVG it checks the root and how much it
// draws. Whatever else the SVG holds, it may be shown as an <img> only: there no script runs and nothing is fetched.
func Inspect(data []byte) (Info, error) {
	if mime, err := Type(data); err == nil {
		c, _, err := image.DecodeConfig(bytes.NewReader(data))
		return Info{MIME: mime, Width: float64(c.Width), Height: float64(c.Height)}, err
	}
	root, err := svgRoot(data)
	if err == nil {
		err = checkDrawn(data)
	}
	if err != nil {
		return Info{}, err
	}
	s := Info{MIME: SVG, Width: 300, Height: 150} // CSS's size of an image without one
	attrs := map[string]string{}
	for _, a := range root.Attr {
		if a.Name.Space == "" {
			attrs[a.Name.Local] = a.Value
		}
	}
	w, h := pixels(attrs["width"]), pixels(attrs["height"])
	if v := figures(attrs["viewBox"]); len(v) == 4 && v[2] > 0 && v[3] > 0 {
		s.X, s.Y, s.Width, s.Height = v[0], v[1], v[2], v[3]
		s.fill(w, h, attrs["preserveAspectRatio"])
		return s, nil
	}
	if w > 0 {
		s.Width = w
	}
	if h > 0 {
		s.Height = h
	}
	return s, nil
}

// fill sets the visible part for an image of size w by h, which shows more or less of the view box if the aspect ratios
// differ.
func (s *Info) fill(w, h float64, align string) {
	x, y := w/s.Width, h/s.Height
	if x <= 0 || y <= 0 || x == y || strings.HasPrefix(align, "none") {
		return
	}
	scale := min(x, y)
	if strings.HasSuffix(align, "slice") {
		scale = max(x, y)
	}
	at := func(low, high string) float64 { // the share of the extra space that lies before the view box
		switch {
		case strings.Contains(align, low):
			return 0
		case strings.Contains(align, high):
			return 1
		}
		return 0.5
	}
	s.X, s.Width = s.X-(w/scale-s.Width)*at("xMin", "xMax"), w/scale
	s.Y, s.Height = s.Y-(h/scale-s.Height)*at("YMin", "YMax"), h/scale
}

// units are the pixels in CSS's absolute units.
var units = map[string]float64{"": 1, "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "pt": 96.0 / 72, "pc": 16}

// pixels parses a length; 0 if it depends on the image's surroundings.
func pixels(text string) float64 {
	text = strings.ToLower(strings.TrimSpace(text))
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz%")
	v := figures(number)
	if len(v) != 1 || v[0] <= 0 {
		return 0
	}
	return v[0] * units[text[len(number):]]
}

const svgSpace = "http://www.w3.org/2000/svg"

func svgRoot(data []byte) (xml.StartElement, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // names and numbers are ASCII
	d.Strict = false
	for {
		t, err := d.RawToken()
		if err != nil {
			return xml.StartElement{}, errors.New("it is neither an SVG nor a PNG, JPEG, GIF or WebP picture")
		}
		e, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		space := "xmlns"
		if e.Name.Space != "" {
			space = "xmlns:" + e.Name.Space
		}
		named := func(a xml.Attr) bool {
			name := a.Name.Local
			if a.Name.Space != "" {
				name = a.Name.Space + ":" + name
			}
			return name == space && a.Value == svgSpace
		}
		if e.Name.Local != "svg" || !slices.ContainsFunc(e.Attr, named) {
			return xml.StartElement{}, fmt.Errorf(`it is not an SVG: its root is "%s"`, printable.Line(printable.Cut(e.Name.Local, 64)))
		}
		return e, nil
	}
}

// figures parses finite numbers separated by blanks or commas; nil for anything else.
func figures(s string) (list []float64) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\r\n,", r) }) {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || math.Abs(v) > 1e9 {
			return nil
		}
		list = append(list, v)
	}
	return list
}
