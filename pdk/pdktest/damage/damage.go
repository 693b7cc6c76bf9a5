// Package damage changes a file as other programs, editors and accidents may, for tests that open it.
package damage

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Way is one way of damaging a file.
type Way struct {
	Name string                   // as in "a.txt with CRLF"
	Text bool                     // for text files only
	Edit bool                     // worth trying operations on the result
	do   func(data []byte) []byte // may change data
}

// Of returns a damaged copy of a file, nil if the way does not apply or changes nothing.
func (w *Way) Of(data []byte) []byte {
	if w.Text && (!utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 || len(data) == 0) {
		return nil
	}
	out := w.do(bytes.Clone(data))
	if bytes.Equal(out, data) {
		return nil
	}
	return out
}

// Cut truncates a file to a fraction of its length, from 0 to 1.
func Cut(part float64) Way {
	return Way{Name: fmt.Sprintf("cut after %.1f %% of it", part*100), do: func(b []byte) []byte { return b[:int(part*float64(len(b)))] }}
}

// Ways lists all ways.
func Ways() []Way {
	each := func(end, with string) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(end), []byte(with)) }
	}
	return []Way{
		{"with CRLF", true, true, func(b []byte) []byte { return each("\n", "\r\n")(each("\r\n", "\n")(b)) }},
		{"with CRLF in its first half", true, false, func(b []byte) []byte {
			at := middle(b)
			return append(each("\n", "\r\n")(b[:at:at]), b[at:]...)
		}},
		{"with a byte order mark", true, false, func(b []byte) []byte { return append([]byte("\ufeff"), b...) }},
		{"without its final newline", true, true, func(b []byte) []byte { return bytes.TrimRight(b, "\r\n") }},
		{"with two more newlines at its end", true, false, func(b []byte) []byte { return append(b, "\n\n"...) }},
		{"with blanks at the ends of lines", true, false, each("\n", "  \n")},
		{"with tabs at the ends of lines", true, false, each("\n", "\t\n")},
		{"with junk after its end", false, false, func(b []byte) []byte { return append(b, "zzqxv \x01"...) }},
		{"cut in the middle", false, false, func(b []byte) []byte { return b[:len(b)/2] }},
		{"without its last byte", false, false, func(b []byte) []byte { return b[:max(0, len(b)-1)] }},
		{"emptied", false, false, func(b []byte) []byte { return b[:0] }},
		{"that is not UTF-8", true, true, func(b []byte) []byte { return amid(b, " \xff\xe9") }},
		{"with a NUL", true, false, func(b []byte) []byte { return amid(b, "\x00") }},
		{"in UTF-16", true, false, func(b []byte) []byte {
			out := []byte{0xff, 0xfe}
			for _, u := range utf16.Encode([]rune(string(b))) {
				out = append(out, byte(u), byte(u>>8))
			}
			return out
		}},
	}
}

// middle is the offset of the end of the line in the middle.
func middle(b []byte) int {
	if at := bytes.IndexByte(b[len(b)/2:], '\n'); at >= 0 {
		return len(b)/2 + at
	}
	return len(b) / 2
}

func amid(b []byte, text string) []byte {
	at := middle(b)
	return slices.Concat(b[:at], []byte(text), b[at:])
}
