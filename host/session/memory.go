package session

import (
	"fmt"

	"github.com/fcp-host/fcp-host/host/budget"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Memory is the memory budget that all sessions of a host share. The zero value bounds nothing.
type Memory struct {
	Histories *budget.Budget   // of the histories and baselines of all documents
	Workers   *sandbox.Workers // of all plugins' workers
}

// memoryLine is the line of status about the use of memory, if that is bounded.
func (s *Session) memoryLine() []string {
	if s.Memory == (Memory{}) {
		return nil
	}
	mib := func(what string, used, most int64) string {
		return fmt.Sprintf("%s %d of %d MiB", what, (used+1<<20-1)>>20, most>>20)
	}
	used, most := s.Memory.Histories.Use()
	line := "memory: " + mib("histories", used, most)
	used, most = s.Memory.Workers.Use()
	line += ", " + mib("workers", used, most)
	if s.shelf != nil {
		// An error of the folder is reported by calls that write it.
		if used, most, err := s.shelf.Store().Use(); err == nil {
			line += ", " + mib("journals", used, most)
		}
	}
	return []string{line}
}
