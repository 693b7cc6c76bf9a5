package flow

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

// draft builds a JSON object.
type draft struct{ b strings.Builder }

func (d *draft) raw(key, raw string) *draft {
	if d.b.Len() > 0 {
		d.b.WriteByte(',')
	}
	d.b.WriteString(jsontree.Quote(key) + ":" + raw)
	return d
}

func (d *draft) text(key, value string) *draft { return d.raw(key, jsontree.Quote(value)) }

// copyMember copies a member if v has it.
func (d *draft) copyMember(key string, v *jsontree.Value) *draft {
	if m := v.Get(key); m != nil {
		d.raw(key, m.Raw())
	}
	return d
}

func (d *draft) String() string { return "{" + d.b.String() + "}" }

// draftOf copies an object, to add members.
func draftOf(v *jsontree.Value) *draft {
	d := &draft{}
	for _, m := range v.Members {
		d.raw(m.Key, m.Value.Raw())
	}
	return d
}

func array(items []string) string { return "[" + strings.Join(items, ",") + "]" }

// valueTypes are the types of inputs that have values. An input of any other type takes
// an edge.
var valueTypes = strings.Fields("asyncOptions asyncMultiOptions options multiOptions array datagrid string number boolean password json code date file folder tabs conditionFunction credential")

// kindOf returns how Flowise draws a node of a type.
func kindOf(typ *jsontree.Value) string {
	switch name := typ.Get("name").Text(); {
	case strings.HasPrefix(name, "stickyNote"):
		return "stickyNote"
	case name == "iterationAgentflow":
		return "iteration"
	case typ.Get("category").Text() == "Agent Flows":
		return "agentFlow"
	}
	return "customNode"
}

// build makes a node of a type of the catalogue, as Flowise's own canvas does, and
// returns its JSON. parent is the id of the iteration around it, or "". inputs are raw
// JSON values by name that replace the defaults.
func build(typ *jsontree.Value, id, label, parent string, inputs map[string]string, at geom.Point) string {
	kind := kindOf(typ)
	agent := kind == "agentFlow" || kind == "iteration"
	values := &draft{}
	var params, anchors []string
	ident := func(in *jsontree.Value) string {
		return id + "-input-" + in.Get("name").Text() + "-" + in.Get("type").Plain()
	}
	for _, in := range typ.Get("inputs").Each() {
		name, raw := in.Get("name").Text(), `""`
		if d := in.Get("default"); d != nil {
			raw = d.Raw()
		}
		if given, ok := inputs[name]; ok {
			raw = given
		}
		values.raw(name, raw)
	}
	for name, raw := range sortedByKey(inputs) {
		if byName(typ.Get("inputs"), name) == nil { // settings for the type that another input names
			values.raw(name, raw)
		}
	}
	now, _ := jsontree.Parse(values.String()) // from values that were parsed
	if c := typ.Get("credential"); c != nil {
		params = append(params, draftOf(c).text("id", ident(c)).String())
	}
	for _, in := range typ.Get("inputs").Each() {
		entry := draftOf(in).text("id", ident(in))
		if agent || kind == "stickyNote" && strings.HasSuffix(typ.Get("name").Text(), "Agentflow") {
			entry.raw("display", strconv.FormatBool(shown(in, now)))
		}
		if agent || slices.Contains(valueTypes, in.Get("type").Text()) {
			params = append(params, entry.String())
		} else {
			anchors = append(anchors, entry.String())
		}
	}
	outs, chosen := outputs(typ, id, agent)
	if ways := branchOutputs(typ.Get("name").Text(), id, inputs); ways != nil {
		outs = ways
	}
	data := (&draft{}).text("id", id).text("label", label)
	for _, key := range []string{"version", "name", "type", "color", "hideOutput", "hideInput", "baseClasses", "tags", "category", "description"} {
		data.copyMember(key, typ)
	}
	data.raw("inputParams", array(params)).raw("inputAnchors", array(anchors)).raw("inputs", values.String()).raw("outputAnchors", array(outs)).raw("outputs", chosen).raw("selected", "false")
	w, h := size(kind, label, len(params), len(anchors)+1)
	node := (&draft{}).text("id", id).text("type", kind).raw("position", position(at)).raw("width", num(w)).raw("height", num(h))
	if parent != "" {
		node.text("parentNode", parent).text("extent", "parent")
	}
	return node.raw("data", data.String()).String()
}

