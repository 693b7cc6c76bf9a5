package mxfile

import "github.com/fcp-host/fcp-host/pdk"

// Shape reports whether a user sees c as a shape, text or container: a vertex that is neither the label of an edge nor
// a badge. The page's title and legend are badges.
func (c *Cell) Shape() bool {
	if !c.Vertex || c.Badge {
		return false
	}
	parent := c.Page.byKey[c.Parent]
	return parent == nil || !parent.Edge
}

// Outer reports whether c is a shape outside any other vertex.
func (c *Cell) Outer() bool {
	if !c.Vertex || c.Badge {
		return false
	}
	parent := c.Page.byKey[c.Parent]
	return parent == nil || !parent.Edge && !parent.Vertex
}

// Owner returns the vertex that directly contains c, or nil.
func (c *Cell) Owner() *Cell {
	if parent := c.Page.byKey[c.Parent]; parent != nil && parent.Vertex {
		return parent
	}
	return nil
}

// NamedOwner returns the nearest vertex around c that has a name, such as the table around the cells of its rows, or nil.
func (c *Cell) NamedOwner() *Cell {
	o := c.Owner()
	for n := 0; o != nil && o.name == "" && n < maxNesting; n++ {
		o = o.Owner()
	}
	return o
}

// Names returns the index of the page's shapes by label. It is built on first use and then kept up to date.
func (p *Page) Names() *pdk.Index[*Cell] {
	if p.names == nil {
		p.names = &pdk.Index[*Cell]{}
		for c := p.first; c != nil; c = c.next {
			p.name(c)
		}
	}
	return p.names
}

func (p *Page) name(c *Cell) {
	if !c.Shape() {
		p.unname(c)
		return
	}
	group := ""
	if o := c.NamedOwner(); o != nil {
		group = o.name
	}
	p.names.Put(c, c.name, c.Kind(), group)
	c.named = true
}

// rename updates the index after c's view has changed; with deep also for the cells inside c.
func (p *Page) rename(c *Cell, deep bool) {
	if p.names == nil {
		return
	}
	p.name(c)
	if deep {
		p.renameIn(c, 0)
	}
}

// renameIn updates the cells that c gives their group: those in it, and those in what is in it without a name.
func (p *Page) renameIn(c *Cell, depth int) {
	if kids := p.kids[c.ID]; kids != nil && c.ID != "" && depth < maxNesting {
		for _, k := range kids.list {
			p.name(k)
			if k.name == "" {
				p.renameIn(k, depth+1)
			}
		}
	}
}

func (p *Page) unname(c *Cell) {
	if c.named {
		p.names.Delete(c)
		c.named = false
	}
}
