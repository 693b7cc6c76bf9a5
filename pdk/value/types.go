package value

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/geom"
)

// invalid makes the error for a text that is no value.
func invalid(near []string, format string, args ...any) error {
	return &Invalid{Why: fmt.Sprintf(format, args...), Near: near}
}

// Text is any text; takes describes it: "TEXT".
func Text(takes string) Type[string] {
	return Type[string]{Takes: takes, Parse: func(s string) (string, error) { return s, nil }}
}

// Int is a whole number from lo to hi.
func Int(lo, hi int) Type[int] {
	takes := fmt.Sprintf("%d-%d", lo, hi)
	if lo < 0 {
		takes = fmt.Sprintf("%d…%d", lo, hi)
	}
	return Type[int]{Takes: takes, Parse: func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err == nil && lo <= n && n <= hi {
			return n, nil
		}
		var near []string
		if f, ok := ParseNumber(strings.TrimSuffix(s, "%")); ok {
			near = []string{FormatNumber(min(max(math.Round(f), float64(lo)), float64(hi)))}
		}
		return 0, invalid(near, "is not a whole number from %d to %d", lo, hi)
	}}
}

// Number is a decimal number from lo to hi, without an exponent.
func Number(lo, hi float64) Type[float64] {
	return Type[float64]{Takes: "N", Parse: func(s string) (float64, error) {
		f, ok := ParseNumber(s)
		if ok && lo <= f && f <= hi {
			return f, nil
		}
		var near []string
		if ok {
			near = []string{FormatNumber(min(max(f, lo), hi))}
		}
		return 0, invalid(near, "is not a number from %s to %s", FormatNumber(lo), FormatNumber(hi))
	}}
}

// ParseNumber reads a finite decimal number without an exponent.
func ParseNumber(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "+-.0123456789") != "" { // hexadecimal, exponents, inf and nan
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// FormatNumber prints a number as short as it reads back, without an exponent.
func FormatNumber(f float64) string { return strconv.FormatFloat(f+0, 'f', -1, 64) } // +0 turns -0 into 0

// FormatRounded prints a number with at most digits places after the point, and none that are zero.
func FormatRounded(f float64, digits int) string {
	s := strconv.FormatFloat(f, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// Bool is true or false, also yes, no, on, off, 1 and 0.
var Bool = Type[bool]{Takes: "true|false", Parse: func(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return false, invalid(pdk.Nearest(s, []string{"true", "false"}), "is neither true nor false")
}}

// OneOf is one of a few names, compared without case, - and _.
func OneOf(names ...string) Type[string] {
	return named(names, strings.Join(names, "|"), func(i int) string { return names[i] })
}

// Named is one of the names of some values. It lists the names in the order of values; value returns that of a name.
func Named[T any](names []string, value func(name string) T) Type[T] {
	return named(names, strings.Join(names, "|"), func(i int) T { return value(names[i]) })
}

func named[T any](names []string, takes string, value func(i int) T) Type[T] {
	return Type[T]{Takes: takes, Parse: func(s string) (v T, err error) {
		if name, ok := pdk.OneOf(s, names); ok {
			return value(slices.Index(names, name)), nil
		}
		return v, invalid(pdk.Nearest(s, names), "is not one of %s", strings.Join(names, " "))
	}}
}

// Point is X,Y, both from -limit to limit.
func Point(limit float64) Type[geom.Point] {
	return Type[geom.Point]{Takes: "X,Y", Parse: func(s string) (geom.Point, error) {
		fits := func(x, y float64) bool { return math.Abs(x) <= limit && math.Abs(y) <= limit }
		x, y, ok := ParsePair(s, ",")
		if ok && fits(x, y) {
			return geom.Point{X: x, Y: y}, nil
		}
		var near []string
		if x, y, ok := twoNumbers(s); ok && fits(x, y) {
			near = []string{FormatNumber(x) + "," + FormatNumber(y)}
		}
		return geom.Point{}, invalid(near, "is not a point X,Y, such as 200,120")
	}}
}

// Dimensions are a width and a height.
type Dimensions struct{ W, H float64 }

// Size is WxH, both from lo to hi.
func Size(lo, hi float64) Type[Dimensions] {
	return Type[Dimensions]{Takes: "WxH", Parse: func(s string) (Dimensions, error) {
		fits := func(w, h float64) bool { return lo <= w && w <= hi && lo <= h && h <= hi }
		w, h, ok := ParsePair(strings.ReplaceAll(strings.ToLower(s), "×", "x"), "x")
		if ok && fits(w, h) && !strings.ContainsAny(s, "+-") { // a sign would mean a change of the size
			return Dimensions{w, h}, nil
		}
		var near []string
		if w, h, ok := twoNumbers(s); ok && fits(w, h) {
			near = []string{FormatNumber(w) + "x" + FormatNumber(h)}
		}
		return Dimensions{}, invalid(near, "is not a size WxH with numbers from %s to %s, such as 140x60", FormatNumber(lo), FormatNumber(hi))
	}}
}

// ParsePair reads two numbers with sep between them.
func ParsePair(s, sep string) (a, b float64, ok bool) {
	left, right, found := strings.Cut(s, sep)
	a, okA := ParseNumber(strings.TrimSpace(left))
	b, okB := ParseNumber(strings.TrimSpace(right))
	return a, b, found && okA && okB
}

// twoNumbers reads two numbers with anything but a digit, a sign or a point between them.
func twoNumbers(s string) (a, b float64, ok bool) {
	f := strings.FieldsFunc(s, func(r rune) bool { return !strings.ContainsRune("+-.0123456789", r) })
	if len(f) != 2 {
		return 0, 0, false
	}
	a, okA := ParseNumber(f[0])
	b, okB := ParseNumber(f[1])
	return a, b, okA && okB
}

// ParseRange reads X,Y-X,Y; the numbers may be negative.
func ParseRange(s string) (geom.Rect, bool) {
	comma := strings.IndexByte(s, ',')
	if comma < 0 {
		return geom.Rect{}, false
	}
	from := min(comma+2, len(s)) // the number after the comma may begin with its sign
	dash := strings.IndexByte(s[from:], '-')
	if dash < 0 {
		return geom.Rect{}, false
	}
	x1, y1, ok1 := ParsePair(s[:from+dash], ",")
	x2, y2, ok2 := ParsePair(s[from+dash+1:], ",")
	return geom.Rect{X: min(x1, x2), Y: min(y1, y2), W: math.Abs(x2 - x1), H: math.Abs(y2 - y1)}, ok1 && ok2
}

// Colour is a colour of CSS, as it was written: a name, #rgb, #rrggbb, rgb() or hsl(). It also accepts the words in also, such as none.
func Colour(also ...string) Type[string] {
	return Type[string]{Takes: strings.Join(append([]string{"COLOUR"}, also...), "|"), Parse: func(s string) (string, error) {
		if word, ok := pdk.OneOf(s, also); ok {
			return word, nil
		}
		if _, ok := csscolor.Parse(s); ok {
			return s, nil
		}
		near := pdk.Nearest(strings.ToLower(s), append(csscolor.Names(), also...))
		if _, ok := csscolor.Parse("#" + s); ok && len(s) >= 3 {
			near = []string{"#" + s}
		}
		return "", invalid(near, "is not a colour: a CSS name, #rgb, #rrggbb, rgb() or hsl()")
	}}
}
