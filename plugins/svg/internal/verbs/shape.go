package verbs

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// shape sets the geometry of the element.
func (n *addition) shape() (err error) {
	if d, ok := extent.Lookup(n.a); ok {
		sx, sy := stretch(n.ctm)
		n.w, n.h, n.sized = d.W/sx, d.H/sy, true
		if n.kind == "text" || n.kind == "group" {
			return pdk.Errorf("size: is not for a %s", n.kind).Try(n.a.Mended(pdk.Without(extent.Name)))
		}
	}
	for _, k := range ofKinds {
		key, kinds := k[0], k[1]
		if n.a.Has(key) && !slices.Contains(strings.Fields(kinds), n.kind) {
			return pdk.Errorf("%s: is for %s, not for %s", key, strings.ReplaceAll(kinds, " ", " or "), n.kind).Try(n.a.Mended(pdk.Without(key)))
		}
	}
	switch n.kind {
	case "rect":
		n.corner(100, 60)
	case "image":
		var w, h float64
		if w, h, err = n.embed(); err == nil {
			n.corner(w, h)
		}
	case "circle", "ellipse":
		n.round()
	case "line":
		err = n.line()
	case "polyline", "polygon":
		err = n.polygon()
	case "path":
		err = n.path()
	case "text":
		n.baseline()
	case "use":
		err = n.use()
	case "group":
		if n.where.given {
			err = pdk.Errorf("a group is where its elements are: add it without a place").Try(n.a.Mended(pdk.Without(keyNames(withPlace())...)))
		}
	}
	return err
}

// ofKinds lists keys of add that only some kinds accept, with these kinds.
var ofKinds = [][2]string{{"from", "line"}, {"to", "line"}, {"sides", "polygon"}, {"star", "polygon"}, {"of", "use"}, {"points", "polygon polyline"}, {"d", "path"}, {"file", "image"}}

// attr returns a numeric attribute from the op, or def.
func (n *addition) attr(key string, def float64) float64 {
	if f, _, ok := svgdom.Split(n.a.String(key, "")); ok {
		return f
	}
	return def
}

// put sets an attribute unless the op sets it.
func (n *addition) put(key string, f float64) {
	if !n.a.Has(key) {
		n.set(key, model.Num(f))
	}
}

// local returns where the middle of an element of size w by h goes, in the parent's
// units, and whether the op says so.
func (n *addition) local(w, h float64) (vector.Point, bool) {
	inv, ok := n.ctm.Inverse()
	if !ok || n.where.point != nil {
		return vector.Point{}, false
	}
	if n.where.given {
		sx, sy := stretch(n.ctm)
		return inv.At(n.where.center(w*sx, h*sy)), true
	}
	b, ok := n.scene().Box(n.parent)
	if !ok || n.parent == n.f.Root {
		b = n.scene().Canvas()
	}
	return inv.At(b.Center()), true
}

// at returns the point that at: names, in the parent's units.
func (n *addition) at() (vector.Point, bool) {
	inv, ok := n.ctm.Inverse()
	if n.where.point == nil || !ok {
		return vector.Point{}, false
	}
	return inv.At(*n.where.point), true
}

// origin returns where the corner of an element of size w by h goes.
func (n *addition) origin(w, h float64) vector.Point {
	p, ok := n.at()
	if !ok {
		if p, ok = n.local(w, h); ok {
			p = p.Minus(vector.Point{X: w / 2, Y: h / 2})
		}
	}
	return p
}

func (n *addition) corner(defW, defH float64) {
	if !n.sized {
		n.w, n.h = n.attr("width", defW), n.attr("height", defH)
	}
	p := n.origin(n.w, n.h)
	n.put("x", p.X)
	n.put("y", p.Y)
	n.put("width", n.w)
	n.put("height", n.h)
}

func (n *addition) round() {
	rx, ry := n.attr("rx", 50), n.attr("ry", 30)
	if n.sized {
		rx, ry = n.w/2, n.h/2
	}
	if n.kind == "circle" {
		if rx = math.Min(rx, ry); !n.sized {
			rx = n.attr("r", 25)
		}
		ry = rx
	}
	p, ok := n.at()
	if !ok {
		p, _ = n.local(2*rx, 2*ry)
	}
	n.put("cx", p.X)
	n.put("cy", p.Y)
	if n.kind == "circle" {
		n.put("r", rx)
		return
	}
	n.put("rx", rx)
	n.put("ry", ry)
}

func (n *addition) line() error {
	inv, ok := n.ctm.Inverse()
	if !ok {
		inv = vector.Identity()
	}
	ends := [2]vector.Point{{}, {X: 100}}
	given := n.a.Has(lineFrom.Name)
	switch {
	case given != n.a.Has(lineTo.Name):
		return pdk.Errorf("a line needs from: and to:, each a point X,Y or an element")
	case given:
		for i, key := range []string{lineFrom.Name, lineTo.Name} {
			p, err := n.pointAt(key)
			if err != nil {
				return err
			}
			ends[i] = inv.At(p)
		}
	default:
		if n.sized {
			ends[1] = vector.Point{X: n.w, Y: n.h}
		}
		ends[0] = n.origin(ends[1].X, ends[1].Y)
		ends[1] = ends[0].Plus(ends[1])
	}
	for i, k := range []string{"1", "2"} {
		n.put("x"+k, ends[i].X)
		n.put("y"+k, ends[i].Y)
	}
	return nil
}

