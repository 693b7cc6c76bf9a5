package flow

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/splice"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/api"
)

// withIndex replaces new in a key such as agentMessages.new.content by the index of a new item. All keys of an op mean the same new
// item of a list; added holds the lists that have it already.
func (n *Node) withIndex(key string, added map[string]bool) string {
	list, rest, ok := strings.Cut(key+".", ".new.")
	at := partOf(n.data.Get("inputs"), strings.Split(strings.TrimPrefix(list, "input."), "."))
	if !ok || at.Is(jsontree.Object) {
		return key
	}
	item := 0
	if at != nil {
		item = len(at.Items)
	}
	if added[list] {
		item--
	}
	added[list] = true
	return strings.TrimSuffix(list+"."+strconv.Itoa(item)+"."+rest, ".")
}

// partOf returns a part of a value by keys and the indexes of items, or nil.
func partOf(v *jsontree.Value, path []string) *jsontree.Value {
	for _, step := range path {
		if v.Is(jsontree.Array) {
			item, err := strconv.Atoi(step)
			if err != nil || item < 0 || item >= len(v.Items) {
				return nil
			}
			v = v.Items[item]
		} else {
			v = v.Get(step)
		}
	}
	return v
}

// setPart sets a part of an input: one of the settings for what another input names, or a part of a list. An empty value removes an
// item of a list.
func (n *Node) setPart(base string, path []string, kv abi.KeyValue) (splice.All, error) {
	inputs := n.data.Get("inputs")
	p := byName(n.params(), base)
	at := inputs.Get(base)
	config := byName(n.params(), strings.TrimSuffix(base, "Config")).Get("loadConfig").True()
	if at == nil && p == nil && !config {
		return nil, pdk.Errorf("%s has no input %s", n, base).TryQuery("describe " + pdk.Quote(n.ID))
	}
	raw := api.Value(kv.Value)
	if part := byName(p.Get("array"), path[len(path)-1]); part != nil && len(path) == 2 {
		var err error
		if raw, err = inputValue(part, kv.Key, kv.Value); err != nil {
			return nil, err
		}
	}
	if empty(at) {
		switch typ := p.Get("type").Text(); {
		case slices.Contains([]string{"array", "datagrid"}, typ) && path[0] != "0":
			return nil, pdk.Errorf("%s of %s is an empty list: %s.new is a new item", base, n, base)
		case slices.Contains([]string{"array", "datagrid"}, typ) && len(path) == 1 && kv.Value == "":
			return nil, pdk.Errorf("%s of %s has no item 0 to remove", base, n)
		case !slices.Contains([]string{"array", "datagrid", "json"}, typ) && !config:
			return nil, pdk.Errorf("%s of %s has no parts", base, n)
		}
		return inputs.Put(base, nested(path, raw)), nil
	}
	for i, step := range path {
		last := i == len(path)-1
		switch at.Kind {
		case jsontree.Object:
			if next := at.Get(step); last || next == nil {
				return at.Put(step, nested(path[i+1:], raw)), nil
			}
			at = at.Get(step)
		case jsontree.Array:
			item, err := strconv.Atoi(step)
			if err != nil || item < 0 || item > len(at.Items) {
				return nil, pdk.Errorf("%s of %s has items 0 to %d, and new is another one, not %s", base, n, len(at.Items)-1, pdk.Quote(step))
			}
			switch {
			case last && kv.Value == "" && item < len(at.Items):
				return at.Remove(item), nil
			case last && kv.Value == "":
				return nil, pdk.Errorf("%s of %s has no item %d to remove", base, n, item)
			case item == len(at.Items):
				return at.Append(nested(path[i+1:], raw)), nil
			case last:
				return at.Items[item].Set(raw), nil
			}
			at = at.Items[item]
		default:
			return nil, pdk.Errorf("%s of %s is %s, which has no parts", strings.Join(append([]string{base}, path[:i]...), "."), n, pdk.Line(at.Raw(), 60)).TryQuery("describe " + pdk.Quote(n.ID) + " " + base)
		}
	}
	return at.Set(raw), nil
}

// nested returns the JSON of a value at a path of keys and of the index 0.
func nested(path []string, raw string) string {
	for _, step := range slices.Backward(path) {
		if step == "0" {
			raw = "[" + raw + "]"
		} else {
			raw = (&draft{}).raw(step, raw).String()
		}
	}
	return raw
}

// fitOutputs gives a node that has an output for each item of an input the outputs for the items that there are now, after kv changed
// the input. Edges stay with their items, the edge of a removed item goes, and that of else stays with else.
func fitOutputs(c *ctx, id string, kv abi.KeyValue, summary string) error {
	f := c.Model
	n := f.byID[id]
	input := branchInputs[n.Name]
	base, path, _ := strings.Cut(strings.TrimPrefix(kv.Key, "input."), ".")
	ways := branchOutputs(n.Name, id, map[string]string{input: n.data.Get("inputs", input).Raw()})
	was := n.outputs()
	if input == "" || base != input || len(ways) == 0 || len(ways) == len(was) {
		return nil
	}
	items := len(ways)
	if n.Name == "conditionAgentflow" {
		items-- // the last one is else
	}
	removed, err := strconv.Atoi(path)
	if err != nil || len(ways) > len(was) {
		removed = len(was)
	}
	s := n.data.Put("outputAnchors", array(ways))
	var gone []int
	for i, e := range f.edges {
		if e.Source != id {
			continue
		}
		from := slices.IndexFunc(was, func(o output) bool { return o.id == e.SourceHandle })
		to := from
		switch {
		case from < 0:
			continue
		case n.Name == "conditionAgentflow" && from == len(was)-1:
			to = len(ways) - 1
		case from == removed || from >= items && from < removed:
			gone = append(gone, i)
			c.Warn("the edge from output %s of %s to %s is gone with its item", was[from].name, pdk.Quote(id), pdk.Quote(e.Target))
			continue
		case from > removed:
			to--
		}
		if to != from {
			s = append(s, e.moved(id+"-output-"+strconv.Itoa(to), strconv.Itoa(from), strconv.Itoa(to))...)
		}
	}
	s = append(s, f.root.Get("edges").Remove(gone...)...)
	return change(c, s, summary, id)
}

// moved returns the splices that let an edge begin at another output. A label that is the number of its output becomes the new number.
func (e *Edge) moved(handle, was, is string) splice.All {
	s := append(e.v.Put("sourceHandle", jsontree.Quote(handle)), e.v.Put("id", jsontree.Quote(edgeID(e.Source, handle, e.Target, e.TargetHandle)))...)
	if label := e.v.Get("data", "edgeLabel"); label.Is(jsontree.String) && label.Text() == was {
		s = append(s, label.Set(jsontree.Quote(is))...)
	}
	return s
}

// ofItem returns the output for the item of the node's list that has a text in one of its parts, or false.
func (n *Node) ofItem(text string) (output, bool) {
	all, found := n.outputs(), -1
	for i, item := range n.data.Get("inputs", branchInputs[n.Name]).Each() {
		for _, m := range item.Members {
			if m.Value.Is(jsontree.String) && strings.EqualFold(strings.TrimRight(m.Value.Text(), ". "), strings.TrimRight(text, ". ")) && i < len(all) {
				if found >= 0 && found != i {
					return output{}, false
				}
				found = i
			}
		}
	}
	if found < 0 {
		return output{}, false
	}
	return all[found], true
}
