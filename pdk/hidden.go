package pdk

import (
	"strings"

	"github.com/fcp-host/fcp-host/printable"
)

// Hidden says, for what a lint finds, how many characters of a text nobody sees, and the first ones: "8 hidden characters (\u200b\u200b…)".
// It returns "" for none. A text may carry a message in them that only a model reads.
func Hidden(text string) string {
	n := printable.Hidden(text)
	if n == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(Count(n, "hidden character") + " (")
	const most = 2
	named := 0
	for r, shown := range printable.Runes(text) {
		switch {
		case shown || r == '\t' || r == '\n' || r == '\r':
			continue
		case named == most:
			return b.String() + "…)"
		}
		b.WriteString(printable.Escape(r))
		named++
	}
	return b.String() + ")"
}
