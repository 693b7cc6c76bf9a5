// Package fail holds the errors of the sandbox: what failed, in which plugin, with a message that is safe to print.
package fail

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/printable"
)

// Kind says how a call or a start failed.
type Kind uint8

// The kinds of failure. Package sandbox explains them at KindRefused and so on.
const (
	Refused Kind = iota + 1
	Input
	Trap
	StackOverflow
	Memory
	Deadline
	Exit
	Output
	Load
	Lost
	Worker
	Disabled
	Crowded
	Stalled
)

// String returns the kind's name as logs and tests print it.
func (k Kind) String() string {
	names := [...]string{"", "refused", "input", "trap", "stack overflow", "memory", "deadline", "exit", "output", "load", "lost", "worker", "disabled", "crowded", "stalled"}
	if k == 0 || int(k) >= len(names) {
		return fmt.Sprintf("kind %d", k)
	}
	return names[k]
}

// The largest messages, in bytes.
const (
	maxMessageBytes = 400
	MaxRefusalBytes = 4 << 10
)

// Error is a failure of one plugin.
type Error struct {
	Kind   Kind
	Plugin string // the plugin's name
	Export string // the export that was called; empty when none was

	// Message says what happened. Control characters are escaped. It is one line of at most 400 bytes, except for Refused, whose text
	// may have more lines (a domain's suggestions) and at most 4 KiB.
	Message string
}

// Error returns the plugin's name and the message.
func (e *Error) Error() string {
	if e.Plugin == "" {
		return e.Message
	}
	return "plugin " + e.Plugin + ": " + e.Message
}

// Fatal reports whether the instance is gone and must be built again.
func (e *Error) Fatal() bool { return e.Kind != Refused && e.Kind != Input }

// New returns an error. Its message is formatted if there are args, and made safe to print.
func New(kind Kind, export, format string, args ...any) *Error {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	return &Error{Kind: kind, Export: export, Message: Clean(kind, text)}
}

// Clean makes text a message as Error.Message describes it. Cleaning twice changes nothing.
func Clean(kind Kind, text string) string {
	if kind != Refused {
		return Escape(text, maxMessageBytes)
	}
	return printable.Cut(printable.Text(printable.Cut(strings.TrimSpace(text), MaxRefusalBytes)), MaxRefusalBytes)
}

// Line makes text from a guest or a worker one printable line of at most 400 bytes.
func Line(text string) string { return Escape(text, maxMessageBytes) }

// Escape makes text from a guest or a worker one printable line of at most limit bytes.
func Escape(s string, limit int) string {
	return printable.Cut(printable.Line(printable.Cut(s, limit)), limit)
}
