package sandbox

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/limits"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
)

// Limits bounds what one plugin may use. A zero field takes its value from DefaultLimits.
type Limits = limits.Limits

// DefaultLimits returns the limits a plugin gets when nothing else is configured.
func DefaultLimits() Limits { return limits.Default() }

// Workers bounds the resident memory of all worker processes of a host together, and each to half of that. Resident memory is
// measured on Linux only; elsewhere nothing is bounded. A nil *Workers bounds nothing.
type Workers = worker.Workers

// NewWorkers returns a bound of most bytes.
func NewWorkers(most uint64) *Workers { return worker.NewWorkers(most) }