// outputs returns the JSON of the anchors at which edges start, and of the node's
// choice among several outputs.
func outputs(typ *jsontree.Value, id string, agent bool) (anchors []string, chosen string) {
	name, list := typ.Get("name").Text(), typ.Get("outputs")
	handle := func(name string, classes *jsontree.Value) (id2, types string) {
		var words []string
		for _, c := range classes.Each() {
			words = append(words, c.Text())
		}
		return id + "-output-" + name + "-" + strings.Join(words, "|"), strings.Join(words, " | ")
	}
	one := func(o *jsontree.Value, name, label string) string {
		ident, types := handle(name, o.Get("baseClasses"))
		return (&draft{}).text("id", ident).text("name", name).text("label", label).text("description", o.Get("description").Text()).text("type", types).String()
	}
	n := 0
	if list != nil {
		n = len(list.Items)
	}
	switch {
	case typ.Get("hideOutput").True():
		return nil, "{}"
	case agent && n > 0:
		for i := range n {
			anchors = append(anchors, (&draft{}).text("id", id+"-output-"+strconv.Itoa(i)).text("label", typ.Get("label").Text()).text("name", name).String())
		}
		return anchors, "{}"
	case agent:
		return []string{(&draft{}).text("id", id+"-output-"+name).text("label", typ.Get("label").Text()).text("name", name).String()}, "{}"
	case n > 1:
		var options []string
		for _, o := range list.Items {
			options = append(options, one(o, o.Get("name").Text(), o.Get("label").Text()))
		}
		first := list.Items[0].Get("name").Text()
		return []string{(&draft{}).text("name", "output").text("label", "Output").text("type", "options").text("description", "").raw("options", array(options)).text("default", first).String()},
			(&draft{}).text("output", first).String()
	case n == 1:
		o := list.Items[0]
		return []string{one(o, o.Get("name").Text(), o.Get("label").Text())}, "{}"
	}
	ident, types := handle(name, typ.Get("baseClasses"))
	return []string{(&draft{}).text("id", ident).text("name", name).text("label", typ.Get("type").Text()).text("description", typ.Get("description").Text()).text("type", types).String()}, "{}"
}

// branchInputs maps each node type that has an output for each item of an input to that
// input.
var branchInputs = map[string]string{"conditionAgentflow": "conditions", "conditionAgentAgentflow": "conditionAgentScenarios"}

// branchOutputs returns the outputs of such a node for the value of its input, or nil
// if the value is empty: one for each item and, for a condition, one for the case that
// no item applies.
func branchOutputs(name, id string, inputs map[string]string) (anchors []string) {
	list, err := jsontree.Parse(inputs[branchInputs[name]])
	if err != nil || len(list.Items) == 0 {
		return nil
	}
	n := len(list.Items)
	if name == "conditionAgentflow" {
		n++
	}
	for i := range n {
		what := "Condition " + strconv.Itoa(i)
		if i == len(list.Items) {
			what = "Else"
		}
		anchors = append(anchors, (&draft{}).text("id", id+"-output-"+strconv.Itoa(i)).raw("label", strconv.Itoa(i)).raw("name", strconv.Itoa(i)).text("description", what).String())
	}
	return anchors
}

// size estimates the size in which Flowise draws a node.
func size(kind, label string, params, anchors int) (w, h float64) {
	switch kind {
	case "agentFlow":
		return max(120, 80+8*float64(len([]rune(label)))), 66
	case "iteration":
		return 300, 250
	case "stickyNote":
		return 300, 143
	}
	return 300, 130 + 60*float64(anchors) + 70*float64(min(params, 5))
}

// unusedID returns an id that no node has: NAME_0, NAME_1, … as Flowise counts.
func (f *Flow) unusedID(name string) string {
	return f.unusedNumber(name+"_", 0, func(n *Node) string { return n.ID })
}

// unusedLabel returns a label that no node has: "Reply 2" after "Reply 1".
func (f *Flow) unusedLabel(label string) string {
	if base := strings.TrimRight(label, "0123456789"); strings.HasSuffix(base, " ") && base != label {
		label = strings.TrimRight(base, " ")
	}
	if !slices.ContainsFunc(f.nodes, func(n *Node) bool { return n.Label == label }) {
		return label
	}
	return f.unusedNumber(label+" ", 1, func(n *Node) string { return n.Label })
}

// unusedNumber returns prefix with the smallest number, from first on, such that of
// returns the result for no node.
func (f *Flow) unusedNumber(prefix string, first int, of func(*Node) string) string {
	taken := make([]bool, len(f.nodes))
	for _, n := range f.nodes {
		if digits, ok := strings.CutPrefix(of(n), prefix); ok {
			if i, err := strconv.Atoi(digits); err == nil && i >= first && i-first < len(taken) && strconv.Itoa(i) == digits {
				taken[i-first] = true
			}
		}
	}
	i := 0
	for i < len(taken) && taken[i] {
		i++
	}
	return prefix + strconv.Itoa(first+i)
}

// checkID checks an id that the client chose.
func (f *Flow) checkID(id string) error {
	switch n := f.byID[id]; {
	case n != nil:
		return pdk.Errorf("the id %s is that of %s", pdk.Quote(id), n).Instead(id, pdk.Quote(f.unusedID(strings.TrimRight(strings.TrimRight(id, "0123456789"), "_"))))
	case id == "" || strings.ContainsAny(id, " -.\"{}\\") || strings.ContainsFunc(id, func(r rune) bool { return r < ' ' }):
		return pdk.Errorf("%s is not an id: letters, digits and _, because - separates the names in handles", pdk.Quote(id))
	}
	return nil
}
