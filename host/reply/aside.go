package reply

import (
	"strings"
	"unicode"
)

// Aside is a guest's text with the lines indented that would read as the
// host's own: those that start like a result line, those in brackets like a
// digest, and suggestions. All other lines stay as they are.
func Aside(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		switch bare := visible(line); {
		case suggests(bare):
			b.WriteString(beyondTry)
		case prefixed(bare), strings.HasPrefix(bare, "[") && strings.HasSuffix(strings.TrimSpace(bare), "]"):
			b.WriteString("  ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// beyondTry indents a guest's suggestion: the host's own stands behind two blanks.
const beyondTry = "    "

// suggests reports whether a line reads as a suggestion, however it is indented.
func suggests(line string) bool {
	line = strings.TrimLeftFunc(line, unicode.IsSpace)
	return len(line) >= 4 && strings.EqualFold(line[:4], "try:")
}

// prefixed reports whether a line starts with the prefix of a result line and a blank.
func prefixed(line string) bool {
	if line == "" || !strings.ContainsRune("+~*-@?!", rune(line[0])) {
		return false
	}
	return strings.IndexFunc(line[1:], unicode.IsSpace) == 0
}

// visible is a line without the characters that take no room: they would hide
// how it starts.
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
