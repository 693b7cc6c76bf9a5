package mxfile

// link inserts c, whose view and key are set, after another cell (nil for the start).
func (p *Page) link(c, after *Cell) {
	c.Page, c.prev = p, after
	if after == nil {
		c.next, p.first = p.first, c
	} else {
		c.next, after.next = after.next, c
	}
	if c.next == nil {
		p.last = c
	} else {
		c.next.prev = c
	}
	p.addToRun(c)
	p.count++
	p.byKey[c.Key] = c
	if c.Key != c.ID {
		p.odd++
		if c.ID != "" {
			p.doubles++
		}
	} else {
		c.degree = size(p.outs[c.ID]) + size(p.ins[c.ID])
	}
	p.index(c, true)
	p.noteBelow(c.ID, 0)
}

// unlink removes c.
func (p *Page) unlink(c *Cell) {
	p.unindex(c)
	p.unname(c)
	p.removeFromSpace(c)
	p.forget(c)
	p.removeFromRun(c)
	p.noteBelow(c.ID, 0)
	if c.prev == nil {
		p.first = c.next
	} else {
		c.prev.next = c.next
	}
	if c.next == nil {
		p.last = c.prev
	} else {
		c.next.prev = c.prev
	}
	p.count--
	delete(p.byKey, c.Key)
	if c.Key != c.ID {
		p.odd--
		if c.ID != "" {
			p.doubles--
		}
	}
	c.prev, c.next = nil, nil
}

// index adds c's view to the page's sets; with deep also the views of the cells inside c, again. unindex is its
// inverse and must run before the view changes.
func (p *Page) index(c *Cell, deep bool) {
	p.version++
	if c.Parent != "" {
		add(p.kids, c.Parent, c, kidPos)
	}
	if c.Badge {
		p.badges[c] = true
	}
	if c.Edge {
		if c.Source != "" {
			add(p.outs, c.Source, c, srcPos)
			p.addDegree(c.Source, 1)
		}
		if c.Target != "" {
			add(p.ins, c.Target, c, tgtPos)
			p.addDegree(c.Target, 1)
		}
	}
	p.note(c)
	p.note(p.byKey[c.Parent])
	p.rename(c, deep)
	p.updateSpace(c, deep)
}

func (p *Page) unindex(c *Cell) {
	p.version++
	p.note(p.byKey[c.Parent])
	if c.Parent != "" {
		drop(p.kids, c.Parent, c, kidPos)
	}
	delete(p.badges, c)
	if c.Edge {
		if c.Source != "" {
			drop(p.outs, c.Source, c, srcPos)
			p.addDegree(c.Source, -1)
		}
		if c.Target != "" {
			drop(p.ins, c.Target, c, tgtPos)
			p.addDegree(c.Target, -1)
		}
	}
}

// addDegree adds to the degree of the cell with an id, if the cell already exists.
func (p *Page) addDegree(id string, by int) {
	if c := p.byKey[id]; c != nil {
		c.degree += by
		p.note(c)
	}
}
