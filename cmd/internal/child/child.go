// Package child runs the processes that this program starts from its own binary, a plugin's worker
// or a program's cage, and ends them before the packages that they do not need are initialised.
// Those include JSON Schema, which compiles its own schemas; with them a worker took four times the
// processor time to start. Go initialises a package once its imports are, in the order of import
// paths, so this package imports only what such a process needs.
package child

import (
	"os"

	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

func init() {
	if len(os.Args) < 2 {
		return
	}
	run := map[string]func() int{
		sandbox.WorkerArg: sandbox.RunWorker, program.CageArg: program.RunCage, program.SelfTestArg: program.RunSelfTest,
	}[os.Args[1]]
	if run == nil {
		return
	}
	// During initialisation this goroutine is locked to the main thread, so it would switch threads
	// whenever it waits.
	code := make(chan int)
	go func() { code <- run() }()
	os.Exit(<-code)
}
