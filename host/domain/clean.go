package domain

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
)

// line makes one printable line of at most max bytes of what a plugin said:
// control and format characters (ANSI escapes, line breaks, direction marks)
// are escaped, bytes that are not UTF-8 replaced.
func line(s string, max int) string { return clean(s, max, false) }

// text is line for text of several lines.
func text(s string, max int) string { return clean(s, max, true) }

func clean(s string, max int, multi bool) string {
	s = cut(s, max)
	if plain(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		// Escapes are longer than what they stand for.
		if b.Len() > max {
			break
		}
		switch {
		case r >= 0x20 && r <= 0x7e:
			b.WriteByte(byte(r))
		case r == '\n' && multi:
			b.WriteByte('\n')
		case r == '\t':
			b.WriteByte(' ')
		case r == '\u200d' || r == '\ufe0f': // joiners of emoji and scripts
			b.WriteRune(r)
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
			b.WriteString(escaped(r))
		default:
			b.WriteRune(r)
		}
	}
	return cut(b.String(), max)
}

// escaped is \uXXXX, with more digits for what lies beyond.
func escaped(r rune) string {
	hex := strconv.FormatInt(int64(r), 16)
	return `\u` + "0000"[min(4, len(hex)):] + hex
}

// cut shortens s to at most max bytes, the mark of it included.
func cut(s string, max int) string {
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

// plain is the common case: printable ASCII.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

func quote(s string) string { return `"` + line(s, 64) + `"` }

func lines(list []string, n, max int) []string {
	if len(list) > n {
		list = list[:n]
	}
	for i := range list {
		list[i] = line(list[i], max)
	}
	return list
}

var brackets = strings.NewReplacer("[", "(", "]", ")")

func cleanState(s *abi.State) {
	// The brackets around it are the host's, and one pair.
	s.Digest = brackets.Replace(line(s.Digest, abi.MaxDigest))
	s.Title = line(s.Title, abi.MaxSummary)
	s.Warnings = lines(s.Warnings, abi.MaxWarnings, abi.MaxWarning)
	if len(s.Counts) > 64 {
		s.Counts = s.Counts[:64]
	}
	for i := range s.Counts {
		s.Counts[i].Name = line(s.Counts[i].Name, 64)
	}
}

// cleanError makes e printable and drops suggestions that the domain would not
// take. asked is the kind of what was refused.
func (d *Domain) cleanError(e *abi.Error, asked string) {
	e.Message = line(e.Message, abi.MaxError)
	if e.Message == "" {
		e.Message = "the plugin gave no reason"
	}
	e.Try = d.cleanTries(e.Try, asked)
}
