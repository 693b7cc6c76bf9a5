package drawing

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

func optimizeVerb() verb {
	return verb{Run: running(runOptimize), Verb: abi.Verb{
		Name: "optimize", Category: "document",
		Syntax: "optimize [precision:DIGITS] [keep:numbers,looks,defs,groups]", Brief: "optimize [precision:3 keep:numbers,looks,defs,groups] · shorter numbers, colours and styles, no unused definitions and empty groups", Summary: "shorten numbers, paths, transforms, colours and styles, and remove unused definitions and empty groups; the picture stays the same",
		Params:   []abi.Param{{Key: "precision", Value: "0-6 digits after the point of a pixel as shown"}, {Key: "keep", Value: "numbers,looks,defs,groups that are left alone"}},
		Examples: []string{"optimize", "optimize precision:2 keep:defs"},
	}}
}

// optimizations lists the parts of the work that keep: may exclude.
var optimizations = []string{"numbers", "looks", "defs", "groups"}

func runOptimize(o *op) error {
	digits, err := o.a.Int("precision", 3, 0, 6)
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	for w := range strings.SplitSeq(o.a.String("keep", ""), ",") {
		if k, ok := pdk.OneOf(w, optimizations); ok {
			keep[k] = true
		} else if w != "" {
			return pdk.Errorf("keep:%s is not numbers, looks, defs or groups", w).Instead(o.a.String("keep", ""), pdk.Nearest(w, optimizations)...)
		}
	}
	before := len(o.f.Text())
	shorter, gone := 0, 0
	s := o.shortener(digits)
	s.numbers, s.looks = !keep["numbers"], s.looks && !keep["looks"]
	for n := range o.f.Root.All() {
		was := n.Tag
		s.element(n)
		if n.Tag != was {
			shorter++
		}
	}
	for again := true; again; {
		again = false
		for _, n := range o.f.unused(!keep["defs"], !keep["groups"]) {
			o.Remove(n)
			gone++
			again = true
		}
	}
	o.unchanged = "nothing to shorten"
	o.touch(o.f.Root)
	after := len(o.f.Text())
	var what []string
	if shorter > 0 {
		what = append(what, plural(shorter, "element")+" shortened")
	}
	if gone > 0 {
		what = append(what, plural(gone, "element")+" without use removed")
	}
	o.Bulk("%d bytes fewer (%d, was %d): %s", before-after, after, before, strings.Join(what, ", "))
	return nil
}

// unused returns definitions that nothing refers to, and empty groups.
func (f *Drawing) unused(defs, groups bool) (out []*node) {
	if f.Count("script") > 0 {
		return nil // a script may use anything
	}
	used := f.referredIDs()
	styled := map[*node]bool{}
	if sheets, _ := f.Sheets(); len(sheets) > 0 {
		for _, s := range sheets {
			text := s.Text()
			for n := range f.Root.All() {
				if id := n.ID(); id != "" && strings.Contains(text, "#"+id) {
					styled[n] = true
				}
			}
		}
	}
	for n := range f.Root.All() {
		if n.Parent == nil || used[n.ID()] && n.ID() != "" || styled[n] {
			continue
		}
		t := f.Type(n)
		switch {
		case groups && t == "g" && n.First == nil && strings.TrimSpace(n.Tail) == "" && !hasPurpose(n), groups && t == "defs" && n.First == nil && strings.TrimSpace(n.Tail) == "":
			out = append(out, n)
		case defs && f.Type(n.Parent) == "defs" && definition(t) && !anyWithin(n, func(m *node) bool { return m.ID() != "" && used[m.ID()] || styled[m] }):
			out = append(out, n)
		}
	}
	return tops(out)
}

// anyWithin reports whether a test holds for an element or something in it.
func anyWithin(n *node, test func(*node) bool) bool {
	for m := range n.All() {
		if test(m) {
			return true
		}
	}
	return false
}

// hasPurpose reports whether an empty group may have a purpose.
func hasPurpose(n *node) bool {
	_, filter := n.Attr("filter")
	_, layer := n.Attr("inkscape:groupmode")
	return filter || layer
}

// definition reports whether elements of a type are useful only where something refers
// to them.
func definition(t string) bool {
	switch t {
	case "linearGradient", "radialGradient", "pattern", "marker", "clipPath", "mask", "filter", "symbol":
		return true
	}
	return scene.Draws(t)
}

// referredIDs returns the ids that something refers to, not counting references of a
// definition to itself.
func (f *Drawing) referredIDs() map[string]bool {
	out := map[string]bool{}
	for n := range f.Root.All() {
		refers(n, func(id string) { out[id] = true })
	}
	if sheets, _ := f.Sheets(); len(sheets) > 0 {
		for _, s := range sheets {
			followURLs(s.Text(), func(id string) string { out[id] = true; return id })
		}
	}
	return out
}
