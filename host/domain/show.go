package domain

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

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// What people see of documents, in addition to what models see.

// ShowQuery returns the query for the picture that people see, or "".
func (d *Domain) ShowQuery() string {
	if v := d.Manifest.View; v != nil && v.Picture != "" {
		return v.Picture
	}
	if slices.ContainsFunc(d.Manifest.Queries, func(q abi.Query) bool { return q.Name == "preview" }) {
		return "preview"
	}
	return ""
}

// HearQuery returns the query for what the view plays, or "".
func (d *Domain) HearQuery() string {
	if v := d.Manifest.View; v != nil {
		return v.Audio
	}
	return ""
}

// checkView refuses a view whose queries the domain does not have.
func checkView(m *abi.Manifest) error {
	if m.View == nil {
		return nil
	}
	for _, text := range []string{m.View.Picture, m.View.Audio} {
		op, err := grammar.ParseQuery(text)
		if text != "" && (err != nil || !slices.ContainsFunc(m.Queries, func(q abi.Query) bool { return q.Name == op.Verb })) {
			return fmt.Errorf("its view asks %s, which is not one of its queries", quote(text))
		}
	}
	return nil
}

const (
	maxArea = 100_000_000 // hundredths of a unit: largest coordinate and size
	maxIDs  = 16          // of one area
	maxTime = 24 * 3600 * 1000
)

// cleanShown bounds the parts of a query's answer other than text and pictures.
func cleanShown(out *abi.QueryResponse) {
	out.Pages = out.Pages[:min(len(out.Pages), abi.MaxPages)]
	for i := range out.Pages {
		out.Pages[i] = line(out.Pages[i], 128)
	}
	in := func(n, from int) bool { return n >= from && n <= maxArea }
	out.Areas = slices.DeleteFunc(out.Areas[:min(len(out.Areas), abi.MaxAreas)], func(a abi.Area) bool {
		return !in(a.X, -maxArea) || !in(a.Y, -maxArea) || !in(a.Width, 0) || !in(a.Height, 0)
	})
	for i := range out.Areas {
		a := &out.Areas[i]
		a.Name, a.IDs = line(a.Name, 256), a.IDs[:min(len(a.IDs), maxIDs)]
	}
	if out.Page < 1 || out.Page > max(1, len(out.Pages)) {
		out.Page = 0
	}
	before := abi.Moment{At: -1, X: -maxArea - 1}
	out.Times = slices.DeleteFunc(out.Times[:min(len(out.Times), abi.MaxMoments)], func(m abi.Moment) bool {
		if m.At <= before.At || m.At > maxTime || m.X < before.X || m.X > maxArea {
			return true
		}
		before = m
		return false
	})
	out.Notes = slices.DeleteFunc(out.Notes[:min(len(out.Notes), abi.MaxNotes)], func(n abi.Note) bool {
		return n.At < 0 || n.At > maxTime || n.Length < 0 || n.Length > maxTime || n.Key < 0 || n.Key > 127 || n.Velocity < 1 || n.Velocity > 127 ||
			n.Channel < 1 || n.Channel > 16 || n.Program < 0 || n.Program > 127
	})
	now := 0
	out.Levels = slices.DeleteFunc(out.Levels[:min(len(out.Levels), abi.MaxNotes)], func(l abi.Level) bool {
		if l.At < now || l.At > maxTime || l.Channel < 1 || l.Channel > 16 || l.Level < 0 || l.Level > 127 {
			return true
		}
		now = l.At
		return false
	})
}

// Shown describes a picture for people: its type, and the part of the plane that it shows, in the picture's own units.
type Shown struct {
	MIME                string
	X, Y, Width, Height float64
}

// Show checks a picture for people: one that Picture accepts, or an SVG. Of an SVG it checks the root and how much it
// draws. Whatever else the SVG holds, it may be shown as an <img> only: there no script runs and nothing is fetched.
func Show(data []byte) (Shown, error) {
	if mime, err := Picture(data); err == nil {
		c, _, err := image.DecodeConfig(bytes.NewReader(data))
		return Shown{MIME: mime, Width: float64(c.Width), Height: float64(c.Height)}, err
	}
	root, err := svgRoot(data)
	if err == nil {
		err = checkDrawn(data)
	}
	if err != nil {
		return Shown{}, err
	}
	s := Shown{MIME: "image/svg+xml", Width: 300, Height: 150} // CSS's size of an image without one
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
func (s *Shown) fill(w, h float64, align string) {
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
			return xml.StartElement{}, fmt.Errorf("it is not an SVG: its root is %s", quote(e.Name.Local))
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
