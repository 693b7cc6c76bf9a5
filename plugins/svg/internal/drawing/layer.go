package drawing

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
)

// layers returns Inkscape's layers at any depth if the document has any, else the
// groups with an id that are children of the root.
func (f *Drawing) layers() []*node {
	var real, groups []*node
	if f.Count("g") == 0 {
		return nil
	}
	for n := range f.Root.All() {
		if f.Type(n) != "g" {
			continue
		}
		if n.Get("inkscape:groupmode") == "layer" {
			real = append(real, n)
		} else if n.Parent == f.Root && n.ID() != "" {
			groups = append(groups, n)
		}
	}
	if len(real) > 0 {
		return real
	}
	return groups
}

// layerName returns the name of a layer.
func (f *Drawing) layerName(n *node) string {
	if label := n.Get("inkscape:label"); label != "" {
		return label
	}
	return n.ID()
}

// layer resolves a layer by its name, its id or its number, counted from the lowest.
func (f *Drawing) layer(ref string) (*node, error) {
	var names pdk.Index[*node]
	list := f.layers()
	for _, n := range list {
		names.Put(n, f.layerName(n), "", "")
	}
	if hits, _ := names.Find(ref, false); len(hits) == 1 {
		return hits[0], nil
	}
	for i, n := range list {
		if n.ID() == ref || strconv.Itoa(i+1) == ref {
			return n, nil
		}
	}
	if len(list) == 0 {
		return nil, pdk.Errorf("there is no layer %s; the document has no layers", pdk.Quote(ref))
	}
	var have []string
	for _, n := range list {
		have = append(have, pdk.Quote(f.layerName(n)))
	}
	return nil, pdk.Errorf("there is no layer %s; there are %s", pdk.Quote(ref), strings.Join(have, ", ")).Instead(ref, names.Nearest(ref)...)
}

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
	l, err := o.f.layer(name)
	if err != nil {
		return err
	}
	name = o.f.layerName(l)
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
			after = lowest(o.f, l.Parent, l)
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
	for _, l := range o.f.layers() {
		if o.f.layerName(l) == name {
			return pdk.Errorf("there is already a layer %s", pdk.Quote(name))
		}
	}
	e := element{name: "g"}
	if strings.Contains(o.f.Root.Tag, "xmlns:inkscape") {
		e.set("id", o.f.FreeID("layer", len(o.f.layers())))
		e.set("inkscape:groupmode", "layer")
		e.set("inkscape:label", name)
	} else {
		if err := o.newID(name); err != nil {
			return err
		}
		e.set("id", name)
	}
	n := o.Append(o.f.Root, o.f.writer(e))
	o.touch(n)
	o.Created("layer %s", name)
	return nil
}
