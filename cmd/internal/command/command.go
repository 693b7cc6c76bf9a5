// Package command is the command line of fcp-host and of fcp-hostd, which has what many machines need besides.
package command

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	_ "github.com/fcp-host/fcp-host/cmd/internal/child" // is Main for the processes that the program starts of itself
	"github.com/fcp-host/fcp-host/host/gate"
)

// A Program is what a main package makes of this one.
type Program struct {
	Name            string // as users type it
	Version, Commit string // of the sources, "" for what the go command knows

	Stores map[string]Store // of journals, by the scheme of their URLs; nil for a program that has plain files alone
	Roots  map[string]Root  // that are no folders, by the scheme of their URLs; nil for a program that has folders alone

	// Watch begins to tell others what is measured of calls, where it is asked to or
	// the environment says so. stop, which is nil where it does not, tells the rest.
	// It is nil for a program that tells nobody.
	Watch func(Watched) (stop func(), err error)
}

// Watched is what a Program's Watch is to tell of.
type Watched struct {
	Version string
	Asked   bool // by the flag --otel
	Gauges  []gate.Gauge
	Log     *slog.Logger
}

// self is the program that runs.
var self = Program{Name: "fcp-host"}

// Main runs the program with the arguments of this process, which it ends.
func Main(p Program) {
	self = p
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
