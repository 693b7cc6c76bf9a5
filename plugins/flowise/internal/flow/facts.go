package flow

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

// facts holds what is derived from the values of one node. It is computed once, because
// each call needs the facts of all nodes. Its strings do not keep the text in memory.
type facts struct {
	unset      []string // names of required inputs that take a value and are empty
	anchors    []anchor // required inputs for edges
	credential string   // id of the credential that the node uses
	needs      bool     // the node needs a credential
	mentions   []string // ids of nodes that inputs use as variables
	outputs    []output
}

type anchor struct{ id, name string }

func (n *Node) facts() *facts {
	if n.cachedFacts == nil {
		n.cachedFacts = &facts{unset: n.emptyParams(), anchors: n.anchorsIn(), mentions: n.variables(), outputs: n.anchorsOut()}
		n.cachedFacts.credential, n.cachedFacts.needs = n.usedCredential()
	}
	return n.cachedFacts
}

// outputs returns the anchors at which edges may start.
func (n *Node) outputs() []output { return n.facts().outputs }

// credential returns the id of the credential that a node uses, and whether it needs
// one.
func (n *Node) credential() (id string, needs bool) { return n.facts().credential, n.facts().needs }

func (n *Node) anchorsOut() (out []output) {
	for i, anchor := range n.data.Get("outputAnchors").Each() {
		if options := anchor.Get("options"); options != nil {
			for _, o := range options.Each() {
				out = append(out, outputOf(o, true))
			}
			continue
		}
		o := outputOf(anchor, false)
		if all := len(n.data.Get("outputAnchors").Items); n.agent() && (all > 1 || branchInputs[n.Name] != "") {
			o.label = num(float64(i))
			o.name = n.branch(i, all)
		}
		out = append(out, o)
	}
	return out
}

func outputOf(v *jsontree.Value, option bool) output {
	return output{copyText(v.Get("id")), copyText(v.Get("name")), copyText(v.Get("label")), classes(copyText(v.Get("type"))), option}
}

func (n *Node) anchorsIn() (out []anchor) {
	inputs := n.data.Get("inputs")
	for _, a := range n.anchors().Each() {
		if !a.Get("optional").True() && shown(a, inputs) {
			out = append(out, anchor{copyText(a.Get("id")), copyText(a.Get("name"))})
		}
	}
	return out
}

func (n *Node) usedCredential() (id string, needs bool) {
	p := byName(n.params(), "credential")
	if p == nil {
		return "", false
	}
	for _, v := range []*jsontree.Value{n.data.Get("credential"), n.data.Get("inputs", "credential"), n.data.Get("inputs", "FLOWISE_CREDENTIAL_ID")} {
		if !empty(v) {
			return strings.Clone(v.Plain()), !p.Get("optional").True()
		}
	}
	return "", !p.Get("optional").True()
}

// emptyParams returns the names of the required inputs that take a value and are empty.
func (n *Node) emptyParams() (out []string) {
	inputs := n.data.Get("inputs")
	for _, p := range n.params().Each() {
		name := p.Get("name").Text()
		if p.Get("type").Text() == "credential" || p.Get("optional").True() || p.Get("optional").Is(jsontree.Object) || !shown(p, inputs) {
			continue
		}
		if empty(inputs.Get(name)) {
			out = append(out, strings.Clone(name))
		}
	}
	return out
}

var mention = pdk.Regexp(`\{\{\s*([A-Za-z][A-Za-z0-9_]*_[0-9]+)(?:\.data\.instance)?\s*\}\}`)

// variables returns the ids of nodes that inputs use as variables.
func (n *Node) variables() (out []string) {
	raw := n.data.Get("inputs").Raw()
	if !strings.Contains(raw, "{{") {
		return nil
	}
	for _, m := range mention().FindAllStringSubmatch(raw, -1) {
		if !slices.Contains(out, m[1]) {
			out = append(out, strings.Clone(m[1]))
		}
	}
	return out
}

// unset returns the names of required inputs that are empty: first those with values,
// then those for edges.
func (f *Flow) unset(n *Node) []string {
	if n.note() {
		return nil
	}
	out := slices.Clip(n.facts().unset)
	for _, a := range n.facts().anchors {
		if !f.currentLinks().filled[[2]string{n.ID, a.id}] {
			out = append(out, a.name)
		}
	}
	return out
}

// links are where the edges of a flow start and end.
type links struct {
	nodes  map[string]bool    // ids of nodes at edges, and of iterations with nodes
	filled map[[2]string]bool // target and its handle
}

// currentLinks returns the links of the current text.
func (f *Flow) currentLinks() *links {
	if f.links != nil {
		return f.links
	}
	f.links = &links{make(map[string]bool, len(f.edges)+1), make(map[[2]string]bool, len(f.edges))}
	for _, e := range f.edges {
		f.links.nodes[e.Source], f.links.nodes[e.Target] = true, true
		f.links.filled[[2]string{e.Target, e.TargetHandle}] = true
	}
	for _, n := range f.nodes {
		f.links.nodes[n.Parent] = true
	}
	return f.links
}

// orphan reports whether a node lacks edges. A node in an iteration, or an iteration
// with nodes, needs none.
func (f *Flow) orphan(n *Node) bool {
	return !n.note() && f.byID[n.Parent] == nil && !f.currentLinks().nodes[n.ID]
}
