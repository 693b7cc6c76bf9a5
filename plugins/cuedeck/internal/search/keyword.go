package search

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// The keyword scores of a query, and of each of its words.
const (
	nameHas, nameHasWord = 100, 10
	textHas, textHasWord = 50, 5
)

// keyword scores files by whether their name and text contain the query and its words, ignoring case.
func (x *Index) keyword(found []*entry, query string) []float64 {
	query = fold(strings.TrimSpace(query))
	words := strings.Fields(query)
	scores := make([]float64, len(found))
	if query == "" {
		return scores
	}
	for i, e := range found {
		text, n := x.text(e), 0
		if strings.Contains(e.name, query) {
			n += nameHas
		}
		if bytes.Contains(text, []byte(query)) {
			n += textHas
		}
		for _, w := range words {
			if strings.Contains(e.name, w) {
				n += nameHasWord
			}
			if bytes.Contains(text, []byte(w)) {
				n += textHasWord
			}
		}
		scores[i] = float64(n)
	}
	return scores
}

// text returns a file's folded text, which is valid until the next call.
func (x *Index) text(e *entry) []byte {
	if e.folded != nil {
		return e.folded
	}
	x.scratch = x.scratch[:0]
	for _, c := range e.Text {
		switch {
		case c >= utf8.RuneSelf:
			return []byte(fold(string(e.Text)))
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		x.scratch = append(x.scratch, c)
	}
	return x.scratch
}
