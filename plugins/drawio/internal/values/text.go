package values

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
)

// Summary shortens a summary to the length that an event may carry.
func Summary(s string) string {
	s = strings.ReplaceAll(s, "\n", " ")
	if len(s) > abi.MaxSummary {
		s = strings.ToValidUTF8(s[:abi.MaxSummary-4], "") + "…"
	}
	return s
}

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

// Plural prints a count with its noun: "1 shape", "3 shapes".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
