package picture

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// transform returns the matrix of the transform property around its origin; ok is false if nothing is drawn because of it.
func (v *visit) transform(s *style, at *place) (m matrix, ok bool) {
	m, err := vector.ParseTransform(s.Move)
	if err != nil {
		v.addMissing("%v", err)
	}
	if s.Origin != "" {
		m = around(m, origin(s.Origin, at.w, at.h, s.Size))
	}
	return m, m.Det() != 0
}

// around is m applied relative to another origin.
func around(m matrix, o point) matrix {
	return vector.Translate(o.X, o.Y).Times(m).Times(vector.Translate(-o.X, -o.Y))
}

// origin reads transform-origin in a viewport of w by h: one or two lengths or sides; a missing one is the centre.
func origin(value string, w, h, em float64) point {
	words := strings.Fields(value)
	if len(words) == 1 {
		words = append(words, "center")
	}
	if len(words) < 2 {
		return point{}
	}
	if x := words[0]; x == "top" || x == "bottom" || words[1] == "left" || words[1] == "right" {
		words[0], words[1] = words[1], words[0]
	}
	at := func(word string, whole float64) float64 {
		switch word {
		case "left", "top":
			return 0
		case "center":
			return whole / 2
		case "right", "bottom":
			return whole
		}
		return svgdom.LengthOf(word, whole, em, 0)
	}
	return point{X: at(words[0], w), Y: at(words[1], h)}
}
