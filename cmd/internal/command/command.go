// Package command is the command line of fcp-host and of fcp-hostd, which has what many machines need besides.
package command

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// A Program is what a main package makes of this one.
type Program struct {
	Name            string // as users type it
	Version, Commit string // of the sources, "" for what the go command knows

	Stores map[string]Store // of journals, by the scheme of their URLs; nil for a program that has plain files alone
}

// self is the program that runs.
var self = Program{Name: "fcp-host"}

// inner is what this binary starts itself as, by the first argument.
var inner = map[string]func() int{
	sandbox.WorkerArg: sandbox.RunWorker, program.CageArg: program.RunCage, program.SelfTestArg: program.RunSelfTest,
}

// Main runs the program with the arguments of this process, which it ends.
func Main(p Program) {
	self = p
	if len(os.Args) > 1 {
		if mode := inner[os.Args[1]]; mode != nil {
			os.Exit(mode())
		}
	}
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	// The first signal lets what runs be finished, a second one ends it.
	context.AfterFunc(ctx, stop)
	code := run(ctx, called(os.Args[0], os.Args[1:]), stdio{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
