package search

import (
	"strings"
)

// What the keyword scorer gives for a query, and for each of its words.
const (
	nameHas, nameHasWord = 100, 10
	textHas, textHasWord = 50, 5
)

// keyword scores files by what they contain, without regard to case: the name of the
// file and the text.
func keyword(found []*entry, query string) []float64 {
	query = fold(strings.TrimSpace(query))
	words := strings.Fields(query)
	scores := make([]float64, len(found))
	if query == "" {
		return scores
	}
	for i, e := range found {
		text := e.folded
		if text == "" {
			text = fold(string(e.Text))
		}
		n := 0
		if strings.Contains(e.name, query) {
			n += nameHas
		}
		if strings.Contains(text, query) {
			n += textHas
		}
		for _, w := range words {
			if strings.Contains(e.name, w) {
				n += nameHasWord
			}
			if strings.Contains(text, w) {
				n += textHasWord
			}
		}
		scores[i] = float64(n)
	}
	return scores
}
