package verbs

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

// shift moves an element by a vector in its parent's units: by its coordinates if they
// are plain numbers and nothing else depends on the old ones, or else by its transform.
func (o *op) shift(n *node, by vector.Point) {
	if math.Abs(by.X) < 1e-9 && math.Abs(by.Y) < 1e-9 {
		return
	}
	if !o.free(n, "fill", "stroke", "clip-path", "mask", "filter") || !o.mapGeometry(n, vector.Translate(by.X, by.Y)) {
		o.translate(n, by)
	}
}

// free reports whether an element's coordinates alone determine its position and how it
// is painted.
func (o *op) free(n *node, properties ...string) bool {
	sc := o.scene()
	if _, from := sc.Own(n, "transform"); from != svgdom.Nowhere {
		return false
	}
	for _, p := range properties {
		def := sc.Reference(n, p)
		switch {
		case def == nil:
		case def.Type == "mask":
			if cmp.Or(def.Get("maskContentUnits"), "userSpaceOnUse") == "userSpaceOnUse" {
				return false
			}
		case !o.f.InBoxes(sc, def):
			return false
		}
	}
	return true
}

// plain returns an attribute that is a number without a unit, or 0 if it is missing. It
// reports false for other values.
func (o *op) plain(n *node, key string) (float64, bool) {
	v, from := o.scene().Own(n, key)
	if from == svgdom.Nowhere {
		return 0, true
	}
	f, unit, ok := svgdom.Split(v)
	return f, ok && unit == "" && from == svgdom.Attribute
}

// coordinates lists, for a type, the attributes that are points, and those that are a width and a height.
var coordinates = map[string]struct{ points, lengths []string }{
	"rect": {[]string{"x", "y"}, []string{"width", "height"}}, "image": {[]string{"x", "y"}, []string{"width", "height"}},
	"foreignObject": {[]string{"x", "y"}, []string{"width", "height"}}, "use": {points: []string{"x", "y"}}, "svg": {points: []string{"x", "y"}},
	"circle": {[]string{"cx", "cy"}, []string{"r"}}, "ellipse": {[]string{"cx", "cy"}, []string{"rx", "ry"}}, "line": {points: []string{"x1", "y1", "x2", "y2"}},
}

// mapGeometry maps the geometry of an element by a matrix that scales and moves, if its coordinates alone determine
// its position.
func (o *op) mapGeometry(n *node, m vector.Matrix) bool {
	if math.Abs(m.B) > 1e-9 || math.Abs(m.C) > 1e-9 {
		return false
	}
	moves := m.A == 1 && m.D == 1
	switch typ := n.Type; typ {
	case "polyline", "polygon":
		return o.mapPoints(n, m)
	case "path":
		return o.mapPath(n, m)
	case "text":
		return moves && o.shiftText(n, m.E, m.F)
	case "use", "svg":
		return moves && o.mapAttributes(n, m, coordinates[typ].points, nil)
	default:
		keys, ok := coordinates[typ]
		return ok && o.mapAttributes(n, m, keys.points, keys.lengths)
	}
}

// mapAttributes maps attributes that are the coordinates of points, and lengths, horizontal and vertical ones in turn.
// It reports false, and changes nothing, if one is not a plain number.
func (o *op) mapAttributes(n *node, m vector.Matrix, points, lengths []string) bool {
	was, now := map[string]float64{}, map[string]float64{}
	for _, key := range slices.Concat(points, lengths) {
		f, ok := o.plain(n, key)
		if !ok {
			return false
		}
		was[key] = f
	}
	for at := range slices.Chunk(points, 2) {
		p := m.At(vector.Point{X: was[at[0]], Y: was[at[1]]})
		now[at[0]], now[at[1]] = p.X, p.Y
	}
	for i, key := range lengths {
		now[key] = was[key] * math.Abs([2]float64{m.A, m.D}[i%2])
	}
	for _, key := range slices.Concat(points, lengths) {
		if now[key] != was[key] {
			o.SetAttr(n, key, model.Exact(now[key]))
		}
	}
	return true
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
		if m.Type == "textPath" {
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
				f, _ := o.plain(m, k)
				o.SetAttr(m, k, model.Exact(f+by))
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
		out = append(out, model.Exact(p.X)+sep+model.Exact(p.Y))
	}
	o.SetAttr(n, "points", strings.Join(out, " "))
	return true
}

func (o *op) mapPath(n *node, m vector.Matrix) bool {
	p, err := vector.Parse(n.Get("d"))
	if _, from := o.scene().Own(n, "d"); err != nil || len(p) == 0 || from > svgdom.Attribute {
		return false
	}
	if even := math.Abs(m.A-m.D) < 1e-9; isLive(n) && !o.mapLive(n, m) && even {
		return false // a transform maps it with its parameters
	}
	o.SetAttr(n, "d", p.Transform(m).Round(6).String())
	return true
}

// translate moves an element by its transform.
func (o *op) translate(n *node, by vector.Point) {
	if _, from := o.scene().Own(n, "transform"); from > svgdom.Attribute {
		o.before(n, "translate("+model.Exact(by.X)+","+model.Exact(by.Y)+")")
		return
	}
	rest := strings.TrimSpace(n.Get("transform"))
	if inside, tail, ok := function(rest, "translate"); ok {
		if f := append(vector.Numbers(inside, 2), 0); len(f) > 1 {
			by, rest = by.Plus(vector.Point{X: f[0], Y: f[1]}), tail
		}
	}
	if x, y := model.Exact(by.X), model.Exact(by.Y); x != "0" || y != "0" {
		rest = strings.TrimSpace("translate(" + x + "," + y + ") " + rest)
	}
	o.transform(n, rest)
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
	if m, err := vector.ParseTransform(t); from != svgdom.Sheet && err == nil {
		if p, ok := o.scene().Origin(n); ok { // the attribute applies about that point
			m = m.Times(o.scene().Transform(n)).About(vector.Point{X: -p.X, Y: -p.Y})
			o.transform(n, matrixText(m))
			if from == svgdom.Inline {
				o.SetAttr(n, "style", css.Drop(n.Get("style"), "transform"))
			}
			return
		}
	}
	if m, err := vector.ParseTransform(t); from == svgdom.Sheet && err == nil {
		// A rule overrides the attribute, so write it to the style attribute.
		m = m.Times(o.scene().Transform(n))
		style := css.Set(n.Get("style"), "transform", "matrix("+strings.Join([]string{model.Num(m.A), model.Num(m.B), model.Num(m.C), model.Num(m.D), model.Num(m.E), model.Num(m.F)}, ",")+")")
		if _, from := o.scene().Own(n, "transform-origin"); from != svgdom.Nowhere {
			style = css.Set(style, "transform-origin", "0 0")
		}
		o.SetAttr(n, "style", style)
		return
	}
	if from > svgdom.Attribute {
		own = matrixText(o.scene().Transform(n))
	}
	if own == "none" {
		own = ""
	}
	o.transform(n, strings.TrimSpace(t+" "+own))
	if from == svgdom.Inline {
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
func (o *op) moveOnCanvas(n *node, by vector.Point) bool {
	way, ok := into(o.scene().CTM(n.Parent), by)
	if ok {
		o.shift(n, way)
	}
	return ok
}
