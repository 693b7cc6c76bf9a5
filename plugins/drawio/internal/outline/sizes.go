package outline

import (
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

func (k kind) least() float64 { return min(k.w, k.h) }

// part returns a key whose value is a fraction of an extent, limited to 0 to 1.
func (k kind) part(key string, def float64) float64 { return max(0, min(1, k.Num(key, def))) }

// share returns the length given by the key size: a fraction of the extent `of`, or with fixedSize a length up to it.
func (k kind) share(def, fixed, of float64) float64 {
	if v, ok := k.Map["fixedSize"]; ok && v != "0" {
		return max(0, min(of, k.Num("size", fixed)))
	}
	return k.part("size", def) * of
}

// corner returns the radius of the corners of a polygon.
func (k kind) corner() float64 {
	if !k.On("rounded") {
		return 0
	}
	return k.Num("arcSize", 20) / 2
}

// round returns the radius of the corners of a box.
func (k kind) round() float64 {
	switch {
	case !k.On("rounded"):
		return 0
	case k.On("absoluteArcSize"):
		return k.Num("arcSize", 20) / 2
	}
	return k.least() * min(50, k.Num("arcSize", 15)) / 100
}

// LaneRound returns the radius of the corners of a container with a title.
func LaneRound(l style.Map, w, h float64) float64 {
	k := kind{l, "", w, h}
	if !k.On("rounded") {
		return 0
	}
	title := k.h
	if k.Map["horizontal"] == "0" {
		title = k.w
	}
	return min(k.least()*min(50, k.Num("arcSize", 15))/100, min(k.Num("startSize", 23), title), 12)
}

// gap returns the distance between two lines of a shape in draw.io.
func (k kind) gap() float64 { return max(2, k.Num("strokeWidth", 1)+1) }

// cut returns the size of a corner that is cut off.
func (k kind) cut(def float64) float64 { return max(0, min(k.Num("size", def), k.w, k.h)) }

// tail returns the height that the key size cuts off a box: of a callout's tail, or of the slope of a manual input.
func (k kind) tail() float64 { return max(0, min(k.h, k.Num("size", 30))) }
