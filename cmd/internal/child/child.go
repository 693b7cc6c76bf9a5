// Package child ends each process that this program starts of itself, a plugin's worker or a program's cage, without the initialisation
// of packages that it has no use for: of those that would follow, in which JSON Schema's own schemas are compiled, a worker started
// in four times its processor time. A package is initialised as soon as those that it imports are, before any that comes later in the
// order of import paths, as the language has it; so this one imports nothing but what such a process needs.
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
	// This goroutine keeps the main thread to itself until all packages are initialised, and would change threads whenever it waits.
	code := make(chan int)
	go func() { code <- run() }()
	os.Exit(<-code)
}
