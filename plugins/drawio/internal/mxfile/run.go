package mxfile

import (
	"iter"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// maxRun is the number of cells at which a run is split. Some changes visit all cells of a run, which takes a few
// microseconds.
const maxRun = 256

// run is a sequence of adjacent cells of a page. It keeps totals of its cells. A change affects only one run, and there
// are few runs, so it costs the same on large and small pages.
type run struct {
	at      int // index among the page's runs
	first   *Cell
	n       int  // cells
	ordered bool // whether every cell's ord is valid

	orphans int // cells of ClassOrphan
	upper   int // cells that overlap earlier ones
	outer   extent
	loose   bool // whether outer may be too large
	ninths  ninths
}

// addToRun adds c, whose neighbours are set, to a run.
func (p *Page) addToRun(c *Cell) {
	prev, next := c.prev, c.next
	var r *run
	switch {
	case prev != nil && (next != nil || prev.run.n < maxRun): // at the end, where pages grow, a full run is not split
		r = prev.run
	case prev == nil && next != nil:
		r = next.run
		r.first = c
	default:
		r = &run{at: len(p.runs), first: c, ordered: true}
		p.runs = append(p.runs, r)
	}
	c.run, c.ord = r, 0
	r.n++
	switch {
	case next != nil && next.run == r:
		r.ordered = false
	case r.first != c:
		c.ord = prev.ord + 1
	}
	if r.n > maxRun {
		p.split(r)
	}
}

// split moves the second half of a run to a new one.
func (p *Page) split(r *run) {
	c := r.first
	for range r.n / 2 {
		c = c.next
	}
	half := &run{first: c, loose: true}
	for ; c != nil && c.run == r; c = c.next {
		r.sums(c, -1)
		c.run = half
		half.n++
		half.sums(c, 1)
	}
	r.n -= half.n
	r.ordered, r.loose = false, true
	r.ninths.valid = false
	p.runs = slices.Insert(p.runs, r.at+1, half)
	p.numberRuns(r.at + 1)
}

// sums adds the counts of c `by` times, except its extent.
func (r *run) sums(c *Cell, by int) {
	if c.counted.class&ClassOrphan != 0 {
		r.orphans += by
	}
	if c.beneath > 0 {
		r.upper += by
	}
}

// removeFromRun removes c from its run. c must no longer be counted and still have its neighbours.
func (p *Page) removeFromRun(c *Cell) {
	r := c.run
	r.n--
	if r.first == c {
		r.first = c.next
	}
	if r.n == 0 {
		p.runs = slices.Delete(p.runs, r.at, r.at+1)
		p.numberRuns(r.at)
	}
	c.run = nil
}

func (p *Page) numberRuns(from int) {
	for i := from; i < len(p.runs); i++ {
		p.runs[i].at = i
	}
}

// all iterates over the cells of a run in order.
func (r *run) all() iter.Seq[*Cell] {
	return func(yield func(*Cell) bool) {
		for c, n := r.first, r.n; n > 0 && yield(c); n-- {
			c = c.next
		}
	}
}

// backwards iterates over the cells of the runs that has selects, from the last one of the page on.
func (p *Page) backwards(has func(r *run) bool) iter.Seq[*Cell] {
	return func(yield func(*Cell) bool) {
		for _, r := range slices.Backward(p.runs) {
			if !has(r) {
				continue
			}
			for _, c := range slices.Backward(slices.Collect(r.all())) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// order numbers the cells of a run if necessary.
func (r *run) order() {
	if r.ordered {
		return
	}
	n := 0
	for c := range r.all() {
		c.ord = n
		n++
	}
	r.ordered = true
}

// compare is negative if a comes before b in the file.
func compare(a, b *Cell) int {
	if a.run != b.run {
		return a.run.at - b.run.at
	}
	a.run.order()
	return a.ord - b.ord
}

// extent is the bounding box of rectangles. Rectangles without a size are ignored.
type extent struct {
	some                     bool
	left, top, right, bottom float64
}

// include extends the box to include r.
func (e *extent) include(r geom.Rect) {
	if r.W != 0 || r.H != 0 {
		e.join(&extent{true, r.X, r.Y, r.Right(), r.Bottom()})
	}
}

func (e *extent) join(o *extent) {
	if !o.some {
		return
	}
	if !e.some {
		*e = *o
		return
	}
	// Not min and max: in WebAssembly they are function calls, because of NaN.
	if o.left < e.left {
		e.left = o.left
	}
	if o.top < e.top {
		e.top = o.top
	}
	if o.right > e.right {
		e.right = o.right
	}
	if o.bottom > e.bottom {
		e.bottom = o.bottom
	}
}

// touches reports whether r touches the border of the box.
func (e *extent) touches(r geom.Rect) bool {
	return e.some && (r.X <= e.left || r.Y <= e.top || r.Right() >= e.right || r.Bottom() >= e.bottom)
}

func (e *extent) rect() geom.Rect {
	if !e.some {
		return geom.Rect{}
	}
	return geom.Rect{X: e.left, Y: e.top, W: e.right - e.left, H: e.bottom - e.top}
}

// measure recomputes the extent of a run after a cell at its border is removed.
func (r *run) measure() {
	r.loose, r.outer = false, extent{}
	for c := range r.all() {
		if c.counted.outer {
			r.outer.include(c.counted.at)
		}
	}
}
