package model

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// faultCache caches the boxes and faults of shapes: an op changes only a few of them, but
// all are examined after each call.
type faultCache struct {
	rest, before []part
	shapes       map[*node]examined
}

// part is the former state of an element that others may depend on.
type part struct {
	n         *node
	tag, tail string
}

// examined is the result for one shape.
type examined struct {
	parent *node
	tag    string
	box    vector.Box
	bad    bool
	fault  Fault
}

// refresh clears the cache if anything has changed that shapes may depend on: every element
// other than shapes and texts; with style sheets also the order of shapes, and the shapes
// themselves if rules depend on siblings. It also clears a cache that has grown too large,
// as after lint or after many shapes were removed.
func (g *faultCache) refresh(f *Drawing) {
	g.before, g.rest = g.rest, g.before[:0]
	rules := f.styles.Of(f.Doc)
	ruled, beside := len(rules.List) > 0, rules.Beside()
	var walk func(n *node, drawn bool)
	walk = func(n *node, drawn bool) {
		typ := n.Type
		drawn = drawn && svgdom.Draws(typ)
		if drawn && typ == "text" || drawn && n.First == nil && isCached(typ) {
			switch {
			case beside:
				g.rest = append(g.rest, part{n: n, tag: n.Tag})
			case ruled:
				g.rest = append(g.rest, part{n: n})
			}
			return
		}
		g.rest = append(g.rest, part{n, n.Tag, n.Tail})
		for c := range n.Kids() {
			walk(c, drawn)
		}
	}
	walk(f.Root, true)
	if !slices.Equal(g.rest, g.before) || g.shapes == nil || len(g.shapes) > 2*watchedElements {
		g.shapes = map[*node]examined{}
	}
}

// valid reports whether a shape is unchanged since it was examined.
func (g *faultCache) valid(n *node) bool {
	s, ok := g.shapes[n]
	return ok && n.First == nil && s.tag == n.Tag && s.parent == n.Parent
}

// isCached reports whether elements of a type are cached.
func isCached(typ string) bool { return svgdom.Shape(typ) || typ == "image" }

// lookup returns the box of an element, and what prevents it from being seen, if anything
// does.
func (g *faultCache) lookup(f *Drawing, sc *scene.Scene, n *node) (vector.Box, Fault, bool) {
	if g.valid(n) {
		s := g.shapes[n]
		return s.box, s.fault, s.bad
	}
	b, _ := sc.Box(n)
	one, bad := f.Invisible(sc, n)
	if n.First == nil && isCached(n.Type) && n.Parent.Type != "switch" {
		g.shapes[n] = examined{n.Parent, n.Tag, b, bad, one}
	}
	return b, one, bad
}
