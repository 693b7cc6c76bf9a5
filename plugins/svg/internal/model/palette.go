package model

import (
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
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
			if c, ok := csscolor.Parse(value); ok && from != scene.Nowhere {
				t.Add(Hex(c)+" "+p, n)
			}
		}
	}
	return t
}

// ColorProperties are the properties that are colours or may be.
var ColorProperties = []string{"fill", "stroke", "stop-color", "flood-color", "lighting-color", "color"}
