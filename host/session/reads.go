package session

import (
	"slices"

	"github.com/fcp-host/fcp-host/grammar"
)

// reading are the session actions that change no document and no file. Those of
// domains are not among them, whatever they do.
var reading = []string{"open", "close", "use", "status", "documents", "plugins"}

// Reads reports whether a session action changes no document and no file: only
// such are for callers who may read and no more.
func Reads(action string) bool {
	op, err := grammar.ParseCommand(action)
	if err != nil {
		return true // it is refused
	}
	// close takes nothing but force, which drops what somebody else may have changed.
	return slices.Contains(reading, op.Verb) && (op.Verb != "close" || len(op.Positionals) == 0)
}
