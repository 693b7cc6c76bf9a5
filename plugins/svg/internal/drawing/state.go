package drawing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

func state(f *Drawing) abi.State {
	all := -1 // the root
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
	w, h := sc.Size()
	b.WriteString(" " + short(w) + "x" + short(h) + " " + viewText(sc.Canvas()))
	out.Digest = b.String()
	out.Warnings = f.broken()
	return out
}

// title is the document's.
func (f *Drawing) title() string {
	for c := range f.Root.Kids() {
		if f.Type(c) == "title" {
			return line(c.FullText(), 200)
		}
	}
	return ""
}

// broken is what does not hold together: ids that several elements have, and
// references to none.
func (f *Drawing) broken() (out []string) {
	twins := f.Twins()
	slices.Sort(twins)
	for _, id := range twins[:min(len(twins), 5)] {
		out = append(out, "several elements have the id "+line(id, 80))
	}
	if len(twins) > 5 {
		out = append(out, fmt.Sprintf("%d more ids are those of several elements", len(twins)-5))
	}
	dangling, more := map[string]bool{}, 0
	for n := range f.Root.All() {
		refers(n, func(id string) {
			if f.ByID(id) != nil || dangling[id] {
				return
			}
			dangling[id] = true
			if len(dangling) > 5 {
				more++
				return
			}
			out = append(out, f.name(n)+" refers to #"+line(id, 80)+", which is not there")
		})
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("%d more references lead nowhere", more))
	}
	return out
}
