// Command worker runs plugins for tests whose own binary is too slow to.
package main

import (
	"os"

	"github.com/fcp-host/fcp-host/host/sandbox"
)

func main() { os.Exit(sandbox.RunWorker()) }
