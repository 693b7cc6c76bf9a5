package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

var (
	oldColour = value.Key[string]{Name: "from", Type: colour, About: " that becomes to: everywhere in them, or in the whole drawing: fills, strokes, gradients, rules"}
	newColour = value.Key[string]{Name: "to", Type: colour}
	except    = text("except", "REF,REF that stay as they are, with all in them")
)

func styleVerb() verb {
	return verb{Run: running(runStyle), Keys: append(texts(
		"fill", "COLOUR|none|GRADIENT", "stroke", "COLOUR|none|GRADIENT", "stroke-width", "N|xF: F times what it is, as for all numbers", "opacity", "0-1", "stroke-dasharray", "N,N", "stroke-linecap", "butt|round|square", "stroke-linejoin", "miter|round|bevel", "font-family", "NAMES",
		"font-size", "N", "font-weight", "normal|bold|100-900", "text-anchor", "start|middle|end", "filter", "NAME|none", "clip-path", "NAME|none", "mask", "NAME|none", "marker-start", "NAME|none", "marker-end", "NAME|none", "display", "inline|none"), oldColour, newColour, except), Verb: abi.Verb{
		Syntax:   "style REF…|SEL [FLAG…] key:value… | style [REF…|SEL] from:COLOUR to:COLOUR [except:REF,REF]",
		Brief:    `style REF…|SEL [FLAG…] [fill: stroke: stroke-width:N|xF opacity: font-size: filter:NAME marker-end:NAME, or any property] | style [REF…|SEL] from:COLOUR to:COLOUR [except:REF,REF] · recolours`,
		Summary:  `change how elements look, in the attribute or style that sets it; key:"" removes a property, stroke-width:x0.5 halves it; from: to: changes a colour wherever it is`,
		Examples: []string{"style background fill:#eee", "style @type:rect stroke:navy stroke-width:2", "style axis dashed", `style dot fill:""`, "style title bold font-size:24 text-anchor:middle", "style @type:path stroke-width:x0.5", "style from:white to:#eee except:logo"},
		Category: "looks",
	}}
}

func runStyle(o *op) error {
	if o.a.Has("from") || o.a.Has("to") {
		return runRecolor(o)
	}
	named := min(1, len(o.a.Positionals))
	if len(o.a.Selectors) > 0 {
		named = 0
	}
	flags := o.cutFlags(named)
	var list []setting
	for _, f := range flags {
		p, _ := css.PropertyNamed(f[0])
		list = append(list, setting{p, f[1]})
	}
	targets, err := o.marks(0, len(o.a.Positionals)-len(flags))
	if err != nil {
		return err
	}
	kept, err := o.excepted()
	if err != nil {
		return err
	}
	targets = slices.DeleteFunc(targets, func(n *node) bool { return slices.ContainsFunc(kept, n.Within) })
	if len(targets) == 0 {
		return pdk.Errorf("except: leaves nothing to style")
	}
	factors, err := o.factors()
	if err != nil {
		return err
	}
	skip := []string{except.Name}
	for _, f := range factors {
		skip = append(skip, f.key)
	}
	more, err := o.settings(skip...)
	if err != nil {
		return err
	}
	list = append(list, more...)
	if len(list)+len(factors) == 0 {
		return pdk.Errorf("style needs what to change, such as fill:red, stroke:none, dashed").TryQuery("describe " + o.f.Ref(targets[0]))
	}
	changed := o.restyle(targets, list)
	for _, f := range factors {
		grown, text, err := o.multiply(targets, f)
		if err != nil {
			return err
		}
		changed = model.Union(changed, grown)
		list = append(list, setting{f.property, text})
	}
	o.unchanged = o.f.Refs(targets) + ": no change, " + settingsText(list)
	o.touch(changed...)
	if len(changed) > 3 {
		o.Bulk("%s: %s", pdk.Count(len(changed), "element"), settingsText(list))
		return nil
	}
	o.Changed("%s %s", o.f.Refs(changed), settingsText(list))
	return nil
}

