package web

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
)

// mark stands where a secret stood. Secrets are visible ASCII, so that no mark
// can be part of one, or make one with what stands beside it.
const mark = "•••"

// Redactor takes secrets out of texts: plain, escaped for URLs (%XX, any
// characters of them) or JSON (\uXXXX, \/ and the like), and in base64 at each
// of its three alignments, in both alphabets. A Redactor may be used by several
// goroutines, and a nil one changes nothing.
type Redactor struct {
	needles [][]byte
	at      [256][]place // where each character stands in the needles
}

// place is a character of a needle.
type place struct{ needle, index int }

// NewRedactor takes these secrets out of texts. An empty one is ignored.
func NewRedactor(secrets ...string) *Redactor {
	r := &Redactor{}
	add := func(needle string) {
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
				// The characters that the secret alone decides, with so many bytes before it.
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

// Text is s without the secrets.
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

// Bytes is b without the secrets: b itself if there is none in it.
func (r *Redactor) Bytes(b []byte) []byte {
	if r == nil {
		return b
	}
	var found []span
	for _, needle := range r.needles {
		for from := 0; ; {
			i := bytes.Index(b[from:], needle)
			if i < 0 {
				break
			}
			found = join(found, span{from + i, from + i + len(needle)})
			from += i + 1
		}
	}
	found = r.escaped(found, b, '%', percent)
	found = r.escaped(found, b, '\\', backslash)
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

// span is a stretch of a text.
type span struct{ from, to int }

// join adds a span, to the last one if they overlap: a text of one character
// holds a secret of the same at each of its bytes.
func join(list []span, s span) []span {
	if n := len(list); n > 0 && s.from >= list[n-1].from && s.from <= list[n-1].to {
		list[n-1].to = max(list[n-1].to, s.to)
		return list
	}
	return append(list, s)
}

// escaped finds needles of which at least one character is escaped. Each escape
// in the text is tried as the first one of a needle, so that what stands before
// it, and how that would be decoded, does not matter.
func (r *Redactor) escaped(found []span, text []byte, sign byte, decode func([]byte) (byte, int)) []span {
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

// match is where the needle ends in the text, each character of it escaped or
// not, or -1.
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

// percent decodes a %XX that s starts with, and how long it is: 0 if there is none.
func percent(s []byte) (c byte, n int) {
	if len(s) < 3 || s[0] != '%' {
		return 0, 0
	}
	hi, lo := hex(s[1]), hex(s[2])
	if hi < 0 || lo < 0 {
		return 0, 0
	}
	return byte(hi<<4 | lo), 3
}

// backslash decodes an escape of a JSON string that s starts with, if it stands
// for an ASCII character.
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
	return byte(hi<<4 | lo), 6
}

// hex is the value of a hexadecimal digit, or -1.
func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
