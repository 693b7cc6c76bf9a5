// Package compound builds shapes from parts: classes, entities, tables and pools.
package compound

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

type (
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
)
