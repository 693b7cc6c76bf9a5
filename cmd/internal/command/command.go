// Package command is the command line of fcp-host and of fcp-hostd, which adds stores and telemetry for several machines.
package command

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	_ "github.com/fcp-host/fcp-host/cmd/internal/child" // runs the worker and other child processes that the program starts from its own binary
	"github.com/fcp-host/fcp-host/host/gate"
)

// Program describes the program that a main package builds from this package.
type Program struct {
	Name            string // as users type it
	Version, Commit string // of the sources; if empty, those that the go command recorded are used

	Stores map[string]Store // journal stores by URL scheme; nil if journals can only be files
	Roots  map[string]Root  // roots other than folders, by URL scheme; nil if roots can only be folders

	// StartTelemetry starts to export telemetry if --otel or the environment asks for it. It
	// returns a function that flushes and stops the export, or nil if nothing is
	// exported. A program without telemetry leaves it nil.
	StartTelemetry func(TelemetryOptions) (stop func(), err error)
}

// TelemetryOptions is the argument of Program.StartTelemetry.
type TelemetryOptions struct {
	Version string
	Asked   bool // whether --otel is set
	Gauges  []gate.Gauge
	Log     *slog.Logger
}

// self describes the running program.
var self = Program{Name: "fcp-host"}

// Main runs the program with the process's arguments, and exits.
func Main(p Program) {
	self = p
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	// After the first signal the program finishes its work; the second one kills it.
	context.AfterFunc(ctx, stop)
	code := run(ctx, commandLineFor(os.Args[0], os.Args[1:]), stdio{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
