package flow

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/splice"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/api"
)

func modifyVerb() verb {
	return verb{Run: modify, Keys: []pdk.Parameter{at}, Verb: abi.Verb{
		Syntax: "modify NODE|SEL [label:TEXT] [at:X,Y] [INPUT:VALUE…]", Summary: "change a node's label, position, credential or inputs: INPUT: is one by its name, INPUT.KEY: is one of its settings, INPUT.N.KEY: a part of item N of a list, from 0, such as the system message of an agent or a scenario of a condition, INPUT.new.KEY: of a new item, and INPUT.N:\"\" removes item N; a new scenario or condition is another outcome, with an output of its own; input.NAME: for an input that is called label or at", Brief: "modify NODE|SEL [label: at: INPUT:VALUE… INPUT.KEY:VALUE INPUT.N.KEY:VALUE INPUT.new.KEY:VALUE] · item N of a list", Category: "nodes",
		Examples: []string{`modify reply label:Greeting directReplyMessage:"Hello {{ question }}"`, `modify model temperature:0.2 label:"The model"`, "modify @category:\"Chat Models\" credential:0f3c", "modify agentAgentflow_0 agentModelConfig.temperature:0.1", `modify "Sales Agent" agentMessages.0.content:"You sell shoes."`, `modify route conditionAgentScenarios.new.scenario:"User asks for refund"`, `modify route conditionAgentScenarios.1:""`, "modify @type:agentAgentflow agentModelConfig.temperature:0.3"},
	}}
}

func modify(c *ctx, a pdk.Args) error {
	nodes, err := targets(c, a)
	if err != nil {
		return err
	}
	if len(a.Params) == 0 {
		return pdk.Errorf("modify needs something to change: label:, at: or an input")
	}
	what := printNodes(nodes) + " " + paramText(a.Params)
	changed, err := setAll(c, a, nodes, a.Params, "modify "+what)
	if err != nil {
		return err
	}
	if !changed {
		return pdk.Unchanged("%s is unchanged", what)
	}
	c.Changed("%s", what)
	return nil
}

// paramText prints parameters of an op.
func paramText(params []abi.KeyValue) string {
	var keys []string
	for _, kv := range params {
		keys = append(keys, kv.Key+":"+pdk.Quote(pdk.Line(kv.Value, 60)))
	}
	return strings.Join(keys, " ")
}

// setAll changes properties of nodes. It reports whether anything changed.
func setAll(c *ctx, a pdk.Args, nodes []*Node, params []abi.KeyValue, summary string) (changed bool, err error) {
	params = slices.Clone(params)
	slices.SortStableFunc(params, func(a, b abi.KeyValue) int { return depth(a.Key) - depth(b.Key) })
	for _, n := range nodes {
		added := map[string]bool{}
		for _, kv := range params {
			now := c.Model.byID[n.ID]
			kv.Key = now.withIndex(kv.Key, added)
			s, err := c.Model.set(a, now, kv)
			if err != nil {
				return false, err
			}
			if p := byName(now.params(), strings.TrimPrefix(kv.Key, "input.")); len(s) > 0 && p.Get("loadConfig").True() {
				name := p.Get("name").Text()
				if now.data.Get("inputs", name+"Config") != nil {
					c.Warn("%sConfig of %s now has the defaults of %s", name, pdk.Quote(n.ID), pdk.Line(kv.Value, 40))
				}
				fresh, err := settings(name, jsontree.Quote(kv.Value), "")
				if err != nil {
					return false, err
				}
				s = append(s, now.data.Get("inputs").Put(name+"Config", fresh)...)
			}
			if len(s) == 0 {
				continue
			}
			changed = true
			if err := change(c, s, summary, n.ID); err != nil {
				return false, err
			}
			if err := fitOutputs(c, n.ID, kv, summary); err != nil {
				return false, err
			}
		}
	}
	return changed, nil
}

// depth orders the changes of modify: an input before the settings for the type it
// names, and all settings together before a single one.
func depth(key string) int {
	switch {
	case strings.Contains(strings.TrimPrefix(key, "input."), "."):
		return 2
	case strings.HasSuffix(key, "Config"):
		return 1
	}
	return 0
}

// set changes one property of a node.
func (f *Flow) set(a pdk.Args, n *Node, kv abi.KeyValue) (splice.All, error) {
	if !n.data.Is(jsontree.Object) {
		return nil, pdk.Errorf("%s has nothing that can be changed", n)
	}
	switch kv.Key {
	case "label":
		return n.data.Put("label", jsontree.Quote(kv.Value)), nil
	case "at":
		p := at.Of(a)
		return n.moveTo(p.X, p.Y), nil
	case "credential", "input.credential":
		if byName(n.params(), "credential") == nil {
			return nil, pdk.Errorf("%s uses no credential", n)
		}
		return n.data.Put("credential", jsontree.Quote(kv.Value)), nil
	case "id":
		return nil, pdk.Errorf("an id cannot be changed: copy %s as:%s, and remove the old node", pdk.Quote(n.ID), pdk.Quote(kv.Value))
	}
	name := strings.TrimPrefix(kv.Key, "input.")
	inputs := n.data.Get("inputs")
	if !inputs.Is(jsontree.Object) {
		return nil, pdk.Errorf("%s has no inputs", n)
	}
	if base, path, ok := strings.Cut(name, "."); ok && path != "" {
		return n.setPart(base, strings.Split(path, "."), kv)
	}
	list := n.params()
	if byName(list, name) == nil && byName(n.anchors(), name) != nil {
		return nil, pdk.Errorf("%s takes a node, not a value: connect one", name).Tryf("connect NODE -> %s.%s", pdk.Quote(n.ID), name)
	}
	if list == nil || byName(list, name) == nil && inputs.Get(name) != nil { // a node that does not describe its inputs
		return inputs.Put(name, api.Value(kv.Value)), nil
	}
	raw, err := inputOf(a, list, kv.Key, name, kv.Value)
	if err != nil {
		return nil, err
	}
	return inputs.Put(name, raw), nil
}
