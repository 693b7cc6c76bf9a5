package verbs

import (
	"math"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

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
