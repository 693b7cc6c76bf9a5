package drawing

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// shape sets the geometry of the element.
func (n *addition) shape(o *op) error {
	if v, ok := o.a.Param("size"); ok {
		w, h, err := size("size", v)
		if err != nil {
			return err
		}
		sx, sy := stretch(n.ctm)
		n.w, n.h, n.sized = w/sx, h/sy, true
		if n.kind == "text" || n.kind == "group" {
			return pdk.Errorf("size: is not for a %s", n.kind).Try(o.a.Mended(pdk.Without("size")))
		}
	}
	if err := n.needs(o); err != nil {
		return err
	}
	switch n.kind {
	case "rect":
		n.corner(o, 100, 60)
	case "image":
		w, h, err := n.embed(o)
		if err != nil {
			return err
		}
		n.corner(o, w, h)
	case "circle", "ellipse":
		n.round(o)
	case "line":
		return n.line(o)
	case "polyline", "polygon":
		return n.polygon(o)
	case "path":
		return n.path(o)
	case "text":
		n.baseline(o)
	case "use":
		return n.use(o)
	case "group":
		if n.where.given {
			return pdk.Errorf("a group is where its elements are: add it without a place").Try(o.a.Mended(pdk.Without(placeKeys...)))
		}
	}
	return nil
}

// ofKinds lists keys of add that only some kinds accept, with these kinds.
var ofKinds = [][2]string{{"from", "line"}, {"to", "line"}, {"sides", "polygon"}, {"star", "polygon"}, {"of", "use"}, {"points", "polygon polyline"}, {"d", "path"}, {"file", "image"}}

// needs refuses keys of other kinds.
func (n *addition) needs(o *op) error {
	for _, k := range ofKinds {
		key, kinds := k[0], k[1]
		if o.a.Has(key) && !slices.Contains(strings.Fields(kinds), n.kind) {
			return pdk.Errorf("%s: is for %s, not for %s", key, strings.ReplaceAll(kinds, " ", " or "), n.kind).Try(o.a.Mended(pdk.Without(key)))
		}
	}
	return nil
}

// attr returns a numeric attribute from the op, or def.
func (n *addition) attr(o *op, key string, def float64) float64 {
	if f, _, ok := scene.Split(o.a.String(key, "")); ok {
		return f
	}
	return def
}

// put sets an attribute unless the op sets it.
func (n *addition) put(o *op, key string, f float64) {
	if !o.a.Has(key) {
		n.set(key, num(f))
	}
}

// local returns where the middle of an element of size w by h goes, in the parent's
// units, and whether the op says so.
func (n *addition) local(o *op, w, h float64) (vector.Point, bool) {
	inv, ok := n.ctm.Inverse()
	if !ok {
		return vector.Point{}, false
	}
	sx, sy := stretch(n.ctm)
	if n.where.center != nil {
		return inv.At(n.where.center(w*sx, h*sy)), true
	}
	if n.where.given {
		return vector.Point{}, false
	}
	b, ok := vector.Box{}, false
	if n.parent != o.f.Root {
		b, ok = o.scene().Box(n.parent)
	}
	if !ok {
		b = o.scene().Canvas()
	}
	return inv.At(center(b)), true
}

// at returns the point that at: names, in the parent's units.
func (n *addition) at() (vector.Point, bool) {
	inv, ok := n.ctm.Inverse()
	if n.where.point == nil || !ok {
		return vector.Point{}, false
	}
	return inv.At(*n.where.point), true
}

func (n *addition) corner(o *op, defW, defH float64) {
	if !n.sized {
		n.w, n.h = n.attr(o, "width", defW), n.attr(o, "height", defH)
	}
	x, y := 0.0, 0.0
	if p, ok := n.at(); ok {
		x, y = p.X, p.Y
	} else if p, ok := n.local(o, n.w, n.h); ok {
		x, y = p.X-n.w/2, p.Y-n.h/2
	}
	n.put(o, "x", x)
	n.put(o, "y", y)
	n.put(o, "width", n.w)
	n.put(o, "height", n.h)
}

