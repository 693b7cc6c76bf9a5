package queries

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

func outsideQuery() query {
	return query{Run: runOutside, Query: abi.Query{Syntax: "outside", Summary: "elements that lie outside the canvas, wholly or in part"}}
}

func runOutside(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	sc := f.Scene()
	c := sc.Canvas()
	p := v.Page()
	for _, n := range f.Shown(sc) {
		b, ok := sc.Box(n)
		if !ok || c.Holds(b) {
			continue
		}
		how := "in part"
		if both := b.Intersect(c); both.Width() <= 0 || both.Height() <= 0 {
			how = "whole"
		}
		p.Line(func(t []byte) []byte { return fmt.Appendf(t, "%s %s %s", f.Typed(n), f.BoxOf(n, b), how) })
	}
	return p.AnswerOr("nothing lies outside the canvas " + model.Box(c)), nil
}

func overlapsQuery() query {
	return query{Query: abi.Query{Syntax: "overlaps [REF…|SEL]", Summary: "pairs of elements whose boxes overlap, except where one lies within the other"}, Run: runOverlaps}
}

func runOverlaps(v *view, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	sc := f.Scene()
	list := f.Shown(sc)
	about, err := queryTargets(v, a)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	if len(a.Selectors) > 0 {
		list, about = model.Leaves(about), nil
	}
	meant := map[*node]bool{}
	for _, n := range list {
		meant[n] = len(about) == 0 || slices.ContainsFunc(about, n.Within)
	}
	type item struct {
		n  *node
		b  vector.Box
		at int
	}
	var items []item
	for i, n := range list {
		if b, ok := sc.Box(n); ok && b.Width() > 0 && b.Height() > 0 {
			items = append(items, item{n, b, i})
		}
	}
	slices.SortStableFunc(items, func(x, y item) int { return cmp.Compare(x.b.X0, y.b.X0) })
	const maxPairs = 500
	c := sc.Canvas()
	slack := max(c.Width(), c.Height()) / 2000 // a smaller overlap is not visible
	contains := func(x, y vector.Box) bool { return x.Grow(slack, slack).Holds(y) }
	type pair struct {
		text string
		area float64
	}
	var found []pair
	work := 5_000_000
	for i, x := range items {
		for _, y := range items[i+1:] {
			if work--; y.b.X0 >= x.b.X1-slack || len(found) >= maxPairs || work < 0 {
				break
			}
			both := x.b.Intersect(y.b)
			if !meant[x.n] && !meant[y.n] || both.Width() <= slack || both.Height() <= slack || both.IsEmpty() || contains(x.b, y.b) || contains(y.b, x.b) {
				continue
			}
			lower, upper := x, y
			if lower.at > upper.at {
				lower, upper = upper, lower
			}
			found = append(found, pair{f.Ref(upper.n) + " over " + f.Ref(lower.n) + " " + model.Box(both), both.Width() * both.Height()})
		}
	}
	if len(found) == 0 {
		return abi.QueryResponse{Text: "no overlaps"}, nil
	}
	slices.SortStableFunc(found, func(x, y pair) int { return cmp.Compare(y.area, x.area) })
	p := v.Page()
	p.Line(func(t []byte) []byte {
		return append(t, pdk.Count(len(found), "pair")+" of boxes, the largest first"...)
	})
	for _, one := range found {
		p.Line(func(t []byte) []byte { return append(t, one.text...) })
	}
	return p.Answer(0), nil
}
