package model

import (
	"strings"

	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// Unused returns definitions that nothing refers to, and empty groups.
func (f *Drawing) Unused(defs, groups bool) (out []*node) {
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
		case defs && f.Type(n.Parent) == "defs" && Definition(t) && !AnyWithin(n, func(m *node) bool { return m.ID() != "" && used[m.ID()] || styled[m] }):
			out = append(out, n)
		}
	}
	return Tops(out)
}

// AnyWithin reports whether a test holds for an element or something in it.
func AnyWithin(n *node, test func(*node) bool) bool {
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

// Definition reports whether elements of a type are useful only where something refers
// to them.
func Definition(t string) bool {
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
		Refers(n, func(id string) { out[id] = true })
	}
	if sheets, _ := f.Sheets(); len(sheets) > 0 {
		for _, s := range sheets {
			followURLs(s.Text(), func(id string) string { out[id] = true; return id })
		}
	}
	return out
}
