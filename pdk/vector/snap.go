package vector

import (
	"cmp"
	"math/bits"
	"slices"
)

// snap cuts chords wherever they meet, so that afterwards two of them share an end, share
// nothing, or are the same. It moves crossings to the nearest point of the grid, and with
// them each chord that passes within half a step of such a point (Hobby's snap rounding), so
// that no new crossings arise. The computation is exact. ok is false if the chords meet too
// often.
func snap(chords []chord) (out []chord, ok bool) {
	h := newBoxTree(chords)
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

// cross is positive if c lies to the left of the line from a to b, with the y axis pointing
// upwards.
func cross(a, b, c node) int64 { return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x) }

// crossing is the point of the grid nearest to the crossing of two chords; ok is false if
// they do not cross or only touch. A point where they touch is the end of one of them, which
// is already a node.
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

// portion is length·part/whole, rounded to the nearest integer, halves upwards. part/whole
// must be between 0 and 1.
func portion(length, part, whole int64) int64 {
	if whole < 0 {
		part, whole = -part, -whole
	}
	if length < 0 {
		// The value is negated below, so round its halves down.
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

// passes reports whether a chord meets the square around a node with sides of one step. The
// right and the upper side do not belong to the square.
func (c *chord) passes(n node) bool {
	// The corners lie on a grid that is twice as fine.
	a, b := node{2 * c.a.x, 2 * c.a.y}, node{2 * c.b.x, 2 * c.b.y}
	x0, y0, x1, y1 := 2*n.x-1, 2*n.y-1, 2*n.x+1, 2*n.y+1
	if max(a.x, b.x) < x0 || min(a.x, b.x) >= x1 || max(a.y, b.y) < y0 || min(a.y, b.y) >= y1 {
		return false
	}
	dx, dy := b.x-a.x, b.y-a.y
	// Treat the sides that do not belong to the square as infinitesimally further in. If the
	// chord's line passes through a corner, the sign of that shift decides.
	side := func(corner node, shift int64) int {
		return cmp.Or(cmp.Compare(cross(a, b, corner), 0), cmp.Compare(shift, 0))
	}
	s := side(node{x0, y0}, 0)
	return s == 0 || side(node{x1, y0}, dy) != s || side(node{x1, y1}, dy-dx) != s || side(node{x0, y1}, -dx) != s
}

const (
	// mostNodes limits the number of crossings and ends.
	mostNodes = 300_000
	// mostPairs limits the number of comparisons of chords and nodes.
	mostPairs = 30_000_000
)

// boxTree is a binary tree of the bounding boxes of consecutive chords.
type boxTree struct {
	chords []chord
	left   int      // how many more comparisons are allowed
	boxes  []bounds // by tree node; the children of i are at 2i+1 and 2i+2
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

// leaf is the maximum number of chords in a leaf.
const leaf = 4

func newBoxTree(chords []chord) *boxTree {
	h := &boxTree{chords: chords, left: mostPairs}
	if len(chords) > 0 {
		h.build(0, 0, len(chords))
	}
	return h
}

// build sets the boxes of tree node i, which holds the chords from..to, and of its children.
func (h *boxTree) build(i, from, to int) bounds {
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
		b = h.build(2*i+1, from, mid)
		b.add(h.build(2*i+2, mid, to))
	}
	h.boxes[i] = b
	return b
}

// pairs calls yield for all pairs of chords whose boxes meet.
func (h *boxTree) pairs(yield func(i, j int)) {
	if len(h.chords) > 0 {
		h.within(0, 0, len(h.chords), yield)
	}
}

func (h *boxTree) within(i, from, to int, yield func(i, j int)) {
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

func (h *boxTree) between(i, from, to, j, from2, to2 int, yield func(i, j int)) {
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

// at calls yield for all chords whose box is at most one step from a node.
func (h *boxTree) at(n node, yield func(i int)) {
	if len(h.chords) > 0 {
		h.touching(0, 0, len(h.chords), &bounds{n.x - 1, n.y - 1, n.x + 1, n.y + 1}, yield)
	}
}

func (h *boxTree) touching(i, from, to int, b *bounds, yield func(i int)) {
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
