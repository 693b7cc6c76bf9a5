// Package xmltree edits XML without rewriting it.
//
// An Element holds offsets into the text it was read from, never copies, and
// a change is a Splice of that text, which has an inverse. So whatever nobody
// asked to change (attribute order, quotes, prefixes, entities, white space,
// comments, CDATA, processing instructions, the document type, the self-closing
// style) is kept by construction, and there is no printer that could lose it:
//
//	root, err := xmltree.Parse(text)
//	...
//	edit := root.Child("title").SetAttr("lang", "en")
//	text, ok := edit.Apply(text)           // and read it again
//	text, ok = edit.Inverse().Apply(text)  // as it was, to the byte
//
// # Notes
//
// The tree is of one text: after a splice it is out of date. Parse the text
// again, or keep each part that is edited alone as a text of its own.
//
// Only the five predefined entities and character
// references: entities that a document type declares stay literal text, so no
// document can make its reader large. Nothing is loaded.
//
// Names are kept as they are written, prefix included; Local cuts it off. That
// prefixes are declared is not checked.
//
// The reader checks that elements nest and attributes are quoted and unique, as
// programs that show the file do, and gives the byte offset of each fault. It
// does not check names, text and comments to the letter of the standard. A
// document has to be UTF-8.
//
// It is our own, about 200 lines: encoding/xml gives no offset of an attribute
// and rewrites prefixes; beevik/etree does not keep quotes and white space; the
// lexer of tdewolff/parse checks neither nesting nor entities and gives no
// offset of an attribute's value.
package xmltree

import "strings"

// Element is one element. All offsets are bytes into the text given to Parse.
type Element struct {
	Name     string
	Attrs    []Attr
	Children []*Element // elements only; text and comments live in the gaps

	Start      int // of "<"
	OpenEnd    int // after the start tag's ">"
	CloseStart int // of "</"; OpenEnd when self-closing
	End        int // after the element

	src string
}

// Attr is one attribute of a start tag.
type Attr struct {
	Name       string
	NameStart  int // of its first byte
	Start, End int // the value between its quotes
	Quote      byte
}

// SelfClosing reports whether e was written <name/>.
func (e *Element) SelfClosing() bool { return e.End == e.OpenEnd }

// Raw is the element's text.
func (e *Element) Raw() string { return e.src[e.Start:e.End] }

// Inner is the text between the tags.
func (e *Element) Inner() string { return e.src[e.OpenEnd:e.CloseStart] }

// Source is the whole text e was read from.
func (e *Element) Source() string { return e.src }

// Attr is the decoded value of an attribute and whether e has it.
func (e *Element) Attr(name string) (string, bool) {
	for i := range e.Attrs {
		if e.Attrs[i].Name == name {
			return Unescape(e.src[e.Attrs[i].Start:e.Attrs[i].End]), true
		}
	}
	return "", false
}

// Child is the first child element with that name, or nil.
func (e *Element) Child(name string) *Element {
	for _, c := range e.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Local is a name without its prefix.
func Local(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }
