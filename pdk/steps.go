package pdk

import (
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
)

// Step is one part of an event of several parts.
type Step[S any] interface {
	// Inverse returns the step that undoes this one.
	Inverse() S
	// Size estimates the size of the step as MessagePack, in bytes.
	Size() int
	// AppendMsgpack appends the step as the package msgpack writes it.
	AppendMsgpack([]byte) []byte
}

// Steps are an edit that is done in order and undone in reverse order, as a whole.
type Steps[S Step[S]] []S

// Do runs each step. If one fails, it undoes those before it.
func (l Steps[S]) Do(do func(*S) error) error {
	for i := range l {
		if err := do(&l[i]); err != nil {
			if back := l[:i].Undo(do); back != nil {
				return fmt.Errorf("%w, and then %w", err, back)
			}
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

// Undo runs the inverse of each step, the last one first.
func (l Steps[S]) Undo(do func(*S) error) error {
	for i := len(l) - 1; i >= 0; i-- {
		back := l[i].Inverse()
		if err := do(&back); err != nil {
			return fmt.Errorf("undo step %d: %w", i, err)
		}
	}
	return nil
}

// AppendMsgpack appends an edit: a map with its steps as "s", and next, the next
// number that its document assigns, as "n".
func (l Steps[S]) AppendMsgpack(b []byte, next int) []byte {
	n := 32
	for i := range l {
		n += l[i].Size()
	}
	b = abi.AppendString(abi.AppendMap(slices.Grow(b, n), 2), "s")
	if l == nil {
		b = append(b, 0xc0)
	} else {
		b = abi.AppendArray(b, len(l))
	}
	for i := range l {
		b = l[i].AppendMsgpack(b)
	}
	return abi.AppendInt(abi.AppendString(b, "n"), next)
}
