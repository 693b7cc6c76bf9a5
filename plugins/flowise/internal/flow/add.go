package flow

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/api"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/catalogue"
)

func addVerb() verb {
	return verb{Run: add, Keys: placeKeys, Verb: abi.Verb{
		Syntax: "add node TYPE [id:ID] [label:TEXT] [in:ITERATION] [near:NODE] [dir:SIDE | below:NODE] [at:X,Y] [INPUT:VALUE…]", Summary: "add a node of a type of the catalogue, with its defaults and what is given for its inputs",
		Brief: "add node TYPE [id: label: in: near: dir: at: INPUT:VALUE…] · a node of the catalogue; in: an iteration", Category: "nodes",
		Resources: []abi.Resource{{Position: 2, Kind: abi.ResourceFetch, Want: api.Want, Path: api.NodePath(), Optional: true}},
		Examples:  []string{"add node startAgentflow", `add node directReplyAgentflow label:Reply directReplyMessage:"You said: {{ question }}"`, "add node chatOpenAI id:model modelName:gpt-4o temperature:0.2"},
	}}
}

func add(c *ctx, a pdk.Args) error {
	f := c.Model
	if what := a.Text(0); what != "node" {
		err := pdk.Errorf("add makes a node, not %s", pdk.Quote(what))
		if what == "note" {
			return err.Try("note " + pdk.Quote(a.Text(1)))
		}
		return err.Try(a.Mended(pdk.WithWords(0, 1, "node")))
	}
	typ, own, err := typeOf(c, a)
	if err != nil {
		return err
	}
	name := typ.Get("name").Text()
	agent := kindOf(typ) == "agentFlow" || kindOf(typ) == "iteration"
	switch t := f.Type(); {
	case agent && t != "AGENTFLOW" && slices.ContainsFunc(f.nodes, func(n *Node) bool { return !n.note() }):
		return pdk.Errorf("%s is for flows of the type AGENTFLOW, and this is a %s", name, t)
	case kindOf(typ) == "customNode" && t == "AGENTFLOW":
		return pdk.Errorf("%s is for chatflows, and this is an AGENTFLOW; types \"Agent Flows\" lists what goes into it", name).TryQuery(`types "Agent Flows"`)
	case name == "startAgentflow" && len(f.starts()) > 0:
		return pdk.Errorf("the flow already has a start: %s", f.starts()[0])
	}
	id, given := a.Param("id")
	if !given {
		id = f.unusedID(name)
	} else if err := f.checkID(id); err != nil {
		return err
	}
	label := a.String("label", f.unusedLabel(typ.Get("label").Text()))
	inputs, err := newInputs(a, typ)
	if err != nil {
		return err
	}
	parent, err := f.iteration(a, typ)
	if err != nil {
		return err
	}
	w, h := size(kindOf(typ), label, 0, 1)
	at, err := f.spot(a, parent, w, h)
	if err != nil {
		return err
	}
	raw := build(typ, id, label, parent, inputs, at)
	s := f.root.Get("nodes").Append(raw)
	if typ := f.root.Get("type"); agent && typ.Is(jsontree.String) && typ.Text() != "AGENTFLOW" { // a new flow gets the type of its first node
		s = append(s, typ.Set(`"AGENTFLOW"`)...)
	}
	if err := change(c, s, "add "+id, id); err != nil {
		return err
	}
	n := c.Model.byID[id]
	said := n.String() + own
	if missing := c.Model.unset(n); len(missing) > 0 {
		said += "; to be given: " + strings.Join(missing, ", ")
	}
	c.Created("%s", said)
	return nil
}

// newInputs returns the raw JSON values that an op gives for the inputs of a new node,
// by name. For an input that names a type, they include the settings of that type.
func newInputs(a pdk.Args, typ *jsontree.Value) (map[string]string, error) {
	inputs := map[string]string{}
	for _, kv := range a.Params {
		if slices.Contains(nodeKeys, kv.Key) {
			continue
		}
		key := strings.TrimPrefix(kv.Key, "input.")
		raw, err := inputOf(a, typ.Get("inputs"), kv.Key, key, kv.Value)
		if err != nil {
			return nil, err
		}
		if base, path, ok := strings.Cut(key, "."); ok { // one of several settings
			settings, no := jsontree.Parse(cmp.Or(inputs[base], "{}"))
			if no != nil {
				return nil, no
			}
			key, raw = base, draftOf(settings).raw(path, raw).String()
		}
		inputs[key] = raw
	}
	for _, in := range typ.Get("inputs").Each() {
		if name := in.Get("name").Text(); in.Get("loadConfig").True() && inputs[name] != "" {
			config, err := settings(name, inputs[name], inputs[name+"Config"])
			if err != nil {
				return nil, err
			}
			inputs[name+"Config"] = config
		}
	}
	return inputs, nil
}