func (n *addition) polygon() error {
	count, regularly := sides.Lookup(n.a)
	points, given := n.a.Param("points")
	var list []float64
	switch {
	case given && regularly:
		return pdk.Errorf("points: and sides: both give the shape; use one").Try(n.a.Mended(pdk.Without(sides.Name)))
	case given:
		if err := checkPoints(points); err != nil {
			return err
		}
		list = vector.Numbers(points, 1<<20)
	case regularly:
		r, _, err := value.Key[float64]{Name: "r", Type: value.Number(0, maxCoordinate), Default: 50}.Read(n.a)
		if err != nil {
			return err
		}
		list = regular(count, r, star.Of(n.a))
	default:
		return pdk.Errorf(`a %s needs points:"X,Y X,Y…"%s`, n.kind, map[string]string{"polygon": ", or sides:N and r:"}[n.kind])
	}
	b, _ := vector.Polygon(list, true).Box(vector.Identity())
	m := n.into(b, !given)
	var out []string
	for i := 0; i+1 < len(list); i += 2 {
		q := m.At(vector.Point{X: list[i], Y: list[i+1]})
		out = append(out, model.Num(q.X)+","+model.Num(q.Y))
	}
	n.set("points", strings.Join(out, " "))
	return nil
}

// checkPoints refuses a text that is no list of points.
func checkPoints(text string) error {
	if k := len(vector.Numbers(text, 1<<20)); k < 4 || k%2 != 0 {
		return pdk.Errorf(`points:%s is not a list of points, such as points:"0,0 40,0 20,30"`, pdk.Quote(model.Line(text, 60)))
	}
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
func (n *addition) into(b vector.Box, round bool) vector.Matrix {
	m := vector.Identity()
	if n.sized && b.Width() > 0 && b.Height() > 0 {
		m = vector.Scale(n.w/b.Width(), n.h/b.Height())
	}
	now := m.Bounds(b)
	to := now.Center()
	switch p, ok := n.at(); {
	case ok && round:
		to = p
	case ok:
		to = vector.Point{X: p.X + now.Width()/2, Y: p.Y + now.Height()/2}
	case n.where.given || round:
		if q, ok := n.local(now.Width(), now.Height()); ok {
			to = q
		}
	}
	by := to.Minus(now.Center())
	return vector.Translate(by.X, by.Y).Times(m)
}

func (n *addition) path() error {
	d, ok := n.a.Param("d")
	if !ok {
		return pdk.Errorf(`a path needs its data: add path ID d:"M0 0 L40 20"`)
	}
	p, err := vector.Parse(d)
	if err != nil {
		return pdk.Errorf("d: %v", err)
	}
	b, drawn := p.Box(vector.Identity())
	if !drawn {
		return pdk.Errorf("d:%s draws nothing", pdk.Quote(model.Line(d, 40)))
	}
	if n.sized || n.where.given {
		d = p.Transform(n.into(b, false)).String()
	}
	n.set("d", d)
	return nil
}

func (n *addition) baseline() {
	size := n.scene().FontSize(n.parent)
	if f, unit, ok := svgdom.Split(n.a.String("font-size", "")); ok && (unit == "" || unit == "px") {
		size = f
	}
	rows := strings.Split(n.text, "\n")
	w := 0.0
	for _, row := range rows {
		w = max(w, scene.Width(row, size, svgdom.Bold(n.a.String("font-weight", ""))))
	}
	high := size * (1 + 1.2*float64(len(rows)-1))
	p, ok := n.at()
	if !ok {
		if p, ok = n.local(w, high); ok {
			anchor := n.a.String("text-anchor", n.a.String("anchor", ""))
			if anchor == "" {
				if anchor = cmp.Or(n.where.anchor, "middle"); anchor != "start" {
					n.set("text-anchor", anchor)
				}
			}
			p = p.Plus(vector.Point{X: map[string]float64{"start": -w / 2, "end": w / 2}[anchor], Y: 0.86*size - high/2})
		}
	}
	p.X = n.attr("x", p.X)
	n.put("x", p.X)
	n.put("y", p.Y)
	if len(rows) > 1 {
		n.kids = lines(n.text, model.Num(p.X))
		return
	}
	n.element.text = n.text
}

func (n *addition) use() error {
	ref, ok := n.a.Param(shows.Name)
	if !ok {
		ref, ok = n.a.Param("href")
	}
	if !ok {
		return pdk.Errorf("a use needs what it shows: add use of:REF")
	}
	t, err := n.f.Find(ref, false)
	if err != nil {
		return err
	}
	if n.parent.Within(t) {
		return pdk.Errorf("a use cannot show an element that it is in: %s", n.f.Ref(t))
	}
	if t.ID() == "" {
		return pdk.Errorf("%s has no id; give it one first", n.f.Ref(t)).Tryf("modify %s id:%s", n.f.Ref(t), n.f.FreeID(t.Type, 0))
	}
	key, v, err := n.href("#" + t.ID())
	if err != nil {
		return err
	}
	n.set(key, v)
	b, _ := n.scene().Local(t)
	if svgdom.Draws(t.Type) {
		b = n.scene().Transform(t).Bounds(b)
	}
	if n.sized {
		n.set("width", model.Num(n.w))
		n.set("height", model.Num(n.h))
	}
	if n.where.given {
		p := n.origin(b.Width(), b.Height())
		n.put("x", p.X-b.X0)
		n.put("y", p.Y-b.Y0)
	}
	return nil
}
