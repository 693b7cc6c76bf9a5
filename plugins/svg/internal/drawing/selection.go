package drawing

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

func selectors() []abi.Selector {
	return []abi.Selector{
		{Type: "type", Syntax: "@type:T", Summary: "elements of a type: rect, g, text, linearGradient"},
		{Type: "id", Syntax: "@id:PATTERN", Summary: "elements by id; * stands for any letters"},
		{Type: "class", Syntax: "@class:NAME", Summary: "elements of a class"},
		{Type: "layer", Syntax: "@layer:NAME", Summary: "elements on a layer"},
		{Type: "group", Syntax: "@group:REF", Summary: "elements in a group, at any depth"},
		{Type: "fill", Syntax: "@fill:COLOUR", Summary: "elements with that fill, none or a gradient's id"},
		{Type: "stroke", Syntax: "@stroke:COLOUR", Summary: "elements with that stroke"},
		{Type: "range", Syntax: "@range:X,Y-X,Y", Summary: "what lies within a rectangle of the canvas"},
		{Type: "inside", Syntax: "@inside:REF", Summary: "what lies within another element's box"},
		{Type: "text", Syntax: `@text:"…"`, Summary: "texts that contain it"},
		{Type: "css", Syntax: `@css:"g > rect.x"`, Summary: "elements by a CSS selector"},
		{Type: "depth", Syntax: "@depth:N", Summary: "elements at that depth; 1 is the top level"},
	}
}

// selected returns the elements that selectors match, in document order. It searches
// the elements that draw, or all elements if a selector names a type, an id, a class, a
// paint or CSS; but what is in a mask or a clip path, which is never seen itself, only if
// a selector names its id or such a group. It returns an error if nothing matches.
func (f *Drawing) selected(recent []string, sels []abi.Select, exact bool) ([]*node, error) {
	list, err := f.matches(recent, sels, exact)
	if err == nil && len(list) == 0 {
		var raw []string
		for _, s := range sels {
			raw = append(raw, s.Raw)
		}
		err = pdk.Errorf("%s matches nothing; the query map shows the elements", strings.Join(raw, " ")).TryQuery("map")
	}
	return list, err
}

// matches is selected for callers that accept an empty result.
func (f *Drawing) matches(recent []string, sels []abi.Select, exact bool) ([]*node, error) {
	everything := slices.ContainsFunc(sels, func(s abi.Select) bool {
		return !s.Negated && (s.Type == "type" || s.Type == "id" || s.Type == "class" || s.Type == "css" || s.Type == "recent" || s.Type == "fill" || s.Type == "stroke")
	})
	named := f.namedHolders(sels, exact)
	sc := f.scene()
	sel := pdk.Selection[*Drawing, *node]{
		All: func(f *Drawing) []*node {
			var out []*node
			for n := f.Root.First; n != nil; {
				typ := f.Type(n)
				if everything || scene.Draws(typ) {
					out = append(out, n)
				}
				enter := everything || scene.Draws(typ) && typ != "text"
				if enter && holds(typ) || !enter && typ != "text" {
					enter = named(n)
				}
				if next := n.First; next != nil && enter {
					n = next
				} else {
					n = n.Behind(f.Root)
				}
			}
			return out
		},
		Few: func(f *Drawing, some []*node) []*node { return f.sorted(some) },
		ByID: func(f *Drawing, id string) (*node, bool) {
			key, err := strconv.Atoi(id)
			n := f.Node(key)
			return n, err == nil && n != nil
		},
		Types: selectorTests(sc, exact),
	}
	return sel.Select(f, recent, sels)
}

// holds reports whether elements of a type hold shapes that cut or fade others and are never seen themselves.
func holds(typ string) bool { return typ == "mask" || typ == "clipPath" }

// namedHolders returns a function that reports whether selectors name what is in an element that draws nothing itself: by an id,
// or by a group that is that element, lies in it or holds it and is no part of the drawing.
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
		if g, err := f.find(s.Value, exact); err == nil && (!scene.Draws(f.Type(g)) || inDefs(f, g)) {
			groups = append(groups, g)
		}
	}
	return func(n *node) bool {
		return byID || slices.ContainsFunc(groups, func(g *node) bool { return g.Within(n) || n.Within(g) && !holds(f.Type(n)) })
	}
}

