package drawing

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// shift moves an element by a vector in its parent's units: by its coordinates if they
// are plain numbers and nothing else depends on the old ones, or else by its transform.
func (o *op) shift(n *node, dx, dy float64) {
	if math.Abs(dx) < 1e-9 && math.Abs(dy) < 1e-9 {
		return
	}
	if o.free(n, "fill", "stroke", "clip-path", "mask", "filter") && o.shiftGeometry(n, dx, dy) {
		return
	}
	o.translate(n, dx, dy)
}

// free reports whether an element's coordinates alone determine its position and how it
// is painted.
func (o *op) free(n *node, properties ...string) bool {
	sc := o.scene()
	if _, from := sc.Own(n, "transform"); from != scene.Nowhere {
		return false
	}
	for _, p := range properties {
		id := reference(sc.Value(n, p))
		if id == "" {
			continue
		}
		def := o.f.ByID(id)
		if def == nil {
			continue
		}
		units := map[string]string{"linearGradient": "gradientUnits", "radialGradient": "gradientUnits", "pattern": "patternUnits", "clipPath": "clipPathUnits", "mask": "maskContentUnits", "filter": "filterUnits"}[o.f.Type(def)]
		usual := map[string]string{"clipPathUnits": "userSpaceOnUse", "maskContentUnits": "userSpaceOnUse"}[units]
		if v, ok := def.Attr(units); ok {
			usual = v
		}
		if usual == "userSpaceOnUse" {
			return false
		}
	}
	return true
}

// plain returns an attribute that is a number without a unit, or 0 if it is missing. It
// reports false for other values.
func (o *op) plain(n *node, key string) (float64, bool) {
	v, from := o.scene().Own(n, key)
	if from == scene.Nowhere {
		return 0, true
	}
	f, unit, ok := scene.Split(v)
	return f, ok && unit == "" && from == scene.Attribute
}

// add adds a number to attributes if all of them are plain.
func (o *op) add(n *node, by float64, keys ...string) bool {
	for _, k := range keys {
		if _, ok := o.plain(n, k); !ok {
			return false
		}
	}
	for _, k := range keys {
		if f, _ := o.plain(n, k); by != 0 {
			o.SetAttr(n, k, exact(f+by))
		}
	}
	return true
}

func (o *op) addBoth(n *node, dx, dy float64, x, y []string) bool {
	for _, k := range append(append([]string{}, x...), y...) {
		if _, ok := o.plain(n, k); !ok {
			return false
		}
	}
	return o.add(n, dx, x...) && o.add(n, dy, y...)
}

func (o *op) shiftGeometry(n *node, dx, dy float64) bool {
	switch o.f.Type(n) {
	case "rect", "image", "use", "foreignObject", "svg":
		return o.addBoth(n, dx, dy, []string{"x"}, []string{"y"})
	case "circle", "ellipse":
		return o.addBoth(n, dx, dy, []string{"cx"}, []string{"cy"})
	case "line":
		return o.addBoth(n, dx, dy, []string{"x1", "x2"}, []string{"y1", "y2"})
	case "text":
		return o.shiftText(n, dx, dy)
	case "polyline", "polygon":
		return o.mapPoints(n, vector.Translate(dx, dy))
	case "path":
		return o.mapPath(n, vector.Translate(dx, dy))
	}
	return false
}

// shiftText moves a text and those of its parts that have coordinates.
func (o *op) shiftText(n *node, dx, dy float64) bool {
	var list []*node
	for m := range n.All() {
		_, hasX := m.Attr("x")
		_, hasY := m.Attr("y")
		if m != n && !hasX && !hasY {
			continue
		}
		if o.f.Type(m) == "textPath" {
			return false
		}
		for _, k := range []string{"x", "y"} {
			if _, ok := o.plain(m, k); !ok {
				return false
			}
		}
		list = append(list, m)
	}
	for _, m := range list {
		for i, k := range []string{"x", "y"} {
			by := []float64{dx, dy}[i]
			if _, has := m.Attr(k); (has || m == n) && by != 0 {
				o.add(m, by, k)
			}
		}
	}
	return true
}

// mapPoints maps the points of a polygon and keeps the separators.
func (o *op) mapPoints(n *node, m vector.Matrix) bool {
	text := n.Get("points")
	list := vector.Numbers(text, math.MaxInt)
	if len(list) < 2 {
		return false
	}
	out := make([]string, 0, len(list)/2)
	sep := " "
	if strings.Contains(text, ",") {
		sep = ","
	}
	for i := 0; i+1 < len(list); i += 2 {
		p := m.At(vector.Point{X: list[i], Y: list[i+1]})
		out = append(out, exact(p.X)+sep+exact(p.Y))
	}
	o.SetAttr(n, "points", strings.Join(out, " "))
	return true
}

