package reply

import (
	"strings"
	"unicode"
)

// IndentGuest indents the lines of a guest's text that would read as the host's own: those that start like a result line,
// lines in brackets like a digest, and suggestions. Other lines stay unchanged.
func IndentGuest(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		switch bare := visible(line); {
		case suggests(bare):
			b.WriteString(beyondTry)
		case hasPrefix(bare), strings.HasPrefix(bare, "[") && strings.HasSuffix(strings.TrimSpace(bare), "]"):
			b.WriteString("  ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// beyondTry indents a guest's suggestion further than the host's own, which have two spaces.
const beyondTry = "    "

// suggests reports whether a line reads as a suggestion, whatever its indentation.
func suggests(line string) bool {
	line = strings.TrimLeftFunc(line, unicode.IsSpace)
	return len(line) >= 4 && strings.EqualFold(line[:4], "try:")
}

// hasPrefix reports whether a line starts with the prefix of a result line and a space.
func hasPrefix(line string) bool {
	if line == "" || !strings.ContainsRune("+~*-@?!", rune(line[0])) {
		return false
	}
	return strings.IndexFunc(line[1:], unicode.IsSpace) == 0
}

// visible returns a line without characters of zero width, which could hide how it starts.
func visible(line string) string {
	if strings.IndexFunc(line, func(r rune) bool { return r >= 0x80 }) < 0 {
		return line
	}
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) || strings.ContainsRune("\u115f\u1160\u3164\uffa0", r) {
			return -1
		}
		return r
	}, line)
}