// restyle sets properties of elements and returns those that changed.
func (o *op) restyle(targets []*node, list []setting) (changed []*node) {
	told := map[string]bool{}
	for _, n := range targets {
		before := n.Tag
		for _, s := range list {
			o.paintKey(n, s.property.Name, s.value)
			if v, from := o.scene().Own(n, s.property.Name); s.value != "" && from == svgdom.Sheet && v != s.value {
				o.Warn("%s still has %s:%s, from a rule that is !important", o.f.Ref(n), s.property.Name, v)
			}
			if s.value == "" {
				if v, from := o.scene().Own(n, s.property.Name); from == svgdom.Sheet {
					o.Warn("%s still has %s:%s, from a rule of its class", o.f.Ref(n), s.property.Name, v)
				}
			}
		}
		if n.Tag == before {
			continue
		}
		changed = append(changed, n)
		if def := o.f.UseTarget(n); def != nil {
			for _, s := range list {
				if _, from := o.scene().Own(def, s.property.Name); s.property.Inherited && s.value != "" && !told[def.ID()] && (from != svgdom.Nowhere || o.isOverridden(def, s.property.Name)) {
					told[def.ID()] = true
					o.Warn("%s shows %s, which has a %s of its own: style that", o.f.Ref(n), o.f.Ref(def), s.property.Name)
				}
			}
		}
		for _, s := range list {
			if s.property.Inherited && s.value != "" && o.isOverridden(n, s.property.Name) {
				o.Warn("everything in %s has a %s of its own; style @group:%s reaches it", o.f.Ref(n), s.property.Name, o.f.Ref(n))
			}
		}
	}
	return changed
}

// isOverridden reports whether no element in a group inherits its value of a property.
func (o *op) isOverridden(group *node, property string) bool {
	if !svgdom.Group(group.Type) {
		return false
	}
	some := false
	for n := range group.All() {
		if typ := n.Type; !svgdom.Draws(typ) || svgdom.Group(typ) {
			continue
		}
		some = true
		own := false
		for m := n; m != group && !own; m = m.Parent {
			_, from := o.scene().Own(m, property)
			own = from != svgdom.Nowhere
		}
		if !own {
			return false
		}
	}
	return some
}

// settingsText prints settings.
func settingsText(list []setting) string {
	var out []string
	for _, s := range list {
		v := s.value
		if v == "" {
			v = `""`
		}
		out = append(out, s.property.Name+":"+model.Line(v, 60))
	}
	return strings.Join(out, " ")
}

func modifyVerb() verb {
	return verb{Run: running(runModify), Keys: texts("id", "ID: what refers to it follows", "class", "NAMES", "href", "URL|#ID", "text", "TEXT", "points", `"X,Y X,Y…"`, "d", "PATH DATA", "transform", "TRANSFORM",
		"x", "LENGTH", "y", "LENGTH", "width", "LENGTH", "height", "LENGTH", "cx", "LENGTH", "cy", "LENGTH", "r", "LENGTH", "rx", "LENGTH", "ry", "LENGTH"), Verb: abi.Verb{
		Syntax:   "modify REF…|SEL key:value…",
		Brief:    `modify REF…|SEL [id: class: href: x: y: width: r: points: d:, any attribute or property]`,
		Summary:  `set attributes and properties as written in the file; key:"" removes one`,
		Examples: []string{"modify dot r:8 fill:blue", "modify card id:panel", `modify @type:rect class:"box soft"`, `modify dot data-value:42`, `modify card rx:""`},
		Category: "elements",
	}}
}

func runModify(o *op) error {
	targets, err := o.all(false)
	if err != nil {
		return err
	}
	if len(o.a.Params) == 0 {
		return pdk.Errorf("modify needs what to change, such as r:8 or class:big").TryQuery("describe " + o.f.Ref(targets[0]))
	}
	var changed []*node
	for _, n := range targets {
		before, inner := n.Tag, n.Tail
		for _, kv := range o.a.Params {
			if err := o.modify(n, kv, len(targets) > 1); err != nil {
				return err
			}
		}
		if n.Tag != before || n.Tail != inner {
			changed = append(changed, n)
		}
	}
	o.unchanged = o.f.Refs(targets) + ": no change"
	o.touch(changed...)
	o.Changed("%s%s", o.f.Refs(changed), keysOf(o.a.Params))
	return nil
}

// keysOf prints the keys that an op sets.
func keysOf(params []abi.KeyValue) string {
	var b strings.Builder
	for _, kv := range params {
		b.WriteString(" " + kv.Key + ":" + pdk.Quote(model.Line(kv.Value, 60)))
	}
	return b.String()
}

