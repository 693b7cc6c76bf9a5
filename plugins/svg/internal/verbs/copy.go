package verbs

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

var (
	copyID = text("as", "ID")
	by     = value.Key[vector.Point]{Name: "by", Type: offset}
)

func copyVerb() verb {
	return verb{Run: running(runCopy), Keys: withPlace(copyID, by, inGroup), Verb: abi.Verb{
		Syntax:   "copy REF…|SEL [as:ID] [by:DX,DY | at:X,Y|REGION | right-of:REF…] [in:GROUP]",
		Brief:    "copy REF…|SEL [as:ID by:DX,DY or at: right-of: … in:GROUP]",
		Summary:  "copy elements, with new ids for all that is in them; in the same place unless told where",
		Category: "elements",
		Examples: []string{"copy dot as:dot2 by:20,0", "copy card right-of:card gap:10", "copy @class:bar by:0,100"},
	}}
}

func runCopy(o *op) error {
	list, err := o.movableTargets(0, len(o.a.Positionals))
	if err != nil {
		return err
	}
	as, named := copyID.Lookup(o.a)
	if named {
		if len(list) > 1 {
			return pdk.Errorf("several copies cannot have the same id").Try(o.a.Mended(pdk.Without(copyID.Name)))
		}
		if err := o.newID(as); err != nil {
			return err
		}
	}
	by, _, err := o.displacement(list)
	if err != nil {
		return err
	}
	var into *node
	if ref, ok := inGroup.Lookup(o.a); ok {
		if into, err = o.container(ref); err != nil {
			return err
		}
	}
	var made []*node
	for _, n := range list {
		if into != nil && into.Within(n) {
			return pdk.Errorf("%s is in %s, so the second cannot be copied into the first", o.f.Ref(into), o.f.Ref(n))
		}
		made = append(made, o.clone(n, as))
	}
	o.keepRules()
	for _, c := range made {
		if into != nil && c.Parent != into {
			if err := o.reparent(c, into); err != nil {
				return err
			}
		}
		o.moveOnCanvas(c, by)
	}
	o.touch(made...)
	if len(made) == 1 {
		same := ""
		if by == (vector.Point{}) {
			same = ", where " + o.f.Ref(list[0]) + " is"
		}
		o.report(made[0], same)
		return nil
	}
	where, _ := o.union(made)
	o.Created("%d copies %s: %s", len(made), model.Box(where), o.f.Refs(made))
	return nil
}

// clone copies an element and inserts the copy after it. All ids in the copy are new,
// and its internal references use them.
func (o *op) clone(n *node, as string) *node {
	ids := map[string]string{}
	taken := map[string]bool{}
	for m := range n.All() {
		id := m.ID()
		if id == "" || ids[id] != "" {
			continue
		}
		fresh := as
		if m != n || as == "" {
			stem := strings.TrimRight(id, "0123456789")
			fresh = o.nextID(stem, id, taken)
		}
		ids[id], taken[fresh] = fresh, true
	}
	c := o.Copy(n, n.Parent, n, func(raw string) string { return withIDs(raw, ids) })
	if as != "" && c.ID() == "" {
		o.SetAttr(c, "id", as)
	}
	o.clones = append(o.clones, cloned{n, c, ids})
	return c
}

// cloned is an element and its copy, whose ids are mapped to those of the copy.
type cloned struct {
	n, copy *node
	ids     map[string]string
}

