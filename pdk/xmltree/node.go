package xmltree

import (
	"iter"
	"strings"
)

// Kind is the type of a Node.
type Kind byte

// The kinds.
const (
	Tag         Kind = iota // an element
	Text                    // text between markup, with its entities
	CDATA                   // <![CDATA[…]]>
	Comment                 // <!--…-->
	Instruction             // <?…?>
)

// Node is one part of the contents of an element.
type Node struct {
	Kind       Kind
	Start, End int      // bytes of the parsed text, including the markup
	Element    *Element // of a Tag
}

// Nodes iterates over everything between e's tags, in order. The texts of the nodes
// together equal e.Inner().
func (e *Element) Nodes() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		at := e.OpenEnd
		for _, c := range e.Children {
			if !e.gap(at, c.Start, yield) || !yield(Node{Tag, c.Start, c.End, c}) {
				return
			}
			at = c.End
		}
		e.gap(at, e.CloseStart, yield)
	}
}

// gap yields the nodes between two elements; it returns false if yield did.
func (e *Element) gap(at, end int, yield func(Node) bool) bool {
	for at < end {
		rest := e.src[at:end]
		n, kind := len(rest), Text
		switch {
		case strings.HasPrefix(rest, "<![CDATA["):
			n, kind = strings.Index(rest, "]]>")+3, CDATA
		case strings.HasPrefix(rest, "<!--"):
			n, kind = strings.Index(rest[4:], "-->")+7, Comment
		case strings.HasPrefix(rest, "<?"):
			n, kind = strings.Index(rest, "?>")+2, Instruction
		default:
			if i := strings.IndexByte(rest, '<'); i >= 0 {
				n = i
			}
		}
		if !yield(Node{kind, at, at + n, nil}) {
			return false
		}
		at += n
	}
	return true
}

// TextOf is the decoded text of a Text or a CDATA node of e, "" for other nodes.
func (e *Element) TextOf(n Node) string {
	switch n.Kind {
	case Text:
		return UnescapeText(e.src[n.Start:n.End])
	case CDATA:
		return e.src[n.Start+len("<![CDATA[") : n.End-len("]]>")]
	}
	return ""
}

// Text is the decoded text between e's tags, without that of its children.
func (e *Element) Text() string {
	var b strings.Builder
	for n := range e.Nodes() {
		b.WriteString(e.TextOf(n))
	}
	return b.String()
}
