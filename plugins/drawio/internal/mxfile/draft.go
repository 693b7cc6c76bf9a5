package mxfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Draft collects the steps of an edit without changing the file. Several changes of one cell become one splice.
type Draft struct {
	f     *File
	texts map[*Cell]Text
	order []*Cell
	steps []Step // inserts and removals, after the changes
	ends  []end  // by place: the last cell inserted there
	gone  map[*Cell]bool
	made  int
}

type end struct {
	page   *Page
	before *Cell // nil for the end of the page
	cell   string
}

// Draft starts an edit of f.
func (f *File) Draft() *Draft { return &Draft{f: f} }

// Change applies a function to the text of a cell, after the changes drafted before.
func (d *Draft) Change(c *Cell, change func(Text) Text) {
	t, ok := d.texts[c]
	if !ok {
		if d.texts == nil {
			d.texts = map[*Cell]Text{}
		}
		t = Text(c.raw)
		d.order = append(d.order, c)
	}
	d.texts[c] = change(t)
}

// Restyle gives a cell another style.
func (d *Draft) Restyle(c *Cell, s style.Style) {
	if s != c.Style {
		d.Change(c, func(t Text) Text { return t.WithStyle(s) })
	}
}

// Changed lists the cells with drafted changes, in the order of the first change.
func (d *Draft) Changed() []*Cell { return d.order }

// NewID returns an unused id for the next cell of this edit.
func (d *Draft) NewID() string {
	for {
		id := d.f.NewID(d.made)
		d.made++
		if !d.f.HasID(id) {
			return id
		}
	}
}

// Append adds a new cell to the end of a page, after those that this draft appended. id must be unused.
func (d *Draft) Append(p *Page, id string, text Text) {
	lead := ""
	if p.last != nil {
		lead = p.indent()
	}
	d.insert(end{page: p, cell: id}, d.key(p.last), lead, text)
}

// InsertBefore adds a new cell in front of an existing one in the file, and so beneath it, after those that this draft
// inserted there.
func (d *Draft) InsertBefore(c *Cell, id string, text Text) {
	d.insert(end{page: c.Page, before: c, cell: id}, d.key(c.prev), c.Page.indent(), text)
}

// insert adds a new cell at a place: after the cell with the key first, or after the last cell that this draft inserted
// at the place.
func (d *Draft) insert(at end, first, lead string, text Text) {
	i := slices.IndexFunc(d.ends, func(e end) bool { return e.page == at.page && e.before == at.before })
	if i < 0 {
		d.ends = append(d.ends, at)
	} else {
		first, d.ends[i] = d.ends[i].cell, at
	}
	d.steps = append(d.steps, Step{Action: InsertCell, Page: at.page.Key, Cell: at.cell, Place: first, Old: lead, New: string(text.indented(lead))})
}

// Remove removes cells.
func (d *Draft) Remove(cells ...*Cell) {
	for _, c := range cells {
		delete(d.texts, c)
	}
	// Start at the end, so that undo finds the neighbour of each cell.
	for i := len(cells) - 1; i >= 0; i-- {
		c := cells[i]
		d.steps = append(d.steps, Step{Action: RemoveCell, Page: c.Page.Key, Cell: c.Key, Place: d.key(c.prev), Old: c.lead, New: c.raw})
		if d.gone == nil {
			d.gone = map[*Cell]bool{}
		}
		d.gone[c] = true
	}
}

// key returns the key of a cell, or of the nearest one before it that this draft has not removed; "" if there is
// none.
func (d *Draft) key(c *Cell) string {
	for c != nil && d.gone[c] {
		c = c.prev
	}
	if c == nil {
		return ""
	}
	return c.Key
}

// Step adds a step unchanged.
func (d *Draft) Step(s Step) { d.steps = append(d.steps, s) }

// PatchPage replaces one of a page's texts.
func (d *Draft) PatchPage(p *Page, part Part, text string) {
	s := xmltree.Diff(p.text[part], text)
	d.steps = append(d.steps, Step{Action: PatchPage, Page: p.Key, Place: strconv.Itoa(int(part)), At: s.At, Old: s.Old, New: s.New})
}

// Edit returns the drafted edit, nil if it would change nothing.
func (d *Draft) Edit() *Edit {
	var steps []Step
	for _, c := range d.order {
		t, ok := d.texts[c]
		if !ok {
			continue
		}
		if s := xmltree.Diff(c.raw, string(t)); s.Old != "" || s.New != "" {
			steps = append(steps, Step{Action: PatchCell, Page: c.Page.Key, Cell: c.Key, At: s.At, Old: s.Old, New: s.New})
		}
	}
	if steps == nil {
		steps = d.steps
	} else {
		steps = append(steps, d.steps...)
	}
	if len(steps) == 0 {
		return nil
	}
	return &Edit{Steps: steps}
}

// Do applies the drafted edit, if there is any.
func (d *Draft) Do(c *pdk.Ctx[*File], summary string, ids ...string) error {
	if e := d.Edit(); e != nil {
		return c.Do(e, summary, ids...)
	}
	return nil
}

