package drawing

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

var effects = []string{"shadow", "blur", "glow", "grayscale", "sepia", "brighten"}

func filterVerb() verb {
	return verb{Run: running(runFilter), Verb: abi.Verb{
		Name: "filter", Category: "definitions", Select: true, Min: 2, Max: 2,
		Syntax: "filter NAME shadow|blur|glow|grayscale|sepia|brighten [blur:N] [dx:] [dy:] [color:] [opacity:] [amount:] [for:REF,REF|SEL]", Brief: "filter NAME shadow|blur|glow|grayscale|sepia|brighten [blur: dx: dy: color: opacity: amount: for:REF] · style REF filter:NAME", Summary: "make a filter",
		Params:   []abi.Param{{Key: "blur", Value: "N"}, {Key: "dx", Value: "N"}, {Key: "dy", Value: "N"}, {Key: "color", Value: "COLOUR"}, {Key: "opacity", Value: "0-1"}, {Key: "amount", Value: "0-1, or more to brighten"}, forParam()},
		Examples: []string{"filter soft shadow blur:3 dy:2 opacity:0.3 for:card", "filter fog blur blur:4"},
	}}
}

func runFilter(o *op) error {
	id := o.a.Text(0)
	kind, ok := pdk.OneOf(o.a.Text(1), effects)
	if !ok {
		return pdk.Errorf("a filter is one of %s", strings.Join(effects, " ")).Instead(o.a.Text(1), pdk.Nearest(o.a.Text(1), effects)...)
	}
	v := map[string]float64{"blur": 3, "dx": 0, "dy": 2, "opacity": 0.4, "amount": 1}
	if kind == "glow" {
		v["dy"], v["opacity"] = 0, 1
	}
	if kind == "brighten" {
		v["amount"] = 1.3
	}
	for _, key := range []string{"blur", "dx", "dy", "opacity", "amount"} {
		var err error
		lo, hi := 0.0, 1000.0
		if key == "dx" || key == "dy" {
			lo = -1000
		}
		if key == "opacity" {
			hi = 1
		}
		if v[key], err = o.a.Float(key, v[key], lo, hi); err != nil {
			return err
		}
	}
	ink, err := color("color", o.a.String("color", map[string]string{"glow": "gold"}[kind]+map[bool]string{true: "black"}[kind != "glow"]))
	if err != nil {
		return err
	}
	e := element{name: "filter", attrs: [][2]string{{"id", id}}}
	one := func(name string, attrs ...[2]string) { e.kids = append(e.kids, element{name: name, attrs: attrs}) }
	switch kind {
	case "shadow", "glow":
		one("feDropShadow", [2]string{"dx", num(v["dx"])}, [2]string{"dy", num(v["dy"])}, [2]string{"stdDeviation", num(v["blur"])}, [2]string{"flood-color", ink}, [2]string{"flood-opacity", num(v["opacity"])})
		for _, a := range [][2]string{{"x", "-50%"}, {"y", "-50%"}, {"width", "200%"}, {"height", "200%"}} {
			e.set(a[0], a[1])
		}
	case "blur":
		one("feGaussianBlur", [2]string{"stdDeviation", num(v["blur"])})
	case "grayscale":
		one("feColorMatrix", [2]string{"type", "saturate"}, [2]string{"values", num(math.Max(0, 1-v["amount"]))})
	case "sepia":
		one("feColorMatrix", [2]string{"type", "matrix"}, [2]string{"values", "0.393 0.769 0.189 0 0 0.349 0.686 0.168 0 0 0.272 0.534 0.131 0 0 0 0 0 1 0"})
	case "brighten":
		k := num(v["amount"])
		one("feColorMatrix", [2]string{"type", "matrix"}, [2]string{"values", k + " 0 0 0 0 0 " + k + " 0 0 0 0 0 " + k + " 0 0 0 0 0 1 0"})
	}
	takers, err := o.defTargets()
	if err != nil {
		return err
	}
	grow := 3 * v["blur"]
	if kind == "shadow" || kind == "glow" {
		grow += max(math.Abs(v["dx"]), math.Abs(v["dy"]))
	}
	o.coverFlat(&e, takers, grow)
	replaced := o.f.ByID(id) != nil
	n, err := o.define(e, takers, "filter")
	if err != nil {
		return err
	}
	o.touch(n)
	used := o.apply(takers, id, "filter")
	o.defined(replaced, "filter %s %s%s", o.f.name(n), kind, used)
	return nil
}
