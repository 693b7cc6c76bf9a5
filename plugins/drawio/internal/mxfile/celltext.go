package mxfile

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Text is the text of a cell. Each method returns the changed text.
type Text string

func (t Text) tree() (outer, cell, geo *xmltree.Element) {
	c := Cell{raw: string(t)}
	return c.element()
}

func (t Text) splice(s xmltree.Splice) Text {
	out, _ := s.Apply(string(t))
	return Text(out)
}

// WithValue sets the stored label, in the wrapper if there is one.
func (t Text) WithValue(value string) Text {
	if out, ok := t.quickAttr("value", value); ok {
		return out
	}
	outer, cell, _ := t.tree()
	if outer != cell {
		return t.splice(outer.SetAttr("label", value))
	}
	return t.splice(cell.SetAttr("value", value))
}

// WithStyle sets the style.
func (t Text) WithStyle(s style.Style) Text { return t.WithAttr("style", string(s)) }

// WithAttr sets an attribute of the mxCell.
func (t Text) WithAttr(name, value string) Text {
	if out, ok := t.quickAttr(name, value); ok {
		return out
	}
	return t.treeAttr(name, value)
}

func (t Text) treeAttr(name, value string) Text {
	_, cell, _ := t.tree()
	return t.splice(cell.SetAttr(name, value))
}

// WithoutAttr removes an attribute of the mxCell.
func (t Text) WithoutAttr(name string) Text {
	_, cell, _ := t.tree()
	return t.splice(cell.DropAttr(name))
}

// WithGeo sets position and size. It adds no attribute for a value of 0 that is not in the geometry yet.
func (t Text) WithGeo(r geom.Rect) Text {
	if out, ok := t.quickGeo(r); ok {
		return out
	}
	return t.treeGeo(r)
}

func (t Text) treeGeo(r geom.Rect) Text {
	for _, v := range []struct {
		name  string
		value float64
	}{{"x", r.X}, {"y", r.Y}, {"width", r.W}, {"height", r.H}} {
		_, cell, geo := t.tree()
		if geo == nil {
			t = t.splice(cell.Append(`<mxGeometry as="geometry"/>`))
			_, _, geo = t.tree()
		}
		old, ok := geo.Attr(v.name)
		if !ok && v.value == 0 || ok && Num(number(old)) == Num(v.value) {
			continue
		}
		t = t.splice(geo.SetAttr(v.name, exact(v.value)))
	}
	return t
}

// WithPoints replaces an edge's waypoints; none removes them.
func (t Text) WithPoints(points []geom.Point) Text {
	if len(points) == 0 && !strings.Contains(string(t), "<Array") {
		return t
	}
	_, cell, geo := t.tree()
	var old *xmltree.Element
	if geo != nil {
		for _, k := range geo.Children {
			if as, _ := k.Attr("as"); k.Name == "Array" && as == "points" {
				old = k
			}
		}
	}
	if len(points) == 0 {
		if old == nil {
			return t
		}
		return t.splice(old.Drop())
	}
	var b strings.Builder
	b.WriteString(`<Array as="points">`)
	for _, p := range points {
		b.WriteString(`<mxPoint x="` + exact(p.X) + `" y="` + exact(p.Y) + `"/>`)
	}
	b.WriteString(`</Array>`)
	switch {
	case old != nil:
		return t.splice(old.Replace(b.String()))
	case geo == nil:
		return t.splice(cell.Append(`<mxGeometry relative="1" as="geometry">` + b.String() + `</mxGeometry>`))
	}
	return t.splice(geo.Append(b.String()))
}

// WithGeometry adds the geometry of an edge that has none.
func (t Text) WithGeometry() Text {
	_, cell, geo := t.tree()
	if geo != nil {
		return t
	}
	return t.splice(cell.Append(`<mxGeometry relative="1" as="geometry"/>`))
}

// WithLabelAt moves a label along its edge to x, from -1 at the start of the edge to 1 at its end, and removes its
// distance from the edge. For an edge, that is its own label.
func (t Text) WithLabelAt(x float64) Text {
	for _, v := range []struct {
		name  string
		value float64
	}{{"x", math.Round(x*1e4) / 1e4}, {"y", 0}} {
		_, cell, geo := t.tree()
		if geo == nil && v.value == 0 {
			continue
		}
		if geo == nil {
			t = t.splice(cell.Append(`<mxGeometry relative="1" as="geometry"/>`))
			_, _, geo = t.tree()
		}
		old, ok := geo.Attr(v.name)
		if number(old) == v.value {
			continue
		}
		if ok && v.value == 0 {
			t = t.splice(geo.DropAttr(v.name))
			continue
		}
		t = t.splice(geo.SetAttr(v.name, strconv.FormatFloat(v.value, 'f', -1, 64)))
	}
	_, _, geo := t.tree()
	if geo == nil {
		return t
	}
	for _, k := range geo.Children {
		if as, _ := k.Attr("as"); k.Name == "mxPoint" && as == "offset" && (attrNumber(k, "x") != 0 || attrNumber(k, "y") != 0) {
			return t.splice(k.Drop())
		}
	}
	return t
}

// WithEnds moves the free ends of an edge by d, if it has any.
func (t Text) WithEnds(d geom.Point) Text {
	for _, which := range []string{"sourcePoint", "targetPoint"} {
		for _, axis := range []string{"x", "y"} {
			_, _, geo := t.tree()
			if geo == nil {
				return t
			}
			for _, k := range geo.Children {
				if as, _ := k.Attr("as"); as != which {
					continue
				}
				by := d.X
				if axis == "y" {
					by = d.Y
				}
				if by != 0 {
					t = t.splice(k.SetAttr(axis, exact(attrNumber(k, axis)+by)))
				}
				break
			}
		}
	}
	return t
}

// WithoutGeoAttr removes an attribute of the geometry, and the offset that belongs to a relative position.
func (t Text) WithoutGeoAttr(name string) Text {
	_, _, geo := t.tree()
	if geo == nil {
		return t
	}
	t = t.splice(geo.DropAttr(name))
	_, _, geo = t.tree()
	for _, k := range geo.Children {
		if as, _ := k.Attr("as"); name == "relative" && as == "offset" {
			return t.splice(k.Drop())
		}
	}
	return t
}

// WithID sets the id of the cell, for a copy, in the wrapper if there is one.
func (t Text) WithID(id string) Text {
	outer, cell, _ := t.tree()
	if outer != cell {
		t = t.splice(outer.SetAttr("id", id))
		_, cell, _ = t.tree()
		if _, ok := cell.Attr("id"); !ok {
			return t
		}
	}
	return t.splice(cell.SetAttr("id", id))
}
