package verbs

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

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
