package verbs

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

// alignments maps the sides of align to the axis on which elements move and what of their boxes is lined up.
var alignments = map[string]struct {
	axis vector.Point
	of   func(vector.Box) float64
}{
	"left": {vector.Point{X: 1}, func(b vector.Box) float64 { return b.X0 }}, "top": {vector.Point{Y: 1}, func(b vector.Box) float64 { return b.Y0 }},
	"center": {vector.Point{X: 1}, func(b vector.Box) float64 { return b.Center().X }}, "middle": {vector.Point{Y: 1}, func(b vector.Box) float64 { return b.Center().Y }},
	"right": {vector.Point{X: 1}, func(b vector.Box) float64 { return b.X1 }}, "bottom": {vector.Point{Y: 1}, func(b vector.Box) float64 { return b.Y1 }},
}

var alignTo = text("to", "canvas|REF")

func alignVerb() verb {
	return verb{Run: running(runAlign), Verb: abi.Verb{
		Syntax: "align REF…|SEL left|center|right|top|middle|bottom [to:canvas|REF]", Category: "place",
		Summary:  "line elements up: with each other, one alone with the canvas, or with what to: names; center is from left to right, middle from top to bottom",
		Examples: []string{"align dot card left", "align @type:text center to:canvas", "align heading center to:card"},
	}}
}

func runAlign(o *op) error {
	words := len(o.a.Positionals) - 1
	word, err := value.OneOf("left", "center", "right", "top", "middle", "bottom", "centre").Word(o.a, words, "the side")
	if err != nil {
		return err
	}
	side := alignments[strings.Replace(word, "centre", "center", 1)]
	list, err := o.movableTargets(0, words)
	if err != nil {
		return err
	}
	frame, ok := o.union(list)
	to, given := alignTo.Lookup(o.a)
	switch {
	case to == "canvas", !given && len(list) < 2:
		frame = o.scene().Canvas()
	case given:
		if frame, err = o.boxAt(to); err != nil {
			return err
		}
	case !ok:
		return pdk.Errorf("there is no box to align to")
	}
	for _, n := range list {
		if b, ok := o.scene().Box(n); ok {
			by := side.of(frame) - side.of(b)
			o.moveOnCanvas(n, vector.Point{X: side.axis.X * by, Y: side.axis.Y * by})
		}
	}
	o.unchanged = o.f.Refs(list) + ": already aligned"
	o.touch(list...)
	o.placedReply(list)
	return nil
}

var evenGap = value.Key[float64]{Name: "gap", Type: number}

func distributeVerb() verb {
	return verb{Run: running(runDistribute), Keys: []pdk.Parameter{evenGap}, Verb: abi.Verb{
		Syntax: "distribute REF…|SEL horizontal|vertical [gap:N]", Brief: "distribute REF…|SEL horizontal|vertical [gap:]", Category: "place",
		Summary:  "give elements the same gaps, in the order in which they lie; with gap: from the first on",
		Examples: []string{"distribute a b c horizontal", "distribute @class:card vertical gap:16"},
	}}
}

func runDistribute(o *op) error {
	words := len(o.a.Positionals) - 1
	way, err := value.OneOf("horizontal", "vertical").Word(o.a, words, "the direction")
	if err != nil {
		return err
	}
	list, err := o.movableTargets(0, words)
	if err != nil {
		return err
	}
	type item struct {
		n          *node
		from, size float64
	}
	var items []item
	free := 0.0
	for _, n := range list {
		if b, ok := o.scene().Box(n); ok {
			it := item{n, b.X0, b.Width()}
			if way == "vertical" {
				it = item{n, b.Y0, b.Height()}
			}
			items, free = append(items, it), free-it.size
		}
	}
	gap, given := evenGap.Lookup(o.a)
	least := 3
	if given {
		least = 2
	}
	if len(items) < least {
		return pdk.Errorf("distribute needs %d elements with boxes", least)
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.from, b.from) })
	first, last := items[0], items[len(items)-1]
	if !given {
		gap = (free + last.from + last.size - first.from) / float64(len(items)-1)
	}
	at := first.from
	for _, it := range items {
		by := vector.Point{X: at - it.from}
		if way == "vertical" {
			by = vector.Point{Y: by.X}
		}
		o.moveOnCanvas(it.n, by)
		at += it.size + gap
	}
	o.unchanged = o.f.Refs(list) + ": already distributed"
	o.touch(list...)
	b, _ := o.union(list)
	o.Bulk("%s %s, gaps of %s %s", pdk.Count(len(items), "element"), way, model.Short(gap), model.Box(b))
	return nil
}

