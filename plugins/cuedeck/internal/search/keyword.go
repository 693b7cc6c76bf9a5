package search

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// What the keyword scorer gives for a query, and for each of its words.
const (
	nameHas, nameHasWord = 100, 10
	textHas, textHasWord = 50, 5
)

// keyword scores files by what they contain, without regard to case: the name of the
// file and the text.
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

// text is a file's text folded: as it is kept, or until the next one is asked for.
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
