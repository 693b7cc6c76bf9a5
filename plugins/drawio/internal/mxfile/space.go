package mxfile

import (
	"iter"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/place"
)

// Space returns the area that the shapes inside the vertex with an id occupy, in its coordinates. For an empty id these
// are the shapes directly on the page, on any layer, with the page's title and legend. The space is kept up to date.
func (p *Page) Space(id string) *place.Space[*Cell] {
	if p.spaces == nil {
		p.spaces = map[string]*place.Space[*Cell]{}
		for c := p.first; c != nil; c = c.next {
			p.addToSpace(c)
		}
	}
	s := p.spaces[id]
	if s == nil {
		s = &place.Space[*Cell]{}
		p.spaces[id] = s
	}
	return s
}

// Upper iterates over the cells of ClassSolid that overlap earlier ones according to the last Tally, from the last one of the page on.
func (p *Page) Upper() iter.Seq[*Cell] {
	return func(yield func(*Cell) bool) {
		for c := range p.backwards(func(r *run) bool { return r.upper > 0 }) {
			if c.beneath > 0 && !yield(c) {
				return
			}
		}
	}
}

// addToSpace adds c to the space that it lies in.
func (p *Page) addToSpace(c *Cell) {
	if p.spaces == nil {
		return
	}
	var in *place.Space[*Cell]
	if (c.Shape() || c.Badge && c.Owner() == nil) && !c.Relative { // titles and legends occupy space, too
		id := ""
		if o := c.Owner(); o != nil {
			id = o.ID
		}
		in = p.Space(id)
	}
	if c.space != nil {
		if at, _ := c.space.Rect(c); c.space == in && at == c.Geo {
			return
		}
		p.removeFromSpace(c)
	}
	if c.space = in; in == nil {
		return
	}
	pairs := in.Pairs()
	in.Put(c, c.Geo)
	if in.Pairs() > pairs {
		p.countOverlaps(c, c.Geo, 1)
	}
}

// removeFromSpace removes c from its space.
func (p *Page) removeFromSpace(c *Cell) {
	s := c.space
	if s == nil {
		return
	}
	at, _ := s.Rect(c)
	pairs := s.Pairs()
	s.Delete(c)
	if s.Pairs() < pairs {
		p.countOverlaps(c, at, -1)
	}
	c.space = nil
}

// countOverlaps adds by for each overlap of c, which is or was at r, with another solid cell. It does nothing if c is
// not solid. Each overlap counts for the cell that is drawn later.
func (p *Page) countOverlaps(c *Cell, r geom.Rect, by int) {
	if !c.solid {
		return
	}
	c.space.Each(r, func(o *Cell, _ geom.Rect) bool {
		if o == c || !o.solid {
			return true
		}
		upper := pdk.If(p.Before(c, o), o, c)
		if upper.beneath > 0 {
			upper.run.upper--
		}
		if upper.beneath += by; upper.beneath > 0 {
			upper.run.upper++
		}
		p.overlaps += by
		return true
	})
}

// setSolid sets whether overlaps of c count.
func (p *Page) setSolid(c *Cell, solid bool) {
	if c.solid == solid {
		return
	}
	if c.space == nil || c.space.Pairs() == 0 {
		c.solid = solid
		return
	}
	at, _ := c.space.Rect(c)
	if c.solid {
		p.countOverlaps(c, at, -1)
	}
	if c.solid = solid; solid {
		p.countOverlaps(c, at, 1)
	}
}

// updateSpace adds c to its space again; with deep also the cells inside c.
func (p *Page) updateSpace(c *Cell, deep bool) {
	if p.spaces == nil {
		return
	}
	p.addToSpace(c)
	if kids := p.kids[c.ID]; deep && kids != nil && c.ID != "" {
		for _, k := range kids.list {
			if (c.Vertex || c.Edge) != (k.space != p.spaces[""]) {
				p.addToSpace(k)
			}
		}
	}
}

// Origin returns the position on the page of the origin of the coordinates of the cell's parent.
func (c *Cell) Origin() geom.Point {
	var at geom.Point
	for o, n := c.Owner(), 0; o != nil && n < maxNesting; o, n = o.Owner(), n+1 {
		r := o.local()
		at.X += r.X
		at.Y += r.Y
	}
	return at
}

// maxNesting limits loops over parents, which may form a cycle in a broken file.
const maxNesting = 100

// local returns the cell's rectangle in its parent's coordinates, also if its position is relative.
func (c *Cell) local() geom.Rect {
	if !c.Relative {
		return c.Geo
	}
	r := c.Geo
	if o := c.Owner(); o != nil {
		r.X *= o.Geo.W
		r.Y *= o.Geo.H
	}
	r.X += c.Offset.X
	r.Y += c.Offset.Y
	return r
}

// Abs returns the cell's rectangle on the page.
func (c *Cell) Abs() geom.Rect {
	r, at := c.local(), c.Origin()
	r.X += at.X
	r.Y += at.Y
	return r
}

// Root returns the root cell of the page, the one without a parent, or nil.
func (p *Page) Root() *Cell {
	for c := p.first; c != nil; c = c.next {
		if c.Parent == "" && !c.Opaque {
			return c
		}
	}
	return nil
}

// Layers returns the cells whose parent is the root, in the order of the file.
func (p *Page) Layers() []*Cell {
	root := p.Root()
	if root == nil {
		return nil
	}
	return p.Children(root.ID)
}

// DefaultLayer returns the layer for new cells: the active one, else the first that is neither hidden nor locked, else
// the first, or nil.
func (p *Page) DefaultLayer() *Cell {
	if l := p.ActiveLayer(); l != nil {
		return l
	}
	layers := p.Layers()
	for _, l := range layers {
		if !l.Hidden && !l.Locked {
			return l
		}
	}
	if len(layers) > 0 {
		return layers[0]
	}
	return nil
}

// Layer returns the layer of c, or nil.
func (c *Cell) Layer() *Cell {
	root := c.Page.Root()
	for n := 0; c != nil && n < maxNesting; n++ {
		parent := c.Page.byKey[c.Parent]
		if parent == root {
			return c
		}
		c = parent
	}
	return nil
}

// Within reports whether c is o or lies inside it, at any depth.
func (c *Cell) Within(o *Cell) bool {
	for n := 0; c != nil && n < maxNesting; n++ {
		if c == o {
			return true
		}
		c = c.Page.byKey[c.Parent]
	}
	return false
}
