package diagram

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/geom"
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
		return geom.Point{}, pdk.Errorf("%s:%s is not X,Y with numbers up to %d, such as %s:200,120", key, s, maxCoord, key).Instead(s, "200,120")
	}
	return geom.Point{X: x, Y: y}, nil
}

// parseSize reads WxH.
func parseSize(s string) (w, h float64, err error) {
	w, h, ok := parsePair(strings.ReplaceAll(strings.ToLower(s), "×", "x"), "x")
	if !ok || strings.ContainsAny(s, "+-") || w < minSize || h < minSize || w > maxSize || h > maxSize {
		return 0, 0, pdk.Errorf("size %q is not WxH with numbers from %d to %d, such as 140x60", s, minSize, maxSize).Instead(s, "140x60")
	}
	return w, h, nil
}

// parseRange reads X,Y-X,Y, where numbers may be negative.
func parseRange(s string) (geom.Rect, error) {
	bad := pdk.Errorf("range %q is not X,Y-X,Y", s).Tryf("list @range:0,0-400,300")
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
	for i, r := range regions() {
		if r == s || s == "center" && r == "middle-center" ||
			s == strings.TrimSuffix(r, "-center") || s == strings.TrimPrefix(r, "middle-") {
			return i % 3, i / 3, true
		}
	}
	return 0, 0, false
}

func directions() []string {
	return []string{"above", "below", "left", "right", "above-left", "above-right", "below-left", "below-right"}
}

// direction reads a direction as steps to the right and down.
func direction(s string) (dx, dy int, err error) {
	known := false
	for _, d := range directions() {
		known = known || d == s
	}
	if !known {
		return 0, 0, pdk.Errorf("dir:%s is not a direction: %s", s, strings.Join(directions(), " ")).Instead(s, nearDirection(s))
	}
	if strings.HasPrefix(s, "above") {
		dy = -1
	}
	if strings.HasPrefix(s, "below") {
		dy = 1
	}
	if strings.HasSuffix(s, "left") {
		dx = -1
	}
	if strings.HasSuffix(s, "right") {
		dx = 1
	}
	return dx, dy, nil
}

// nearDirection is the direction that somebody meant who wrote s.
func nearDirection(s string) string {
	switch strings.ToLower(s) {
	case "up", "north", "top", "over":
		return "above"
	case "down", "south", "bottom", "under":
		return "below"
	case "west":
		return "left"
	}
	if near := pdk.Nearest(s, directions()); len(near) > 0 {
		return near[0]
	}
	return "right"
}

// box prints a rectangle as replies have it.
func box(r geom.Rect) string {
	var buf [64]byte
	return string(mxfile.AppendBox(buf[:0], r))
}

// unknownType refuses a type.
func unknownType(v string) *pdk.Error {
	return pdk.Errorf("unknown type %q; types: %s", v, strings.Join(style.Order(), " "))
}

func unknownTheme(f *file, v string) error {
	names := style.ThemeNames()
	for _, t := range themesOf(f) {
		names = append(names, t.Name)
	}
	err := pdk.Errorf("unknown theme %q; themes: %s", v, strings.Join(names, " "))
	near := pdk.Nearest(v, names)
	if len(near) == 0 {
		near = names[:1]
	}
	return err.Instead(v, near...)
}
