// Command worker runs plugins for tests whose own binary is built with the race detector, and would be too slow.
package main

import (
	"os"

	"github.com/fcp-host/fcp-host/host/sandbox"
)

func main() { os.Exit(sandbox.RunWorker()) }
