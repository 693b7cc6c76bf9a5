package verbs

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// geometry maps the attributes for an element's position and size to the axis of their
// percentages.
var geometry = map[string]svgdom.Axis{
	"x": svgdom.X, "y": svgdom.Y, "width": svgdom.X, "height": svgdom.Y, "cx": svgdom.X, "cy": svgdom.Y, "r": svgdom.Other, "rx": svgdom.X, "ry": svgdom.Y,
	"x1": svgdom.X, "y1": svgdom.Y, "x2": svgdom.X, "y2": svgdom.Y, "dx": svgdom.X, "dy": svgdom.Y,
}

// attribute checks a key of add or modify for elements of a type, and returns the
// attribute's name and value.
func (o *op) attribute(typ string, kv abi.KeyValue) (key, v string, err error) {
	key, v = kv.Key, kv.Value
	if axis, ok := geometry[key]; ok && !(key == "width" && !hasSize(typ)) {
		if !fits(typ, key) {
			return "", "", pdk.Errorf("a %s has no %s", typ, key).Try(o.a.Mended(pdk.Without(key)))
		}
		f, unit, ok := svgdom.Split(v)
		if typ == "text" || typ == "tspan" {
			ok = ok || len(vector.Numbers(v, 1)) > 0
			unit = ""
		}
		if v != "" && (!ok || !isUnit(unit)) {
			return "", "", pdk.Errorf("%s:%s is not a length", key, v)
		}
		if f < 0 && (axis == svgdom.Other || key == "width" || key == "height" || key == "rx" || key == "ry") {
			return "", "", pdk.Errorf("%s:%s: it cannot be negative", key, v).Instead(v, strings.TrimPrefix(v, "-"))
		}
		return key, v, nil
	}
	if p, ok := property(key); ok {
		v, err = propertyValue(o.f, p, v)
		return p.Name, v, err
	}
	switch {
	case key == "href":
		return o.href(v)
	case key == "transform":
		if _, err := vector.ParseTransform(v); err != nil {
			return "", "", pdk.Errorf("transform: %v", err)
		}
		return key, v, nil
	case plainAttribute(key):
		return key, v, nil
	}
	err = o.noAttribute(typ, kv)
	return "", "", err
}

func hasSize(typ string) bool {
	switch typ {
	case "rect", "image", "use", "svg", "foreignObject", "pattern", "mask", "filter", "symbol":
		return true
	}
	return false
}

// geometryOf lists the geometric attributes that elements of a type have.
var geometryOf = map[string][]string{
	"rect": {"x", "y", "width", "height", "rx", "ry"}, "image": {"x", "y", "width", "height"}, "use": {"x", "y", "width", "height"}, "circle": {"cx", "cy", "r"}, "ellipse": {"cx", "cy", "rx", "ry"},
	"line": {"x1", "y1", "x2", "y2"}, "text": {"x", "y", "dx", "dy"}, "polygon": nil, "polyline": nil, "path": nil, "g": nil,
}

// fits reports whether elements of a type have a geometric attribute.
func fits(typ, key string) bool {
	list, known := geometryOf[typ]
	return !known || slices.Contains(list, key)
}

// plainAttribute reports whether an attribute may contain any text.
func plainAttribute(key string) bool {
	switch key {
	case "class", "style", "lang", "role", "tabindex", "target", "preserveAspectRatio", "viewBox", "points", "d", "pathLength", "textLength", "lengthAdjust", "rotate", "startOffset",
		"gradientUnits", "gradientTransform", "spreadMethod", "fx", "fy", "fr", "offset", "patternUnits", "patternTransform", "patternContentUnits", "clipPathUnits", "maskUnits", "maskContentUnits",
		"markerWidth", "markerHeight", "refX", "refY", "orient", "markerUnits", "filterUnits", "primitiveUnits", "stdDeviation", "in", "in2", "result", "values", "type", "mode", "operator", "k1", "k2", "k3", "k4", "systemLanguage", "media":
		return true
	}
	return strings.HasPrefix(key, "data-") || strings.HasPrefix(key, "aria-")
}

// href checks an address. It refuses scripts.
func (o *op) href(v string) (key, value string, err error) {
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(v)), "javascript:") {
		return "", "", pdk.Errorf("href: takes no script")
	}
	if id, ok := strings.CutPrefix(v, "#"); ok && o.f.ByID(id) == nil {
		return "", "", pdk.Errorf("nothing has the id %s", pdk.Quote(id)).Instead(v, o.f.Names().Nearest(id)...)
	}
	if strings.Contains(o.f.Root.Tag, "xmlns:xlink") {
		return "xlink:href", v, nil
	}
	return "href", v, nil
}

// keySynonyms maps other words to keys of add and modify.
var keySynonyms = map[string]string{"center": "at", "centre": "at", "position": "at", "pos": "at", "radius": "r", "colour": "fill", "background": "fill", "w": "width", "h": "height", "parent": "in", "label": "text", "content": "text", "name": "id", "src": "href", "url": "href", "corner": "rx", "corners": "rx", "thickness": "stroke-width", "border": "stroke", "dash": "stroke-dasharray"}

func (o *op) noAttribute(typ string, kv abi.KeyValue) error {
	err := pdk.Errorf("%s: is not an attribute or property of this element", kv.Key)
	if means, ok := keySynonyms[strings.ToLower(kv.Key)]; ok {
		err.Message += "; " + means + ": is"
		return err.Try(o.a.Mended(pdk.WithKey(kv.Key, means)))
	}
	names := propertyNames()
	for k := range geometry {
		names = append(names, k)
	}
	for _, p := range addVerb().Params {
		names = append(names, p.Key)
	}
	names = slices.DeleteFunc(names, func(k string) bool { _, place := geometry[k]; return place && !fits(typ, k) })
	slices.Sort(names)
	near := pdk.Nearest(kv.Key, slices.Compact(names))
	for _, k := range near {
		err.Try(o.a.Mended(pdk.WithKey(kv.Key, k)))
	}
	if len(near) > 0 {
		err.Message += "; nearest: " + strings.Join(near, ", ")
	}
	err.Message += "; data-" + strconv.Quote(kv.Key)[1:len(kv.Key)+1] + ": stores your own data"
	return err
}
