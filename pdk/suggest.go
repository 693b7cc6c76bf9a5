package pdk

import (
	"errors"

	"github.com/fcp-host/fcp-host/abi"
)

// refused is the error of a failed op, or of a query, with suggestions. Where the
// domain gave none, a reference that was not found, or not alone, is replaced by
// the names it may have meant.
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
// is printed already. It is false where ref is no word of the op's own.
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
