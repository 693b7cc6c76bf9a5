package sandbox

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/printable"
)

// Kind says how a call or a start failed.
type Kind uint8

// The kinds of failure. Every kind but KindRefused and KindInput means that the instance is gone.
const (
	// KindRefused: the guest itself refused, by a non-zero result or error_set. The message is its own text.
	KindRefused Kind = iota + 1
	// KindInput: the caller asked for what cannot be asked: an export that does not exist, an input over the limit.
	KindInput
	// KindTrap: the guest trapped, or gave a host function arguments that it may not give.
	KindTrap
	// KindStackOverflow: the guest's calls nested too deeply.
	KindStackOverflow
	// KindMemory: the guest, or its whole worker, wanted more memory than it may have.
	KindMemory
	// KindDeadline: the call ran too long and the worker was killed.
	KindDeadline
	// KindExit: the guest ended itself through proc_exit. For a Go guest this is how a panic ends.
	KindExit
	// KindOutput: the guest's output was over the limit.
	KindOutput
	// KindLoad: the module did not compile, instantiate or initialise.
	KindLoad
	// KindLost: the instance no longer exists: its worker died, or it trapped in an earlier call, or was closed.
	KindLost
	// KindWorker: the worker process could not start or be given its module, or broke the frame protocol.
	KindWorker
	// KindDisabled: the plugin's worker died too often, and none is started until Plugin.Enable.
	KindDisabled
	// KindCrowded: the workers of all plugins together wanted more memory than they may have.
	KindCrowded
)

// String returns the kind's name as logs and tests print it.
func (k Kind) String() string {
	names := [...]string{"", "refused", "input", "trap", "stack overflow", "memory", "deadline", "exit", "output", "load", "lost", "worker", "disabled", "crowded"}
	if k == 0 || int(k) >= len(names) {
		return fmt.Sprintf("kind %d", k)
	}
	return names[k]
}

const (
	maxMessageBytes = 400
	maxRefusedBytes = 4 << 10
)

// Error is a failure of one plugin.
type Error struct {
	Kind   Kind
	Plugin string // the plugin's display name
	Export string // the export that was called; empty when none was

	// Message says what happened. Control characters are escaped. It is one line of at most 400 bytes, but for
	// KindRefused, whose text may have further lines (a domain's suggestions) and at most 4 KiB.
	Message string
}

// Error returns the plugin's name and the message.
func (e *Error) Error() string {
	if e.Plugin == "" {
		return e.Message
	}
	return "plugin " + e.Plugin + ": " + e.Message
}

// Fatal reports whether the instance is gone and must be rebuilt.
func (e *Error) Fatal() bool { return e.Kind != KindRefused && e.Kind != KindInput }

// newError builds an error whose message is safe to show.
func newError(kind Kind, export, format string, args ...any) *Error {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	return &Error{Kind: kind, Export: export, Message: cleanMessage(kind, text)}
}

// cleanMessage applies the rules of Error.Message. Cleaning twice changes nothing.
func cleanMessage(kind Kind, text string) string {
	if kind != KindRefused {
		return escape(text, maxMessageBytes)
	}
	return printable.Cut(printable.Text(printable.Cut(strings.TrimSpace(text), maxRefusedBytes)), maxRefusedBytes)
}

// escape makes text of a guest or a worker safe for terminals, logs and protocol lines, and keeps about the first limit bytes of it.
func escape(s string, limit int) string {
	return printable.Cut(printable.Line(printable.Cut(s, limit)), limit)
}
