package grammar

import (
	"slices"
	"strings"
)

// Limits of [Nearest].
const (
	maxNearest     = 3
	maxNearestWord = 64 // runes; nobody mistypes a longer word for a verb
)

// Nearest returns up to three candidates that word may be a misspelling of, the likeliest first. A candidate qualifies
// within an edit distance (insert, delete, replace, swap neighbours) of a third of word's length, at least 1. Starting
// with the same two runes counts as one edit less, and a candidate that word
// is the start of counts as no edit at all. Case is ignored;
// ties keep the candidates' order.
func Nearest(word string, candidates []string) []string {
	w := []rune(strings.ToLower(word))
	if len(w) == 0 || len(w) > maxNearestWord {
		return nil
	}
	limit := max(1, len(w)/3)
	type hit struct {
		name string
		cost int
	}
	var hits []hit
	for _, name := range candidates {
		c := []rune(strings.ToLower(name))
		if len(c) > maxNearestWord {
			continue
		}
		if cost := nearness(w, c, limit+1); cost <= limit && !opposite(w, c) {
			hits = append(hits, hit{name, cost})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.cost - b.cost })
	var names []string
	for _, h := range hits[:min(len(hits), maxNearest)] {
		names = append(names, h.name)
	}
	return names
}

// opposite reports whether w undoes what c does: unmute is not mute misspelt.
func opposite(w, c []rune) bool {
	for _, prefix := range []string{"un", "de", "dis"} {
		rest, ok := strings.CutPrefix(string(w), prefix)
		if !ok || strings.HasPrefix(string(c), prefix) {
			continue
		}
		if prefix == "un" || rest == string(c) {
			return true
		}
	}
	return false
}

// nearness is the edit distance of w and c less the bonus for how they begin. It may be off above most+1, where it
// does not matter.
func nearness(w, c []rune, most int) int {
	if slices.Equal(w, c) {
		return -1 // before everything that merely looks alike
	}
	if len(w) >= 2 && len(c) >= len(w) && slices.Equal(w, c[:len(w)]) {
		return 0
	}
	if d := len(w) - len(c); d > most || -d > most {
		return most + 1
	}
	cost := editDistance(w, c)
	if len(w) >= 2 && len(c) >= 2 && w[0] == c[0] && w[1] == c[1] {
		cost--
	}
	return cost
}

// editDistance counts the insertions, deletions, replacements and swaps of neighbours that turn a into b, no rune
// edited twice. Both are at most maxNearestWord long.
func editDistance(a, b []rune) int {
	var rows [3][maxNearestWord + 1]int
	prev2, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			replace := prev[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
