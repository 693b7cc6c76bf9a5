package css

import "strings"

// WithIDs replaces the ids in the selectors and url() references of a sheet. Everything
// else, such as colours, keeps its bytes.
func WithIDs(text string, to func(id string) string) string {
	var b strings.Builder
	var outer []bool // whether each enclosing block holds rules
	rules, written, head := true, 0, 0
	id := func(at, end int) {
		b.WriteString(text[written:at] + to(text[at:end]))
		written = end
	}
	for i := 0; i < len(text); {
		rest := text[i:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, "/*"), c == '"', c == '\'':
			i += skipOpaque(rest)
			continue
		case c == '{':
			outer = append(outer, rules)
			word := prelude(text[head:i]) + " "
			word = word[:strings.IndexAny(word, " \t\r\n\f(")]
			rules, head = rules && (word == "@media" || word == "@supports" || word == "@layer" || word == "@container"), i+1
		case c == '}':
			if n := len(outer); n > 0 {
				rules, outer = outer[n-1], outer[:n-1]
			}
			head = i + 1
		case c == ';':
			head = i + 1
		case c == '#' && rules && !strings.HasPrefix(prelude(text[head:i]), "@"):
			if n := name(rest[1:]); n > 0 {
				id(i+1, i+1+n)
				i += n
			}
		case !rules && strings.HasPrefix(rest, "url("):
			end := strings.IndexByte(rest, ')')
			if end < 0 {
				end = len(rest)
			}
			at := 4 + len(rest[4:end]) - len(strings.TrimLeft(rest[4:end], " \"'"))
			if strings.HasPrefix(rest[at:end], "#") {
				id(i+at+1, i+at+len(strings.TrimRight(rest[at:end], " \"'")))
			}
			i += end
			continue
		}
		i++
	}
	return b.String() + text[written:]
}

// prelude returns the text before a block, without the comments around it.
func prelude(s string) string { return strings.TrimSpace(stripComments(s)) }

// skipOpaque returns the length of the comment or string at the start of a text.
func skipOpaque(s string) int {
	if strings.HasPrefix(s, "/*") {
		if end := strings.Index(s[2:], "*/"); end >= 0 {
			return end + 4
		}
		return len(s)
	}
	for i := 1; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == s[0] {
			return i + 1
		}
	}
	return len(s)
}

// Mentions reports whether a selector that Parse skips names an id: one with a state, or in a block that is not always applied.
func Mentions(text, id string) bool {
	count := func(text string) (n int) {
		WithIDs(text, func(found string) string {
			if found == id {
				n++
			}
			return found
		})
		return n
	}
	all := count(text)
	for _, r := range Parse(text).Rules {
		all -= count(text[r.Start:r.End])
	}
	return all > 0
}
