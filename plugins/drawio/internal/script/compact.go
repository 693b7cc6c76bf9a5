package script

import (
	"strconv"
	"strings"
)

// Compact returns a source without comments and spaces, and without the statements at its top level for which drop
// returns true. drop receives the words of the statement.
func Compact(src string, drop func(words []string) bool) (string, error) {
	list, err := tokens(src)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	var words []string
	nested := 0
	for i, t := range list {
		w := t.text
		if t.kind == text {
			w = strconv.QuoteToASCII(w)
		}
		if t.kind != end {
			words = append(words, w)
		}
		if t.kind == mark {
			switch w {
			case "{", "(", "[":
				nested++
			case "}", ")", "]":
				nested--
			}
		}
		// A statement ends with a semicolon, or with a body that another one follows.
		last := t.kind == end || nested == 0 && (w == ";" || w == "}" && list[i+1].kind == name && list[i+1].text != "else")
		if !last || len(words) == 0 {
			continue
		}
		if !drop(words) {
			join(&b, words)
			b.WriteByte('\n')
		}
		words = words[:0]
	}
	return b.String(), nil
}

func join(b *strings.Builder, words []string) {
	before := byte(' ')
	for _, w := range words {
		c := w[0]
		if (letter(before) || before >= '0' && before <= '9') && (letter(c) || c >= '0' && c <= '9') || before == c && (c == '+' || c == '-') {
			b.WriteByte(' ')
		}
		b.WriteString(w)
		before = w[len(w)-1]
	}
}
