package picture

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Limits of a document. Anything beyond them is ignored.
const (
	maxNodes = 300_000
	maxDepth = 200
	maxBytes = 32 << 20
	maxAttrs = 100 // attributes of an element
)

// node is an element or, if its name is empty, a piece of text.
type node struct {
	name   string // without a prefix, except in namespaces other than SVG
	text   string
	attrs  []attr
	kids   []*node
	parent *node
}

type attr struct{ key, value string }

func (n *node) attr(key string) string {
	v, _ := n.find(key)
	return v
}

// find returns the value of an attribute, and whether the element has it. It must not be inlined: its loop would be repeated
// in some hundred places.
//
//go:noinline
func (n *node) find(key string) (string, bool) {
	for i := range n.attrs {
		if n.attrs[i].key == key {
			return n.attrs[i].value, true
		}
	}
	return "", false
}

// document is a parsed SVG document.
type document struct {
	root    *node
	ids     map[string]*node
	rules   []rule
	blends  bool            // some element is blended with what is below it
	moving  bool            // it contains animations
	unread  bool            // some rules of its style sheets were skipped
	foreign map[string]bool // prefixes of other namespaces than SVG's
	plain   bool            // names without a prefix belong to another namespace at the current position
	work    *int            // that of the canvas
}

var errNoSVG = errors.New("this is not an SVG document: it has no svg element")

const namespace = "http://www.w3.org/2000/svg"

// parse parses a document. Bytes that are not UTF-8 are read as "?".
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
	slices.SortStableFunc(d.rules, func(a, b rule) int { return a.weight - b.weight })
	return d, nil
}

// named returns the element that a href attribute refers to.
func (d *document) named(href string) *node {
	if id, ok := strings.CutPrefix(strings.TrimSpace(href), "#"); ok {
		return d.ids[id]
	}
	return nil
}

// node converts an element with its contents.
func (d *document) node(e *xmltree.Element) *node {
	n := &node{}
	wasPlain := d.plain
	defer func() { d.plain = wasPlain }()
	if k := min(len(e.Attrs), maxAttrs); k > 0 {
		n.attrs = make([]attr, 0, k)
		for i := range k {
			d.attribute(n, e, &e.Attrs[i])
		}
	}
	n.name = e.Name
	if prefix, local, ok := strings.Cut(e.Name, ":"); ok && !d.foreign[prefix] {
		n.name = local
	} else if !ok && d.plain {
		n.name = ":" + e.Name
	}
	if id := n.attr("id"); id != "" && d.ids[id] == nil {
		d.ids[id] = n
	}
	switch n.name {
	case "style":
		if kind := n.attr("type"); kind == "" || kind == "text/css" {
			rules, all := rulesOf(e.Text(), len(d.rules))
			d.rules = append(d.rules, rules...)
			d.unread = d.unread || !all
		}
	case "animate", "animateTransform", "animateMotion", "animateColor", "set":
		d.moving = true
	case "text", "tspan", "a", "textPath":
		for k := range e.Nodes() {
			if k.Kind == xmltree.Tag {
				n.adopt(d.node(k.Element))
			} else if s := e.TextOf(k); s != "" {
				n.adopt(&node{text: s})
			}
		}
		return n
	}
	if len(e.Children) > 0 {
		n.kids = make([]*node, 0, len(e.Children))
		for _, c := range e.Children {
			n.adopt(d.node(c))
		}
	}
	return n
}

func (n *node) adopt(k *node) {
	k.parent = n
	n.kids = append(n.kids, k)
}

// attribute reads an attribute: SVG's own by name, those of other namespaces with their prefix, except for a few that
// SVG uses.
func (d *document) attribute(n *node, e *xmltree.Element, a *xmltree.Attr) {
	key, value := a.Name, xmltree.Unescape(e.Source()[a.Start:a.End])
	if prefix, local, ok := strings.Cut(key, ":"); ok {
		switch {
		case prefix == "xmlns":
			if value != namespace {
				if d.foreign == nil {
					d.foreign = map[string]bool{}
				}
				d.foreign[local] = true
			}
			return
		case local == "href":
			if _, ok := n.find("href"); ok {
				return // the attribute without a prefix takes precedence
			}
			key = local
		case prefix == "xml":
			key = local
		}
	} else if key == "xmlns" {
		d.plain = value != namespace
		return
	} else if key == "href" {
		for i := range n.attrs {
			if n.attrs[i].key == key {
				n.attrs[i].value = value
				return
			}
		}
	}
	d.blends = d.blends || strings.HasPrefix(key, "mix-blend") || key == "style" && strings.Contains(value, "mix-blend")
	n.attrs = append(n.attrs, attr{key, value})
}
