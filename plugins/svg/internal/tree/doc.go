// Package tree keeps an SVG file as the pieces of its text, so that an edit
// changes the bytes of what it names and nothing else.
//
// A Node owns its start tag, its end tag, the text before it and the text behind
// its last child. All pieces in order are the file. An edit replaces a part of a
// piece, or inserts, removes or moves nodes; the file is never read a second
// time. Each edit is a list of steps that hold what was there before and what is
// there afterwards, which is all that undo needs.
//
// # Notes
//
// Nodes have keys: numbers that are given in document order when a file is
// opened, and counted on from there. A key is never given twice while what had
// it may come back by undo. Snapshots carry them.
//
// Entities that a document type declares stay as they are written.
package tree

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Limits of a file.
const (
	MaxDepth    = xmltree.MaxDepth
	MaxElements = 400_000
	MaxBytes    = 48 << 20 // of its text, which a .svgz holds compressed
)

// Doc is one file. Its zero value is not ready: see Open and Parse.
type Doc struct {
	Root  *Node
	Named string // the base name that the file was opened by, "" for a new one

	head, tail string // around the root
	next       int    // the key of the next node
	version    int    // counts steps
	byKey      []*Node
	sheets     []*Node        // style elements, in no order
	restyled   int            // counts changes of theirs
	counts     map[string]int // nodes by type
	ids        map[string]*Node
	twins      map[string][]*Node // all nodes of an id that several have
	links      map[*Node]bool     // nodes that may refer to others
	names      *pdk.Index[*Node]  // nil until it is asked for
	container  container
	opened     string // the text that the container's bytes hold
}

// Parse reads the text of a file.
func Parse(text string) (*Doc, error) {
	d := &Doc{}
	if err := d.parse(text, nil); err != nil {
		return nil, err
	}
	return d, nil
}

// parse reads text. keys are those of its nodes in document order; without them
// they are counted from 1.
func (d *Doc) parse(text string, keys []int) error {
	root, err := xmltree.Limits{Depth: MaxDepth, Elements: MaxElements}.Parse(text)
	if err != nil {
		return err
	}
	d.head, d.tail = text[:root.Start], text[root.End:]
	n := 0
	all := make([]Node, size(root))
	d.next, d.byKey = 1, make([]*Node, 0, len(all)+len(all)/4+8)
	d.counts = map[string]int{}
	d.links = map[*Node]bool{}
	d.ids, d.twins = make(map[string]*Node, len(all)), map[string][]*Node{}
	d.Root = build(text, root, "", all, func() int {
		n++
		if keys != nil {
			return keys[n-1]
		}
		return n
	})
	d.enter(d.Root)
	return nil
}

func size(e *xmltree.Element) int {
	n := 1
	for _, c := range e.Children {
		n += size(c)
	}
	return n
}

// build makes nodes, which it takes from all, of an element and what is in it.
func build(text string, e *xmltree.Element, lead string, all []Node, key func() int) *Node {
	var make func(e *xmltree.Element, lead string) *Node
	make = func(e *xmltree.Element, lead string) *Node {
		n := &all[0]
		all = all[1:]
		*n = Node{Key: key(), Name: e.Name, Lead: lead, Tag: text[e.Start:e.OpenEnd], attrs: e.Attrs}
		for i := range n.attrs {
			a := &n.attrs[i]
			a.NameStart, a.Start, a.End = a.NameStart-e.Start, a.Start-e.Start, a.End-e.Start
		}
		at := e.OpenEnd
		for _, c := range e.Children {
			kid := make(c, text[at:c.Start])
			kid.link(n, n.Last)
			at = c.End
		}
		n.Tail, n.End = text[at:e.CloseStart], text[e.CloseStart:e.End]
		return n
	}
	return make(e, lead)
}

// enter makes a node and what is in it known.
func (d *Doc) enter(n *Node) {
	for m := range n.All() {
		for len(d.byKey) <= m.Key {
			d.byKey = append(d.byKey, nil)
		}
		d.byKey[m.Key] = m
		d.next = max(d.next, m.Key+1)
		typ := d.Type(m)
		d.counts[typ]++
		if typ == "style" {
			d.sheets = append(d.sheets, m)
			d.restyled++
		}
		d.know(m, true)
	}
}

// leave is the opposite of enter.
func (d *Doc) leave(n *Node) {
	for m := range n.All() {
		d.byKey[m.Key] = nil
		typ := d.Type(m)
		d.counts[typ]--
		if typ == "style" {
			d.sheets = slices.DeleteFunc(d.sheets, func(s *Node) bool { return s == m })
			d.restyled++
		}
		d.know(m, false)
	}
}

