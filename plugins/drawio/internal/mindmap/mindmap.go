// Package mindmap adds, moves and lays out the topics of a mind map.
package mindmap

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/legend"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

type (
	file = mxfile.File
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
)

// Help returns the lines of the help on mind maps.
func Help() []string {
	return []string{
		"root, topic, branch: add topic Launch · add topic Market of:Launch · add topic Prices of:Market before:Rivals · each has the colour of its branch and keeps the order of its siblings; any shape may have topics",
		"order, parent: move Prices before:Rivals · move Prices after:Segments · move Prices of:Risks · with all its subtopics",
		"layout of a mind map keeps the order: the first branches at the right, the others at the left; dir:LR all at the right. A map of up to 60 topics that is laid out is laid out again when topics are added or moved. mermaid draws a whole map from text, and export mermaid writes one",
	}
}

// isBranch reports whether an edge is a branch of a mind map: a curve with neither heads
// nor a label.
func isBranch(e *cell) bool {
	bare := func(key string) bool {
		v, ok := e.Style.Get(key)
		return ok && v == "none" || !ok && key == "startArrow"
	}
	return e.Edge && e.Style.Is("curved", "1") && bare("startArrow") && bare("endArrow") && e.Source != "" && e.Target != "" && model.EdgeLabel(e) == ""
}

// branches returns the branches that lead from a shape to its subtopics, in their order.
func branches(x *cell) (out []*cell) {
	return pdk.Filter(x.Page.Out(x.ID), isBranch)
}

// branchTo returns the branch that leads to a shape, nil for a root.
func branchTo(x *cell) *cell {
	for _, e := range x.Page.In(x.ID) {
		if isBranch(e) {
			return e
		}
	}
	return nil
}

// ancestors returns the topics above a shape, the nearest first.
func ancestors(x *cell) (out []*cell) {
	for e := branchTo(x); e != nil; e = branchTo(x) {
		if x = x.Page.Cell(e.Source); x == nil || slices.Contains(out, x) {
			break
		}
		out = append(out, x)
	}
	return out
}

// descendants appends the topics below a shape to out.
func descendants(x *cell, out []*cell) []*cell {
	for _, e := range branches(x) {
		if k := x.Page.Cell(e.Target); k != nil && !slices.Contains(out, k) {
			out = descendants(k, append(out, k))
		}
	}
	return out
}

// isMindMap reports whether shapes make one mind map: branches lead from one of them exactly
// once to each of the others.
func isMindMap(shapes []*cell) bool {
	if len(shapes) < 3 {
		return false
	}
	roots := 0
	var root *cell
	for _, x := range shapes {
		into := x.Page.In(x.ID)
		switch {
		case model.Expands(x) || len(into) > 1 || len(into) == 1 && !isBranch(into[0]):
			return false
		case len(into) == 0:
			root, roots = x, roots+1
		}
	}
	return roots == 1 && len(descendants(root, nil)) == len(shapes)-1
}

// maxRegrown is the greatest number of shapes of a mind map that is laid out again after each
// new or moved topic.
const maxRegrown = 60

// isLaidOut reports whether a page shows only a mind map that is laid out, or only its root.
func isLaidOut(f *file) bool {
	all := arranger.Outermost(f.Current)
	if len(all) > maxRegrown {
		return false
	}
	return len(all) == 1 || len(all) == 2 && branchTo(all[0]) != branchTo(all[1]) || isMindMap(all) && layOut(f, all).Edit() == nil
}

// layOut drafts the layout of a mind map.
func layOut(f *file, all []*cell) *mxfile.Draft {
	d := f.Draft()
	arranger.Order{Algo: "mind"}.Arrange(d, all)
	return d
}

// layOutAgain lays out the mind map that a page shows.
func layOutAgain(c *ctx) error {
	all := arranger.Outermost(c.Model.Current)
	if !isMindMap(all) {
		return nil
	}
	if e := layOut(c.Model, all).Edit(); e != nil {
		pdk.Check(c.Do(e, "layout of the mind map"))
		return legend.Place(c)
	}
	return nil
}

// BranchStyle returns the style of a branch.
func BranchStyle() style.Style {
	return style.SetHead(edit.PlainEdge, "end", "none").Set("curved", "1").Set("strokeWidth", "2").Set("strokeColor", "#999999")
}

// DirOf returns the algorithm for laying out a mind map when the op names none: to both
// sides, or a tree if the op names a direction. ok is false if the sets are not one mind
// map.
func DirOf(a pdk.Args, sets [][]*cell) (algo string, ok bool) {
	if a.Has("algo") || a.Has("by") || len(sets) != 1 || !isMindMap(sets[0]) {
		return "", false
	}
	if a.Has("dir") {
		return "tree", true
	}
	return "mind", true
}
