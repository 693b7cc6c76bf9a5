package drawing

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// look is how an element looks: the values of css.Properties, and the size of its
// font.
type look struct {
	n      *node
	values []string
	size   float64
}

// looks are those of an element and, where rules may tell them apart by what they
// lie in, of all that is in it.
func (o *op) looks(n *node) (out []look) {
	sc := o.scene()
	for m := range n.All() {
		if m != n && !scene.Draws(o.f.Type(m)) {
			continue
		}
		l := look{n: m, size: sc.FontSize(m)}
		for _, p := range css.Properties() {
			l.values = append(l.values, sc.Value(m, p.Name))
		}
		out = append(out, l)
		if !sc.Ruled() {
			break
		}
	}
	return out
}

// restore writes what elements look otherwise by since looks were taken: the
// element top and what is in it, which lies elsewhere now.
func (o *op) restore(top *node, looks []look) {
	lettered := o.lettered(top)
	for _, l := range looks {
		before := l.n.Tag
		for i, p := range css.Properties() {
			if p.Name == "font" || lettering(p.Name) && !lettered {
				continue
			}
			v := l.values[i]
			same := func() bool {
				if p.Name == "font-size" {
					return o.scene().FontSize(l.n) == l.size
				}
				return o.scene().Value(l.n, p.Name) == v
			}
			if same() {
				continue
			}
			if p.Name == "font-size" {
				if _, unit, ok := scene.Split(v); !ok || unit != "" && unit != "px" {
					v = exact(l.size)
				}
			}
			if v == "" {
				v = "initial"
			}
			o.paintKey(l.n, p, v)
			if v != "initial" && !same() {
				o.Warn("%s has %s:%s now, from a rule that nothing outdoes", o.f.name(l.n), p.Name, o.scene().Value(l.n, p.Name))
			}
		}
		if users := o.shownBy(l.n); l.n.Tag != before && len(users) > 0 {
			o.Warn("%s shows %s, which has looks of its own now", o.f.names(users), o.f.name(l.n))
		}
	}
}

// lettering reports whether a property is one that shows on text alone.
func lettering(property string) bool {
	return slices.ContainsFunc([]string{"font-", "letter-", "word-", "text-", "dominant-", "writing-", "direction"}, func(s string) bool { return strings.HasPrefix(property, s) })
}

// lettered reports whether there may be text in an element, or lengths in units
// of its font.
func (o *op) lettered(n *node) bool {
	for m := range n.All() {
		switch o.f.Type(m) {
		case "text", "tspan", "use", "foreignObject":
			return true
		}
		for _, v := range m.Attrs() {
			if _, unit, ok := scene.Split(v); ok && (unit == "em" || unit == "ex" || unit == "ch") {
				return true
			}
		}
	}
	return false
}

// effect is a property of a group that acts on all in it as a whole.
type effect struct{ name, value string }

// effects are a group's.
func (o *op) effects(g *node) (out []effect) {
	for _, e := range []effect{{"opacity", "1"}, {"clip-path", "none"}, {"mask", "none"}, {"filter", "none"}, {"mix-blend-mode", "normal"}, {"isolation", "auto"}, {"display", ""}} {
		v, from := o.scene().Own(g, e.name)
		if from != scene.Nowhere && v != e.value && v != "" && (e.name != "display" || v == "none") {
			out = append(out, effect{e.name, v})
		}
	}
	return out
}

// rehouse moves elements into a group, so that they stay where they are and look
// as they do, and warns of what the groups that they leave and enter do as a
// whole.
func (o *op) rehouse(list []*node, g *node) error {
	lost, won := map[*node][]*node{}, map[*node][]*node{}
	var order []*node
	note := func(at map[*node][]*node, a, n *node) {
		if !slices.Contains(order, a) {
			order = append(order, a)
		}
		at[a] = append(at[a], n)
	}
	for _, n := range list {
		for a := n.Parent; a != nil && !g.Within(a); a = a.Parent {
			note(lost, a, n)
		}
		for a := g; a != nil && !n.Within(a); a = a.Parent {
			note(won, a, n)
		}
		looks, tag := o.looks(n), n.Tag
		if err := o.reparent(n, g); err != nil {
			return err
		}
		if users := o.shownBy(n); n.Tag != tag && len(users) > 0 {
			o.Warn("%s shows %s, which has another transform now", o.f.names(users), o.f.name(n))
		}
		o.restore(n, looks)
	}
	for _, a := range order {
		for _, e := range o.effects(a) {
			if some := lost[a]; len(some) > 0 {
				o.Warn("no longer under %s's %s:%s: %s", o.f.name(a), e.name, line(e.value, 60), o.f.names(some))
			}
			if some := won[a]; len(some) > 0 {
				o.Warn("under %s's %s:%s now: %s", o.f.name(a), e.name, line(e.value, 60), o.f.names(some))
			}
		}
	}
	return nil
}
