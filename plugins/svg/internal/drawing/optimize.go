package drawing

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

func optimizeVerb() verb {
	return verb{Run: running(runOptimize), Keys: []pdk.Parameter{precision, keep}, Verb: abi.Verb{
		Syntax: "optimize [precision:DIGITS] [keep:numbers,looks,defs,groups]", Category: "document",
		Brief:    "optimize [precision:3 keep:numbers,looks,defs,groups] · shorter numbers, colours and styles, no unused definitions and empty groups",
		Summary:  "shorten numbers, paths, transforms, colours and styles, and remove unused definitions and empty groups; the picture stays the same",
		Examples: []string{"optimize", "optimize precision:2 keep:defs"},
	}}
}

var precision = value.Key[int]{Name: "precision", Type: value.Int(0, 6), Default: 3, About: " digits after the point of a pixel as shown"}

// keep lists the parts of the work that are left out.
var keep = value.Key[map[string]bool]{Name: "keep", About: " that are left alone", Type: value.Type[map[string]bool]{Takes: "numbers,looks,defs,groups", Parse: func(s string) (map[string]bool, error) {
	out := map[string]bool{}
	for w := range strings.SplitSeq(s, ",") {
		part, err := value.OneOf("numbers", "looks", "defs", "groups").Parse(w)
		if err != nil && w != "" {
			return nil, err
		}
		out[part] = true
	}
	return out, nil
}}}

func runOptimize(o *op) error {
	keep := keep.Of(o.a)
	before := len(o.f.Text())
	shorter, gone := 0, 0
	s := o.shortener(precision.Of(o.a))
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
		what = append(what, pdk.Count(shorter, "element")+" shortened")
	}
	if gone > 0 {
		what = append(what, pdk.Count(gone, "element")+" without use removed")
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
