package vector

import (
	"cmp"
	"math/bits"
	"slices"
)

// snap cuts chords wherever they meet, so that afterwards two of them share an end or
// nothing, or are the same. Crossings move to the nearest point of the grid, and with them
// each chord that passes within half a step of such a point (Hobby's snap rounding), so that no
// new crossings arise. All of it is exact. ok is false where they meet too often.
func snap(chords []chord) (out []chord, ok bool) {
	h := newHedge(chords)
	nodes := make([]node, 0, 2*len(chords))
	for i := range chords {
		nodes = append(nodes, chords[i].a, chords[i].b)
	}
	h.pairs(func(i, j int) {
		if n, ok := crossing(&chords[i], &chords[j]); ok {
			nodes = append(nodes, n)
			if len(nodes) > mostNodes {
				h.left = -1
			}
		}
	})
	slices.SortFunc(nodes, before)
	nodes = slices.Compact(nodes)
	if h.left < 0 {
		return nil, false
	}
	cuts := make([][]node, len(chords))
	for _, n := range nodes {
		h.at(n, func(i int) {
			if c := &chords[i]; n != c.a && n != c.b && c.passes(n) {
				cuts[i] = append(cuts[i], n)
			}
		})
	}
	out = make([]chord, 0, len(chords)*2)
	for i, c := range chords {
		dx, dy := c.b.x-c.a.x, c.b.y-c.a.y
		along := func(n node) int64 { return (n.x-c.a.x)*dx + (n.y-c.a.y)*dy }
		slices.SortFunc(cuts[i], func(m, n node) int {
			return cmp.Or(cmp.Compare(along(m), along(n)), cmp.Compare(m.x, n.x), cmp.Compare(m.y, n.y))
		})
		whole := float64(dx*dx + dy*dy)
		piece, end := c, c.t1
		for _, n := range cuts[i] {
			piece.b = n
			piece.t1 = c.t0 + (end-c.t0)*min(1, max(0, float64(along(n))/whole))
			out = append(out, piece)
			piece.a, piece.t0 = n, piece.t1
		}
		piece.b, piece.t1 = c.b, end
		out = append(out, piece)
	}
	return out, h.left >= 0
}

// cross is positive where c lies to the left of the line from a to b, with the y axis up.
func cross(a, b, c node) int64 { return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x) }

// crossing is the point of the grid nearest to where two chords cross each other inside.
// Where they only touch, an end of one of them does, and is a node already.
func crossing(p, q *chord) (n node, ok bool) {
	c, d := cross(p.a, p.b, q.a), cross(p.a, p.b, q.b)
	if c >= 0 && d >= 0 || c <= 0 && d <= 0 {
		return n, false
	}
	e, f := cross(q.a, q.b, p.a), cross(q.a, q.b, p.b)
	if e >= 0 && f >= 0 || e <= 0 && f <= 0 {
		return n, false
	}
	return node{p.a.x + portion(p.b.x-p.a.x, e, e-f), p.a.y + portion(p.b.y-p.a.y, e, e-f)}, true
}

// portion is length·part/whole rounded to the nearest integer, halves up. part/whole is
// between 0 and 1.
func portion(length, part, whole int64) int64 {
	if whole < 0 {
		part, whole = -part, -whole
	}
	if length < 0 {
		// The mirrored value has its halves rounded down.
		hi, lo := bits.Mul64(uint64(-length), uint64(part))
		q, r := bits.Div64(hi, lo, uint64(whole))
		if r > uint64(whole)-r {
			q++
		}
		return -int64(q)
	}
	hi, lo := bits.Mul64(uint64(length), uint64(part))
	q, r := bits.Div64(hi, lo, uint64(whole))
	if r >= uint64(whole)-r {
		q++
	}
	return int64(q)
}

// passes reports whether a chord meets the square of one step around a node, of which the
// right and the upper side are no part.
func (c *chord) passes(n node) bool {
	// Twice as fine a grid has the corners on it.
	a, b := node{2 * c.a.x, 2 * c.a.y}, node{2 * c.b.x, 2 * c.b.y}
	x0, y0, x1, y1 := 2*n.x-1, 2*n.y-1, 2*n.x+1, 2*n.y+1
	if max(a.x, b.x) < x0 || min(a.x, b.x) >= x1 || max(a.y, b.y) < y0 || min(a.y, b.y) >= y1 {
		return false
	}
	dx, dy := b.x-a.x, b.y-a.y
	// The missing sides are as if they lay a trifle further in: what that adds decides where
	// the chord's line passes through a corner.
	side := func(corner node, trifle int64) int {
		return cmp.Or(cmp.Compare(cross(a, b, corner), 0), cmp.Compare(trifle, 0))
	}
	s := side(node{x0, y0}, 0)
	return s == 0 || side(node{x1, y0}, dy) != s || side(node{x1, y1}, dy-dx) != s || side(node{x0, y1}, -dx) != s
}