func (o *op) modify(n *node, kv abi.KeyValue, several bool) error {
	switch kv.Key {
	case "id":
		if several {
			return pdk.Errorf("several elements cannot have the same id")
		}
		return o.rename(n, kv.Value)
	case "text":
		return o.setShownText(n, kv.Value)
	case "points":
		if err := checkPoints(kv.Value); err != nil {
			return err
		}
	case "d":
		if err := checkPath(kv.Value); err != nil {
			return err
		}
	}
	typ := n.Type
	key, v, err := o.attribute(typ, kv)
	if err != nil {
		return err
	}
	if _, ok := css.PropertyNamed(key); ok {
		o.paintKey(n, key, v)
		return nil
	}
	if strings.HasSuffix(key, "href") {
		if _, attr := n.Href(); attr != "" {
			key = attr
		}
	}
	if style, ok := n.Attr("style"); ok {
		if _, ok := css.Get(style, key); ok && v != "" {
			o.SetAttr(n, "style", css.Set(style, key, v))
			return nil
		}
	}
	if v == "" {
		o.DropAttr(n, key)
	} else {
		o.SetAttr(n, key, v)
	}
	return nil
}

// rename gives an element another id and updates references to it.
func (o *op) rename(n *node, id string) error {
	was := n.ID()
	if id == was {
		return nil
	}
	if id == "" {
		if users := o.f.Referrers(was); len(users) > 0 {
			return pdk.Errorf("%s is referred to by %s", was, o.f.Refs(users))
		}
		o.DropAttr(n, "id")
		return nil
	}
	if err := o.newID(id); err != nil {
		return err
	}
	meant := was != "" && o.f.ByID(was) == n // else an earlier element has the same id
	o.SetAttr(n, "id", id)
	if meant {
		o.redirect(was, id)
	}
	return nil
}

// factor is a number that a property is multiplied with, such as stroke-width:x0.5.
type factor struct {
	key      string
	property css.Property
	by       float64
}

// factors reads the keys of an op with values such as x0.5.
func (o *op) factors() (out []factor, err error) {
	for _, kv := range o.a.Params {
		text, ok := strings.CutPrefix(strings.ToLower(strings.Replace(kv.Value, "×", "x", 1)), "x")
		by, isNumber := value.ParseNumber(text)
		p, known := property(kv.Key)
		if !ok || !isNumber || !known {
			continue
		}
		if by < 0 {
			return nil, pdk.Errorf("%s:%s: a factor is not negative", kv.Key, kv.Value)
		}
		out = append(out, factor{kv.Key, p, by})
	}
	return out, nil
}

// multiply multiplies a property of elements. Of a group it multiplies what is set in it, if the property is
// inherited. It returns the elements that changed, and the new value, or the factor if the values differ.
func (o *op) multiply(targets []*node, f factor) (changed []*node, text string, err error) {
	var list []*node
	for _, n := range targets {
		own := []*node{}
		for m := range n.All() {
			if _, from := o.scene().Own(m, f.property.Name); m != n && f.property.Inherited && from != svgdom.Nowhere {
				own = append(own, m)
			}
		}
		if _, from := o.scene().Own(n, f.property.Name); from != svgdom.Nowhere || !f.property.Inherited || !o.isOverridden(n, f.property.Name) {
			own = append(own, n)
		}
		list = model.Union(list, own)
	}
	values := make([]string, len(list))
	for i, n := range list { // all before the first change, since values are inherited
		if values[i], err = o.multiplied(n, f); err != nil {
			return nil, "", err
		}
	}
	differ := false
	for i, n := range list {
		before := n.Tag
		o.paintKey(n, f.property.Name, values[i])
		if n.Tag != before {
			changed = append(changed, n)
		}
		if text = values[i]; text != values[0] {
			differ = true
		}
	}
	if differ {
		text = "x" + model.Num(f.by)
	}
	return changed, text, nil
}

// multiplied returns the value of a property of an element times a factor.
func (o *op) multiplied(n *node, f factor) (string, error) {
	v := o.scene().Value(n, f.property.Name)
	k, unit, ok := svgdom.Split(v)
	if f.property.Name == "font-size" && (!ok || unit == "em" || unit == "ex" || unit == "%") { // of another size that may change, too
		k, unit, ok = o.scene().FontSize(n), "", true
	}
	if !ok {
		return "", pdk.Errorf("%s of %s is %s, which is no number to multiply", f.property.Name, o.f.Ref(n), v)
	}
	k *= f.by
	if f.property.Kind == css.Opacity && unit == "" {
		k = min(k, 1)
	}
	return propertyValue(o.f, f.property, model.Num(k)+unit)
}
