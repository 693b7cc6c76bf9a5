package mxfile

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/place"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Page is one diagram of a file: the text around its cells, and the cells.
type Page struct {
	Key string // permanent name of the page in its file

	ID, Name string // decoded attributes of the diagram element
	Width    float64
	Height   float64

	text  [parts]string
	first *Cell
	last  *Cell
	count int
	runs  []*run

	// The original text of a compressed page, and a hash of its inflated text. While the cells are equivalent, saving
	// writes the original text.
	packed string
	sum    uint64
	intact bool // nothing changed since packed was read, so no comparison is needed

	byKey    map[string]*Cell
	odd      int                            // number of cells whose key is not their id
	doubles  int                            // number of those that share their id with another cell
	kids     map[string]*set                // by parent id
	outs     map[string]*set                // edges by source id
	badges   map[*Cell]bool                 // cells that are Badge
	ins      map[string]*set                // edges by target id
	stylings map[style.Style]*styling       // by style
	names    *pdk.Index[*Cell]              // shapes by label; nil before the first use
	spaces   map[string]*place.Space[*Cell] // by container id; nil before the first use
	overlaps int                            // number of pairs of solid cells that overlap
	tally    *tallies                       // nil before the first use
	version  int                            // counts changes
	restyled int                            // counts changes of the set of styles that shapes have

	background, property memo

	active string // key of the active layer, "" for the default one
}

// Part is a text of a page that is not a cell.
type Part int

// The parts in the order of the file. OpenText and CloseText are empty in a file without diagram elements.
const (
	BeforeText Part = iota // between the previous page and this one
	OpenText               // <diagram …> and the white space after it
	HeadText               // <mxGraphModel …><root>
	TailText               // after the last cell: </root></mxGraphModel>
	CloseText              // white space and </diagram>
	parts
)

// Text returns one of the page's texts.
func (p *Page) Text(part Part) string { return p.text[part] }

// First returns the first cell of the page, or nil. Cell.Next returns the following ones.
func (p *Page) First() *Cell { return p.first }

// Where lists the cells of the page that pass a test, in the order of the file.
func (p *Page) Where(is func(*Cell) bool) (list []*Cell) {
	for c := p.first; c != nil; c = c.next {
		if is(c) {
			list = append(list, c)
		}
	}
	return list
}

// Last returns the page's last cell, or nil.
func (p *Page) Last() *Cell { return p.last }

// Len returns the number of cells, including the root and layers.
func (p *Page) Len() int { return p.count }

// Version returns a number that changes with every change of the page's cells.
func (p *Page) Version() int { return p.version }

// Doubled reports whether several cells share an id, as in broken files.
func (p *Page) Doubled() bool { return p.doubles > 0 }

// Cell returns the cell with a key, which is its id in all but broken files, or nil.
func (p *Page) Cell(key string) *Cell { return p.byKey[key] }

// Compressed reports whether the page is stored compressed.
func (p *Page) Compressed() bool { return p.packed != "" }

// Blank reports whether the page has no root for cells yet.
func (p *Page) Blank() bool { return !strings.Contains(p.text[TailText], "</root") }

// newPage reads a diagram element or, if diagram is nil, a page that consists of a model only.
func newPage(key string, diagram, model *xmltree.Element) (*Page, error) {
	p := &Page{Key: key}
	if diagram == nil {
		return p, p.read(model)
	}
	src := diagram.Source()
	if diagram.SelfClosing() {
		p.text[OpenText] = diagram.Raw()
		return p, p.read(nil)
	}
	inner := diagram.Inner()
	start := diagram.OpenEnd + len(inner) - len(strings.TrimLeft(inner, blanks))
	end := diagram.CloseStart - (len(inner) - len(strings.TrimRight(inner, blanks)))
	if start >= end {
		p.text[OpenText] = src[diagram.Start:diagram.CloseStart]
		p.text[CloseText] = src[diagram.CloseStart:diagram.End]
		return p, p.read(nil)
	}
	if len(diagram.Children) > 0 {
		model := diagram.Child("mxGraphModel")
		if model == nil {
			return nil, &xmltree.Error{Offset: diagram.Start, Reason: "the diagram holds no mxGraphModel but <" + diagram.Children[0].Name + ">"}
		}
		p.text[OpenText] = src[diagram.Start:model.Start]
		p.text[CloseText] = src[model.End:diagram.End]
		return p, p.read(model)
	}
	p.text[OpenText] = src[diagram.Start:start]
	p.text[CloseText] = src[end:diagram.End]
	body, err := unpack(src[start:end])
	if err != nil {
		return nil, &xmltree.Error{Offset: start, Reason: err.Error()}
	}
	p.packed, p.sum, p.intact = src[start:end], sum(body), true
	if err := p.readText(body); err != nil {
		return nil, &xmltree.Error{Offset: start, Reason: "inside the compressed page: " + err.Error()}
	}
	return p, nil
}

const blanks = " \t\r\n"