// keepRules gives the copies that the op has made what rules give their originals: it extends the rules for their ids,
// and writes the rest, which depends on where an element is, into the copies.
func (o *op) keepRules() {
	list := o.clones
	o.clones = nil
	sheets, _ := o.f.Sheets()
	if len(sheets) == 0 {
		return
	}
	var copies []map[string]string
	var ids []string
	for _, c := range list {
		if len(c.ids) > 0 {
			copies = append(copies, c.ids)
			ids = slices.AppendSeq(ids, maps.Keys(c.ids))
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var changed []*node
	for _, s := range sheets {
		if slices.ContainsFunc(list, func(c cloned) bool { return s.Within(c.n) || s.Within(c.copy) }) {
			continue
		}
		in, ok := bodyOf(s)
		if !ok {
			for _, id := range ids {
				if css.Mentions(s.Text(), id) {
					o.Warn("rules of %s for #%s that depend on a state or a medium do not hold for its copy", o.f.Ref(s), id)
				}
			}
		} else if edits := css.Extended(in.Text, copies); len(edits) > 0 {
			o.Set(s, tree.Tail, in.Edited(edits...))
			changed = append(changed, s)
		}
	}
	if len(changed) > 0 {
		o.Warn("rules for ids hold for the copies as well: %s", o.f.Refs(changed))
	}
	if !o.scene().Ruled() {
		return
	}
	for _, c := range list {
		o.keepLooks(c.n, c.copy)
	}
}

// keepLooks writes into a copy what rules give the original and do not give the copy.
func (o *op) keepLooks(n, c *node) {
	copies := slices.Collect(c.All())
	i := 0
	for m := range n.All() {
		sc := o.scene()
		style := copies[i].Get("style")
		for _, property := range sc.FromRules(m) {
			v, _ := sc.Own(m, property)
			if w, _ := sc.Own(copies[i], property); v != w {
				style = css.Set(style, property, v)
			}
		}
		if style != copies[i].Get("style") {
			o.SetAttr(copies[i], "style", style)
		}
		i++
	}
}

// nextID increments the number of an id until the id is unused: dot, dot2; bar7, bar8.
func (o *op) nextID(stem, id string, taken map[string]bool) string {
	i := 2
	if n, err := strconv.Atoi(id[len(stem):]); err == nil && n < 1e6 {
		i = n + 1
	}
	if o.later == nil {
		o.later = map[string]int{}
	}
	var way []string
	for {
		s := stem + strconv.Itoa(i)
		switch next, used := o.later[s]; {
		case used:
			i = next
		case o.f.ByID(s) == nil && !taken[s]:
			for _, w := range way {
				o.later[w] = i
			}
			return s
		default:
			i++
		}
		way = append(way, s)
	}
}

// withIDs replaces the ids in an element's text, and the references to them.
func withIDs(raw string, ids map[string]string) string {
	if len(ids) == 0 {
		return raw
	}
	e, err := xmltree.Parse(raw)
	if err != nil {
		return raw
	}
	fresh := func(id string) string {
		if to, ok := ids[id]; ok {
			return to
		}
		return id
	}
	var edits []css.Edit
	var walk func(e *xmltree.Element)
	walk = func(e *xmltree.Element) {
		for _, a := range e.Attrs {
			v := xmltree.Unescape(raw[a.Start:a.End])
			now := model.Follow(a.Name, v, fresh)
			if a.Name == "id" {
				now = fresh(v)
			}
			if now != v {
				edits = append(edits, css.Edit{From: a.Start, To: a.End, Text: xmltree.Escape(now, a.Quote)})
			}
		}
		if xmltree.Local(e.Name) == "style" && len(e.Children) == 0 {
			edits = append(edits, css.Edit{From: e.OpenEnd, To: e.CloseStart, Text: css.RenamedBody(raw[e.OpenEnd:e.CloseStart], fresh)})
		}
		for _, c := range e.Children {
			walk(c)
		}
	}
	walk(e)
	return css.Edited(raw, edits)
}

func removeVerb() verb {
	return verb{Run: running(runRemove), Verb: abi.Verb{
		Syntax: "remove REF…|SEL", Brief: "remove REF…|SEL", Summary: "remove elements, groups with what is in them", Category: "elements",
		Examples: []string{"remove dot", "remove @class:old", "remove @recent:2"},
	}}
}

func runRemove(o *op) error {
	list, err := o.all(true)
	if err != nil {
		return err
	}
	list = model.Tops(list)
	for _, n := range list {
		if n == o.f.Root {
			err := pdk.Errorf("the root cannot be removed; remove @all removes what it shows")
			if len(o.a.Selectors) > 0 { // what they name is less than all
				return err
			}
			return err.Try("remove @all")
		}
	}
	o.touch(list...)
	names := o.f.Refs(list)
	inside := ""
	if count := o.drop(list); count > len(list) {
		inside = " with " + pdk.Count(count-len(list), "element") + " inside"
	}
	o.Deleted("%s%s", names, inside)
	return nil
}

// drop removes elements and returns how many there were, including their content.
func (o *op) drop(list []*node) (all int) {
	for _, n := range list {
		all += n.Count()
	}
	for _, n := range list {
		o.Remove(n)
	}
	return all
}
