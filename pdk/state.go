package pdk

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/printable"
)

// state returns the domain's state. It makes the title one printable line of at
// most abi.MaxSummary bytes, and keeps the warnings within the limits of the ABI:
// they quote files, which may contain anything.
func (in *Instance[M]) state(m M) abi.State {
	s := in.d.State(m)
	s.Title = printable.Cut(printable.Line(strings.Join(strings.Fields(s.Title), " ")), abi.MaxSummary)
	s.Warnings = slices.Clone(s.Warnings[:min(len(s.Warnings), abi.MaxWarnings)])
	s.Weights = s.Weights[:min(len(s.Weights), len(s.Warnings))]
	for i, w := range s.Warnings {
		s.Warnings[i] = printable.Cut(printable.Line(w), abi.MaxWarning)
	}
	return s
}
