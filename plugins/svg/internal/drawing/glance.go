package drawing

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// glance remembers what the shapes of a document were found to be, since an op
// changes few of them and all are looked at after each call.
type glance struct {
	rest, before []part
	shapes       map[*node]seen
}

// part is an element that others may depend on, as it was.
type part struct {
	n         *node
	tag, tail string
}

// seen is what a shape was found to be.
type seen struct {
	parent *node
	tag    string
	box    vector.Box
	bad    bool
	fault  fault
}

// over forgets everything where anything has changed on which shapes depend: all
// elements but shapes and texts; with style sheets the order of these, too, and
// all of them where rules look at what stands beside. It also forgets what is too
// much, as after lint, or after many shapes were taken away.
func (g *glance) over(f *Drawing) {
	g.before, g.rest = g.rest, g.before[:0]
	styles := f.styles.Of(f.Doc)
	ruled, beside := styles.Rules() > 0, styles.Beside()
	var walk func(n *node, drawn bool)
	walk = func(n *node, drawn bool) {
		typ := f.Type(n)
		drawn = drawn && scene.Draws(typ)
		if drawn && typ == "text" || drawn && n.First == nil && single(typ) {
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
		g.shapes = map[*node]seen{}
	}
}

// knows reports whether a shape is as it was when it was shown.
func (g *glance) knows(n *node) bool {
	s, ok := g.shapes[n]
	return ok && n.First == nil && s.tag == n.Tag && s.parent == n.Parent
}

// single reports whether elements of a type are looked at by themselves.
func single(typ string) bool { return scene.Shape(typ) || typ == "image" }

// look gives the box of an element that is drawn and what keeps it from being
// seen.
func (g *glance) look(f *Drawing, sc *scene.Scene, n *node) (vector.Box, fault, bool) {
	if g.knows(n) {
		s := g.shapes[n]
		return s.box, s.fault, s.bad
	}
	b, _ := sc.Box(n)
	one, bad := f.unseen(sc, n)
	if n.First == nil && single(f.Type(n)) && f.Type(n.Parent) != "switch" {
		g.shapes[n] = seen{n.Parent, n.Tag, b, bad, one}
	}
	return b, one, bad
}
