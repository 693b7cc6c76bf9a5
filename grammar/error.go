package grammar

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// rawRunes is how much of an op an error repeats: enough to recognize it, little enough for a reply's line.
const rawRunes = 120

// Error says why a text is not well formed. Every error of this package's parsers is one.
type Error struct {
	// Message is one line: what is wrong and, where that helps, at which column.
	Message string `json:"error"`
	// Column is the place in the trimmed text, in runes from 1; 0 for the whole text.
	Column int `json:"column,omitempty"`
	// Raw is the trimmed text, cut after 120 runes.
	Raw string `json:"raw"`
	// Try holds complete texts that are accepted; it may be empty.
	Try []string `json:"try,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// clean makes s valid UTF-8 without separators around it.
func clean(s string) string {
	return strings.Trim(strings.ToValidUTF8(s, "\uFFFD"), separators)
}

// excerpt cuts s after rawRunes runes.
func excerpt(s string) string {
	if len(s) <= rawRunes {
		return s
	}
	n := 0
	for i := range s {
		if n == rawRunes {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

func emptyOp(what string) *Error { return &Error{Message: "empty " + what + ": expected a word"} }

func tooLong(src, what string) *Error {
	return &Error{
		Message: fmt.Sprintf("the %s is %d bytes long; the limit is %d", what, len(src), MaxOpBytes),
		Raw:     excerpt(src),
	}
}

func tooManyTokens(src string) *Error {
	return &Error{Message: fmt.Sprintf("more than %d words in one op; split it", MaxTokens), Raw: excerpt(src)}
}

// unterminated reports the quote that opens at the byte offset open of src.
func unterminated(src string, open int) *Error {
	lead := len(src) - len(strings.TrimLeft(src, separators))
	src, open = strings.Trim(src, separators), open-lead
	q := src[open : open+1]
	col := column(src, open)
	e := &Error{
		Message: fmt.Sprintf("unterminated quote: the %s at column %d has no closing %s", q, col, q),
		Column:  col,
		Raw:     excerpt(src),
	}
	e.suggest(src + q)
	return e
}

// quotedVerb reports a first token that is quoted, in part or as a whole.
func quotedVerb(src string, tok Token, what string) *Error {
	e := &Error{
		Message: fmt.Sprintf("expected a %s, found the quoted text %s", what, Quote(excerpt(tok.Text))),
		Column:  1,
		Raw:     excerpt(src),
	}
	if word := tok.Text; tok.quotedFirst() && isKey(word) {
		e.suggest(word + src[tok.End:])
	}
	return e
}

// badSelector reports the malformed selector tok in src; fix is the suggested replacement.
func badSelector(src string, tok Token, message, fix string) *Error {
	e := &Error{Message: message, Column: column(src, tok.Start), Raw: excerpt(src)}
	e.suggest(src[:tok.Start] + fix + src[tok.End:])
	return e
}

// suggest adds a text to try, if it is short enough to print whole, stays on one line and does parse.
func (e *Error) suggest(text string) {
	if utf8.RuneCountInString(text) > rawRunes || strings.ContainsAny(text, "\r\n") {
		return
	}
	if _, err := parseLine(text, Rules{}, reading{what: "verb"}); err == nil {
		e.Try = append(e.Try, text)
	}
}
