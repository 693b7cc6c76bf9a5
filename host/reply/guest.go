package reply

import (
	"strings"
	"unicode"
)

// A line that the host speaks never begins with a name and a bar: that marks the words of a domain, which may be anything. The host's lines
// are told from all others by what they begin with.

// Said returns what a domain said where the host speaks, such as a warning: after the domain's name. Lines after the first are as in [Mark].
func Said(domain, text string) string {
	first, more, many := strings.Cut(text, "\n")
	if many {
		more = "\n" + Mark(domain, more)
	}
	return domain + bar + first + more
}

// bar stands between a domain's name and its words.
const bar = "| "

// Mark puts the domain's name before each line of its text that begins, after blanks, as the host's or another domain's lines do.
// Other lines stay unchanged.
func Mark(domain, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if ReadsAsHosts(line) || isHeading(line) || isSaid(line) {
			at := len(line) - len(strings.TrimLeft(line, " \t"))
			b.WriteString(line[:at] + domain + bar)
			line = line[at:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// MarkRest is Mark for all lines but the first.
func MarkRest(domain, text string) string {
	first, more, many := strings.Cut(text, "\n")
	if !many {
		return text
	}
	return first + "\n" + Mark(domain, more)
}

// ReadsAsHosts reports whether a line begins, after blanks, as a line of the host's replies does: with the sign of a result and a blank, with
// a bracket, or with "try:".
func ReadsAsHosts(line string) bool {
	start := startOf(line)
	switch {
	case strings.HasPrefix(start, "["), strings.HasPrefix(start, "try:"):
		return true
	case start == "" || !strings.ContainsRune("+~*-@?!", rune(start[0])):
		return false
	}
	return len(start) == 1 || start[1] == ' '
}

// isHeading reports whether a line begins, after blanks, like the answer to one of several queries, or a note about lines left out.
func isHeading(line string) bool {
	start := startOf(line)
	return strings.HasPrefix(start, "> ") || strings.HasPrefix(start, "… ")
}

// isSaid reports whether a line begins, after blanks, with a name and a bar.
func isSaid(line string) bool {
	name, _, found := strings.Cut(startOf(line), "|")
	return found && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// isBlank reports whether a character is seen as a blank.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r == '\u2800' }

// startOf returns the first characters of a line after blanks as one reads them: in lower case, without marks and with plain blanks, and those
// of double width like others.
func startOf(line string) string {
	const enough = 40 // more than a domain's name
	var b strings.Builder
	for _, r := range line {
		switch {
		case b.Len() >= enough:
			return b.String()
		case isBlank(r):
			if b.Len() > 0 && r != '\n' {
				b.WriteByte(' ')
			}
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case r >= 0xff01 && r <= 0xff5e:
			b.WriteRune(unicode.ToLower(r - 0xfee0))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}
