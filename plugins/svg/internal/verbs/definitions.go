package verbs

import (
	"math"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

// holderVerb makes the verb clip or mask, which moves shapes into a definition.
func holderVerb(name, typ, property, what string) verb {
	return verb{Keys: []pdk.Parameter{takers}, Verb: abi.Verb{
		Syntax: name + " NAME REF… [for:REF,REF]", Brief: name + " NAME REF… [for:REF,REF] · " + what, Summary: what,
		Category: "definitions", Examples: []string{name + " round dot for:card"},
	}, Run: running(func(o *op) error {
		list, err := o.movableTargets(1, len(o.a.Positionals))
		if err != nil {
			return err
		}
		return o.makeDef(element{name: typ, attrs: [][2]string{{"id", o.a.Text(0)}}}, property, list, 0, func(n *node, list []*node) string {
			return name + " " + o.f.Ref(n) + " of " + o.f.Refs(list)
		})
	})}
}

// pieces replaces groups by elements that a clip path may contain: shapes, texts, and
// uses of these.
func (o *op) pieces(list []*node) (out []*node, err error) {
	for _, n := range list {
		typ := n.Type
		switch {
		case svgdom.Shape(typ), typ == "text":
			out = append(out, n)
		case typ == "use":
			if t := o.scene().Target(n); t != nil && !svgdom.Shape(t.Type) && t.Type != "text" {
				return nil, o.notClippable(n, "shows the "+t.Type+" "+o.f.Ref(t))
			}
			out = append(out, n)
		case typ == "g", typ == "a":
			if users := o.f.Referrers(n.ID()); len(users) > 0 {
				return nil, o.notClippable(n, "is referred to by "+o.f.Refs(users))
			}
			if err := o.checkDissolvable(n); err != nil {
				return nil, err
			}
			kids, err := o.pieces(o.ungroup(n))
			if err != nil {
				return nil, err
			}
			out = append(out, kids...)
		default:
			return nil, o.notClippable(n, "is "+article(typ))
		}
	}
	return out, nil
}

// notClippable returns the error for an element that cannot be in a clip path.
func (o *op) notClippable(n *node, why string) error {
	return pdk.Errorf("%s %s, and a clip path holds only shapes and texts; a mask may hold anything, and shows where it is white", o.f.Ref(n), why).Try(o.a.Mended(func(op *abi.Op) { op.Verb = "mask" }))
}

func clipVerb() verb {
	return holderVerb("clip", "clipPath", "clip-path", "shapes limit which part of an element is visible")
}

func maskVerb() verb {
	return holderVerb("mask", "mask", "mask", "shapes set what shows of an element: white all, black nothing")
}

var (
	headSize = value.Key[float64]{Name: "size", Type: value.Number(0.1, maxCoordinate), Default: 6, About: " stroke widths"}
	headInk  = value.Key[string]{Name: "color", Type: colour, Default: "context-stroke", About: "; the line's own otherwise"}
)

func markerVerb() verb {
	return verb{Run: running(runMarker), Keys: []pdk.Parameter{headSize, headInk, takers}, Verb: abi.Verb{
		Syntax: "marker NAME arrow|dot|square|diamond|bar|open [size:N] [color:COLOUR] [for:REF,REF|SEL]", Category: "definitions", Select: true,
		Brief:    "marker NAME arrow|dot|square|diamond|bar|open [size: color: for:REF] · the end of a line: style REF marker-end:NAME",
		Summary:  "make a marker for the ends of lines; size: is in stroke widths",
		Examples: []string{"marker arrow arrow for:axis", "marker knob dot size:4 color:red"},
	}}
}

func runMarker(o *op) error {
	kind, err := value.OneOf("arrow", "dot", "square", "diamond", "bar", "open").Word(o.a, 1, "the marker")
	if err != nil {
		return err
	}
	s, ink := model.Num(headSize.Of(o.a)), headInk.Of(o.a)
	e := element{name: "marker", attrs: [][2]string{{"id", o.a.Text(0)}, {"viewBox", "0 0 10 10"}, {"refX", "5"}, {"refY", "5"}, {"markerWidth", s}, {"markerHeight", s}, {"orient", "auto-start-reverse"}}}
	shape := element{name: "path", attrs: [][2]string{{"d", ""}, {"fill", ink}}}
	switch kind {
	case "arrow":
		shape.set("d", "M0 0L10 5L0 10Z")
		e.set("refX", "9")
	case "dot":
		shape = element{name: "circle", attrs: [][2]string{{"cx", "5"}, {"cy", "5"}, {"r", "4"}, {"fill", ink}}}
	case "square":
		shape.set("d", "M1 1H9V9H1Z")
	case "diamond":
		shape.set("d", "M0 5L5 0L10 5L5 10Z")
	case "bar":
		shape.set("d", "M4 0H6V10H4Z")
	case "open":
		shape.attrs = [][2]string{{"d", "M1 1L9 5L1 9"}, {"fill", "none"}, {"stroke", ink}, {"stroke-width", "1.5"}}
		e.set("refX", "9")
	}
	e.kids = []element{shape}
	return o.makeDef(e, "marker-end", nil, 0, func(n *node, _ []*node) string { return "marker " + o.f.Ref(n) + " " + kind })
}

// The parameters of filters, with those of a shadow as defaults.
var (
	blur     = value.Key[float64]{Name: "blur", Type: value.Number(0, 1000), Default: 3}
	offsetX  = value.Key[float64]{Name: "dx", Type: value.Number(-1000, 1000)}
	offsetY  = value.Key[float64]{Name: "dy", Type: value.Number(-1000, 1000), Default: 2}
	strength = value.Key[float64]{Name: "opacity", Type: share, Default: 0.4, About: ", 0-1"}
	amount   = value.Key[float64]{Name: "amount", Type: value.Number(0, 1000), Default: 1, About: ", 0-1, or more to brighten"}
)

func filterVerb() verb {
	return verb{Run: running(runFilter), Keys: []pdk.Parameter{blur, offsetX, offsetY, ink, strength, amount, takers}, Verb: abi.Verb{
		Syntax: "filter NAME shadow|blur|glow|grayscale|sepia|brighten [blur:N] [dx:N] [dy:N] [color:COLOUR] [opacity:N] [amount:N] [for:REF,REF|SEL]", Category: "definitions", Select: true,
		Brief:    "filter NAME shadow|blur|glow|grayscale|sepia|brighten [blur: dx: dy: color: opacity: amount: for:REF] · style REF filter:NAME",
		Summary:  "make a filter",
		Examples: []string{"filter soft shadow blur:3 dy:2 opacity:0.3 for:card", "filter fog blur blur:4"},
	}}
}

func runFilter(o *op) error {
	kind, err := value.OneOf("shadow", "blur", "glow", "grayscale", "sepia", "brighten").Word(o.a, 1, "the filter")
	if err != nil {
		return err
	}
	ink, strength, offsetY, amount := ink, strength, offsetY, amount
	switch kind {
	case "glow":
		ink.Default, strength.Default, offsetY.Default = "gold", 1, 0
	case "brighten":
		amount.Default = 1.3
	}
	e := element{name: "filter", attrs: [][2]string{{"id", o.a.Text(0)}}}
	one := func(name string, attrs ...[2]string) { e.kids = append(e.kids, element{name: name, attrs: attrs}) }
	radius, dx, dy, k := blur.Of(o.a), offsetX.Of(o.a), offsetY.Of(o.a), amount.Of(o.a)
	grow := 3 * radius
	switch kind {
	case "shadow", "glow":
		grow += max(math.Abs(dx), math.Abs(dy))
		one("feDropShadow", [2]string{"dx", model.Num(dx)}, [2]string{"dy", model.Num(dy)}, [2]string{"stdDeviation", model.Num(radius)}, [2]string{"flood-color", ink.Of(o.a)}, [2]string{"flood-opacity", model.Num(strength.Of(o.a))})
		e.attrs = append(e.attrs, [][2]string{{"x", "-50%"}, {"y", "-50%"}, {"width", "200%"}, {"height", "200%"}}...)
	case "blur":
		one("feGaussianBlur", [2]string{"stdDeviation", model.Num(radius)})
	case "grayscale":
		one("feColorMatrix", [2]string{"type", "saturate"}, [2]string{"values", model.Num(max(0, 1-k))})
	case "sepia":
		one("feColorMatrix", [2]string{"type", "matrix"}, [2]string{"values", "0.393 0.769 0.189 0 0 0.349 0.686 0.168 0 0 0.272 0.534 0.131 0 0 0 0 0 1 0"})
	case "brighten":
		k := model.Num(k)
		one("feColorMatrix", [2]string{"type", "matrix"}, [2]string{"values", k + " 0 0 0 0 0 " + k + " 0 0 0 0 0 " + k + " 0 0 0 0 0 1 0"})
	}
	return o.makeDef(e, "filter", nil, grow, func(n *node, _ []*node) string { return "filter " + o.f.Ref(n) + " " + kind })
}

var (
	tileSize = value.Key[float64]{Name: "size", Type: value.Number(0.1, maxCoordinate), Default: 10, About: " of a tile"}
	tileGap  = value.Key[float64]{Name: "gap", Type: value.Number(0, maxCoordinate), About: " between tiles"}
	ground   = value.Key[string]{Name: "background", Type: colour}
	thick    = value.Key[float64]{Name: "width", Type: value.Number(0, maxCoordinate), About: " of lines and dots"}
)

func patternVerb() verb {
	return verb{Run: running(runPattern), Keys: []pdk.Parameter{tileSize, ink, ground, thick, tileGap, takers}, Verb: abi.Verb{
		Syntax: "pattern NAME dots|lines|grid|checks|diagonal [size:N] [color:COLOUR] [background:COLOUR] [width:N] [for:REF,REF|SEL] | pattern NAME of:REF [gap:N]", Category: "definitions", Select: true,
		Brief:    "pattern NAME dots|lines|grid|checks|diagonal [size: color: background: width: for:REF] | NAME of:REF [gap:] · a paint",
		Summary:  "make a pattern, or with of: one from an element, which moves into it",
		Examples: []string{"pattern dotted dots size:8 color:#999 for:card", "pattern stars of:dot gap:4"},
	}}
}

func runPattern(o *op) error {
	e := element{name: "pattern", attrs: [][2]string{{"id", o.a.Text(0)}, {"patternUnits", "userSpaceOnUse"}}}
	var moved []*node
	if ref, ok := o.a.Param("of"); ok {
		source, err := o.f.Find(ref, false)
		if err != nil {
			return err
		}
		b, ok := o.scene().Painted(source)
		if !ok || source == o.f.Root {
			return pdk.Errorf("%s cannot be a pattern's tile", o.f.Ref(source))
		}
		moved = append(moved, source)
		e.setBox(b.Grow(tileGap.Of(o.a)/2, tileGap.Of(o.a)/2))
	} else if err := o.tile(&e); err != nil {
		return err
	}
	return o.makeDef(e, "fill", moved, 0, func(n *node, _ []*node) string {
		return "pattern " + o.f.Ref(n) + " " + n.Get("width") + "x" + n.Get("height")
	})
}

// tile draws the tile of a named pattern.
func (o *op) tile(e *element) error {
	if o.a.Text(1) == "" {
		return pdk.Errorf("pattern needs dots, lines, grid, checks or diagonal, or of:REF")
	}
	kind, err := value.OneOf("dots", "lines", "grid", "checks", "diagonal").Word(o.a, 1, "the pattern")
	if err != nil {
		return err
	}
	s, ink, w := tileSize.Of(o.a), ink.Of(o.a), thick.Of(o.a)
	if w == 0 {
		if w = 1; kind == "dots" && !o.a.Has(thick.Name) {
			w = s / 3
		}
	}
	side, half := model.Num(s), model.Num(s/2)
	e.set("width", side)
	e.set("height", side)
	if c, ok := ground.Lookup(o.a); ok {
		e.kids = append(e.kids, element{name: "rect", attrs: [][2]string{{"width", side}, {"height", side}, {"fill", c}}})
	}
	shape := element{name: "path", attrs: [][2]string{{"d", "M0 " + half + "H" + side}, {"fill", "none"}, {"stroke", ink}, {"stroke-width", model.Num(w)}}}
	switch kind {
	case "dots":
		shape = element{name: "circle", attrs: [][2]string{{"cx", half}, {"cy", half}, {"r", model.Num(w / 2)}, {"fill", ink}}}
	case "grid":
		shape.set("d", "M0 "+half+"H"+side+"M"+half+" 0V"+side)
	case "checks":
		shape = element{name: "path", attrs: [][2]string{{"d", "M0 0H" + half + "V" + side + "H" + side + "V" + half + "H0Z"}, {"fill", ink}}}
	case "diagonal":
		e.set("patternTransform", "rotate(45)")
	}
	e.kids = append(e.kids, shape)
	return nil
}
