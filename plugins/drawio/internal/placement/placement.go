// Package placement finds free space for shapes, enlarges containers and moves what is in
// the way.
package placement

import "github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"

type (
	file = mxfile.File
	cell = mxfile.Cell
)
