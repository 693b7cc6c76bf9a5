// Package importer draws charts and adds the types of shape libraries. Both come as
// text or as a file.
package importer

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
