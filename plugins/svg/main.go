// Command svg is the domain of SVG drawings as a plugin for fcp-host. Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o svg.wasm ./plugins/svg
package main

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/drawing"
)

func init() { pdk.Serve(drawing.Domain()) }

func main() {}
