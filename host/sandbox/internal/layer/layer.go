// Package layer confines a worker process with what the system offers, in layers: resource limits, namespaces, an empty root folder,
// capabilities, no_new_privs, Landlock and seccomp. On systems other than Linux it does nothing and says so.
package layer

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/confine"
)

// Layer is one of the ways in which the system confines a worker. A worker uses every layer that the system has.
type Layer = confine.Layer

// Attempt is something forbidden that a worker tried in a self-test.
type Attempt = confine.Attempt

// Report is the result of a self-test.
type Report struct {
	Layers   []Layer
	Attempts []Attempt
}

// Requirement says which layers a worker must have before it runs a module.
type Requirement int

const (
	RequireNothing Requirement = iota // any layers or none
	RequireOne                        // of Landlock and seccomp
	RequireAll
)

// decisive are the layers that, each by itself, keep code that broke out of the engine from the user's files.
var decisive = []string{"landlock", "seccomp"}

// Missing says why layers do not meet the requirement, "" when they do.
func (r Requirement) Missing(layers []Layer) string {
	var off []string
	held := false
	for _, l := range layers {
		if !l.On {
			off = append(off, l.Name+" ("+l.Detail+")")
		}
		held = held || l.On && slices.Contains(decisive, l.Name)
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
