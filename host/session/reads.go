package session

import (
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
)

// Reads reports whether a session action changes neither a document nor a file, and so is allowed to callers who may
// only read. Actions of domains never are.
func Reads(action string) bool {
	op, err := grammar.ParseAction(action)
	if err != nil {
		return true // it is refused
	}
	// The only argument of close is force, which may drop somebody else's changes.
	return domain.HostAction(op.Verb).Reads && (op.Verb != "close" || len(op.Positionals) == 0)
}
