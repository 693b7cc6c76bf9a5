package verbs

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

func textVerb() verb {
	return verb{Run: running(runText), Verb: abi.Verb{
		Syntax: `text REF "TEXT"`, Brief: `text REF "TEXT" · \n starts a line`, Category: "elements",
		Summary:  `set the text that an element shows, and keep its path, lines and parts where they still fit; \n starts a line`,
		Examples: []string{`text heading "Sales 2026"`, `text note "two\nlines"`},
	}}
}

func runText(o *op) error {
	n, err := o.f.Find(o.a.Text(0), false)
	if err != nil {
		return err
	}
	if err := o.setShownText(n, o.a.Text(1)); err != nil {
		return err
	}
	o.unchanged = o.f.Ref(n) + " already shows that"
	o.touch(n)
	o.Changed("%s shows %s", o.f.Ref(n), pdk.Quote(model.Line(o.a.Text(1), 80)))
	return nil
}

// setShownText sets the text that an element shows.
func (o *op) setShownText(n *node, text string) error {
	typ := o.f.Type(n)
	switch typ {
	case "text", "tspan", "textPath", "title", "desc":
	case "style", "script":
		return pdk.Errorf("%s is a %s; class changes rules", o.f.Ref(n), typ)
	default:
		err := pdk.Errorf("%s is a %s, which shows no text", o.f.Ref(n), typ)
		for m := range n.All() {
			if o.f.Type(m) == "text" {
				return err.Instead(o.a.Text(0), o.f.Ref(m))
			}
		}
		if o.a.Verb == "text" && o.scene().Rendered(n) {
			err.Tryf("add text %s on:%s", pdk.Quote(text), o.f.Ref(n))
		}
		return err
	}
	o.writeText(n, text)
	return nil
}

func titleVerb(name, what string) verb {
	return verb{Run: running(func(o *op) error { return runTitle(o, name) }), Verb: abi.Verb{
		Syntax: name + ` [REF] "TEXT"`, Summary: what + `; "" removes it`, Category: "document",
		Examples: []string{name + ` "A chart of sales"`, name + ` dot "The first sale"`},
	}}
}

func runTitle(o *op, name string) error {
	n, text := o.f.Root, o.a.Text(0)
	if len(o.a.Positionals) == 2 {
		var err error
		if n, err = o.f.Find(text, false); err != nil {
			return err
		}
		text = o.a.Text(1)
	}
	var has *node
	for c := range n.Kids() {
		if o.f.Type(c) == name && has == nil {
			has = c
		}
	}
	o.touch(n)
	of := "the document"
	if n != o.f.Root {
		of = o.f.Ref(n)
	}
	switch {
	case text == "" && has == nil:
		o.unchanged = of + " has no " + name
	case text == "":
		o.Remove(has)
		o.Deleted("%s of %s", name, of)
	case has != nil:
		o.writeText(has, text)
		o.unchanged = "the " + name + " of " + of + " is already that"
		o.Changed("%s of %s: %s", name, of, pdk.Quote(model.Line(text, 80)))
	case o.f.Mixed(n):
		raw := "<" + o.f.Prefix() + name + ">" + xmltree.EscapeText(text) + "</" + o.f.Prefix() + name + ">"
		o.Insert(n, nil, func(string) string { return raw })
		o.Created("%s of %s: %s", name, of, pdk.Quote(model.Line(text, 80)))
	default:
		var after *node
		if first := n.First; name == "desc" && first != nil && o.f.Type(first) == "title" {
			after = first
		}
		if !scene.Draws(o.f.Type(n)) && !scene.Group(o.f.Type(n)) {
			return pdk.Errorf("a %s has no %s", o.f.Type(n), name)
		}
		o.Insert(n, after, writer(o.f, element{name: name, text: text}))
		o.Created("%s of %s: %s", name, of, pdk.Quote(model.Line(text, 80)))
	}
	return nil
}
