package session

import "github.com/fcp-host/fcp-host/grammar"

// Reads reports whether a session action changes neither a document nor a file, and so is allowed to callers who may
// only read. Actions of domains never are.
func Reads(action string) bool {
	op, err := grammar.ParseAction(action)
	if err != nil {
		return true // it is refused
	}
	// The only argument of close is force, which may drop somebody else's changes.
	return handlers[op.Verb].reads && (op.Verb != "close" || len(op.Positionals) == 0)
}
