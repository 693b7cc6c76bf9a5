package flow

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/splice"
	"github.com/fcp-host/fcp-host/pdk/value"
)

var labelKey = value.Key[string]{Name: "label", Type: value.Text("TEXT")}

func connectVerb() verb {
	return verb{Run: connect, Keys: []pdk.Parameter{labelKey}, Verb: abi.Verb{
		Name: "connect", Syntax: "connect A[.OUTPUT] -> B[.INPUT] [label:TEXT]", Summary: "connect an output of a node to an input of another; a name can be left out if only one fits; an output of a condition is a number or the text of its scenario", Brief: "connect A[.OUT] -> B[.IN] [label:]", Category: "edges",
		Min: 3, Max: 3, Examples: []string{"connect Start -> reply label:greet", "connect chatOpenAI_0 -> agent.model", "connect condition.1 -> reply label:otherwise", `connect "route.User writes German" -> german`},
	}}
}

// ends returns the two nodes of an op, and the names after their dots.
func (f *Flow) ends(a pdk.Args) (from, to *Node, out, in string, err error) {
	if !a.IsArrow(1) {
		return nil, nil, "", "", pdk.Errorf("connect needs an arrow between the nodes").Try(a.Mended(pdk.WithArrow(1, 1, "->")))
	}
	left, right := a.Text(0), a.Text(2)
	if a.Text(1) == "<-" {
		left, right = right, left
	}
	if from, out, err = f.port(left); err != nil {
		return
	}
	to, in, err = f.port(right)
	return
}

// port reads NODE.NAME or NODE: a node and the name of an anchor.
func (f *Flow) port(ref string) (*Node, string, error) {
	n, err := f.node(ref)
	if err == nil {
		return n, "", nil
	}
	for i := len(ref) - 1; i > 0; i-- { // the name of an output may have dots, too
		if ref[i] == '.' {
			if n, no := f.node(ref[:i]); no == nil {
				return n, ref[i+1:], nil
			}
		}
	}
	return nil, "", err
}

// output is an anchor at which edges may start.
type output struct {
	id, name, label string
	types           []string
	option          bool // one of several outputs from which the node chooses
}

// branch returns the name of output i of a node with several outputs: its number,
// unless it has a better name.
func (n *Node) branch(i, all int) string {
	switch {
	case n.Name == "humanInputAgentflow" && i == 0:
		return "proceed"
	case n.Name == "humanInputAgentflow" && i == 1:
		return "reject"
	case n.Name == "conditionAgentflow" && i == all-1:
		return "else"
	}
	return num(float64(i))
}

// classes splits the types of an anchor, "A | B".
func classes(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '|' || r == ' ' })
}

// output returns the output with a name, or the only one.
func (n *Node) output(a pdk.Args, name string) (output, error) {
	all := n.outputs()
	if len(all) == 0 {
		return output{}, pdk.Errorf("%s has no output", n)
	}
	var names []string
	for _, o := range all {
		if name != "" && (o.name == name || o.id == name || strings.EqualFold(o.label, name)) {
			return o, nil
		}
		names = append(names, o.name)
	}
	if name == "" {
		chosen := n.data.Get("outputs", "output").Text()
		for _, o := range all {
			if o.option && o.name == chosen {
				return o, nil
			}
		}
		if len(all) == 1 || all[0].option {
			return all[0], nil
		}
		return output{}, pdk.Errorf("%s has several outputs: %s", n, strings.Join(names, " ")).Try(a.Mended(pdk.WithWords(0, 1, n.ID+"."+names[0])))
	}
	if o, ok := n.ofItem(name); ok {
		return o, nil
	}
	err := pdk.Errorf("%s has no output %s: %s", n, pdk.Quote(name), strings.Join(names, " "))
	for _, near := range pdk.Nearest(name, names) {
		err.Try(a.Mended(pdk.WithWords(0, 1, n.ID+"."+near)))
	}
	return output{}, err
}

