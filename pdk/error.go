package pdk

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/printable"
)

// Error is a refusal with suggestions. A verb may return any other error, which
// has none.
type Error struct {
	Message string
	Tries   []abi.Suggestion

	ref   string   // the reference that was not resolved
	names []string // what it may have meant, printed as by Quote
}

// Errorf makes a refusal that says in one line what was wrong.
func Errorf(format string, args ...any) *Error {
	return &Error{Message: printable.Line(oneLine(fmt.Sprintf(format, args...)))}
}

// Try adds suggestions that would work as printed, on this document, now: complete
// ops if an op was refused, queries if a query was. Use Quote for values that may
// need it. The host tries suggestions out, and drops those that fail or change nothing.
func (e *Error) Try(texts ...string) *Error { return e.suggest("", texts...) }

// Tryf is Try for one text, formatted as by fmt.Sprintf.
func (e *Error) Tryf(format string, args ...any) *Error {
	return e.suggest("", fmt.Sprintf(format, args...))
}

// TryQuery adds queries as suggestions, whatever was refused.
func (e *Error) TryQuery(texts ...string) *Error { return e.suggest(abi.TryQuery, texts...) }

// TryAction adds session actions as suggestions, whatever was refused, without a tool's name.
func (e *Error) TryAction(texts ...string) *Error { return e.suggest(abi.TryAction, texts...) }

func (e *Error) suggest(kind string, texts ...string) *Error {
	for _, t := range texts {
		e.Tries = append(e.Tries, abi.Suggestion{Kind: kind, Text: t})
	}
	return e
}

// unchanged is the outcome of an op that had nothing to change.
type unchanged struct{ text string }

func (u *unchanged) Error() string { return u.text }

// Unchanged is what a verb returns when it has nothing to change: this is not a
// failure, and the call continues. The text says what is already the case,
// such as "tempo 120 is already set". What the op has done so far is undone.
func Unchanged(format string, args ...any) error {
	return &unchanged{printable.Text(fmt.Sprintf(format, args...))}
}

// IsUnchanged reports whether err was made by Unchanged.
func IsUnchanged(err error) bool {
	var u *unchanged
	return errors.As(err, &u)
}

// Instead records the names that ref, a positional or value of the op, may have
// meant, each printed as by Quote. If the error has no other suggestions, it
// suggests the op with each of them in place of ref.
func (e *Error) Instead(ref string, names ...string) *Error {
	e.ref, e.names = ref, names
	return e
}

// Meant returns what the reference that was refused may have meant, as Instead has it.
func (e *Error) Meant() []string {
	out := make([]string, len(e.names))
	for i, n := range e.names {
		out[i] = Unquote(n)
	}
	return out
}

func (e *Error) Error() string { return e.Message }

// wire converts any error to the error of a message.
func wire(err error) *abi.Error {
	w := &abi.Error{Message: oneLine(err.Error())}
	var e *Error
	if errors.As(err, &e) {
		for i := 0; i < len(e.Tries) && i < abi.MaxTry; i++ {
			w.Try = append(w.Try, abi.Suggestion{Kind: e.Tries[i].Kind, Text: oneLine(e.Tries[i].Text)})
		}
	}
	return w
}

// oneLine puts a text on one line: in error_set the lines after the first are
// suggestions.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\r' || r == '\n' }), " ")
}

// Text renders an error for error_set: the message, then a line for each
// suggestion, `try: ` or with its kind `try query: `.
func Text(err error) string {
	e := wire(err)
	var b strings.Builder
	b.WriteString(e.Message)
	for _, t := range e.Try {
		b.WriteString("\ntry")
		if t.Kind != "" {
			b.WriteString(" " + t.Kind)
		}
		b.WriteString(": " + t.Text)
	}
	return b.String()
}

// Quote prints s, which should be UTF-8, as one token that reads back as the
// same text and is never syntax, alone and as key:VALUE or @type:VALUE: bare
// where that is safe, else in double quotes. (Bare, A1 after a key that looks
// like a cell itself, as in b2:A1, is a range.)
func Quote(s string) string {
	if s == "" {
		return `""`
	}
	bare := printable.Hidden(s) == 0
	for i, r := range s {
		switch {
		case r <= ' ' || r == 0x7f || r == '"' || r == '\'' || r == '\\' || r == ':' || r == '=' || r == '!':
			bare = false
		case i == 0 && (r == '@' || r == '-' || r == '<' || r == '/'):
			bare = false
		}
	}
	if bare {
		return s
	}
	return grammar.Quote(s)
}

// Unquote returns the text of a token that Quote printed.
func Unquote(token string) string {
	if text, ok := grammar.Unquote(token); ok {
		return text
	}
	return token
}