// know keeps the tables of links, ids and names.
func (d *Doc) know(n *Node, here bool) {
	if n.points() {
		if here {
			d.links[n] = true
		} else {
			delete(d.links, n)
		}
	}
	id, ok := n.Attr("id")
	if !ok || id == "" {
		return
	}
	switch other := d.ids[id]; {
	case here && other == nil:
		d.ids[id] = n
	case here:
		if d.twins[id] == nil {
			d.twins[id] = []*Node{other}
		}
		d.twins[id] = append(d.twins[id], n)
	case d.twins[id] != nil:
		list := slices.DeleteFunc(d.twins[id], func(m *Node) bool { return m == n })
		d.ids[id], d.twins[id] = list[0], list
		if len(list) == 1 {
			delete(d.twins, id)
		}
	default:
		delete(d.ids, id)
	}
	if d.names == nil {
		return
	}
	if here {
		d.name(n, id)
	} else {
		d.names.Delete(n)
	}
}

func (d *Doc) name(n *Node, id string) {
	group := ""
	for p := n.Parent; p != nil && group == ""; p = p.Parent {
		group, _ = p.Attr("id")
	}
	d.names.Put(n, id, d.Type(n), group)
}

// Names resolves references to nodes by their ids.
func (d *Doc) Names() *pdk.Index[*Node] {
	if d.names == nil {
		d.names = new(pdk.Index[*Node])
		for n := range d.Root.All() {
			if id := n.ID(); id != "" {
				d.name(n, id)
			}
		}
	}
	return d.names
}

// ByID is the first node in the document that has the id, or nil.
func (d *Doc) ByID(id string) *Node {
	if d.twins[id] == nil {
		return d.ids[id]
	}
	for n := range d.Root.All() {
		if n.ID() == id {
			return n
		}
	}
	return nil
}

// Twins are the ids that several nodes have, in no order.
func (d *Doc) Twins() []string {
	return slices.Collect(maps.Keys(d.twins))
}

// FreeID is the next id of a kind that nothing has: circle1, circle2.
func (d *Doc) FreeID(kind string, counted int) string {
	for i := counted + 1; ; i++ {
		if id := kind + itoa(i); d.ids[id] == nil {
			return id
		}
	}
}

// Node is the node with a key, or nil.
func (d *Doc) Node(key int) *Node {
	if key < 0 || key >= len(d.byKey) {
		return nil
	}
	return d.byKey[key]
}

// Count is how many nodes of a type there are.
func (d *Doc) Count(typ string) int { return d.counts[typ] }

// Counts are how many nodes of each type there are. The map is the document's.
func (d *Doc) Counts() map[string]int { return d.counts }

// Version changes with each step.
func (d *Doc) Version() int { return d.version }

// Sheets are the style elements in document order, and a number that changes
// with them.
func (d *Doc) Sheets() ([]*Node, int) {
	if len(d.sheets) < 2 {
		return d.sheets, d.restyled
	}
	var out []*Node
	for n := range d.Root.All() {
		if slices.Contains(d.sheets, n) {
			out = append(out, n)
		}
	}
	return out, d.restyled
}

// Links are the nodes that have an attribute that may refer to another one or to
// something outside, in no order.
func (d *Doc) Links() iter.Seq[*Node] { return maps.Keys(d.links) }

// Head is the text before the root: declaration, document type, comments.
func (d *Doc) Head() string { return d.head }

// Prefix is that of SVG's own elements, with its colon: mostly none.
func (d *Doc) Prefix() string {
	return d.Root.Name[:len(d.Root.Name)-len(xmltree.Local(d.Root.Name))]
}

// Type is a node's element name without SVG's prefix. Elements of other
// namespaces keep theirs.
func (d *Doc) Type(n *Node) string {
	if prefix := d.Prefix(); prefix != "" {
		return strings.TrimPrefix(n.Name, prefix)
	}
	return n.Name
}

// Text is the file's text.
func (d *Doc) Text() string {
	size := len(d.head) + len(d.tail)
	for n := range d.Root.All() {
		size += len(n.Lead) + len(n.Tag) + len(n.Tail) + len(n.End)
	}
	b := make([]byte, 0, size)
	b = append(b, d.head...)
	b = d.Root.append(b)
	return string(append(b, d.tail...))
}
