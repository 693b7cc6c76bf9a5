package xmltree

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Escape escapes s for an attribute's value between quotes of the given kind.
// Line ends and tabs become character references, since parsers would otherwise
// turn them into spaces. Characters that XML does not allow are dropped.
func Escape(s string, quote byte) string {
	if plain(s, quote) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"' && quote != '\'':
			b.WriteString("&quot;")
		case r == '\'' && quote == '\'':
			b.WriteString("&apos;")
		case r == '\n':
			b.WriteString("&#xa;")
		case r == '\t':
			b.WriteString("&#x9;")
		case r == '\r':
			b.WriteString("&#xd;")
		case !valid(r) || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func plain(s string, quote byte) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '&' || c == '<' || c == '>' || c == quote {
			return false
		}
	}
	return true
}

// EscapeText escapes s for text between tags. Characters that XML does not allow
// are dropped. Of line ends, only carriage returns are escaped.
func EscapeText(s string) string {
	if plain(s, '<') {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '\r':
			b.WriteString("&#xd;")
		case !valid(r) || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// UnescapeText decodes raw text between tags: it decodes entities as Unescape does,
// and makes each line end one "\n".
func UnescapeText(raw string) string {
	if strings.IndexByte(raw, '\r') >= 0 {
		raw = strings.ReplaceAll(strings.ReplaceAll(raw, "\r\n", "\n"), "\r", "\n")
	}
	if strings.IndexByte(raw, '&') < 0 {
		return raw
	}
	var b strings.Builder
	b.Grow(len(raw))
	for {
		i := strings.IndexByte(raw, '&')
		if i < 0 {
			b.WriteString(raw)
			return b.String()
		}
		text, n := entity(raw[i:])
		b.WriteString(raw[:i])
		b.WriteString(text)
		raw = raw[i+n:]
	}
}

// Unescape decodes an attribute's raw value: it decodes the predefined entities and
// character references, and normalises white space as XML specifies. Any other
// entity stays as it is written.
func Unescape(raw string) string {
	if strings.IndexByte(raw, '&') < 0 && !strings.ContainsAny(raw, "\n\t\r") {
		return raw
	}
	var b strings.Builder
	b.Grow(len(raw))
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case '&':
			text, n := entity(raw[i:])
			b.WriteString(text)
			i += n
		case '\r':
			if i+1 < len(raw) && raw[i+1] == '\n' {
				i++
			}
			b.WriteByte(' ')
			i++
		case '\n', '\t':
			b.WriteByte(' ')
			i++
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// entity decodes the reference at the start of s and returns its length in bytes.
func entity(s string) (string, int) {
	end := strings.IndexByte(s[:min(len(s), 16)], ';')
	if end < 2 {
		return "&", 1
	}
	switch name := s[1:end]; name {
	case "amp":
		return "&", end + 1
	case "lt":
		return "<", end + 1
	case "gt":
		return ">", end + 1
	case "quot":
		return `"`, end + 1
	case "apos":
		return "'", end + 1
	default:
		if name[0] != '#' {
			return "&", 1
		}
		base, digits := 10, name[1:]
		if len(digits) > 0 && (digits[0] == 'x' || digits[0] == 'X') {
			base, digits = 16, digits[1:]
		}
		n, err := strconv.ParseUint(digits, base, 32)
		if err != nil || !valid(rune(n)) || n > utf8.MaxRune {
			return "&", 1
		}
		return string(rune(n)), end + 1
	}
}

// valid reports whether XML 1.0 allows the character.
func valid(r rune) bool {
	return r >= ' ' && r <= 0xD7FF || r == '\t' || r == '\n' || r == '\r' || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000
}
