package svg

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// look is a cell's style with what draw.io's own style sheet adds to it.
type look map[string]string

// named are the style sheet's styles that a bare token stands for.
func named(token string) string {
	switch token {
	case "text":
		return "fillColor=none;strokeColor=none;align=left;verticalAlign=top"
	case "edgeLabel":
		return "fillColor=none;strokeColor=none;labelBackgroundColor=default;fontSize=11"
	case "label":
		return "fontStyle=1;align=left;spacingLeft=52;imageWidth=42;imageHeight=42;rounded=1"
	case "icon":
		return "align=center;imageAlign=center;verticalLabelPosition=bottom;verticalAlign=top;spacingTop=6;imageWidth=48;imageHeight=48"
	case "swimlane":
		return "shape=swimlane;fontStyle=1;startSize=23"
	case "group":
		return "verticalAlign=top;fillColor=none;strokeColor=none"
	case "ellipse", "rhombus", "triangle":
		return "shape=" + token + ";perimeter=" + token + "Perimeter"
	case "line":
		return "shape=line;strokeWidth=4;labelBackgroundColor=default;verticalAlign=top;spacingTop=8"
	case "image":
		return "shape=image;labelBackgroundColor=default;verticalAlign=top;verticalLabelPosition=bottom"
	case "roundImage":
		return "shape=image;perimeter=ellipsePerimeter;verticalAlign=top;verticalLabelPosition=bottom"
	case "arrow":
		return "shape=arrow;edgeStyle=none;fillColor=default"
	}
	return ""
}

const (
	vertexLook = "align=center;verticalAlign=middle;fillColor=default;strokeColor=default;fontColor=default;fontSize=12"
	edgeLook   = "shape=connector;labelBackgroundColor=default;endArrow=classic;fontSize=11;rounded=1;align=center;verticalAlign=middle;strokeColor=default;fontColor=default"
)

func newLook(base string, s style.Style) look {
	l := look{}
	set := func(text string) {
		for token := range strings.SplitSeq(text, ";") {
			if k, v, ok := strings.Cut(token, "="); ok {
				l[k] = v
			}
		}
	}
	set(base)
	for token := range strings.SplitSeq(string(s), ";") {
		if token = strings.TrimSpace(token); strings.Contains(token, "=") {
			set(token)
		} else {
			set(named(token))
		}
	}
	return l
}

// num is a key's number, def where it has none.
func (l look) num(key string, def float64) float64 {
	v, ok := l[key]
	if !ok {
		return def
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || f != f || f > 1e6 || f < -1e6 {
		return def
	}
	return f
}

func (l look) on(key string) bool { return l[key] == "1" }

// color is a key's colour as SVG takes it, "none" for none; def stands for
// "default" and for what is no colour.
func (l look) color(key, def string) string {
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

func (l look) opacity(key string) float64 {
	return min(1, max(0, l.num("opacity", 100)/100)) * min(1, max(0, l.num(key, 100)/100))
}

// dash is the value of stroke-dasharray, "" for a solid line.
func (l look) dash() string {
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

// font is a family that is safe to write.
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
