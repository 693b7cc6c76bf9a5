package drawing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func state(f *Drawing) abi.State {
	all := -1 // without the root
	for _, n := range f.Counts() {
		all += n
	}
	grads := f.Count("linearGradient") + f.Count("radialGradient")
	out := abi.State{Title: f.title(), Counts: []abi.Count{{Name: "elements", Value: all}, {Name: "groups", Value: f.Count("g")}, {Name: "gradients", Value: grads}, {Name: "filters", Value: f.Count("filter")}}}
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
	sc := f.scene()
	b.WriteString(" " + canvasText(sc))
	out.Digest = b.String()
	watched := f.isWatched()
	out.Warnings = append(f.broken(3), f.externalContent(watched)...)
	if watched {
		out.Warnings = append(out.Warnings, f.warnings(f.faults(sc))...)
	}
	return out
}

// title returns the title of the document.
func (f *Drawing) title() string {
	for c := range f.Root.Kids() {
		if f.Type(c) == "title" {
			return line(c.FullText(), 200)
		}
	}
	return ""
}

// broken lists duplicate ids and references to missing elements, up to most of each.
func (f *Drawing) broken(most int) (out []string) {
	twins := f.Twins()
	slices.Sort(twins)
	for _, id := range twins[:min(len(twins), most)] {
		out = append(out, "several elements have the id "+line(id, 80))
	}
	if n := len(twins) - most; n > 0 {
		out = append(out, pdk.Count(n, "more id")+" that several elements have")
	}
	var lost []*node
	for n := range f.Links() {
		dangles := false
		refers(n, func(id string) { dangles = dangles || f.ByID(id) == nil })
		if dangles {
			lost = append(lost, n)
		}
	}
	for i, n := range f.sorted(lost) {
		if i == most {
			out = append(out, pdk.Count(len(lost)-most, "more element")+" with a reference to a missing element")
			break
		}
		var ids []string
		refers(n, func(id string) {
			if f.ByID(id) == nil && !slices.Contains(ids, "#"+line(id, 80)) {
				ids = append(ids, "#"+line(id, 80))
			}
		})
		out = append(out, f.name(n)+" refers to "+strings.Join(ids, ", ")+", which does not exist")
	}
	return out
}
