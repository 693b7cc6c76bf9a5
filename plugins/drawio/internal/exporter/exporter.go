// Package exporter writes a document as a picture, as HTML or as Mermaid text.
package exporter

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

type (
	file  = mxfile.File
	cell  = mxfile.Cell
	view  = pdk.View[*mxfile.File]
	query = pdk.Query[*mxfile.File]
)
