// Command drawio is the draw.io domain as a plugin for fcp-host. Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o drawio.wasm ./plugins/drawio
package main

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/diagram"
)

func init() { pdk.Serve(diagram.Domain()) }

func main() {}
