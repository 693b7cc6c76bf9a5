package pdk

import (
	"errors"

	"github.com/fcp-host/fcp-host/abi"
)

// withSuggestions returns the error of a failed op or query with its suggestions.
// If the domain made none, and a reference was unknown or ambiguous, it suggests
// the op with each name that the reference may have meant.
func withSuggestions(err error, op *abi.Op) *Error {
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Message: err.Error()}
	}
	out := &Error{Message: err.Error(), Tries: e.Tries}
	if len(out.Tries) > 0 {
		return out
	}
	for _, name := range e.names {
		if text, ok := replaceRef(op, e.ref, name); ok {
			out.Try(text)
		}
	}
	return out
}

// replaceRef prints an op with the positional or value ref replaced by name, which
// is already quoted if needed. It returns false if ref is not a word of the op.
func replaceRef(op *abi.Op, ref, name string) (string, bool) {
	if op.Block != nil {
		return "", false
	}
	found := false
	swap := func(s string) string {
		if s == ref && !found {
			found = true
			return name
		}
		return Quote(s)
	}
	text := printOp(op, swap)
	return text, found
}
