// Package otio holds a file of OpenTimelineIO without losing anything of it. What
// nobody asks to change keeps its bytes: the order of keys, numbers as they are
// written, white space, schemas and metadata that nobody here knows.
//
// A Document is a tree that is opened no further than somebody looks. A change is a
// Step, which holds the texts before and after, and so its own inverse.
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
	before, after string // the white space, or byte order mark, around the root
	root          *Node
	unit, newline string // of an indentation, "" where the text is one line; how lines end
	scratch       []byte // room for what is written next
}

// Node is one value of the document.
type Node struct {
	// Memo is for whoever reads the document: what was made of this value. A change of the value, or within it, forgets it.
	Memo any

	text   string // as it is written, unless it is open
	open   bool
	array  bool
	indent string // of the line that it begins on
	parts  []part
	end    string // white space after the last part
	none   string // what stands between the brackets where there are no parts
}

// part is an item or a member: lead, key, value, trail, and then a comma or the end.
type part struct {
	lead, name, key, trail string // key is as written, with the colon
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
		d.unit = blank(text[v.Start+1 : v.Members[0].Start])
	}
	d.root.expand(v)
	return d, nil
}

// blank is what stands after the last line break of white space, "" where there is none.
func blank(space string) string {
	i := strings.LastIndexByte(space, '\n')
	if i < 0 || strings.TrimSpace(space) != "" {
		return ""
	}
	return space[i+1:]
}

// Text is the file.
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

// Text is the value as it is written.
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

// Value reads what is written.
func (n *Node) Value() *jsontree.Value {
	if n == nil {
		return nil
	}
	v, err := jsontree.ParseNonFinite(n.Text())
	if err != nil {
		return nil // cannot be: it was read before, and steps hold values
	}
	return v
}

// unfold makes parts of an object or an array.
func (n *Node) unfold() {
	if !n.open {
		n.expand(n.Value())
	}
}

// expand is unfold with what was read of the node's text.
func (n *Node) expand(v *jsontree.Value) {
	if v == nil || v.Kind != jsontree.Object && v.Kind != jsontree.Array {
		return
	}
	src := v.Raw()
	at := 1 // after the bracket, and then after each comma
	add := func(start int, name string, value *jsontree.Value) {
		start -= v.Start
		from, to := value.Start-v.Start, value.End-v.Start
		lead := src[at:start]
		indent := n.indent
		if strings.Contains(lead, "\n") {
			indent = blank(lead)
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

// Get is the member of a name, nil where there is none. Of several of one name the last counts.
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

// Len is the number of items of an array.
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

// Item is one of an array.
func (n *Node) Item(i int) *Node { return n.parts[i].value }

// Root is the whole.
func (d *Document) Root() *Node { return d.root }

// At leads to a value: names and indexes with slashes between them. It is nil where there is none.
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

// Int is the integer part of a number, clamped to ±2^20; 0 for a value that is no number.
func Int(v *jsontree.Value) int { return int(min(max(math.Trunc(v.Float()), -1<<20), 1<<20)) }
