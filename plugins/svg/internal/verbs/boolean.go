package verbs

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

func boolVerb() verb {
	return verb{Run: running(runBool), Verb: abi.Verb{
		Syntax: "bool union|subtract|intersect|exclude REF REF…|SEL [as:ID]", Brief: "bool union|subtract|intersect|exclude REF REF…|SEL [as:ID]", Category: "paths",
		Summary:  "combine the areas of shapes into one path in the place and with the look of the first; a group counts as all its shapes; with selectors the lowest element is the first",
		Examples: []string{"bool union dot card", "bool subtract card dot as:plate", "bool exclude @group:logo"},
	}}
}

func runBool(o *op) error {
	word, err := value.OneOf("union", "subtract", "intersect", "exclude").Word(o.a, 0, "the operation")
	if err != nil {
		return err
	}
	list, err := o.movableTargets(1, len(o.a.Positionals))
	if err != nil {
		return err
	}
	if len(o.a.Selectors) > 0 {
		list = model.Leaves(list)
	}
	if len(list) < 2 {
		return pdk.Errorf("bool %s needs two or more shapes, not only %s", word, o.f.Refs(list))
	}
	first := list[0]
	inverse, flat := o.scene().CTM(first).Inverse()
	if _, shape := o.scene().Path(first); !shape {
		return pdk.Errorf("%s is a %s; the result is styled as the first element, so name a shape first", o.f.Ref(first), first.Type)
	} else if !flat {
		return pdk.Errorf("%s is flattened to nothing", o.f.Ref(first))
	}
	var regions []vector.Region
	var of []int // the element of each region
	for i, n := range list {
		parts, err := o.regions(n, inverse)
		if err != nil {
			return err
		}
		regions = append(regions, parts...)
		for range parts {
			of = append(of, i)
		}
	}
	in := make([]bool, len(list))
	combine := func(accepts func(in []bool) bool) (vector.Path, error) {
		return vector.Combine(regions, func(inside []bool) bool {
			clear(in)
			for i, is := range inside {
				in[of[i]] = in[of[i]] || is
			}
			return accepts(in)
		})
	}
	if word == "subtract" {
		// An element that does not overlap would be removed without any effect. Nobody wants
		// that.
		for i := 1; i < len(list); i++ {
			both, err := combine(func(in []bool) bool { return in[0] && in[i] })
			if err == nil && len(both) == 0 {
				return pdk.Errorf("%s does not overlap %s, so there is nothing to subtract", o.f.Ref(list[i]), o.f.Ref(first)).TryQuery("bbox " + o.f.Ref(first) + " " + o.f.Ref(list[i]))
			}
		}
	}
	p, err := combine(combining(word))
	if err != nil {
		return pdk.Errorf("%s cannot be combined: %v; path REF simplify makes them simpler", o.f.Refs(list), err)
	}
	if len(p) == 0 {
		return pdk.Errorf("nothing would be left: %s of %s is empty", word, o.f.Refs(list)).TryQuery("bbox " + o.f.Refs(list[:1]))
	}
	names := o.f.Refs(list)
	m := o.setOutline(first, p.Round(decimals(p)))
	if id, ok := o.a.Param("as"); ok {
		if err := o.rename(m, id); err != nil {
			return err
		}
	}
	o.drop(list[1:])
	o.touch(m)
	b, _ := o.scene().Box(m)
	o.Changed("%s %s: %s of %s, %s", o.f.Ref(m), model.Box(b), map[string]string{"union": "union", "subtract": "difference", "intersect": "intersection", "exclude": "exclusion"}[word], names, pdk.Count(len(p), "segment"))
	return nil
}

// decimals returns how many decimals the numbers of a path need.
func decimals(p vector.Path) int {
	b, _ := p.Box(vector.Identity())
	return int(min(8, max(2, math.Ceil(5-math.Log10(max(b.Width(), b.Height(), 1e-3))))))
}

// regions returns the areas of a shape, or of all shapes in a group, in the space that
// into maps the canvas to.
func (o *op) regions(n *node, into vector.Matrix) (out []vector.Region, err error) {
	typ := n.Type
	for _, p := range []string{"clip-path", "mask"} {
		if v, _ := o.scene().Own(n, p); v != "" && v != "none" {
			o.Warn("the %s of %s is ignored", p, o.f.Ref(n))
		}
	}
	if p, ok := o.scene().Path(n); ok {
		p = p.Transform(into.Times(o.scene().CTM(n)))
		if !encloses(p) {
			err := pdk.Errorf("%s encloses no area", o.f.Ref(n))
			if o.hasStroke(n) {
				err.Message += "; outline makes a shape of its stroke"
				err.Tryf("outline %s", o.f.Ref(n))
			}
			return nil, err
		}
		return []vector.Region{{Path: p, EvenOdd: o.scene().Value(n, "fill-rule") == "evenodd"}}, nil
	}
	if typ != "g" && typ != "a" {
		return nil, pdk.Errorf("%s is %s, which has no area that bool can use; it takes shapes and groups of shapes", o.f.Ref(n), article(typ))
	}
	for c := range n.Kids() {
		if !svgdom.Draws(c.Type) || !o.scene().Shown(c) {
			continue
		}
		parts, err := o.regions(c, into)
		if err != nil {
			return nil, pdk.Errorf("in %s: %v", o.f.Ref(n), err)
		}
		out = append(out, parts...)
	}
	if len(out) == 0 {
		return nil, pdk.Errorf("%s holds no shapes", o.f.Ref(n))
	}
	return out, nil
}

// encloses reports whether filling a path paints anything.
func encloses(p vector.Path) bool {
	area, err := vector.Combine([]vector.Region{{Path: p}}, func(inside []bool) bool { return inside[0] })
	return err != nil || len(area) > 0
}

// article puts an article before a word.
func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) && word != "use" {
		return "an " + word
	}
	return "a " + word
}

// combining returns a function that takes, for each element, whether it contains a
// point, and reports whether the result contains the point.
func combining(word string) func(in []bool) bool {
	return func(in []bool) bool {
		n := 0
		for _, is := range in {
			if is {
				n++
			}
		}
		switch word {
		case "union":
			return n > 0
		case "subtract":
			return in[0] && n == 1
		case "intersect":
			return n == len(in)
		}
		return n%2 == 1
	}
}
