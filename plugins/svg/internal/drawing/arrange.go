package drawing

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

var alignments = []string{"left", "center", "right", "top", "middle", "bottom"}

func alignVerb() verb {
	return verb{Run: running(runAlign), Verb: abi.Verb{
		Name: "align", Category: "place", Select: true, Min: 1, Max: -1,
		Syntax: "align REF…|SEL left|center|right|top|middle|bottom [to:canvas|REF]", Brief: "align REF…|SEL left|center|right|top|middle|bottom [to:canvas|REF]",
		Summary:  "line elements up: with each other, one alone with the canvas, or with what to: names; center is from left to right, middle from top to bottom",
		Params:   []abi.Param{{Key: "to", Value: "canvas|REF"}},
		Examples: []string{"align dot card left", "align @type:text center to:canvas", "align heading center to:card"},
	}}
}

func runAlign(o *op) error {
	words := len(o.a.Positionals) - 1
	side, ok := pdk.OneOf(o.a.Text(words), alignments)
	if strings.EqualFold(o.a.Text(words), "centre") {
		side, ok = "center", true
	}
	if !ok {
		return pdk.Errorf("align needs a side after its elements: %s", strings.Join(alignments, " ")).Instead(o.a.Text(words), pdk.Nearest(o.a.Text(words), alignments)...)
	}
	list, err := o.movableTargets(0, words)
	if err != nil {
		return err
	}
	frame, ok := o.union(list)
	switch to := o.a.String("to", ""); to {
	case "":
		if len(list) < 2 {
			frame, ok = o.scene().Canvas(), true
		}
	case "canvas":
		frame, ok = o.scene().Canvas(), true
	default:
		n, err := o.f.find(to, false)
		if err != nil {
			return err
		}
		frame, ok = o.scene().Box(n)
	}
	if !ok {
		return pdk.Errorf("there is no box to align to")
	}
	for _, n := range list {
		b, ok := o.scene().Box(n)
		if !ok {
			continue
		}
		var dx, dy float64
		switch side {
		case "left":
			dx = frame.X0 - b.X0
		case "right":
			dx = frame.X1 - b.X1
		case "center":
			dx = center(frame).X - center(b).X
		case "top":
			dy = frame.Y0 - b.Y0
		case "bottom":
			dy = frame.Y1 - b.Y1
		case "middle":
			dy = center(frame).Y - center(b).Y
		}
		o.moveOnCanvas(n, dx, dy)
	}
	o.unchanged = o.f.names(list) + ": already aligned"
	o.touch(list...)
	o.placedReply(list)
	return nil
}

func distributeVerb() verb {
	return verb{Run: running(runDistribute), Verb: abi.Verb{
		Name: "distribute", Category: "place", Select: true, Min: 1, Max: -1,
		Syntax: "distribute REF…|SEL horizontal|vertical [gap:N]", Brief: "distribute REF…|SEL horizontal|vertical [gap:]", Summary: "give elements the same gaps, in the order in which they lie; with gap: from the first on",
		Params:   []abi.Param{{Key: "gap", Value: "N"}},
		Examples: []string{"distribute a b c horizontal", "distribute @class:card vertical gap:16"},
	}}
}

