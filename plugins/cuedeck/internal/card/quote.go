package card

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// reserved are plain words that readers of YAML or YAML 1.1 do not read as text.
var reserved = strings.Fields("null true false yes no on off y n")

// Quote writes a text as a one-line YAML value that every reader reads as that text.
func Quote(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r > 0xffff && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08X`, r)
		case r != ' ' && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plain reports whether a text is safe without quotes, also within a list in brackets. It errs on the side of quotes.
func plain(s string) bool {
	if s == "" || strings.HasSuffix(s, " ") || slices.Contains(reserved, strings.ToLower(s)) {
		return false
	}
	for i, r := range s {
		letter := unicode.IsLetter(r)
		if i == 0 && !letter || !letter && !unicode.IsDigit(r) && !strings.ContainsRune(" _-./()+", r) {
			return false
		}
	}
	return true
}

// list writes a list in brackets.
func list(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