// input returns the anchor with a name, or one that accepts an output, preferably one
// that is required and free.
func (f *Flow) input(a pdk.Args, n *Node, name string, o output) (*jsontree.Value, error) {
	inputs := n.data.Get("inputs")
	var names []string
	var best *jsontree.Value
	rank := 0
	for _, in := range n.anchors().Each() {
		if !shown(in, inputs) {
			continue
		}
		takes := slices.ContainsFunc(classes(in.Get("type").Text()), func(t string) bool { return slices.Contains(o.types, t) })
		is := in.Get("name").Text()
		if name != "" && (is == name || in.Get("id").Text() == name || strings.EqualFold(in.Get("label").Text(), name)) {
			if !takes && len(o.types) > 0 {
				return nil, pdk.Errorf("%s of %s takes %s, which the output %s does not give: %s", is, n, in.Get("type").Text(), o.name, strings.Join(o.types, " "))
			}
			return in, nil
		}
		names = append(names, is)
		r := 0
		switch free := f.source(n, in) == nil || in.Get("list").True(); {
		case !takes:
		case free && !in.Get("optional").True():
			r = 3
		case free:
			r = 2
		default:
			r = 1
		}
		if r > rank {
			best, rank = in, r
		}
	}
	switch {
	case name == "" && best != nil:
		return best, nil
	case len(names) == 0:
		return nil, pdk.Errorf("%s has no input that takes a node", n)
	case name == "":
		return nil, pdk.Errorf("no input of %s accepts that output (%s): %s", n, strings.Join(o.types, " "), strings.Join(names, " "))
	}
	err := pdk.Errorf("%s has no input %s: %s", n, pdk.Quote(name), strings.Join(names, " "))
	for _, near := range pdk.Nearest(name, names) {
		err.Try(a.Mended(pdk.WithWords(2, 1, n.ID+"."+near)))
	}
	return nil, err
}

// source returns the edge that ends at an anchor, or nil.
func (f *Flow) source(n *Node, anchor *jsontree.Value) *Edge {
	for _, e := range f.edges {
		if e.Target == n.ID && e.TargetHandle == anchor.Get("id").Text() {
			return e
		}
	}
	return nil
}

// instance returns the value of an input that an edge connects to a node.
func instance(id string) string { return "{{" + id + ".data.instance}}" }

func connect(c *ctx, a pdk.Args) error {
	f := c.Model
	from, to, out, in, err := f.ends(a)
	if err != nil {
		return err
	}
	switch {
	case from == to:
		return pdk.Errorf("%s cannot be connected to itself", from)
	case from.note() || to.note():
		return pdk.Errorf("a sticky note is not part of the flow")
	case from.agent() != to.agent():
		return pdk.Errorf("%s and %s belong to different generations of flows", from, to)
	}
	o, err := from.output(a, out)
	if err != nil {
		return err
	}
	var s splice.All
	d := (&draft{}).text("source", from.ID).text("sourceHandle", o.id).text("target", to.ID)
	handle, name := to.ID, ""
	if from.agent() {
		switch {
		case in != "":
			return pdk.Errorf("nodes of an AGENTFLOW have one input without a name").Try(a.Mended(pdk.WithWords(2, 1, to.ID)))
		case to.Name == "startAgentflow" || to.data.Get("hideInput").True():
			return pdk.Errorf("%s has no input", to)
		case f.reaches(to.ID, from.ID):
			return pdk.Errorf("%s already leads to %s: a loop needs the node loopAgentflow", to, from)
		}
		data := (&draft{}).raw("sourceColor", colour(from)).raw("targetColor", colour(to))
		if label, ok := a.Param("label"); ok {
			data.text("edgeLabel", label)
		} else if len(from.outputs()) > 1 {
			data.text("edgeLabel", edgeLabel(from, o))
		}
		d.text("targetHandle", handle).text("id", edgeID(from.ID, o.id, to.ID, handle)).text("type", "agentFlow").raw("data", data.raw("isHumanInput", strconv.FormatBool(from.Name == "humanInputAgentflow")).String())
	} else {
		anchor, err := f.input(a, to, in, o)
		if err != nil {
			return err
		}
		handle, name = anchor.Get("id").Text(), anchor.Get("name").Text()
		if e := f.source(to, anchor); e != nil && (e.Source != from.ID || e.SourceHandle != o.id) && !anchor.Get("list").True() {
			return pdk.Errorf("%s of %s takes one node, which is %s", name, to, e.Source).Tryf("disconnect %s -> %s", pdk.Quote(e.Source), pdk.Quote(to.ID+"."+name))
		}
		d.text("targetHandle", handle).text("id", edgeID(from.ID, o.id, to.ID, handle)).text("type", "buttonedge").raw("data", (&draft{}).text("label", a.String("label", "")).String())
		s = append(s, to.fill(name, instance(from.ID), anchor.Get("list").True())...)
		if outputs := from.data.Get("outputs"); o.option && outputs.Is(jsontree.Object) {
			s = append(s, outputs.Put("output", jsontree.Quote(o.name))...)
		}
	}
	said := pdk.Quote(from.ID) + " -> " + pdk.Quote(to.ID)
	if from.agent() && len(from.outputs()) > 1 {
		said = pdk.Quote(from.ID) + "." + o.name + " -> " + pdk.Quote(to.ID)
	}
	if name != "" {
		said += "." + name
	}
	for _, e := range f.edges {
		if e.Source == from.ID && e.SourceHandle == o.id && e.Target == to.ID && e.TargetHandle == handle {
			return f.relabel(c, a, e, said)
		}
	}
	s = append(f.root.Get("edges").Append(d.String()), s...)
	if err := change(c, s, "connect "+said, from.ID, to.ID); err != nil {
		return err
	}
	if label, ok := a.Param("label"); ok {
		said += " " + pdk.Quote(label)
	}
	c.Connected("%s", said)
	return nil
}

