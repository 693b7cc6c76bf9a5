package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

func groupVerb() verb {
	return verb{Run: running(runGroup), Verb: abi.Verb{
		Syntax: "group REF…|SEL [as:ID]", Brief: "group REF…|SEL [as:ID]", Summary: "put elements into a new group, where the uppermost of them is", Category: "groups",
		Examples: []string{"group dot card as:badge", "group @class:bar as:bars"},
	}}
}

func runGroup(o *op) error {
	list, err := o.movableTargets(0, len(o.a.Positionals))
	if err != nil {
		// The last word may be meant as the name of the group.
		if last := len(o.a.Positionals) - 1; last > 0 && !o.a.Has("as") && o.newID(o.a.Text(last)) == nil {
			if _, none := o.targets(0, last, false); none == nil {
				return pdk.Errorf("%v; the name of the group is as:", err).Try(o.a.Mended(pdk.WithWords(last, 1), pdk.WithParam("as", o.a.Text(last))))
			}
		}
		return err
	}
	list = o.f.Sorted(list)
	id, given := o.a.Param("as")
	if !given {
		id = o.f.FreeID("group", o.f.Count("g"))
	} else if err := o.newID(id); err != nil {
		return err
	}
	top := list[len(list)-1]
	if o.f.Mixed(top.Parent) {
		return pdk.Errorf("%s lies in a text", o.f.Ref(top))
	}
	if top.Depth() >= maxNesting {
		return pdk.Errorf("elements do not nest deeper than %d", maxNesting)
	}
	g := o.Insert(top.Parent, top, writer(o.f, element{name: "g", attrs: [][2]string{{"id", id}}}))
	if err := o.moveInto(list, g); err != nil {
		return err
	}
	o.touch(g)
	o.report(g, ": "+o.f.Refs(list))
	return nil
}

// percentage is an attribute that is a share of the viewport, and its length.
type percentage struct {
	n      *node
	name   string
	axis   svgdom.Axis
	length float64
}

// percentages lists those in an element.
func (o *op) percentages(n *node) (out []percentage) {
	for m := range n.All() {
		for name, v := range m.Attrs() {
			axis, ok := geometry[name]
			if length, isLength := o.scene().Length(m, v, axis); ok && isLength && strings.HasSuffix(strings.TrimSpace(v), "%") {
				out = append(out, percentage{m, name, axis, length})
			}
		}
	}
	return out
}

// reparent moves an element to the end of a group. Its position on the canvas does not
// change.
func (o *op) reparent(n, g *node) error {
	from, to := o.scene().CTM(n.Parent), o.scene().CTM(g)
	shares := o.percentages(n)
	o.Move(n, g, g.Last)
	for _, p := range shares { // of another viewport now, perhaps
		if now, _ := o.scene().Length(p.n, p.n.Get(p.name), p.axis); now != p.length {
			o.SetAttr(p.n, p.name, model.Num(p.length))
		}
	}
	inv, ok := to.Inverse()
	if !ok {
		return pdk.Errorf("%s is flattened to nothing", o.f.Ref(g))
	}
	if t := matrixText(inv.Times(from)); t != "" {
		o.before(n, t)
	}
	return nil
}

func reparentVerb() verb {
	return verb{Run: running(runReparent), Verb: abi.Verb{
		Syntax: "reparent REF…|SEL in:GROUP|root", Brief: "reparent REF…|SEL in:GROUP|root · they stay where they are", Category: "groups",
		Summary:  "move elements to another group or layer; they keep their place on the canvas and their looks",
		Examples: []string{"reparent dot in:logo", "reparent dot in:root"},
	}}
}

func runReparent(o *op) error {
	list, err := o.movableTargets(0, len(o.a.Positionals))
	if err != nil {
		return err
	}
	ref, ok := o.a.Param("in")
	if !ok {
		return pdk.Errorf("reparent needs in:GROUP, or in:root")
	}
	g, err := o.container(ref)
	if err != nil {
		return err
	}
	var strangers []*node
	for _, n := range list {
		switch {
		case g.Within(n):
			return pdk.Errorf("%s is in %s, so the second cannot go into the first", o.f.Ref(g), o.f.Ref(n))
		case n.Parent != g:
			strangers = append(strangers, n)
		}
	}
	if err := o.moveInto(strangers, g); err != nil {
		return err
	}
	o.unchanged = o.f.Refs(list) + ": in " + o.f.Ref(g) + " already"
	o.touch(list...)
	o.Changed("%s in %s", o.f.Refs(list), o.f.Ref(g))
	return nil
}

func ungroupVerb() verb {
	return verb{Run: running(runUngroup), Verb: abi.Verb{
		Syntax: "ungroup REF…|SEL", Brief: "ungroup REF…|SEL · its content looks the same", Summary: "dissolve groups; their content keeps its place and looks", Category: "groups",
		Examples: []string{"ungroup logo", "ungroup @type:g @depth:1"},
	}}
}

