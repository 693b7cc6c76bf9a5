package style

import (
	"strconv"
	"strings"
)

// Map is a style by key, including what draw.io's style sheet adds for bare tokens.
type Map map[string]string

// Resolve returns the map of s, with the keys of base, which is a style as well, as defaults.
func (s Style) Resolve(base string) Map {
	l := Map{}
	l.set(base)
	for token := range strings.SplitSeq(string(s), ";") {
		if token = strings.TrimSpace(token); strings.Contains(token, "=") {
			l.set(token)
		} else {
			l.set(styleSheet(token))
		}
	}
	return l
}

func (l Map) set(text string) {
	for token := range strings.SplitSeq(text, ";") {
		if k, v, ok := strings.Cut(token, "="); ok {
			l[k] = v
		}
	}
}

// Num returns the number of a key, or def if it has none between -1e6 and 1e6.
func (l Map) Num(key string, def float64) float64 {
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

// On reports whether the value of key is "1".
func (l Map) On(key string) bool { return l[key] == "1" }

// styleSheet returns the style that a bare token stands for in draw.io's style sheet.
func styleSheet(token string) string {
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