func runDistribute(o *op) error {
	words := len(o.a.Positionals) - 1
	way, ok := pdk.OneOf(o.a.Text(words), []string{"horizontal", "vertical"})
	if !ok {
		return pdk.Errorf("distribute needs horizontal or vertical after its elements").Instead(o.a.Text(words), pdk.Nearest(o.a.Text(words), []string{"horizontal", "vertical"})...)
	}
	list, err := o.movableTargets(0, words)
	if err != nil {
		return err
	}
	type item struct {
		n    *node
		b    vector.Box
		from float64
		size float64
	}
	var items []item
	for _, n := range list {
		if b, ok := o.scene().Box(n); ok {
			it := item{n, b, b.X0, b.Width()}
			if way == "vertical" {
				it.from, it.size = b.Y0, b.Height()
			}
			items = append(items, it)
		}
	}
	gap, err := o.numberOf("gap", 0)
	if err != nil {
		return err
	}
	least := 3
	if o.a.Has("gap") {
		least = 2
	}
	if len(items) < least {
		return pdk.Errorf("distribute needs %d elements with boxes", least)
	}
	slices.SortStableFunc(items, func(a, b item) int {
		if a.from < b.from {
			return -1
		} else if a.from > b.from {
			return 1
		}
		return 0
	})
	first, last := items[0], items[len(items)-1]
	if !o.a.Has("gap") {
		free := last.from + last.size - first.from
		for _, it := range items {
			free -= it.size
		}
		gap = free / float64(len(items)-1)
	}
	at := first.from
	for _, it := range items {
		d := at - it.from
		if way == "vertical" {
			o.moveOnCanvas(it.n, 0, d)
		} else {
			o.moveOnCanvas(it.n, d, 0)
		}
		at += it.size + gap
	}
	o.unchanged = o.f.names(list) + ": already distributed"
	o.touch(list...)
	b, _ := o.union(list)
	o.Bulk("%s %s, gaps of %s %s", plural(len(items), "element"), way, short(gap), box(b))
	return nil
}

var orders = []string{"front", "back", "forward", "backward"}

func orderVerb() verb {
	return verb{Run: running(runOrder), Verb: abi.Verb{
		Name: "order", Category: "place", Select: true, Max: -1,
		Syntax: "order REF…|SEL front|back|forward|backward | above:REF | below:REF", Brief: "order REF…|SEL front|back|forward|backward | above:REF | below:REF · what is drawn over what", Summary: "change the stacking order within a group",
		Params:   []abi.Param{{Key: "above", Value: "REF"}, {Key: "below", Value: "REF"}},
		Examples: []string{"order logo front", "order background back", "order dot above:card"},
	}}
}

func runOrder(o *op) error {
	words := len(o.a.Positionals)
	how := ""
	var beside *node
	for _, key := range []string{"above", "below"} {
		if ref, ok := o.a.Param(key); ok {
			n, err := o.f.find(ref, false)
			if err != nil {
				return err
			}
			how, beside = key, n
		}
	}
	if beside == nil {
		words--
		var ok bool
		if how, ok = pdk.OneOf(o.a.Text(words), orders); !ok {
			if means := map[string]string{"top": "front", "bottom": "back", "up": "forward", "raise": "forward", "down": "backward", "lower": "backward"}[strings.ToLower(o.a.Text(words))]; means != "" {
				return pdk.Errorf("order takes %s, not %s", strings.Join(orders, " "), o.a.Text(words)).Instead(o.a.Text(words), means)
			}
			return pdk.Errorf("order needs where to after its elements: %s, or above:REF, below:REF", strings.Join(orders, " ")).Instead(o.a.Text(words), pdk.Nearest(o.a.Text(words), orders)...)
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
			return pdk.Errorf("%s cannot be %s %s", o.f.name(n), how, o.f.name(beside))
		}
		parent, after := n.Parent, n.Prev
		switch how {
		case "front":
			after = parent.Last
		case "back":
			after = lowest(o.f, parent, n)
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
				return pdk.Errorf("%s and %s lie in different groups", o.f.name(n), o.f.name(beside)).Tryf("reparent %s in:%s", o.f.name(n), o.f.name(beside.Parent))
			}
			if after = beside; how == "below" {
				after = beside.Prev
			}
		}
		if after != n {
			o.Move(n, parent, after)
		}
	}
	o.unchanged = o.f.names(list) + ": already there"
	o.touch(list...)
	if beside != nil {
		how += " " + o.f.name(beside)
	}
	o.Changed("%s %s", o.f.names(list), how)
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
		if m == nil || o.scene().Rendered(m) {
			return m
		}
	}
}

// lowest returns the element after which an element at the very back belongs: the last
// of the children that come before the first one that draws.
func lowest(f *Drawing, parent, n *node) *node {
	var after *node
	sc := f.scene()
	for c := range parent.Kids() {
		if c != n && sc.Rendered(c) {
			break
		}
		if c != n {
			after = c
		}
	}
	return after
}
