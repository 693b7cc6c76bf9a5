package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func State(f *Drawing) abi.State {
	all := -1 // without the root
	for _, n := range f.Counts() {
		all += n
	}
	grads := f.Count("linearGradient") + f.Count("radialGradient")
	out := abi.State{Title: f.Title(), Counts: []abi.Count{{Name: "elements", Value: all}, {Name: "groups", Value: f.Count("g")}, {Name: "gradients", Value: grads}, {Name: "filters", Value: f.Count("filter")}}}
	var b strings.Builder
	fmt.Fprintf(&b, "%del %dg", all, f.Count("g"))
	for _, c := range []struct {
		n    int
		word string
	}{{grads, "grad"}, {f.Count("pattern"), "pattern"}, {f.Count("filter"), "filter"}} {
		if c.n > 0 {
			fmt.Fprintf(&b, " %d%s", c.n, c.word)
		}
	}
	sc := f.Scene()
	b.WriteString(" " + CanvasText(sc))
	out.Digest = b.String()
	watched := f.IsWatched()
	out.Warnings = append(f.Broken(3), f.ExternalContent(watched)...)
	if watched {
		out.Warnings = append(out.Warnings, f.warnings(f.Faults(sc))...)
	}
	return out
}

// Title returns the title of the document.
func (f *Drawing) Title() string {
	for c := range f.Root.Kids() {
		if c.Type == "title" {
			return Line(c.FullText(), 200)
		}
	}
	return ""
}

// Broken lists duplicate ids and references to missing elements, up to most of each.
func (f *Drawing) Broken(most int) (out []string) {
	twins := f.Twins()
	slices.Sort(twins)
	for _, id := range twins[:min(len(twins), most)] {
		out = append(out, "several elements have the id "+Line(id, 80))
	}
	if n := len(twins) - most; n > 0 {
		out = append(out, pdk.Count(n, "more id")+" that several elements have")
	}
	var lost []*node
	for n := range f.Links() {
		if len(f.dangling(n)) > 0 {
			lost = append(lost, n)
		}
	}
	for i, n := range f.Sorted(lost) {
		if i == most {
			return append(out, pdk.Count(len(lost)-most, "more element")+" with a reference to a missing element")
		}
		out = append(out, f.Ref(n)+" refers to "+strings.Join(f.dangling(n), ", ")+", which does not exist")
	}
	return out
}

// dangling lists the ids to which an element refers and that nothing has.
func (f *Drawing) dangling(n *node) (ids []string) {
	Refers(n, func(id string) {
		if f.ByID(id) == nil && !slices.Contains(ids, "#"+Line(id, 80)) {
			ids = append(ids, "#"+Line(id, 80))
		}
	})
	return ids
}