// stacking is how order moves elements; of other words that mean one of these it suggests that.
var stacking = value.Type[string]{Takes: "front|back|forward|backward", Parse: func(s string) (string, error) {
	how, err := value.OneOf("front", "back", "forward", "backward").Parse(s)
	means := map[string]string{"top": "front", "bottom": "back", "up": "forward", "raise": "forward", "down": "backward", "lower": "backward"}[strings.ToLower(s)]
	if err != nil && means != "" {
		err.(*value.Invalid).Near = []string{means}
	}
	return how, err
}}

func orderVerb() verb {
	return verb{Run: running(runOrder), Verb: abi.Verb{
		Syntax: "order REF…|SEL [front|back|forward|backward] [above:REF] [below:REF]", Category: "place",
		Brief:    "order REF…|SEL front|back|forward|backward | above:REF | below:REF · what is drawn over what",
		Summary:  "change the stacking order within a group",
		Examples: []string{"order logo front", "order background back", "order dot above:card"},
	}}
}

func runOrder(o *op) (err error) {
	words := len(o.a.Positionals)
	how := ""
	var beside *node
	for _, key := range []string{"above", "below"} {
		if ref, ok := o.a.Param(key); ok {
			if beside, err = o.f.Find(ref, false); err != nil {
				return err
			}
			how = key
		}
	}
	if beside == nil {
		words--
		if how, err = stacking.Word(o.a, words, "order needs where to, also above:REF or below:REF:"); err != nil {
			return err
		}
	}
	list, err := o.movableTargets(0, words)
	if err != nil {
		return err
	}
	if how == "back" || how == "forward" || how == "above" {
		slices.Reverse(list)
	}
	for _, n := range list {
		if beside != nil && (beside == n || beside == o.f.Root) {
			return pdk.Errorf("%s cannot be %s %s", o.f.Ref(n), how, o.f.Ref(beside))
		}
		parent, after := n.Parent, n.Prev
		switch how {
		case "front":
			after = parent.Last
		case "back":
			after = lowest(parent, n)
		case "forward":
			if next := o.drawnBeside(n, false); next != nil {
				after = next
			}
		case "backward":
			if prev := o.drawnBeside(n, true); prev != nil {
				after = prev.Prev
			}
		case "above", "below":
			if beside.Parent != parent {
				return pdk.Errorf("%s and %s lie in different groups", o.f.Ref(n), o.f.Ref(beside)).Tryf("reparent %s in:%s", o.f.Ref(n), o.f.Ref(beside.Parent))
			}
			if after = beside; how == "below" {
				after = beside.Prev
			}
		}
		if after != n {
			o.Move(n, parent, after)
		}
	}
	o.unchanged = o.f.Refs(list) + ": already there"
	o.touch(list...)
	if beside != nil {
		how += " " + o.f.Ref(beside)
	}
	o.Changed("%s %s", o.f.Refs(list), how)
	return nil
}

// drawnBeside returns the next sibling that draws, or the previous one if before is
// set.
func (o *op) drawnBeside(n *node, before bool) *node {
	for m := n; ; {
		if m = m.Next; before {
			m = n.Prev
			n = m
		}
		if m == nil || svgdom.Draws(m.Type) {
			return m
		}
	}
}

// lowest returns the element after which an element at the very back belongs: the last
// of the children that come before the first one that draws.
func lowest(parent, n *node) *node {
	var after *node
	for c := range parent.Kids() {
		if c != n && svgdom.Draws(c.Type) {
			break
		}
		if c != n {
			after = c
		}
	}
	return after
}
