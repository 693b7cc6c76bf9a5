// Package flow implements the flowise domain: a flow as a document, its verbs, queries
// and selectors, and its actions on a server.
package flow

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/splice"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/api"
)

// Flow is an open flow: its text and the values parsed from it. Only edits change it.
type Flow struct {
	text         string
	opened       string // the text as the history has it first, "" for a new flow
	root         *jsontree.Value
	nodes        []*Node // in the order of the text
	edges        []*Edge
	byID         map[string]*Node // the first node with each id
	duplicateIDs bool             // several nodes have the same id
	links        *links           // of the edges; nil until they are needed
}

// Node is one node.
type Node struct {
	ID, Label string
	Name      string // name of its type in the catalogue: "chatOpenAI"
	Kind      string // how Flowise draws it: customNode, agentFlow, stickyNote, iteration
	Category  string
	Parent    string // id of the iteration that it is in, or ""

	index       int
	v, data     *jsontree.Value
	rect        *geom.Rect // cached by box
	cachedFacts *facts
}

// Edge goes from an output of a node to an input of another one.
type Edge struct {
	ID                         string
	Source, Target             string // ids of nodes
	SourceHandle, TargetHandle string
	Label                      string

	v *jsontree.Value
}

// Aliases for the SDK's generic types.
type (
	ctx   = pdk.Ctx[*Flow]
	view  = pdk.View[*Flow]
	verb  = pdk.Verb[*Flow]
	query = pdk.Query[*Flow]
)

// note reports whether n is a sticky note, which is not part of the flow.
func (n *Node) note() bool { return n.Kind == "stickyNote" }

// agent reports whether n is a node of the second generation of agent flows.
func (n *Node) agent() bool { return n.Kind == "agentFlow" || n.Kind == "iteration" }

// Type returns the flow's type: the one it states or, if it states none, the one its
// nodes imply.
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

// starts returns the start nodes of an agent flow.
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
func (e *edit) Do(f *Flow) error { return f.applySplices(e.Splices) }

// Undo implements pdk.Edit.
func (e *edit) Undo(f *Flow) error { return f.applySplices(e.Splices.Inverse()) }

// change makes an edit of the text. ids are the nodes that it touches.
func change(c *ctx, s splice.All, summary string, ids ...string) error {
	return c.Do(&edit{s}, pdk.Line(summary, 200), ids...)
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
		return nil, pdk.Errorf("%s may be %s", pdk.Quote(ref), printNodes(found)).Instead(ref, names...)
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

// printNodes prints up to five nodes.
func printNodes(nodes []*Node) string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = pdk.Quote(n.ID)
	}
	return pdk.List(ids, 5)
}
