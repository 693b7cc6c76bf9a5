// Package model answers questions about the cells of a document: what a cell is, what it
// lies in, what it is called in replies, and which edges connect it to others.
package model

import "github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"

type (
	file = mxfile.File
	cell = mxfile.Cell
)
