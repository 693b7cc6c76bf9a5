// Package xmltree reads XML and remembers where every byte of it came from.
//
// An Element holds offsets into the text it was read from, never copies, and
// a change is a Splice of that text. So whatever nobody asked to change
// (attribute order, quotes, entities, white space, comments, the self-closing
// style) is kept by construction, and there is no printer that could lose it.
//
// The reader is our own: about 200 lines that also check well-formedness and
// give the byte offset of each fault. The lexer of tdewolff/parse, which was
// the alternative, checks neither nesting nor entities and gives no offset of
// an attribute's value, so a reader of this size would have to sit on top of
// it anyway.
//
// Nothing is ever expanded but the five predefined entities and character
// references: entities that a document type declares stay literal text.
package xmltree

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
