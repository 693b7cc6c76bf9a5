package mxfile

import (
	"container/heap"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Class is what a cell counts as in its page's Tally.
type Class uint8

// The classes. A cell may be of several.
const (
	ClassShape  Class = 1 << iota
	ClassGroup        // a shape that holds others
	ClassEdge         //
	ClassOuter        // a shape in no other: the extent goes around it
	ClassOrphan       // a shape that should have an edge and has none
	ClassTitled       // a shape whose label should be its own
	ClassSolid        // a shape that should not lie on another
	ClassListed       // a cell that the query map lists, edges aside
)

// Tally is what a page holds.
type Tally struct {
	Shapes, Groups, Edges, Orphans, Listed int

	Bounds   geom.Rect // around the outer shapes
	Repeats  int       // titles that several shapes have
	Overlaps int       // pairs of solid shapes
}

// tallies is a Tally that follows the page: a change notes which cells may
// count differently now, and only these are looked at again.
type tallies struct {
	Tally
	noted  []*Cell
	titles map[string]int
	twice  titles         // those that several have
	looks  map[*look]bool // those of shapes
	around extent         // of the outer shapes
	loose  bool           // whether around may be too large
}

// counted is what a cell counts as at the moment.
type counted struct {
	class Class
	noted bool
	title string
	at    geom.Rect
	look  *look // of a shape
}

// Tally counts the page. classify is always the same function, of the cell's
// view, its degree, whether it holds shapes, and the shapes around it. It costs
// what changed since the last time.
func (p *Page) Tally(classify func(*Cell) Class) Tally {
	if p.tally == nil || p.doubles > 0 { // where several cells share an id, changes reach further
		p.startTally()
	}
	t := p.tally
	for _, c := range t.noted {
		if c.counted.noted { // not if it was taken out since
			t.discount(c)
			c.counted.noted = false
			class := classify(c)
			t.count(c, class)
			p.harden(c, class&ClassSolid != 0)
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
		looks: map[*look]bool{}, noted: make([]*Cell, 0, p.count)}
	for _, r := range p.runs {
		r.orphans, r.outer, r.loose, r.ninths.valid = 0, extent{}, false, false
	}
	for c := p.first; c != nil; c = c.next {
		if c.counted.look != nil {
			c.counted.look.shapes = 0
		}
		c.counted = counted{noted: true}
		p.tally.noted = append(p.tally.noted, c)
	}
}

// Orphans are the first cells of that class by the last Tally, at most most.
func (p *Page) Orphans(most int) []*Cell {
	var out []*Cell
	for _, r := range p.runs {
		if r.orphans == 0 {
			continue
		}
		for c := range r.all() {
			if len(out) == most {
				return out
			}
			if c.counted.class&ClassOrphan != 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

// Repeated are the first titles, in their order, that several shapes had in the
// last Tally, and how many.
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

// Looks calls f with each style that shapes had in the last Tally, and how
// many, in no particular order.
func (p *Page) Looks(f func(s style.Style, shapes int)) {
	if p.tally == nil {
		return
	}
	for l := range p.tally.looks {
		f(l.style, l.shapes)
	}
}

// ninths counts the outer shapes of a run by the ninth of the page's extent
// that they lie in.
type ninths struct {
	valid bool
	of    geom.Rect
	n     [9]int
}

// Ninths counts the outer shapes in each ninth of the extent, by the last
// Tally, from the top left one on row by row.
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

// note remembers that c may count differently.
func (p *Page) note(c *Cell) {
	if p.tally != nil && c != nil && !c.counted.noted {
		c.counted.noted = true
		p.tally.noted = append(p.tally.noted, c)
	}
}

// noteBelow notes what lies in the cell with that id, at any depth.
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

// forget takes c, which leaves the page, out of the count.
func (p *Page) forget(c *Cell) {
	if p.tally != nil {
		p.tally.discount(c)
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
	if class&ClassOuter != 0 {
		c.counted.at = c.Abs()
		c.run.outer.include(c.counted.at)
		t.around.include(c.counted.at)
		c.run.ninths.valid = false
	}
	if c.Shape() {
		c.counted.look = c.look
		if c.look.shapes++; c.look.shapes == 1 {
			t.looks[c.look] = true
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
	if was.class&ClassOuter != 0 {
		c.run.loose = c.run.loose || c.run.outer.touches(was.at)
		t.loose = t.loose || t.around.touches(was.at)
		c.run.ninths.valid = false
	}
	if was.look != nil {
		if was.look.shapes--; was.look.shapes == 0 {
			delete(t.looks, was.look)
		}
		was.look = nil
	}
	was.class = 0
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

// titles is a set of which the first few, in their order, are asked for all
// the time.
type titles struct {
	now   map[string]bool // the set
	heap  least           // holds each of them, and some that left since
	known map[string]bool // what heap holds
}

func (t *titles) add(title string) {
	t.now[title] = true
	if !t.known[title] {
		t.known[title] = true
		heap.Push(&t.heap, title)
	}
}

func (t *titles) drop(title string) { delete(t.now, title) }

// first gives the first few in their order.
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

// least is a heap for the package heap.
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