func (n *addition) round(o *op) {
	rx, ry := n.attr(o, "rx", 50), n.attr(o, "ry", 30)
	if n.kind == "circle" {
		rx = n.attr(o, "r", 25)
		ry = rx
	}
	if n.sized {
		rx, ry = n.w/2, n.h/2
		if n.kind == "circle" {
			rx = math.Min(rx, ry)
			ry = rx
		}
	}
	p, ok := n.at()
	if !ok {
		p, _ = n.local(o, 2*rx, 2*ry)
	}
	n.put(o, "cx", p.X)
	n.put(o, "cy", p.Y)
	if n.kind == "circle" {
		n.put(o, "r", rx)
		return
	}
	n.put(o, "rx", rx)
	n.put(o, "ry", ry)
}

func (n *addition) line(o *op) error {
	inv, ok := n.ctm.Inverse()
	if !ok {
		inv = vector.Identity()
	}
	ends := [2]vector.Point{{}, {X: 100}}
	for i, key := range []string{"from", "to"} {
		v, given := o.a.Param(key)
		if !given {
			continue
		}
		p, err := point(key, v)
		if err != nil {
			if m, none := o.f.find(v, false); none == nil {
				if b, boxed := o.scene().Box(m); boxed {
					p, err = center(b), nil
				}
			}
			if err != nil {
				return err
			}
		}
		ends[i] = inv.At(p)
	}
	switch {
	case o.a.Has("from") != o.a.Has("to"):
		return pdk.Errorf("a line needs from: and to:, each a point X,Y or an element")
	case !o.a.Has("from"):
		if n.sized {
			ends[1] = vector.Point{X: n.w, Y: n.h}
		}
		shift, ok := n.at()
		if !ok {
			w, h := ends[1].X, ends[1].Y
			c, _ := n.local(o, w, h)
			shift = vector.Point{X: c.X - w/2, Y: c.Y - h/2}
		}
		for i := range ends {
			ends[i].X, ends[i].Y = ends[i].X+shift.X, ends[i].Y+shift.Y
		}
	}
	for i, k := range []string{"1", "2"} {
		n.put(o, "x"+k, ends[i].X)
		n.put(o, "y"+k, ends[i].Y)
	}
	return nil
}

func (n *addition) polygon(o *op) error {
	sides, err := o.a.Int("sides", 0, 3, 100)
	if err != nil {
		return err
	}
	text, given := o.a.Param("points")
	var list []float64
	switch {
	case given && sides > 0:
		return pdk.Errorf("points: and sides: both give the shape; use one").Try(o.a.Mended(pdk.Without("sides")))
	case given:
		list = vector.Numbers(text, 1<<20)
		if len(list) < 4 || len(list)%2 != 0 {
			return pdk.Errorf(`points:%s is not a list of points, such as points:"0,0 40,0 20,30"`, pdk.Quote(line(text, 60)))
		}
	case sides > 0:
		deep, err := o.a.Float("star", 1, 0.01, 1)
		if err != nil {
			return err
		}
		r, err := o.a.Float("r", 50, 0, maxCoordinate)
		if err != nil {
			return err
		}
		list = regular(sides, r, deep)
	default:
		return pdk.Errorf(`a %s needs points:"X,Y X,Y…"%s`, n.kind, map[string]string{"polygon": ", or sides:N and r:"}[n.kind])
	}
	p := vector.Polygon(list, true)
	b, _ := p.Box(vector.Identity())
	m := n.into(o, b, !given)
	var out []string
	for i := 0; i+1 < len(list); i += 2 {
		q := m.At(vector.Point{X: list[i], Y: list[i+1]})
		out = append(out, num(q.X)+","+num(q.Y))
	}
	n.set("points", strings.Join(out, " "))
	return nil
}

// regular returns the points of a regular polygon or star around 0,0.
func regular(sides int, r, deep float64) (out []float64) {
	k := 1
	if deep < 1 {
		k = 2
	}
	for i := range sides * k {
		length := r
		if i%2 == 1 && k == 2 {
			length = r * deep
		}
		sin, cos := math.Sincos(2*math.Pi*float64(i)/float64(sides*k) - math.Pi/2)
		out = append(out, length*cos, length*sin)
	}
	return out
}