// relabel changes the label of an existing edge.
func (f *Flow) relabel(c *ctx, a pdk.Args, e *Edge, said string) error {
	label, ok := a.Param("label")
	if !ok || label == e.Label {
		return pdk.Unchanged("%s is already connected", said)
	}
	key := "label"
	if e.v.Get("type").Text() == "agentFlow" {
		key = "edgeLabel"
	}
	data := e.v.Get("data")
	var s splice.All
	if data.Is(jsontree.Object) {
		s = data.Put(key, jsontree.Quote(label))
	} else {
		s = e.v.Put("data", (&draft{}).text(key, label).String())
	}
	if err := change(c, s, "label "+said, e.Source, e.Target); err != nil {
		return err
	}
	c.Connected("%s %s", said, pdk.Quote(label))
	return nil
}

func edgeID(source, out, target, in string) string {
	return source + "-" + out + "-" + target + "-" + in
}

// edgeLabel returns the label that Flowise writes at an edge from one of several
// outputs.
func edgeLabel(n *Node, o output) string {
	if n.Name == "humanInputAgentflow" {
		return o.name
	}
	return o.label
}

// colour returns the colour that an edge takes from a node.
func colour(n *Node) string {
	if v := n.data.Get("color"); v.Is(jsontree.String) {
		return v.Raw()
	}
	return "null"
}

// reaches reports whether there is a path of edges from one node to another.
func (f *Flow) reaches(from, to string) bool {
	seen := map[string]bool{}
	var walk func(id string) bool
	walk = func(id string) bool {
		if id == to {
			return true
		}
		if seen[id] {
			return false
		}
		seen[id] = true
		return slices.ContainsFunc(f.edges, func(e *Edge) bool { return e.Source == id && walk(e.Target) })
	}
	return walk(from)
}

// fill returns the splices that add the value of an edge to an input.
func (n *Node) fill(name, instance string, list bool) splice.All {
	inputs := n.data.Get("inputs")
	switch was := inputs.Get(name); {
	case !inputs.Is(jsontree.Object):
		return nil
	case !list:
		return inputs.Put(name, jsontree.Quote(instance))
	case was.Is(jsontree.Array):
		if slices.ContainsFunc(was.Items, func(v *jsontree.Value) bool { return v.Text() == instance }) {
			return nil
		}
		return was.Append(jsontree.Quote(instance))
	default:
		return inputs.Put(name, "["+jsontree.Quote(instance)+"]")
	}
}
