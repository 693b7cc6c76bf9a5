// Package placement finds free room for shapes, grows containers and moves what stands in
// the way.
package placement

import "github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"

type (
	file = mxfile.File
	cell = mxfile.Cell
)
