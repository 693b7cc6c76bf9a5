package flow

import (
	"path"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

var selection = pdk.Selection[*Flow, *Node]{
	All: func(f *Flow) []*Node {
		return slices.DeleteFunc(slices.Clone(f.nodes), func(n *Node) bool { return f.byID[n.ID] != n })
	},
	ByID: func(f *Flow, id string) (*Node, bool) { n := f.byID[id]; return n, n != nil },
	Table: []pdk.SelectorType[*Flow, *Node]{
		{Selector: abi.Selector{Syntax: "@node:PATTERN", Summary: "nodes by id or label; * matches any characters"},
			Match: func(_ *Flow, value string) (func(*Node) bool, error) {
				pattern := strings.ToLower(value)
				if _, err := path.Match(pattern, ""); err != nil || value == "" {
					return nil, pdk.Errorf("@node:%s is not a pattern of an id or a label", value)
				}
				fits := func(s string) bool {
					ok, _ := path.Match(pattern, strings.ReplaceAll(strings.ToLower(s), "/", "_")) // a bad pattern was refused above
					return ok
				}
				return func(n *Node) bool { return fits(n.ID) || fits(n.Label) }, nil
			}},
		{Selector: abi.Selector{Syntax: "@type:NAME", Summary: "nodes of a type of the catalogue: chatOpenAI, startAgentflow"},
			Match: func(f *Flow, value string) (func(*Node) bool, error) {
				return byWord(f, value, "type", func(n *Node) string { return n.Name })
			}},
		{Selector: abi.Selector{Syntax: `@category:"Chat Models"`, Summary: "nodes of a category of the catalogue"},
			Match: func(f *Flow, value string) (func(*Node) bool, error) {
				return byWord(f, value, "category", func(n *Node) string { return n.Category })
			}},
		{Selector: abi.Selector{Syntax: "@orphan", Summary: "nodes without edges"},
			Match: func(f *Flow, _ string) (func(*Node) bool, error) { return f.orphan, nil }},
		{Selector: abi.Selector{Syntax: "@missing-input", Summary: "nodes with a required input, or credential, that is empty"},
			Match: func(f *Flow, _ string) (func(*Node) bool, error) {
				return func(n *Node) bool {
					id, needs := n.credential()
					return len(f.unset(n)) > 0 || needs && id == ""
				}, nil
			}},
	},
}

// byWord returns a test for the nodes for which of returns value. It fails if no node
// has that value.
func byWord(f *Flow, value, what string, of func(*Node) string) (func(*Node) bool, error) {
	var words []string
	for _, n := range f.nodes {
		if w := of(n); w != "" && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	word, ok := pdk.OneOf(value, words)
	if !ok {
		var quoted []string
		for _, w := range pdk.Nearest(value, words) {
			quoted = append(quoted, pdk.Quote(w))
		}
		return nil, pdk.Errorf("no node is of the %s %s: there are %s", what, pdk.Quote(value), pdk.Line(strings.Join(words, ", "), 300)).Instead(value, quoted...)
	}
	return func(n *Node) bool { return of(n) == word }, nil
}

// targets returns the nodes that an op is about: those that it names and those that its selectors match.
func targets(c *ctx, a pdk.Args) ([]*Node, error) { return selection.Targets(c, a, c.Model.node) }
