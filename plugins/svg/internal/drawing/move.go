package drawing

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
)

func dropProperty(style, name string) string { return css.Drop(style, name) }

func moveVerb() verb {
	return verb{Run: running(runMove), Verb: abi.Verb{
		Name: "move", Category: "place", Select: true, Max: -1,
		Syntax:   "move REF…|SEL by:DX,DY | at:X,Y|REGION | right-of:REF|left-of:|above:|below:|on: [gap:N]",
		Brief:    "move REF…|SEL by:DX,DY | at:X,Y|REGION | right-of:REF left-of: above: below: on: [gap:] · at: is where the box's corner goes; several move as one",
		Summary:  "move elements, several as one; at: is where the corner of their box goes",
		Params:   append([]abi.Param{{Key: "by", Value: "DX,DY"}}, placeParams()...),
		Examples: []string{"move dot by:10,-5", "move legend at:20,20", "move @class:label by:0,4", "move card below:heading gap:12", "move logo at:center"},
	}}
}

func runMove(o *op) error {
	list, err := o.placed(0, len(o.a.Positionals))
	if err != nil {
		return err
	}
	var by vector.Point
	if v, ok := o.a.Param("by"); ok {
		if by, err = point("by", v); err != nil {
			return err
		}
	} else {
		where, err := o.place()
		if err != nil {
			return err
		}
		b, ok := o.union(list)
		switch {
		case !where.given:
			return pdk.Errorf("move needs where to: by:DX,DY, at:X,Y, or right-of:REF, left-of:, above:, below:, on:")
		case !ok:
			return pdk.Errorf("%s has no box to place; move it by:DX,DY", o.f.names(list))
		case where.point != nil:
			by = vector.Point{X: where.point.X - b.X0, Y: where.point.Y - b.Y0}
		default:
			to, c := where.center(b.Width(), b.Height()), center(b)
			by = vector.Point{X: to.X - c.X, Y: to.Y - c.Y}
		}
	}
	o.already = o.f.names(list) + ": there already"
	for _, n := range list {
		if !o.moveOnCanvas(n, by.X, by.Y) {
			return pdk.Errorf("%s lies in something that is flattened to nothing", o.f.name(n))
		}
	}
	o.touch(list...)
	o.placedReply(list)
	return nil
}

// union is the box of several elements on the canvas.
func (o *op) union(list []*node) (vector.Box, bool) {
	out, some := vector.Empty(), false
	for _, n := range list {
		if b, ok := o.scene().Box(n); ok {
			out, some = out.Union(b), true
		}
	}
	return out, some
}

// placedReply says where elements are now.
func (o *op) placedReply(list []*node) {
	where := ""
	if b, ok := o.union(list); ok {
		where = " " + box(b)
		c := o.scene().Canvas()
		if b.X1 <= c.X0 || b.Y1 <= c.Y0 || b.X0 >= c.X1 || b.Y0 >= c.Y1 {
			o.Warn("%s lies outside the canvas %s", o.f.names(list), box(c))
		}
	}
	if len(list) > 3 {
		o.Bulk("%s%s", plural(len(list), "element"), where)
		return
	}
	o.Changed("%s%s", o.f.names(list), where)
}

func resizeVerb() verb {
	return verb{Run: running(runResize), Verb: abi.Verb{
		Name: "resize", Category: "place", Select: true, Max: -1,
		Syntax: "resize REF…|SEL WxH | w:N | h:N [from:REGION]", Brief: "resize REF…|SEL WxH | w: | h: [from:center|bottom…] · the shape, not its stroke; w: alone keeps the ratio of all but rects",
		Summary:  "give elements a size on the canvas: their shape, not their stroke; groups are scaled",
		Params:   []abi.Param{{Key: "w", Value: "N"}, {Key: "h", Value: "N"}, {Key: "from", Value: strings.Join(regions(), "|") + ": what stays where it is"}},
		Examples: []string{"resize card 200x120", "resize logo w:64", "resize dot 12x12 from:center", "resize card h:60 from:bottom"},
	}}
}

