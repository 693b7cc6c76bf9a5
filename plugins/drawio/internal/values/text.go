package values

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Article puts "a" or "an" before a type.
func Article(kind string) string {
	if strings.ContainsAny(kind[:min(1, len(kind))], "aeiou") {
		return "an " + kind
	}
	return "a " + kind
}

// OneLine prints s on one line, shortened to 80 bytes.
func OneLine(s string) string {
	if isOneLine(s) {
		return s
	}
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:77], "") + "…"
	}
	return s
}

// Quoted prints s in quotes, with \n for line ends, shortened to about 80 bytes.
func Quoted(s string) string {
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:77], "") + "…"
	}
	return strconv.Quote(s)
}

// isOneLine reports whether OneLine returns s unchanged. It may report false for a text
// that OneLine would not change.
func isOneLine(s string) bool {
	blank := true
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= utf8.RuneSelf || blank && s[i] == ' ' {
			return false
		}
		blank = s[i] == ' '
	}
	return len(s) <= 80 && !blank
}
