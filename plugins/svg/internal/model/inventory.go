package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
)

// Tally counts values and keeps the first elements that have each value.
type Tally struct {
	Keys  []string
	Count map[string]int
	Who   map[string][]*node
}

func (t *Tally) Add(key string, n *node) {
	if t.Count == nil {
		t.Count, t.Who = map[string]int{}, map[string][]*node{}
	}
	if t.Count[key]++; t.Count[key] == 1 {
		t.Keys = append(t.Keys, key)
	}
	if len(t.Who[key]) < 4 {
		t.Who[key] = append(t.Who[key], n)
	}
}

// Palette counts the colours that elements set.
func (f *Drawing) Palette() *Tally {
	sc := f.Scene()
	t := &Tally{}
	for n := range f.Root.All() {
		for _, p := range ColorProperties {
			value, from := sc.Own(n, p)
			if c, ok := csscolor.Parse(value); ok && from != svgdom.Nowhere {
				t.Add(Hex(c)+" "+p, n)
			}
		}
	}
	return t
}

// ColorProperties are the properties that are colours or may be.
var ColorProperties = []string{"fill", "stroke", "stop-color", "flood-color", "lighting-color", "color"}

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
		t := n.Type
		switch {
		case groups && t == "g" && n.First == nil && strings.TrimSpace(n.Tail) == "" && !hasPurpose(n), groups && t == "defs" && n.First == nil && strings.TrimSpace(n.Tail) == "":
			out = append(out, n)
		case defs && n.Parent.Type == "defs" && Definition(t) && !AnyWithin(n, func(m *node) bool { return m.ID() != "" && used[m.ID()] || styled[m] }):
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
	return svgdom.Draws(t)
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

// largePicture is the size in bytes from which on an embedded picture causes a warning.
const largePicture = 200_000

// ExternalContent lists what a viewer of the file may run or load. With events it also
// counts event attributes, which requires a look at all elements.
func (f *Drawing) ExternalContent(events bool) (out []string) {
	if n := f.Count("script"); n > 0 {
		out = append(out, pdk.Count(n, "script")+": kept, never run here")
	}
	if events {
		if n := f.handlers(); n > 0 {
			out = append(out, pdk.Count(n, "event attribute")+" with script: kept, never run here")
		}
	}
	var links []string
	large := 0
	for n := range f.Links() {
		href, _ := n.Href()
		switch href = strings.TrimSpace(href); {
		case strings.HasPrefix(href, "data:"):
			if len(href) > largePicture*4/3 { // base64
				large++
			}
		case href != "" && href[0] != '#' && n.Type != "a":
			links = append(links, Line(href, 80))
		}
	}
	slices.Sort(links)
	for _, imported := range f.styles.Of(f.Doc).Imports {
		links = append(links, Line(imported, 80))
	}
	if len(links) > 0 {
		out = append(out, pdk.Count(len(links), "link")+" to something outside, which is never loaded here: "+links[0])
	}
	if large > 0 {
		out = append(out, pdk.Count(large, "embedded picture")+fmt.Sprintf(" of more than %d KB", largePicture/1000))
	}
	return out
}

// handlers counts event attributes.
func (f *Drawing) handlers() (count int) {
	for n := range f.Root.All() {
		if !strings.Contains(n.Tag, "on") {
			continue
		}
		for k := range n.Attrs() {
			if strings.HasPrefix(k, "on") {
				count++
			}
		}
	}
	return count
}
