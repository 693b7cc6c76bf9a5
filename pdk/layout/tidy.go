package layout

import "math"

// outline is how far a subtree extends to both sides at each depth from that of its top on, relative to the middle of
// its top.
type outline struct {
	top         int
	left, right []float64
}

// tidy assigns the nodes of a forest their positions along the rows: parents centred above their children, subtrees as
// close as their outlines allow, equal subtrees alike. It packs siblings once from the left and once from the right and
// takes the mean, which preserves every distance that both preserve.
func tidy(f *forest, rows int, gap float64, width func(v int) float64) []float64 {
	t := &tidier{f: f, rows: rows, gap: gap, width: width, at: make([]float64, len(f.parent))}
	var tops []outline
	for _, v := range f.roots {
		tops = append(tops, t.subtree(v))
	}
	for i, x := range t.pack(tops) {
		t.at[f.roots[i]] = x
	}
	for _, v := range f.roots {
		t.settle(v)
	}
	return t.at
}

type tidier struct {
	f     *forest
	rows  int
	gap   float64
	width func(v int) float64
	at    []float64 // relative to the parent until settled
}

// settle makes the positions of v's descendants absolute.
func (t *tidier) settle(v int) {
	for _, k := range t.f.kids[v] {
		t.at[k] += t.at[v]
		t.settle(k)
	}
}

// subtree positions the descendants of v relative to v.
func (t *tidier) subtree(v int) outline {
	w := t.width(v)
	o := outline{top: t.f.depth[v], left: []float64{-w / 2}, right: []float64{w / 2}}
	kids := t.f.kids[v]
	if len(kids) == 0 {
		return o
	}
	below := make([]outline, len(kids))
	for i, k := range kids {
		below[i] = t.subtree(k)
	}
	x := t.pack(below)
	middle := math.Round((x[0] + x[len(x)-1]) / 2)
	for i, k := range kids {
		x[i] -= middle
		t.at[k] = x[i]
		for d := range below[i].left {
			l, r := x[i]+below[i].left[d], x[i]+below[i].right[d]
			if d+1 == len(o.left) {
				o.left, o.right = append(o.left, l), append(o.right, r)
			} else {
				o.left[d+1], o.right[d+1] = math.Min(o.left[d+1], l), math.Max(o.right[d+1], r)
			}
		}
	}
	return o
}

// pack positions outlines side by side in their order.
func (t *tidier) pack(list []outline) []float64 {
	low, high := len(list), 0
	if low > 0 {
		low = list[0].top
	}
	for _, o := range list {
		low, high = min(low, o.top), max(high, o.top+len(o.left))
	}
	right := make([]float64, high-low)
	for d := range right {
		right[d] = math.Inf(-1)
	}
	x := make([]float64, len(list))
	for i, o := range list {
		at := math.Inf(-1)
		for d := range o.left {
			at = math.Max(at, right[o.top-low+d]-o.left[d]+t.gap)
		}
		if math.IsInf(at, -1) { // no outline to the left has any of these rows
			at = 0
			if i > 0 {
				at = x[i-1]
			}
		}
		x[i] = at
		for d := range o.right {
			right[o.top-low+d] = math.Max(right[o.top-low+d], at+o.right[d])
		}
	}
	left := make([]float64, high-low)
	for d := range left {
		left[d] = math.Inf(1)
	}
	for i := len(list) - 1; i >= 0; i-- {
		o := list[i]
		at := math.Inf(1)
		for d := range o.right {
			at = math.Min(at, left[o.top-low+d]-o.right[d]-t.gap)
		}
		if math.IsInf(at, 1) {
			at = x[i]
		}
		for d := range o.left {
			left[o.top-low+d] = math.Min(left[o.top-low+d], at+o.left[d])
		}
		x[i] = math.Round((x[i] + at) / 2)
	}
	return x
}
