package model

import (
	"fmt"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// CanvasText prints the size at which a document is shown, and its viewBox, as in the digest.
func CanvasText(sc *scene.Scene) string {
	w, h := sc.Size()
	return Short(w) + "x" + Short(h) + " vb:" + strings.ReplaceAll(ViewText(sc.Canvas(), Short), " ", ",")
}

// ViewText prints a viewBox as it is written in files.
func ViewText(b vector.Box, print func(float64) string) string {
	return strings.Join([]string{print(b.X0), print(b.Y0), print(b.Width()), print(b.Height())}, " ")
}

// Fraction reads a number or a percentage.
func Fraction(s string) (float64, bool) {
	plain, percent := strings.CutSuffix(s, "%")
	f, ok := value.ParseNumber(plain)
	if percent {
		f /= 100
	}
	return f, ok
}

func Times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// Hex prints a colour as #rrggbb, with two more digits if it is not opaque.
func Hex(c csscolor.Color) string {
	b := func(f float64) int { return int(f*255 + 0.5) }
	s := fmt.Sprintf("#%02x%02x%02x", b(c.R), b(c.G), b(c.B))
	if c.A < 1 {
		s += fmt.Sprintf("%02x", b(c.A))
	}
	return s
}

// Num prints a coordinate: to a thousandth, or six digits if it is small.
func Num(f float64) string {
	if math.Abs(f) < 1 {
		return Exact(f)
	}
	return value.FormatRounded(f, 3)
}

// Exact prints a coordinate derived from one in the file: to a millionth.
func Exact(f float64) string { return value.FormatRounded(f, 6) }

// Short prints a number for people: to a hundredth.
func Short(f float64) string { return value.FormatRounded(f, 2) }

// Box prints a box in the form used in replies: its corner and its size.
func Box(b vector.Box) string {
	return "@(" + Short(b.X0) + "," + Short(b.Y0) + " " + Short(b.Width()) + "x" + Short(b.Height()) + ")"
}

// BoxOf prints the box of an element. The box of a text is approximate, because viewers
// have other fonts.
func (f *Drawing) BoxOf(n *node, b vector.Box) string {
	if f.IsText(n) {
		tenth := func(v float64) float64 { return math.Round(10*v) / 10 }
		x, y := tenth(b.X0), tenth(b.Y0)
		return "about " + Box(vector.Box{X0: x, Y0: y, X1: x + tenth(b.Width()), Y1: y + tenth(b.Height())})
	}
	return Box(b)
}

// QuoteText prints the text that an element shows, or its name, in quotes and on one
// line.
func QuoteText(text string, size int) string {
	if text = pdk.Quote(Line(text, size)); text[0] != '"' {
		text = `"` + text + `"`
	}
	return text
}

// IsText reports whether an element is text.
func (f *Drawing) IsText(n *node) bool {
	typ := n.Type
	return typ == "text" || typ == "tspan" || typ == "textPath"
}