// into maps a drawing with box b to its position and size. A drawing with coordinates
// of its own stays there unless the op says otherwise. at: is its corner, or its centre
// if it is round.
func (n *addition) into(o *op, b vector.Box, round bool) vector.Matrix {
	m := vector.Identity()
	if n.sized && b.Width() > 0 && b.Height() > 0 {
		m = vector.Scale(n.w/b.Width(), n.h/b.Height())
	}
	now := m.Bounds(b)
	to := center(now)
	switch p, ok := n.at(); {
	case ok && round:
		to = p
	case ok:
		to = vector.Point{X: p.X + now.Width()/2, Y: p.Y + now.Height()/2}
	case n.where.given || round:
		if q, ok := n.local(o, now.Width(), now.Height()); ok {
			to = q
		}
	}
	c := center(now)
	return vector.Translate(to.X-c.X, to.Y-c.Y).Times(m)
}

func (n *addition) path(o *op) error {
	d, ok := o.a.Param("d")
	if !ok {
		return pdk.Errorf(`a path needs its data: add path ID d:"M0 0 L40 20"`)
	}
	p, err := vector.Parse(d)
	if err != nil {
		return pdk.Errorf("d: %v", err)
	}
	b, drawn := p.Box(vector.Identity())
	if !drawn {
		return pdk.Errorf("d:%s draws nothing", pdk.Quote(line(d, 40)))
	}
	if n.sized || n.where.given {
		d = p.Transform(n.into(o, b, false)).String()
	}
	n.set("d", d)
	return nil
}

func (n *addition) baseline(o *op) {
	size := 16.0
	if f, unit, ok := scene.Split(o.a.String("font-size", "")); ok && (unit == "" || unit == "px") {
		size = f
	} else if n.parent != nil {
		size = o.scene().FontSize(n.parent)
	}
	x, y := 0.0, 0.0
	text := strings.Split(n.text, "\n")
	w := 0.0
	for _, t := range text {
		w = max(w, scene.Width(t, size, scene.Bold(o.a.String("font-weight", ""))))
	}
	high := size * (1 + 1.2*float64(len(text)-1))
	if p, ok := n.at(); ok {
		x, y = p.X, p.Y
	} else if p, ok := n.local(o, w, high); ok {
		anchor, fromOp := n.where.anchor, o.a.String("text-anchor", o.a.String("anchor", ""))
		switch {
		case fromOp != "":
			anchor = fromOp
		case anchor == "":
			anchor = "middle"
		}
		if fromOp == "" && anchor != "start" {
			n.set("text-anchor", anchor)
		}
		x = p.X + map[string]float64{"start": -w / 2, "end": w / 2}[anchor]
		y = p.Y - high/2 + 0.86*size
	}
	if o.a.Has("x") {
		x = n.attr(o, "x", x)
	}
	n.put(o, "x", x)
	n.put(o, "y", y)
	if len(text) > 1 {
		n.kids = lines(n.text, num(x))
		return
	}
	n.element.text = n.text
}

func (n *addition) use(o *op) error {
	ref, ok := o.a.Param("of")
	if !ok {
		ref, ok = o.a.Param("href")
	}
	if !ok {
		return pdk.Errorf("a use needs what it shows: add use of:REF")
	}
	t, err := o.f.find(ref, false)
	if err != nil {
		return err
	}
	if n.parent.Within(t) {
		return pdk.Errorf("a use cannot show an element that it is in: %s", o.f.name(t))
	}
	if t.ID() == "" {
		return pdk.Errorf("%s has no id; give it one first", o.f.name(t)).Tryf("modify %s id:%s", o.f.name(t), o.f.FreeID(o.f.Type(t), 0))
	}
	name := "href"
	if strings.Contains(o.f.Root.Tag, "xmlns:xlink") {
		name = "xlink:href"
	}
	n.set(name, "#"+t.ID())
	b, boxed := o.scene().Local(t)
	if scene.Draws(o.f.Type(t)) {
		b, boxed = o.scene().Local(t)
		b = o.scene().Transform(t).Bounds(b)
	}
	if !boxed {
		b = vector.Box{}
	}
	if n.sized {
		n.set("width", num(n.w))
		n.set("height", num(n.h))
	}
	switch p, ok := n.at(); {
	case ok:
		n.put(o, "x", p.X-b.X0)
		n.put(o, "y", p.Y-b.Y0)
	case n.where.given:
		c, _ := n.local(o, b.Width(), b.Height())
		n.put(o, "x", c.X-center(b).X)
		n.put(o, "y", c.Y-center(b).Y)
	}
	return nil
}