func runUngroup(o *op) error {
	list, err := o.all(false)
	if err != nil {
		return err
	}
	if len(o.a.Selectors) > 0 {
		if list = slices.DeleteFunc(list, func(n *node) bool { return n.Type != "g" }); len(list) == 0 {
			return pdk.Errorf("%s matches no group", o.a.Selectors[0].Raw)
		}
	}
	var freed []*node
	for _, g := range list {
		if t := g.Type; t != "g" && t != "a" {
			return pdk.Errorf("%s is a %s, not a group", o.f.Ref(g), t)
		}
		if users := o.f.Referrers(g.ID()); len(users) > 0 {
			return pdk.Errorf("%s is referred to by %s", o.f.Ref(g), o.f.Refs(users))
		}
		if err := o.checkDissolvable(g); err != nil {
			return err
		}
		freed = append(freed, o.ungroup(g)...)
	}
	o.touch(freed...)
	o.Bulk("%s dissolved: %s", pdk.Count(len(list), "group"), o.f.Refs(freed))
	return nil
}

// checkDissolvable refuses to dissolve a group with an effect that cannot be written on
// each of its parts.
func (o *op) checkDissolvable(g *node) error {
	name := o.f.Ref(g)
	for _, e := range o.effects(g) {
		if e.name != "display" {
			return pdk.Errorf("%s has %s:%s, which means something else on its parts", name, e.name, e.value).Tryf("style %s %s:%s", name, e.name, pdk.Quote("")).TryQuery("describe " + name)
		}
	}
	for p := g.Parent; p != nil; p = p.Parent {
		switch typ := p.Type; {
		case typ == "text":
			return pdk.Errorf("%s lies in the text %s, which it is a part of", name, o.f.Ref(p))
		case typ == "clipPath" && p == g.Parent:
			return pdk.Errorf("%s lies in the clip %s, where groups do nothing: what is in it would begin to clip", name, o.f.Ref(p))
		case typ == "switch" && p == g.Parent:
			return pdk.Errorf("%s is one of the alternatives of %s", name, o.f.Ref(p))
		}
	}
	if text := svgdom.Plain(g.Tail); strings.Contains(text, "&") {
		return entityError(name, text)
	}
	moved := matrixText(o.scene().Transform(g)) != ""
	for c := range g.Kids() {
		if text := svgdom.Plain(c.Lead); strings.Contains(text, "&") {
			return entityError(name, text)
		}
		if users := o.usesOf(c); moved && len(users) > 0 {
			return pdk.Errorf("%s has a transform, and %s in it is shown by %s, which would move too", name, o.f.Ref(c), o.f.Refs(users))
		}
	}
	return nil
}

// entityError explains why a group with an entity reference cannot be dissolved.
func entityError(name, text string) *pdk.Error {
	return pdk.Errorf("%s holds %s, an entity whose content is placed and styled by the group", name, model.Line(text, 60))
}

// usesOf returns the use and textPath elements that show an element, including its
// transform.
func (o *op) usesOf(n *node) []*node {
	if o.shows == nil {
		o.shows = map[*node][]*node{}
		var list []*node
		for u := range o.f.Links() {
			if typ := u.Type; typ == "use" || typ == "textPath" {
				list = append(list, u)
			}
		}
		for _, u := range o.f.Sorted(list) {
			if def := o.scene().Target(u); def != nil {
				o.shows[def] = append(o.shows[def], u)
			}
		}
	}
	return o.shows[n]
}

// ungroup replaces a group by its content and returns the elements that draw. It names the definitions that now set
// what they inherited.
func (o *op) ungroup(g *node) (freed []*node) {
	var kept []*node
	t := matrixText(o.scene().Transform(g))
	hidden := !o.scene().Shown(g)
	after := g
	for c := g.First; c != nil; {
		next := c.Next
		if typ := c.Type; typ == "title" || typ == "desc" {
			o.Remove(c)
			c = next
			continue
		}
		var styles []computedStyle
		draws := svgdom.Draws(c.Type)
		if draws {
			styles = o.computedStyles(c)
		} else {
			for n := range c.All() {
				if takesStyles(n.Type) {
					styles = append(styles, o.computedStyles(n)...)
				}
			}
		}
		// A comment stays with the element that it precedes.
		comment := strings.TrimRight(c.Lead, " \t\r\n")
		o.Set(c, tree.Lead, c.Lead[len(comment):])
		o.Move(c, g.Parent, after)
		if comment != "" {
			o.Set(c, tree.Lead, comment+c.Lead)
		}
		changed := o.restoreStyles(c, styles)
		if !draws {
			kept = append(kept, changed...)
		} else {
			if hidden {
				o.paintKey(c, "display", "none")
			}
			if t != "" {
				o.before(c, t)
			}
			freed = append(freed, c)
		}
		after, c = c, next
	}
	if comment := strings.TrimRight(g.Tail, " \t\r\n"); comment != "" {
		if after.Next != nil {
			o.Set(after.Next, tree.Lead, comment+after.Next.Lead)
		} else {
			o.Set(g.Parent, tree.Tail, comment+g.Parent.Tail)
		}
	}
	o.Remove(g)
	for some := range slices.Chunk(kept, maxListed) {
		o.Warn("set now what they took from their group: %s", o.f.Refs(some))
	}
	return freed
}
