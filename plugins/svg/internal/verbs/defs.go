package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

var (
	takers = text("for", "REF,REF that get it")
	ink    = value.Key[string]{Name: "color", Type: colour, Default: "black"}
)

// defsNode returns the element for definitions, and creates it if there is none.
func (o *op) defsNode() *node {
	for c := range o.f.Root.Kids() {
		if c.Type == "defs" {
			return c
		}
	}
	return o.Insert(o.f.Root, o.defsAnchor(), writer(o.f, element{name: "defs"}))
}

// makeDef creates a definition, or replaces the one of its name, moves elements into it, gives it to those of for: and
// selectors, and replies. A filter grows by some units around what it is for.
func (o *op) makeDef(e element, property string, moved []*node, grow float64, said func(n *node, moved []*node) string) error {
	takers, err := o.defTargets(moved...)
	if err != nil {
		return err
	}
	if e.name == "mask" || e.name == "filter" {
		o.coverFlat(&e, takers, grow)
	}
	id := e.get("id")
	replaced := o.f.ByID(id) != nil
	n, err := o.define(e, slices.Concat(moved, takers))
	if err != nil {
		return err
	}
	for _, c := range moved {
		if n.Within(c) {
			return pdk.Errorf("%s lies in %s", o.f.Ref(n), o.f.Ref(c))
		}
	}
	if e.name == "clipPath" {
		whole := o.f.Refs(moved)
		if moved, err = o.pieces(moved); err == nil && len(moved) == 0 {
			err = pdk.Errorf("%s contains no shape", whole)
		}
	}
	for _, c := range moved {
		if err == nil {
			err = o.reparent(c, n)
		}
	}
	if err != nil {
		return err
	}
	o.touch(n)
	reply := o.Created
	if replaced {
		reply = o.Changed
	}
	reply("%s%s", said(n, moved), o.apply(takers, id, property))
	return nil
}

// define creates a definition, or replaces the one with its name unless that would lose
// shapes. concerned are the elements that will be moved into it or will refer to it.
func (o *op) define(e element, concerned []*node) (*node, error) {
	id := e.get("id")
	old := o.f.ByID(id)
	if old == nil {
		if err := o.newID(id); err != nil {
			return nil, err
		}
		return o.Append(o.defsNode(), writer(o.f, e)), nil
	}
	typ := old.Type
	for _, m := range concerned {
		if m.Within(old) {
			return nil, pdk.Errorf("%s lies in the %s %s, which would be replaced", o.f.Ref(m), typ, id)
		}
	}
	if typ != e.name && !(isGradient(typ) && isGradient(e.name)) {
		return nil, pdk.Errorf("the id %s is that of a %s", id, typ).Instead(id, o.f.FreeID(id+"-", 1))
	}
	if lost := irreplaceable(o.f, old); len(lost) > 0 {
		return nil, pdk.Errorf("%s %s already exists and holds %s; remove %s first, or use another name", o.a.Verb, o.f.Ref(old), o.f.Refs(lost), o.f.Ref(old)).Try(o.a.Mended(pdk.WithWords(0, 1, o.freeFrom(id))))
	}
	n := o.Insert(old.Parent, old, writer(o.f, e))
	o.Remove(old)
	return n, nil
}

// irreplaceable returns the shapes of a definition that no verb can create again:
// everything in a clip path or mask, and shapes with ids.
func irreplaceable(f *drawing, def *node) (out []*node) {
	typ := def.Type
	for n := range def.All() {
		if n != def && svgdom.Draws(n.Type) && (n.ID() != "" || typ == "clipPath" || typ == "mask") {
			out = append(out, n)
		}
	}
	return out
}

// freeFrom increments the number of an id until the id is unused.
func (o *op) freeFrom(id string) string {
	return o.nextID(strings.TrimRight(id, "0123456789"), id, nil)
}

// defTargets returns the elements that will refer to a definition. moved are the
// elements that go into the definition.
func (o *op) defTargets(moved ...*node) (list []*node, err error) {
	if len(o.a.Selectors) > 0 {
		if list, err = o.f.Selected(o.Recent, o.a.Selectors, false); err != nil {
			return nil, err
		}
		list = model.Leaves(list)
	}
	if ref, ok := takers.Lookup(o.a); ok {
		named, err := o.f.Resolve(strings.Split(ref, ","))
		if err != nil {
			return nil, err
		}
		list = model.Union(named, list)
	}
	for _, n := range list {
		for _, m := range moved {
			if n.Within(m) {
				fresh := o.f.FreeID(m.Type, o.f.Count(m.Type))
				if id := m.ID(); id != "" {
					fresh = o.freeFrom(id)
				}
				return nil, pdk.Errorf("%s would be inside the %s that is applied to it, so it would not be visible; copy %s first and make the %s of the copy", o.f.Ref(n), o.a.Verb, o.f.Ref(m), o.a.Verb).Tryf("copy %s as:%s", o.f.Ref(m), pdk.Quote(fresh))
			}
		}
	}
	return list, nil
}

// coverFlat makes a filter or mask cover the canvas if one of its targets is a shape
// without width or height: measured in the box of that shape, it would show nothing of
// it. grow is added around the canvas to leave room for changes.
func (o *op) coverFlat(e *element, takers []*node, grow float64) {
	out, some := vector.Empty(), false
	for _, n := range takers {
		b, ok := o.scene().Local(n)
		inv, sound := o.scene().CTM(n).Inverse()
		if !ok || !sound {
			continue
		}
		some = some || svgdom.Shape(n.Type) && (b.Width() == 0 || b.Height() == 0)
		out = out.Union(b).Union(inv.Bounds(o.scene().Canvas()))
		if p, ok := o.scene().Path(n); ok {
			stroke := o.scene().Stroke(n)
			if b, ok := stroke.Box(p, vector.Identity()); ok {
				out = out.Union(b)
			}
		}
	}
	if !some {
		return
	}
	e.set(e.name+"Units", "userSpaceOnUse")
	e.setBox(out.Grow(grow, grow))
}

// apply sets a property of elements to refer to a definition, and returns the text for
// the reply.
func (o *op) apply(list []*node, id, property string) string {
	o.warnOthers(id+" is used by others as well", o.f.Referrers(id), list)
	if len(list) == 0 {
		return ""
	}
	for _, n := range list {
		o.paintKey(n, property, "url(#"+id+")")
	}
	o.touch(list...)
	return ", " + property + " of " + o.f.Refs(list)
}

// warnOthers names the elements of a list that an op also reaches, other than those that it is for. They keep their
// bytes.
func (o *op) warnOthers(what string, list, named []*node) {
	others := slices.DeleteFunc(list, func(n *node) bool { return slices.Contains(named, n) })
	if len(others) > 0 {
		o.Warn("%s: %s", what, o.f.Refs(others))
	}
}
