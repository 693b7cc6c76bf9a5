package stencil

import (
	"slices"
	"strings"
	"sync"
)

// sets maps each library to the names of its shapes, stencils and programs, as in styles after "mxgraph.".
var sets = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	add := func(name string) {
		if set, own, ok := cutLast(name); ok {
			out[set] = append(out[set], own)
		}
	}
	files, err := data.ReadDir("data")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, f := range files {
		set, ok := strings.CutPrefix(strings.TrimSuffix(f.Name(), ".z"), "mxgraph.")
		if !ok {
			continue
		}
		for line := range strings.SplitSeq(unpack("mxgraph."+set), "\n") {
			if name, _, ok := strings.Cut(line, "\t"); ok {
				add(set + "." + strings.Clone(name)) // cloned, because the rest of the string is long
			}
		}
	}
	for name := range strings.FieldsSeq(unpack("programs")) {
		if own, ok := strings.CutPrefix(name, "mxgraph."); ok {
			add(own)
		}
	}
	for set, names := range out {
		slices.Sort(names)
		out[set] = slices.Compact(names)
	}
	return out
})

// Sets lists the libraries.
func Sets() []string {
	var out []string
	for set := range sets() {
		out = append(out, set)
	}
	slices.Sort(out)
	return out
}

// Names lists the shapes of a library.
func Names(set string) []string { return sets()[set] }

// Full returns the name of a library's shape in styles, without "mxgraph.", for LIBRARY.NAME in any case; "" if there is
// none.
func Full(name string) string {
	set, own, ok := cutLast(strings.TrimPrefix(strings.ToLower(name), "mxgraph."))
	if !ok {
		return ""
	}
	for s, names := range sets() {
		if strings.ToLower(s) != set {
			continue
		}
		for _, n := range names {
			if strings.ToLower(n) == own {
				return "mxgraph." + s + "." + n
			}
		}
	}
	return ""
}
