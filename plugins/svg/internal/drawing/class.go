package drawing

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

func classVerb() verb {
	return verb{Run: running(runClass), Verb: abi.Verb{
		Name: "class", Category: "looks", AnyParam: true, Select: true, Min: 1, Max: -1,
		Syntax: "class NAME [REF…|SEL] key:value… | NAME off REF…|SEL", Brief: "class NAME [REF…|SEL] [properties] | class NAME off REF…|SEL",
		Summary:  "set properties of a class in the style element, give the class to elements, or remove it from them",
		Params:   []abi.Param{{Key: "fill", Value: "COLOUR; stroke: and all other properties as for style"}},
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
		return pdk.Errorf("class %s off needs the elements to remove the class from", name)
	case len(list) == 0 && len(targets) == 0:
		return pdk.Errorf("class needs properties, or elements to give the class to")
	}
	if len(list) > 0 {
		o.rule(name, list)
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
		text += map[bool]string{false: " on ", true: " off "}[off] + o.f.names(targets)
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
	switch has := css.HasClass(n, name); {
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
	sheets, _ := o.f.Sheets()
	for i := len(sheets) - 1; i >= 0; i-- {
		n := sheets[i]
		if n.First != nil {
			continue
		}
		at, text, ok := inner(n.Tail)
		if !ok {
			continue
		}
		r, ok := css.Parse(text).Class(name)
		if !ok {
			continue
		}
		body := text[r.From:r.To]
		fresh := body
		for _, s := range list {
			if s.value == "" {
				fresh = css.Drop(fresh, s.property.Name)
			} else {
				fresh = css.Set(fresh, s.property.Name, s.value)
			}
		}
		o.setStyle(n, at+r.From, body, fresh)
		return
	}
	var b strings.Builder
	for i, s := range list {
		if s.value == "" {
			continue
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(s.property.Name + ": " + s.value)
	}
	text := "." + name + " { " + b.String() + " }"
	for i := len(sheets) - 1; i >= 0; i-- {
		if at, old, ok := inner(sheets[i].Tail); ok && sheets[i].First == nil {
			o.appendRule(sheets[i], at, old, text)
			return
		}
	}
	o.Insert(o.f.Root, o.defsAnchor(), o.f.writer(element{name: "style", text: text}))
}

// inner returns the offset and the text of a style element that contains nothing else,
// or just one CDATA section. ok is false if it contains references.
func inner(tail string) (at int, text string, ok bool) {
	if i := strings.Index(tail, "<![CDATA["); i >= 0 {
		end := strings.Index(tail, "]]>")
		if end < i || strings.Contains(tail[end:], "<") || strings.TrimSpace(tail[:i]) != "" {
			return 0, "", false
		}
		return i + len("<![CDATA["), tail[i+len("<![CDATA[") : end], true
	}
	return 0, tail, !strings.ContainsAny(tail, "<&")
}

// setStyle replaces part of a style element's text.
func (o *op) setStyle(n *node, at int, old, fresh string) {
	if !strings.Contains(n.Tail, "<![CDATA[") {
		fresh = xmltree.EscapeText(fresh)
	}
	o.Set(n, tree.Tail, n.Tail[:at]+fresh+n.Tail[at+len(old):])
}

// appendRule adds a rule at the end of a style element, with the indentation of the
// other rules.
func (o *op) appendRule(n *node, at int, old, text string) {
	body := strings.TrimRight(old, " \t\r\n")
	gap := " "
	if i := strings.IndexByte(old, '\n'); i >= 0 {
		gap = old[i:]
		gap = gap[:len(gap)-len(strings.TrimLeft(gap, " \t\r\n"))]
	}
	if strings.TrimSpace(body) == "" {
		gap = ""
		if i := strings.IndexByte(old, '\n'); i >= 0 {
			gap = old[:len(old)-len(strings.TrimLeft(old, " \t\r\n"))]
		}
		body = ""
	}
	o.setStyle(n, at, old, body+gap+text+old[len(strings.TrimRight(old, " \t\r\n")):])
}

// defsAnchor returns the element after which definitions are inserted, such as the
// document's title or description.
func (o *op) defsAnchor() *node {
	var after *node
	for c := range o.f.Root.Kids() {
		switch o.f.Type(c) {
		case "title", "desc", "metadata", "style":
			after = c
			continue
		}
		break
	}
	return after
}
