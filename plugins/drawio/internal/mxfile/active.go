package mxfile

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// ActiveLayer returns the layer that the user switched to on this page, or nil. Like draw.io, the domain does not store
// it in the file.
func (p *Page) ActiveLayer() *Cell {
	if p.active == "" {
		return nil
	}
	c := p.byKey[p.active]
	if root := p.Root(); c == nil || root == nil || c.Parent != root.ID {
		return nil
	}
	return c
}

// SwitchLayer selects the layer that new cells are added to; nil selects the page's default layer.
func (d *Draft) SwitchLayer(p *Page, layer *Cell) {
	key := ""
	if layer != nil {
		key = layer.Key
	}
	d.SwitchLayerKey(p, key)
}

// SwitchLayerKey is SwitchLayer for a layer that this draft creates.
func (d *Draft) SwitchLayerKey(p *Page, key string) {
	d.steps = append(d.steps, Step{Action: SwitchLayer, Page: p.Key, Old: p.active, New: key})
}

func (p *Page) switchLayer(s *Step) error {
	if s.New != "" && p.byKey[s.New] == nil {
		return fmt.Errorf("no layer %q", s.New)
	}
	p.active = s.New
	return nil
}

// Reorder moves cells of one page, in the order of the file, to the end (before is nil) or in front of another cell that
// is not among them.
func (d *Draft) Reorder(cells []*Cell, before *Cell) {
	moving := pdk.Set(cells)
	after := cells[0].Page.last
	if before != nil {
		after = before.prev
	}
	for after != nil && moving[after] {
		after = after.prev
	}
	texts := make(map[*Cell]Text, len(cells))
	for _, c := range cells {
		if t, ok := d.texts[c]; ok {
			texts[c] = t
		}
	}
	d.Remove(cells...)
	place := ""
	if after != nil {
		place = after.Key
	}
	for _, c := range cells {
		text := c.raw
		if t, ok := texts[c]; ok {
			text = string(t)
		}
		d.steps = append(d.steps, Step{Action: InsertCell, Page: c.Page.Key, Cell: c.Key, Place: place, Old: c.lead, New: text})
		place = c.Key
	}
}

// NewLayer appends a layer.
func (d *Draft) NewLayer(p *Page, id, name string) {
	root := "0"
	if r := p.Root(); r != nil {
		root = r.ID
	}
	d.Append(p, id, Text(`<mxCell id="`+xmltree.Escape(id, '"')+`" value="`+xmltree.Escape(name, '"')+`" parent="`+xmltree.Escape(root, '"')+`"/>`))
}

// Paper sets the size of the page's paper, in units.
func (d *Draft) Paper(p *Page, w, h float64) {
	head := p.text[HeadText]
	for _, v := range []struct {
		name  string
		value float64
	}{{"pageWidth", w}, {"pageHeight", h}} {
		head = withModel(head, func(e *xmltree.Element) xmltree.Splice { return e.SetAttr(v.name, Num(v.value)) })
	}
	d.PatchPage(p, HeadText, head)
}

// Backdrop sets the background colour of the page, "" for draw.io's default.
func (d *Draft) Backdrop(p *Page, colour string) {
	if colour == p.Background() {
		return
	}
	d.PatchPage(p, HeadText, withModel(p.text[HeadText], func(e *xmltree.Element) xmltree.Splice {
		if colour == "" {
			return e.DropAttr("background")
		}
		return e.SetAttr("background", colour)
	}))
}

// Background returns the background of the page as stored in the file, "" for none.
func (p *Page) Background() string {
	return p.background.of(p.text[HeadText], "background", func() (v string) {
		if e := model(p.text[HeadText]); e != nil {
			v, _ = e.Attr("background")
		}
		return v
	})
}

// Property returns a custom property of the page's root cell, "" for none.
func (p *Page) Property(name string) string {
	r := p.Root()
	if r == nil || r.Wrapper == "" {
		return ""
	}
	return p.property.of(r.raw, name, func() string {
		v, _ := r.DataValue(name)
		return v
	})
}

// memo holds what was last read from a text. What is asked for with each op is read once a change.
type memo struct{ text, name, value string }

// of returns the value that a text has under a name, which read finds.
func (m *memo) of(text, name string, read func() string) string {
	if m.text != text || m.name != name {
		*m = memo{text, name, read()}
	}
	return m.value
}

// model returns the model's start tag in a page's head as an element, nil if there is none.
func model(head string) *xmltree.Element {
	if i := strings.Index(head, "<mxGraphModel"); i >= 0 {
		return startTag(head[i:])
	}
	return nil
}

// withModel returns a page's head with a changed start tag of the model.
func withModel(head string, change func(*xmltree.Element) xmltree.Splice) string {
	e := model(head)
	if e == nil {
		return head
	}
	i := strings.Index(head, "<mxGraphModel")
	out, _ := change(e).Apply(head[i:])
	return head[:i] + out
}
