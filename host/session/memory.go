package session

import (
	"fmt"

	"github.com/fcp-host/fcp-host/host/budget"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Memory is what all sessions of a host share. The zero value bounds nothing.
type Memory struct {
	Histories *budget.Budget   // of all documents, and what they were opened from
	Workers   *sandbox.Workers // of all plugins
}

// Within has the session's documents share m, before the first call.
func (s *Session) Within(m Memory) { s.memory = m }

// use is the line of status that says how much of it is taken, if anything
// bounds it.
func (s *Session) use() []string {
	if s.memory == (Memory{}) {
		return nil
	}
	mib := func(what string, used, most int64) string {
		return fmt.Sprintf("%s %d of %d MiB", what, (used+1<<20-1)>>20, most>>20)
	}
	used, most := s.memory.Histories.Use()
	line := "memory: " + mib("histories", used, most)
	used, most = s.memory.Workers.Use()
	line += ", " + mib("workers", used, most)
	if s.shelf != nil {
		// A folder that cannot be read is told where it is written to.
		if used, most, err := s.shelf.Store().Use(); err == nil {
			line += ", " + mib("journals", used, most)
		}
	}
	return []string{line}
}
