package sandbox

import (
	"log/slog"
	"os"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/layer"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
)

// Layer is one of the ways in which the system confines a worker. A worker uses every layer that the system has.
type Layer = layer.Layer

// Attempt is something forbidden that a worker tried during SelfTest.
type Attempt = layer.Attempt

// Report is what SelfTest found.
type Report = layer.Report

// Requirement says which layers a worker must have before it runs a module.
type Requirement = layer.Requirement

// The requirements.
const (
	RequireNothing = layer.RequireNothing // any layers or none
	RequireOne     = layer.RequireOne     // Landlock or seccomp
	RequireAll     = layer.RequireAll
)

// SelfTest starts a worker, lets it try what it must not be able to do, and reports what happened. The worker is confined as one that
// runs instances or, when fill is not nil, as one that compiles a module into the file fill, which must be writable.
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