// iteration returns the id of the iteration that in: names for a node, or "".
func (f *Flow) iteration(a pdk.Args, typ *jsontree.Value) (string, error) {
	word, ok := a.Param("in")
	if !ok {
		return "", nil
	}
	n, err := f.node(word)
	switch {
	case err != nil:
		return "", err
	case n.Kind != "iteration":
		return "", pdk.Errorf("in: names an iteration, and %s is not one", n)
	case slices.Contains(strings.Fields("startAgentflow iterationAgentflow humanInputAgentflow"), typ.Get("name").Text()): // as on Flowise's canvas
		return "", pdk.Errorf("%s cannot be in an iteration", typ.Get("name").Text())
	}
	return n.ID, nil
}

// typeOf returns the node type that a word names: the server's, which the host has
// fetched, or the plugin's own if no server was asked. In the second case own says so
// in a few words.
func typeOf(c *ctx, a pdk.Args) (typ *jsontree.Value, own string, err error) {
	word := a.Text(1)
	s, err := c.Host.Resource(word)
	if s != nil {
		v, err := jsontree.Parse(string(s.Data))
		if err != nil || v.Get("name").Text() == "" {
			return nil, "", pdk.Errorf("the server's answer for %s is not a node type: FLOWISE_API_URL is its address as in a browser, such as http://localhost:3000", pdk.Quote(word))
		}
		return v, "", nil
	}
	v, names, broken := catalogue.Node(word)
	if broken != nil {
		return nil, "", broken
	}
	var failed *pdk.RequestError
	switch asked := errors.As(err, &failed); {
	case asked && slices.Contains([]string{abi.FailedDial, abi.FailedDNS, abi.FailedTLS, abi.FailedTimeout}, failed.Kind):
		c.Warn("the server's node types are not available: %s", failed.Message)
	case asked && (failed.Kind == abi.FailedNotFound || strings.Contains(failed.Message, "not found")): // the server answers with status 500
		return nil, "", suggestTypes(pdk.Errorf("the server has no type %s", pdk.Quote(word)), a, word, names)
	case asked && failed.Kind != abi.FailedRefused:
		return nil, "", pdk.Errorf("the server's node types cannot be read: %v", err)
	}
	if v == nil {
		e := pdk.Errorf("Flowise %s has no type %s; asking a server needs the grant %s", catalogue.Version, pdk.Quote(word), api.Want)
		return nil, "", suggestTypes(e, a, word, names)
	}
	return v, ", as Flowise " + catalogue.Version + " has it", nil
}

// suggestTypes adds suggestions to e: types with a similar name that have the inputs of
// the op.
func suggestTypes(e *pdk.Error, a pdk.Args, word string, names []string) error {
	var near []string
	for _, name := range pdk.Nearest(word, names) {
		typ, _, err := catalogue.Node(name)
		other := func(kv abi.KeyValue) bool {
			key, _, _ := strings.Cut(strings.TrimPrefix(kv.Key, "input."), ".")
			return !slices.Contains(nodeKeys, kv.Key) && byName(typ.Get("inputs"), key) == nil
		}
		if err == nil && !slices.ContainsFunc(a.Params, other) {
			near = append(near, name)
			e.Try(a.Mended(pdk.WithWords(1, 1, name)))
		}
	}
	if len(near) == 0 {
		e.TryQuery("types")
	}
	return e
}

// nodeKeys are the keys that describe the node itself rather than its inputs.
var nodeKeys = append([]string{"id", "label", "in"}, placeNames...)

