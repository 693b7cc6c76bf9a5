package mxfile

import (
	"container/heap"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Class says how a cell counts in the Tally of its page.
type Class uint8

// The classes. A cell may have several.
const (
	ClassShape  Class = 1 << iota
	ClassGroup        // a shape that contains others
	ClassEdge         //
	ClassOuter        // a shape inside no other; the extent includes it
	ClassOrphan       // a shape that should have an edge and has none
	ClassTitled       // a shape whose label should be unique
	ClassSolid        // a shape that should not overlap another
	ClassListed       // a cell other than an edge that the query map lists
)

// Tally holds the counts of a page.
type Tally struct {
	Shapes, Groups, Edges, Orphans, Listed int

	Bounds   geom.Rect // of the outer shapes
	Repeats  int       // titles that several shapes share
	Overlaps int       // pairs of solid shapes
}

// tallies keeps a Tally up to date: each change notes the cells whose counts may change, and only those are classified
// again.
type tallies struct {
	Tally
	noted    []*Cell
	titles   map[string]int
	twice    titles            // titles that several shapes share
	stylings map[*styling]bool // those of shapes
	around   extent            // of the outer shapes
	loose    bool              // around may be too large
}

// counted holds how a cell is currently counted.
type counted struct {
	class   Class
	noted   bool
	title   string
	outer   bool      // counts in the extent, at:
	at      geom.Rect // the zero value for others
	styling *styling  // of a shape
}

// Tally counts the contents of the page. classify must be the same function in all calls; it may use only the cell's
// view, its degree, whether it contains shapes, and the shapes around it. The cost depends on what changed since the
// last call.
func (p *Page) Tally(classify func(*Cell) Class) Tally {
	if p.tally == nil || p.doubles > 0 { // if several cells share an id, changes affect other cells, too
		p.startTally()
	}
	t := p.tally
	for _, c := range t.noted {
		if c.counted.noted { // unless it was removed since
			t.discount(c)
			c.counted.noted = false
			class := classify(c)
			t.count(c, class)
			t.setOuter(c, class&ClassOuter != 0)
			p.setSolid(c, class&ClassSolid != 0)
		}
	}
	t.noted = t.noted[:0]
	if t.loose {
		t.loose, t.around = false, extent{}
		for _, r := range p.runs {
			if r.loose {
				r.measure()
			}
			t.around.join(&r.outer)
		}
	}
	t.Bounds, t.Repeats, t.Overlaps = t.around.rect(), len(t.twice.now), p.overlaps
	return t.Tally
}

// startTally notes every cell.
func (p *Page) startTally() {
	p.Space("")
	p.tally = &tallies{titles: map[string]int{}, twice: titles{now: map[string]bool{}, known: map[string]bool{}},
		stylings: map[*styling]bool{}, noted: make([]*Cell, 0, p.count)}
	for _, r := range p.runs {
		r.orphans, r.outer, r.loose, r.ninths.valid = 0, extent{}, false, false
	}
	for c := p.first; c != nil; c = c.next {
		if c.counted.styling != nil {
			c.counted.styling.shapes = 0
		}
		c.counted = counted{noted: true}
		p.tally.noted = append(p.tally.noted, c)
	}
}

// Orphans returns the last cells of ClassOrphan according to the last Tally, at most `most`, from the last one on: new cells are the last.
func (p *Page) Orphans(most int) (out []*Cell) {
	for c := range p.backwards(func(r *run) bool { return r.orphans > 0 }) {
		if len(out) == most {
			break
		}
		if c.counted.class&ClassOrphan != 0 {
			out = append(out, c)
		}
	}
	return out
}

// Repeated returns the first titles, in order, that several shapes shared in the last Tally, and how many shapes.
func (p *Page) Repeated(most int) (titles []string, shapes []int) {
	if p.tally == nil {
		return nil, nil
	}
	titles = p.tally.twice.first(most)
	for _, title := range titles {
		shapes = append(shapes, p.tally.titles[title])
	}
	return titles, shapes
}

// StyleChanges returns a number that the last Tally increased if the page's shapes had other styles than in the one before it.
func (p *Page) StyleChanges() int { return p.restyled }

// Styles calls f with each style that shapes had in the last Tally, a cell that has it, which knows only what follows from the style, and
// the number of those shapes, in no particular order.
func (p *Page) Styles(f func(like *Cell, shapes int)) {
	if p.tally == nil {
		return
	}
	for l := range p.tally.stylings {
		if l.like == nil {
			l.like = &Cell{Page: p, Style: l.style, styling: l}
		}
		f(l.like, l.shapes)
	}
}

// ninths counts the outer shapes of a run by the ninth of the page's extent that they lie in.
type ninths struct {
	valid bool
	of    geom.Rect
	n     [9]int
}

// Ninths counts the outer shapes in each ninth of the extent according to the last Tally, row by row from the top
// left.
func (p *Page) Ninths() (n [9]int) {
	if p.tally == nil {
		return n
	}
	b := p.tally.Bounds
	if b.W == 0 || b.H == 0 {
		return n
	}
	third := func(v float64) int { return int(min(2, max(0, v*3))) }
	for _, r := range p.runs {
		if !r.ninths.valid || r.ninths.of != b {
			r.ninths = ninths{valid: true, of: b}
			for c := range r.all() {
				if c.counted.class&ClassOuter != 0 {
					at := c.counted.at.Center()
					r.ninths.n[third((at.Y-b.Y)/b.H)*3+third((at.X-b.X)/b.W)]++
				}
			}
		}
		for i, k := range r.ninths.n {
			n[i] += k
		}
	}
	return n
}

// note records that the counts of c may change.
func (p *Page) note(c *Cell) {
	if p.tally != nil && c != nil && !c.counted.noted {
		c.counted.noted = true
		p.tally.noted = append(p.tally.noted, c)
	}
}

// noteBelow notes the cells inside the cell with an id, at any depth.
func (p *Page) noteBelow(id string, depth int) {
	if p.tally == nil || id == "" || depth > maxNesting {
		return
	}
	if kids := p.kids[id]; kids != nil {
		for _, k := range kids.list {
			p.note(k)
			p.noteBelow(k.ID, depth+1)
		}
	}
}

// forget removes c, which is being removed from the page, from the counts.
func (p *Page) forget(c *Cell) {
	if p.tally != nil {
		p.tally.discount(c)
		p.tally.setOuter(c, false)
		c.counted = counted{}
	}
}

func (t *tallies) count(c *Cell, class Class) {
	c.counted.class = class
	t.add(c, class, 1)
	if class&ClassTitled != 0 {
		c.counted.title = c.name
		if t.titles[c.name]++; t.titles[c.name] == 2 {
			t.twice.add(c.name)
		}
	}
	if c.Shape() {
		c.counted.styling = c.styling
		if c.styling.shapes++; c.styling.shapes == 1 {
			t.stylings[c.styling] = true
			c.Page.restyled++
		}
	}
}

func (t *tallies) discount(c *Cell) {
	was := &c.counted
	t.add(c, was.class, -1)
	if was.class&ClassTitled != 0 {
		switch t.titles[was.title]--; t.titles[was.title] {
		case 1:
			t.twice.drop(was.title)
		case 0:
			delete(t.titles, was.title)
		}
	}
	if was.styling != nil {
		if was.styling.shapes--; was.styling.shapes == 0 {
			delete(t.stylings, was.styling)
			c.Page.restyled++
		}
		was.styling = nil
	}
	was.class = 0
}

// setOuter sets whether c is an outer shape, and where.
func (t *tallies) setOuter(c *Cell, is bool) {
	var at geom.Rect
	if is {
		at = c.Abs()
	}
	was := &c.counted
	if was.outer == is && was.at == at {
		return
	}
	if was.outer {
		c.run.loose = c.run.loose || c.run.outer.touches(was.at)
		t.loose = t.loose || t.around.touches(was.at)
	}
	if is {
		c.run.outer.include(at)
		t.around.include(at)
	}
	was.outer, was.at, c.run.ninths.valid = is, at, false
}

func (t *tallies) add(c *Cell, class Class, n int) {
	if class&ClassShape != 0 {
		t.Shapes += n
	}
	if class&ClassGroup != 0 {
		t.Groups += n
	}
	if class&ClassEdge != 0 {
		t.Edges += n
	}
	if class&ClassListed != 0 {
		t.Listed += n
	}
	if class&ClassOrphan != 0 {
		t.Orphans += n
		c.run.orphans += n
	}
}

// titles is a set whose first few members, in order, are needed often.
type titles struct {
	now   map[string]bool // the set
	heap  least           // contains all of them, and some that were removed since
	known map[string]bool // what heap contains
}

func (t *titles) add(title string) {
	t.now[title] = true
	if !t.known[title] {
		t.known[title] = true
		heap.Push(&t.heap, title)
	}
}

func (t *titles) drop(title string) { delete(t.now, title) }

// first returns the first members in order, at most `most`.
func (t *titles) first(most int) []string {
	var out []string
	for len(out) < most && len(t.heap) > 0 {
		title := heap.Pop(&t.heap).(string)
		if t.now[title] {
			out = append(out, title)
		} else {
			delete(t.known, title)
		}
	}
	for _, title := range out {
		heap.Push(&t.heap, title)
	}
	return out
}

// least is a heap for package container/heap.
type least []string

func (h least) Len() int           { return len(h) }
func (h least) Less(i, j int) bool { return h[i] < h[j] }
func (h least) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *least) Push(x any)        { *h = append(*h, x.(string)) }
func (h *least) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = slices.Delete(old, len(old)-1, len(old))
	return last
}
