// Package otio reads and edits OpenTimelineIO files without loss. Whatever an edit does not change keeps its bytes:
// the order of keys, the notation of numbers, white space, and unknown schemas and metadata.
//
// A Document is a tree that is parsed lazily. A change is a Step, which holds the texts before and after, and so
// knows its inverse.
package otio

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

// Document is an open file. Only steps change it.
type Document struct {
	before, after       string // white space or a byte order mark around the root
	root                *Node
	indentUnit, newline string // one level of indentation, "" if the text is on one line; the line break
	scratch             []byte // reusable buffer for writing
}

// Node is a value of the document.
type Node struct {
	// Memo is for readers of the document, to cache what they make of the value. A change of the value or within it
	// clears it.
	Memo any

	text   string // as written, unless the node is open
	open   bool
	array  bool
	indent string // of the line on which it starts
	parts  []part
	end    string // white space after the last part
	none   string // text between the brackets of an empty container
}

// part is an item or a member. It is written as lead, key, value and trail, and then a comma or the container's end.
type part struct {
	lead, name, key, trail string // key is as written, with its colon
	value                  *Node
}

// Parse reads a timeline.
func Parse(text string) (*Document, error) {
	v, err := jsontree.ParseNonFinite(text)
	if err != nil {
		return nil, err
	}
	if !v.Is(jsontree.Object) {
		return nil, errors.New("it holds no object")
	}
	d := &Document{before: text[:v.Start], after: text[v.End:], newline: "\n", root: &Node{text: v.Raw()}}
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		d.newline = "\r\n"
	}
	if v.Members != nil {
		d.indentUnit = lastIndent(text[v.Start+1 : v.Members[0].Start])
	}
	d.root.expand(v)
	return d, nil
}

// lastIndent returns what follows the last line break of white space, "" if there is none.
func lastIndent(space string) string {
	i := strings.LastIndexByte(space, '\n')
	if i < 0 || strings.TrimSpace(space) != "" {
		return ""
	}
	return space[i+1:]
}

// Text returns the file.
func (d *Document) Text() string {
	var b strings.Builder
	b.WriteString(d.before)
	d.root.write(&b)
	b.WriteString(d.after)
	return b.String()
}

func (n *Node) write(b *strings.Builder) {
	if !n.open {
		b.WriteString(n.text)
		return
	}
	brackets := "{}"
	if n.array {
		brackets = "[]"
	}
	b.WriteByte(brackets[0])
	for i := range n.parts {
		p := &n.parts[i]
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(p.lead)
		b.WriteString(p.key)
		p.value.write(b)
		b.WriteString(p.trail)
	}
	if len(n.parts) > 0 {
		b.WriteString(n.end)
	} else {
		b.WriteString(n.none)
	}
	b.WriteByte(brackets[1])
}

// Text returns the value as written in the file.
func (n *Node) Text() string {
	if n == nil {
		return ""
	}
	if !n.open {
		return n.text
	}
	var b strings.Builder
	n.write(&b)
	return b.String()
}

// Value parses the value.
func (n *Node) Value() *jsontree.Value {
	if n == nil {
		return nil
	}
	v, err := jsontree.ParseNonFinite(n.Text())
	if err != nil {
		return nil // impossible: it was parsed before, and steps hold only valid values
	}
	return v
}

// unfold splits an object or an array into parts.
func (n *Node) unfold() {
	if !n.open {
		n.expand(n.Value())
	}
}

// expand is unfold for a value that is parsed already.
func (n *Node) expand(v *jsontree.Value) {
	if v == nil || v.Kind != jsontree.Object && v.Kind != jsontree.Array {
		return
	}
	src := v.Raw()
	at := 1 // after the bracket, and later after each comma
	add := func(start int, name string, value *jsontree.Value) {
		start -= v.Start
		from, to := value.Start-v.Start, value.End-v.Start
		lead := src[at:start]
		indent := n.indent
		if strings.Contains(lead, "\n") {
			indent = lastIndent(lead)
		}
		n.parts = append(n.parts, part{lead: lead, name: name, key: src[start:from], value: &Node{text: src[from:to], indent: indent}})
		at = to
	}
	comma := func() {
		if len(n.parts) > 0 {
			end := at + strings.IndexByte(src[at:], ',')
			n.parts[len(n.parts)-1].trail = src[at:end]
			at = end + 1
		}
	}
	n.array = v.Kind == jsontree.Array
	for _, m := range v.Members {
		comma()
		add(m.Start, m.Key, m.Value)
	}
	for _, item := range v.Items {
		comma()
		add(item.Start, "", item)
	}
	n.end = src[at : len(src)-1]
	if len(n.parts) == 0 {
		n.none, n.end = n.end, ""
	}
	n.open, n.text = true, ""
}

// Get returns the member at a path of names, nil if there is none. Of members of the same name the last counts.
func (n *Node) Get(names ...string) *Node {
	for _, name := range names {
		if n == nil {
			return nil
		}
		n.unfold()
		var found *Node
		for i := len(n.parts) - 1; i >= 0 && !n.array; i-- {
			if n.parts[i].name == name {
				found = n.parts[i].value
				break
			}
		}
		n = found
	}
	return n
}

// Len returns the number of items of an array.
func (n *Node) Len() int {
	if n == nil {
		return 0
	}
	n.unfold()
	if !n.array {
		return 0
	}
	return len(n.parts)
}

// Item returns an item of an array.
func (n *Node) Item(i int) *Node { return n.parts[i].value }

// Root returns the root value.
func (d *Document) Root() *Node { return d.root }

// At returns the value at a path of names and indexes separated by slashes, nil if there is none.
func (d *Document) At(path string) *Node {
	n := d.root
	for step := range strings.SplitSeq(path, "/") {
		if step == "" {
			continue
		}
		if n == nil {
			return nil
		}
		n.unfold()
		if !n.array {
			n = n.Get(step)
			continue
		}
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(n.parts) {
			return nil
		}
		n = n.parts[i].value
	}
	return n
}

// Int returns the integer part of a number, clamped to ±2^20; 0 for a value that is not a number.
func Int(v *jsontree.Value) int { return int(min(max(math.Trunc(v.Float()), -1<<20), 1<<20)) }
