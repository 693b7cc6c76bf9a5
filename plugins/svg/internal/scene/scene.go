// Package scene computes how an SVG document looks without drawing it: the values of
// its properties, where its elements are, and their colours.
//
// # Notes
//
// Boxes are those of the geometry, like getBBox of a browser, or those of what is
// painted, with strokes, markers and clips. The box of a text is approximate: whatever
// its font, its letters have the size that they have in previews, without shaping of
// scripts and without ligatures.
//
// A Scene is of one version of a document. Each op makes a new one.
package scene

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Styles caches the rules of a document and its canvas, so that an op does not read
// them again.
type Styles struct {
	version int
	rules   *svgdom.Rules

	root   string // the root's tag that canvas was read from
	canvas vector.Box
}

// Of reads the style elements of a document if they have changed.
func (s *Styles) Of(d *tree.Doc) *svgdom.Rules {
	if nodes, version := d.Sheets(); s.rules == nil || s.version != version {
		*s = Styles{version: version, rules: svgdom.ReadRules(nodes)}
	}
	return s.rules
}

// Scene answers questions about how a document looks.
type Scene struct {
	*svgdom.Cascade
	Doc      *tree.Doc
	styles   *Styles
	ctm      map[*tree.Node]vector.Matrix
	computed map[*tree.Node]*svgdom.Style
	moving   map[*tree.Node][]*tree.Node // the animations of elements; nil until needed
	budget   int                         // elements that the current box may still visit
	left     int                         // the same for all boxes together
}

// Elements may show each other many times through use elements, so the number of visits
// is limited.
const (
	maxForOneBox   = 200_000
	maxForAllBoxes = 4_000_000
)

// allot sets the budget of a box. The function that it returns subtracts what was used
// from the budget of all boxes.
func (s *Scene) allot() func() {
	given := min(maxForOneBox, s.left)
	s.budget = given
	return func() { s.left -= given - max(0, s.budget) }
}

// New creates a scene of a document. styles is shared by all scenes of the same
// document.
func New(d *tree.Doc, styles *Styles) *Scene {
	return &Scene{Cascade: svgdom.NewCascade(styles.Of(d)), Doc: d, styles: styles, computed: map[*tree.Node]*svgdom.Style{}, left: maxForAllBoxes}
}

// Ruled reports whether the document's style elements have rules.
func (s *Scene) Ruled() bool { return len(s.List) > 0 }

// maxPlaced is how many elements Placed looks at: each may have all others as siblings.
const maxPlaced = 2000

// Placed returns which of the rules that depend on the siblings of elements hold for each element, by its key. It
// returns nil if there are no such rules, or too many elements.
func (s *Scene) Placed() map[int]string {
	var rules []css.Selector
	for i := range s.List {
		if sel := s.List[i].Selector; sel.Placed() {
			rules = append(rules, sel)
		}
	}
	out := map[int]string{}
	for n := range s.Doc.Root.All() {
		if len(rules) == 0 || len(out) == maxPlaced {
			return nil
		}
		hold := make([]byte, len(rules))
		for i, sel := range rules {
			if s.Matches(sel, n) {
				hold[i] = 1
			}
		}
		out[n.Key] = string(hold)
	}
	return out
}

// FromRules returns the names of the properties that rules give an element.
func (s *Scene) FromRules(n *tree.Node) (out []string) {
	for _, r := range s.Held(n) {
		for _, d := range r.Body {
			if !slices.Contains(out, d.Name) {
				out = append(out, d.Name)
			}
		}
	}
	return out
}

// Shown reports whether display does not hide an element itself.
func (s *Scene) Shown(n *tree.Node) bool {
	v, _ := s.Own(n, "display")
	return v != "none"
}

// Visible reports whether display and visibility, including those of the enclosing
// elements, allow an element to be drawn.
func (s *Scene) Visible(n *tree.Node) bool {
	for m := n; m != nil; m = m.Parent {
		if !s.Shown(m) {
			return false
		}
	}
	return s.Value(n, "visibility") == "visible"
}
