// Package catalog finds the shape types and themes that an op can name: those of draw.io, of
// the packs that a document loads, and those that a document defines.
package catalog

import "github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"

type file = mxfile.File
