// Package xmltree edits XML without rewriting it.
//
// An Element holds offsets into the text from which it was parsed, never copies,
// and a change is a Splice of that text, which has an inverse. So everything that
// an edit does not name (attribute order, quotes, prefixes, entities, white space,
// comments, CDATA, processing instructions, the document type, the self-closing
// style) is kept by construction, and there is no printer that could lose it:
//
//	root, err := xmltree.Parse(text)
//	...
//	edit := root.Child("title").SetAttr("lang", "en")
//	text, ok := edit.Apply(text)           // then parse it again
//	text, ok = edit.Inverse().Apply(text)  // the original bytes
//
// # Notes
//
// A tree belongs to one text: after a splice it is out of date. Parse the text
// again, or keep each part that is edited separately as a text of its own.
//
// Only the five predefined entities and character references are decoded.
// Entities that a document type declares stay literal text, so no document can
// exhaust memory with them. Nothing is loaded.
//
// Names are kept as they are written, including the prefix, which Local removes.
// The parser does not check that prefixes are declared.
//
// The parser checks that elements nest and that attributes are quoted and unique,
// as programs that show the file do, and reports the byte offset of an error. It
// does not check every rule of the standard for names, text and comments. A
// document has to be UTF-8.
//
// We wrote our own parser, about 200 lines, because encoding/xml does not report
// the offset of an attribute and rewrites prefixes, beevik/etree does not keep
// quotes and white space, and the lexer of tdewolff/parse checks neither nesting
// nor entities and does not report the offset of an attribute's value.
package xmltree

import "strings"

// Element is one element. All offsets are bytes into the text given to Parse.
type Element struct {
	Name     string
	Attrs    []Attr
	Children []*Element // elements only; text and comments are in the gaps between them

	Start      int // of "<"
	OpenEnd    int // after the start tag's ">"
	CloseStart int // of "</"; OpenEnd when self-closing
	End        int // after the element

	src string
}

// Attr is one attribute of a start tag.
type Attr struct {
	Name       string
	NameStart  int // of the first byte of its name
	Start, End int // of the value between its quotes
	Quote      byte
}

// SelfClosing reports whether e is written as <name/>.
func (e *Element) SelfClosing() bool { return e.End == e.OpenEnd }

// Raw is the element's text.
func (e *Element) Raw() string { return e.src[e.Start:e.End] }

// Inner is the text between the tags.
func (e *Element) Inner() string { return e.src[e.OpenEnd:e.CloseStart] }

// Source is the whole text from which e was parsed.
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