const (
	// mostNodes bounds the crossings with the ends.
	mostNodes = 300_000
	// mostPairs bounds the chords and nodes that are held against each other.
	mostPairs = 30_000_000
)

// hedge is a tree of boxes over chords as they follow on each other.
type hedge struct {
	chords []chord
	left   int      // how many more pairs it gives
	boxes  []bounds // of a node and its two halves at 2i+1 and 2i+2
}

type bounds struct{ x0, y0, x1, y1 int64 }

func (b *bounds) meets(o *bounds) bool {
	return b.x0 <= o.x1 && o.x0 <= b.x1 && b.y0 <= o.y1 && o.y0 <= b.y1
}

func (b *bounds) add(o bounds) {
	*b = bounds{min(b.x0, o.x0), min(b.y0, o.y0), max(b.x1, o.x1), max(b.y1, o.y1)}
}

func (c *chord) bounds() bounds {
	return bounds{min(c.a.x, c.b.x), min(c.a.y, c.b.y), max(c.a.x, c.b.x), max(c.a.y, c.b.y)}
}

// leaf is how many chords are not divided any further.
const leaf = 4

func newHedge(chords []chord) *hedge {
	h := &hedge{chords: chords, left: mostPairs}
	if len(chords) > 0 {
		h.grow(0, 0, len(chords))
	}
	return h
}

// grow fills in the box of the chords from..to and of what they are divided into.
func (h *hedge) grow(i, from, to int) bounds {
	for len(h.boxes) <= i {
		h.boxes = append(h.boxes, bounds{})
	}
	b := h.chords[from].bounds()
	if to-from <= leaf {
		for k := from + 1; k < to; k++ {
			b.add(h.chords[k].bounds())
		}
	} else {
		mid := (from + to) / 2
		b = h.grow(2*i+1, from, mid)
		b.add(h.grow(2*i+2, mid, to))
	}
	h.boxes[i] = b
	return b
}

// pairs gives all pairs of chords whose boxes meet.
func (h *hedge) pairs(yield func(i, j int)) {
	if len(h.chords) > 0 {
		h.within(0, 0, len(h.chords), yield)
	}
}

func (h *hedge) within(i, from, to int, yield func(i, j int)) {
	if to-from <= leaf {
		h.left -= leaf
		for k := from; k < to; k++ {
			for l := k + 1; l < to; l++ {
				yield(k, l)
			}
		}
		return
	}
	mid := (from + to) / 2
	h.within(2*i+1, from, mid, yield)
	h.within(2*i+2, mid, to, yield)
	h.between(2*i+1, from, mid, 2*i+2, mid, to, yield)
}

func (h *hedge) between(i, from, to, j, from2, to2 int, yield func(i, j int)) {
	if h.left < 0 || !h.boxes[i].meets(&h.boxes[j]) {
		return
	}
	switch {
	case to-from <= leaf && to2-from2 <= leaf:
		h.left -= leaf * leaf
		for k := from; k < to; k++ {
			a := h.chords[k].bounds()
			for l := from2; l < to2; l++ {
				if b := h.chords[l].bounds(); a.meets(&b) {
					yield(k, l)
				}
			}
		}
	case to-from >= to2-from2:
		mid := (from + to) / 2
		h.between(2*i+1, from, mid, j, from2, to2, yield)
		h.between(2*i+2, mid, to, j, from2, to2, yield)
	default:
		mid := (from2 + to2) / 2
		h.between(i, from, to, 2*j+1, from2, mid, yield)
		h.between(i, from, to, 2*j+2, mid, to2, yield)
	}
}

// at gives all chords whose box a node touches or nearly does.
func (h *hedge) at(n node, yield func(i int)) {
	if len(h.chords) > 0 {
		h.touching(0, 0, len(h.chords), &bounds{n.x - 1, n.y - 1, n.x + 1, n.y + 1}, yield)
	}
}

func (h *hedge) touching(i, from, to int, b *bounds, yield func(i int)) {
	if h.left < 0 || !h.boxes[i].meets(b) {
		return
	}
	if to-from <= leaf {
		h.left -= leaf
		for k := from; k < to; k++ {
			if c := h.chords[k].bounds(); c.meets(b) {
				yield(k)
			}
		}
		return
	}
	mid := (from + to) / 2
	h.touching(2*i+1, from, mid, b, yield)
	h.touching(2*i+2, mid, to, b, yield)
}
