package model

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// minContrast is the minimum contrast of text according to WCAG.
const minContrast = 4.5

// beneath returns the colour at a point of the canvas and the uppermost closed shape
// there. known is false if it is not a single colour. below are the elements to
// examine, the lowest first.
func (f *Drawing) beneath(sc *scene.Scene, at vector.Point, below []*node, boxes []vector.Box) (ground csscolor.Color, known bool, on *node) {
	ground = csscolor.Color{R: 1, G: 1, B: 1, A: 1}
	for _, p := range []string{"background", "background-color"} {
		if v, from := sc.Own(f.Root, p); from > svgdom.Attribute {
			if c, ok := csscolor.Parse(v); ok && c.A == 1 {
				ground = c
			}
		}
	}
	var layers []csscolor.Color // uppermost first
	for i := len(below) - 1; i >= 0; i-- {
		n, b := below[i], boxes[i]
		if f.IsText(n) || !b.Has(at) {
			continue
		}
		typ := n.Type
		if !svgdom.Shape(typ) {
			return ground, false, on // a picture, or the content of a use
		}
		if typ == "line" || !f.Encloses(sc, n, at) {
			continue
		} else if on == nil && typ != "polyline" {
			on = n
		}
		if sc.Value(n, "fill") == "none" {
			continue
		}
		c, ok := paint(sc, n)
		if !ok {
			return ground, false, on
		}
		if layers = append(layers, c); c.A == 1 {
			break
		}
	}
	for i := len(layers) - 1; i >= 0; i-- {
		ground = over(layers[i], ground)
	}
	return ground, true, on
}

// contrast returns the contrast of a text to the colour beneath it. ok is false if the
// text does not have a single colour.
func (f *Drawing) contrast(sc *scene.Scene, n *node, ground csscolor.Color) (float64, bool) {
	if v := sc.Value(n, "stroke"); v != "none" && v != "" {
		return 0, false // an outline makes letters readable
	}
	n = firstLetters(f, n)
	ink, ok := paint(sc, n)
	if !ok {
		return 0, false
	}
	return contrast(over(ink, ground), ground), true
}

// firstLetters returns the part of a text that contains its first letters.
func firstLetters(f *Drawing, n *node) *node {
	for m := range n.All() {
		if (m == n || f.IsText(m) || m.Type == "a") && strings.TrimSpace(m.Text()) != "" {
			return m
		}
	}
	return n
}

// paint returns the colour of an element's fill with all opacities that apply. ok is
// false if it is not a single colour.
func paint(sc *scene.Scene, n *node) (csscolor.Color, bool) {
	v := sc.Value(n, "fill")
	if strings.EqualFold(v, "currentColor") {
		v = sc.Value(n, "color")
	}
	c, ok := csscolor.Parse(v)
	if !ok {
		return c, false
	}
	c.A *= opacity(sc, n, "fill-opacity")
	for m := n; m != nil; m = m.Parent {
		c.A *= opacity(sc, m, "opacity")
		for _, p := range []string{"mask", "filter"} {
			if v, from := sc.Own(m, p); from != svgdom.Nowhere && v != "none" {
				return c, false
			}
		}
	}
	return c, true
}

// opacity returns the value of an opacity property.
func opacity(sc *scene.Scene, n *node, property string) float64 {
	return max(0, min(1, svgdom.Share(sc.Value(n, property), 1)))
}

// over composes a colour with an opaque one below.
func over(c, ground csscolor.Color) csscolor.Color {
	mix := func(a, b float64) float64 { return a*c.A + b*(1-c.A) }
	return csscolor.Color{R: mix(c.R, ground.R), G: mix(c.G, ground.G), B: mix(c.B, ground.B), A: 1}
}

// contrast returns the contrast ratio according to WCAG, from 1 to 21.
func contrast(a, b csscolor.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(c csscolor.Color) float64 {
	part := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
}

// ratio prints a contrast, rounded down.
func ratio(k float64) string { return Short(math.Floor(k*100) / 100) }

// whole prints a number of user units, rounded to an integer.
func whole(f float64) string { return Short(math.Round(f)) }

// Encloses reports whether a point of the canvas is inside a shape.
func (f *Drawing) Encloses(sc *scene.Scene, n *node, at vector.Point) bool {
	p, shape := sc.Path(n)
	inv, ok := sc.CTM(n).Inverse()
	return shape && ok && inside(p.Flatten(0.1), inv.At(at), sc.Value(n, "fill-rule") == "evenodd")
}

// inside reports whether a point is in the area that lines enclose.
func inside(l *vector.Lines, q vector.Point, evenodd bool) bool {
	winding, crossings := 0, 0
	for _, part := range l.Parts {
		k := len(part.Points)
		for i := range part.Points {
			a, b := part.Points[i], part.Points[(i+1)%k]
			if (a.Y > q.Y) == (b.Y > q.Y) {
				continue
			}
			if x := a.X + (q.Y-a.Y)*(b.X-a.X)/(b.Y-a.Y); x > q.X {
				crossings++
				if winding++; b.Y > a.Y {
					winding -= 2
				}
			}
		}
	}
	if evenodd {
		return crossings%2 == 1
	}
	return winding != 0
}

// Boxes returns the box around those of elements.
func Boxes(list []*node, of func(*node) (vector.Box, bool)) (out vector.Box, some bool) {
	out = vector.Empty()
	for _, n := range list {
		if b, ok := of(n); ok {
			out, some = out.Union(b), true
		}
	}
	return out, some
}
