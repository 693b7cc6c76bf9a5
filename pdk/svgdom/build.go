package svgdom

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Size returns the number of elements in e, with e.
func Size(e *xmltree.Element) int {
	n := 1
	for _, c := range e.Children {
		n += Size(c)
	}
	return n
}

// Build makes the nodes of an element and its content, which were parsed from text. parent is the node that it will be
// linked into, nil for a root. keys are those of the nodes in document order; without keys they are counted from 1.
func Build(text string, e *xmltree.Element, parent *Node, keys []int) *Node {
	b := &builder{text: text, keys: keys, nodes: make([]Node, Size(e))}
	in := space{}
	if prefix, _, ok := strings.Cut(e.Name, ":"); ok && parent == nil {
		in.svg = []string{prefix}
	}
	return b.node(e, "", in.around(parent))
}

type builder struct {
	text  string
	keys  []int
	nodes []Node // those that are left
	made  int
}

func (b *builder) node(e *xmltree.Element, lead string, in space) *Node {
	n := &b.nodes[0]
	b.nodes = b.nodes[1:]
	b.made++
	*n = Node{Key: b.made, Name: e.Name, Lead: lead, Tag: b.text[e.Start:e.OpenEnd], Spans: e.Attrs}
	if b.keys != nil {
		n.Key = b.keys[b.made-1]
	}
	for i := range n.Spans {
		a := &n.Spans[i]
		a.NameStart, a.Start, a.End = a.NameStart-e.Start, a.Start-e.Start, a.End-e.Start
	}
	in = in.within(n)
	n.Type = in.typeOf(e.Name)
	at := e.OpenEnd
	for _, c := range e.Children {
		kid := b.node(c, b.text[at:c.Start], in)
		kid.Link(n, n.Last)
		at = c.End
	}
	n.Tail, n.End = b.text[at:e.CloseStart], b.text[e.CloseStart:e.End]
	return n
}

// namespace is that of SVG.
const namespace = "http://www.w3.org/2000/svg"

// space says which names are SVG's: those without a prefix, unless other is set, and those with one of some prefixes.
type space struct {
	svg   []string
	other bool
}

// around returns the space of the content of a node.
func (in space) around(n *Node) space {
	if n == nil {
		return in
	}
	if prefix, _, ok := strings.Cut(n.Name, ":"); ok && n.Parent == nil {
		in.svg = []string{prefix}
	}
	return in.around(n.Parent).within(n)
}

// within returns the space after the declarations of an element in it.
func (in space) within(n *Node) space {
	for i := range n.Spans {
		a := &n.Spans[i]
		prefix, ok := strings.CutPrefix(a.Name, "xmlns")
		if !ok {
			continue
		}
		is := n.Tag[a.Start:a.End] == namespace
		if prefix == "" {
			in.other = !is
		} else if is {
			in.svg = append(in.svg[:len(in.svg):len(in.svg)], prefix[1:])
		}
	}
	return in
}

func (in space) typeOf(name string) string {
	prefix, local, ok := strings.Cut(name, ":")
	switch {
	case !ok && in.other:
		return ":" + name
	case !ok:
		return name
	}
	for _, p := range in.svg {
		if p == prefix {
			return local
		}
	}
	return name
}
