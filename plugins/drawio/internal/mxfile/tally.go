package mxfile

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/geom"
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
)

// Tally is what a page holds.
type Tally struct {
	Shapes, Groups, Edges, Orphans int
	Bounds                         geom.Rect // around the outer shapes
	Repeats                        int       // titles that several shapes have
}

// tallies is a Tally that follows the page: a change notes which cells may
// count differently now, and only these are looked at again.
type tallies struct {
	Tally
	noted  []*Cell
	titles map[string]int
	twice  map[string]bool // titles that several have
	stale  bool            // the extent may be too large

	some                     bool // there is an extent
	left, top, right, bottom float64
}

// counted is what a cell counts as at the moment.
type counted struct {
	class Class
	noted bool
	title string
	at    geom.Rect
}

// Tally counts the page. classify is always the same function, of the cell's
// view, its degree, whether it holds shapes, and the shapes around it. It costs
// what changed since the last time.
func (p *Page) Tally(classify func(*Cell) Class) Tally {
	if p.tally == nil || p.odd > 0 { // where several cells share an id, changes reach further
		p.tally = &tallies{titles: map[string]int{}, twice: map[string]bool{}, noted: make([]*Cell, 0, p.count)}
		for c := p.first; c != nil; c = c.next {
			c.counted = counted{noted: true}
			p.tally.noted = append(p.tally.noted, c)
		}
	}
	t := p.tally
	for _, c := range t.noted {
		if c.counted.noted { // not if it was taken out since
			t.discount(c)
			c.counted.noted = false
			t.count(c, classify(c))
		}
	}
	t.noted = t.noted[:0]
	if t.stale {
		t.measure(p)
	}
	t.Bounds = geom.Rect{}
	if t.some {
		t.Bounds = geom.Rect{X: t.left, Y: t.top, W: t.right - t.left, H: t.bottom - t.top}
	}
	t.Repeats = len(t.twice)
	return t.Tally
}

// Orphans are the first cells of that class by the last Tally, at most most.
func (p *Page) Orphans(most int) []*Cell {
	var out []*Cell
	for c := p.first; c != nil && len(out) < most; c = c.next {
		if c.counted.class&ClassOrphan != 0 {
			out = append(out, c)
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
	for title := range p.tally.twice {
		at, _ := slices.BinarySearch(titles, title)
		if at == most {
			continue
		}
		titles = slices.Insert(titles, at, title)
		titles = titles[:min(len(titles), most)]
	}
	for _, title := range titles {
		shapes = append(shapes, p.tally.titles[title])
	}
	return titles, shapes
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
	t.add(class, 1)
	if class&ClassTitled != 0 {
		c.counted.title = c.plain
		if t.titles[c.plain]++; t.titles[c.plain] == 2 {
			t.twice[c.plain] = true
		}
	}
	if class&ClassOuter != 0 {
		c.counted.at = c.Abs()
		t.extend(c.counted.at)
	}
}

func (t *tallies) discount(c *Cell) {
	was := &c.counted
	t.add(was.class, -1)
	if was.class&ClassTitled != 0 {
		switch t.titles[was.title]--; t.titles[was.title] {
		case 1:
			delete(t.twice, was.title)
		case 0:
			delete(t.titles, was.title)
		}
	}
	if r := was.at; was.class&ClassOuter != 0 && (r.X <= t.left || r.Y <= t.top || r.Right() >= t.right || r.Bottom() >= t.bottom) {
		t.stale = true
	}
	was.class = 0
}

func (t *tallies) add(class Class, n int) {
	if class&ClassShape != 0 {
		t.Shapes += n
	}
	if class&ClassGroup != 0 {
		t.Groups += n
	}
	if class&ClassEdge != 0 {
		t.Edges += n
	}
	if class&ClassOrphan != 0 {
		t.Orphans += n
	}
}

// measure finds the extent again, after a shape at its border went.
func (t *tallies) measure(p *Page) {
	t.stale = false
	t.some = false
	for c := p.first; c != nil; c = c.next {
		if c.counted.class&ClassOuter != 0 {
			t.extend(c.counted.at)
		}
	}
}

// extend makes the extent go around r. What has no size has no extent.
func (t *tallies) extend(r geom.Rect) {
	switch {
	case r.W == 0 && r.H == 0:
	case !t.some:
		t.some = true
		t.left, t.top, t.right, t.bottom = r.X, r.Y, r.Right(), r.Bottom()
	default:
		t.left, t.top = math.Min(t.left, r.X), math.Min(t.top, r.Y)
		t.right, t.bottom = math.Max(t.right, r.Right()), math.Max(t.bottom, r.Bottom())
	}
}