// indent returns the white space before the cells of the page.
func (p *Page) indent() string {
	if p.last == nil {
		return ""
	}
	lead := p.last.lead
	return lead[len(strings.TrimRight(lead, blanks)):]
}

// indented splits the text of a new cell into lines if the text of the page's cells is split into lines.
func (t Text) indented(lead string) Text {
	if !strings.Contains(lead, "\n") {
		return t
	}
	geo, end := strings.Index(string(t), "><mxGeometry"), strings.Index(string(t), "</mxCell>")
	var b strings.Builder
	b.Grow(len(t) + 2*len(lead) + 2)
	rest := string(t)
	if geo >= 0 && geo < end {
		b.WriteString(rest[:geo+1])
		b.WriteString(lead)
		b.WriteString("  ")
		rest, end = rest[geo+1:], end-geo-1
	}
	if end >= 0 {
		b.WriteString(rest[:end])
		b.WriteString(lead)
		rest = rest[end:]
	}
	b.WriteString(rest)
	return Text(b.String())
}

// NewVertex returns the text of a new vertex.
func NewVertex(id, value string, s style.Style, parent string, geo geom.Rect) Text {
	var b strings.Builder
	b.Grow(160 + len(id) + len(value) + len(s) + len(parent))
	attr(&b, `<mxCell id="`, id)
	attr(&b, `" value="`, value)
	attr(&b, `" style="`, string(s))
	attr(&b, `" parent="`, parent)
	num(&b, `" vertex="1"><mxGeometry x="`, geo.X)
	num(&b, `" y="`, geo.Y)
	num(&b, `" width="`, geo.W)
	num(&b, `" height="`, geo.H)
	b.WriteString(`" as="geometry"/></mxCell>`)
	return Text(b.String())
}

// NewEdge returns the text of a new edge between the cells with the given ids.
func NewEdge(id, value string, s style.Style, parent, source, target string) Text {
	var b strings.Builder
	b.Grow(160 + len(id) + len(value) + len(s) + len(parent) + len(source) + len(target))
	attr(&b, `<mxCell id="`, id)
	if value != "" {
		attr(&b, `" value="`, value)
	}
	attr(&b, `" style="`, string(s))
	attr(&b, `" parent="`, parent)
	attr(&b, `" source="`, source)
	attr(&b, `" target="`, target)
	b.WriteString(`" edge="1"><mxGeometry relative="1" as="geometry"/></mxCell>`)
	return Text(b.String())
}

func attr(b *strings.Builder, before, value string) {
	b.WriteString(before)
	b.WriteString(xmltree.Escape(value, '"'))
}

func num(b *strings.Builder, before string, value float64) {
	b.WriteString(before)
	b.WriteString(exact(value))
}

// EnsureRoot adds what a page needs to hold cells and does not have yet: a model, a root and a layer.
func (d *Draft) EnsureRoot(p *Page) {
	if p.Blank() {
		open, head, tail := p.text[OpenText], p.text[HeadText], p.text[TailText]
		if tag := strings.TrimRight(open, blanks); strings.HasSuffix(tag, "/>") {
			d.PatchPage(p, OpenText, strings.TrimRight(tag[:len(tag)-2], blanks)+">")
			d.PatchPage(p, CloseText, "</diagram>"+p.text[CloseText])
		}
		switch i := strings.Index(head, "<root"); {
		case i >= 0: // <root/> inside a model
			end := i + strings.IndexByte(head[i:], '>') + 1
			tag := strings.TrimRight(strings.TrimSuffix(head[i:end], "/>"), blanks)
			rest := head[end:]
			if j := strings.Index(rest, "</root>"); j >= 0 {
				rest = rest[j+len("</root>"):]
			}
			d.PatchPage(p, HeadText, head[:i]+strings.TrimSuffix(tag, ">")+">")
			d.PatchPage(p, TailText, "</root>"+rest+tail)
		case strings.Contains(head, "<mxGraphModel"):
			e, err := xmltree.Parse(head)
			if err != nil {
				return // cannot happen: the head was read before
			}
			s := e.Append("<root></root>")
			whole, _ := s.Apply(head)
			cut := strings.Index(whole, "</root>")
			d.PatchPage(p, HeadText, whole[:cut])
			d.PatchPage(p, TailText, whole[cut:]+tail)
		default:
			d.PatchPage(p, HeadText, head+modelTag+"<root>")
			d.PatchPage(p, TailText, "</root></mxGraphModel>"+tail)
		}
	}
	root := "0"
	if r := p.Root(); r != nil {
		root = r.ID
	} else {
		d.Append(p, root, Text(`<mxCell id="0"/>`))
	}
	layer := "1"
	if p.byKey[layer] != nil {
		layer = d.NewID()
	}
	d.Append(p, layer, Text(`<mxCell id="`+layer+`" parent="`+xmltree.Escape(root, '"')+`"/>`))
}
