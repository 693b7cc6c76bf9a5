package verbs

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

// computedStyle is the computed style of an element: the values of css.Properties, and its font
// size.
type computedStyle struct {
	n      *node
	values []string
	size   float64
}

// computedStyles returns the style of an element and, if the document has rules, of everything
// in it.
func (o *op) computedStyles(n *node) (out []computedStyle) {
	sc := o.scene()
	for m := range n.All() {
		if m != n && !svgdom.Draws(m.Type) {
			continue
		}
		l := computedStyle{n: m, size: sc.FontSize(m)}
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

// restoreStyles restores the styles in the element top, which has moved, and in its content,
// where they have changed since the given styles were computed. It returns the elements that it has changed.
func (o *op) restoreStyles(top *node, styles []computedStyle) (changed []*node) {
	lettered := o.mayHaveText(top)
	for _, l := range styles {
		before := l.n.Tag
		for i, p := range css.Properties() {
			if p.Name == "font" || affectsText(p.Name) && !lettered || !takesStyle(l.n.Type, p.Name) {
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
				if _, unit, ok := svgdom.Split(v); !ok || unit != "" && unit != "px" {
					v = model.Exact(l.size)
				}
			}
			if v == "" {
				v = "initial"
			}
			o.paintKey(l.n, p.Name, v)
			if v != "initial" && !same() {
				o.Warn("%s now has %s:%s, from a rule that nothing overrides", o.f.Ref(l.n), p.Name, o.scene().Value(l.n, p.Name))
			}
		}
		if l.n.Tag == before {
			continue
		}
		changed = append(changed, l.n)
		if users := o.usesOf(l.n); len(users) > 0 {
			o.Warn("%s shows %s, which now has a style of its own", o.f.Refs(users), o.f.Ref(l.n))
		}
	}
	return changed
}

// affectsText reports whether a property affects only text.
func affectsText(property string) bool {
	return slices.ContainsFunc([]string{"font-", "letter-", "word-", "text-", "dominant-", "writing-", "direction"}, func(s string) bool { return strings.HasPrefix(property, s) })
}

// mayHaveText reports whether an element may contain text or lengths in font units.
func (o *op) mayHaveText(n *node) bool {
	for m := range n.All() {
		switch m.Type {
		case "text", "tspan", "use", "foreignObject":
			return true
		}
		if inFontUnits.MatchString(m.Tag) {
			return true
		}
	}
	return false
}

// inFontUnits matches lengths, also in lists and declarations.
var inFontUnits = regexp.MustCompile(`[0-9.](em|ex|ch)\b`)

// takesStyles reports whether a definition of a type inherits from the groups around it. What a use shows inherits
// from the use.
func takesStyles(typ string) bool {
	return slices.Contains([]string{"linearGradient", "radialGradient", "pattern", "clipPath", "mask", "marker", "filter"}, typ)
}

// takesStyle reports whether an inherited property matters to an element of a type.
func takesStyle(typ, property string) bool {
	switch typ {
	case "linearGradient", "radialGradient", "filter":
		return strings.Contains(property, "color")
	case "clipPath":
		return !strings.HasPrefix(property, "stroke") && !strings.HasPrefix(property, "fill") && property != "color"
	}
	return true
}

// effect is a property of a group that applies to the group as a whole.
type effect struct{ name, value string }

func (e effect) String() string { return strings.TrimSuffix(e.name+":"+model.Line(e.value, 60), ":") }

// effects returns the effects of a group, a nested drawing or a choice.
func (o *op) effects(g *node) (out []effect) {
	for _, e := range []effect{{"opacity", "1"}, {"clip-path", "none"}, {"mask", "none"}, {"filter", "none"}, {"mix-blend-mode", "normal"}, {"isolation", "auto"}, {"display", ""}} {
		v, from := o.scene().Own(g, e.name)
		if from != svgdom.Nowhere && v != e.value && v != "" && (e.name != "display" || v == "none") {
			out = append(out, effect{e.name, v})
		}
	}
	switch typ := g.Type; {
	case typ == "svg" && g.Parent != nil && o.scene().Clips(g):
		out = append(out, effect{"overflow", "hidden"})
	case typ == "switch":
		out = append(out, effect{"choice of one", ""})
	}
	return out
}

// moveInto moves elements into a group. They keep their positions and styles. It warns of
// effects of the groups that they leave and enter.
func (o *op) moveInto(list []*node, g *node) error {
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
		styles, tag := o.computedStyles(n), n.Tag
		if err := o.reparent(n, g); err != nil {
			return err
		}
		if users := o.usesOf(n); n.Tag != tag && len(users) > 0 {
			o.Warn("%s shows %s, which now has another transform", o.f.Refs(users), o.f.Ref(n))
		}
		o.restoreStyles(n, styles)
	}
	for _, a := range order {
		for _, e := range o.effects(a) {
			if some := lost[a]; len(some) > 0 {
				o.Warn("no longer under %s's %s: %s", o.f.Ref(a), e, o.f.Refs(some))
			}
			if some := won[a]; len(some) > 0 {
				o.Warn("under %s's %s now: %s", o.f.Ref(a), e, o.f.Refs(some))
			}
		}
	}
	return nil
}
