package picture

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Bounds of a document: more is not read.
const (
	maxNodes = 300_000
	maxDepth = 200
	maxBytes = 32 << 20
	maxAttrs = 100 // of an element
)

// node is an element, or with an empty name a stretch of text.
type node struct {
	name  string // without its prefix
	text  string
	attrs []attr
	kids  []*node
}

type attr struct{ key, value string }

func (n *node) attr(key string) string {
	for i := range n.attrs {
		if n.attrs[i].key == key {
			return n.attrs[i].value
		}
	}
	return ""
}

// document is a parsed SVG document.
type document struct {
	root  *node
	ids   map[string]*node
	rules []rule
}

var errNoSVG = errors.New("this is no SVG document: it holds no svg element")

// parse reads a document. Letters that are not UTF-8 are read as "?".
func parse(data []byte) (*document, error) {
	if len(data) > maxBytes {
		return nil, errors.New("the SVG document is larger than 32 MiB")
	}
	root, err := xmltree.Limits{Depth: maxDepth, Elements: maxNodes}.Parse(string(bytes.ToValidUTF8(data, []byte("?"))))
	if err != nil {
		return nil, fmt.Errorf("the SVG document cannot be read: %w", err)
	}
	if xmltree.Local(root.Name) != "svg" {
		return nil, errNoSVG
	}
	d := &document{ids: map[string]*node{}}
	d.root = d.node(root)
	return d, nil
}

// node is an element with all that is in it.
func (d *document) node(e *xmltree.Element) *node {
	n := &node{name: xmltree.Local(e.Name)}
	if k := min(len(e.Attrs), maxAttrs); k > 0 {
		n.attrs = make([]attr, k)
		for i := range n.attrs {
			a := &e.Attrs[i]
			n.attrs[i] = attr{xmltree.Local(a.Name), xmltree.Unescape(e.Source()[a.Start:a.End])}
		}
	}
	if id := n.attr("id"); id != "" && d.ids[id] == nil {
		d.ids[id] = n
	}
	switch n.name {
	case "style":
		d.rules = append(d.rules, rulesOf(e.Text(), len(d.rules))...)
	case "text", "tspan", "a":
		for k := range e.Nodes() {
			if k.Kind == xmltree.Tag {
				n.kids = append(n.kids, d.node(k.Element))
			} else if s := e.TextOf(k); s != "" {
				n.kids = append(n.kids, &node{text: s})
			}
		}
		return n
	}
	if len(e.Children) > 0 {
		n.kids = make([]*node, len(e.Children))
		for i, c := range e.Children {
			n.kids[i] = d.node(c)
		}
	}
	return n
}