// selectorTests returns, for each selector type, a function that makes a test of
// elements from the selector's value. With exact, references must be full ids.
func selectorTests(sc *scene.Scene, exact bool) map[string]func(*Drawing, string) (func(*node) bool, error) {
	return map[string]func(*Drawing, string) (func(*node) bool, error){
		"type": func(f *Drawing, v string) (func(*node) bool, error) {
			typ, err := f.typeNamed(v)
			return func(n *node) bool { return f.Type(n) == typ }, err
		},
		"id": func(_ *Drawing, v string) (func(*node) bool, error) {
			return func(n *node) bool { id := n.ID(); return id != "" && matchesPattern(v, id) }, nil
		},
		"class": func(_ *Drawing, v string) (func(*node) bool, error) {
			return func(n *node) bool { return css.HasClass(n, strings.TrimPrefix(v, ".")) }, nil
		},
		"layer": func(f *Drawing, v string) (func(*node) bool, error) {
			l, err := f.layer(v)
			return func(n *node) bool { return n != l && n.Within(l) }, err
		},
		"group": func(f *Drawing, v string) (func(*node) bool, error) {
			g, err := f.find(v, exact)
			return func(n *node) bool { return n != g && n.Within(g) }, err
		},
		"fill":   func(_ *Drawing, v string) (func(*node) bool, error) { return paintTest(sc, "fill", v) },
		"stroke": func(_ *Drawing, v string) (func(*node) bool, error) { return paintTest(sc, "stroke", v) },
		"range": func(_ *Drawing, v string) (func(*node) bool, error) {
			b, err := corners(v)
			return insideTest(sc, b), err
		},
		"inside": func(f *Drawing, v string) (func(*node) bool, error) {
			n, err := f.find(v, exact)
			if err != nil {
				return nil, err
			}
			b, ok := sc.Box(n)
			if !ok {
				return nil, pdk.Errorf("%s has no box, so nothing lies in it", f.name(n))
			}
			in := insideTest(sc, b)
			return func(m *node) bool { return m != n && !n.Within(m) && in(m) }, nil
		},
		"text": func(f *Drawing, v string) (func(*node) bool, error) {
			low := strings.ToLower(v)
			return func(n *node) bool {
				return f.Type(n) == "text" && strings.Contains(strings.ToLower(n.FullText()), low)
			}, nil
		},
		"css": func(f *Drawing, v string) (func(*node) bool, error) {
			list, err := css.ParseSelectors(v)
			if err != nil {
				return nil, pdk.Errorf("@css: %v", err)
			}
			return func(n *node) bool {
				return slices.ContainsFunc(list, func(s css.Selector) bool { return s.Matches(f.Doc, n) })
			}, nil
		},
		"depth": func(_ *Drawing, v string) (func(*node) bool, error) {
			d, err := strconv.Atoi(v)
			if err != nil || d < 1 {
				return nil, pdk.Errorf("@depth:%s: N is a whole number from 1", v)
			}
			return func(n *node) bool { return n.Depth() == d }, nil
		},
	}
}

// typeNamed returns the element type for a name that people use.
func (f *Drawing) typeNamed(v string) (string, error) {
	if v == "group" {
		v = "g"
	}
	if f.Count(v) > 0 || scene.Draws(v) || scene.Group(v) {
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
		if scene.Group(sc.Doc.Type(n)) {
			return false
		}
		if _, from := sc.Own(n, property); from == scene.Nowhere && !sc.Rendered(n) {
			return false // in a definition, only what sets the property itself
		}
		v := sc.Value(n, property)
		if v == "currentColor" {
			v = sc.Value(n, "color")
		}
		if got, ok := csscolor.Parse(v); ok && isColor {
			return got == c
		}
		return strings.EqualFold(v, want) || reference(v) == want
	}, nil
}

// reference returns the id in url(#id), or "".
func reference(v string) string {
	v, ok := strings.CutPrefix(strings.TrimSpace(v), "url(")
	if !ok {
		return ""
	}
	v, _, ok = strings.Cut(v, ")")
	v = strings.Trim(strings.TrimSpace(v), `"'`)
	if !ok || !strings.HasPrefix(v, "#") {
		return ""
	}
	return v[1:]
}

// corners reads X,Y-X,Y.
func corners(v string) (vector.Box, error) {
	for i := 1; i < len(v); i++ {
		if v[i] != '-' || v[i-1] == ',' || v[i-1] == 'e' {
			continue
		}
		x0, y0, ok := pair(v[:i], ",")
		x1, y1, ok2 := pair(v[i+1:], ",")
		if ok && ok2 {
			return vector.Empty().Add(vector.Point{X: x0, Y: y0}).Add(vector.Point{X: x1, Y: y1}), nil
		}
	}
	return vector.Box{}, pdk.Errorf("@range:%s is not X,Y-X,Y, such as @range:0,0-100,50", v)
}

// insideTest returns the test whether an element is inside a box.
func insideTest(sc *scene.Scene, b vector.Box) func(*node) bool {
	const slack = 1e-6
	return func(n *node) bool {
		c, ok := sc.Box(n)
		return ok && c.X0 >= b.X0-slack && c.Y0 >= b.Y0-slack && c.X1 <= b.X1+slack && c.Y1 <= b.Y1+slack
	}
}
