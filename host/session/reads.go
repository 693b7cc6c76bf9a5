package session

import (
	"slices"

	"github.com/fcp-host/fcp-host/grammar"
)

// reading lists the session actions that change neither a document nor a file. Actions of domains are never among them.
var reading = []string{"open", "close", "use", "status", "documents", "plugins"}

// Reads reports whether a session action changes neither a document nor a file, and so is allowed to callers who may
// only read.
func Reads(action string) bool {
	op, err := grammar.ParseAction(action)
	if err != nil {
		return true // it is refused
	}
	// The only argument of close is force, which may drop somebody else's changes.
	return slices.Contains(reading, op.Verb) && (op.Verb != "close" || len(op.Positionals) == 0)
}
