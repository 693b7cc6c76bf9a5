// Package printable makes text from outside safe to show in terminals, logs and the lines of a protocol: names, paths,
// titles, the texts of guests. Control and formatting characters (including terminal escape sequences and the marks that
// reorder text) and line and paragraph separators become visible escapes, \uXXXX as in JSON; a tab becomes a blank, a byte
// that is not UTF-8 becomes U+FFFD, and the joiner of emoji and scripts (U+200D) is kept.
package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text makes s safe to show and keeps its line breaks.
func Text(s string) string { return escape(s, true) }

// Line makes s safe to show on one line: line breaks are escaped, too.
func Line(s string) string { return escape(s, false) }

// Shown reports whether r is printed unchanged.
func Shown(r rune) bool {
	if r <= 0x7e {
		return r >= 0x20
	}
	return r == '\u200d' || !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) && r != '\u2028' && r != '\u2029'
}

func escape(s string, multi bool) string {
	at := 0
	for at < len(s) && s[at] >= 0x20 && s[at] <= 0x7e {
		at++
	}
	if at == len(s) {
		return s // the common case
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:at])
	for _, r := range s[at:] { // what is not UTF-8 is U+FFFD
		switch {
		case Shown(r) || r == '\n' && multi:
			b.WriteRune(r)
		case r == '\t':
			b.WriteByte(' ')
		default:
			hex := strconv.FormatInt(int64(r), 16)
			b.WriteString(`\u` + "0000"[min(4, len(hex)):] + hex)
		}
	}
	return b.String()
}

// Cut shortens s to at most max bytes, between two characters, and replaces the rest by …. max must be at least 3.
func Cut(s string, max int) string {
	const mark = "…"
	if len(s) <= max {
		return s
	}
	n := max - len(mark)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}
