package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// maxCoordinate limits coordinates and sizes.
const maxCoordinate = 1e7

// The types of values that keys share.
var (
	number   = value.Number(-maxCoordinate, maxCoordinate)
	positive = value.Number(0.001, maxCoordinate)
	share    = value.Number(0, 1)
	point    = value.Map(value.Point(maxCoordinate), func(p geom.Point) (vector.Point, error) { return vector.Point(p), nil })
	offset   = value.Type[vector.Point]{Takes: "DX,DY", Parse: point.Parse}
)

// degrees is an angle, perhaps with its unit.
var degrees = value.Type[float64]{Takes: "DEGREES", Parse: func(s string) (float64, error) {
	f, err := number.Parse(strings.TrimSuffix(strings.TrimSuffix(s, "deg"), "°"))
	if err != nil {
		err = &value.Invalid{Why: "is not an angle in degrees; as a direction 0 is up, 90 right"}
	}
	return f, err
}}

// size is WxH, or one number for both.
var size = value.Type[value.Dimensions]{Takes: "WxH", Parse: func(s string) (value.Dimensions, error) {
	if f, err := positive.Parse(s); err == nil {
		return value.Dimensions{W: f, H: f}, nil
	}
	return value.Size(0.001, maxCoordinate).Parse(s)
}}

// colour is a colour of CSS, as it was written, or a variable.
var colour = value.Type[string]{Takes: "COLOUR", Parse: func(s string) (string, error) {
	if strings.HasPrefix(s, "var(") {
		return s, nil
	}
	return value.Colour("currentColor", "inherit", "transparent").Parse(s)
}}

// text is a key whose value needs a document, or may be anything.
func text(name, takes string) value.Key[string] {
	return value.Key[string]{Name: name, Type: value.Text(takes)}
}

// texts are such keys, each a name and what it takes.
func texts(keys ...string) (out []pdk.Parameter) {
	for key := range slices.Chunk(keys, 2) {
		out = append(out, text(key[0], key[1]))
	}
	return out
}
