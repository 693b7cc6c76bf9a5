package arrange

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk/layout/simplex"
)

// macroColumns assigns the units to macro columns.
func (p *problem) macroColumns(pl plan) []int {
	units := p.shapes[p.root].kids
	at := p.index(units)
	macro := make([]int, len(p.shapes))
	var arcs []simplex.Arc
	for _, l := range p.lines {
		if a, b := p.shapes[l.a].unit, p.shapes[l.b].unit; !l.skip && a != b {
			arcs = append(arcs, simplex.Arc{From: at[a], To: at[b], Weight: l.weight()})
		}
	}
	one := make([]int, len(units))
	for i := range one {
		one[i] = 1
	}
	got := assignColumns(len(units), one, arcs)
	p.placeUnlinked(units, got)
	for i, u := range units {
		macro[u] = got[i] + pl.move[u]
	}
	compactColumns(units, macro)
	return macro
}

// placeUnlinked puts units without lines into the shortest column or, if no unit has lines, into as many columns as give
// a page of usual proportions.
func (p *problem) placeUnlinked(units, got []int) {
	high := make([]int, slices.Max(got)+1)
	sum, wide := 0, 0
	for i, u := range units {
		h, w := p.estimate(u)
		sum += h
		wide = max(wide, w)
		if got[i] >= 0 {
			high[got[i]] += h
		}
	}
	if len(high) == 0 {
		cols := 1
		for cols < len(units) && cols*cols*(wide+60)*3 < 5*sum {
			cols++
		}
		for i := range units {
			got[i] = i % cols
		}
		return
	}
	for i, u := range units {
		if got[i] < 0 {
			h, _ := p.estimate(u)
			got[i] = slices.Index(high, slices.Min(high))
			high[got[i]] += h
		}
	}
}

// estimate is the approximate size of a unit whose members are stacked.
func (p *problem) estimate(v int) (h, w int) {
	s := &p.shapes[v]
	if !p.frame(v) {
		return s.h + 30, s.w
	}
	h = s.pad.top + s.pad.bottom + 10
	for _, k := range s.kids {
		kh, kw := p.estimate(k)
		h, w = h+kh, max(w, kw)
	}
	return h, w + s.pad.left + s.pad.right
}

// compactColumns renumbers the columns of a list of shapes so that none is empty.
func compactColumns(list, at []int) {
	var used []int
	for _, v := range list {
		used = append(used, at[v])
	}
	slices.Sort(used)
	used = slices.Compact(used)
	for _, v := range list {
		at[v], _ = slices.BinarySearch(used, at[v])
	}
}
