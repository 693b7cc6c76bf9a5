package verbs

import (
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// recoloring is a change of one colour to another wherever it is.
type recoloring struct {
	*op
	from       csscolor.Color
	to         string
	scope      map[*node]bool // the elements that are meant
	everything bool           // no element is left out
	changed    []*node
	count      map[string]int // changes by what they are
}

// paintedIn is a property by which an element has the old colour.
type paintedIn struct {
	n        *node
	property css.Property
	value    string // as it is written
}

func runRecolor(o *op) error {
	r := &recoloring{op: o, count: map[string]int{}}
	for _, kv := range o.a.Params {
		if kv.Key != "from" && kv.Key != "to" && kv.Key != "except" {
			return pdk.Errorf("%s: is another op: from: and to: change only a colour", kv.Key)
		}
	}
	old, isColor := csscolor.Parse(o.a.String("from", ""))
	if r.from, r.to = old, o.a.String("to", ""); !isColor || r.to == "" {
		return pdk.Errorf("style from:COLOUR to:COLOUR changes a colour everywhere; it needs both").TryQuery("colors")
	}
	targets, err := r.setScope()
	if err != nil {
		return err
	}
	list := r.find()
	r.narrow(targets, list)
	var kept []*node
	r.editRules()
	for _, x := range list {
		want := x.value
		if r.scope[x.n] {
			want = r.to
		} else {
			kept = model.Union(kept, []*node{x.n})
		}
		r.give(x, want)
	}
	if len(r.changed) == 0 && len(r.count) == 0 {
		return r.nothingFound(kept)
	}
	o.touch(r.changed...)
	text := "from " + model.Hex(r.from) + " to " + r.to + ": "
	for i, what := range slices.DeleteFunc(append(slices.Clone(model.ColorProperties), "rule"), func(p string) bool { return r.count[p] == 0 }) {
		if i > 0 {
			text += ", "
		}
		text += pdk.Count(r.count[what], what)
	}
	if len(r.changed) > 0 {
		text += " of " + o.f.Refs(r.changed)
	}
	if len(kept) > 0 {
		text += "; kept by " + o.f.Refs(kept)
	}
	o.Changed("%s", text)
	return nil
}

// setScope finds the elements that the op is about: those that it names with all in them, or everything, without those
// of except:. It returns those that it names.
func (r *recoloring) setScope() ([]*node, error) {
	targets := []*node{r.f.Root}
	r.everything = len(r.a.Positionals)+len(r.a.Selectors) == 0 && !r.a.Has("except")
	if len(r.a.Positionals)+len(r.a.Selectors) > 0 {
		var err error
		if targets, err = r.all(false); err != nil {
			return nil, err
		}
	}
	except, err := r.excepted()
	if err != nil {
		return nil, err
	}
	// What a negated selector leaves out may lie in a group that the others match.
	alone := slices.ContainsFunc(r.a.Selectors, func(s abi.Select) bool { return s.Negated })
	r.scope = map[*node]bool{}
	for _, top := range targets {
		for n := range top.All() {
			r.scope[n] = r.scope[n] || n == top || !alone
		}
	}
	for _, top := range except {
		for n := range top.All() {
			delete(r.scope, n)
		}
	}
	return targets, nil
}

// excepted returns the elements that except: names.
func (o *op) excepted() ([]*node, error) {
	if refs, ok := o.a.Param("except"); ok {
		return o.f.Resolve(strings.Split(refs, ","))
	}
	return nil, nil
}

// find returns where elements have the old colour, in document order. That includes a shape that inherits it.
func (r *recoloring) find() (out []paintedIn) {
	sc := r.scene()
	for n := range r.f.Root.All() {
		typ := n.Type
		paints := (svgdom.Draws(typ) && !svgdom.Group(typ) || r.f.IsText(n)) && !model.InDefs(r.f, n)
		for _, name := range model.ColorProperties {
			value, from := sc.Own(n, name)
			if from == svgdom.Nowhere || value == "inherit" {
				if def := r.f.UseTarget(n); def != nil {
					if _, own := sc.Own(def, name); own != svgdom.Nowhere {
						continue
					}
				}
				if name == "color" && sc.Value(n, "fill") != "currentColor" && sc.Value(n, "stroke") != "currentColor" || !paints {
					continue
				}
				value = sc.Value(n, name)
			}
			p, _ := css.PropertyNamed(name)
			if c, ok := csscolor.Parse(value); ok && c == r.from && (p.Inherited || from != svgdom.Nowhere) {
				out = append(out, paintedIn{n, p, value})
			}
		}
	}
	return out
}

// narrow decides which definitions are meant: those named, and those that only elements which are meant use. Masks and
// clip paths are not: their colours are not seen.
func (r *recoloring) narrow(targets []*node, list []paintedIn) {
	var defs []*node
	for _, x := range list {
		if model.InDefs(r.f, x.n) {
			defs = model.Union(defs, []*node{x.n})
		}
	}
	if len(defs) == 0 {
		return
	}
	used, kept := r.reached(true), r.reached(false)
	var shared []*node
	for _, n := range defs {
		named, hold := false, false
		for p := n; p != r.f.Root; p = p.Parent {
			named = named || slices.Contains(targets, p)
			hold = hold || model.Holds(p.Type)
		}
		if named {
			continue
		}
		if kept[n] && used[n] && !hold {
			shared = model.Union(shared, []*node{n.Parent})
		}
		r.scope[n] = !hold && !kept[n] && (used[n] || targets[0] == r.f.Root && r.scope[n])
	}
	if len(shared) > 0 {
		r.Warn("%s has the colour, too, and keeps it: elements that keep it use it as well", r.f.Refs(shared))
	}
}

// reached returns what is in the definitions that elements use, directly or by others: elements that are meant, or all
// others.
func (r *recoloring) reached(meant bool) map[*node]bool {
	sc := r.scene()
	out := map[*node]bool{}
	var follow func(n *node)
	enter := func(id string) {
		def := r.f.ByID(id)
		if def == nil || out[def] || svgdom.Draws(def.Type) && !model.InDefs(r.f, def) {
			return
		}
		for n := range def.All() {
			out[n] = true
		}
		for n := range def.All() {
			follow(n)
		}
	}
	follow = func(n *node) {
		model.Refers(n, enter)
		for _, p := range []string{"fill", "stroke", "filter", "marker-start", "marker-mid", "marker-end"} {
			if id := css.Reference(sc.Value(n, p)); id != "" {
				enter(id)
			}
		}
	}
	for n := range r.f.Root.All() {
		if typ := n.Type; (svgdom.Draws(typ) && (!svgdom.Group(typ) || n.MayRefer()) || r.f.IsText(n)) && !model.InDefs(r.f, n) && r.scope[n] == meant {
			follow(n)
		}
	}
	return out
}

// editRules changes the colour in rules of style elements that hold only for elements that are meant, and in variables
// if everything is. All else gets its colour in the elements.
func (r *recoloring) editRules() {
	for _, sheet := range editable(r.f) {
		var edits []css.Edit
		for _, rule := range css.Parse(sheet.Text).Rules {
			body := sheet.Text[rule.From:rule.To]
			fresh := body
			for _, d := range rule.Body {
				variable := strings.HasPrefix(d.Name, "--")
				if c, ok := csscolor.Parse(d.Value); !ok || c != r.from || !variable && !slices.Contains(model.ColorProperties, d.Name) {
					continue
				}
				if variable && !r.everything {
					r.Warn("%s sets %s:%s, which stays: elements that keep the colour may use it", rule.Text, d.Name, d.Value)
				} else if r.everything || r.holdsForMeant(rule) {
					fresh = css.Set(fresh, d.Name, r.to)
				}
			}
			if fresh != body {
				r.count["rule"]++
				edits = append(edits, css.Edit{From: rule.From, To: rule.To, Text: fresh})
			}
		}
		if len(edits) > 0 {
			r.Set(sheet.of, tree.Tail, sheet.Edited(edits...))
		}
	}
}

// holdsForMeant reports whether a rule matches only elements that are meant.
func (r *recoloring) holdsForMeant(rule css.Rule) bool {
	var m svgdom.Matcher
	for n := range r.f.Root.All() {
		if !r.scope[n] && m.Any(rule.Selectors, n) {
			return false
		}
	}
	return true
}

// give gives an element a colour if it has another one now: it may have inherited the change already, and keep what it
// had.
func (r *recoloring) give(x paintedIn, want string) {
	if r.scene().Value(x.n, x.property.Name) == want {
		return
	}
	before := x.n.Tag
	r.paintKey(x.n, x.property.Name, want)
	if v := r.scene().Value(x.n, x.property.Name); v != want {
		r.Warn("%s still has %s:%s, from a rule that is !important", r.f.Ref(x.n), x.property.Name, v)
	} else if x.n.Tag != before && r.scope[x.n] {
		r.count[x.property.Name]++
		r.changed = model.Union(r.changed, []*node{x.n})
	}
}

// nothingFound is the error for a colour that nothing has which is meant.
func (r *recoloring) nothingFound(kept []*node) error {
	if len(kept) > 0 {
		return pdk.Errorf("%s is only the colour of what is left out: %s", model.Hex(r.from), r.f.Refs(kept))
	}
	var have []string
	for _, k := range r.f.Palette().Keys {
		if c, _, _ := strings.Cut(k, " "); !slices.Contains(have, c) {
			have = append(have, c)
		}
	}
	return pdk.Errorf("nothing is %s; the colours are %s", model.Hex(r.from), model.Line(strings.Join(have, " "), 300)).TryQuery("colors")
}
