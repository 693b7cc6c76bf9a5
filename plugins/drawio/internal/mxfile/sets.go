package mxfile

import (
	"maps"
	"slices"
)

// set is a set of cells with constant-time changes. Each cell stores its index in the set, which pos accesses.
type set struct{ list []*Cell }

func add(m map[string]*set, key string, c *Cell, pos func(*Cell) *int) {
	s := m[key]
	if s == nil {
		s = &set{}
		m[key] = s
	}
	*pos(c) = len(s.list)
	s.list = append(s.list, c)
}

func drop(m map[string]*set, key string, c *Cell, pos func(*Cell) *int) {
	s := m[key]
	i, n := *pos(c), len(s.list)-1
	moved := s.list[n]
	s.list[i], s.list[n] = moved, nil
	*pos(moved) = i
	s.list = s.list[:n]
	if n == 0 {
		delete(m, key)
	}
}

func size(s *set) int {
	if s == nil {
		return 0
	}
	return len(s.list)
}

func kidPos(c *Cell) *int { return &c.kidPos }
func srcPos(c *Cell) *int { return &c.srcPos }
func tgtPos(c *Cell) *int { return &c.tgtPos }

// sorted returns a set in the order of the file.
func (p *Page) sorted(s *set) []*Cell {
	if s == nil {
		return nil
	}
	out := slices.Clone(s.list)
	p.Sort(out)
	return out
}

// Sort sorts cells of the page in the order of the file.
func (p *Page) Sort(cells []*Cell) { slices.SortFunc(cells, compare) }

// Children returns the cells with a parent id, in the order of the file.
func (p *Page) Children(id string) []*Cell { return p.sorted(p.kids[id]) }

// FirstChild returns the first of Children, or nil.
func (p *Page) FirstChild(id string) *Cell {
	kids := p.kids[id]
	switch {
	case kids == nil:
		return nil
	case len(kids.list) <= maxRun:
		return slices.MinFunc(kids.list, compare)
	}
	c := p.first
	for c.Parent != id { // if there are many, the first one comes early
		c = c.next
	}
	return c
}

// HasChildren reports whether any cell has a parent id.
func (p *Page) HasChildren(id string) bool { return p.kids[id] != nil }

// Holds reports whether any shape has a parent id.
func (p *Page) Holds(id string) bool {
	s := p.kids[id]
	if s == nil || id == "" {
		return false
	}
	return slices.ContainsFunc(s.list, func(k *Cell) bool { return k.Vertex && !k.Badge })
}

// Badges returns the cells that are Badge, in the order of the file.
func (p *Page) Badges() []*Cell { return slices.SortedFunc(maps.Keys(p.badges), compare) }

// Out returns the edges that start at the cell with an id.
func (p *Page) Out(id string) []*Cell { return p.sorted(p.outs[id]) }

// In returns the edges that end at the cell with an id.
func (p *Page) In(id string) []*Cell { return p.sorted(p.ins[id]) }

// Before reports whether a comes before b in the file.
func (p *Page) Before(a, b *Cell) bool { return compare(a, b) < 0 }
