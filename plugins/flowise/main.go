// Command flowise is the domain of Flowise's agent flows as a plugin for fcp-host. Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o flowise.wasm ./plugins/flowise
package main

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/flow"
)

func init() { pdk.Serve(flow.Domain()) }

func main() {}
