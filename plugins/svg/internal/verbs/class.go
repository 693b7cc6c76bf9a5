package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

func classVerb() verb {
	return verb{Run: running(runClass), Verb: abi.Verb{
		Syntax: "class NAME [REF…|SEL] [fill:COLOUR] key:value… | class NAME off REF…|SEL", Brief: "class NAME [REF…|SEL] [properties] | class NAME off REF…|SEL", Category: "looks",
		Summary:  "set properties of a class in the style element, give the class to elements, or remove it from them",
		Examples: []string{"class accent fill:tomato stroke:none", "class accent dot card", "class muted @type:text opacity:0.6", "class muted off card"},
	}}
}

func runClass(o *op) error {
	name := strings.TrimPrefix(o.a.Text(0), ".")
	if name == "" || strings.ContainsAny(name, " .#>+~[]():{},;\"'<&") {
		return pdk.Errorf("%s is not a class name", pdk.Quote(name))
	}
	list, err := o.settings()
	if err != nil {
		return err
	}
	from, off := 1, false
	if strings.EqualFold(o.a.Text(1), "off") && !o.a.Positionals[1].Quoted {
		from, off = 2, true
	}
	var targets []*node
	if len(o.a.Positionals) > from || len(o.a.Selectors) > 0 {
		if targets, err = o.targets(from, len(o.a.Positionals), false); err != nil {
			return err
		}
	}
	switch {
	case off && (len(list) > 0 || len(targets) == 0):
		return pdk.Errorf("class %s off: name the elements that lose the class", name)
	case len(list) == 0 && len(targets) == 0:
		return pdk.Errorf("class needs properties, or elements to give the class to")
	}
	if len(list) > 0 {
		o.rule(name, list)
		var have []*node
		for n := range o.f.Root.All() {
			if len(targets) > 0 && n.HasClass(name) {
				have = append(have, n)
			}
		}
		o.warnOthers("class "+name+" is that of others as well", have, targets)
	}
	for _, n := range targets {
		o.setClass(n, name, off)
	}
	o.touch(targets...)
	o.unchanged = "class " + name + " is unchanged"
	text := "class " + name
	if len(list) > 0 {
		text += " " + settingsText(list)
	}
	if len(targets) > 0 {
		text += map[bool]string{false: " on ", true: " off "}[off] + o.f.Refs(targets)
	}
	o.Changed("%s", text)
	return nil
}

// setClass gives an element a class, or removes the class if off is set.
func (o *op) setClass(n *node, name string, off bool) {
	var words []string
	for w := range strings.FieldsSeq(n.Get("class")) {
		if w != name {
			words = append(words, w)
		}
	}
	switch has := n.HasClass(name); {
	case has && off && len(words) == 0:
		o.DropAttr(n, "class")
	case has && off:
		o.SetAttr(n, "class", strings.Join(words, " "))
	case !has && !off:
		o.SetAttr(n, "class", strings.Join(append(words, name), " "))
	}
}

// rule sets properties in the rule of a class, in the last style element. It makes a
// style element if there is none.
func (o *op) rule(name string, list []setting) {
	sheets := editable(o.f)
	for _, s := range slices.Backward(sheets) {
		r, ok := css.Parse(s.Text).Class(name)
		if !ok {
			continue
		}
		fresh := s.Text[r.From:r.To]
		for _, p := range list {
			if p.value == "" {
				fresh = css.Drop(fresh, p.property.Name)
			} else {
				fresh = css.Set(fresh, p.property.Name, p.value)
			}
		}
		o.Set(s.of, tree.Tail, s.Edited(css.Edit{From: r.From, To: r.To, Text: fresh}))
		return
	}
	var body []string
	for _, s := range list {
		if s.value != "" {
			body = append(body, s.property.Name+": "+s.value)
		}
	}
	text := "." + name + " { " + strings.Join(body, "; ") + " }"
	if len(sheets) > 0 {
		last := sheets[len(sheets)-1]
		o.Set(last.of, tree.Tail, last.WithRule(text))
		return
	}
	o.Insert(o.f.Root, o.defsAnchor(), writer(o.f, element{name: "style", text: text}))
}

// defsAnchor returns the element after which definitions are inserted, such as the
// document's title or description.
func (o *op) defsAnchor() *node {
	var after *node
	for c := range o.f.Root.Kids() {
		switch c.Type {
		case "title", "desc", "metadata", "style":
			after = c
			continue
		}
		break
	}
	return after
}
