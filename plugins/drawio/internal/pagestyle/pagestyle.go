// Package pagestyle gives the shapes and edges of a page the colours of a palette.
package pagestyle

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

type (
	file = mxfile.File
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
	verb = pdk.Verb[*mxfile.File]
)
