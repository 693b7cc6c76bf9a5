package pdk

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// Error is a refusal with suggestions. Any other error works too, but tells
// the model less.
type Error struct {
	Message string
	Tries   []string
}

// Errorf makes a refusal: what was wrong, in one line.
func Errorf(format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...)}
}

// Try adds a complete op (or query, or session action) that would work as
// printed. Use Quote for values that may need it.
func (e *Error) Try(format string, args ...any) *Error {
	e.Tries = append(e.Tries, fmt.Sprintf(format, args...))
	return e
}

func (e *Error) Error() string { return e.Message }

// wire turns any error into the message's form.
func wire(err error) *abi.Error {
	var e *Error
	if errors.As(err, &e) {
		tries := e.Tries
		if len(tries) > abi.MaxTry {
			tries = tries[:abi.MaxTry]
		}
		return &abi.Error{Message: e.Message, Try: tries}
	}
	return &abi.Error{Message: err.Error()}
}

// Text renders an error for error_set: the message, then a `try: ` line for
// each suggestion.
func Text(err error) string {
	e := wire(err)
	var b strings.Builder
	b.WriteString(e.Message)
	for _, t := range e.Try {
		b.WriteString("\ntry: ")
		b.WriteString(t)
	}
	return b.String()
}

// Quote prints s as one token that reads back as the same text and is never
// syntax: bare where that is safe, else in double quotes.
func Quote(s string) string {
	if s == "" {
		return `""`
	}
	bare := true
	for i, r := range s {
		switch {
		case r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '"' || r == '\'' || r == '\\' || r == ':' || r == '=' || r == '!':
			bare = false
		case i == 0 && (r == '@' || r == '-' || r == '<'):
			bare = false
		}
	}
	if bare {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		case '\r':
			b.WriteString(`\u000d`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
