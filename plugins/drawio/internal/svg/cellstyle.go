package svg

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// cellStyle is the resolved style of a cell.
type cellStyle style.Map

const (
	vertexDefaults = "align=center;verticalAlign=middle;fillColor=default;strokeColor=default;fontColor=default;fontSize=12"
	edgeDefaults   = "shape=connector;labelBackgroundColor=default;endArrow=classic;fontSize=11;rounded=1;align=center;verticalAlign=middle;strokeColor=default;fontColor=default"
)

func newCellStyle(base string, s style.Style) cellStyle { return cellStyle(s.Resolve(base)) }

func (l cellStyle) num(key string, def float64) float64 { return style.Map(l).Num(key, def) }

func (l cellStyle) on(key string) bool { return style.Map(l).On(key) }

// color returns the colour of a key in SVG's notation, "none" for none. def is the value of "default" and of invalid
// colours.
func (l cellStyle) color(key, def string) string {
	v, ok := l[key]
	if !ok {
		return "none"
	}
	// A colour for light and dark pages: light-dark(#fff,#000).
	if rest, ok := strings.CutPrefix(v, "light-dark("); ok {
		v, _, _ = strings.Cut(rest, ",")
		v = strings.TrimSpace(v)
	}
	c, ok := style.Color(v)
	if !ok || c == "default" {
		return def
	}
	return c
}

// opacity returns the opacity of the style, times that of a key.
func (l cellStyle) opacity(key string) float64 {
	return min(1, max(0, l.num("opacity", 100)/100)) * min(1, max(0, l.num(key, 100)/100))
}

// dash returns the value of stroke-dasharray, "" for a solid line.
func (l cellStyle) dash() string {
	if !l.on("dashed") {
		return ""
	}
	scale := max(1, l.num("strokeWidth", 1))
	if l.on("fixDash") {
		scale = 1
	}
	var out []string
	for _, w := range strings.Fields(l["dashPattern"]) {
		if f, err := strconv.ParseFloat(w, 64); err == nil && f >= 0 && f < 1000 {
			out = append(out, num(max(f, 0.1)*scale))
		}
	}
	if len(out) == 0 {
		return num(3*scale) + " " + num(3*scale)
	}
	return strings.Join(out, " ")
}

// font returns the font family if it is safe to write, or "".
func font(family string) string {
	for _, r := range family {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == ' ' || r == '-' || r == ',') {
			return ""
		}
	}
	if family = strings.TrimSpace(family); len(family) > 60 || strings.EqualFold(family, "Helvetica") {
		return ""
	}
	return family
}
