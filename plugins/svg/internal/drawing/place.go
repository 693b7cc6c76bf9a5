package drawing

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// sides lists the keys that place an element relative to another one.
var sides = []string{"right-of", "left-of", "above", "below", "on"}

// placeKeys lists the keys that give a position.
var placeKeys = append([]string{"at", "gap"}, sides...)

// placeParams returns the parameters of placeKeys.
func placeParams() []abi.Param {
	return []abi.Param{
		{Key: "at", Value: "X,Y|" + strings.Join(regions(), "|")},
		{Key: "right-of", Value: "REF"}, {Key: "left-of", Value: "REF"}, {Key: "above", Value: "REF"}, {Key: "below", Value: "REF"},
		{Key: "on", Value: "REF: centred on it"}, {Key: "gap", Value: "N from it"},
	}
}

// place is a target position on the canvas.
type place struct {
	given  bool
	point  *vector.Point // a corner or the centre, depending on the kind of element
	center func(w, h float64) vector.Point
	anchor string // text-anchor that places a text there: start, middle, end
}

// place reads at: and the sides.
func (o *op) place() (place, error) {
	var keys []string
	for _, k := range append([]string{"at"}, sides...) {
		if o.a.Has(k) {
			keys = append(keys, k)
		}
	}
	gap, err := o.numberOf("gap", 0)
	if err != nil {
		return place{}, err
	}
	switch {
	case len(keys) > 1:
		return place{}, pdk.Errorf("%s: and %s: both give a place; use one", keys[0], keys[1]).Try(o.a.Mended(pdk.Without(keys[1:]...)))
	case len(keys) == 0:
		return place{}, nil
	}
	v := o.a.String(keys[0], "")
	if keys[0] == "at" {
		if x, y, ok := region(v); ok {
			c := o.scene().Canvas()
			return place{given: true, anchor: []string{"start", "middle", "end"}[int(2*x)], center: func(w, h float64) vector.Point {
				return vector.Point{X: c.X0 + gap*sign(x) + w/2 + x*(c.Width()-w), Y: c.Y0 + gap*sign(y) + h/2 + y*(c.Height()-h)}
			}}, nil
		}
		p, err := point("at", v)
		if err != nil {
			near := pdk.Nearest(v, regions())
			bad := err.(*pdk.Error)
			bad.Message += " or a region: " + strings.Join(regions(), " ")
			return place{}, bad.Instead(v, near...)
		}
		return place{given: true, point: &p}, nil
	}
	n, err := o.f.find(v, false)
	if err != nil {
		return place{}, err
	}
	b, ok := o.scene().Box(n)
	if !ok {
		return place{}, pdk.Errorf("%s has no box to place something beside", o.f.name(n))
	}
	mid := vector.Point{X: (b.X0 + b.X1) / 2, Y: (b.Y0 + b.Y1) / 2}
	anchor := "middle"
	switch keys[0] {
	case "right-of":
		anchor = "start"
	case "left-of":
		anchor = "end"
	}
	return place{given: true, anchor: anchor, center: func(w, h float64) vector.Point {
		switch keys[0] {
		case "right-of":
			return vector.Point{X: b.X1 + gap + w/2, Y: mid.Y}
		case "left-of":
			return vector.Point{X: b.X0 - gap - w/2, Y: mid.Y}
		case "above":
			return vector.Point{X: mid.X, Y: b.Y0 - gap - h/2}
		case "below":
			return vector.Point{X: mid.X, Y: b.Y1 + gap + h/2}
		}
		return mid
	}}, nil
}

// sign maps the share of a region to the direction from its edge inwards.
func sign(share float64) float64 { return 1 - 2*share }

// linear returns a matrix without its translation.
func linear(m vector.Matrix) vector.Matrix { m.E, m.F = 0, 0; return m }

// into maps a vector on the canvas to the space that m maps to the canvas.
func into(m vector.Matrix, dx, dy float64) (float64, float64, bool) {
	inv, ok := linear(m).Inverse()
	if !ok {
		return 0, 0, false
	}
	p := inv.At(vector.Point{X: dx, Y: dy})
	return p.X, p.Y, true
}

// stretch returns the factors by which a matrix scales along the axes.
func stretch(m vector.Matrix) (x, y float64) {
	x, y = math.Hypot(m.A, m.B), math.Hypot(m.C, m.D)
	if x == 0 || y == 0 {
		return 1, 1
	}
	return x, y
}

// around returns the matrix that applies m about a point.
func around(p vector.Point, m vector.Matrix) vector.Matrix {
	return vector.Translate(p.X, p.Y).Times(m).Times(vector.Translate(-p.X, -p.Y))
}

func center(b vector.Box) vector.Point {
	return vector.Point{X: (b.X0 + b.X1) / 2, Y: (b.Y0 + b.Y1) / 2}
}
