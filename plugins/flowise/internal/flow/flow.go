// Package flow implements the flowise domain: a flow as a document, its verbs, queries
// and selectors, and its actions on a server.
package flow

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/splice"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/api"
)

// Flow is an open flow: its text, and what was parsed from it. Only edits change it.
type Flow struct {
	text  string
	root  *jsontree.Value
	nodes []*Node // in the order of the text
	edges []*Edge
	byID  map[string]*Node // of several nodes with the same id, the first
}

// Node is one node.
type Node struct {
	ID, Label string
	Name      string // name of its type in the catalogue: "chatOpenAI"
	Kind      string // how Flowise draws it: customNode, agentFlow, stickyNote, iteration
	Category  string
	Parent    string // id of the iteration that it is in, or ""

	index   int
	v, data *jsontree.Value
}

// Edge goes from an output of a node to an input of another one.
type Edge struct {
	ID                         string
	Source, Target             string // ids of nodes
	SourceHandle, TargetHandle string
	Label                      string

	index int
	v     *jsontree.Value
}

// Aliases for the SDK's generic types.
type (
	ctx   = pdk.Ctx[*Flow]
	view  = pdk.View[*Flow]
	verb  = pdk.Verb[*Flow]
	query = pdk.Query[*Flow]
)

// parse parses a flow. The error is for the client that opens the file.
func parse(text string) (*Flow, error) {
	root, err := jsontree.Parse(text)
	switch {
	case err != nil:
		return nil, pdk.Errorf("not a flow: %v", err)
	case root.Get("flowData").Is(jsontree.String):
		return nil, pdk.Errorf("this is the server's record of a flow: the flow itself is the text in its flowData; open that")
	case !root.Get("nodes").Is(jsontree.Array) || !root.Get("edges").Is(jsontree.Array):
		return nil, pdk.Errorf("not a flow of Flowise: it has no arrays of nodes and edges")
	}
	f := &Flow{text: text, root: root, byID: map[string]*Node{}}
	for i, v := range root.Get("nodes").Each() {
		data := v.Get("data")
		n := &Node{ID: v.Get("id").Text(), Label: data.Get("label").Text(), Name: data.Get("name").Text(), Kind: v.Get("type").Text(), Category: data.Get("category").Text(), Parent: v.Get("parentNode").Text(), index: i, v: v, data: data}
		f.nodes = append(f.nodes, n)
		if n.ID != "" && f.byID[n.ID] == nil {
			f.byID[n.ID] = n
		}
	}
	for i, v := range root.Get("edges").Each() {
		label := v.Get("data", "edgeLabel").Plain()
		if label == "" {
			label = v.Get("data", "label").Plain()
		}
		f.edges = append(f.edges, &Edge{ID: v.Get("id").Text(), Source: v.Get("source").Text(), Target: v.Get("target").Text(), SourceHandle: v.Get("sourceHandle").Text(), TargetHandle: v.Get("targetHandle").Text(), Label: label, index: i, v: v})
	}
	return f, nil
}

// note reports whether n is a sticky note, which is not part of the flow.
func (n *Node) note() bool { return n.Kind == "stickyNote" }

// agent reports whether n is a node of the second generation of agent flows.
func (n *Node) agent() bool { return n.Kind == "agentFlow" || n.Kind == "iteration" }

// Type returns the flow's type: the one that it states, or the one that its nodes
// imply.
func (f *Flow) Type() string {
	if t := f.root.Get("type").Text(); slices.Contains(api.Types(), t) {
		return t
	}
	typ := "CHATFLOW"
	for _, n := range f.nodes {
		switch {
		case n.agent():
			return "AGENTFLOW"
		case n.Category == "Multi Agents" || n.Category == "Sequential Agents":
			typ = "MULTIAGENT"
		}
	}
	return typ
}

// starts returns the nodes with which an agent flow starts.
func (f *Flow) starts() (out []*Node) {
	for _, n := range f.nodes {
		if n.Name == "startAgentflow" {
			out = append(out, n)
		}
	}
	return out
}

// edit is the domain's only kind of event: splices of the text.
type edit struct {
	Splices splice.All
}

// Type implements pdk.Edit.
func (e *edit) Type() string { return "edit" }

// Do implements pdk.Edit.
func (e *edit) Do(f *Flow) error { return f.become(e.Splices) }

// Undo implements pdk.Edit.
func (e *edit) Undo(f *Flow) error { return f.become(e.Splices.Inverse()) }

func (f *Flow) become(s splice.All) error {
	text, ok := s.Apply(f.text)
	if !ok {
		return pdk.Errorf("the text to replace is not there")
	}
	fresh, err := parse(text)
	if err != nil {
		return err
	}
	*f = *fresh
	return nil
}

// change makes an edit unless it is empty.
func change(c *ctx, s splice.All, summary string, ids ...string) error {
	return c.Do(&edit{s}, line(summary, 200), ids...)
}

// line cuts a text to one line of at most n characters.
func line(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// node finds a node by its id, its label, or an unambiguous prefix of one of these.
func (f *Flow) node(ref string) (*Node, error) {
	if n := f.byID[ref]; n != nil {
		return n, nil
	}
	if ref == "" {
		return nil, pdk.Errorf("the op needs a node's id or label")
	}
	fits := func(test func(s string) bool) (found []*Node) {
		for _, n := range f.nodes {
			if n.ID != "" && (test(n.ID) || test(n.Label)) {
				found = append(found, n)
			}
		}
		return found
	}
	lower := strings.ToLower(ref)
	found := fits(func(s string) bool { return strings.EqualFold(s, ref) })
	if len(found) == 0 {
		found = fits(func(s string) bool { return strings.HasPrefix(strings.ToLower(s), lower) })
	}
	if len(found) == 1 {
		return found[0], nil
	}
	var names []string
	if len(found) > 1 {
		for _, n := range found[:min(len(found), 3)] {
			names = append(names, n.ID)
		}
		return nil, pdk.Errorf("%s may be %s", pdk.Quote(ref), listed(found)).Instead(ref, names...)
	}
	var labels []string
	for _, n := range f.nodes {
		names, labels = append(names, n.ID), append(labels, n.Label)
	}
	err := pdk.Errorf("no node %s", pdk.Quote(ref))
	near := pdk.Nearest(ref, names)
	if len(near) == 0 {
		near = pdk.Nearest(ref, labels)
	}
	if len(near) > 0 {
		err = pdk.Errorf("no node %s; nearest: %s", pdk.Quote(ref), strings.Join(near, ", "))
	}
	if len(near) == 0 {
		return nil, err.TryQuery("map")
	}
	var meant []string
	for _, name := range near {
		if n, no := f.node(name); no == nil && n.ID != "" { // by the given name, if that is one node
			meant = append(meant, pdk.Quote(name))
			continue
		}
		for _, n := range f.nodes {
			if id := pdk.Quote(n.ID); n.ID != "" && (n.ID == name || n.Label == name) && !slices.Contains(meant, id) {
				meant = append(meant, id)
			}
		}
	}
	return nil, err.Instead(ref, meant...)
}

// listed prints up to five nodes.
func listed(nodes []*Node) string {
	var ids []string
	for _, n := range nodes[:min(len(nodes), 5)] {
		ids = append(ids, pdk.Quote(n.ID))
	}
	if more := len(nodes) - 5; more > 0 {
		ids = append(ids, "and "+count(more, "more"))
	}
	return strings.Join(ids, ", ")
}
