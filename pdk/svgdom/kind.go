package svgdom

import "strings"

// Draws reports whether elements of a type draw at their place in the document.
func Draws(typ string) bool {
	switch typ {
	case "g", "a", "switch", "svg", "use", "image", "foreignObject", "text", "rect", "circle", "ellipse", "line", "polyline", "polygon", "path":
		return true
	}
	return false
}

// Shape reports whether elements of a type are shapes.
func Shape(typ string) bool {
	switch typ {
	case "rect", "circle", "ellipse", "line", "polyline", "polygon", "path":
		return true
	}
	return false
}

// Group reports whether elements of a type contain others.
func Group(typ string) bool {
	switch typ {
	case "g", "a", "switch", "svg", "symbol", "defs", "clipPath", "mask", "marker", "pattern":
		return true
	}
	return false
}

// Supported reports whether the conditional attributes of an element hold: it is for English or for any language, and
// requires no extensions.
func Supported(n *Node) bool {
	if v, ok := n.Attr("requiredExtensions"); ok && v != "" {
		return false
	}
	v, ok := n.Attr("systemLanguage")
	if !ok {
		return true
	}
	for word := range strings.SplitSeq(v, ",") {
		if word = strings.ToLower(strings.TrimSpace(word)); word == "en" || strings.HasPrefix(word, "en-") {
			return true
		}
	}
	return false
}
