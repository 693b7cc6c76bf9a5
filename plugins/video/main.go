// Command video is the domain of film timelines as a plugin for fcp-host. Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o video.wasm ./plugins/video
package main

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/timeline"
)

func init() { pdk.Serve(timeline.Domain()) }

func main() {}
