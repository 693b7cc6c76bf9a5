package web

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
)

// mark replaces a secret. Secrets are visible ASCII, so a mark is never part of one, nor completes one with the text
// beside it.
const mark = "•••"

// Redactor removes secrets from texts: plain, escaped for URLs (%XX, any of their characters) or JSON (\uXXXX, \/ and
// the like), also if that was done several times, and in base64 at each of its three alignments, in both alphabets; in each of them whatever letters became
// upper or lower case on the way, as in the name of a header. A Redactor is safe for concurrent use, and a nil one
// changes nothing.
type Redactor struct {
	needles [][]byte     // in lower case
	at      [256][]place // positions of each byte in the needles
}

// place is the position of a byte in a needle.
type place struct{ needle, index int }

// NewRedactor returns a Redactor for these secrets. Empty ones are ignored.
func NewRedactor(secrets ...string) *Redactor {
	r := &Redactor{}
	add := func(secret string) {
		needle := string(lower([]byte(secret)))
		if needle != "" && !slices.ContainsFunc(r.needles, func(n []byte) bool { return string(n) == needle }) {
			r.needles = append(r.needles, []byte(needle))
		}
	}
	for _, s := range secrets {
		if s == "" {
			continue
		}
		add(s)
		add(strings.ReplaceAll(s, " ", "+")) // as in a query
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			for before := range 3 {
				// The characters that the secret alone determines, if so many bytes precede it.
				all := enc.EncodeToString(append(make([]byte, before), s...))
				add(all[(before*8+5)/6 : (before+len(s))*8/6])
			}
		}
	}
	for n, needle := range r.needles {
		for i, c := range needle {
			r.at[c] = append(r.at[c], place{n, i})
		}
	}
	return r
}

// Text returns s without the secrets.
func (r *Redactor) Text(s string) string {
	if r == nil || len(r.needles) == 0 {
		return s
	}
	b := []byte(s)
	if out := r.Bytes(b); len(out) != len(b) || !bytes.Equal(out, b) {
		return string(out)
	}
	return s
}

// Bytes returns b without the secrets: b itself if it contains none.
func (r *Redactor) Bytes(b []byte) []byte {
	if r == nil {
		return b
	}
	var found []span
	text := lower(b)
	for _, needle := range r.needles {
		for from := 0; ; {
			i := bytes.Index(text[from:], needle)
			if i < 0 {
				break
			}
			found = join(found, span{from + i, from + i + len(needle)})
			from += i + 1
		}
	}
	found = r.findEscaped(found, text, '%', percent)
	if bytes.Contains(text, []byte("%25")) {
		found = r.findEscaped(found, text, '%', percents)
	}
	found = r.findEscaped(found, text, '\\', backslash)
	if bytes.Contains(text, []byte(`\\`)) {
		found = r.findEscaped(found, text, '\\', backslashes)
	}
	if len(found) == 0 {
		return b
	}
	slices.SortFunc(found, func(a, b span) int { return a.from - b.from })
	var out []byte
	end := 0
	for i, s := range found {
		if i == 0 || s.from > end {
			out = append(append(out, b[end:s.from]...), mark...)
		}
		end = max(end, s.to)
	}
	return append(out, b[end:]...)
}

// span is a range of a text.
type span struct{ from, to int }

// join adds a span, merged with the last one if they overlap: in a text of one repeated character, a secret of that
// character matches at each byte.
func join(list []span, s span) []span {
	if n := len(list); n > 0 && s.from >= list[n-1].from && s.from <= list[n-1].to {
		list[n-1].to = max(list[n-1].to, s.to)
		return list
	}
	return append(list, s)
}

// findEscaped finds needles of which at least one character is escaped. It tries each escape in the text as the first
// one of a needle, so the text before it, and its decoding, do not matter.
func (r *Redactor) findEscaped(found []span, text []byte, sign byte, decode func([]byte) (byte, int)) []span {
	for e := 0; ; e++ {
		i := bytes.IndexByte(text[e:], sign)
		if i < 0 {
			return found
		}
		e += i
		c, n := decode(text[e:])
		if n == 0 {
			continue
		}
		for _, p := range r.at[c] {
			needle := r.needles[p.needle]
			if e < p.index || !bytes.Equal(text[e-p.index:e], needle[:p.index]) {
				continue
			}
			if end := match(text, e+n, needle[p.index+1:], decode); end >= 0 {
				found = join(found, span{e - p.index, end})
			}
		}
	}
}

// match returns where the needle ends in the text, each character escaped or not, or -1.
func match(text []byte, at int, needle []byte, decode func([]byte) (byte, int)) int {
	for _, want := range needle {
		c, n := decode(text[at:])
		if n == 0 {
			if at == len(text) {
				return -1
			}
			c, n = text[at], 1
		}
		if c != want {
			return -1
		}
		at += n
	}
	return at
}

// lower returns a copy of b with its ASCII letters in lower case.
func lower(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = lowerByte(c)
	}
	return out
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c |= 0x20
	}
	return c
}

// percent decodes a %XX at the start of s to lower case and returns its length; 0 if there is none.
func percent(s []byte) (c byte, n int) {
	if len(s) < 3 || s[0] != '%' {
		return 0, 0
	}
	hi, lo := hex(s[1]), hex(s[2])
	if hi < 0 || lo < 0 {
		return 0, 0
	}
	return lowerByte(byte(hi<<4 | lo)), 3
}

// maxNested is how often a character may have been escaped.
const maxNested = 5

// percents is percent for a character that may have been escaped several times, %252F.
func percents(s []byte) (c byte, n int) {
	if len(s) < 3 || s[0] != '%' {
		return 0, 0
	}
	n = 1
	for n < 2*maxNested && len(s) >= n+4 && s[n] == '2' && s[n+1] == '5' && hex(s[n+2]) >= 0 && hex(s[n+3]) >= 0 {
		n += 2
	}
	if hi, lo := hex(s[n]), hex(s[n+1]); hi >= 0 && lo >= 0 {
		return lowerByte(byte(hi<<4 | lo)), n + 2
	}
	return 0, 0
}

// backslash is percent for a JSON escape that stands for an ASCII character.
func backslash(s []byte) (c byte, n int) {
	if len(s) < 2 || s[0] != '\\' {
		return 0, 0
	}
	if s[1] != 'u' {
		return s[1], 2
	}
	if len(s) < 6 || s[2] != '0' || s[3] != '0' {
		return 0, 0
	}
	hi, lo := hex(s[4]), hex(s[5])
	if hi < 0 || lo < 0 {
		return 0, 0
	}
	return lowerByte(byte(hi<<4 | lo)), 6
}

// backslashes is backslash for a character that may have been escaped several times, \\u002f.
func backslashes(s []byte) (c byte, n int) {
	for n < 1<<maxNested && len(s) > n+1 && s[n] == '\\' && s[n+1] == '\\' {
		n++
	}
	if c, more := backslash(s[n:]); more > 0 {
		return c, n + more
	}
	return 0, 0
}

// hex returns the value of a hexadecimal digit, or -1.
func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
