// Package values reads the numbers, points, sizes and directions of an op and prints
// those of a reply.
package values

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Limits of coordinates and sizes, in draw.io's units (1/100 inch on paper).
const (
	MaxCoord = 1_000_000
	MaxSize  = 100_000
	MinSize  = 1
)

// ParseNumber reads a decimal number without an exponent.
func ParseNumber(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "+-.0123456789") != "" {
		return 0, false // refuse hex, exponents, inf and nan
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// ParsePair reads two numbers with sep between them.
func ParsePair(s, sep string) (a, b float64, ok bool) {
	left, right, found := strings.Cut(s, sep)
	if !found {
		return 0, 0, false
	}
	a, okA := ParseNumber(strings.TrimSpace(left))
	b, okB := ParseNumber(strings.TrimSpace(right))
	return a, b, okA && okB
}

// ParsePoint reads X,Y. key is the parameter that errors name.
func ParsePoint(key, s string) (geom.Point, error) {
	x, y, ok := ParsePair(s, ",")
	if !ok || math.Abs(x) > MaxCoord || math.Abs(y) > MaxCoord {
		err := pdk.Errorf("%s:%s is not X,Y with numbers up to %d, such as %s:200,120", key, s, MaxCoord, key)
		if x, y, ok := LooseScan(s); ok && math.Abs(x) <= MaxCoord && math.Abs(y) <= MaxCoord {
			err.Instead(s, mxfile.Num(x)+","+mxfile.Num(y))
		}
		return geom.Point{}, err
	}
	return geom.Point{X: x, Y: y}, nil
}

// ParseSize reads WxH. Both must lie between MinSize and MaxSize.
func ParseSize(s string) (w, h float64, err error) {
	fits := func(w, h float64) bool { return w >= MinSize && h >= MinSize && w <= MaxSize && h <= MaxSize }
	w, h, ok := ParsePair(strings.ReplaceAll(strings.ToLower(s), "×", "x"), "x")
	if !ok || strings.ContainsAny(s, "+-") || !fits(w, h) {
		err := pdk.Errorf("size %q is not WxH with numbers from %d to %d, such as 140x60", s, MinSize, MaxSize)
		if w, h, ok := LooseScan(s); ok && fits(w, h) {
			err.Instead(s, mxfile.Num(w)+"x"+mxfile.Num(h))
		}
		return 0, 0, err
	}
	return w, h, nil
}

// LooseScan reads two numbers with anything but a digit, a sign or a dot between them.
func LooseScan(s string) (a, b float64, ok bool) {
	f := strings.FieldsFunc(s, func(r rune) bool { return !strings.ContainsRune("+-.0123456789", r) })
	if len(f) != 2 {
		return 0, 0, false
	}
	a, okA := ParseNumber(f[0])
	b, okB := ParseNumber(f[1])
	return a, b, okA && okB
}

// ParseRange reads X,Y-X,Y; the numbers may be negative.
func ParseRange(s string) (geom.Rect, error) {
	bad := pdk.Errorf("range %q is not X,Y-X,Y", s)
	comma := strings.IndexByte(s, ',')
	if comma < 0 {
		return geom.Rect{}, bad
	}
	dash := strings.IndexByte(s[min(comma+2, len(s)):], '-')
	if dash < 0 {
		return geom.Rect{}, bad
	}
	dash += comma + 2
	x1, y1, ok1 := ParsePair(s[:dash], ",")
	x2, y2, ok2 := ParsePair(s[dash+1:], ",")
	if !ok1 || !ok2 {
		return geom.Rect{}, bad
	}
	return geom.Rect{X: math.Min(x1, x2), Y: math.Min(y1, y2), W: math.Abs(x2 - x1), H: math.Abs(y2 - y1)}, nil
}

// Regions lists the names of the nine regions of a page.
func Regions() []string {
	var out []string
	for _, v := range []string{"top", "middle", "bottom"} {
		for _, h := range []string{"left", "center", "right"} {
			out = append(out, v+"-"+h)
		}
	}
	return out
}

// RegionPlace reads the name of a region. col and row count the thirds of the page, from 0.
func RegionPlace(s string) (col, row int, ok bool) {
	if s == "" || s[0] >= '0' && s[0] <= '9' { // a point
		return 0, 0, false
	}
	for i, r := range Regions() {
		for _, spelling := range []string{r, strings.TrimSuffix(r, "-center"), strings.TrimPrefix(r, "middle-")} {
			if _, ok := pdk.OneOf(s, []string{spelling}); ok {
				return i % 3, i / 3, true
			}
		}
	}
	return 0, 0, false
}

// Directions lists the values of dir:.
func Directions() []string {
	return []string{"above", "below", "left", "right", "above-left", "above-right", "below-left", "below-right"}
}

// Direction reads a value of dir: as a step to the right (dx) and down (dy); each is -1, 0
// or 1.
func Direction(s string) (dx, dy int, err error) {
	way, known := pdk.OneOf(s, Directions())
	if !known {
		return 0, 0, pdk.Errorf("dir:%s is not a direction: %s", s, strings.Join(Directions(), " ")).Instead(s, nearDirection(s)...)
	}
	if strings.HasPrefix(way, "above") {
		dy = -1
	}
	if strings.HasPrefix(way, "below") {
		dy = 1
	}
	if strings.HasSuffix(way, "left") {
		dx = -1
	}
	if strings.HasSuffix(way, "right") {
		dx = 1
	}
	return dx, dy, nil
}

// nearDirection returns the directions to suggest for an unknown one.
func nearDirection(s string) []string {
	switch strings.ToLower(s) {
	case "up", "north", "top", "over":
		return []string{"above"}
	case "down", "south", "bottom", "under", "beneath":
		return []string{"below"}
	case "west":
		return []string{"left"}
	case "east":
		return []string{"right"}
	}
	return pdk.Nearest(s, Directions())
}

// Box prints a rectangle in the form used in replies: @(X,Y WxH).
func Box(r geom.Rect) string {
	var buf [64]byte
	return string(mxfile.AppendBox(buf[:0], r))
}

// Sides lists the sides and middles that align accepts.
func Sides() []string { return []string{"left", "center", "right", "top", "middle", "bottom"} }
