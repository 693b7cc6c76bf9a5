// Package printable makes text from outside safe to show in terminals, logs and the lines of a protocol, and to read for models: names, paths,
// titles, the texts of guests. Whatever nobody sees becomes a visible escape, \uXXXX as in JSON (two of them beyond the first plane): control
// characters, including terminal escape sequences, separators of lines, and all that Unicode calls ignorable or formatting, such as marks
// that reorder text, tags, variation selectors and fillers. A tab becomes a blank, a byte that is not UTF-8 becomes U+FFFD.
//
// Hidden characters are kept where they do what Unicode has them for: a variation selector after a character of which it defines that variant,
// a joiner between two emoji or after a letter of a script whose letters join, and the tags of the flags that consist of them.
package printable

import (
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text makes s safe to show and keeps its line breaks.
func Text(s string) string { return escape(s, true) }

// Line makes s safe to show on one line: line breaks are escaped, too.
func Line(s string) string { return escape(s, false) }

// Hidden counts the characters of s that nobody sees, without tabs and line breaks.
func Hidden(s string) (n int) {
	if plain(s) == len(s) {
		return 0
	}
	for r, shown := range Runes(s) {
		if !shown && r != '\t' && r != '\n' && r != '\r' {
			n++
		}
	}
	return n
}

// plain returns how many bytes at the start of s are printable ASCII.
func plain(s string) (n int) {
	for n < len(s) && s[n] >= 0x20 && s[n] <= 0x7e {
		n++
	}
	return n
}

func escape(s string, multi bool) string {
	at := plain(s)
	if at == len(s) {
		return s // the common case
	}
	at = max(0, at-1) // a selector may follow an ASCII character
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:at])
	for r, shown := range Runes(s[at:]) { // what is not UTF-8 is U+FFFD
		switch {
		case shown || r == '\n' && multi:
			b.WriteRune(r)
		case r == '\t':
			b.WriteByte(' ')
		default:
			b.WriteString(Escape(r))
		}
	}
	return b.String()
}

// Escape returns the escape of a character.
func Escape(r rune) string {
	if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
		return Escape(hi) + Escape(lo)
	}
	hex := strconv.FormatInt(int64(r), 16)
	return `\u` + "0000"[len(hex):] + hex
}

// Joiners.
const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// flag is the character before the tags of a flag.
const flag = '\U0001F3F4'

// Runes yields the characters of s, and whether each is shown as it is.
func Runes(s string) iter.Seq2[rune, bool] {
	return func(yield func(rune, bool) bool) {
		tags := 0 // where the tags of a flag end
		for i := 0; i < len(s); {
			r, size := utf8.DecodeRuneInString(s[i:])
			shown := r >= 0x20 && r <= 0x7e || !unicode.Is(hidden, r) || i < tags || isShownBetween(s[:i], r, s[i+size:])
			i += size
			if r == flag {
				tags = i + flagTags(s[i:])
			}
			if !yield(r, shown) {
				return
			}
		}
	}
}

// isShownBetween reports whether r, which nobody sees, does between before and after what Unicode has it for.
func isShownBetween(before string, r rune, after string) bool {
	if r != joiner && r != nonJoiner {
		last, _ := utf8.DecodeLastRuneInString(before)
		return isVariant(last, r)
	}
	next, _ := utf8.DecodeRuneInString(after)
	base := marked(before)
	return r == joiner && pictures.has(base) && pictures.has(next) ||
		unicode.In(base, joining...) && !unicode.Is(hidden, base) && next != joiner && next != nonJoiner
}

// marked returns the character to which the marks, the variation selector or the skin colour at the end of s belong.
func marked(s string) rune {
	for s != "" {
		r, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
		before, _ := utf8.DecodeLastRuneInString(s)
		isMark := unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r)
		if !isMark && (r < '\U0001F3FB' || r > '\U0001F3FF') || unicode.In(r, joining...) || unicode.Is(hidden, r) && !isVariant(before, r) {
			return r
		}
	}
	return utf8.RuneError
}

// flagTags returns how many bytes at the start of s are the tags of a flag.
func flagTags(s string) int {
	for _, tags := range flags {
		if strings.HasPrefix(s, tags) {
			return len(tags)
		}
	}
	return 0
}

// isVariant reports whether Unicode defines a variant of a character by that selector.
func isVariant(base, selector rune) bool {
	return variants(selector).has(base)
}

// Cut shortens s to at most max bytes, between two characters, and replaces the rest by …. max must be at least 3.
func Cut(s string, max int) string {
	const mark = "…"
	if len(s) <= max {
		return s
	}
	n := max - len(mark)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	for last, size := utf8.DecodeLastRuneInString(s[:n]); n > 0 && unicode.Is(hidden, last) && last > '~'; last, size = utf8.DecodeLastRuneInString(s[:n]) {
		n -= size // it may have been shown only for what follows it
	}
	return s[:n] + mark
}
