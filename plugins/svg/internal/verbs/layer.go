package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
)

func layerVerb() verb {
	return verb{Run: running(runLayer), Verb: abi.Verb{
		Name: "layer", Category: "groups", Select: true, Min: 1, Max: -1,
		Syntax:   "layer create NAME | show L | hide L | lock L | unlock L | rename L NAME | order L front|back | remove L",
		Brief:    "layer create NAME | show|hide|lock|unlock L | rename L NAME | order L front|back | remove L · Inkscape's, else groups on the canvas; reparent REF in:L",
		Summary:  "work with layers: Inkscape's, or else the groups directly on the canvas",
		Examples: []string{"layer create Labels", "layer hide logo", "layer rename logo Brand"},
	}}
}

func runLayer(o *op) error {
	word, err := value.OneOf("create", "show", "hide", "lock", "unlock", "rename", "order", "remove").Word(o.a, 0, "the action")
	if err != nil {
		return err
	}
	name := o.a.Text(1)
	if name == "" || len(o.a.Selectors) > 0 {
		return pdk.Errorf("layer %s needs the name of one layer", word)
	}
	if word == "create" {
		return o.createLayer(name)
	}
	l, err := o.f.Layer(name)
	if err != nil {
		return err
	}
	name = o.f.LayerName(l)
	o.touch(l)
	o.unchanged = "layer " + name + " is unchanged"
	switch word {
	case "show", "hide":
		display := map[string]string{"show": "", "hide": "none"}[word]
		o.paintKey(l, "display", display)
		o.Changed("layer %s %s", name, map[string]string{"show": "shown", "hide": "hidden"}[word])
	case "lock", "unlock":
		if !strings.Contains(o.f.Root.Tag, "xmlns:sodipodi") {
			return pdk.Errorf("only layers of Inkscape's files can be locked; this is not one")
		}
		if word == "lock" {
			o.SetAttr(l, "sodipodi:insensitive", "true")
		} else {
			o.DropAttr(l, "sodipodi:insensitive")
		}
		o.Changed("layer %s %sed", name, word)
	case "rename":
		to := o.a.Text(2)
		if to == "" {
			return pdk.Errorf("layer rename needs the new name")
		}
		if _, ok := l.Attr("inkscape:label"); ok {
			o.SetAttr(l, "inkscape:label", to)
		} else if err := o.rename(l, to); err != nil {
			return err
		}
		o.Changed("layer %s is %s", name, to)
	case "order":
		how, err := value.OneOf("front", "back").Word(o.a, 2, "the order")
		if err != nil {
			return err
		}
		after := l.Parent.Last
		if how == "back" {
			after = lowest(l.Parent, l)
		}
		if after != l {
			o.Move(l, l.Parent, after)
		}
		o.Changed("layer %s %s", name, how)
	case "remove":
		o.Remove(l)
		o.Deleted("layer %s", name)
	}
	return nil
}

func (o *op) createLayer(name string) error {
	for _, l := range o.f.Layers() {
		if o.f.LayerName(l) == name {
			return pdk.Errorf("there is already a layer %s", pdk.Quote(name))
		}
	}
	e := element{name: "g"}
	if strings.Contains(o.f.Root.Tag, "xmlns:inkscape") {
		e.set("id", o.f.FreeID("layer", len(o.f.Layers())))
		e.set("inkscape:groupmode", "layer")
		e.set("inkscape:label", name)
	} else {
		if err := o.newID(name); err != nil {
			return err
		}
		e.set("id", name)
	}
	n := o.Append(o.f.Root, writer(o.f, e))
	o.touch(n)
	o.Created("layer %s", name)
	return nil
}
