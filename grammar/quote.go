package grammar

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/printable"
)

// unescape decodes the text between two quotes q, once. A backslash that starts no escape stays.
func unescape(body string, q byte) string {
	i := strings.IndexByte(body, '\\')
	if i < 0 {
		return body
	}
	var b strings.Builder
	b.Grow(len(body))
	for ; i >= 0; i = strings.IndexByte(body, '\\') {
		b.WriteString(body[:i])
		body = body[i:]
		text, size := escape(body, q)
		b.WriteString(text)
		body = body[size:]
	}
	b.WriteString(body)
	return b.String()
}

// escape decodes the escape that s starts with, and says how many bytes of s it takes.
func escape(s string, q byte) (text string, size int) {
	if len(s) < 2 {
		return s, len(s)
	}
	switch c := s[1]; {
	case c == q || c == '\\':
		return s[1:2], 2
	case q == '\'':
	case c == 'n':
		return "\n", 2
	case c == 't':
		return "\t", 2
	case c == 'u':
		r, ok := hexRune(s)
		if !ok {
			break
		}
		if !utf16.IsSurrogate(r) {
			return string(r), 6
		}
		if low, ok := hexRune(s[6:]); ok {
			if joined := utf16.DecodeRune(r, low); joined != utf8.RuneError {
				return string(joined), 12
			}
		}
		return s[:6], 6 // half a surrogate pair is not a character: keep it as typed
	}
	return `\`, 1
}

// hexRune reads \uXXXX from the start of s.
func hexRune(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for i := 2; i < 6; i++ {
		if c := s[i] | 0x20; !isDigit(s[i]) && (c < 'a' || c > 'f') {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

// Quote returns s, which should be UTF-8, in double quotes, escaped so that it reads back as exactly s, stays on one line
// and hides nothing.
func Quote(s string) string {
	quoted := []byte{'"'}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\':
			quoted = append(quoted, '\\', c)
		case '\n':
			quoted = append(quoted, `\n`...)
		case '\t':
			quoted = append(quoted, `\t`...)
		default:
			quoted = append(quoted, c)
		}
	}
	return printable.Line(string(append(quoted, '"')))
}

// Unquote returns the text of a token, and false if s is not one token.
func Unquote(s string) (text string, ok bool) {
	tok, ok := oneToken(s)
	return tok.Text, ok
}