func (o *op) mapPath(n *node, m vector.Matrix) bool {
	p, err := vector.Parse(n.Get("d"))
	if _, from := o.scene().Own(n, "d"); err != nil || len(p) == 0 || from > scene.Attribute {
		return false
	}
	if even := math.Abs(m.A-m.D) < 1e-9; isLive(n) && !o.mapLive(n, m) && even {
		return false // a transform maps it with its parameters
	}
	o.SetAttr(n, "d", p.Transform(m).Round(6).String())
	return true
}

// translate moves an element by its transform.
func (o *op) translate(n *node, dx, dy float64) {
	if _, from := o.scene().Own(n, "transform"); from > scene.Attribute {
		o.before(n, "translate("+exact(dx)+","+exact(dy)+")")
		return
	}
	t, _ := n.Attr("transform")
	rest := strings.TrimSpace(t)
	if inside, tail, ok := function(rest, "translate"); ok {
		f := vector.Numbers(inside, 2)
		if len(f) == 1 {
			f = append(f, 0)
		}
		if len(f) == 2 {
			dx, dy, rest = dx+f[0], dy+f[1], tail
		}
	}
	x, y := exact(dx), exact(dy)
	if x == "0" && y == "0" {
		o.transform(n, rest)
		return
	}
	o.transform(n, strings.TrimSpace("translate("+x+","+y+") "+rest))
}

// function splits name(…) off the start of a transform: it returns the text inside the
// parentheses and the rest.
func function(t, name string) (inside, rest string, ok bool) {
	if !strings.HasPrefix(t, name) {
		return "", t, false
	}
	tail := strings.TrimLeft(t[len(name):], " ")
	if !strings.HasPrefix(tail, "(") {
		return "", t, false
	}
	inside, rest, ok = strings.Cut(tail[1:], ")")
	return inside, strings.TrimLeft(rest, " ,"), ok
}

// transform sets or removes an element's transform.
func (o *op) transform(n *node, t string) {
	if t == "" {
		o.DropAttr(n, "transform")
		return
	}
	o.SetAttr(n, "transform", t)
}

// before puts a transform before the element's own, as its parent sees it. It moves a
// transform in a style to the attribute.
func (o *op) before(n *node, t string) {
	own, from := o.scene().Own(n, "transform")
	if m, err := vector.ParseTransform(t); from != scene.Sheet && err == nil {
		if x, y, ok := o.scene().Origin(n); ok { // the attribute applies about that point
			m = vector.Translate(-x, -y).Times(m).Times(o.scene().Transform(n)).Times(vector.Translate(x, y))
			o.transform(n, matrixText(m))
			if from == scene.Inline {
				o.SetAttr(n, "style", css.Drop(n.Get("style"), "transform"))
			}
			return
		}
	}
	if m, err := vector.ParseTransform(t); from == scene.Sheet && err == nil {
		// A rule overrides the attribute, so write it to the style attribute.
		m = m.Times(o.scene().Transform(n))
		style := css.Set(n.Get("style"), "transform", "matrix("+strings.Join([]string{num(m.A), num(m.B), num(m.C), num(m.D), num(m.E), num(m.F)}, ",")+")")
		if _, from := o.scene().Own(n, "transform-origin"); from != scene.Nowhere {
			style = css.Set(style, "transform-origin", "0 0")
		}
		o.SetAttr(n, "style", style)
		return
	}
	if from > scene.Attribute {
		own = matrixText(o.scene().Transform(n))
	}
	if own == "none" {
		own = ""
	}
	o.transform(n, strings.TrimSpace(t+" "+own))
	if from == scene.Inline {
		o.SetAttr(n, "style", css.Drop(n.Get("style"), "transform"))
	}
}

// matrixText prints a matrix as a transform with rounded numbers, or "" for the
// identity.
func matrixText(m vector.Matrix) string {
	r := func(f float64) float64 { return math.Round(f*1e6) / 1e6 }
	return vector.Matrix{A: r(m.A), B: r(m.B), C: r(m.C), D: r(m.D), E: r(m.E), F: r(m.F)}.String()
}

// moveOnCanvas moves an element by a vector on the canvas.
func (o *op) moveOnCanvas(n *node, dx, dy float64) bool {
	x, y, ok := into(o.scene().CTM(n.Parent), dx, dy)
	if ok {
		o.shift(n, x, y)
	}
	return ok
}
