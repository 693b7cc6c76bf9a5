package model

import (
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// everywhere lists the selector types that search what draws nothing itself, too.
var everywhere = []string{"type", "id", "class", "css", "recent", "fill", "stroke"}

// Selected returns the elements that selectors match, in document order. It searches
// the elements that draw, or all elements if a selector names a type, an id, a class, a
// paint or CSS; but what is in a mask or a clip path, which is never seen itself, only if
// a selector names its id or such a group. It returns an error if nothing matches.
func (f *Drawing) Selected(recent []string, sels []abi.Select, exact bool) ([]*node, error) {
	list, err := f.Matches(recent, sels, exact)
	if err == nil && len(list) == 0 {
		err = pdk.NothingMatches(sels).TryQuery("map")
	}
	return list, err
}

// Matches is selected for callers that accept an empty result.
func (f *Drawing) Matches(recent []string, sels []abi.Select, exact bool) ([]*node, error) {
	everything := slices.ContainsFunc(sels, func(s abi.Select) bool { return !s.Negated && slices.Contains(everywhere, s.Type) })
	named := f.namedHolders(sels, exact)
	s := Selection(exact)
	s.All = func(f *Drawing) []*node {
		var out []*node
		for n := f.Root.First; n != nil; {
			typ := n.Type
			if everything || svgdom.Draws(typ) {
				out = append(out, n)
			}
			enter := everything || svgdom.Draws(typ) && typ != "text"
			if enter && Holds(typ) || !enter && typ != "text" {
				enter = named(n)
			}
			if next := n.First; next != nil && enter {
				n = next
			} else {
				n = n.Behind(f.Root)
			}
		}
		return out
	}
	return s.Select(f, recent, sels)
}

// Holds reports whether elements of a type hold shapes that cut or fade others and are never seen themselves.
func Holds(typ string) bool { return typ == "mask" || typ == "clipPath" }

// namedHolders returns a function that reports whether selectors name what is in an element that draws nothing itself:
// by an id, or by a group that is that element, lies in it or holds it and is no part of the drawing.
func (f *Drawing) namedHolders(sels []abi.Select, exact bool) func(*node) bool {
	byID, groups := false, []*node{}
	for _, s := range sels {
		if s.Negated {
			continue
		}
		byID = byID || s.Type == "id"
		if s.Type != "group" {
			continue
		}
		if g, err := f.Find(s.Value, exact); err == nil && (!svgdom.Draws(g.Type) || InDefs(f, g)) {
			groups = append(groups, g)
		}
	}
	return func(n *node) bool {
		return byID || slices.ContainsFunc(groups, func(g *node) bool { return g.Within(n) || n.Within(g) && !Holds(n.Type) })
	}
}

// is is a test of elements.
type is = func(*node) bool

// Selection returns the selector types. With exact, references must be full ids.
func Selection(exact bool) *pdk.Selection[*Drawing, *node] {
	kind := func(syntax, summary string, match func(f *Drawing, v string) (is, error)) pdk.SelectorType[*Drawing, *node] {
		return pdk.SelectorType[*Drawing, *node]{Selector: abi.Selector{Syntax: syntax, Summary: summary}, Match: match}
	}
	return &pdk.Selection[*Drawing, *node]{
		Few: func(f *Drawing, some []*node) []*node { return f.Sorted(some) },
		ByID: func(f *Drawing, id string) (*node, bool) {
			key, err := strconv.Atoi(id)
			n := f.Node(key)
			return n, err == nil && n != nil
		},
		Table: []pdk.SelectorType[*Drawing, *node]{
			kind("@type:T", "elements of a type: rect, g, text, linearGradient", func(f *Drawing, v string) (is, error) {
				typ, err := f.typeNamed(v)
				return func(n *node) bool { return n.Type == typ }, err
			}),
			kind("@id:PATTERN", "elements by id; * stands for any letters", func(_ *Drawing, v string) (is, error) {
				return func(n *node) bool { id := n.ID(); return id != "" && matchesPattern(v, id) }, nil
			}),
			kind("@class:NAME", "elements of a class", func(_ *Drawing, v string) (is, error) {
				return func(n *node) bool { return n.HasClass(strings.TrimPrefix(v, ".")) }, nil
			}),
			kind("@layer:NAME", "elements on a layer", func(f *Drawing, v string) (is, error) {
				l, err := f.Layer(v)
				return func(n *node) bool { return n != l && n.Within(l) }, err
			}),
			kind("@group:REF", "elements in a group, at any depth", func(f *Drawing, v string) (is, error) {
				g, err := f.Find(v, exact)
				return func(n *node) bool { return n != g && n.Within(g) }, err
			}),
			kind("@fill:COLOUR", "elements with that fill, none or a gradient's id", func(f *Drawing, v string) (is, error) { return paintTest(f.Scene(), "fill", v) }),
			kind("@stroke:COLOUR", "elements with that stroke", func(f *Drawing, v string) (is, error) { return paintTest(f.Scene(), "stroke", v) }),
			kind("@range:X,Y-X,Y", "what lies within a rectangle of the canvas", func(f *Drawing, v string) (is, error) {
				r, ok := value.ParseRange(v)
				if !ok {
					return nil, pdk.Errorf("@range:%s is not X,Y-X,Y, such as @range:0,0-100,50", v)
				}
				return insideTest(f.Scene(), vector.Box{X0: r.X, Y0: r.Y, X1: r.Right(), Y1: r.Bottom()}), nil
			}),
			kind("@inside:REF", "what lies within another element's box", func(f *Drawing, v string) (is, error) {
				n, err := f.Find(v, exact)
				if err != nil {
					return nil, err
				}
				sc := f.Scene()
				b, ok := sc.Box(n)
				if !ok {
					return nil, pdk.Errorf("%s has no box, so nothing lies in it", f.Ref(n))
				}
				in := insideTest(sc, b)
				return func(m *node) bool { return m != n && !n.Within(m) && in(m) }, nil
			}),
			kind(`@text:"…"`, "texts that contain it", func(f *Drawing, v string) (is, error) {
				low := strings.ToLower(v)
				return func(n *node) bool {
					return n.Type == "text" && strings.Contains(strings.ToLower(n.FullText()), low)
				}, nil
			}),
			kind(`@css:"g > rect.x"`, "elements by a CSS selector", func(f *Drawing, v string) (is, error) {
				list, err := css.ParseSelectors(v)
				if err != nil {
					return nil, pdk.Errorf("@css: %v", err)
				}
				var m svgdom.Matcher
				return func(n *node) bool { return m.Any(list, n) }, nil
			}),
			kind("@depth:N", "elements at that depth; 1 is the top level", func(_ *Drawing, v string) (is, error) {
				d, err := value.Key[int]{Name: "@depth", Type: value.Int(1, tree.MaxDepth)}.Parse(v)
				return func(n *node) bool { return n.Depth() == d }, err
			}),
		},
	}
}

// typeNamed returns the element type for a name that people use.
func (f *Drawing) typeNamed(v string) (string, error) {
	if v == "group" {
		v = "g"
	}
	if f.Count(v) > 0 || svgdom.Draws(v) || svgdom.Group(v) {
		return v, nil
	}
	var known []string
	for typ, n := range f.Counts() {
		if strings.EqualFold(typ, v) && n > 0 {
			return typ, nil
		}
		if n > 0 {
			known = append(known, typ)
		}
	}
	slices.Sort(known)
	if typ, ok := pdk.OneOf(v, elementTypes); ok {
		return typ, nil
	}
	return "", pdk.Errorf("there is no type %s here; this document has %s", pdk.Quote(v), strings.Join(known, " ")).
		Instead(v, pdk.Nearest(v, slices.Concat(known, elementTypes))...)
}

// elementTypes lists the element types of SVG.
var elementTypes = strings.Fields("rect circle ellipse line polyline polygon path text tspan textPath image use g svg a switch symbol defs style title desc metadata script foreignObject " +
	"linearGradient radialGradient stop pattern marker clipPath mask filter animate animateTransform set")

// matchesPattern matches a pattern with *, ignoring case.
func matchesPattern(pattern, s string) bool {
	parts := strings.Split(strings.ToLower(pattern), "*")
	s = strings.ToLower(s)
	if len(parts) == 1 {
		return s == parts[0]
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, last)
}

// paintTest returns the test for a paint. It compares colours, not their notation.
func paintTest(sc *scene.Scene, property, want string) (func(*node) bool, error) {
	c, isColor := csscolor.Parse(want)
	want = strings.TrimPrefix(want, "#")
	if !isColor && want == "" {
		return nil, pdk.Errorf("@%s needs a colour, none, or the id of a gradient", property)
	}
	return func(n *node) bool {
		if svgdom.Group(n.Type) {
			return false
		}
		if _, from := sc.Own(n, property); from == svgdom.Nowhere && !svgdom.Draws(n.Type) {
			return false // in a definition, only what sets the property itself
		}
		v := sc.Value(n, property)
		if v == "currentColor" {
			v = sc.Value(n, "color")
		}
		if got, ok := csscolor.Parse(v); ok && isColor {
			return got == c
		}
		return strings.EqualFold(v, want) || css.Reference(v) == want
	}, nil
}

// insideTest returns the test whether an element is inside a box.
func insideTest(sc *scene.Scene, b vector.Box) is {
	b = b.Grow(1e-6, 1e-6)
	return func(n *node) bool {
		c, ok := sc.Box(n)
		return ok && b.Holds(c)
	}
}
