package sandbox

import (
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/confine"
)

// Layer is one of the system's own confinements around a worker, beside the engine's. Each is used where the system has it; a
// worker runs without the others.
type Layer = confine.Layer

// Attempt is something forbidden that a worker tried for SelfTest.
type Attempt = confine.Attempt

// Report is what SelfTest found.
type Report struct {
	Layers   []Layer
	Attempts []Attempt
}

// Requirement says how a worker has to be confined by the system for a module to be run in it.
type Requirement int

const (
	RequireNothing Requirement = iota // the layers are used as far as there are any
	RequireOne                        // of the layers that stand between native code and the system
	RequireAll
)

// walls are the layers that on their own keep what broke out of the engine from the user's files.
var walls = []string{"landlock", "seccomp"}

// missing says why layers do not meet a requirement, "" where they do.
func (r Requirement) missing(layers []Layer) string {
	var off []string
	held := false
	for _, l := range layers {
		if !l.On {
			off = append(off, l.Name+" ("+l.Detail+")")
		}
		held = held || l.On && slices.Contains(walls, l.Name)
	}
	switch {
	case r == RequireAll && len(off) > 0:
		return "the system lacks layers of its confinement, and all are required: " + strings.Join(off, ", ")
	case r == RequireOne && !held:
		return "the system does not confine plugins here, so only built-in ones are run; --unconfined-plugins runs it with your rights"
	}
	return ""
}

// maxWorkerFiles bounds the open files of a worker: its three pipes, what Go's runtime keeps, a few of the cache's.
const maxWorkerFiles = 64

// SelfTest starts a worker, confined as one that runs instances of a plugin or, with fill, as one that compiles one into that file,
// and lets it try what it must not be able to do. fill is nil or a file that can be written.
func SelfTest(cfg Config, fill *os.File) (*Report, error) {
	cfg.Name = escape(cfg.Name, 100)
	cfg.Limits = cfg.Limits.withDefaults()
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	p := &Plugin{cfg: cfg}
	w, failure := startWorker(&p.cfg, p.pool, fill)
	if failure != nil {
		return nil, p.named(failure)
	}
	defer w.stop()
	s := p.settings(fill, fill != nil)
	s.SelfTest = true
	data, failure := w.load(s, nil, cfg.Limits.Start)
	if failure != nil {
		return nil, p.named(failure)
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, p.named(newError(KindWorker, "", "its worker gave no report: %v", err))
	}
	for i := range r.Layers {
		l := &r.Layers[i]
		l.Name, l.Detail = escape(l.Name, 100), escape(l.Detail, 300)
	}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		a.What, a.Result = escape(a.What, 100), escape(a.Result, 300)
	}
	return &r, nil
}
