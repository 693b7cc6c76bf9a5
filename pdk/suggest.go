package pdk

import (
	"errors"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// refused is a failed op's error as it is sent. Where the domain gave no
// suggestion, a reference that was not found, or not alone, is replaced by the
// names it may have meant; failing that, the verb's own example shows how it is
// written. v is nil for an op that is no verb's.
func refused(err error, op *abi.Op, v *abi.Verb) *abi.Error {
	w := wire(err)
	if len(w.Try) > 0 {
		return w
	}
	var e *Error
	if errors.As(err, &e) {
		for _, name := range e.names {
			if text, ok := instead(op, e.ref, name); ok && len(w.Try) < abi.MaxTry {
				w.Try = append(w.Try, text)
			}
		}
	}
	if len(w.Try) > 0 || v == nil {
		return w
	}
	for _, x := range append(slices.Clone(v.Examples), v.Syntax) {
		if x != "" && x != op.Raw {
			w.Try = []string{x}
			break
		}
	}
	return w
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
	var b strings.Builder
	b.WriteString(op.Verb)
	for i, p := range op.Positionals {
		b.WriteByte(' ')
		if slices.Contains(op.Arrows, i) {
			b.WriteString(p.Text)
		} else {
			b.WriteString(swap(p.Text))
		}
	}
	for _, s := range op.Selectors {
		b.WriteString(" @")
		if s.Negated {
			b.WriteString("not:")
		}
		b.WriteString(s.Type)
		if s.Value != "" {
			b.WriteString(":" + swap(s.Value))
		}
	}
	for _, p := range op.Params {
		b.WriteString(" " + p.Key + ":" + swap(p.Value))
	}
	return b.String(), found
}
