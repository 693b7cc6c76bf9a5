// Package svgdom is the model of an SVG document that everything here reads it by: elements with their attributes and
// text, the declarations of CSS that hold for them, lengths, viewports, shapes and the letters of texts.
//
// Pictures are drawn by it, and the svg domain edits and measures by it, so that both see the same.
//
// # Notes
//
// A Node keeps the pieces of the text that it was read from: its start tag, its end tag, the text before it and the text
// after its last child. All pieces in order make up the document.
package svgdom

import (
	"iter"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Node is one element.
type Node struct {
	Key  int    // what Build numbers it with
	Name string // as written, with its prefix
	Type string // the name without SVG's prefix; elements of other namespaces keep theirs

	Lead string // text, comments and white space between the previous tag and the start tag; empty for the root
	Tag  string // the start tag
	Tail string // text between its last child and its end tag
	End  string // the end tag, "" if the element closes itself

	Parent, First, Last, Prev, Next *Node

	Spans []xmltree.Attr // the attributes, with offsets into Tag
}

// All yields the node and everything in it, in document order.
func (n *Node) All() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for m := n; m != nil; m = m.following(n) {
			if !yield(m) {
				return
			}
		}
	}
}

// Count returns the number of nodes in n, with n.
func (n *Node) Count() (count int) {
	for range n.All() {
		count++
	}
	return count
}

// following returns the next node in document order within top.
func (n *Node) following(top *Node) *Node {
	if n.First != nil {
		return n.First
	}
	return n.Behind(top)
}

// Behind returns the next node in document order that is not in n, within top.
func (n *Node) Behind(top *Node) *Node {
	for ; n != top; n = n.Parent {
		if n.Next != nil {
			return n.Next
		}
	}
	return nil
}

// Kids yields the node's children.
func (n *Node) Kids() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for c := n.First; c != nil; c = c.Next {
			if !yield(c) {
				return
			}
		}
	}
}

// Within reports whether n is other or inside it.
func (n *Node) Within(other *Node) bool {
	for ; n != nil; n = n.Parent {
		if n == other {
			return true
		}
	}
	return false
}

// Depth returns the number of nodes around n.
func (n *Node) Depth() int {
	depth := 0
	for p := n.Parent; p != nil; p = p.Parent {
		depth++
	}
	return depth
}

// Attr returns the decoded value of an attribute and whether n has it.
func (n *Node) Attr(name string) (string, bool) {
	for i := range n.Spans {
		if a := &n.Spans[i]; a.Name == name {
			return xmltree.Unescape(n.Tag[a.Start:a.End]), true
		}
	}
	return "", false
}

// Get returns the decoded value of an attribute, "" if n does not have it.
func (n *Node) Get(name string) string {
	v, _ := n.Attr(name)
	return v
}

// Attrs yields the names and decoded values of the attributes, in order.
func (n *Node) Attrs() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := range n.Spans {
			a := &n.Spans[i]
			if !yield(a.Name, xmltree.Unescape(n.Tag[a.Start:a.End])) {
				return
			}
		}
	}
}

// ID returns the node's id, or "".
func (n *Node) ID() string { return n.Get("id") }

// Href returns the reference of the node, and the attribute's name: href takes
// precedence over xlink:href, as in SVG 2.
func (n *Node) Href() (value, attr string) {
	if v, ok := n.Attr("href"); ok {
		return v, "href"
	}
	for i := range n.Spans {
		if a := &n.Spans[i]; strings.HasSuffix(a.Name, ":href") {
			return xmltree.Unescape(n.Tag[a.Start:a.End]), a.Name
		}
	}
	return "", ""
}

// Target returns the id of the element in the same document that the node refers to by its href. ok is false if it refers
// to none.
func (n *Node) Target() (id string, ok bool) {
	href, _ := n.Href()
	return strings.CutPrefix(strings.TrimSpace(href), "#")
}

// MayRefer reports whether an attribute may refer to another node or to something
// outside.
func (n *Node) MayRefer() bool {
	if strings.Contains(n.Tag, "href") || strings.IndexByte(n.Tag, '#') >= 0 && strings.Contains(n.Tag, "url(") {
		return true
	}
	for i := range n.Spans {
		if name := n.Spans[i].Name; name == "begin" || name == "end" || strings.HasPrefix(name, "aria-") {
			return true
		}
	}
	return false
}

// Text returns the decoded text between the node's tags, without that of its children.
func (n *Node) Text() string {
	var b strings.Builder
	for c := range n.Kids() {
		b.WriteString(Plain(c.Lead))
	}
	b.WriteString(Plain(n.Tail))
	return b.String()
}

// FullText returns the decoded text in the node, at any depth.
func (n *Node) FullText() string {
	var b strings.Builder
	n.fullText(&b)
	return b.String()
}

func (n *Node) fullText(b *strings.Builder) {
	for c := range n.Kids() {
		b.WriteString(Plain(c.Lead))
		c.fullText(b)
	}
	b.WriteString(Plain(n.Tail))
}

// Plain returns the decoded text of a piece between tags, without comments and
// processing instructions, and with the content of CDATA sections.
func Plain(raw string) string {
	if strings.IndexByte(raw, '<') < 0 {
		return xmltree.UnescapeText(raw)
	}
	e, err := xmltree.Parse("<a>" + raw + "</a>")
	if err != nil {
		return ""
	}
	return e.Text()
}

// Raw returns the text of the node and its content, without its lead.
func (n *Node) Raw() string { return string(n.AppendTo(nil)) }

// AppendTo appends the text of the node and its content, without its lead.
func (n *Node) AppendTo(b []byte) []byte {
	b = append(b, n.Tag...)
	for c := range n.Kids() {
		b = append(b, c.Lead...)
		b = c.AppendTo(b)
	}
	b = append(b, n.Tail...)
	return append(b, n.End...)
}

// Link inserts n into parent after a sibling, or as the first child if after is nil.
func (n *Node) Link(parent, after *Node) {
	n.Parent, n.Prev = parent, after
	if after == nil {
		n.Next, parent.First = parent.First, n
	} else {
		n.Next, after.Next = after.Next, n
	}
	if n.Next == nil {
		parent.Last = n
	} else {
		n.Next.Prev = n
	}
}

// Unlink removes n from its parent.
func (n *Node) Unlink() {
	if n.Prev == nil {
		n.Parent.First = n.Next
	} else {
		n.Prev.Next = n.Next
	}
	if n.Next == nil {
		n.Parent.Last = n.Prev
	} else {
		n.Next.Prev = n.Prev
	}
	n.Parent, n.Prev, n.Next = nil, nil, nil
}

// SetTag makes tag the node's start tag and parses its attributes.
func (n *Node) SetTag(tag string) error {
	src := tag
	if !strings.HasSuffix(tag, "/>") {
		src += "</" + n.Name + ">"
	}
	e, err := xmltree.Parse(src)
	if err != nil {
		return err
	}
	n.Tag, n.Spans = tag, e.Attrs
	return nil
}
