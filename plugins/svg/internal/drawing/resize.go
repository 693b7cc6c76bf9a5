package drawing

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

func resizeVerb() verb {
	return verb{Run: running(runResize), Verb: abi.Verb{
		Name: "resize", Category: "place", Select: true, Max: -1,
		Syntax: "resize REF…|SEL WxH | w:N | h:N [from:REGION] [each]", Brief: "resize REF…|SEL WxH | w: | h: [from:center] [each]",
		Summary:  "give elements a size on the canvas, several as one: their shape, not their stroke; groups are scaled; each gives each of them that size",
		Params:   []abi.Param{{Key: "w", Value: "N"}, {Key: "h", Value: "N"}, {Key: "from", Value: strings.Join(regions(), "|") + ": what stays where it is"}},
		Examples: []string{"resize card 200x120", "resize logo w:64", "resize dot 12x12 from:center", "resize card h:60 from:bottom", "resize dot card 60x60 from:center each"},
	}}
}

func runResize(o *op) error {
	each := o.cutFlag("each")
	words := len(o.a.Positionals)
	w, h := 0.0, 0.0
	if words > 0 && !o.a.Has("w") && !o.a.Has("h") {
		var err error
		if w, h, err = size("size", o.a.Text(words-1)); err != nil {
			if _, _, two := pair(o.a.Text(words-1), "x"); two {
				return err
			}
			return pdk.Errorf("resize needs a size: WxH, w:N or h:N")
		}
		words--
	}
	var err error
	if w, err = o.a.Float("w", w, 0.001, maxCoordinate); err != nil {
		return err
	}
	if h, err = o.a.Float("h", h, 0.001, maxCoordinate); err != nil {
		return err
	}
	if w == 0 && h == 0 {
		return pdk.Errorf("resize needs a size: WxH, w:N or h:N")
	}
	from := o.a.String("from", "top-left")
	x, y, ok := region(from)
	if !ok {
		return pdk.Errorf("from:%s is not one of %s", from, strings.Join(regions(), " ")).Instead(from, pdk.Nearest(from, regions())...)
	}
	list, err := o.movableTargets(0, words)
	if err != nil {
		return err
	}
	o.unchanged = o.f.names(list) + ": already of that size"
	common, boxed := o.union(list)
	if !boxed {
		return pdk.Errorf("%s has no size to change", o.f.names(list))
	}
	for _, n := range list {
		b := common
		if each || len(list) == 1 {
			b, _ = o.scene().Box(n)
		}
		if err := o.resize(n, b, len(list) > 1 && !each, w, h, vector.Point{X: x, Y: y}); err != nil {
			if bad, ok := err.(*pdk.Error); ok && len(list) > 1 {
				bad.Tries = nil // the suggestions are for one of several elements
			}
			return err
		}
	}
	o.touch(list...)
	o.placedReply(list)
	for _, n := range list {
		if id := reference(o.scene().Value(n, "clip-path")); id != "" {
			o.Warn("%s is still cut by the clip %s, which is unchanged", o.f.name(n), id)
			break
		}
	}
	return nil
}

// resize gives an element, or the elements with the common box b together, a size on the canvas. A side of 0 scales with the
// other one, except that of a single rect, which stays unchanged. The point of b at the fractions from stays in place.
func (o *op) resize(n *node, b vector.Box, together bool, w, h float64, from vector.Point) error {
	if !(b.Width() > 0 || b.Height() > 0) {
		return pdk.Errorf("%s has no size to change", o.f.name(n))
	}
	sx, sy := 1.0, 1.0
	if w > 0 && b.Width() > 0 {
		sx = w / b.Width()
	}
	if h > 0 && b.Height() > 0 {
		sy = h / b.Height()
	}
	keepsRatio := together || o.f.Type(n) != "rect"
	if w == 0 && keepsRatio {
		sx = sy
	}
	if h == 0 && keepsRatio {
		sy = sx
	}
	if math.Abs(sx-1) < 1e-9 && math.Abs(sy-1) < 1e-9 {
		return nil
	}
	if o.f.Type(n) == "circle" && math.Abs(sx-sy) > 1e-6 {
		if together {
			return pdk.Errorf("a circle stays round: %s cannot be resized by %sx%s", o.f.name(n), short(sx), short(sy))
		}
		s := math.Min(b.Width()*sx, b.Height()*sy)
		return pdk.Errorf("a circle stays round: %s cannot be %sx%s", o.f.name(n), short(b.Width()*sx), short(b.Height()*sy)).
			Tryf("resize %s %sx%s", o.f.name(n), short(s), short(s))
	}
	if o.f.Type(n) == "text" {
		return pdk.Errorf("the size of a text is that of its font: style %s font-size:N", o.f.name(n)).Tryf("scale %s %s", o.f.name(n), num(sx))
	}
	pivot := vector.Point{X: b.X0 + from.X*b.Width(), Y: b.Y0 + from.Y*b.Height()}
	ctm := o.scene().CTM(n.Parent)
	inv, ok := ctm.Inverse()
	if !ok {
		return pdk.Errorf("%s lies in something that is flattened to nothing", o.f.name(n))
	}
	local := inv.Times(around(pivot, vector.Scale(sx, sy))).Times(ctm)
	if !o.rescale(n, local) {
		o.before(n, matrixText(local))
	}
	return nil
}

// rescale maps the geometry of an element by a matrix that scales and translates, if
// its coordinates alone determine its position.
func (o *op) rescale(n *node, m vector.Matrix) bool {
	if !o.free(n, "fill", "stroke") || math.Abs(m.B) > 1e-9 || math.Abs(m.C) > 1e-9 {
		return false
	}
	at := func(x, y string) (vector.Point, bool) {
		fx, ok := o.plain(n, x)
		fy, ok2 := o.plain(n, y)
		return m.At(vector.Point{X: fx, Y: fy}), ok && ok2
	}
	scaled := func(key string, by float64) (string, bool) {
		f, ok := o.plain(n, key)
		return exact(f * math.Abs(by)), ok
	}
	set := map[string]string{}
	good := true
	side := func(key string, by float64) {
		v, ok := scaled(key, by)
		if good = good && ok; n.Get(key) != "" {
			set[key] = v
		}
	}
	corner := func(x, y string) {
		p, ok := at(x, y)
		if good = good && ok; ok {
			set[x], set[y] = exact(p.X), exact(p.Y)
		}
	}
	switch o.f.Type(n) {
	case "rect", "image", "foreignObject":
		corner("x", "y")
		side("width", m.A)
		side("height", m.D)
	case "circle":
		corner("cx", "cy")
		side("r", m.A)
	case "ellipse":
		corner("cx", "cy")
		side("rx", m.A)
		side("ry", m.D)
	case "line":
		corner("x1", "y1")
		corner("x2", "y2")
	case "polyline", "polygon":
		return o.mapPoints(n, m)
	case "path":
		return o.mapPath(n, m)
	default:
		return false
	}
	if !good {
		return false
	}
	for _, key := range []string{"x", "y", "cx", "cy", "x1", "y1", "x2", "y2", "width", "height", "r", "rx", "ry"} {
		v, ok := set[key]
		if _, has := n.Attr(key); ok && (has || v != "0") {
			o.SetAttr(n, key, v)
		}
	}
	return true
}
