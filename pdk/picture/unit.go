package picture

import (
	"github.com/fcp-host/fcp-host/pdk/vector"
)

type (
	point  = vector.Point
	matrix = vector.Matrix
	rect   = vector.Box
)
