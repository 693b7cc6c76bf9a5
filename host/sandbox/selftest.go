package sandbox

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
)

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/layer"
	"log/slog"
	"os"
)

// Layer is one of the system's own confinements around a worker, beside the engine's. Each is used where the system has it; a
// worker runs without the others.
type Layer = layer.Layer

// Attempt is something forbidden that a worker tried for SelfTest.
type Attempt = layer.Attempt

// Report is what SelfTest found.
type Report = layer.Report

// Requirement says how a worker has to be confined by the system for a module to be run in it.
type Requirement = layer.Requirement

// The requirements.
const (
	RequireNothing = layer.RequireNothing // the layers are used as far as there are any
	RequireOne     = layer.RequireOne     // Landlock or seccomp
	RequireAll     = layer.RequireAll
)

// SelfTest starts a worker, confined as one that runs instances of a plugin or, with fill, as one that compiles one into that file,
// and lets it try what it must not be able to do. fill is nil or a file that can be written.
func SelfTest(cfg Config, fill *os.File) (*Report, error) {
	cfg.Name = fail.Escape(cfg.Name, 100)
	cfg.Limits = cfg.Limits.WithDefaults()
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	p := &Plugin{cfg: cfg}
	w, failure := worker.Start(p.workerConfig(), fill)
	if failure != nil {
		return nil, p.withName(failure)
	}
	defer w.Stop()
	s := p.settings()
	s.Compile = fill != nil
	r, failure := w.SelfTest(s, cfg.Limits.Start)
	if failure != nil {
		return nil, p.withName(failure)
	}
	return r, nil
}
