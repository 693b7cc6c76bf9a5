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
	"strings"

	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Styles caches the style elements of a document and its canvas, so that an op does not
// read them again.
type Styles struct {
	version int
	read    bool
	rules   []rule
	imports []string
	frames  map[string][]string // the properties that each @keyframes changes

	root   string // the root's tag that canvas was read from
	canvas vector.Box
}

// rule is one selector with its declarations.
type rule struct {
	selector css.Selector
	weight   int
	body     []css.Declaration
}

// Of reads the style elements of a document if they have changed.
func (s *Styles) Of(d *tree.Doc) *Styles {
	nodes, version := d.Sheets()
	if s.read && s.version == version {
		return s
	}
	*s = Styles{version: version, read: true}
	for _, n := range nodes {
		if t := n.Get("type"); t != "" && t != "text/css" {
			continue
		}
		sheet := css.Parse(n.Text())
		s.imports = append(s.imports, sheet.Imports...)
		for name, properties := range sheet.Keyframes {
			if s.frames == nil {
				s.frames = map[string][]string{}
			}
			s.frames[name] = properties
		}
		for _, r := range sheet.Rules {
			body := css.Expand(r.Body)
			for _, sel := range r.Selectors {
				s.rules = append(s.rules, rule{sel, sel.Specificity(), body})
			}
		}
	}
	slices.SortStableFunc(s.rules, func(a, b rule) int { return a.weight - b.weight })
	return s
}

// Imports returns the addresses that style elements import.
func (s *Styles) Imports() []string { return s.imports }

// Beside reports whether a rule depends on earlier siblings of an element.
func (s *Styles) Beside() bool {
	return slices.ContainsFunc(s.rules, func(r rule) bool { return r.selector.Beside() })
}

// Rules returns the number of selectors with their declarations.
func (s *Styles) Rules() int { return len(s.rules) }

// Scene answers questions about how a document looks.
type Scene struct {
	Doc    *tree.Doc
	styles *Styles
	ctm    map[*tree.Node]vector.Matrix
	moving map[*tree.Node][]*tree.Node // the animations of elements; nil until needed
	budget int                         // elements that the current box may still visit
	left   int                         // the same for all boxes together
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
	return &Scene{Doc: d, styles: styles.Of(d), left: maxForAllBoxes}
}

// Origin is where a value comes from.
type Origin byte

// The origins, in ascending order of precedence.
const (
	Nowhere   Origin = iota
	Attribute        // a presentation attribute
	Sheet            // a rule of a style element
	Inline           // the style attribute
)

// Ruled reports whether the document's style elements have rules.
func (s *Scene) Ruled() bool { return len(s.styles.rules) > 0 }

// maxPlaced is how many elements Placed looks at: each may have all others as siblings.
const maxPlaced = 2000

// Placed returns which of the rules that depend on the siblings of elements hold for each element, by its key. It
// returns nil if there are no such rules, or too many elements.
func (s *Scene) Placed() map[int]string {
	var rules []css.Selector
	for i := range s.styles.rules {
		if sel := s.styles.rules[i].selector; sel.Placed() {
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
			if sel.Matches(s.Doc, n) {
				hold[i] = 1
			}
		}
		out[n.Key] = string(hold)
	}
	return out
}

// FromRules returns the names of the properties that rules give an element.
func (s *Scene) FromRules(n *tree.Node) (out []string) {
	for i := range s.styles.rules {
		r := &s.styles.rules[i]
		if !r.selector.Matches(s.Doc, n) {
			continue
		}
		for _, d := range r.body {
			if !slices.Contains(out, d.Name) {
				out = append(out, d.Name)
			}
		}
	}
	return out
}

// Own returns the value that an element itself has for a property, and its origin.
func (s *Scene) Own(n *tree.Node, property string) (string, Origin) {
	value, from, important := "", Nowhere, false
	if v, ok := n.Attr(property); ok {
		value, from = strings.TrimSpace(v), Attribute
	}
	for i := range s.styles.rules {
		r := &s.styles.rules[i]
		for j := range r.body {
			if d := &r.body[j]; d.Name == property && (d.Important || !important) && r.selector.Matches(s.Doc, n) {
				value, from, important = d.Value, Sheet, d.Important
			}
		}
	}
	if style, ok := n.Attr("style"); ok && (strings.Contains(style, property) || strings.HasPrefix(property, "font-") && strings.Contains(style, "font")) {
		for _, d := range css.Expand(css.Declarations(style)) {
			if d.Name == property && (d.Important || !important) {
				value, from, important = d.Value, Inline, d.Important
			}
		}
	}
	return value, from
}

// Value returns the value of a property: the element's own, the inherited one if the
// property is inherited, or the initial one.
func (s *Scene) Value(n *tree.Node, property string) string {
	p, known := css.PropertyNamed(property)
	for m := n; m != nil; m = m.Parent {
		v, from := s.Own(m, property)
		if from != Nowhere && v != "inherit" {
			if v == "initial" {
				break
			}
			return v
		}
		if from == Nowhere && (!known || !p.Inherited) {
			break
		}
	}
	return p.Initial
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
