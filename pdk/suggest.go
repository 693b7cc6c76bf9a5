package pdk

import (
	"errors"

	"github.com/fcp-host/fcp-host/abi"
)

// refused adds suggestions to the error of a failed op or query. If the domain made
// none, and a reference was unknown or ambiguous, they are the op with each name
// that it may have meant.
func refused(err error, op *abi.Op) *Error {
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Message: err.Error()}
	}
	out := &Error{Message: err.Error(), Tries: e.Tries}
	if len(out.Tries) > 0 {
		return out
	}
	for _, name := range e.names {
		if text, ok := instead(op, e.ref, name); ok {
			out.Try(text)
		}
	}
	return out
}

// instead prints an op with the positional or value ref replaced by name, which
// is already printed. It returns false where ref is no word of the op.
func instead(op *abi.Op, ref, name string) (string, bool) {
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
