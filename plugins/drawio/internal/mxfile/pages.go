package mxfile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Switch makes the page with that key the current one.
func (d *Draft) Switch(key string) {
	d.steps = append(d.steps, Step{Action: SwitchPage, Old: d.f.Current.Key, New: key})
}

// AddPage adds a page after another one: an empty one, or a copy of like with new cell ids. It returns the key of the
// new page.
func (d *Draft) AddPage(name string, behind, like *Page) (string, error) {
	f := d.f
	if f.Bare() {
		d.Wrap("Page-1")
	}
	id := freshPageID(f)
	tag := `<diagram id="` + id + `" name="` + xmltree.Escape(name, '"') + `">`
	before := f.Pages[len(f.Pages)-1].text[BeforeText]
	var open, body, end string
	if like == nil {
		open, body, end = tag, modelText, "</diagram>"
		if strings.Contains(before, "\n") {
			open, end = tag+"\n    ", "\n  </diagram>"
		}
	} else {
		open, end = tag, "</diagram>"
		body = like.text[HeadText]
		var b strings.Builder
		b.WriteString(body)
		ids := map[string]string{}
		for c := like.first; c != nil; c = c.next {
			if c.ID != "" && (c.Vertex || c.Edge || idNumber(c.ID) > 0) {
				ids[c.ID] = d.NewID()
			}
		}
		for c := like.first; c != nil; c = c.next {
			b.WriteString(c.lead)
			b.WriteString(string(Text(c.raw).withIDs(c, ids)))
		}
		b.WriteString(like.text[TailText])
		body = b.String()
	}
	blob, err := NewPageBlob(before, open, body, end)
	if err != nil {
		return "", err
	}
	key := f.NewPageKey()
	d.steps = append(d.steps, Step{Action: InsertPage, Page: key, Place: behind.Key, Blob: blob})
	d.countPages(len(f.Pages) + 1)
	return key, nil
}

// withIDs sets the new ids in the text of a copied cell.
func (t Text) withIDs(c *Cell, ids map[string]string) Text {
	if id, ok := ids[c.ID]; ok {
		t = t.WithID(id)
	}
	for _, a := range [][2]string{{"parent", c.Parent}, {"source", c.Source}, {"target", c.Target}} {
		if id, ok := ids[a[1]]; ok && a[1] != "" {
			t = t.WithAttr(a[0], id)
		}
	}
	return t
}

// modelTag is the start of a new model: draw.io's own defaults.
const modelTag = `<mxGraphModel dx="1200" dy="800" grid="1" gridSize="10" guides="1" tooltips="1" connect="1" arrows="1" fold="1" page="1" pageScale="1" pageWidth="850" pageHeight="1100" math="0" shadow="0">`

// modelText is a page's model without shapes.
const modelText = modelTag + `
      <root>
        <mxCell id="0"/>
        <mxCell id="1" parent="0"/>
      </root>
    </mxGraphModel>`

func freshPageID(f *File) string {
	for n := len(f.Pages) + 1; ; n++ {
		id := fmt.Sprintf("page-%d", n)
		taken := false
		for _, p := range f.Pages {
			taken = taken || p.ID == id
		}
		if !taken {
			return id
		}
	}
}

// RemovePage removes a page. Another page must be made current before that.
func (d *Draft) RemovePage(p *Page) error {
	blob, err := p.Blob()
	if err != nil {
		return err
	}
	d.steps = append(d.steps, Step{Action: RemovePage, Page: p.Key, Place: d.f.behindKey(p), Blob: blob})
	d.countPages(len(d.f.Pages) - 1)
	return nil
}

// MovePage moves a page to position n, counted from 1.
func (d *Draft) MovePage(p *Page, n int) {
	rest := pdk.Filter(d.f.Pages, func(q *Page) bool { return q != p })
	to := ""
	if n > 1 {
		to = rest[n-2].Key
	}
	d.steps = append(d.steps, Step{Action: MovePage, Page: p.Key, Old: d.f.behindKey(p), New: to})
}

// behindKey returns the key of the page before p, "" for the first page.
func (f *File) behindKey(p *Page) string {
	if n := f.Number(p); n > 1 {
		return f.Pages[n-2].Key
	}
	return ""
}

// RenamePage changes the name in the diagram's tag.
func (d *Draft) RenamePage(p *Page, name string) {
	open := p.text[OpenText]
	tag := strings.TrimRight(open, blanks)
	e := startTag(tag)
	if e == nil {
		return // cannot happen: the tag was read before
	}
	// startTag may have closed the tag itself, so apply only the splice.
	out, _ := e.SetAttr("name", name).Apply(open)
	d.PatchPage(p, OpenText, out)
}

// Wrap puts a bare model into an mxfile with one diagram.
func (d *Draft) Wrap(name string) {
	f := d.f
	p := f.Pages[0]
	d.patchFile("head", f.head, f.head+`<mxfile host="fcp-host">`)
	d.PatchPage(p, OpenText, `<diagram id="page-1" name="`+xmltree.Escape(name, '"')+`">`)
	d.PatchPage(p, CloseText, `</diagram>`)
	d.patchFile("tail", f.tail, "</mxfile>"+f.tail)
}

// countPages updates the page count in the mxfile element, if it has one.
func (d *Draft) countPages(n int) {
	i := strings.LastIndex(d.f.head, "<mxfile")
	if i < 0 {
		return
	}
	e := startTag(d.f.head[i:])
	if e == nil {
		return
	}
	if _, ok := e.Attr("pages"); !ok {
		return
	}
	out, _ := e.SetAttr("pages", strconv.Itoa(n)).Apply(d.f.head[i:])
	d.patchFile("head", d.f.head, d.f.head[:i]+out)
}

func (d *Draft) patchFile(part, from, to string) {
	s := xmltree.Diff(from, to)
	d.steps = append(d.steps, Step{Action: PatchFile, Place: part, At: s.At, Old: s.Old, New: s.New})
}
