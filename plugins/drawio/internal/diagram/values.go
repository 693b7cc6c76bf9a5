package diagram

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Limits of places and sizes, in draw.io's units (1/100 inch on paper).
const (
	maxCoord = 1_000_000
	maxSize  = 100_000
	minSize  = 1
)

func parseNumber(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "+-.0123456789") != "" {
		return 0, false // hex, exponents, inf and nan are typing errors here
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// parsePair reads "A<sep>B".
func parsePair(s, sep string) (a, b float64, ok bool) {
	left, right, found := strings.Cut(s, sep)
	if !found {
		return 0, 0, false
	}
	a, okA := parseNumber(strings.TrimSpace(left))
	b, okB := parseNumber(strings.TrimSpace(right))
	return a, b, okA && okB
}

// parsePoint reads X,Y.
func parsePoint(key, s string) (geom.Point, error) {
	x, y, ok := parsePair(s, ",")
	if !ok || math.Abs(x) > maxCoord || math.Abs(y) > maxCoord {
		err := pdk.Errorf("%s:%s is not X,Y with numbers up to %d, such as %s:200,120", key, s, maxCoord, key)
		if x, y, ok := looseScan(s); ok && math.Abs(x) <= maxCoord && math.Abs(y) <= maxCoord {
			err.Instead(s, mxfile.Num(x)+","+mxfile.Num(y))
		}
		return geom.Point{}, err
	}
	return geom.Point{X: x, Y: y}, nil
}

// parseSize reads WxH.
func parseSize(s string) (w, h float64, err error) {
	fits := func(w, h float64) bool { return w >= minSize && h >= minSize && w <= maxSize && h <= maxSize }
	w, h, ok := parsePair(strings.ReplaceAll(strings.ToLower(s), "×", "x"), "x")
	if !ok || strings.ContainsAny(s, "+-") || !fits(w, h) {
		err := pdk.Errorf("size %q is not WxH with numbers from %d to %d, such as 140x60", s, minSize, maxSize)
		if w, h, ok := looseScan(s); ok && fits(w, h) {
			err.Instead(s, mxfile.Num(w)+"x"+mxfile.Num(h))
		}
		return 0, 0, err
	}
	return w, h, nil
}

// looseScan reads two numbers however they are told apart.
func looseScan(s string) (a, b float64, ok bool) {
	f := strings.FieldsFunc(s, func(r rune) bool { return !strings.ContainsRune("+-.0123456789", r) })
	if len(f) != 2 {
		return 0, 0, false
	}
	a, okA := parseNumber(f[0])
	b, okB := parseNumber(f[1])
	return a, b, okA && okB
}

// parseRange reads X,Y-X,Y, where numbers may be negative.
func parseRange(s string) (geom.Rect, error) {
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
	x1, y1, ok1 := parsePair(s[:dash], ",")
	x2, y2, ok2 := parsePair(s[dash+1:], ",")
	if !ok1 || !ok2 {
		return geom.Rect{}, bad
	}
	return geom.Rect{X: math.Min(x1, x2), Y: math.Min(y1, y2), W: math.Abs(x2 - x1), H: math.Abs(y2 - y1)}, nil
}

// regions lists the nine parts of a page.
func regions() []string {
	var out []string
	for _, v := range []string{"top", "middle", "bottom"} {
		for _, h := range []string{"left", "center", "right"} {
			out = append(out, v+"-"+h)
		}
	}
	return out
}

// regionPlace reads a region as which third it is across and down.
func regionPlace(s string) (col, row int, ok bool) {
	if s == "" || s[0] >= '0' && s[0] <= '9' { // a point, as most places are
		return 0, 0, false
	}
	for i, r := range regions() {
		for _, spelling := range []string{r, strings.TrimSuffix(r, "-center"), strings.TrimPrefix(r, "middle-")} {
			if _, ok := pdk.OneOf(s, []string{spelling}); ok {
				return i % 3, i / 3, true
			}
		}
	}
	return 0, 0, false
}

func directions() []string {
	return []string{"above", "below", "left", "right", "above-left", "above-right", "below-left", "below-right"}
}

// direction reads a direction as steps to the right and down.
func direction(s string) (dx, dy int, err error) {
	way, known := pdk.OneOf(s, directions())
	if !known {
		return 0, 0, pdk.Errorf("dir:%s is not a direction: %s", s, strings.Join(directions(), " ")).Instead(s, nearDirection(s)...)
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

// nearDirection are the directions that somebody may have meant who wrote s.
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
	return pdk.Nearest(s, directions())
}

// box prints a rectangle as replies have it.
func box(r geom.Rect) string {
	var buf [64]byte
	return string(mxfile.AppendBox(buf[:0], r))
}

func unknownTheme(f *file, v string) error {
	names := style.ThemeNames()
	for _, t := range themesOf(f) {
		names = append(names, t.Name)
	}
	return pdk.Errorf("unknown theme %q; themes: %s", v, strings.Join(names, " ")).Instead(v, pdk.Nearest(v, names)...)
}