// inputOf returns the raw JSON value for word as the value of an input. list has the
// inputs of the node's type.
func inputOf(a pdk.Args, list *jsontree.Value, key, name, word string) (string, error) {
	base, path, nested := strings.Cut(name, ".")
	p := byName(list, base)
	if p == nil && strings.HasSuffix(base, "Config") && byName(list, strings.TrimSuffix(base, "Config")).Get("loadConfig").True() {
		return config(base, path, word)
	}
	if p == nil {
		var names []string
		for _, in := range list.Each() {
			names = append(names, in.Get("name").Text())
		}
		err := pdk.Errorf("there is no input %s: there are %s", pdk.Quote(base), pdk.Line(strings.Join(names, " "), 400))
		for _, near := range pdk.Nearest(base, names) {
			err.Try(a.Mended(pdk.WithKey(key, near)))
		}
		return "", err
	}
	switch {
	case nested:
		return "", pdk.Errorf("%s has no parts that can be set one by one", base)
	case !slices.Contains(valueTypes, p.Get("type").Text()):
		return "", pdk.Errorf("%s takes a node, not a value: connect one", name)
	}
	return inputValue(p, name, word)
}

// config returns the raw JSON of the settings for the type that another input names:
// all settings, or one if path is not "".
func config(name, path, word string) (string, error) {
	if path != "" {
		return api.Value(word), nil
	}
	v, err := jsontree.Parse(word)
	if err != nil || v.Kind != jsontree.Object {
		return "", pdk.Errorf("%s holds the settings as JSON, such as %s:'{\"temperature\": 0.2}'; %s.temperature:0.2 sets one", name, name, name)
	}
	return v.Raw(), nil
}

// settings returns the settings for the type that an input names: the type's defaults,
// overridden by the given settings. Flowise does not store defaults anywhere else.
func settings(name, value, given string) (string, error) {
	is, err := jsontree.Parse(value)
	if err != nil {
		return "", err
	}
	typ, _, err := catalogue.Node(is.Text())
	if err != nil {
		return "", err
	}
	over, err := jsontree.Parse(cmp.Or(given, "{}"))
	if err != nil {
		return "", err
	}
	d := &draft{}
	for _, in := range typ.Get("inputs").Each() {
		if key := in.Get("name").Text(); over.Get(key) == nil && in.Get("default") != nil {
			d.raw(key, in.Get("default").Raw())
		}
	}
	for _, m := range over.Members {
		if m.Key != name {
			d.raw(m.Key, m.Value.Raw())
		}
	}
	return d.raw(name, value).String(), nil
}

func noteVerb() verb {
	return verb{Run: note, Keys: placeKeys, Verb: abi.Verb{
		Syntax: "note TEXT [id:ID] [near:NODE] [dir:SIDE | below:NODE] [at:X,Y]", Summary: "put a sticky note on the canvas; it is not part of the flow", Brief: "note TEXT [id: near: dir: at:] · a sticky note", Category: "nodes",
		Examples: []string{`note "Ask the team before this is changed"`, `note "Greets" near:reply dir:above`, `note "Greets" above:reply`},
	}}
}

func note(c *ctx, a pdk.Args) error {
	f := c.Model
	id, given := a.Param("id")
	if !given {
		id = f.unusedID("stickyNote")
	} else if err := f.checkID(id); err != nil {
		return err
	}
	if a.Text(0) == "" {
		return pdk.Errorf("a note needs a text")
	}
	w, h := size("stickyNote", "", 0, 0)
	at, err := f.spot(a, "", w, h)
	if err != nil {
		return err
	}
	name := "stickyNote"
	if f.Type() == "AGENTFLOW" {
		name = "stickyNoteAgentflow"
	}
	param := (&draft{}).text("label", "").text("name", "note").text("type", "string").raw("rows", "1").text("placeholder", "Type something here").raw("optional", "true").text("id", id+"-input-note-string")
	data := (&draft{}).text("id", id).text("label", "Sticky Note").raw("version", "2").text("name", name).text("type", "StickyNote").raw("baseClasses", `["StickyNote"]`).text("category", "Utilities").text("description", "Add a sticky note").
		raw("inputParams", array([]string{param.String()})).raw("inputAnchors", "[]").raw("inputs", (&draft{}).text("note", a.Text(0)).String()).
		raw("outputAnchors", array([]string{(&draft{}).text("id", id+"-output-"+name+"-StickyNote").text("name", name).text("label", "StickyNote").text("type", "StickyNote").String()})).raw("outputs", "{}").raw("selected", "false")
	raw := (&draft{}).text("id", id).text("type", "stickyNote").raw("position", position(at)).raw("width", num(w)).raw("height", num(h)).raw("data", data.String()).String()
	if err := change(c, f.root.Get("nodes").Append(raw), "note "+id, id); err != nil {
		return err
	}
	c.Created("note %s: %s", pdk.Quote(id), strconv.Quote(pdk.Line(a.Text(0), 60)))
	return nil
}
