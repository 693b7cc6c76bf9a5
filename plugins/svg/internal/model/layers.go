package model

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// Layers returns Inkscape's layers at any depth if the document has any, else the
// groups with an id that are children of the root.
func (f *Drawing) Layers() []*node {
	var real, groups []*node
	if f.Count("g") == 0 {
		return nil
	}
	for n := range f.Root.All() {
		if n.Type != "g" {
			continue
		}
		if n.Get("inkscape:groupmode") == "layer" {
			real = append(real, n)
		} else if n.Parent == f.Root && n.ID() != "" {
			groups = append(groups, n)
		}
	}
	if len(real) > 0 {
		return real
	}
	return groups
}

// LayerName returns the name of a layer.
func (f *Drawing) LayerName(n *node) string {
	if label := n.Get("inkscape:label"); label != "" {
		return label
	}
	return n.ID()
}

// Layer resolves a layer by its name, its id or its number, counted from the lowest.
func (f *Drawing) Layer(ref string) (*node, error) {
	var names pdk.Index[*node]
	list := f.Layers()
	for _, n := range list {
		names.Put(n, f.LayerName(n), "", "")
	}
	if hits, _ := names.Find(ref, false); len(hits) == 1 {
		return hits[0], nil
	}
	for i, n := range list {
		if n.ID() == ref || strconv.Itoa(i+1) == ref {
			return n, nil
		}
	}
	if len(list) == 0 {
		return nil, pdk.Errorf("there is no layer %s; the document has no layers", pdk.Quote(ref))
	}
	var have []string
	for _, n := range list {
		have = append(have, pdk.Quote(f.LayerName(n)))
	}
	return nil, pdk.Errorf("there is no layer %s; there are %s", pdk.Quote(ref), strings.Join(have, ", ")).Instead(ref, names.Nearest(ref)...)
}
