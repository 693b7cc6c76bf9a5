// Command cuedeck is the domain of workspaces of task cards and docs as a plugin for fcp-host. Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o cuedeck.wasm ./plugins/cuedeck
package main

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/tools"
)

func init() { pdk.Serve(tools.Domain()) }

func main() {}
