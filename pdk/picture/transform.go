package picture

import (
	"github.com/fcp-host/fcp-host/pdk/svgdom"
)

// transform returns the matrix of the transform property around its origin; ok is false if nothing is drawn because of it.
func (v *visit) transform(s *style, at *place) (m matrix, ok bool) {
	m, err := svgdom.Transform(s.Move)
	if err != nil {
		v.addMissing("%v", err)
	}
	if s.Origin != "" {
		m = m.About(svgdom.TransformOrigin(s.Origin, rect{X1: at.w, Y1: at.h}, s.Size))
	}
	return m, m.Det() != 0
}