func runResize(o *op) error {
	words := len(o.a.Positionals)
	w, h := 0.0, 0.0
	if words > 0 && !o.a.Has("w") && !o.a.Has("h") {
		var err error
		if w, h, err = size("size", o.a.Text(words-1)); err != nil {
			return pdk.Errorf("resize needs a size: WxH, w:N or h:N")
		}
		words--
	}
	var err error
	if w, err = o.a.Float("w", w, 0.001, most); err != nil {
		return err
	}
	if h, err = o.a.Float("h", h, 0.001, most); err != nil {
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
	list, err := o.placed(0, words)
	if err != nil {
		return err
	}
	o.already = o.f.names(list) + ": of that size already"
	for _, n := range list {
		if err := o.resize(n, w, h, vector.Point{X: x, Y: y}); err != nil {
			return err
		}
	}
	o.touch(list...)
	o.placedReply(list)
	return nil
}

// resize gives an element a size on the canvas, 0 for the side that follows. The
// point of its box at the shares from stays where it is.
func (o *op) resize(n *node, w, h float64, from vector.Point) error {
	b, ok := o.scene().Box(n)
	if !ok || b.Width() == 0 && b.Height() == 0 {
		return pdk.Errorf("%s has no size to change", o.f.name(n))
	}
	sx, sy := 1.0, 1.0
	if w > 0 && b.Width() > 0 {
		sx = w / b.Width()
	}
	if h > 0 && b.Height() > 0 {
		sy = h / b.Height()
	}
	keepsRatio := o.f.Type(n) != "rect"
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
		s := math.Min(b.Width()*sx, b.Height()*sy)
		return pdk.Errorf("a circle stays round: %s cannot be %sx%s", o.f.name(n), short(b.Width()*sx), short(b.Height()*sy)).
			Tryf("resize %s %sx%s", o.f.name(n), short(s), short(s))
	}
	if o.f.Type(n) == "text" {
		return pdk.Errorf("a text is as large as its font: style %s font-size:N", o.f.name(n)).Tryf("scale %s %s", o.f.name(n), num(sx))
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

// rescale maps the geometry of an element by a matrix that scales and shifts, if
// its coordinates are all that says where it lies.
func (o *op) rescale(n *node, m vector.Matrix) bool {
	if !o.free(n) || math.Abs(m.B) > 1e-9 || math.Abs(m.C) > 1e-9 {
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

// turnVerb is a verb that transforms elements about a point.
func turnVerb(v abi.Verb, read func(o *op) (words int, m vector.Matrix, text func(p vector.Point) string, err error)) verb {
	v.Category, v.Select, v.Max = "place", true, -1
	v.Params = append(v.Params, abi.Param{Key: "about", Value: "X,Y|REF: what stays where it is; their own middle otherwise"})
	return verb{Verb: v, Run: running(func(o *op) error {
		words, m, text, err := read(o)
		if err != nil {
			return err
		}
		list, err := o.placed(0, words)
		if err != nil {
			return err
		}
		var about *vector.Point
		if ref, ok := o.a.Param("about"); ok {
			p, err := point("about", ref)
			if err != nil {
				n, none := o.f.find(ref, false)
				if none != nil {
					return err
				}
				b, ok := o.scene().Box(n)
				if !ok {
					return pdk.Errorf("%s has no middle", o.f.name(n))
				}
				p = center(b)
			}
			about = &p
		}
		for _, n := range list {
			if err := o.turn(n, m, text, about); err != nil {
				return err
			}
		}
		o.already = "that changes nothing"
		o.touch(list...)
		o.placedReply(list)
		return nil
	})}
}

// turn puts a transform about a point before that of an element.
func (o *op) turn(n *node, m vector.Matrix, text func(p vector.Point) string, about *vector.Point) error {
	b, ok := o.scene().Box(n)
	if !ok && about == nil {
		return pdk.Errorf("%s has no box; say about:X,Y", o.f.name(n))
	}
	p := center(b)
	if about != nil {
		p = *about
	}
	ctm := o.scene().CTM(n.Parent)
	inv, ok := ctm.Inverse()
	if !ok {
		return pdk.Errorf("%s lies in something that is flattened to nothing", o.f.name(n))
	}
	local := inv.At(p)
	want := around(local, m).Times(o.scene().Transform(n))
	if o.merged(n, m, local) {
		return nil
	}
	o.before(n, text(local))
	if matrixText(want) == "" {
		o.transform(n, "")
	}
	return nil
}

// merged adds to the angle of an element that is turned about the same point
// already.
func (o *op) merged(n *node, m vector.Matrix, p vector.Point) bool {
	if math.Abs(m.A*m.A+m.B*m.B-1) > 1e-9 || math.Abs(m.A-m.D) > 1e-9 || math.Abs(m.B+m.C) > 1e-9 {
		return false
	}
	inside, rest, ok := function(strings.TrimSpace(n.Get("transform")), "rotate")
	f := vector.Numbers(inside, 3)
	if !ok || rest != "" || len(f) != 3 || math.Abs(f[1]-p.X) > 0.01 || math.Abs(f[2]-p.Y) > 0.01 {
		return false
	}
	angle := math.Mod(f[0]+math.Atan2(m.B, m.A)*180/math.Pi, 360)
	if math.Abs(angle) < 1e-6 {
		o.transform(n, "")
	} else {
		o.transform(n, "rotate("+num(angle)+" "+num(f[1])+" "+num(f[2])+")")
	}
	return true
}

func rotateVerb() verb {
	return turnVerb(abi.Verb{
		Name: "rotate", Syntax: "rotate REF…|SEL DEGREES [about:X,Y|REF]", Brief: "rotate REF…|SEL DEGREES [about:X,Y|REF] · clockwise, about the middle", Summary: "turn elements clockwise about their middle",
		Examples: []string{"rotate logo 45", "rotate hand 90 about:100,100"},
	}, func(o *op) (int, vector.Matrix, func(vector.Point) string, error) {
		words := len(o.a.Positionals) - 1
		angle, ok := number(strings.TrimSuffix(strings.TrimSuffix(o.a.Text(words), "deg"), "°"))
		if words < 0 || !ok {
			return 0, vector.Matrix{}, nil, pdk.Errorf("rotate needs an angle in degrees behind its elements, such as rotate logo 45")
		}
		return words, vector.Rotate(angle), func(p vector.Point) string {
			if math.Mod(angle, 360) == 0 {
				return ""
			}
			return "rotate(" + num(angle) + " " + num(p.X) + " " + num(p.Y) + ")"
		}, nil
	})
}

func scaleVerb() verb {
	return turnVerb(abi.Verb{
		Name: "scale", Syntax: "scale REF…|SEL F|FX,FY [about:X,Y|REF]", Brief: "scale REF…|SEL F|FX,FY [about:] · with its stroke; -1,1 mirrors", Summary: "scale elements with their strokes by a factor, about their middle; -1,1 mirrors",
		Params:   []abi.Param{{Key: "x", Value: "F"}, {Key: "y", Value: "F"}},
		Examples: []string{"scale logo 1.5", "scale logo -1,1"},
	}, func(o *op) (int, vector.Matrix, func(vector.Point) string, error) {
		words := len(o.a.Positionals) - 1
		text := o.a.Text(words)
		if o.a.Has("x") || o.a.Has("y") {
			words, text = words+1, o.a.String("x", "1")+","+o.a.String("y", "1")
		}
		if share, ok := strings.CutSuffix(text, "%"); ok {
			if f, err := strconv.ParseFloat(share, 64); err == nil {
				text = num(f / 100)
			}
		}
		x, y, ok := pair(text, ",")
		if f, one := number(text); one {
			x, y, ok = f, f, true
		}
		if words < 0 || !ok || x == 0 || y == 0 {
			return 0, vector.Matrix{}, nil, pdk.Errorf("scale needs a factor behind its elements, such as scale logo 1.5 or scale logo 2,1")
		}
		m := vector.Scale(x, y)
		return words, m, func(p vector.Point) string { return matrixText(around(p, m)) }, nil
	})
}

func skewVerb() verb {
	return turnVerb(abi.Verb{
		Name: "skew", Syntax: "skew REF…|SEL x:DEGREES | y:DEGREES [about:X,Y|REF]", Brief: "skew REF…|SEL x:DEGREES | y:DEGREES [about:]", Summary: "slant elements",
		Params:   []abi.Param{{Key: "x", Value: "DEGREES"}, {Key: "y", Value: "DEGREES"}},
		Examples: []string{"skew card x:15"},
	}, func(o *op) (int, vector.Matrix, func(vector.Point) string, error) {
		x, err := o.a.Float("x", 0, -89, 89)
		if err != nil {
			return 0, vector.Matrix{}, nil, err
		}
		y, err := o.a.Float("y", 0, -89, 89)
		if err != nil {
			return 0, vector.Matrix{}, nil, err
		}
		if x == 0 && y == 0 {
			return 0, vector.Matrix{}, nil, pdk.Errorf("skew needs x:DEGREES or y:DEGREES")
		}
		m := vector.Matrix{A: 1, B: math.Tan(y * math.Pi / 180), C: math.Tan(x * math.Pi / 180), D: 1}
		return len(o.a.Positionals), m, func(p vector.Point) string { return matrixText(around(p, m)) }, nil
	})
}
