package pdk

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/printable"
)

// state is the domain's, with a title that is one printable line of at most
// abi.MaxSummary bytes, and warnings as they may be: they name what is in files,
// which may hold anything.
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
