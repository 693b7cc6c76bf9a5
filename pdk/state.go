package pdk

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/printable"
)

// state is the domain's, with a title that is one printable line of at most
// abi.MaxSummary bytes: titles come from files, which may hold anything.
func (in *Instance[M]) state(m M) abi.State {
	s := in.d.State(m)
	s.Title = printable.Cut(printable.Line(strings.Join(strings.Fields(s.Title), " ")), abi.MaxSummary)
	return s
}
