// Package tree keeps an SVG file as the pieces of its text, so that an edit changes
// only the bytes of the elements that it names.
//
// The pieces of a file's nodes in order make up the file. An edit replaces a part of a piece,
// or inserts, removes or moves nodes; the file is never parsed again. Each edit is a
// list of steps that hold the old and the new text, which is all that undo needs.
//
// # Notes
//
// Nodes have keys: numbers assigned in document order when a file is opened, with
// higher ones for new nodes. A key is never reused while undo may restore its node.
// Snapshots contain the keys.
//
// Entities that a document type declares stay as they are written.
package tree

import (
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Node is one element. Only steps change it.
type Node = svgdom.Node

// Limits of a file.
const (
	MaxDepth    = xmltree.MaxDepth
	MaxElements = 400_000
	MaxBytes    = 48 << 20 // of the text, which a .svgz holds compressed
)

// Doc is one file. Its zero value is not usable; use Open or Parse.
type Doc struct {
	Root  *Node
	Named string // base name of the opened file, "" for a new one

	head, tail string // text around the root
	next       int    // key of the next node
	version    int    // counts steps
	byKey      []*Node
	sheets     []*Node        // style elements, in no particular order
	restyled   int            // counts their changes
	counts     map[string]int // nodes by type
	ids        map[string]*Node
	twins      map[string][]*Node // the nodes of each id that several nodes have
	links      map[*Node]bool     // nodes that may refer to others
	names      *pdk.Index[*Node]  // nil until needed
	container  container
	opened     string // the text that the container's bytes encode
}

// Parse reads the text of a file.
func Parse(text string) (*Doc, error) {
	d := &Doc{}
	if err := d.parse(text, nil); err != nil {
		return nil, err
	}
	return d, nil
}

// parse parses text. keys are those of its nodes in document order; without keys they
// are counted from 1.
func (d *Doc) parse(text string, keys []int) error {
	root, err := xmltree.Limits{Depth: MaxDepth, Elements: MaxElements}.Parse(text)
	if err != nil {
		return err
	}
	d.head, d.tail = text[:root.Start], text[root.End:]
	count := svgdom.Size(root)
	d.next, d.byKey = 1, make([]*Node, 0, count+count/4+8)
	d.counts = map[string]int{}
	d.links = map[*Node]bool{}
	d.ids, d.twins = make(map[string]*Node, count), map[string][]*Node{}
	d.Root = svgdom.Build(text, root, nil, keys)
	d.addToTables(d.Root)
	return nil
}

// addToTables adds a node and its content to the tables.
func (d *Doc) addToTables(n *Node) {
	for m := range n.All() {
		for len(d.byKey) <= m.Key {
			d.byKey = append(d.byKey, nil)
		}
		d.byKey[m.Key] = m
		d.next = max(d.next, m.Key+1)
		typ := m.Type
		d.counts[typ]++
		if typ == "style" {
			d.sheets = append(d.sheets, m)
			d.restyled++
		}
		d.updateTables(m, true)
	}
}

// removeFromTables removes a node and its content from the tables.
func (d *Doc) removeFromTables(n *Node) {
	for m := range n.All() {
		d.byKey[m.Key] = nil
		typ := m.Type
		d.counts[typ]--
		if typ == "style" {
			d.sheets = slices.DeleteFunc(d.sheets, func(s *Node) bool { return s == m })
			d.restyled++
		}
		d.updateTables(m, false)
	}
}

// updateTables updates the tables of links, ids and names for one node. here says
// whether the node is in the document.
func (d *Doc) updateTables(n *Node, here bool) {
	if n.MayRefer() {
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
	d.names.Put(n, id, n.Type, group)
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

// ByID returns the first node in the document with the id, or nil.
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

// Twins returns the ids that several nodes have, in no particular order.
func (d *Doc) Twins() []string {
	return slices.Collect(maps.Keys(d.twins))
}

// FreeID returns the next unused id of a kind: circle1, circle2.
func (d *Doc) FreeID(kind string, counted int) string {
	for i := counted + 1; ; i++ {
		if id := kind + strconv.Itoa(i); d.ids[id] == nil {
			return id
		}
	}
}

// Node returns the node with a key, or nil.
func (d *Doc) Node(key int) *Node {
	if key < 0 || key >= len(d.byKey) {
		return nil
	}
	return d.byKey[key]
}

// Count returns the number of nodes of a type.
func (d *Doc) Count(typ string) int { return d.counts[typ] }

// Counts returns the number of nodes of each type. The map is the document's own.
func (d *Doc) Counts() map[string]int { return d.counts }

// Version returns a number that changes with each step.
func (d *Doc) Version() int { return d.version }

// Sheets returns the style elements in document order, and a number that changes with
// them.
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

// Links yields the nodes with an attribute that may refer to another node or to
// something outside, in no particular order.
func (d *Doc) Links() iter.Seq[*Node] { return maps.Keys(d.links) }

// Head returns the text before the root: declaration, document type, comments.
func (d *Doc) Head() string { return d.head }

// Prefix returns the prefix of SVG's own elements with its colon; most files have none.
func (d *Doc) Prefix() string {
	return d.Root.Name[:len(d.Root.Name)-len(xmltree.Local(d.Root.Name))]
}

// Text returns the file's text.
func (d *Doc) Text() string {
	size := len(d.head) + len(d.tail)
	for n := range d.Root.All() {
		size += len(n.Lead) + len(n.Tag) + len(n.Tail) + len(n.End)
	}
	b := make([]byte, 0, size)
	b = append(b, d.head...)
	b = d.Root.AppendTo(b)
	return string(append(b, d.tail...))
}
