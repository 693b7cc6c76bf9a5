package drawing

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// maxCoordinate limits coordinates and sizes.
const maxCoordinate = 1e7

// num prints a coordinate: to a thousandth, or six digits if it is small.
func num(f float64) string {
	digits := 3
	if a := math.Abs(f); a < 1 && a > 0 {
		digits = 6
	}
	s := strconv.FormatFloat(f, 'f', digits, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" || s == "" {
		return "0"
	}
	return s
}

// exact prints a coordinate derived from one in the file: to a millionth.
func exact(f float64) string {
	s := strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 6, 64), "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// short prints a number for people: to a hundredth.
func short(f float64) string {
	s := strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// box prints a box in the form used in replies: its corner and its size.
func box(b vector.Box) string {
	return "@(" + short(b.X0) + "," + short(b.Y0) + " " + short(b.Width()) + "x" + short(b.Height()) + ")"
}

// boxOf prints the box of an element. The box of a text is approximate, because viewers
// have other fonts.
func (f *Drawing) boxOf(n *node, b vector.Box) string {
	if f.isText(n) {
		tenth := func(v float64) float64 { return math.Round(10*v) / 10 }
		x, y := tenth(b.X0), tenth(b.Y0)
		return "about " + box(vector.Box{X0: x, Y0: y, X1: x + tenth(b.Width()), Y1: y + tenth(b.Height())})
	}
	return box(b)
}

// quoteText prints the text that an element shows, or its name, in quotes and on one
// line.
func quoteText(text string, size int) string {
	if text = pdk.Quote(line(text, size)); text[0] != '"' {
		text = `"` + text + `"`
	}
	return text
}

// isText reports whether an element is text.
func (f *Drawing) isText(n *node) bool {
	typ := f.Type(n)
	return typ == "text" || typ == "tspan" || typ == "textPath"
}

func number(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if s == "" || s[0] > '9' { // fail without the cost of an error
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && math.Abs(f) <= maxCoordinate
}

// pair reads two numbers separated by sep.
func pair(s, sep string) (x, y float64, ok bool) {
	a, b, found := strings.Cut(s, sep)
	x, okX := number(a)
	y, okY := number(b)
	return x, y, found && okX && okY
}

// point reads the value X,Y of a key.
func point(key, s string) (vector.Point, error) {
	x, y, ok := pair(s, ",")
	if !ok {
		return vector.Point{}, pdk.Errorf("%s:%s is not a point X,Y", key, s)
	}
	return vector.Point{X: x, Y: y}, nil
}

// size reads a value WxH, or one number for both.
func size(key, s string) (w, h float64, err error) {
	w, h, ok := pair(strings.ToLower(strings.ReplaceAll(s, "×", "x")), "x")
	if f, one := number(s); one {
		w, h, ok = f, f, true
	}
	if !ok || w <= 0 || h <= 0 {
		if ok && (w == 0) != (h == 0) {
			return 0, 0, pdk.Errorf("%s:%s is not a size: both sides must be above 0; w:N or h:N changes only one", key, s)
		}
		return 0, 0, pdk.Errorf("%s:%s is not a size WxH, such as 80x40", key, s)
	}
	return w, h, nil
}

// numberOf returns a numeric parameter, or def if the op does not have it.
func (o *op) numberOf(key string, def float64) (float64, error) {
	return o.a.Float(key, def, -maxCoordinate, maxCoordinate)
}

// regions lists the names of positions on the canvas.
func regions() []string {
	return []string{"top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom", "bottom-right"}
}

// region returns the fractions of the free space to the left of and above a position.
func region(s string) (x, y float64, ok bool) {
	s = strings.ToLower(strings.ReplaceAll(s, "_", "-"))
	switch s {
	case "centre", "middle":
		s = "center"
	case "top-center", "top-centre":
		s = "top"
	case "bottom-center", "bottom-centre":
		s = "bottom"
	}
	for i, r := range regions() {
		if r == s {
			return float64(i%3) / 2, float64(i/3) / 2, true
		}
	}
	return 0, 0, false
}

// color checks a colour and returns it in the form to write.
func color(key, s string) (string, error) {
	if strings.EqualFold(s, "currentcolor") {
		return "currentColor", nil
	}
	if s == "inherit" || s == "transparent" || strings.HasPrefix(s, "var(") {
		return s, nil
	}
	if _, ok := csscolor.Parse(s); ok {
		return s, nil
	}
	err := pdk.Errorf("%s:%s is not a colour: a CSS name, #rgb, #rrggbb, rgb() or hsl()", key, s)
	if _, ok := csscolor.Parse("#" + s); ok && len(s) >= 3 {
		return "", err.Instead(s, "#"+s)
	}
	return "", err.Instead(s, pdk.Nearest(strings.ToLower(s), csscolor.Names())...)
}

func plural(n int, word string) string {
	s := strconv.Itoa(n) + " " + word
	if n == 1 {
		return s
	}
	if strings.HasSuffix(word, "s") || strings.HasSuffix(word, "x") {
		return s + "es"
	}
	if stem, ok := strings.CutSuffix(s, "y"); ok {
		return stem + "ies"
	}
	return s + "s"
}