// readText reads the inflated text of a page.
func (p *Page) readText(body string) error {
	if strings.Trim(body, blanks) == "" {
		p.text[HeadText] = body
		return p.read(nil)
	}
	root, err := xmltree.Parse(body)
	if err != nil {
		return err
	}
	if err := p.read(root); err != nil {
		return err
	}
	p.text[HeadText] = body[:root.Start] + p.text[HeadText]
	p.text[TailText] += body[root.End:]
	return nil
}

// read adds the cells of a model; nil stands for a page without cells.
func (p *Page) read(model *xmltree.Element) error {
	p.byKey = map[string]*Cell{}
	p.kids, p.outs, p.ins, p.badges = map[string]*set{}, map[string]*set{}, map[string]*set{}, map[*Cell]bool{}
	p.readOpen()
	if model == nil {
		p.readHead()
		return nil
	}
	if model.Name != "mxGraphModel" {
		return &xmltree.Error{Offset: model.Start, Reason: "a page is an mxGraphModel, not <" + model.Name + ">"}
	}
	src := model.Source()
	root := model.Child("root")
	if root == nil || root.SelfClosing() {
		p.text[HeadText] = model.Raw()
		p.readHead()
		return nil
	}
	p.text[HeadText] = src[model.Start:root.OpenEnd]
	at := root.OpenEnd
	room := make([]Cell, len(root.Children))
	for i, e := range root.Children {
		if mxCell(e) == nil {
			continue // opaque: part of the gap before the next cell
		}
		p.keepGap(src[at:e.Start])
		c := &room[i]
		c.lead, c.raw = src[at:e.Start], e.Raw()
		c.lead = c.lead[len(strings.TrimRight(c.lead, blanks)):]
		at = e.End
		c.Page = p
		c.view(e)
		c.Key = p.freshKey(c.ID)
		p.link(c, p.last)
	}
	p.text[TailText] = src[at:model.End]
	p.readHead()
	return nil
}

// keepGap makes the text between two cells an opaque cell of its own if it is more than white space, so that it
// stays when a neighbour is removed.
func (p *Page) keepGap(gap string) {
	text := strings.TrimLeft(gap, blanks)
	if text == "" {
		return
	}
	p.link(&Cell{Key: p.freshKey(""), Opaque: true, lead: gap[:len(gap)-len(text)], raw: strings.TrimRight(text, blanks)}, p.last)
}

// freshKey makes a cell's key from its id.
func (p *Page) freshKey(id string) string {
	if id != "" && p.byKey[id] == nil {
		return id
	}
	for n := 2; ; n++ {
		if key := fmt.Sprintf("%s#%d", id, n); p.byKey[key] == nil {
			return key
		}
	}
}

// readOpen sets the fields given by the diagram's start tag.
func (p *Page) readOpen() {
	p.ID, p.Name = "", ""
	tag := strings.TrimRight(p.text[OpenText], blanks)
	if tag == "" {
		return
	}
	if e := startTag(tag); e != nil {
		p.ID, _ = e.Attr("id")
		p.Name, _ = e.Attr("name")
	}
}

// startTag parses the start tag at the beginning of a text as an element without content, nil if there is none.
func startTag(text string) *xmltree.Element {
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			tag := text[:i+1]
			if text[i-1] != '/' {
				tag = text[:i] + "/>"
			}
			e, err := xmltree.Parse(tag)
			if err != nil {
				return nil
			}
			return e
		}
	}
	return nil
}

// readHead sets the fields given by the model's start tag.
func (p *Page) readHead() {
	p.Width, p.Height = 850, 1100
	if e := model(p.text[HeadText]); e != nil {
		if w := attrNumber(e, "pageWidth"); w > 0 {
			p.Width = w
		}
		if h := attrNumber(e, "pageHeight"); h > 0 {
			p.Height = h
		}
	}
}

// body returns the text of the page's model, from its start to its end.
func (p *Page) body() string {
	n := len(p.text[HeadText]) + len(p.text[TailText])
	for c := p.first; c != nil; c = c.next {
		n += len(c.lead) + len(c.raw)
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteString(p.text[HeadText])
	for c := p.first; c != nil; c = c.next {
		b.WriteString(c.lead)
		b.WriteString(c.raw)
	}
	b.WriteString(p.text[TailText])
	return b.String()
}

// write appends the page's text.
func (p *Page) write(b *strings.Builder) error {
	b.WriteString(p.text[BeforeText])
	b.WriteString(p.text[OpenText])
	if p.packed == "" {
		b.WriteString(p.text[HeadText])
		for c := p.first; c != nil; c = c.next {
			b.WriteString(c.lead)
			b.WriteString(c.raw)
		}
		b.WriteString(p.text[TailText])
	} else {
		text, err := p.packedText()
		if err != nil {
			return err
		}
		b.WriteString(text)
	}
	b.WriteString(p.text[CloseText])
	return nil
}

// packedText returns the compressed page: the original text if the page is equivalent to it.
func (p *Page) packedText() (string, error) {
	if p.intact {
		return p.packed, nil
	}
	body := p.body()
	if sum(body) == p.sum {
		if was, err := unpack(p.packed); err == nil && was == body {
			return p.packed, nil
		}
	}
	return pack(body)
}
