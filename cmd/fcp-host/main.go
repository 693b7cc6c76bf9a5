// Command fcp-host serves sandboxed FCP domains to MCP clients.
package main

import "github.com/fcp-host/fcp-host/cmd/internal/command"

// version and commit are set by the build.
var version, commit = "", ""

func main() {
	command.Main(command.Program{Name: "fcp-host", Version: version, Commit: commit})
}
